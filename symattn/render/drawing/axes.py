"""Axes: how far they go, where their ticks stand, and what is written there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from symattn.exact.numbers import from_fraction
from symattn.exact.values import Plain, Value
from symattn.render.drawing.labels import Label, Writing, number
from symattn.rounding.position import position, rough

_STEPS: Final = (1, 2, 5)
_MOST_TICKS: Final = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """From ``low`` to ``high`` over ``length`` units; negative ``length`` counts upwards on a page."""

    low: Fraction
    high: Fraction
    length: Fraction
    ticks: tuple[Fraction, ...]
    logarithmic: bool = False

    def at(self, value: Value) -> Fraction:
        """How far from its start a value lies, to 1/100 of a unit."""
        return position(value, self.low, self.high, self.length, logarithmic=self.logarithmic)

    def stops(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Each tick, and how far from the start it lies."""
        return ((tick, self.at(Plain(from_fraction(tick)))) for tick in self.ticks)


def linear(values: Sequence[Value], length: int, *, most: int = _MOST_TICKS) -> Axis:
    """An axis that holds all the values, from tick to tick."""
    low, high = _range([rough(value) for value in values])
    step = _step((high - low) / (most - 1))
    first, last = low // step, -(-high // step)
    ticks = tuple(step * count for count in range(int(first), int(last) + 1))
    return Axis(ticks[0], ticks[-1], Fraction(length), ticks)


def logarithmic(values: Sequence[Value], length: int) -> Axis:
    """An axis of positive values whose ticks are powers of two or of ten, whichever the values are nearer to."""
    found = [rough(value) for value in values]
    low, high = min(found), max(found)
    whole = all(value.denominator == 1 and value.numerator & (value.numerator - 1) == 0 for value in found)
    base = 2 if whole else 10
    first, last = _power_below(low, base), -_power_below(1 / high, base)
    last += first == last
    stride = -(-(last - first) // (_MOST_TICKS + 1))
    last = first + stride * -(-(last - first) // stride)
    ticks = tuple(Fraction(base) ** power for power in range(first, last + 1, stride))
    return Axis(ticks[0], ticks[-1], Fraction(length), ticks, logarithmic=True)


def tick_label(tick: Fraction, writing: Writing) -> Label:
    """A tick's number, with all its decimals."""
    return number(_decimal(tick), writing)


def _range(values: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """The least and the largest; around a single value, one more on both sides."""
    low, high = min(values), max(values)
    return (low - 1, high + 1) if low == high else (low, high)


def _step(least: Fraction) -> Fraction:
    """The least of 1, 2, 5, 10, 20, ... and their tenths that is not below ``least``."""
    power = _power_below(least, 10)
    steps = [Fraction(10) ** (power + more) * digit for more in (0, 1) for digit in _STEPS]
    return next(step for step in steps if step >= least)


def _power_below(number: Fraction, base: int) -> int:
    """The largest power of ``base`` that is not above a positive number."""
    power = 0
    while Fraction(base) ** power > number:
        power -= 1
    while Fraction(base) ** (power + 1) <= number:
        power += 1
    return power


def _decimal(number: Fraction) -> str:
    """A number whose decimals end."""
    places = next(count for count in range(400) if (number * 10**count).denominator == 1)
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if number < 0 else text
