"""Sheets and keys as LaTeX documents, a variant a page."""

from __future__ import annotations

from typing import Final

from symattn.export.formats import Writer
from symattn.export.sheets.pages import pages

_PARTS = pages("tex")

WRITERS: Final = (
    Writer(
        "students/{name}.tex",
        _PARTS["student"],
        _PARTS["student_head"],
        _PARTS["foot"],
        between="\n\\newpage\n",
        alone=True,
    ),
    Writer(
        "teacher/{name}-key.tex", _PARTS["teacher"], _PARTS["teacher_head"], _PARTS["foot"], between="\n\\newpage\n"
    ),
)
