"""What a student wrote: a number, a fraction, an exact expression, or nothing that can be read.

A text is read by the grammar of problem files, which evaluates nothing; a decimal comma, a minus sign of its own and
``2u`` for ``2*u`` are read too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias

from flint import fmpq

from symattn.errors import SymattnError
from symattn.exact import numbers
from symattn.exact.numbers import ONE, Exact
from symattn.exact.values import Ratio
from symattn.parse import grammar, limits
from symattn.parse.size import terms
from symattn.problem import Entry, Expression

_DECIMAL: Final = re.compile(r"[+-]?(\d{1,40}([.,]\d{0,40})?|[.,]\d{1,40})")
_SIGNS: Final = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00a0": " "})
_BESIDE: Final = re.compile(r"(?<=[\d)])\s*(?=(u\b|u\^|\(|sqrt|exp|ln|log|pi))")
_MOST: Final = 200

Quotient: TypeAlias = "tuple[Exact, Exact]"


@dataclass(frozen=True, slots=True)
class Given:
    """What was read: a decimal with its places, or an exact number; neither where it cannot be read."""

    text: str
    decimal: Fraction | None = None
    places: int = 0
    exact: Ratio | None = None

    @property
    def is_missing(self) -> bool:
        """Whether nothing was written."""
        return not self.text


def given(text: str, u: Exact | None = None) -> Given:
    """What a text says; ``u`` is the number that closed forms are written in."""
    shown = text.strip().removeprefix("'")
    plain = shown.translate(_SIGNS)
    if not plain or len(plain) > _MOST:
        return Given(shown[:_MOST])
    if _DECIMAL.fullmatch(plain):
        number = plain.replace(",", ".")
        return Given(shown, Fraction(number), len(number.partition(".")[2]))
    try:
        tree = grammar.entry(_BESIDE.sub("*", plain), {"u": "positive"})
        if terms(tree) > limits.TERMS:
            return Given(shown)
        above, below = _quotient(tree, u)
    except (SymattnError, _UnreadableError):
        return Given(shown)
    return Given(shown) if numbers.is_zero(below) else Given(shown, exact=Ratio(above, below))


class _UnreadableError(Exception):
    """An expression in a letter that stands for nothing here, or whose root or logarithm has no exact form."""


def _quotient(tree: Entry, u: Exact | None) -> Quotient:
    """An expression as a quotient of exact numbers: a sum of exponentials may stand below a line."""
    if isinstance(tree, Fraction):
        return numbers.from_fraction(tree), ONE
    if tree.operator == "pow":
        return _power(tree.operands[0], tree.operands[1], u)
    if tree.operator not in ("symbol", "add", "mul", "neg", "div"):
        return _function(tree, u), ONE
    parts = [_quotient(part, u) for part in tree.operands]
    match tree.operator:
        case "symbol":
            if u is None:
                raise _UnreadableError
            return u, ONE
        case "add":
            return reduce(lambda a, b: (a[0] * b[1] + b[0] * a[1], a[1] * b[1]), parts)
        case "mul":
            return reduce(lambda a, b: (a[0] * b[0], a[1] * b[1]), parts)
        case "neg":
            return -parts[0][0], parts[0][1]
        case _:
            (above, below), (over, under) = parts
            return above * under, below * over


def _power(base: Entry, exponent: Entry, u: Exact | None) -> Quotient:
    if isinstance(base, Expression) and base.operator == "e":
        return numbers.exp(_single(_quotient(exponent, u))), ONE
    above, below = _quotient(base, u)
    if not isinstance(exponent, Fraction):
        raise _UnreadableError
    if exponent.denominator != 1:
        return numbers.power(_single((above, below)), numbers.from_fraction(exponent)), ONE
    if exponent < 0:
        above, below = below, above
    count = fmpq(abs(exponent.numerator))
    return numbers.power(above, count), numbers.power(below, count)


def _single(quotient: Quotient) -> Exact:
    above, below = quotient
    return above if numbers.is_zero(below - ONE) else above * numbers.inverse(below)


def _function(tree: Expression, u: Exact | None) -> Exact:
    """A root, a logarithm, an exponential, pi or e."""
    if not tree.operands:
        return numbers.number(tree)
    inside = _single(_quotient(tree.operands[0], u))
    match tree.operator:
        case "exp":
            return numbers.exp(inside)
        case "sqrt":
            return numbers.power(inside, fmpq(1, 2))
        case _:
            return numbers.log(inside)
