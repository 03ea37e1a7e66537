"""How many terms an entry may have when it is multiplied out: a small text can say a very long sum."""

from __future__ import annotations

import math
from fractions import Fraction

from symattn.parse import limits
from symattn.problem import Entry, Expression


def terms(entry: Entry) -> int:
    """An estimate from above of the terms at the widest place of an entry, no larger than ``limits.TERMS`` + 1.

    Sums add their operands' terms and products multiply them; a sum of t terms to the power n has at most
    C(t + n - 1, n); one below a line has about 2^t, the products of t square roots.
    Example:
        >>> a, b = Expression("symbol", name="a"), Expression("symbol", name="b")
        >>> terms(Expression("pow", (Expression("add", (a, b)), Fraction(3))))
        4
    """
    if isinstance(entry, Fraction):
        return 1
    found = [terms(operand) for operand in entry.operands]
    if max(found, default=1) > limits.TERMS:
        return limits.TERMS + 1
    return min(_here(entry, found), limits.TERMS + 1)


def _here(entry: Expression, found: list[int]) -> int:
    match entry.operator:
        case "add":
            return sum(found)
        case "mul":
            return math.prod(found)
        case "div":
            return found[0] * _below(found[1])
        case "neg":
            return found[0]
        case "pow":
            power = entry.operands[1]
            return _raised(found[0], power) if isinstance(power, Fraction) else 1
        case _:
            return 1


def _raised(count: int, power: Fraction) -> int:
    whole = math.ceil(abs(power))
    base = count if power > 0 else _below(count)
    return math.comb(base + whole - 1, whole)


def _below(count: int) -> int:
    return 1 if count == 1 else 2 ** min(count, limits.TERMS.bit_length())
