"""Text that a course system shows as it was written, pages as blocks of HTML, and text inside XML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
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
_ATTRIBUTE: Final = _ACTIVE | str.maketrans({"\\": "&#92;", "$": "&#36;"})
HTML: Final = (
    "<table",
    "</table",
    "<tbody",
    "</tbody",
    "<tr",
    "<p>",
    "<h",
    "<ol",
    "</ol",
    "<ul",
    "</ul",
    "<li",
    "<img",
)
"""What the lines of HTML that are blocks of their own begin with."""


def legal(text: str) -> str:
    """The text, with what XML may not hold replaced."""
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)


def html(text: str) -> str:
    """A name or sentence of the teacher's, inert: for HTML, for MathJax and for cloze questions."""
    return legal(text).translate(_ACTIVE)


def attribute(text: str) -> str:
    """A text of the teacher's in an attribute of HTML, inert there too."""
    return legal(text).translate(_ATTRIBUTE)


def paragraphs(page: str, blocks: Sequence[str] = HTML) -> str:
    """A page as blocks: lines that are no block of their own, and stand together, are a paragraph."""
    found: list[str] = []
    together: list[str] = []
    for line in (*map(str.strip, page.split("\n")), ""):
        if line and not line.startswith(tuple(blocks)):
            together.append(line)
            continue
        if together:
            found.append(f"<p>{' '.join(together)}</p>")
            together.clear()
        if line:
            found.append(line)
    return "\n".join(found)


def cdata(text: str) -> str:
    """A text inside XML as it is."""
    return "<![CDATA[" + legal(text).replace("]]>", "]]]]><![CDATA[>") + "]]>"


def element(text: str) -> str:
    """A text between tags, or in an attribute."""
    return legal(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
