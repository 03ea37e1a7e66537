"""Do the numbers of a derivation follow from its terms? Worked here with exact numbers alone, without SymPy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from symattn.check.laws.limits import derived, limit
from symattn.check.laws.normal import Allowed, normal
from symattn.check.laws.polynomials import UNIT, Poly
from symattn.exact import numbers
from symattn.exact.numbers import Exact
from symattn.exact.values import Plain, Ratio, Value
from symattn.statements.meaning import Definitions, meaning
from symattn.statements.terms import (
    ZERO,
    Add,
    Chance,
    Delta,
    Derivative,
    Div,
    Fn,
    Image,
    Index,
    Item,
    Letter,
    Limit,
    Mul,
    Next,
    Num,
    Pow,
    Rank,
    Sum,
    Term,
    mapped,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The numbers of letters and arrays, the outcomes of what is random, the numbers of indices, and what names without
    a number are defined as.
    """

    names: Mapping[str, Any]
    outcomes: tuple[Any, ...] = ()
    indices: Mapping[str, int] = field(default_factory=dict)
    known: Definitions = field(default_factory=dict)

    def with_indices(self, places: Mapping[str, int]) -> Scope:
        """The same with more indices."""
        return replace(self, indices={**self.indices, **places})


def evaluated(tree: Term, scope: Scope) -> Value:
    """The exact value of a term.

    Raises:
        LookupError: A letter, an entry or an index has no number.
    """

    def inner(part: Term) -> Value:
        return evaluated(part, scope)

    match tree:
        case Num(value):
            return Plain(numbers.from_fraction(value))
        case Letter() | Item():
            return evaluated(*_meaning(tree, scope))
        case Add(terms):
            return _total([inner(part) for part in terms])
        case Mul(factors):
            return _product([inner(part) for part in factors])
        case Div(above, below):
            return inner(above) / inner(below)
        case Pow(base, exponent):
            over, under = inner(base).fraction()
            if exponent < 0:
                over, under, exponent = under, over, -exponent
            power = numbers.from_fraction(exponent)
            return Ratio(numbers.power(over, power), numbers.power(under, power))
        case Fn("log", argument):
            over, under = inner(argument).fraction()
            return Plain(numbers.logarithm(over) - numbers.logarithm(under))
        case Fn(name, argument):
            return Plain(getattr(numbers, name)(number(inner(argument))))
        case Sum(index, high, body, low):
            counted = range(whole(inner(low)), whole(inner(high)) + 1)
            return _total([evaluated(body, scope.with_indices({index: number})) for number in counted])
        case Delta(left, right):
            return Plain(numbers.from_fraction(int(_place(left, scope) == _place(right, scope))))
        case Chance(kind, body):
            return _chance(kind, body, scope)
        case Rank(entry):
            return Plain(numbers.from_fraction(_rank([[inner(cell) for cell in row] for row in _rows(entry, scope)])))
        case Derivative(body, Item(array, indices)):
            by = Item(array, tuple(_place(index, scope) for index in indices))
            return inner(derived(written_out(body, scope, by), by))
        case Limit(body, letter, to):
            moved = Limit(written_out(body, scope, letter), letter, to)
            found = normal(moved, Allowed(), limit)
            return _plain(found.above) / _plain(found.below)
    raise LookupError(f"{type(tree).__name__} has no number")


def _rows(entry: Item, scope: Scope) -> Any:
    return scope.names[entry.array.name]


def _total(values: list[Value]) -> Value:
    found: Value = Plain(numbers.ZERO)
    for value in values:
        found = found + value
    return found


def _product(values: Iterable[Value]) -> Value:
    found: Value = Plain(numbers.ONE)
    for value in values:
        found = found * value
    return found


def number(value: Value) -> Exact:
    """A value as one exact number."""
    above, below = value.fraction()
    return above * numbers.inverse(below)


def whole(value: Value) -> int:
    """A whole number.

    Raises:
        LookupError: It is none.
    """
    found = numbers.rational(number(value))
    if found is None or found.denominator != 1:
        raise LookupError("a sum that ends at no whole number")
    return found.numerator


