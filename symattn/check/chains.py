"""Statements whose sides should be equal: whether they are, and which number within them is to blame."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Final

from symattn.check.agreement import stand
from symattn.check.arithmetic import Worth, worth
from symattn.check.quantities import rough
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
_MOST_DECIMALS: Final = 4
_FARTHEST: Final = 10


def holds(statement: Statement, letters: Mapping[str, Value]) -> bool | None:
    """Whether each side follows from the one before it, rounded once where it is a decimal.

    None where fewer than two sides have a value.
    """
    before: Worth | None = None
    from_node: Node | None = None
    count = 0
    for member in statement.members:
        value = worth(member.node, letters)
        if value is None:
            value = _as_printed(member.node)
        is_off = before is not None and value is not None and not _follows(member.node, value, before)
        if is_off and (from_node is None or not _overlap(from_node, member.node, letters)):
            return False
        count += value is not None
        before, from_node = (value, member.node) if value is not None else (before, from_node)
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


def is_rounding(statement: Statement, letters: Mapping[str, Value]) -> bool:
    """Whether the decimals on each side, taken as rounded, give every number of the next side, where these are all
    numbers: ``4/1.414 = 2.828``.
    """
    sides = [member for member in statement.members if any(True for _ in numbers_in(member.node))]
    for before, after in pairwise(sides):
        entries, numbers = _leaves(before.node), _leaves(after.node)
        if len(entries) != len(numbers):
            return False
        for one, number in zip(entries, numbers, strict=True):
            if not isinstance(number, Num) or not _may_round(one, number.printed, letters):
                return False
    return len(sides) > 1


def _leaves(node: Node) -> list[Node]:
    """The entries of an array, or what is none as its only one."""
    parts = _parts(node)
    return [leaf for part in parts for leaf in _leaves(part)] if parts else [node]


def _overlap(left: Node, right: Node, letters: Mapping[str, Value]) -> bool:
    """Whether two formulas, each with decimals that are roundings, may be one number: ``2.028/(2.028 + 1)`` and
    ``2.028/3.028``.
    """
    if isinstance(right, Num) or not any(number.places > 0 for number in numbers_in(right)):
        return False
    one, other = _ends(left, letters), _ends(right, letters)
    return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]


def _may_round(node: Node, number: Printed, letters: Mapping[str, Value]) -> bool:
    """Whether a formula gives a number for some values that its decimals are roundings of."""
    ends = _ends(node, letters)
    return ends is not None and ends[0] - number.unit / 2 <= number.value <= ends[1] + number.unit / 2


def _ends(node: Node, letters: Mapping[str, Value]) -> tuple[Fraction, Fraction] | None:
    """The least and the most of a formula whose decimals are roundings, at the ends of each; None for too many."""
    decimals = list({one.text: one for one in numbers_in(node) if one.places > 0}.values())
    if len(decimals) > _MOST_DECIMALS:
        return None
    found: list[Fraction] = []
    for signs in product((-1, 1), repeat=len(decimals)):
        changed = node
        for kind, sign in zip(decimals, signs, strict=True):
            for one in numbers_in(node):
                if one.text == kind.text:
                    changed = replaced(changed, one, replace(one, value=one.value + sign * one.unit / 2))
        value = worth(changed, letters)
        near = rough(value) if isinstance(value, Value) else None
        if near is None:
            return None
        found.append(Fraction(int(near.p), int(near.q)))
    return min(found), max(found)


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
    within = (number for member in statement.members for number in numbers_in(member.node))
    tried = sorted((number for number in within if number.start in suspects), key=lambda number: number.is_integer)
    for step in (sign * distance for distance in range(1, _FARTHEST) for sign in (-1, 1)):
        for number in tried[:_MOST_TRIED]:
            changed = replace(number, value=number.value + step * number.unit)
            mended = Statement(
                tuple(
                    Member(member.relation, replaced(member.node, number, changed), member.start, member.end)
                    for member in statement.members
                )
            )
            if holds(mended, letters):
                return number, changed.value
    return (tried[0], None) if tried else None


def replaced(node: Node, number: Printed, changed: Printed) -> Node:
    """The tree with one number changed."""

    def within(part: Node | None) -> Node | None:
        return None if part is None else replaced(part, number, changed)

    match node:
        case Num(printed):
            return Num(changed) if printed.start == number.start else node
        case Operation(sign, left, right):
            return Operation(sign, replaced(left, number, changed), replaced(right, number, changed))
        case Negative(operand):
            return Negative(replaced(operand, number, changed))
        case Call(function, arguments):
            return Call(function, tuple(replaced(argument, number, changed) for argument in arguments))
        case Sequence(items, brackets):
            return Sequence(tuple(map(within, items)), brackets)
        case Grid(rows, trimmed, elided):
            return Grid(tuple(None if row is None else tuple(map(within, row)) for row in rows), trimmed, elided)
    return node
