"""Sheets and keys as Markdown."""

from __future__ import annotations

from typing import Final

from symattn.export.formats import Writer
from symattn.export.sheets.pages import pages

_PARTS = pages("md")

WRITERS: Final = (
    Writer("students/{name}.md", _PARTS["student"], _PARTS["student_head"], between="\n---\n\n", alone=True),
    Writer("teacher/{name}-key.md", _PARTS["teacher"], _PARTS["teacher_head"], between="\n---\n\n"),
)