def _meaning(tree: Letter | Item, scope: Scope) -> tuple[Term, Scope]:
    """The number of a letter or an entry, or what it is defined as with the numbers of the indices in that."""
    if isinstance(tree, Letter):
        name, places = tree.name, []
        if name in scope.indices:
            return Num(Fraction(scope.indices[name])), scope
    else:
        name, places = tree.array.name, [_place(index, scope) for index in tree.indices]
    if name not in scope.names:
        right, indices = meaning(name, places, scope.known)
        return right, scope.with_indices(indices)
    cell = scope.names[name]
    for place in places:
        cell = cell[place - 1]
    return cell, scope


def written_out(tree: Term, scope: Scope, kept: Letter | Item) -> Term:
    """The term with numbers put in and sums written out, but for one letter or entry."""
    match tree:
        case Item(array, indices) if array == getattr(kept, "array", None):
            at_place = Item(array, tuple(_place(index, scope) for index in indices))
            return at_place if at_place == kept else written_out(*_meaning(tree, scope), kept)
        case Letter() | Item():
            return tree if tree == kept else written_out(*_meaning(tree, scope), kept)
        case Sum(index, high, body, low):
            counted = range(whole(evaluated(low, scope)), whole(evaluated(high, scope)) + 1)
            return Add((ZERO, *(written_out(body, scope.with_indices({index: number}), kept) for number in counted)))
        case Delta(left, right):
            return Num(Fraction(int(_place(left, scope) == _place(right, scope))))
    return mapped(tree, lambda part: written_out(part, scope, kept))


def _plain(poly: Poly) -> Value:
    """A polynomial that is a number."""
    if not poly.keys() <= {UNIT}:
        raise LookupError("a limit that is no fraction")
    return Plain(numbers.from_fraction(poly.get(UNIT, Fraction(0))))


def _place(index: Index, scope: Scope) -> int:
    if isinstance(index, int):
        return index
    if isinstance(index, Next):
        return _place(index.index, scope) + 1
    if isinstance(index, Image):
        return whole(evaluated(scope.names[index.by][_place(index.index, scope) - 1], scope))
    if index in scope.indices:
        return scope.indices[index]
    return whole(evaluated(scope.names[index], scope))


def _chance(kind: str, body: Term, scope: Scope) -> Value:
    """Moments from the outcomes: E[X], E[X^2] - E[X]^2, and the fourth cumulant from the raw moments."""
    powers = [Plain(numbers.ZERO) + Plain(numbers.ZERO)] * 5
    for share, outcome in scope.outcomes:
        worth = evaluated(body, replace(scope, names={**scope.names, **dict(outcome)}, outcomes=()))
        term: Value = Plain(numbers.from_fraction(share))
        for power in range(5):
            powers[power] = powers[power] + term
            term = term * worth
    if not powers[0].equals(1):
        raise LookupError("probabilities that do not add to 1")
    first, second, third, fourth = powers[1:]

    def times(factor: int, *parts: Value) -> Value:
        return _product((Plain(numbers.from_fraction(factor)), *parts))

    match kind:
        case "E":
            return first
        case "Var":
            return second + times(-1, first, first)
    return _total(
        [
            fourth,
            times(-4, third, first),
            times(-3, second, second),
            times(12, second, first, first),
            times(-6, first, first, first, first),
        ]
    )


def _rank(rows: list[list[Value]]) -> int:
    """By elimination, with decided equality."""
    found = 0
    for column in range(len(rows[0])):
        lead = next((place for place in range(found, len(rows)) if not rows[place][column].equals(0)), None)
        if lead is None:
            continue
        rows[found], rows[lead] = rows[lead], rows[found]
        for place in range(found + 1, len(rows)):
            factor = rows[place][column] / rows[found][column] * Plain(numbers.from_fraction(-1))
            rows[place] = [one + factor * other for one, other in zip(rows[place], rows[found], strict=True)]
        found += 1
    return found
