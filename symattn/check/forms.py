"""A closed form that is another number than the one it stands for: which of its numbers is to blame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from symattn.check.arithmetic import worth
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import Call, Negative, Node, Num, Operation, numbers_in
from symattn.errors import SymattnError
from symattn.exact.values import Value

_MOST_NUMBERS: Final = 8
_LARGEST: Final = 12


def is_worth(node: Node, value: Value, names: Mapping[str, Value]) -> bool | None:
    """Whether a form is this value, decided exactly; None where it is no number or that cannot be decided."""
    claim = worth(node, names)
    if not isinstance(claim, Value):
        return None
    try:
        return claim.equals(value)
    except (SymattnError, ArithmeticError):
        return None


def repair(node: Node, value: Value, names: Mapping[str, Value]) -> tuple[Printed, Fraction] | None:
    """The one number of a wrong form, and the one small integer in its place, that make it right; None where there is
    no such or a choice.
    """
    found = list(numbers_in(node))
    if len(found) > _MOST_NUMBERS:
        return None
    repairs = list(_repairs(node, found, value, names))
    return repairs[0] if len(repairs) == 1 else None


def _repairs(
    node: Node, found: list[Printed], value: Value, names: Mapping[str, Value]
) -> Iterator[tuple[Printed, Fraction]]:
    for number in found:
        if number.special or number.cut:
            continue
        for other in range(_LARGEST + 1):
            if other != number.value and is_worth(_with(node, number, Fraction(other)), value, names):
                yield number, Fraction(other)


def _with(node: Node, number: Printed, other: Fraction) -> Node:
    """The form with another number in one place."""
    match node:
        case Num(printed) if printed is number:
            return Num(replace(number, value=other))
        case Operation(sign, left, right):
            return Operation(sign, _with(left, number, other), _with(right, number, other))
        case Negative(operand):
            return Negative(_with(operand, number, other))
        case Call(function, arguments):
            return Call(function, tuple(_with(argument, number, other) for argument in arguments))
    return node
