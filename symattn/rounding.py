"""The only place that rounds: exact values to decimals, each digit proved.

A ball is refined at 64, 128, 256, ... bits until the digit is unique. Whenever the ball holds a rounding boundary (or the
rounded number itself, which decides whether it is exact), the exact test is asked once; a value that is no boundary is
separated from it by some finite precision, by the theorem quoted in ``exact.numbers``. Values outside the theorem stop at
``LARGEST_PRECISION`` with an error: no digit is guessed.

``floor(10^d x + 1/2)`` is used, never ``nint``: the latter was wrong in a released version of the ball library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

from flint import arb, fmpq, fmpz

from symattn.errors import UndecidedError
from symattn.exact.balls import LARGEST_PRECISION, precision
from symattn.exact.numbers import from_fraction
from symattn.exact.values import Plain, Value

_POSITIONAL = range(-5, 21)


@dataclass(frozen=True, slots=True)
class Rounded:
    """``units * 10^-places``, with what is known of the number that was rounded.

    ``tie``: it lies midway between two neighbours. ``exact``: it is this very number. ``integer``: it is an exact integer.
    """

    units: int
    places: int
    tie: bool = False
    exact: bool = False
    integer: bool = False
    scientific: bool = False

    @property
    def fraction(self) -> Fraction:
        """The rounded number."""
        return Fraction(self.units) / Fraction(10) ** self.places

    @property
    def vanishes(self) -> bool:
        """Whether a number that is not zero was rounded to zero."""
        return self.units == 0 and not self.exact

    @property
    def text(self) -> str:
        """The decimal: an exact integer as an integer, all places otherwise, no minus sign before zero."""
        if self.integer:
            return str(fmpz(self.units // 10**self.places if self.places >= 0 else self.units * 10**-self.places))
        if self.scientific:
            return _scientific(self.units, self.places)
        return positional(self.units, self.places)


def positional(units: int, places: int) -> str:
    """``units * 10^-places`` with all its places. Python's own ``str`` stops at 4,300 digits."""
    sign = "-" if units < 0 else ""
    if places <= 0:
        return f"{sign}{fmpz(abs(units) * 10**-places)}"
    digits = str(fmpz(abs(units))).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def _scientific(units: int, places: int) -> str:
    digits = str(fmpz(abs(units)))
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{'-' if units < 0 else ''}{mantissa}e{len(digits) - 1 - places}"


def nearest(value: Value | Fraction, places: int, ties: str = "half-up") -> Rounded:
    """The value correctly rounded to ``places`` decimals.

    Args:
        value: An exact value without symbols.
        places: Decimals kept; negative counts left of the point.
        ties: ``"half-up"`` (away from zero) or ``"half-even"``.
    Raises:
        UndecidedError: The value lies outside the theorem, and a tie is neither shown nor refuted.
    Example:
        >>> nearest(Fraction(1, 8), 2).text, nearest(Fraction(1, 8), 2, "half-even").text, nearest(Fraction(3), 2).text
        ('0.13', '0.12', '3')
    """
    exact = _rational(value)
    if exact is not None:
        return _of_fraction(exact, places, ties)
    assert isinstance(value, Value)  # noqa: S101 - a Fraction is rational
    unit = _power_of_ten(places)
    tested: set[fmpq] = set()
    for bits in _precisions(value):
        with precision(bits):
            scaled = value.ball() * unit
            found = (scaled + arb(fmpq(1, 2))).floor().unique_fmpz()
            if found is not None and not (scaled - found).contains(0):
                return Rounded(int(found), places)
            candidate = fmpq(found) if found is not None else _half_integer(scaled)
        if candidate is not None and candidate not in tested:
            tested.add(candidate)
            if value.equals(candidate / unit):
                return _of_fraction(Fraction(int(candidate.p), int(candidate.q)) / _ten(places), places, ties)
    raise _undecided(value)


def _half_integer(scaled: arb) -> fmpq | None:
    """The only half-integer that the ball may hold; None while it is too wide to say."""
    if not scaled.rad() < arb(fmpq(1, 8)):
        return None
    return (scaled.mid().fmpq() * 2 + fmpq(1, 2)).floor() / fmpq(2)


def _rational(value: Value | Fraction) -> Fraction | None:
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Plain) and isinstance(value.number, fmpq):
        return Fraction(int(value.number.p), int(value.number.q))
    return None


def _of_fraction(value: Fraction, places: int, ties: str) -> Rounded:
    above, below = value.numerator, value.denominator
    if places >= 0:
        above *= 10**places
    else:
        below *= 10**-places
    units, rest = divmod(above, below)
    integer = value.denominator == 1
    if 2 * rest == below:
        upper = units % 2 == 1 if ties == "half-even" else above > 0
        return Rounded(units + upper, places, tie=True, integer=integer)
    return Rounded(units + (2 * rest > below), places, exact=rest == 0, integer=integer)


def _ten(places: int) -> Fraction:
    return Fraction(10) ** places


def _power_of_ten(places: int) -> fmpq:
    return fmpq(10) ** places


