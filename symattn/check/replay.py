"""Replay: does each step's exact value follow from its own formula and the steps before it?

The evaluation here shares nothing with ``derive``: it walks the formula, computes with exact values, and compares by
decided equality.
"""

from __future__ import annotations

from collections.abc import Mapping

from symattn.exact import numbers
from symattn.exact.values import MASKED, Plain, Value
from symattn.steps import Add, Derivation, Div, Entry, Exp, Formula, Mul, Name, Num, Reason, Step, Sum, Table, Where
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
        return taken or (step.reason is Reason.PROJECTION and _is_a_block(step, seen))
    try:
        return all(
            _evaluated(step.formula, {"i": i, "j": j}, seen, derivation).equals(step.exact[i, j])
            for i, j in step.exact.places()
        )
    except (LookupError, ArithmeticError):  # an index or a name that leads nowhere, or a masked logit that is added
        return False


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
