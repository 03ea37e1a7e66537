"""Intervals with decimal ends: pairs of integers (low, high) in units of 10^-30, rounded outwards.

Every operation encloses: the true number lies between the ends. Decimals with up to 30 places are held exactly, so a
bound at half a unit in some place is exact too. Irrational numbers come from balls at 160 bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final, TypeAlias

from flint import arb, fmpq

from symattn.exact import numbers
from symattn.exact.balls import precision
from symattn.exact.numbers import Exact

Interval: TypeAlias = tuple[int, int]
Number: TypeAlias = "int | Exact"

PLACES: Final = 30
UNIT: Final = 10**PLACES
_BITS: Final = 160
_FAR: Final = arb(10) ** 60
_LARGEST: Final = 50
"""The largest exponent whose power of e is enclosed; a recipe with larger ones is no exercise for a pencil."""


def point(number: Number) -> Interval:
    """The least interval around a number."""
    if type(number) is int:
        return number * UNIT, number * UNIT
    if isinstance(number, fmpq):
        above, below = int(number.p) * UNIT, int(number.q)
        return above // below, -(-above // below)
    with precision(_BITS):
        return ends(numbers.ball(number))


def of_fraction(number: Fraction) -> Interval:
    """The least interval around a fraction."""
    above = number.numerator * UNIT
    return above // number.denominator, -(-above // number.denominator)


def ends(ball: arb) -> Interval:
    """The least interval around a ball.

    Raises:
        TooFarError: The ball has no end, or reaches beyond 10^60.
    """
    if not abs(ball) < _FAR:
        raise TooFarError
    scaled = ball * UNIT
    low, high = scaled.lower().floor().unique_fmpz(), scaled.upper().ceil().unique_fmpz()
    if low is None or high is None:
        raise TooFarError
    return int(low), int(high)


def exp_of(number: Number) -> Interval:
    """e^number, exactly where that is rational."""
    _refuse_far(point(number))
    power = numbers.exp(fmpq(number) if isinstance(number, int) else number)
    if isinstance(power, fmpq):
        return point(power)
    with precision(_BITS):
        return ends(numbers.ball(power))


def exp(interval: Interval) -> Interval:
    """e to every number of the interval."""
    _refuse_far(interval)
    with precision(_BITS):
        low = ends(arb(fmpq(interval[0], UNIT)).exp())
        return low[0], (low if interval[0] == interval[1] else ends(arb(fmpq(interval[1], UNIT)).exp()))[1]


def tanh(interval: Interval) -> Interval:
    """The hyperbolic tangent of every number of the interval."""
    with precision(_BITS):
        low, high = (ends(arb(fmpq(end, UNIT)).tanh()) for end in interval)
    return low[0], high[1]


def _refuse_far(interval: Interval) -> None:
    if interval[1] > _LARGEST * UNIT:
        raise TooFarError


class TooFarError(Exception):
    """An exponential that no pencil writes down; the candidate is refused."""


def product(left: Interval, right: Interval) -> Interval:
    """Every product of a number of one and a number of the other."""
    a, b = left
    c, d = right
    if a >= 0 and c >= 0:
        return a * c // UNIT, -(-b * d // UNIT)
    ends = (a * c, a * d, b * c, b * d)
    return min(ends) // UNIT, -(-max(ends) // UNIT)


def inverse(interval: Interval) -> Interval:
    """1 over every number of an interval that does not hold 0."""
    low, high = interval
    square = UNIT * UNIT
    return square // high, -(-square // low)


def total(intervals: Iterable[Interval]) -> Interval:
    """Every sum of one number of each."""
    low = high = 0
    for first, last in intervals:
        low += first
        high += last
    return low, high


def wider(interval: Interval, by: int) -> Interval:
    """The interval with so much more at each end."""
    return interval[0] - by, interval[1] + by


def hull(*intervals: Interval) -> Interval:
    """The least interval around all of these."""
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def has_places(interval: Interval, grain: int) -> bool:
    """Whether it is one number, and a multiple of the grain."""
    return interval[0] == interval[1] and interval[0] % grain == 0
