"""What a formula on a page is worth, exactly, with the numbers that are printed in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from flint import fmpq

from symattn.check.reading.tree import Call, Grid, Name, Negative, Node, Num, Operation, Sequence
from symattn.errors import SymattnError
from symattn.exact import numbers
from symattn.exact.values import Plain, Value, Weight, softmax

Worth: TypeAlias = "Value | tuple[Worth, ...]"
"""A number, a vector or a matrix."""

_LARGEST_POWER: Final = 64
_LARGEST_EXPONENT: Final = 5000


class _UnknownError(Exception):
    """A formula that holds a name without a value, or says something that has none."""


def worth(node: Node, names: Mapping[str, Value]) -> Worth | None:
    """The exact value of a formula; None where it has none, or says more than numbers.

    Args:
        node: The formula.
        names: The values of letters, such as ``u``.
    """
    try:
        return _worth(node, names)
    except (_UnknownError, ArithmeticError, ValueError, SymattnError, RecursionError):
        return None


def _worth(node: Node | None, names: Mapping[str, Value]) -> Worth:
    match node:
        case Num(printed):
            if printed.special or printed.cut:
                raise _UnknownError
            return Plain(numbers.from_fraction(printed.value))
        case Name(text):
            if text not in names:
                raise _UnknownError
            return names[text]
        case Negative(operand):
            return _each(lambda value: _times(value, fmpq(-1)), _worth(operand, names))
        case Sequence(items):
            return tuple(_worth(item, names) for item in items)
        case Grid(rows):
            return tuple(tuple(_worth(entry, names) for entry in row or (None,)) for row in rows)
        case Operation(sign, left, right):
            return _operation(sign, _worth(left, names), _worth(right, names))
        case Call(function, arguments):
            return _call(function, tuple(_worth(argument, names) for argument in arguments))
    raise _UnknownError


def _each(function: Callable[[Value], Value], found: Worth) -> Worth:
    if isinstance(found, tuple):
        return tuple(_each(function, part) for part in found)
    return function(found)


def _times(value: Value, factor: numbers.Exact) -> Value:
    return value * Plain(factor)


def _operation(sign: str, left: Worth, right: Worth) -> Worth:
    match sign:
        case "+":
            return _beside(left, right, lambda a, b: a + b)
        case "-":
            return _beside(left, right, lambda a, b: a + _times(b, fmpq(-1)))
        case "*":
            return _product(left, right)
        case "/":
            if isinstance(right, tuple):
                raise _UnknownError
            return _each(lambda value: _quotient(value, right), left)
        case "^":
            return _power(left, right)
    raise _UnknownError


def _beside(left: Worth, right: Worth, function: Callable[[Value, Value], Value]) -> Worth:
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            raise _UnknownError
        return tuple(_beside(a, b, function) for a, b in zip(left, right, strict=True))
    if isinstance(left, tuple) or isinstance(right, tuple):
        raise _UnknownError
    return function(left, right)


def _product(left: Worth, right: Worth) -> Worth:
    if isinstance(left, Value) and isinstance(right, Value):
        return left * right
    if isinstance(left, Value):
        return _each(lambda value: left * value, right)
    if isinstance(right, Value):
        return _each(lambda value: value * right, left)
    if _is_vector(left) and _is_vector(right):
        if len(left) != len(right):
            raise _UnknownError
        return _sum([_product(a, b) for a, b in zip(left, right, strict=True)])
    if _is_vector(left):
        if len(left) != len(right):
            raise _UnknownError
        return tuple(_product(left, column) for column in zip(*_rows(right), strict=True))
    if _is_vector(right):
        return tuple(_product(row, right) for row in left)
    columns = tuple(zip(*_rows(right), strict=True))
    if any(len(_rows((row,))[0]) != len(right) for row in left):
        raise _UnknownError
    found = tuple(tuple(_product(row, column) for column in columns) for row in left)
    return found[0][0] if len(found) == 1 == len(columns) else found


def _rows(found: Worth) -> list[tuple[Worth, ...]]:
    if not isinstance(found, tuple):
        raise _UnknownError
    rows = [row if isinstance(row, tuple) else (row,) for row in found]
    if len({len(row) for row in rows}) != 1:
        raise _UnknownError
    return rows


def _is_vector(found: Worth) -> bool:
    return isinstance(found, tuple) and all(isinstance(part, Value) for part in found)


def _sum(terms: list[Worth]) -> Worth:
    total = terms[0]
    for term in terms[1:]:
        total = _operation("+", total, term)
    return total


def _plain(value: Worth) -> numbers.Exact:
    """The exact number that a value is, where it is no quotient of sums."""
    if not isinstance(value, Value):
        raise _UnknownError
    above, below = value.fraction()
    return above if below == numbers.ONE else above * numbers.inverse(below)


def _quotient(value: Value, by: Worth) -> Value:
    assert isinstance(by, Value)  # noqa: S101 - vectors were refused
    if numbers.is_zero(by.fraction()[0]):
        raise _UnknownError
    return value / by


def _power(base: Worth, exponent: Worth) -> Worth:
    power = numbers.rational(_plain(exponent))
    if power is None or not isinstance(base, Value):
        raise _UnknownError
    if power.denominator == 1 and 0 <= power <= _LARGEST_POWER:
        found: Value = Plain(numbers.ONE)
        for _ in range(int(power)):
            found = found * base
        return found
    if abs(power) > _LARGEST_POWER or power.denominator > 2:
        raise _UnknownError
    return Plain(numbers.power(_plain(base), numbers.from_fraction(power)))


def _call(function: str, arguments: tuple[Worth, ...]) -> Worth:
    if function == "softmax":
        return _softmax(arguments)
    if function == "sum" and arguments:
        return _sum(list(arguments[0]) if isinstance(arguments[0], tuple) else list(arguments))
    if len(arguments) != 1:
        raise _UnknownError
    found = arguments[0]
    if function == "transpose":
        return tuple(zip(*_rows(found), strict=True)) if not _is_vector(found) else found
    if function not in _FUNCTIONS:
        raise _UnknownError
    return _each(lambda value: Plain(_FUNCTIONS[function](_plain(value))), found)


def _exp(number: numbers.Exact) -> numbers.Exact:
    rational = numbers.rational(number)
    if rational is not None and abs(rational) > _LARGEST_EXPONENT:
        raise _UnknownError
    return numbers.exp(number)


def _root(number: numbers.Exact) -> numbers.Exact:
    return numbers.power(number, fmpq(1, 2))


_FUNCTIONS: Final = {
    "exp": _exp,
    "sqrt": _root,
    "log": numbers.log,
    "tanh": numbers.tanh,
    "cos": numbers.cos,
    "sin": numbers.sin,
}


def _softmax(arguments: tuple[Worth, ...]) -> Worth:
    """Of a vector, of each row of a matrix, or of numbers beside one another."""
    found: Worth = arguments[0] if len(arguments) == 1 else arguments
    if isinstance(found, tuple) and found and all(isinstance(part, tuple) for part in found):
        return tuple(_softmax((part,)) for part in found)
    if not isinstance(found, tuple) or not _is_vector(found):
        raise _UnknownError
    row = softmax(_plain(value) for value in found)
    return tuple(Weight(row, key) for key in range(len(found)))
