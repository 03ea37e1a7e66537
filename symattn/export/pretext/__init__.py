"""PreTeXt: a division of exercises to include in a book, each with statement, hints, answer and solution.

Source: PreTeXt's RELAX NG schema, whose files may begin with ``exercises``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from symattn.exercises.offer import Offer, Run
from symattn.export.books import exercise, head, solved
from symattn.export.formats import Writer
from symattn.export.text import paragraphs
from symattn.render.escape import xml
from symattn.render.page import Format

_KIND: Final = (Format("pretext", xml, "ptx"), "plain")
_BLOCKS: Final = (
    *("<exercise", "</exercise", "<title", "<statement", "</statement", "<hint", "<answer", "</answer", "<solution"),
    *("</solution", "<tabular", "</tabular", "<row", "<!--"),
)


def _item(page: Callable[[Format, str, Offer], str], offer: Offer) -> str:
    return paragraphs(page(*_KIND, offer), _BLOCKS) + "\n"


def _foot(_: Run) -> str:
    return "</exercises>\n"


WRITERS: Final = (
    Writer("students/{name}.ptx", partial(_item, exercise), partial(head, *_KIND), _foot, between="", alone=True),
    Writer("teacher/{name}-key.ptx", partial(_item, solved), partial(head, *_KIND), _foot, between=""),
)
