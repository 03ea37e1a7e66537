"""Text that Moodle shows as it was written, and text inside XML."""

from __future__ import annotations

import re
from typing import Final

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
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLOCKS: Final = ("<table", "</table", "<tbody", "</tbody", "<tr", "<p>", "<h", "<ol", "</ol", "<ul", "</ul", "<li")


def html(text: str) -> str:
    """A name or sentence of the teacher's, inert: for HTML, for MathJax and for cloze questions."""
    return _ILLEGAL.sub("\ufffd", text).translate(_ACTIVE)


def paragraphs(page: str) -> str:
    """A page as HTML: lines that are no block of their own, and stand together, are a paragraph."""
    found: list[str] = []
    together: list[str] = []
    for line in (*map(str.strip, page.split("\n")), ""):
        if line and not line.startswith(_BLOCKS):
            together.append(line)
            continue
        if together:
            found.append(f"<p>{' '.join(together)}</p>")
            together.clear()
        if line:
            found.append(line)
    return "\n".join(found)


def cdata(page: str) -> str:
    """A page inside XML as it is; what is not ours in it went through ``html``."""
    return "<![CDATA[" + page.replace("]]>", "]]]]><![CDATA[>") + "]]>"


def element(text: str) -> str:
    """A text between tags."""
    return _ILLEGAL.sub("\ufffd", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
