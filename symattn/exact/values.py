"""The exact values of attention: ratios of sums of exponentials, with decided equality and enclosures.

A weight is e^a / (e^a1 + ... + e^an) and an output a ratio of two such sums over one row, so values of one row share
its ``Softmax``: exponents are grouped once, and enclosed once for each precision.

Equality: N1/D1 = N2/D2 iff N1*D2 - N2*D1 collects to nothing (``numbers``). Several rows in one value (heads through
W_O) are expanded over their common denominator first, since deciding row by row is wrong: s(1) + s(-1) = 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key, reduce
from math import lcm
from operator import mul
from typing import Any, Final, TypeAlias

from flint import arb, arb_mat, fmpq

from symattn.exact import numbers
from symattn.exact.balls import bits_in_force
from symattn.exact.matrix import Matrix
from symattn.exact.numbers import ONE, ZERO, Exact

_LARGEST_UNSHIFTED: Final = 4096

Terms: TypeAlias = "tuple[tuple[Exact, Exact], ...]"
"""Pairs (coefficient, exponent): the sum of coefficient * e^exponent."""


class Value:
    """An exact real number."""

    __slots__ = ()

    def parts(self) -> tuple[Terms, Terms]:
        """Numerator and denominator as sums of coefficient * e^exponent."""
        raise NotImplementedError

    def ball(self) -> arb:
        """An enclosure at the precision in force."""
        raise NotImplementedError

    def fraction(self) -> tuple[Exact, Exact]:
        """Numerator and denominator as exact numbers."""
        numerator, denominator = self.parts()
        return combined(numerator), combined(denominator)

    def rational(self) -> fmpq | None:
        """The number where it is seen at once to be a fraction; None says nothing."""
        return None

    def identity(self) -> Hashable | None:
        """What only equal numbers share; None where nothing short is."""
        return None

    def symbols(self) -> frozenset[str]:
        """Declared symbols that are left in it."""
        numerator, denominator = self.fraction()
        return numbers.symbols(numerator) | numbers.symbols(denominator)

    def equals(self, other: Value | int | fmpq) -> bool:
        """Whether both are the same number.

        Raises:
            UndecidedError: The normal forms differ, no theorem says that the numbers do, and no ball separates them.
        """
        if isinstance(other, _Masked) or isinstance(self, _Masked):
            return self is other
        if isinstance(other, LogSum) and not isinstance(self, LogSum):
            return other.equals(self)
        left, left_under = self.fraction()
        right, right_under = other.fraction() if isinstance(other, Value) else (fmpq(other), ONE)
        return numbers.vanishes(left * right_under - right * left_under)

    def sign_is_decided(self) -> bool:
        """Whether refining balls must separate it from any rational that it does not equal."""
        return all(numbers.is_algebraic_exponential(part) for part in self.fraction())

    def to_sympy(self) -> Any:
        """The number as a SymPy expression."""
        from symattn.exact.sympy_forms import closed

        return closed(self)

    def __add__(self, other: Value) -> Value:
        left, left_under = self.fraction()
        right, right_under = other.fraction()
        if left_under == right_under:
            return Ratio(left + right, left_under)
        return Ratio(left * right_under + right * left_under, left_under * right_under)

    def __mul__(self, other: Value) -> Value:
        left, left_under = self.fraction()
        right, right_under = other.fraction()
        return Ratio(left * right, left_under * right_under)

    def __truediv__(self, other: Value) -> Value:
        left, left_under = self.fraction()
        right, right_under = other.fraction()
        return Ratio(left * right_under, left_under * right)


def combined(terms: Terms) -> Exact:
    """The sum of coefficient * e^exponent."""
    return reduce(lambda total, term: total + term[0] * numbers.exp(term[1]), terms, ZERO)


@dataclass(frozen=True, slots=True, eq=False)
class Plain(Value):
    """An exact number without softmax."""

    number: Exact

    def parts(self) -> tuple[Terms, Terms]:
        """The number over 1."""
        return by_exponent(self.number), ((ONE, ZERO),)

    def fraction(self) -> tuple[Exact, Exact]:
        """The number over 1."""
        return self.number, ONE

    def ball(self) -> arb:
        """An enclosure of the number."""
        return numbers.ball(self.number)

    def rational(self) -> fmpq | None:
        """The number if it is a fraction."""
        return None if isinstance(self.number, numbers.Number) else self.number

    def identity(self) -> Hashable:
        """The number's key."""
        return numbers.key(self.number)

    def symbols(self) -> frozenset[str]:
        """Declared symbols in the number."""
        return numbers.symbols(self.number)

    def __add__(self, other: Value) -> Value:
        return Plain(self.number + other.number) if isinstance(other, Plain) else Value.__add__(self, other)

    def __mul__(self, other: Value) -> Value:
        return Plain(self.number * other.number) if isinstance(other, Plain) else Value.__mul__(self, other)

    def __truediv__(self, other: Value) -> Value:
        if isinstance(other, Plain) and isinstance(other.number, fmpq) and other.number != 0:
            return Plain(self.number / other.number)
        return Value.__truediv__(self, other)


