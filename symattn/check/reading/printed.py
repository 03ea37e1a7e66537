"""One printed number: its value, its unit, and how it is spelled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

Special = Literal["", "-oo", "oo", "nan"]


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it stands on a page, from character ``start`` to ``end``, its sign included.

    ``value`` is its exact decimal value and ``places`` the decimals it keeps, so that its unit is 10^-places; negative
    ``places`` count left of the point. ``cut``: an ellipsis follows, so its digits are cut off, not rounded.
    ``special`` is set where no number stands but -oo, oo or nan.
    """

    text: str
    start: int
    end: int
    value: Fraction
    places: int
    cut: bool = False
    special: Special = ""

    @property
    def unit(self) -> Fraction:
        """One unit in its last place."""
        return Fraction(10) ** -self.places

    @property
    def is_integer(self) -> bool:
        """Whether it is written without decimals."""
        return self.places <= 0


_SPELLED: Final = re.compile(
    r"(?P<sign>[-−–+])?\s*(?P<whole>\d*)(?P<mark>\.|,|\{,\})?(?P<decimals>\d*)"
    r"(?P<power>[eE](?P<exponent>[-+−]?\d+)|\s*(?:\\times|\\cdot|×|·|\*)\s*10\s*(?:\^|\*\*)\s*\{?(?P<ten>[-−]?\d+)\}?)?"
    r"(?P<percent>(?:\s|~|\\[,;:!\s])*\\?%)?",
)
_MOST_DIGITS: Final = 400


def printed(text: str, start: int, *, cut: bool = False) -> Printed | None:
    """The number that a text spells; None for one with more digits than any page prints."""
    found = _SPELLED.fullmatch(text)
    if found is None or len(text) > _MOST_DIGITS:
        return None
    digits, decimals = found["whole"], found["decimals"]
    power = int((found["exponent"] or found["ten"] or "0").replace("−", "-"))
    if abs(power) > _MOST_DIGITS:
        return None
    places = len(decimals) - power + (2 if found["percent"] else 0)
    value = Fraction(int(digits + decimals or "0")) * Fraction(10) ** -places
    sign = -1 if found["sign"] and found["sign"] != "+" else 1
    return Printed(text, start, start + len(text), sign * value, places, cut)


def respelled(old: Printed, value: Fraction, places: int) -> str | None:
    """A number of at most ``places`` decimals, written as ``old`` is: its sign, mark, per cent and power of ten; None
    where that is no single number, such as ``--1``, or has more digits than any page prints.
    """
    found = _SPELLED.fullmatch(old.text)
    if found is None:
        return None
    spelled = printed(old.text, old.start)
    assert spelled is not None  # noqa: S101 - it was read from this text
    kept = len(found["decimals"]) + max(0, places - old.places)
    shown = value * Fraction(10) ** (spelled.places - len(found["decimals"]) + kept)
    assert shown.denominator == 1  # noqa: S101 - a number of so many places
    if abs(shown) >= 10**_MOST_DIGITS:
        return None
    digits = str(abs(shown.numerator)).rjust(kept + 1, "0")
    whole, decimals = (digits[:-kept], digits[-kept:]) if kept else (digits, "")
    if not found["whole"] and whole == "0":
        whole = ""
    mark = found["mark"] or ("." if decimals else "")
    if places > old.places:
        decimals = decimals.rstrip("0")
    minus = found["sign"] if found["sign"] in ("-", "−", "–") else "-"
    sign = minus if shown < 0 else "+" if found["sign"] == "+" else ""
    return f"{sign}{whole}{mark}{decimals}{found['power'] or ''}{found['percent'] or ''}"
