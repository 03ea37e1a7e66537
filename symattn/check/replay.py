"""Replay: does each step's exact value follow from its own formula and the steps before it?

The evaluation here shares nothing with ``derive``: it walks the formula, computes with exact values, and compares by
decided equality.
"""

from __future__ import annotations

from collections.abc import Mapping

from flint import fmpq

from symattn.exact import numbers
from symattn.exact.values import MASKED, UNDEFINED, Plain, Value
from symattn.steps import (
    Add,
    Derivation,
    Div,
    Entry,
    Exp,
    Formula,
    Mul,
    Name,
    Num,
    Reason,
    Step,
    Sum,
    Table,
    Tanh,
    Where,
)
from symattn.symbols import SYMBOLS


def unexplained(derivation: Derivation) -> list[str]:
    """Names of the steps whose exact value does not follow from their formula; given ones are taken as they are."""
    seen: dict[str, Table] = {}
    wrong = []
    for step in derivation.steps:
        if step.place is None and not _follows(step, seen, derivation):
            wrong.append(step.name)
        seen[step.lhs] = step.exact
    return wrong


def _follows(step: Step, seen: Mapping[str, Table], derivation: Derivation) -> bool:
    if not set(step.uses) <= seen.keys() or not _has_its_shape(step, derivation):
        return False
    if step.formula is None:
        taken = step.reason in (Reason.GIVEN, Reason.CONCATENATION)
        if step.reason is Reason.ROTATION:
            return _is_turned(step, seen, derivation)
        return taken or (step.reason is Reason.PROJECTION and _is_a_block(step, seen))
    try:
        return all(_follows_at(step, i, j, seen, derivation) for i, j in step.exact.places())
    except (LookupError, ArithmeticError):  # an index or a name that leads nowhere, or a masked logit that is added
        return False


def _follows_at(step: Step, i: int, j: int, seen: Mapping[str, Table], derivation: Derivation) -> bool:
    if step.formula is None:
        return False
    if step.lhs in ("weights", "output") and _sees_nothing(i, derivation):
        return _is_by_the_rule(step, i, j, seen, derivation)
    return _evaluated(step.formula, {"i": i, "j": j}, seen, derivation).equals(step.exact[i, j])


def _sees_nothing(row: int, derivation: Derivation) -> bool:
    alone = derivation.allowed is not None and not any(derivation.allowed[row])
    return alone and "sink" not in dict(derivation.numbers)


def _is_by_the_rule(step: Step, i: int, j: int, seen: Mapping[str, Table], derivation: Derivation) -> bool:
    """A row with nothing allowed is zero, undefined, or the plain mean of all values."""
    found = step.exact[i, j]
    match derivation.masked_row:
        case "zero":
            return bool(found.equals(0))
        case "nan":
            return found is UNDEFINED
        case "uniform" if step.lhs == "weights":
            return _total([found] * step.exact.shape[1]).equals(1)
        case "uniform":
            column = [row[j] for row in seen["value"].rows]
            return (_total([found] * len(column))).equals(_total(column))
        case _:
            return False


def _is_turned(step: Step, seen: Mapping[str, Table], derivation: Derivation) -> bool:
    """Whether each pair was turned by its position: one turn at a time, from position 0 on, by addition theorems."""
    rope = derivation.rope
    (before,) = (seen[name] for name in step.uses)
    if rope is None:
        return False
    width = rope.dimensions or before.shape[1]
    first = derivation.past if step.lhs == "rotated_query" else 0
    for pair in range(width // 2):
        one, other = (2 * pair, 2 * pair + 1) if rope.interleaved else (pair, pair + width // 2)
        speed = numbers.power(numbers.number(rope.base), fmpq(-2 * pair, width))
        cosine, sine = numbers.ONE, numbers.ZERO
        for position in range(first + before.shape[0]):
            if position >= first:
                x, y = before[position - first, one].number, before[position - first, other].number
                turned = x * cosine - y * sine, x * sine + y * cosine
                row = step.exact.rows[position - first]
                if not (row[one].equals(Plain(turned[0])) and row[other].equals(Plain(turned[1]))):
                    return False
            cosine, sine = (
                cosine * numbers.cos(speed) - sine * numbers.sin(speed),
                sine * numbers.cos(speed) + cosine * numbers.sin(speed),
            )
    rest = range(width, before.shape[1])
    return all(before[i, j].equals(step.exact[i, j]) for i in range(before.shape[0]) for j in rest)


def _has_its_shape(step: Step, derivation: Derivation) -> bool:
    """Whether the value has as many rows and columns as the table of symbols says, where these sizes are known."""
    sizes = dict(derivation.sizes)
    pairs = zip(SYMBOLS[step.lhs].shape, step.exact.shape, strict=True)
    return all(sizes.get(name, count) == count for name, count in pairs)


def _is_a_block(step: Step, seen: Mapping[str, Table]) -> bool:
    """Whether a head's share of an identity projection is a block of columns of what it copies."""
    (copied,) = (seen[name] for name in step.uses)
    width = step.exact.shape[1]
    starts = range(0, copied.shape[1], width)
    return any(Table(tuple(row[start : start + width] for row in copied.rows)).equals(step.exact) for start in starts)


def _evaluated(formula: Formula, at: Mapping[str, int], seen: Mapping[str, Table], derivation: Derivation) -> Value:
    def inner(part: Formula) -> Value:
        return _evaluated(part, at, seen, derivation)

    match formula:
        case Num(value):
            found: Value = value
        case Name(name):
            found = dict(derivation.numbers)[name]
        case Entry(array, row, column):
            found = seen[array][_index(row, at), _index(column, at)]
        case Exp(exponent):
            found = _exp(inner(exponent))
        case Tanh(argument):
            above, below = inner(argument).fraction()
            found = Plain(numbers.tanh(above * numbers.inverse(below)))
        case Div(numerator, denominator):
            found = inner(numerator) / inner(denominator)
        case Mul(factors):
            found = inner(factors[0])
            for factor in factors[1:]:
                found = found * inner(factor)
        case Add(terms):
            found = _total([inner(term) for term in terms])
        case Sum(index, size, body):
            counted = range(dict(derivation.sizes)[size])
            found = _total([_evaluated(body, {**at, index: number}, seen, derivation) for number in counted])
        case Where(row, column, then):
            may = derivation.allowed is None or derivation.allowed[_index(row, at)][_index(column, at)]
            found = inner(then) if may else MASKED
    return found


def _index(index: str | int, at: Mapping[str, int]) -> int:
    return index if isinstance(index, int) else at[index]


def _exp(value: Value) -> Value:
    if value is MASKED:
        return Plain(numbers.ZERO)
    numerator, denominator = value.fraction()
    return Plain(numbers.exp(numerator * numbers.inverse(denominator)))


def _total(values: list[Value]) -> Value:
    found = values[0]
    for value in values[1:]:
        found = found + value
    return found
