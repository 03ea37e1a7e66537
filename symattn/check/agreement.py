"""How a printed number stands to an exact value: the same when rounded once, cut off, one unit away, or elsewhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from symattn.check.reading.printed import Printed
from symattn.errors import SymattnError
from symattn.exact.values import MASKED, UNDEFINED, Value
from symattn.rounding import floor, nearest

Stand = Literal["correct", "truncated", "near", "far"]


def stand(printed: Printed, value: Value | Fraction, places: int | None = None) -> Stand:
    """``correct``: within half a unit of its last place, a tie either way; ``truncated``: digits cut off; ``near``: one
    unit from the nearest; ``far`` otherwise, and wherever nothing had to be rounded.

    Args:
        printed: The number on the page.
        value: What it should be.
        places: The places of its unit, where these are not its own.
    Raises:
        UndecidedError: A tie is neither shown nor refuted.
    """
    if value is MASKED or value is UNDEFINED or printed.special:
        wanted = {"-oo": MASKED, "nan": UNDEFINED}.get(printed.special)
        return "correct" if wanted is not None and value is wanted else "far"
    kept = printed.places if places is None else max(places, printed.places)
    units = printed.value * Fraction(10) ** kept
    if units.denominator != 1:
        return "far"
    if printed.cut:
        return "correct" if _cut(value, kept) == units else "near" if abs(_cut(value, kept) - units) == 1 else "far"
    found = nearest(value, kept)
    distance = int(units) - found.units
    if distance == 0:
        return "correct"
    if found.tie and abs(distance) == 1:
        half_even = nearest(value, kept, "half-even")
        lower = floor(value, kept)
        if int(units) in (half_even.units, lower, lower + 1):
            return "correct"
    if found.exact:
        return "far"
    if _cut(value, kept) == units:
        return "truncated"
    return "near" if abs(distance) == 1 else "far"


def _cut(value: Value | Fraction, places: int) -> int:
    """The value in units with further digits cut off, towards zero."""
    below = floor(value, places)
    if below >= 0:
        return below
    exact = nearest(value, places)
    return exact.units if exact.exact else below + 1


def agrees(
    printed: Printed, near: Fraction | None, value: Value | Fraction, *, units: Fraction = Fraction(3, 2)
) -> bool:
    """Whether a printed number may well be a print of a value, for choosing what it is."""
    if printed.special or near is None:
        return printed.special == "-oo" and value is MASKED
    if near == printed.value:
        return True
    if printed.is_integer:
        units = min(units, Fraction(1, 2))
    return abs(printed.value - near) <= units * printed.unit


def certified(value: Value | Fraction, places: int) -> str | None:
    """The value, correctly rounded to some places; None where it has no decimals."""
    if value is MASKED:
        return "-oo"
    if value is UNDEFINED:
        return "nan"
    try:
        return nearest(value, places).text
    except SymattnError:
        return None
