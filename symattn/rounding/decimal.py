"""The only place that rounds: exact values to decimals, each digit proved.

A ball is refined at 64, 128, 256, ... bits until it is narrow. Where it then holds a rounding boundary, or an integer
that the value may be exactly, the exact test says on which side of it the value lies: the boundary is subtracted from
the collected sums before anything is enclosed, so that 1/(1 + e^-(10^30)) is told from 1 without 10^30 bits, and a tie
from its neighbours, by the theorem quoted in ``exact.numbers``. Values outside the theorem stop at
``LARGEST_PRECISION`` with an error: no digit is guessed.

``floor(10^d x + 1/2)`` is used, never ``nint``: the latter was wrong in a released version of the ball library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import Final

from flint import arb, fmpq, fmpz

from symattn.errors import SpecError, UndecidedError
from symattn.exact.balls import LARGEST_PRECISION, precision
from symattn.exact.numbers import from_fraction, sign
from symattn.exact.values import Plain, Value

_POSITIONAL: Final = range(-5, 21)
_LONGEST: Final = 100_000
"""Places that are worked with as exact powers of ten; and the largest logarithm of a number that is written out."""
_MOST_BITS: Final = 1 << 20
"""More than any number that may be written out needs before its ball is narrow."""
_HALF: Final = arb(fmpq(1, 2))
_NARROW: Final = arb(fmpq(1, 8))
"""A ball of a smaller radius holds at most one half-integer."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """``units * 10^-places``, with what is known of the number that was rounded.

    ``tie``: it lies midway between two neighbours. ``exact``: it is this very number. ``integer``: it is an exact
    integer.
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
    if isinstance(value, Plain) and places >= 0 and isinstance(value.number, fmpq) and value.number.q == 1:
        return Rounded(int(value.number.p) * 10**places, places, exact=True, integer=True)
    exact = _rational(value)
    if exact is not None:
        return _of_fraction(exact, places, ties)
    assert isinstance(value, Value)  # noqa: S101 - a Fraction is rational
    for bits in _precisions(value):
        with precision(bits):
            scaled = value.ball() * _power_of_ten(places)
            if not scaled.rad() < _NARROW:
                _refuse_long(scaled)
                continue
            found = (scaled + _HALF).floor().unique_fmpz()
            boundary = _boundary(scaled)
        if boundary is None:
            if found is not None:
                return Rounded(int(found), places)
        elif abs(places) <= _LONGEST:
            return _beside(value, boundary, places, ties)
    raise _undecided(value)


def _boundary(scaled: arb) -> fmpq | None:
    """The half-integer that a narrow ball holds: a tie, or an integer that the value may be; None if it holds none."""
    twice = (2 * scaled.mid() + _HALF).floor().unique_fmpz()
    if twice is None or not (scaled - arb(fmpq(twice, 2))).contains(0):
        return None
    return fmpq(twice, 2)


def _beside(value: Value, boundary: fmpq, places: int, ties: str) -> Rounded:
    """The rounded value where its ball holds ``boundary``, a half-integer in units of 10^-places."""
    exact = boundary / fmpq(10) ** places
    side = side_of(value, exact)
    if side == 0:
        return _of_fraction(Fraction(int(exact.p), int(exact.q)), places, ties)
    whole = int(boundary.floor())
    return Rounded(whole + (boundary.q == 2 and side > 0), places)


def side_of(value: Value, number: fmpq) -> int:
    """The sign of value - number: what is common to both is taken away exactly before anything is enclosed.

    Raises:
        UndecidedError: The value lies outside the theorem and may be the number.
    """
    numerator, denominator = value.fraction()
    return sign(numerator - number * denominator) * sign(denominator)


def _refuse_long(scaled: arb) -> None:
    """Stop before a number is written out that no page could hold."""
    if abs(scaled).log() > _LONGEST:
        raise SpecError(
            "this number has too many digits to be written out",
            mend="take smaller numbers",
        )


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


def _power_of_ten(places: int) -> arb:
    """10^places at the precision in force."""
    return arb(fmpq(10) ** places) if abs(places) <= _LONGEST else arb(10) ** places


def _precisions(value: Value) -> Iterator[int]:
    bits = 64
    while bits <= LARGEST_PRECISION or (bits <= _MOST_BITS and value.sign_is_decided()):
        yield bits
        bits *= 2


def _undecided(value: Value) -> UndecidedError:
    with precision(128):
        if not value.ball().is_finite():
            raise SpecError("a number is too large to be worked with", mend="take smaller entries")
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
    number = value if isinstance(value, Value) else Plain(from_fraction(value))
    exact = _rational(number)
    if exact is None and number.equals(0):
        exact = Fraction(0)
    if exact is not None and exact.denominator == 1:
        return Rounded(exact.numerator, 0, exact=True, integer=True)
    size = _magnitude(number)
    if exact is None and digits <= size <= _LONGEST // 3:
        whole = nearest(number, 0)
        if whole.exact:
            return whole
    found = nearest(number, digits - 1 - size, ties)
    units, places = found.units, found.places
    if abs(units) == 10**digits:
        units, places, size = units // 10, places - 1, size + 1
    return Rounded(units, places, found.tie, found.exact, found.integer, scientific=size not in _POSITIONAL)


def _magnitude(value: Value) -> int:
    """floor(log10 |value|), for a value that is not zero."""
    for bits in _precisions(value):
        with precision(bits):
            ball = value.ball()
            size = abs(ball).log() / arb(10).log()
            found = size.floor().unique_fmpz() if size.is_finite() else None
            if found is not None:
                return int(found)
            if not size.is_finite() or not size.rad() < _NARROW:
                continue
            power = (size.mid() + _HALF).floor().unique_fmpz()
        if power is not None and abs(power) <= _LONGEST:
            above = side_of(value, fmpq(10) ** int(power)) if ball > 0 else -side_of(value, -(fmpq(10) ** int(power)))
            return int(power) - (above < 0)
    raise _undecided(value)


def floor(value: Value | Fraction, places: int) -> int:
    """floor(10^places * value)."""
    exact = _rational(value)
    if exact is not None:
        scaled = exact * _ten(places)
        return scaled.numerator // scaled.denominator
    assert isinstance(value, Value)  # noqa: S101 - a Fraction is rational
    for bits in _precisions(value):
        with precision(bits):
            ball = value.ball() * _power_of_ten(places)
            if not ball.rad() < _NARROW:
                _refuse_long(ball)
                continue
            found = ball.floor().unique_fmpz()
            whole = (ball.mid() + _HALF).floor().unique_fmpz()
        if found is not None:
            return int(found)
        if whole is not None:
            return int(whole) - (side_of(value, whole / fmpq(10) ** places) < 0)
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
    with precision(64):
        difference_ball = first.ball() - second.ball() - arb(from_fraction(gap))
        if difference_ball > 0:
            return 1
        if difference_ball < 0:
            return -1
    (above, below), (other, under), apart = first.fraction(), second.fraction(), from_fraction(gap)
    if below == under:
        return sign(above - other - apart * below) * sign(below)
    return sign(above * under - other * below - apart * below * under) * sign(below) * sign(under)


def truncated(value: Value | Fraction, places: int) -> str:
    """The first ``places`` decimals, cut off, not rounded: what stands before an ellipsis."""
    units = floor(value, places)
    if units < 0 and not _is_exactly(value, Fraction(units) / _ten(places)):
        units += 1
    return positional(units, places)


def _is_exactly(value: Value | Fraction, number: Fraction) -> bool:
    return value == number if isinstance(value, Fraction) else value.equals(from_fraction(number))
