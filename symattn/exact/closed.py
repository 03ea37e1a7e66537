"""Closed forms for readers: values as reduced ratios of sums of exponentials, where possible rational functions of one
number u.

With rational inputs and one scale every exponent of a row differs from the others by integer multiples of one number,
so with ``u = e^that`` each weight and output is a rational function of u. Exponents are divided by their common
divisor, the common power of u and the common rational factor are taken out, and the polynomials' greatest common
divisor up to degree 2,000; beyond, the form is marked as not further reduced. With several generators the terms keep
their own exponents. Equality never depends on any of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import gcd, lcm, prod
from typing import Any, Final, TypeAlias

from flint import fmpq, fmpz, fmpz_poly

from symattn.exact import numbers
from symattn.exact.balls import precision
from symattn.exact.numbers import ONE, ZERO, Exact
from symattn.exact.values import Mixed, Plain, Softmax, Terms, Value, Weight, by_exponent

LARGEST_GCD_DEGREE: Final = 2000
_MOST_PRODUCTS: Final = 4
"""Of the roots in a denominator that is divided out: 1/(1 + sqrt(2) + sqrt(3)) has 4, and 1/(1 + 2^(1/7)) stays."""

Polynomial: TypeAlias = "dict[int, Exact]"
"""Powers of u with their coefficients."""


@dataclass(frozen=True, slots=True, eq=False)
class Generator:
    """The number u = e^exponent behind a table, positive exponent first; None of its multiples is left out of
    ``powers``.
    """

    exponent: Exact
    cache: dict[Softmax, tuple[int, ...]] = field(default_factory=dict, repr=False)
    sums: dict[Softmax, dict[int, int]] = field(default_factory=dict, repr=False)

    def power(self, difference: Exact) -> int | None:
        """The integer n with difference = n * exponent, if there is one."""
        ratio = numbers_ratio(difference, self.exponent)
        return int(ratio.p) if ratio is not None and ratio.q == 1 else None

    def powers(self, row: Softmax) -> tuple[int, ...]:
        """For each exponent of the row the power of u, the least being 0."""
        if row not in self.cache:
            found = [self.power(exponent - row.exponents[0]) or 0 for exponent in row.exponents]
            least = min(found, default=0)
            self.cache[row] = tuple(power - least for power in found)
        return self.cache[row]

    def denominator(self, row: Softmax) -> dict[int, int]:
        """The row's sum of exponentials as a polynomial in u with a constant term."""
        if row not in self.sums:
            self.sums[row] = dict(sorted(zip(self.powers(row), row.counts, strict=True)))
        return self.sums[row]


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """numerator / denominator, each a sum of (coefficient, power) terms in ascending order.

    ``power`` counts powers of u where ``generator`` is given, else it is the exponent of e itself. ``reduced`` is False
    where a common factor may be left.
    """

    numerator: tuple[tuple[Any, Any], ...]
    denominator: tuple[tuple[Any, Any], ...]
    generator: Generator | None
    reduced: bool = True

    def exponential_terms(self) -> tuple[Terms, Terms]:
        """Both sides with the exponents of e written out."""
        if self.generator is None:
            return self.numerator, self.denominator
        base = self.generator.exponent
        numerator, denominator = (
            tuple((factor, base * power) for factor, power in side) for side in (self.numerator, self.denominator)
        )
        return numerator, denominator


def numbers_ratio(left: Exact, right: Exact) -> fmpq | None:
    """left / right if it is rational, else None; right is not zero."""
    if numbers.is_zero(left):
        return ZERO
    if isinstance(left, fmpq) or isinstance(right, fmpq):
        return left / right if isinstance(left, fmpq) and isinstance(right, fmpq) else None
    if left.terms.keys() != right.terms.keys():
        return None
    ratio, *others = (factor / right.terms[monomial] for monomial, factor in left.terms.items())
    return ratio if all(other == ratio for other in others) else None


def generator(rows: Iterable[Softmax]) -> Generator | None:
    """The one number behind all exponents of these rows; None if there is none, or nothing to generate.

    Logarithms in exponents are better folded: e^(ln 2) is 2, no generator.
    """
    base: Exact | None = None
    step = ZERO
    for row in rows:
        for exponent in row.exponents[1:]:
            difference = exponent - row.exponents[0]
            if not numbers.is_algebraic_or_symbolic(difference):
                return None
            base = difference if base is None else base
            ratio = numbers_ratio(difference, base)
            if ratio is None:
                return None
            step = _rational_gcd(step, ratio)
    if base is None:
        return None
    found = base * step
    return Generator(found if _is_positive(found) else -found)