class Multiple(Plain):
    """A rational times an exact number; the product is worked out where more than an enclosure is asked for."""

    __slots__ = ("_factor", "_times")
    _times: fmpq
    _factor: Exact

    def __init__(self, times: fmpq, factor: Exact) -> None:
        object.__setattr__(self, "_times", times)
        object.__setattr__(self, "_factor", factor)

    @property
    def number(self) -> Exact:
        """The product."""
        return self._times * self._factor

    def rational(self) -> fmpq | None:
        """The product if it is a fraction."""
        if isinstance(self._factor, numbers.Number):
            return None if self._times else ZERO
        return self._times * self._factor

    def ball(self) -> arb:
        """The product of the enclosures."""
        return self._times * numbers.ball(self._factor)


class Exponential(Plain):
    """e to an exact number; the power is worked out where more than an enclosure is asked for."""

    __slots__ = ("_exponent",)
    _exponent: Exact

    def __init__(self, exponent: Exact) -> None:
        object.__setattr__(self, "_exponent", exponent)

    @property
    def number(self) -> Exact:
        """The power."""
        return numbers.exp(self._exponent)

    def rational(self) -> fmpq | None:
        """1 where the exponent is 0."""
        return None if self._exponent else ONE

    def identity(self) -> Hashable:
        """That of the exponent."""
        return "exp", numbers.key(self._exponent)

    def ball(self) -> arb:
        """The exponential of the exponent's enclosure."""
        return numbers.ball(self._exponent).exp()

    def symbols(self) -> frozenset[str]:
        """Declared symbols in the exponent."""
        return numbers.symbols(self._exponent)


class Denominator(Plain):
    """The sum of a row's exponentials; it is worked out where more than an enclosure is asked for."""

    __slots__ = ("_row",)
    _row: Softmax

    def __init__(self, row: Softmax) -> None:
        object.__setattr__(self, "_row", row)

    @property
    def number(self) -> Exact:
        """The sum."""
        return self._row.total()

    def rational(self) -> fmpq | None:
        """How many keys there are where every exponent is 0."""
        exponents = self._row.exponents
        return fmpq(self._row.counts[0]) if len(exponents) == 1 and not exponents[0] else None

    def ball(self) -> arb:
        """An enclosure of the sum."""
        return self._row.sum()


@dataclass(frozen=True, slots=True, eq=False)
class Ratio(Value):
    """A quotient of two exact numbers."""

    numerator: Exact
    denominator: Exact

    def parts(self) -> tuple[Terms, Terms]:
        """Both sides, collected by exponent."""
        return by_exponent(self.numerator), by_exponent(self.denominator)

    def fraction(self) -> tuple[Exact, Exact]:
        """Both sides."""
        return self.numerator, self.denominator

    def ball(self) -> arb:
        """The quotient of the enclosures."""
        return numbers.ball(self.numerator) / numbers.ball(self.denominator)


class _Masked(Value):
    """Minus infinity, the logit of a key that the query may not attend to."""

    __slots__ = ()

    def parts(self) -> tuple[Terms, Terms]:
        """-oo is no real number."""
        raise ArithmeticError("-oo has no finite parts")

    def ball(self) -> arb:
        """-oo is no real number."""
        raise ArithmeticError("-oo has no ball")

    def symbols(self) -> frozenset[str]:
        """None."""
        return frozenset()

    def to_sympy(self) -> Any:
        """SymPy's -oo."""
        from sympy import S

        return S.NegativeInfinity

    def __repr__(self) -> str:
        return "MASKED"


