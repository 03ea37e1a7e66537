"""The value of a printed side: intervals with rational ends, so that what is exact stays exact.

A rational number is an interval of no width. A root or an exponential is enclosed to 110 digits; a truncated decimal is
the interval of everything it may stand for. Nothing here is shared with the package under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from mpmath import iv, libmp

from tests.pages.latex import Binary, Matrix, Name, Number, Tree, Unary, UnreadableError, Vector

DIGITS = 110
LARGEST = 100_000
INFINITY = math.inf


@dataclass(frozen=True, slots=True)
class Interval:
    """Everything from ``low`` to ``high``; one number where they are the same. The ends may be infinite."""

    low: Fraction | float
    high: Fraction | float

    @property
    def exact(self) -> bool:
        """Is this one number, known exactly?"""
        return self.low == self.high

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __add__(self, other: Interval) -> Interval:
        return _interval([self.low + other.low, self.high + other.high])

    def __mul__(self, other: Interval) -> Interval:
        return _interval([mine * its for mine in (self.low, self.high) for its in (other.low, other.high)])

    def inverse(self) -> Interval:
        """One over this."""
        if self.low <= 0 <= self.high or self.infinite:
            raise UnreadableError("a division by zero or by what is infinite")
        return Interval(1 / self.high, 1 / self.low)

    @property
    def infinite(self) -> bool:
        """Does it reach to infinity?"""
        return math.inf in (self.high, -self.low) or self.high == -math.inf or self.low == math.inf


Value: TypeAlias = Interval | tuple[Interval, ...] | tuple[tuple[Interval, ...], ...]
"""A number, a vector, or a matrix as a tuple of rows."""


def _interval(ends: list[Fraction | float]) -> Interval:
    if any(isinstance(end, float) and math.isnan(end) for end in ends):
        raise UnreadableError("an indefinite sum or product of infinities")
    return Interval(min(ends), max(ends))


def number(value: Fraction | int) -> Interval:
    """One number."""
    return Interval(Fraction(value), Fraction(value))


def value(tree: Tree, known: Mapping[str, Value]) -> Value:
    """What the tree is worth.

    Raises:
        UnreadableError: The operation has no value, or a name none.
    """
    match tree:
        case Number(printed, places, truncated):
            return Interval(printed, printed + Fraction(1, 10**places)) if truncated else number(printed)
        case Name(text):
            return _named(text, known)
        case Vector(items):
            return _rows_or_entries(tuple(value(item, known) for item in items))
        case Matrix(rows):
            return tuple(tuple(_scalar(value(cell, known)) for cell in row) for row in rows)
        case Unary(operator, operand):
            return _UNARY[operator](value(operand, known))
        case Binary("^", base, power):
            if base == Name("e") and "e" not in known:
                return _exp(_scalar(value(power, known)))
            return _power(_scalar(value(base, known)), _scalar(value(power, known)))
        case Binary(operator, left, right):
            return _BINARY[operator](value(left, known), value(right, known))
    raise UnreadableError(f"{tree} has no value")


def has_value(text: str, known: Mapping[str, Value]) -> bool:
    """Is the name known, or does it stand for the same number everywhere?"""
    return text in known or text in {"e", r"\pi", r"\infty"}


def _named(text: str, known: Mapping[str, Value]) -> Value:
    if text in known:
        return known[text]
    if text == "e":
        return _exp(number(1))
    if text == r"\infty":
        return Interval(INFINITY, INFINITY)
    if text == r"\pi":
        return _enclosed(lambda: iv.pi + 0)
    raise UnreadableError(f"{text} has no value")


def _scalar(it: Value) -> Interval:
    if isinstance(it, Interval):
        return it
    if len(it) == 1:
        return _scalar(it[0])
    raise UnreadableError("a vector where a number belongs")


def is_matrix(it: Value) -> bool:
    """Is it made of rows?"""
    return isinstance(it, tuple) and isinstance(it[0], tuple)


def _rows_or_entries(items: tuple[Value, ...]) -> Value:
    if all(isinstance(item, tuple) and not is_matrix(item) for item in items):
        return items  # type: ignore[return-value]
    return tuple(_scalar(item) for item in items)


def rows(it: Value) -> tuple[tuple[Interval, ...], ...]:
    """Anything as a matrix: a vector is one row."""
    if isinstance(it, Interval):
        return ((it,),)
    return it if is_matrix(it) else (it,)  # type: ignore[return-value]


def _like(it: tuple[tuple[Interval, ...], ...], *origins: Value) -> Value:
    """A matrix in the simplest of the shapes that it came from."""
    if len(it) > 1 or any(is_matrix(origin) for origin in origins):
        return it
    return it[0]


def _each(function: Callable[[Interval], Interval]) -> Callable[[Value], Value]:
    def entrywise(it: Value) -> Value:
        if isinstance(it, Interval):
            return function(it)
        return tuple(entrywise(item) for item in it)  # type: ignore[return-value]

    return entrywise


def _add(left: Value, right: Value) -> Value:
    if isinstance(left, Interval) and isinstance(right, Interval):
        return left + right
    mine, other = rows(left), rows(right)
    if [len(row) for row in mine] != [len(row) for row in other]:
        raise UnreadableError("a sum of different shapes")
    total = tuple(tuple(a + b for a, b in zip(one, two, strict=True)) for one, two in zip(mine, other, strict=True))
    return _like(total, left, right)


def _multiply(left: Value, right: Value) -> Value:
    if isinstance(left, Interval):
        return _each(lambda entry: left * entry)(right)
    if isinstance(right, Interval):
        return _each(lambda entry: entry * right)(left)
    if not is_matrix(left) and not is_matrix(right):
        if len(left) != len(right):
            raise UnreadableError("a dot product of different lengths")
        return _dot(left, right)  # type: ignore[arg-type]
    mine, other = rows(left), rows(right)
    if not is_matrix(right) and len(mine[0]) == len(right):
        return tuple(_dot(row, right) for row in mine)  # type: ignore[arg-type]
    if len(mine[0]) != len(other):
        if len(mine[0]) == len(other[0]) == 1 and len(mine) == len(other):
            return _dot([row[0] for row in mine], [row[0] for row in other])
        raise UnreadableError("a product of shapes that don't fit")
    columns = list(zip(*other, strict=True))
    product = tuple(tuple(_dot(row, column) for column in columns) for row in mine)
    return product[0] if not (is_matrix(left) and is_matrix(right)) and len(product) == 1 else product


def _dot(left: tuple[Interval, ...] | list[Interval], right: tuple[Interval, ...] | list[Interval]) -> Interval:
    return reduce(Interval.__add__, (a * b for a, b in zip(left, right, strict=True)))


def _divide(left: Value, right: Value) -> Value:
    return _multiply(left, _scalar(right).inverse())


def _transpose(it: Value) -> Value:
    if isinstance(it, Interval):
        return it
    return tuple(zip(*rows(it), strict=True))


def _tanh(it: Interval) -> Interval:
    """1 - 2/(e^2x + 1)."""
    below = (_exp(it + it) + number(1)).inverse()
    return number(1) + -(below + below)


def _softmax(it: Value) -> Value:
    if isinstance(it, Interval):
        raise UnreadableError("softmax of a single number")
    found = []
    for row in rows(it):
        powers = [_exp(entry) for entry in row]
        found.append(tuple(power * reduce(Interval.__add__, powers).inverse() for power in powers))
    return _like(tuple(found), it)


def _extreme(choose: Callable[..., Fraction | float]) -> Callable[[Value], Value]:
    def extreme(it: Value) -> Value:
        entries = [entry for row in rows(it) for entry in row]
        return Interval(choose(e.low for e in entries), choose(e.high for e in entries))

    return extreme


def _enclosed(compute: Callable[[], iv.mpf]) -> Interval:
    before, iv.dps = iv.dps, DIGITS
    try:
        low, high = compute()._mpi_
    finally:
        iv.dps = before
    return Interval(_fraction(low), _fraction(high))


def _fraction(end: tuple[int, int, int, int]) -> Fraction:
    return Fraction(*(int(part) for part in libmp.to_rational(end)))


def _ball(it: Fraction | float) -> iv.mpf:
    exact = Fraction(it)
    return iv.mpf(exact.numerator) / iv.mpf(exact.denominator)


def _monotone(function: Callable[[iv.mpf], iv.mpf], it: Interval) -> Interval:
    low = _enclosed(lambda: function(_ball(it.low)))
    high = low if it.exact else _enclosed(lambda: function(_ball(it.high)))
    return Interval(low.low, high.high)


def _exp(it: Interval) -> Interval:
    if it.high == -INFINITY or it == number(0):
        return number(0 if it.high == -INFINITY else 1)
    if it.infinite or max(abs(it.low), abs(it.high)) > LARGEST:
        raise UnreadableError("an exponential too large to be written")
    return _monotone(iv.exp, it)


def _log(it: Interval) -> Interval:
    if it.low <= 0 or it.infinite:
        raise UnreadableError("the logarithm of what is not positive")
    return number(0) if it == number(1) else _monotone(iv.log, it)


def _wave(function: Callable[[iv.mpf], iv.mpf]) -> Callable[[Interval], Interval]:
    def wave(it: Interval) -> Interval:
        if not it.exact or it.infinite:
            raise UnreadableError("a sine or cosine of what is not known exactly")
        return _enclosed(lambda: function(_ball(it.low)))

    return wave


def _sqrt(it: Interval) -> Interval:
    if it.low < 0 or it.infinite:
        raise UnreadableError("the square root of what is not positive")
    if it.exact:
        exact = Fraction(it.low)
        root = Fraction(math.isqrt(exact.numerator), math.isqrt(exact.denominator))
        if root * root == exact:
            return number(root)
    return _monotone(iv.sqrt, it)


def _power(base: Interval, power: Interval) -> Interval:
    if power.exact and not power.infinite:
        exact = Fraction(power.low)
        if exact.denominator == 1 and abs(exact) <= LARGEST:
            return _whole_power(base, int(exact))
        if exact == Fraction(1, 2):
            return _sqrt(base)
    return _exp(_log(base) * power)


def _whole_power(base: Interval, power: int) -> Interval:
    if power < 0:
        return _whole_power(base, -power).inverse()
    ends: list[Fraction | float] = [base.low**power, base.high**power]
    if base.low < 0 < base.high:
        ends.append(Fraction(0**power))
    return _interval(ends)


_UNARY: dict[str, Callable[[Value], Value]] = {
    "-": _each(Interval.__neg__),
    "%": _each(lambda entry: entry * number(Fraction(1, 100))),
    "T": _transpose,
    "sqrt": _each(_sqrt),
    "exp": _each(_exp),
    "ln": _each(_log),
    "tanh": _each(_tanh),
    "sin": _each(_wave(iv.sin)),
    "cos": _each(_wave(iv.cos)),
    "softmax": _softmax,
    "max": _extreme(max),
    "min": _extreme(min),
}
_BINARY: dict[str, Callable[[Value, Value], Value]] = {
    "+": _add,
    "-": lambda left, right: _add(left, _each(Interval.__neg__)(right)),
    "*": _multiply,
    "/": _divide,
}
