"""Labels: what is written in a picture, and about how much room it takes.

A label is a row of runs: a name of the user's, words of ours, a number, or letters with subscripts. Its width is
reckoned by a wide sans-serif face, so that it fits in most; TeX measures for itself, and shrinks what is wider.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

Words: TypeAlias = Mapping[str, Any]

SIZE: Final = 14
"""The height of the letters, in units of length."""
LINE_HEIGHT: Final = 18
BASE: Final = 5
"""From the middle of a line of text down to its base line."""

_ALIKE: Final = {"ijlI|'": 30, 'frt .,:;!()[]/\\-`"': 42, "mwMW@%—…→": 100, "−+=<>~^#": 86}
_WIDTHS: Final = {character: width for characters, width in _ALIKE.items() for character in characters}
"""Widths of single characters in hundredths of the letters' height."""
_OTHER, _UPPER, _WIDE, _PICTURE = 65, 78, 105, 140
_JOINERS: Final = {"\u200d", "\ufe0e", "\ufe0f"}


@dataclass(frozen=True, slots=True)
class Run:
    """``kind``: ``"name"`` for the user's text, ``"words"`` for ours, ``"number"``, or ``"letters"``: single letters,
    each with a subscript or a root sign where it has one, as in ``√d_k``.
    """

    text: str
    kind: str


Label: TypeAlias = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Writing:
    """How numbers are written: the decimal mark, and the brackets of vectors."""

    decimal_mark: str = "."
    brackets: tuple[str, str] = ("[", "]")

    @property
    def comma(self) -> str:
        """What parts the numbers of a vector."""
        return ";" if self.decimal_mark == "," else ","


PLAIN: Final = Writing()


def name(text: str, room: Fraction | int) -> Label:
    """A token's name, cut where it has no room."""
    return (Run(fitted(text, room), "name"),)


def number(text: str, writing: Writing) -> Label:
    """A printed number."""
    return (Run(text.replace(".", writing.decimal_mark), "number"),)


def vector(texts: Sequence[str], writing: Writing) -> Label:
    """Printed numbers in brackets; with a decimal comma a semicolon parts them."""
    inner = [run for text in texts for run in (Run(f"{writing.comma} ", "words"), *number(text, writing))]
    left, right = writing.brackets
    return (Run(left, "words"), *inner[1:], Run(right, "words"))


def words_label(text: str) -> Label:
    """Words of ours, with letters between dollars."""
    parts = text.split("$")
    return tuple(Run(part, "letters" if index % 2 else "words") for index, part in enumerate(parts) if part)


def width(label: Label) -> Fraction:
    """About the width of a label in units of length."""
    texts = (run.text.replace("-", "−") if run.kind == "number" else run.text for run in label)
    return Fraction(sum(map(_text_width, texts)) * SIZE, 100)


def _text_width(text: str) -> int:
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if character in _WIDTHS:
        return _WIDTHS[character]
    if unicodedata.combining(character) or character in _JOINERS:
        return 0
    if unicodedata.category(character) == "So":
        return _PICTURE
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    return _UPPER if character.isupper() or ord(character) >= 0x250 else _OTHER


def fitted(text: str, room: Fraction | int) -> str:
    """A name, or as much of its beginning as has room before an ellipsis."""
    most = room * 100 // SIZE
    if _text_width(text) <= most:
        return text
    kept = text
    while kept and _text_width(kept + "…") > most:
        kept = _without_last(kept)
    return kept.rstrip() + "…"


def _without_last(text: str) -> str:
    """The text without its last character and the marks that belong to it."""
    end = len(text) - 1
    while end > 0 and (unicodedata.combining(text[end]) or text[end] in _JOINERS or text[end - 1] == "\u200d"):
        end -= 1
    return text[:end]