MASKED: Final = _Masked()
"""-oo."""


class _Undefined(_Masked):
    """What a row with nothing allowed gives where the options say so."""

    __slots__ = ()

    def to_sympy(self) -> Any:
        """SymPy's nan."""
        from sympy import S

        return S.NaN

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED: Final = _Undefined()
"""nan."""


def by_exponent(number: Exact) -> Terms:
    """A number as a sum of coefficient * e^exponent with coefficients free of exponentials."""
    found: dict[Exact | int, Exact] = {}
    for (atoms, exponent), factor in numbers.terms(number):
        term = numbers.collected([((atoms, 0), factor)])
        found[exponent] = found.get(exponent, ZERO) + term
    return tuple((coefficient, ZERO + exponent) for exponent, coefficient in found.items())


_NOTHING: Final = Plain(ZERO)


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """One row of logits: its distinct exponents, how often each occurs, and for each key which one it has (None:
    masked).
    """

    exponents: tuple[Exact, ...]
    counts: tuple[int, ...]
    groups: tuple[int | None, ...]
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    def denominator(self) -> Terms:
        """The sum of e^exponent over the allowed keys."""
        return tuple((fmpq(count), exponent) for count, exponent in zip(self.counts, self.exponents, strict=True))

    def total(self) -> Exact:
        """The denominator as a number."""
        if "total" not in self.cache:
            self.cache["total"] = combined(self.denominator())
        found: Exact = self.cache["total"]
        return found

    def exponentials(self) -> tuple[Plain, ...]:
        """e^exponent of each key, 0 where it is masked."""
        powers = [Exponential(exponent) for exponent in self.exponents]
        return tuple([_NOTHING if group is None else powers[group] for group in self.groups])

    def balls(self) -> tuple[list[arb], arb]:
        """e^(exponent - shift) for each exponent, and the denominator in the same unit."""
        bits = bits_in_force()
        if self.cache.get("bits") != bits:
            shift, gaps = self._shifted()
            powers = [gap.exp() for gap in gaps]
            total = sum(map(mul, self.counts, powers), arb(0))
            self.cache.update(bits=bits, balls=(powers, total), shift=shift)
        found: tuple[list[arb], arb] = self.cache["balls"]
        return found

    def _shifted(self) -> tuple[Exact, list[arb]]:
        """A shift, and enclosures of the exponents less it: an exponent near the largest where one is so large that its
        exponential would overflow a ball, such as e^(10^400).
        """
        found = [numbers.ball(exponent) for exponent in self.exponents]
        if all(abs(ball) < _LARGEST_UNSHIFTED for ball in found):
            return ZERO, found
        if "near" not in self.cache:
            self.cache["near"] = max(self.exponents, key=_rough)
        shift: Exact = self.cache["near"]
        return shift, [numbers.ball(exponent - shift) for exponent in self.exponents]

    def sum(self) -> arb:
        """An enclosure of the denominator."""
        _, total = self.balls()
        shift = self.cache["shift"]
        return total * numbers.ball(shift).exp() if shift else total

    def logarithm(self) -> arb:
        """An enclosure of the denominator's logarithm."""
        _, total = self.balls()
        return numbers.ball(self.cache["shift"]) + total.log()

    def largest(self, among: Iterable[int] | None = None) -> int:
        """The position of the largest exponent, of some where these are named; the row holds no symbol."""

        def compare(i: int, j: int) -> int:
            return numbers.sign(self.exponents[i] - self.exponents[j])

        return max(range(len(self.exponents)) if among is None else among, key=cmp_to_key(compare))


def _rough(exponent: Exact) -> fmpq:
    """A rational near the number; only speed depends on how near."""
    return numbers.ball(exponent).mid().fmpq()


def softmax(logits: Iterable[Exact | None], sink: Exact | None = None) -> Softmax:
    """The row of these logits; None is a masked key. A sink is one more logit in the denominator, with no key."""
    held = (*logits, sink)
    return grouped(held, keys(held))


