"""Exact values to binary floats, correctly rounded: to nearest, ties to even, subnormals and overflow as in IEEE 754.

A float that is not negative is its bit pattern read as an integer, its *code*. Codes grow with the numbers, and the
code after the largest number is infinity. So neighbours are codes that follow one another, and a ball that rounds to
one code at both ends is settled. Where it does not, and holds a single boundary, the exact test says on which side of
it the value lies: midway between two neighbours, or 0, which parts -0 from 0. A value that is exactly 0 is +0.

Nothing here is computed with floats.

Source: IEEE 754-2019, sections 3.4 (formats), 4.3.1 (roundTiesToEven), 7.4 (overflow).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, Protocol

from flint import arb, fmpq, fmpz

from symattn.errors import UndecidedError
from symattn.exact.balls import LARGEST_PRECISION, precision


@dataclass(frozen=True)
class Format:
    """A binary format: ``width`` bits in all, ``digits`` of precision with the leading one, exponents to ``top``."""

    name: str
    width: int
    digits: int
    top: int

    @cached_property
    def least(self) -> int:
        """The exponent of the smallest positive number: 2^least."""
        return 2 - self.top - self.digits

    @cached_property
    def infinity(self) -> int:
        """The code of infinity."""
        return (2 * self.top + 1) << (self.digits - 1)

    @cached_property
    def nan(self) -> int:
        """The code of the quiet NaN without a payload."""
        return self.infinity | 1 << (self.digits - 2)

    @cached_property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.width - 1)


FORMATS: Final = {
    made.name: made
    for made in (
        Format("float64", 64, 53, 1023),
        Format("float32", 32, 24, 127),
        Format("float16", 16, 11, 15),
        Format("bfloat16", 16, 8, 127),
    )
}

QUAD: Final = Format("binary128", 128, 113, 16383)
"""Wider than any type of a result: what errors are measured against."""


class Cell(Protocol):
    """An exact real number that can be enclosed, and compared with a rational number."""

    @property
    def decided(self) -> bool:
        """Whether a theorem decides every comparison, so that refining ends."""

    def ball(self, bits: int) -> arb:
        """An enclosure at about ``bits`` bits."""

    def side_of(self, number: fmpq) -> int:
        """The sign of the value minus ``number``; 0 only if they are equal."""


def nearest(value: Fraction, form: Format) -> int:
    """The bit pattern of the float nearest to a rational number.

    Args:
        value: Any rational number; 0 becomes +0.
        form: The format.
    Returns:
        The bits as an integer, infinity included.
    Example:
        >>> [hex(nearest(Fraction(number), FORMATS["float16"])) for number in (2049, -2, 65520)]
        ['0x6800', '0xc000', '0x7c00']
    """
    return _code(abs(value.numerator), value.denominator, form) | (form.sign if value < 0 else 0)


def of_floors(wholes: Iterable[fmpz | None], exponent: int, form: Format) -> list[int | None]:
    """For each whole number w the bit pattern to which every x with w <= x / 2^exponent < w + 1 rounds.

    The quick way for many balls: where the floor of a ball is a single integer, nothing else need be known of it. A
    negative x has its size in (~w, ~w + 1], so a tie lies at the other end. None for None, and where they do not agree.
    """
    digits, infinity, negative = form.digits, form.infinity, form.sign
    shift, least = digits - 1, form.least - exponent
    found: list[int | None] = []
    for whole in wholes:
        if whole is None:
            found.append(None)
            continue
        size = end = int(whole)
        if size < 0:
            size, end = ~size, -size
        dropped = size.bit_length() - digits
        if dropped < least:
            dropped = least
        if dropped < 2 or dropped > _LONGEST:
            found.append(None)
            continue
        twice = size >> dropped - 1
        code = ((dropped - least) << shift) + (twice + 1 >> 1)
        step = end >> dropped - 1
        if step & 1 and step << dropped - 1 == end:  # the end that belongs to the interval is a tie
            found.append(None)
        elif code > infinity:
            found.append(infinity if end == size else infinity | negative)
        else:
            found.append(code if end == size else code | negative)
    return found


def of_ball(ball: arb, form: Format) -> int | None:
    """The bit pattern to which every number of the ball rounds; None where they do not agree.

    A narrow ball is judged on its middle alone: it is settled when no boundary is as near as the radius. Below a power
    of two floats are twice as dense, hence the bound of a quarter of a unit.
    """
    try:
        middle, exponent = ball.mid().man_exp()
        radius, scale = ball.rad().man_exp()
    except ValueError:  # not finite
        return None
    size, exponent, shift = abs(int(middle)), int(exponent), int(scale) - int(exponent)
    unit = max(size.bit_length() + exponent - form.digits, form.least)
    dropped = unit - exponent
    if 2 <= dropped <= _LONGEST and shift <= _LONGEST:
        reach = int(radius) << shift if shift >= 0 else (int(radius) >> -shift) + 1
        half = 1 << (dropped - 1)
        code = size >> dropped
        rest = size - (code << dropped)
        if reach < min(abs(rest - half), half >> 1, size):
            code += ((unit - form.least) << (form.digits - 1)) + (rest > half)
            return min(code, form.infinity) | (form.sign if middle < 0 else 0)
    low, high = _ends(ball, form)
    return low if low == high else None


_LONGEST: Final = 1 << 16
"""Shifts that are worked out; other balls are judged by their ends."""


def _ends(ball: arb, form: Format) -> tuple[int, int]:
    """What the two ends of a finite ball round to; +0 for an end that is 0."""
    (low, low_exponent), (high, high_exponent) = ball.lower().man_exp(), ball.upper().man_exp()
    return (
        _shifted(abs(int(low)), int(low_exponent), form) | (form.sign if low < 0 else 0),
        _shifted(abs(int(high)), int(high_exponent), form) | (form.sign if high < 0 else 0),
    )


def _shifted(whole: int, exponent: int, form: Format) -> int:
    """The code of ``whole * 2^exponent``; an exponent may be too large to be worked out."""
    size = whole.bit_length() + exponent
    if not whole or size < form.least - 1:
        return 0
    if size > form.top + 2:
        return form.infinity
    return _code(whole << max(exponent, 0), 1 << max(-exponent, 0), form)


def _code(above: int, below: int, form: Format) -> int:
    """The code of the float nearest to ``above / below``, which is not negative."""
    if not above:
        return 0
    size = above.bit_length() - below.bit_length()  # 2^(size - 1) < above/below < 2^(size + 1)
    size += (above >= below << size) if size >= 0 else (above << -size >= below)
    unit = max(size - form.digits, form.least)
    whole, rest = divmod(above << max(-unit, 0), below << max(unit, 0))
    twice = 2 * rest - (below << max(unit, 0))
    whole += twice > 0 or (twice == 0 and whole & 1)
    return min(((unit - form.least) << (form.digits - 1)) + whole, form.infinity)


def number(code: int, form: Format) -> Fraction:
    """The number of a code; for infinity what would follow the largest number.

    Example:
        >>> number(0x3C01, FORMATS["float16"])
        Fraction(1025, 1024)
    """
    steps = max((code >> (form.digits - 1)) - 1, 0)
    return (code - (steps << (form.digits - 1))) * Fraction(2) ** (form.least + steps)


def settled(cell: Cell, form: Format) -> int:
    """The bit pattern of the float nearest to a real number, proved.

    Args:
        cell: The number.
        form: The format.
    Raises:
        UndecidedError: No theorem tells the number from a boundary, and 65,536 bits do not either.
    """
    may_be_zero = True
    for bits in _precisions(cell):
        with precision(bits):
            ball = cell.ball(bits)
            found = of_ball(ball, form)
            if found is not None:
                return found
            if not ball.is_finite():
                continue
            low, high = (_place(end, form) for end in _ends(ball, form))
            holds_zero = ball.contains(0)
        if holds_zero and may_be_zero:
            side = cell.side_of(fmpq(0))
            if not side:
                return 0
            may_be_zero = False
        if high - low == 1:
            boundary = _boundary(low, form)
            side = cell.side_of(fmpq(boundary.numerator, boundary.denominator))
            return nearest(boundary, form) if not side else _bits(high if side > 0 else low, form)
    raise UndecidedError(
        f"whether a number lies midway between two of type {form.name} is undecided at {LARGEST_PRECISION} bits",
        mend="ask for another type",
    )


def _precisions(cell: Cell) -> Iterator[int]:
    bits = 128
    while bits <= LARGEST_PRECISION or cell.decided:
        yield bits
        bits *= 2


def _place(bits: int, form: Format) -> int:
    """The position among all floats in order: -0 is -1, 0 is 0."""
    return ~(bits ^ form.sign) if bits & form.sign else bits


def _bits(place: int, form: Format) -> int:
    return ~place | form.sign if place < 0 else place


def _boundary(place: int, form: Format) -> Fraction:
    """What parts the numbers that round to ``place`` from those that round to the next."""
    if place == -1:
        return Fraction(0)
    if place < -1:
        return -_boundary(-place - 2, form)
    return (number(place, form) + number(place + 1, form)) / 2
