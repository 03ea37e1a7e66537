"""A notebook's file to readable text of the same length: sources and stored outputs of its cells, escapes undone."""

from __future__ import annotations

import re
from typing import Final

from symattn.check.reading.tokens import FILLER

_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_KEY: Final = re.compile(r"\s*:")
_ESCAPE: Final = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')
_PLAIN: Final = {"n": "\n", "t": " ", "r": " ", "b": " ", "f": " ", '"': '"', "\\": "\\", "/": "/"}
_READ: Final = ("source", "text", "text/plain", "text/markdown", "text/latex", "text/html")


def readable(text: str) -> str:
    """The strings under ``source``, ``text`` and ``text/...``, each character at its place; the rest is white.

    Every string is one line of a cell, so that the place of a number is its place in the file.
    """
    out: list[str] = []
    at, name = 0, ""
    for found in _STRING.finditer(text):
        out.append(_white(text[at : found.start()]))
        at = found.end()
        key = _KEY.match(text, at)
        if key:
            name = found[1]
        if key or name not in _READ:
            out.append(_white(found.group()))
        else:
            out.append(" " + _ESCAPE.sub(_unescaped, found[1]) + " ")
    out.append(_white(text[at:]))
    return "".join(out)


def _white(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _unescaped(found: re.Match[str]) -> str:
    escape = found.group()
    shown = chr(int(escape[2:], 16)) if escape[1] == "u" else _PLAIN[escape[1]]
    if shown == FILLER or "\ud800" <= shown <= "\udfff":
        shown = " "
    return FILLER * (len(escape) - 1) + shown