def keys(logits: Iterable[Exact | None]) -> tuple[Hashable | None, ...]:
    """What equal logits share."""
    return tuple([None if logit is None else numbers.key(logit) for logit in logits])


def grouped(logits: Sequence[Exact | None], shared: Sequence[Hashable | None]) -> Softmax:
    """The row of these logits, the last of which is the sink's, with what equal ones share."""
    index: dict[Hashable, int] = {}
    exponents: list[Exact] = []
    counted: list[int | None] = []
    for logit, key in zip(logits, shared, strict=True):
        group = None
        if logit is not None:
            group = index.setdefault(key, len(exponents))
            if group == len(exponents):
                exponents.append(logit)
        counted.append(group)
    return Softmax(tuple(exponents), tuple(map(counted.count, range(len(exponents)))), tuple(counted[:-1]))


@dataclass(frozen=True, slots=True, eq=False)
class Weight(Value):
    """The weight of one key in a row."""

    row: Softmax
    key: int

    def parts(self) -> tuple[Terms, Terms]:
        """e^a over the row's sum."""
        group = self.row.groups[self.key]
        numerator = () if group is None else ((ONE, self.row.exponents[group]),)
        return numerator, self.row.denominator()

    def fraction(self) -> tuple[Exact, Exact]:
        """e^a over the row's sum."""
        group = self.row.groups[self.key]
        return ZERO if group is None else numbers.exp(self.row.exponents[group]), self.row.total()

    def identity(self) -> Hashable:
        """The row, and which of its exponents."""
        return self.row, self.row.groups[self.key]

    def rational(self) -> fmpq | None:
        """0 for a masked key, and the share of each key in a row whose logits are equal."""
        if self.row.groups[self.key] is None:
            return ZERO
        return fmpq(1, self.row.counts[0]) if len(self.row.exponents) == 1 else None

    def ball(self) -> arb:
        """An enclosure; exactly 0 for a masked key."""
        group = self.row.groups[self.key]
        if group is None:
            return arb(0)
        powers, total = self.row.balls()
        return powers[group] / total

    def symbols(self) -> frozenset[str]:
        """Declared symbols in the row's exponents."""
        return frozenset().union(*map(numbers.symbols, self.row.exponents))


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The values that the rows of one head mix, with their enclosures at one precision."""

    rows: Matrix
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def balls(self) -> arb_mat:
        """The enclosures as a matrix."""
        bits = bits_in_force()
        if self.cache.get("bits") != bits:
            found = arb_mat([[numbers.ball(entry) for entry in row] for row in self.rows])
            self.cache.update(bits=bits, balls=found)
        return self.cache["balls"]

    def integers(self, column: int) -> tuple[list[int], int] | None:
        """A column times the least integer that makes it whole, and that integer; None if it is not rational."""
        key = f"integers {column}"
        if key not in self.cache:
            entries = [row[column] for row in self.rows]
            whole = [entry for entry in entries if isinstance(entry, fmpq)]
            common = lcm(*(int(entry.q) for entry in whole))
            scaled = [int((entry * common).p) for entry in whole], common
            self.cache[key] = scaled if len(whole) == len(entries) else None
        found: tuple[list[int], int] | None = self.cache[key]
        return found

    def mixed(self, row: Softmax) -> tuple[Mixed, ...]:
        """The row's weighted means, one a column; of one row they are made once."""
        if row not in self.cache:
            blend = Blend(row, self)
            self.cache[row] = tuple(Mixed(blend, column) for column in range(len(self.rows[0])))
        found: tuple[Mixed, ...] = self.cache[row]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Blend:
    """One row of weights with the values it mixes."""

    row: Softmax
    values: Values
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def coefficients(self, column: int) -> tuple[Exact, ...]:
        """For each exponent of the row, the sum of the values in this column that carry it."""
        totals: list[Exact] = [ZERO] * len(self.row.exponents)
        for group, value in zip(self.row.groups, self.values.rows, strict=True):
            if group is not None:
                totals[group] = totals[group] + value[column]
        return tuple(totals)

    def balls(self) -> list[arb]:
        """Enclosures of the weighted means, one a column."""
        bits = bits_in_force()
        if self.cache.get("bits") != bits:
            powers, total = self.row.balls()
            line = arb_mat([[arb(0) if group is None else powers[group] for group in self.row.groups]])
            mixed = line * self.values.balls()
            self.cache.update(bits=bits, balls=[mixed[0, column] / total for column in range(mixed.ncols())])
        found: list[arb] = self.cache["balls"]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Mixed(Value):
    """A weighted mean: one column of the values, in the proportions of one row of weights."""

    blend: Blend
    column: int

    def parts(self) -> tuple[Terms, Terms]:
        """The sum of value * e^a over the row's sum."""
        row = self.blend.row
        numerator = zip(self.blend.coefficients(self.column), row.exponents, strict=True)
        return tuple(
            (factor, exponent) for factor, exponent in numerator if not numbers.is_zero(factor)
        ), row.denominator()

    def fraction(self) -> tuple[Exact, Exact]:
        """The sum of value * e^a over the row's sum."""
        return combined(self.parts()[0]), self.blend.row.total()

    def identity(self) -> Hashable:
        """The row with its values, and the column."""
        return self.blend, self.column

    def rational(self) -> fmpq | None:
        """The mean of rational values in a row whose logits are equal."""
        row = self.blend.row
        if len(row.exponents) != 1:
            return None
        (total,) = self.blend.coefficients(self.column)
        return None if isinstance(total, numbers.Number) else total / row.counts[0]

    def ball(self) -> arb:
        """An enclosure."""
        return self.blend.balls()[self.column]

    def symbols(self) -> frozenset[str]:
        """Declared symbols in the row's exponents and in the column."""
        held = (*self.blend.row.exponents, *(row[self.column] for row in self.blend.values.rows))
        return frozenset().union(*map(numbers.symbols, held))


