"""A value stretched and moved: what a coordinate is of the number that it shows."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from symattn.exact import numbers
from symattn.exact.numbers import Exact
from symattn.exact.values import Plain, Terms, Value, by_exponent


@dataclass(frozen=True, slots=True, eq=False)
class Affine(Value):
    """factor * value + shift, which leaves to the value how it is enclosed."""

    value: Value
    factor: fmpq
    shift: fmpq

    def parts(self) -> tuple[Terms, Terms]:
        """Both sides, collected by exponent."""
        numerator, denominator = self.fraction()
        return by_exponent(numerator), by_exponent(denominator)

    def fraction(self) -> tuple[Exact, Exact]:
        """Over the value's own denominator."""
        numerator, denominator = self.value.fraction()
        return numerator * self.factor + denominator * self.shift, denominator

    def ball(self) -> arb:
        """The value's enclosure, stretched and moved."""
        return self.value.ball() * self.factor + self.shift


def affine(value: Value, factor: fmpq, shift: fmpq) -> Value:
    """factor * value + shift."""
    return Plain(value.number * factor + shift) if isinstance(value, Plain) else Affine(value, factor, shift)


def logarithm(value: Value) -> Exact:
    """The natural logarithm of a positive value.

    Raises:
        SpecError: It has no short exact form: one of a sum, or of a number that is not positive.
    """
    numerator, denominator = value.fraction()
    return numbers.log(numerator) - numbers.log(denominator)
