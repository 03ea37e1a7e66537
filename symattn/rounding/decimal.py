"""The only place that rounds: exact values to decimals, each digit proved.

A ball of twice the value, in units of the last place, is refined at 64, 128, 256, ... bits until it lies between two
integers, or is narrow and holds one: a tie, or an integer that the value may be exactly. Then the exact test says on
which side of it the value lies: the boundary is subtracted from the collected sums before anything is enclosed, so that
1/(1 + e^-(10^30)) is told from 1 without 10^30 bits, and a tie from its neighbours, by the theorem quoted in
``exact.numbers``. Values outside the theorem stop at
``LARGEST_PRECISION`` with an error: no digit is guessed.

``floor(10^d x + 1/2)`` is used, never ``nint``: the latter was wrong in a released version of the ball library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from typing import Final, NamedTuple, TypeAlias

from flint import arb, fmpq, fmpz

from symattn.errors import LongError, SpecError, UndecidedError
from symattn.exact.balls import LARGEST_PRECISION, precision
from symattn.exact.layers import is_open
from symattn.exact.numbers import ZERO, from_fraction, sign
from symattn.exact.values import Plain, Value

Real: TypeAlias = Value | fmpq | Fraction
"""What may be rounded: an exact value without symbols."""

_POSITIONAL: Final = range(-5, 21)
_LONGEST: Final = 100_000
"""Places that are worked with as exact powers of ten; and the largest logarithm of a number that is written out."""
_MOST_BITS: Final = 1 << 20
"""More than any number that may be written out needs before its ball is narrow."""
_SMALL: Final = 10**18
_FEW_BITS: Final = (128, 256, 512)
"""Tried for what has a long exact form, before that is worked out."""
_HALF: Final = arb(fmpq(1, 2))
_NARROW: Final = arb(fmpq(1, 8))
"""A ball of a smaller radius holds at most one integer."""


class Rounded(NamedTuple):
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
    def number(self) -> fmpq:
        """The rounded number."""
        return fmpq(self.units, 10**self.places) if self.places >= 0 else fmpq(self.units * 10**-self.places)

    @property
    def fraction(self) -> Fraction:
        """The same for those who use no FLINT."""
        return Fraction(int(self.number.p), int(self.number.q))

    @property
    def vanishes(self) -> bool:
        """Whether a number that is not zero was rounded to zero."""
        return self.units == 0 and not self.exact

    @property
    def text(self) -> str:
        """The decimal: an exact integer as an integer, all places otherwise, no minus sign before zero."""
        if self.integer:
            return _digits(self.units // 10**self.places if self.places >= 0 else self.units * 10**-self.places)
        if self.scientific:
            return _scientific(self.units, self.places)
        return positional(self.units, self.places)


@lru_cache(maxsize=1024)  # the numbers of a page stand in several places
def positional(units: int, places: int) -> str:
    """``units * 10^-places`` with all its places."""
    sign = "-" if units < 0 else ""
    if places <= 0:
        return f"{sign}{fmpz(abs(units) * 10**-places)}"
    digits = _digits(abs(units)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def _digits(units: int) -> str:
    """The digits of an integer. Python's own ``str`` stops at 4,300 of them."""
    return str(units) if -_SMALL < units < _SMALL else str(fmpz(units))


def _scientific(units: int, places: int) -> str:
    digits = str(fmpz(abs(units)))
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{'-' if units < 0 else ''}{mantissa}e{len(digits) - 1 - places}"