def _rational_gcd(left: fmpq, right: fmpq) -> fmpq:
    common = lcm(int(left.q), int(right.q))
    return fmpq(gcd(int(left.p) * (common // int(left.q)), int(right.p) * (common // int(right.q))), common)


def _is_positive(number: Exact) -> bool:
    if numbers.symbols(number):
        return bool(next(iter(numbers.terms(number)))[1] > 0)
    return numbers.sign(number) > 0


def closed_form(value: Value, by: Generator | None) -> ClosedForm:
    """The value as a reduced ratio, in powers of ``by`` if all its exponents are such, else of e."""
    if isinstance(value, Plain):
        return ClosedForm(((value.number, 0),) if not numbers.is_zero(value.number) else (), ((1, 0),), by)
    found = _over_row_of_e(value) if by is None else _polynomials(value, by)
    return found or _in_powers_of_e(*map(by_exponent, value.fraction()))


def _polynomials(value: Value, by: Generator) -> ClosedForm | None:
    if isinstance(value, Weight):
        group = value.row.groups[value.key]
        powers = by.powers(value.row)
        numerator = {} if group is None else {powers[group]: 1}
        return _over_row(numerator, 1, value.row, by)
    if isinstance(value, Mixed):
        row = value.blend.row
        powers = by.powers(row)
        whole = value.blend.values.integers(value.column)
        if whole is not None:
            return _over_row(_grouped(whole[0], row, powers), whole[1], row, by)
        numerator_terms = zip(value.blend.coefficients(value.column), powers, strict=True)
        return _unreduced({power: factor for factor, power in numerator_terms}, by.denominator(row), by)
    return _by_power(*value.parts(), by)


def _grouped(column: Sequence[int], row: Softmax, powers: Sequence[int]) -> dict[int, int]:
    """The integer values of a column, added up by the power of u that their keys carry."""
    totals = dict.fromkeys(powers, 0)
    for group, value in zip(row.groups, column, strict=True):
        if group is not None:
            totals[powers[group]] += value
    return {power: total for power, total in totals.items() if total}


def _over_row(numerator: dict[int, int], divisor: int, row: Softmax, by: Generator) -> ClosedForm:
    """numerator / (divisor * the row's denominator), reduced; the denominator has a constant term, so no power of u is
    common.
    """
    return _reduced(numerator, by.denominator(row), 1, divisor, by)


def _by_power(numerator: Terms, denominator: Terms, by: Generator) -> ClosedForm | None:
    origin = denominator[0][1]
    sides: list[Polynomial] = []
    for side in (numerator, denominator):
        found: Polynomial = {}
        for factor, exponent in side:
            power = by.power(exponent - origin)
            if power is None:
                return None
            found[power] = factor
        sides.append(found)
    least = min(min(sides[0]), min(sides[1])) if sides[0] else 0
    top, under = ({power - least: factor for power, factor in side.items()} for side in sides)
    if any(isinstance(factor, numbers.Number) for side in (top, under) for factor in side.values()):
        return _unreduced(top, under, by)
    (whole, common), (whole_under, common_under) = _integers(top), _integers(under)
    return _reduced(whole, whole_under, common_under, common, by)


def _integers(side: Polynomial) -> tuple[dict[int, int], int]:
    """The polynomial times the least integer that makes its coefficients whole, and that integer."""
    common = reduce(lcm, (int(factor.q) for factor in side.values() if isinstance(factor, fmpq)), 1)
    return {
        power: int((fmpq(factor) * common).p)
        for power, factor in side.items()
        if not isinstance(factor, numbers.Number)
    }, common


def _unreduced(top: Mapping[int, Exact | int], under: Mapping[int, Exact | int], by: Generator) -> ClosedForm:
    kept, below = (
        tuple(
            (side[power], power)
            for power in sorted(side)
            if not isinstance(side[power], int | fmpq) or side[power] != 0
        )
        for side in (top, under)
    )
    return ClosedForm(kept, below, by, reduced=False)


def _reduced(top: dict[int, int], under: dict[int, int], above: int, below: int, by: Generator) -> ClosedForm:
    """(above * top) / (below * under) in lowest terms, as far as the degree allows."""
    if not top:
        return ClosedForm((), ((1, 0),), by)
    content, content_under = gcd(*top.values()), gcd(*under.values())
    if content != 1:
        top = {power: value // content for power, value in top.items()}
    if content_under != 1:
        under = {power: value // content_under for power, value in under.items()}
    reduced = max(max(top), max(under)) <= LARGEST_GCD_DEGREE
    if reduced and len(top) > 1 and len(under) > 1:
        top, under = _without_common_factor(top, under)
    above, below = above * content, below * content_under
    common = gcd(above, below)
    above, below = above // common, below // common
    return ClosedForm(
        tuple([(above * top[power], power) for power in sorted(top)]),
        tuple([(below * value, power) for power, value in under.items()]),
        by,
        reduced,
    )


def _without_common_factor(top: dict[int, int], under: dict[int, int]) -> tuple[dict[int, int], dict[int, int]]:
    left, right = _dense(top), _dense(under)
    common = left.gcd(right)
    if common.degree() == 0:
        return top, under
    left, right = left // common, right // common
    sign = 1 if right[right.degree()] > 0 else -1
    return _sparse(left, sign), _sparse(right, sign)


def _dense(side: dict[int, int]) -> fmpz_poly:
    coefficients = [0] * (max(side) + 1)
    for power, factor in side.items():
        coefficients[power] = factor
    return fmpz_poly(coefficients)


def _sparse(side: fmpz_poly, sign: int) -> dict[int, int]:
    return {power: int(factor) * sign for power, factor in enumerate(side.coeffs()) if factor != fmpz(0)}


@dataclass(frozen=True, slots=True, eq=False)
class _Ascending:
    """A row's exponents less the smallest: for each, and as the terms of the row's sum in ascending order."""

    gaps: tuple[Exact, ...]
    order: tuple[int, ...]
    denominator: Terms


def _over_row_of_e(value: Value) -> ClosedForm | None:
    """A weight or a weighted mean in powers of e over its row's sum; None for others and where logarithms fold."""
    if not isinstance(value, Weight | Mixed):
        return None
    row = value.row if isinstance(value, Weight) else value.blend.row
    ascending = _ascending_row(row)
    if ascending is None:
        return None
    if isinstance(value, Weight):
        group = row.groups[value.key]
        numerator: Terms = () if group is None else ((ONE, ascending.gaps[group]),)
    else:
        factors = value.blend.coefficients(value.column)
        terms = ((factors[group], ascending.gaps[group]) for group in ascending.order)
        numerator = tuple(term for term in terms if not numbers.is_zero(term[0]))
    return ClosedForm(numerator, ascending.denominator, None, reduced=False)


def _ascending_row(row: Softmax) -> _Ascending | None:
    """The row in ascending order; None where it has one exponent, or logarithms fold."""
    if "ascending" not in row.cache:
        several = len(row.exponents) > 1 and all(map(numbers.is_algebraic_or_symbolic, row.exponents))
        row.cache["ascending"] = _in_order(row) if several else None
    found: _Ascending | None = row.cache["ascending"]
    return found


def _in_order(row: Softmax) -> _Ascending:
    order = list(range(len(row.exponents)))
    if not any(map(numbers.symbols, row.exponents)):
        with precision(64):
            order.sort(key=lambda group: numbers.ball(row.exponents[group]).mid().fmpq())
    gaps = tuple(exponent - row.exponents[order[0]] for exponent in row.exponents)
    terms = tuple((fmpq(row.counts[group]), gaps[group]) for group in order)
    return _Ascending(gaps, tuple(order), terms)


def _in_powers_of_e(numerator: Terms, denominator: Terms) -> ClosedForm:
    """Both sides over the smallest exponent of the denominator, so that it holds a plain number."""
    origin = denominator[0][1]
    if not any(numbers.symbols(exponent) for _, exponent in denominator):
        with precision(64):
            origin = min((exponent for _, exponent in denominator), key=lambda e: numbers.ball(e).mid().fmpq())
    top, under = (
        _ascending([(factor, exponent - origin) for factor, exponent in side]) for side in (numerator, denominator)
    )
    if len(under) == 1 and _divides_shortly(under[0][0]):
        divisor = numbers.inverse(under[0][0])
        return ClosedForm(tuple((factor * divisor, exponent) for factor, exponent in top), ((ONE, ZERO),), None)
    return ClosedForm(top, under, None, reduced=False)


def _divides_shortly(number: Exact) -> bool:
    """Whether 1/number is about as short: it is one term, or a sum of roots whose products are few."""
    if len(list(numbers.terms(number))) == 1:
        return True
    degrees: dict[Any, int] = {}
    for (product, _), _ in numbers.terms(number):
        for atom, power in numbers.powers(product):
            degrees[atom] = lcm(degrees.get(atom, 1), int(power.q))
    return numbers.is_algebraic(number) and prod(degrees.values()) <= _MOST_PRODUCTS


def _ascending(side: list[tuple[Exact, Exact]]) -> tuple[tuple[Exact, Exact], ...]:
    if any(numbers.symbols(exponent) for _, exponent in side):
        return tuple(side)
    with precision(64):
        return tuple(sorted(side, key=lambda term: numbers.ball(term[1]).mid().fmpq()))
