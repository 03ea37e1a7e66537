"""Do the numbers of a derivation follow from its terms? Worked here with exact numbers alone, without SymPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symattn.exact import numbers
from symattn.exact.numbers import Exact
from symattn.exact.values import Plain, Ratio, Value
from symattn.statements.proof import Instance, Proof
from symattn.statements.terms import (
    Add,
    Chance,
    Delta,
    Div,
    Fn,
    Image,
    Index,
    Item,
    Letter,
    Mul,
    Num,
    Pow,
    Rank,
    Sum,
    Term,
)


def unfounded(proof: Proof) -> list[str]:
    """Names of the tables, instances, exercises and counterexamples whose numbers do not follow from their terms."""
    wrong = [name for name, one in _instances(proof) if not _follows(one)]
    wrong += [f"without {one.without}" for one in proof.counterexamples if one.found.value.equals(one.claimed.value)]
    return list(dict.fromkeys(wrong))


def _instances(proof: Proof) -> Iterator[tuple[str, Instance]]:
    for table in proof.tables:
        yield from ((table.name, cell) for row in table.cells for cell in row)
    yield from proof.instances
    for question in proof.questions:
        if question.answer is not None:
            yield question.name, question.answer
    for example in proof.counterexamples:
        yield f"without {example.without}", example.found
        yield f"without {example.without}", example.claimed


def _follows(one: Instance) -> bool:
    try:
        found = evaluated(one.term, Scope(dict(one.at.values), one.at.outcomes, {}))
    except (LookupError, ArithmeticError, TypeError):
        return False
    return found.equals(one.value)


@dataclass(frozen=True, slots=True)
class Scope:
    """The numbers of letters and arrays, the outcomes of what is random, and the numbers of bound indices."""

    names: Mapping[str, Any]
    outcomes: tuple[Any, ...]
    indices: Mapping[str, int]


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
        case Letter(name):
            if name in scope.names:
                return inner(scope.names[name])
            return Plain(numbers.from_fraction(scope.indices[name]))
        case Item(array, indices):
            cell = scope.names[array.name]
            for index in indices:
                cell = cell[_place(index, scope) - 1]
            return inner(cell)
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
            return Plain(getattr(numbers, name)(_number(inner(argument))))
        case Sum(index, high, body, low):
            counted = range(_whole(inner(low)), _whole(inner(high)) + 1)
            return _total([evaluated(body, _with(scope, index, number)) for number in counted])
        case Delta(left, right):
            return Plain(numbers.from_fraction(int(_place(left, scope) == _place(right, scope))))
        case Chance(kind, body):
            return _chance(kind, body, scope)
        case Rank(entry):
            return Plain(numbers.from_fraction(_rank([[inner(cell) for cell in row] for row in _rows(entry, scope)])))
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


def _number(value: Value) -> Exact:
    above, below = value.fraction()
    return above * numbers.inverse(below)


def _whole(value: Value) -> int:
    found = numbers.rational(_number(value))
    if found is None or found.denominator != 1:
        raise LookupError("a sum that ends at no whole number")
    return found.numerator


def _with(scope: Scope, index: str, number: int) -> Scope:
    return Scope(scope.names, scope.outcomes, {**scope.indices, index: number})


def _place(index: Index, scope: Scope) -> int:
    if isinstance(index, int):
        return index
    if isinstance(index, Image):
        return _whole(evaluated(scope.names[index.by][_place(index.index, scope) - 1], scope))
    if index in scope.indices:
        return scope.indices[index]
    return _whole(evaluated(scope.names[index], scope))


def _chance(kind: str, body: Term, scope: Scope) -> Value:
    """Moments from the outcomes: E[X], E[X^2] - E[X]^2, and the fourth cumulant from the raw moments."""
    powers = [Plain(numbers.ZERO) + Plain(numbers.ZERO)] * 5
    for share, outcome in scope.outcomes:
        worth = evaluated(body, Scope({**scope.names, **dict(outcome)}, (), scope.indices))
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