def _precisions(value: Value) -> Iterator[int]:
    bits = 64
    while True:
        yield bits
        bits *= 2
        if bits > LARGEST_PRECISION and not value.sign_is_decided():
            return


def _undecided(value: Value) -> UndecidedError:
    with precision(128):
        near = value.ball().str(15, radius=False)
    return UndecidedError(
        f"whether {near}... is a tie is undecided at {LARGEST_PRECISION} bits",
        mend="ask for another number of decimals",
    )


def significant(value: Value | Fraction, digits: int, ties: str = "half-up") -> Rounded:
    """The value correctly rounded to ``digits`` significant digits; an exact integer stays itself.

    Numbers below 10^-5 or from 10^21 on are written with a power of ten.
    """
    exact = _rational(value)
    if exact is None and value.equals(0):  # type: ignore[union-attr]  # a Fraction is rational
        exact = Fraction(0)
    if exact is not None and exact.denominator == 1:
        return Rounded(exact.numerator, 0, exact=True, integer=True)
    size = _magnitude(value if exact is None else Plain(from_fraction(exact)))
    found = nearest(value if exact is None else exact, digits - 1 - size, ties)
    units, places = found.units, found.places
    if abs(units) == 10**digits:
        units, places, size = units // 10, places - 1, size + 1
    return Rounded(units, places, found.tie, found.exact, found.integer, scientific=size not in _POSITIONAL)


def _magnitude(value: Value) -> int:
    """floor(log10 |value|), for a value that is not zero."""
    tested: set[int] = set()
    for bits in _precisions(value):
        with precision(bits):
            size = abs(value.ball()).log() / arb(10).log()
            found = size.floor().unique_fmpz()
            if found is not None:
                return int(found)
            if not size.is_finite() or not size.rad() < arb(fmpq(1, 8)):
                continue
            power = int((size.mid().fmpq() + fmpq(1, 2)).floor())
        if power not in tested:
            tested.add(power)
            if value.equals(_power_of_ten(power)) or value.equals(-_power_of_ten(power)):
                return power
    raise _undecided(value)


def floor(value: Value | Fraction, places: int) -> int:
    """floor(10^places * value)."""
    exact = _rational(value)
    if exact is not None:
        scaled = exact * _ten(places)
        return scaled.numerator // scaled.denominator
    assert isinstance(value, Value)  # noqa: S101 - a Fraction is rational
    unit = _power_of_ten(places)
    tested: set[fmpq] = set()
    for bits in _precisions(value):
        with precision(bits):
            scaled_ball = value.ball() * unit
            found = scaled_ball.floor().unique_fmpz()
            if found is not None:
                return int(found)
            middle = (scaled_ball.mid().fmpq() + fmpq(1, 2)).floor()
        if middle not in tested:
            tested.add(middle)
            if value.equals(fmpq(middle) / unit):
                return int(middle)
    raise _undecided(value)


def adding_to_one(row: Sequence[Value] | Sequence[Fraction], places: int) -> list[int]:
    """The row's numbers in units of 10^-places, rounded so that they add to 1: largest remainders first.

    Args:
        row: Numbers from 0 to 1 that add to 1.
    Returns:
        Units; equal remainders, decided exactly, are served in reading order.
    Example:
        >>> adding_to_one([Fraction(1, 3)] * 3, 3)
        [334, 333, 333]
    """
    units = [floor(value, places) for value in row]
    missing = 10**places - sum(units)
    if missing:
        order = sorted(range(len(row)), key=cmp_to_key(_remainders(row, units, places)))
        for index in order[:missing]:
            units[index] += 1
    return units


def _remainders(row: Sequence[Value] | Sequence[Fraction], units: list[int], places: int) -> Callable[[int, int], int]:
    def compare(i: int, j: int) -> int:
        gap = Fraction(units[i] - units[j]) / _ten(places)
        return -sign_of_difference(row[i], row[j], gap) or i - j

    return compare


def sign_of_difference(left: Value | Fraction, right: Value | Fraction, gap: Fraction) -> int:
    """The sign of left - right - gap: -1, 0 or 1, decided exactly."""
    exact_left, exact_right = _rational(left), _rational(right)
    if exact_left is not None and exact_right is not None:
        difference = exact_left - exact_right - gap
        return (difference > 0) - (difference < 0)
    first, second = (value if isinstance(value, Value) else Plain(from_fraction(value)) for value in (left, right))
    shift = Plain(from_fraction(gap))
    asked = False
    for bits in _precisions(first):
        with precision(bits):
            difference_ball = first.ball() - second.ball() - shift.ball()
            if difference_ball > 0:
                return 1
            if difference_ball < 0:
                return -1
        if not asked:
            asked = True
            if first.equals(second + shift):
                return 0
    raise _undecided(first)


def truncated(value: Value | Fraction, places: int) -> str:
    """The first ``places`` decimals, cut off, not rounded: what stands before an ellipsis."""
    units = floor(value, places)
    exact = _rational(value)
    if units < 0 and not (exact is not None and exact * _ten(places) == units):
        units += 1
    return positional(units, places)
