"""MyST: the directives of sphinx-exercise, solutions collapsed.

Source: the syntax guide of sphinx-exercise.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from symattn.export.books import exercise, head, solved
from symattn.export.formats import Writer
from symattn.render.page import markup_of

_KIND: Final = (markup_of("md", "myst"), "myst")

WRITERS: Final = (
    Writer("students/{name}.md", partial(exercise, *_KIND), partial(head, *_KIND), alone=True),
    Writer("teacher/{name}-key.md", partial(solved, *_KIND), partial(head, *_KIND)),
)
