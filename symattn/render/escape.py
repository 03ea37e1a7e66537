"""Text of the user's made inert in each format: titles and token names come out as they were written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import markupsafe

_MARKDOWN_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]#|~$&<>^@])|(?<=^)([-+=])|(?<=^\d)([.)])|(?<!\w)(:)(?=\w)")
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
_ESCAPED: Final = re.compile(r"\\(.)")
_APART: Final = {"\\": "<span>&#92;</span>", "$": "<span>&#36;</span>"}
_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
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
    "<": r"\textless\kern0pt{}",
    ">": r"\textgreater\kern0pt{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl\kern0pt{}",
    "`": r"\textasciigrave\kern0pt{}",
    "'": r"\textquotesingle\kern0pt{}",
    "-": r"-\kern0pt{}",  # two hyphens would be a dash
    ",": r",\kern0pt{}",
    "!": r"!\kern0pt{}",
    "?": r"?\kern0pt{}",
}


@lru_cache(maxsize=512)
def markdown(text: str) -> str:
    """Punctuation that CommonMark or its extensions read is escaped by a backslash."""
    return _MARKDOWN_SPECIAL.sub(lambda found: "\\" + found[0], text)


def github(text: str) -> str:
    """The same for GitHub, which reads two dollars in a paragraph as mathematics though they are escaped."""
    return markdown(text).replace("\\$", "<span>$</span>")


def jupyter(text: str) -> str:
    """The same for notebooks, whose pages are searched for mathematics before they are read as Markdown and after: what
    may begin it stands in an element of its own, by its number.
    """
    return _ESCAPED.sub(lambda found: _APART.get(found[1], found[0]), markdown(text))


def every_sign(text: str) -> str:
    """The same for MyST and Quarto, in which every sign of ASCII may come to mean something: a role, a comment, a
    citation, a dash. Each may be escaped.
    """
    return _PUNCTUATION.sub(r"\\\1", text)


def latex(text: str) -> str:
    """TeX's own characters by their commands; those outside the Latin alphabets through ``\\symattnchar``."""
    return "".join(_LATEX.get(character) or _letter(character) for character in text)


def xml(text: str) -> str:
    """XML's own characters by their names; what XML may not hold becomes a replacement character."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", str(markupsafe.escape(text)))


def _letter(character: str) -> str:
    code = ord(character)
    if code < 0x180 or 0x2013 <= code <= 0x201D:
        return character
    return rf"\symattnchar{{{code:04X}}}"
