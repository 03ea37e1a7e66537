"""Text of the user's made inert in each format: titles and token names come out as they were written."""

from __future__ import annotations

import re
from typing import Final

_MARKDOWN_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]#|~$&<>^@])|(?<=^)([-+=])|(?<=^\d)([.)])|(?<!\w)(:)(?=\w)")
_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": r"{-}",
}


def markdown(text: str) -> str:
    """Punctuation that CommonMark or its extensions read is escaped by a backslash."""
    return _MARKDOWN_SPECIAL.sub(lambda found: "\\" + found[0], text)


def latex(text: str) -> str:
    """TeX's own characters by their commands; those outside the Latin alphabets through ``\\symattnchar``."""
    return "".join(_LATEX.get(character) or _letter(character) for character in text)


def _letter(character: str) -> str:
    code = ord(character)
    if code < 0x180 or 0x2013 <= code <= 0x201D:
        return character
    return rf"\symattnchar{{{code:04X}}}"