def nearest(value: Real, places: int, ties: str = "half-up") -> Rounded:
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
    if not isinstance(value, Value):
        return _of_rational(value if isinstance(value, fmpq) else from_fraction(value), places, ties)
    exact = value.rational()
    if exact is not None:
        return _of_rational(exact, places, ties)
    for bits in _precisions(value):
        with precision(bits):
            doubled = _shifted(value.ball(), places, 2)
            below = doubled.floor().unique_fmpz()
            if below is not None and doubled > below:
                return Rounded((int(below) + 1) // 2, places)
            if not doubled.rad() < _NARROW:
                _refuse_long(doubled)
                continue
            near = (doubled.mid() + _HALF).floor().unique_fmpz()
        if near is not None and abs(places) <= _LONGEST:
            return _beside(value, fmpq(near, 2), places, ties)
    raise _undecided(value)


def _beside(value: Value, boundary: fmpq, places: int, ties: str) -> Rounded:
    """The rounded value where its ball holds ``boundary``, a half-integer in units of 10^-places."""
    exact = boundary / fmpq(10) ** places
    side = side_of(value, exact)
    if side == 0:
        return _of_rational(exact, places, ties)
    whole = int(boundary.floor())
    return Rounded(whole + (boundary.q == 2 and side > 0), places)


def side_of(value: Value, number: fmpq) -> int:
    """The sign of value - number: what is common to both is taken away exactly before anything is enclosed.

    Raises:
        UndecidedError: The value lies outside the theorem and may be the number.
    """
    if is_open(value):
        side = _side_by_balls(value, number)
        if side:
            return side
    numerator, denominator = value.fraction()
    return sign(numerator - number * denominator) * sign(denominator)


def _side_by_balls(value: Value, number: fmpq) -> int:
    """The same where a few balls tell, else 0: a value of a later layer is long when it is written as one quotient."""
    for bits in _FEW_BITS:
        with precision(bits):
            ball = value.ball() - number
            if ball > 0 or ball < 0:
                return 1 if ball > 0 else -1
    return 0


def _refuse_long(scaled: arb) -> None:
    """Stop before a number is written out that no page could hold."""
    if abs(scaled).log() > _LONGEST:
        raise LongError("this number has too many digits to be written out", mend="take smaller numbers")


def _value(number: Real) -> Value:
    if isinstance(number, Value):
        return number
    return Plain(from_fraction(number) if isinstance(number, Fraction) else number)


def _rational(value: Real) -> fmpq | None:
    if isinstance(value, Value):
        return value.rational()
    return value if isinstance(value, fmpq) else from_fraction(value)


def _of_rational(value: fmpq, places: int, ties: str) -> Rounded:
    above, below = int(value.p), int(value.q)
    integer = below == 1
    if places >= 0:
        above *= 10**places
    else:
        below *= 10**-places
    units, rest = divmod(above, below)
    if 2 * rest == below:
        upper = units % 2 == 1 if ties == "half-even" else above > 0
        return Rounded(units + upper, places, tie=True, integer=integer)
    return Rounded(units + (2 * rest > below), places, False, rest == 0, integer)


def _shifted(ball: arb, places: int, times: int = 1) -> arb:
    """``times`` 10^places times the ball, at the precision in force."""
    if abs(places) > _LONGEST:
        return ball * times * arb(10) ** places
    return ball * (times * 10**places) if places >= 0 else ball * times / 10**-places


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


def significant(value: Real, digits: int, ties: str = "half-up") -> Rounded:
    """The value correctly rounded to ``digits`` significant digits; an exact integer stays itself.

    Numbers below 10^-5 or from 10^21 on are written with a power of ten.
    """
    number = _value(value)
    exact = _rational(number)
    if exact is None and number.equals(0):
        exact = ZERO
    if exact is not None and exact.q == 1:
        return Rounded(int(exact.p), 0, exact=True, integer=True)
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


def floor(value: Real, places: int, sign: int = 1) -> int:
    """floor(10^places * sign * value), ``sign`` being 1 or -1."""
    exact = _rational(value)
    if exact is not None:
        return int((exact * sign * fmpq(10) ** places).floor())
    assert isinstance(value, Value)  # noqa: S101 - any other is rational
    for bits in _precisions(value):
        with precision(bits):
            ball = _shifted(value.ball(), places, sign)
            found = ball.floor().unique_fmpz()
            if found is not None:
                return int(found)
            if not ball.rad() < _NARROW:
                _refuse_long(ball)
                continue
            whole = (ball.mid() + _HALF).floor().unique_fmpz()
        if whole is not None:
            return int(whole) - (sign * side_of(value, sign * whole / fmpq(10) ** places) < 0)
    raise _undecided(value)


def adding_to_one(row: Sequence[Real], places: int) -> list[int]:
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


def _remainders(row: Sequence[Real], units: list[int], places: int) -> Callable[[int, int], int]:
    def compare(i: int, j: int) -> int:
        gap = (units[i] - units[j]) / fmpq(10) ** places
        return -sign_of_difference(row[i], row[j], gap) or i - j

    return compare


def sign_of_difference(left: Real, right: Real, gap: fmpq) -> int:
    """The sign of left - right - gap: -1, 0 or 1, decided exactly."""
    exact_left, exact_right = _rational(left), _rational(right)
    if exact_left is not None and exact_right is not None:
        difference = exact_left - exact_right - gap
        return int(difference > 0) - int(difference < 0)
    first, second = _value(left), _value(right)
    with precision(64):
        difference_ball = first.ball() - second.ball() - arb(gap)
        if difference_ball > 0:
            return 1
        if difference_ball < 0:
            return -1
    if is_open(first) or is_open(second):
        for bits in _FEW_BITS:
            with precision(bits):
                finer = first.ball() - second.ball() - arb(gap)
                if finer > 0 or finer < 0:
                    return 1 if finer > 0 else -1
    (above, below), (other, under) = first.fraction(), second.fraction()
    if below == under:
        return sign(above - other - gap * below) * sign(below)
    return sign(above * under - other * below - gap * below * under) * sign(below) * sign(under)


def truncated(value: Real, places: int) -> str:
    """The first ``places`` decimals, cut off, not rounded: what stands before an ellipsis."""
    units = floor(value, places)
    return positional(units if units >= 0 else -floor(value, places, -1), places)
