"""How a printed number stands to an exact value: the same when rounded once, cut off, one unit away, or elsewhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from flint import fmpq

from symattn.check.reading.printed import Printed
from symattn.errors import LongError, SymattnError
from symattn.exact import numbers
from symattn.exact.values import MASKED, UNDEFINED, Plain, Value
from symattn.rounding import floor, nearest

Stand = Literal["correct", "truncated", "near", "far"]


def stand(printed: Printed, value: Value | Fraction, places: int | None = None) -> Stand:
    """``correct``: within half a unit of its last place, a tie either way; ``truncated``: decimals cut off; ``near``:
    one unit from the nearest; ``far`` otherwise, and wherever nothing had to be rounded.

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
    try:
        return _stand(printed, value, kept, int(units))
    except LongError:  # no page holds its digits
        return "far"


def _stand(printed: Printed, value: Value | Fraction, kept: int, units: int) -> Stand:
    if printed.cut:
        return (
            "correct" if cut_off(value, kept) == units else "near" if abs(cut_off(value, kept) - units) == 1 else "far"
        )
    found = nearest(value, kept)
    distance = units - found.units
    if distance == 0:
        return "correct"
    if found.tie and abs(distance) == 1:
        half_even = nearest(value, kept, "half-even")
        lower = floor(value, kept)
        if units in (half_even.units, lower, lower + 1):
            return "correct"
    if found.exact:
        return "far"
    if kept > 0 and cut_off(value, kept) == units:
        return "truncated"
    return "near" if abs(distance) == 1 else "far"


def cut_off(value: Value | Fraction, places: int) -> int:
    """The value in units with further digits cut off, towards zero."""
    below = floor(value, places)
    if below >= 0:
        return below
    exact = nearest(value, places)
    return exact.units if exact.exact else below + 1


def reach(printed: Printed, halves: int) -> tuple[fmpq, fmpq] | None:
    """Between which values a number may well be a print of one, for choosing what it is: so many half units around it,
    one around an integer; None where no number stands.
    """
    if printed.special:
        return None
    value = fmpq(printed.value.numerator, printed.value.denominator)
    ten = fmpq(10) ** abs(printed.places) * 2
    wide = (min(halves, 1) if printed.is_integer else halves) * (1 / ten if printed.places > 0 else ten / 4)
    return value - wide, value + wide


def is_exactly(number: Printed, value: Value | Fraction | None) -> bool:
    """Whether a number is its value, with nothing rounded; true where that is not decided."""
    try:
        other = value if isinstance(value, Value) else Plain(numbers.from_fraction(value or Fraction(0)))
        return other.equals(Plain(numbers.from_fraction(number.value)))
    except (SymattnError, ArithmeticError):
        return True


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