@dataclass(frozen=True, slots=True, eq=False)
class Total(Value):
    """A sum of values, such as the heads' shares of one output."""

    terms: tuple[Value, ...]

    def parts(self) -> tuple[Terms, Terms]:
        """Both sides over the common denominator, collected by exponent."""
        numerator, denominator = self.fraction()
        return by_exponent(numerator), by_exponent(denominator)

    def fraction(self) -> tuple[Exact, Exact]:
        """The sum over the common denominator."""
        return reduce(lambda left, right: left + right, self.terms).fraction()

    def ball(self) -> arb:
        """The sum of the enclosures."""
        return sum((term.ball() for term in self.terms), arb(0))

    def symbols(self) -> frozenset[str]:
        """Declared symbols in any term."""
        return frozenset().union(*(term.symbols() for term in self.terms))


@dataclass(frozen=True, slots=True, eq=False)
class LogSum(Value):
    """The log-sum-exp of a row: ln(e^a1 + ... + e^an), the sink included."""

    row: Softmax

    def parts(self) -> tuple[Terms, Terms]:
        """The logarithm over 1: the exponent of a single exponential; of a sum the logarithm stands for itself."""
        return ((numbers.logarithm_of_exponentials(self.row.total()), ZERO),), ((ONE, ZERO),)

    def ball(self) -> arb:
        """An enclosure."""
        return self.row.logarithm()

    def equals(self, other: Value | int | fmpq) -> bool:
        """Whether ln D = c, that is D = e^c."""
        if isinstance(other, _Masked):
            return False
        if isinstance(other, LogSum):
            return numbers.vanishes(self.row.total() - other.row.total())
        above, below = other.fraction() if isinstance(other, Value) else (fmpq(other), ONE)
        if not numbers.is_algebraic(below):
            return Value.equals(self, other)
        return numbers.vanishes(self.row.total() - numbers.exp(above * numbers.inverse(below)))

    def symbols(self) -> frozenset[str]:
        """Declared symbols in the row's exponents."""
        return frozenset().union(*map(numbers.symbols, self.row.exponents))

    def sign_is_decided(self) -> bool:
        """Whether the row's sum is of the decided kind."""
        return numbers.is_algebraic_exponential(self.row.total())

    def to_sympy(self) -> Any:
        """The logarithm of the sum."""
        from sympy import log

        from symattn.exact.sympy_forms import expression

        return log(expression(self.row.total()))
