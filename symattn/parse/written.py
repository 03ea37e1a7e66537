"""An entry as text in the grammar; reading the text back gives the same entry."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from symattn.parse import limits
from symattn.problem import Entry, Expression

_SUM, _PRODUCT, _UNARY, _PRIMARY = range(4)
_LEVELS: Final = {"add": _SUM, "mul": _PRODUCT, "div": _PRODUCT, "neg": _UNARY, "pow": _UNARY}
"""How tightly the outermost operator of a text binds; what is not here is closed."""


def written(entry: Entry) -> str:
    """The text of an entry, in the grammar of problem files.

    Args:
        entry: A tree as ``grammar.entry`` makes it.
    Returns:
        A text that ``grammar.entry`` reads as the same tree.
    Example:
        >>> written(Expression("add", (Fraction(1, 2), Expression("neg", (Expression("sqrt", (Fraction(2),)),)))))
        '1/2 - sqrt(2)'
    """
    if isinstance(entry, Fraction):
        return _fraction(entry)
    match entry.operator:
        case "add":
            return _at(entry.operands[0], _PRODUCT) + "".join(map(_added, entry.operands[1:]))
        case "mul" | "div" | "pow":
            sign = {"mul": "*", "div": "/", "pow": "^"}[entry.operator]
            return sign.join((_first(entry), *(_at(operand, _UNARY) for operand in entry.operands[1:])))
        case "neg":
            return "-" + _at(entry.operands[0], _UNARY)
        case "sqrt" | "log" | "exp":
            return f"{entry.operator}({written(entry.operands[0])})"
        case "symbol":
            return entry.name
        case "pi" | "e":
            return entry.operator
        case "given":
            raise ValueError("what an earlier layer gives stands in no file")


def integer(number: int) -> str:
    """An integer in digits, or as ``123e45`` where it has more digits than a number may have and ends in zeros."""
    digits = str(abs(number))
    zeros = 0
    if len(digits) > limits.DIGITS:
        zeros = min(len(digits) - len(digits.rstrip("0")), limits.EXPONENT)
        digits = f"{digits[: len(digits) - zeros]}e{zeros}"
    return f"-{digits}" if number < 0 else digits


def _fraction(number: Fraction) -> str:
    numerator = integer(number.numerator)
    return numerator if number.denominator == 1 else f"{numerator}/{integer(number.denominator)}"


def _first(entry: Expression) -> str:
    """The first operand: ``a/b*c`` and ``a*b/c`` need no brackets, ``(a*b)*c`` and ``(-a)^b`` do."""
    first = entry.operands[0]
    if entry.operator == "pow":
        return _at(first, _PRIMARY)
    nested = entry.operator == "mul" and isinstance(first, Expression) and first.operator == "mul"
    return _at(first, _UNARY if nested else _PRODUCT)


def _added(entry: Entry) -> str:
    if isinstance(entry, Fraction) and entry < 0:
        return " - " + _fraction(-entry)
    if isinstance(entry, Expression) and entry.operator == "neg":
        return " - " + _at(entry.operands[0], _PRODUCT)
    return " + " + _at(entry, _PRODUCT)


def _at(entry: Entry, level: int) -> str:
    """The text of an operand where something at least as tight as ``level`` can stand."""
    return written(entry) if _level(entry) >= level else f"({written(entry)})"


def _level(entry: Entry) -> int:
    if isinstance(entry, Expression):
        return _LEVELS.get(entry.operator, _PRIMARY)
    if entry.denominator != 1:
        return _PRODUCT
    return _PRIMARY if entry >= 0 else _UNARY
