"""Text that Moodle shows as it was written."""

from __future__ import annotations

from typing import Final

from symattn.export.text import legal

_ACTIVE: Final = str.maketrans({
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
    "{": "&#123;",  # blanks of a cloze question begin with it
    "}": "&#125;",
    "\\": "<span>&#92;</span>",  # MathJax does not look for its delimiters across elements
    "$": "<span>&#36;</span>",
    "[": "&#91;",
    "@": "&#64;",
})  # fmt: skip


def html(text: str) -> str:
    """A name or sentence of the teacher's, inert: for HTML, for MathJax and for cloze questions."""
    return legal(text).translate(_ACTIVE)
