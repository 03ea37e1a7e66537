"""Statements whose sides should be equal: whether they are, and which number within them is to blame."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from symattn.check.agreement import stand
from symattn.check.arithmetic import Worth, worth
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import (
    Call,
    Grid,
    Member,
    Negative,
    Node,
    Num,
    Operation,
    Sequence,
    Statement,
    numbers_in,
)
from symattn.errors import SymattnError
from symattn.exact.values import Value

_MOST_TRIED: Final = 40
_FARTHEST: Final = 10


def holds(statement: Statement, letters: Mapping[str, Value]) -> bool | None:
    """Whether each side follows from the one before it, rounded once where it is a decimal.

    None where fewer than two sides have a value.
    """
    before: Worth | None = None
    count = 0
    for member in statement.members:
        value = worth(member.node, letters)
        if value is None:
            value = _as_printed(member.node)
        if before is not None and value is not None and not _follows(member.node, value, before):
            return False
        count += value is not None
        before = value if value is not None else before
    return True if count > 1 else None


def _as_printed(node: Node) -> Worth | None:
    """The value of a number whose digits are cut off."""
    if isinstance(node, Num) and node.printed.cut:
        return worth(Num(replace(node.printed, cut=False)), {})
    return None


def _follows(node: Node, value: Worth, before: Worth) -> bool:
    if isinstance(value, tuple) or isinstance(before, tuple):
        if not isinstance(value, tuple) or not isinstance(before, tuple) or len(value) != len(before):
            return False
        parts = _parts(node)
        if len(parts) == len(value):
            return all(map(_follows, parts, value, before))
        return all(_same(one, other) for one, other in zip(value, before, strict=True))
    if isinstance(node, Num):
        try:
            return stand(node.printed, before) == "correct"
        except (SymattnError, ArithmeticError):
            return False
    return _same(value, before)


def _same(value: Worth, before: Worth) -> bool:
    if isinstance(value, tuple) or isinstance(before, tuple):
        if not isinstance(value, tuple) or not isinstance(before, tuple) or len(value) != len(before):
            return False
        return all(_same(one, other) for one, other in zip(value, before, strict=True))
    try:
        return value.equals(before)
    except (SymattnError, ArithmeticError):
        return False


def _parts(node: Node) -> list[Node]:
    match node:
        case Sequence(items):
            return [item for item in items if item is not None]
        case Grid(rows):
            return [Sequence(row) for row in rows if row]
    return []


def culprit(
    statement: Statement, letters: Mapping[str, Value], suspects: Collection[int]
) -> tuple[Printed, Fraction | None] | None:
    """The number that makes a statement false, and what would make it true; the first suspect where no small change
    would.

    Args:
        statement: A statement that does not hold.
        letters: The values of letters.
        suspects: Where the numbers begin that may be wrong.
    """
    tried = [number for member in statement.members for number in numbers_in(member.node) if number.start in suspects]
    for step in (sign * distance for distance in range(1, _FARTHEST) for sign in (-1, 1)):
        for number in tried[:_MOST_TRIED]:
            changed = replace(number, value=number.value + step * number.unit)
            mended = Statement(
                tuple(
                    Member(member.relation, _replaced(member.node, number, changed), member.start, member.end)
                    for member in statement.members
                )
            )
            if holds(mended, letters):
                return number, changed.value
    return (tried[0], None) if tried else None


def _replaced(node: Node, number: Printed, changed: Printed) -> Node:
    """The tree with one number changed."""

    def within(part: Node | None) -> Node | None:
        return None if part is None else _replaced(part, number, changed)

    match node:
        case Num(printed):
            return Num(changed) if printed.start == number.start else node
        case Operation(sign, left, right):
            return Operation(sign, _replaced(left, number, changed), _replaced(right, number, changed))
        case Negative(operand):
            return Negative(_replaced(operand, number, changed))
        case Call(function, arguments):
            return Call(function, tuple(_replaced(argument, number, changed) for argument in arguments))
        case Sequence(items, brackets):
            return Sequence(tuple(map(within, items)), brackets)
        case Grid(rows, trimmed, elided):
            return Grid(tuple(None if row is None else tuple(map(within, row)) for row in rows), trimmed, elided)
    return node
