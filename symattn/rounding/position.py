"""Where a value lies in a picture: exact until it is rounded here, once, to 1/100 of a unit of length."""

from __future__ import annotations

from fractions import Fraction

from symattn.exact.affine import affine, logarithm
from symattn.exact.balls import precision
from symattn.exact.numbers import from_fraction, rational
from symattn.exact.values import Plain, Ratio, Value
from symattn.rounding.decimal import nearest

PLACES = 2
_DIGITS = 40


def position(value: Value, low: Fraction, high: Fraction, length: Fraction, *, logarithmic: bool = False) -> Fraction:
    """length * (value - low) / (high - low), or the same of the logarithms, rounded to 1/100.

    Args:
        value: An exact value without symbols; a positive one where ``logarithmic``.
        low: What lies at 0.
        high: What lies at ``length``; not ``low``.
        length: Units of length; negative to count the other way.
    Example:
        >>> from symattn.exact.numbers import root
        >>> position(Plain(root(2)), Fraction(0), Fraction(2), Fraction(100))
        Fraction(7071, 100)
        >>> position(Plain(root(2)), Fraction(1), Fraction(4), Fraction(100), logarithmic=True)
        Fraction(25, 1)
    """
    if not logarithmic:
        factor = from_fraction(length / (high - low))
        return nearest(affine(value, factor, -factor * from_fraction(low)), PLACES).fraction
    start, stop = (logarithm(Plain(from_fraction(end))) for end in (low, high))
    share = Ratio((logarithm(value) - start) * from_fraction(length), stop - start)
    return nearest(share, PLACES).fraction


def rough(value: Value) -> Fraction:
    """A rational near the value to 40 binary digits, itself where it is rational: enough to choose an axis by.

    Values that are equal, however they were found, are so to these digits too.
    """
    exact = rational(value.number) if isinstance(value, Plain) else None
    if exact is not None:
        return exact
    with precision(64):
        whole, exponent = value.ball().mid().man_exp()
    spare = int(whole).bit_length() - _DIGITS
    kept = round(Fraction(int(whole), 1 << spare)) << spare if spare > 0 else int(whole)
    return kept * Fraction(2) ** int(exponent)
