"""What is above zero, and what is at least zero, by how it is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from symattn.check.laws.rewriting import matches
from symattn.statements.terms import ONE, Add, Div, Fn, Item, Letter, Mul, Num, Pow, Sum, Term, reindexed, walk

_MINUS = Num(Fraction(-1))


@dataclass(frozen=True, slots=True)
class Signs:
    """The names of what is positive, and terms that are given as at least zero."""

    positive: frozenset[str]
    given: tuple[Term, ...] = ()

    def above_zero(self, tree: Term) -> bool:
        """Whether it is above zero, by sums and products of what is."""
        match tree:
            case Num(value):
                return value > 0
            case Letter(name):
                return name in self.positive
            case Item(array, _):
                return array.name in self.positive
            case Add(parts):
                return all(map(self.at_least_zero, parts)) and any(map(self.above_zero, parts))
            case Mul(parts):
                return all(map(self.above_zero, parts))
            case Div(above, below):
                return self.above_zero(above) and self.above_zero(below)
            case Pow(base, _):
                return self.above_zero(base)
            case Fn("exp", _):
                return True
            case Sum(_, Letter(_, _, "natural"), body, low):
                return low == ONE and self.above_zero(body)
        return False

    def at_least_zero(self, tree: Term) -> bool:
        """Whether it is at least zero: given as such, or by sums and products of what is."""
        if any(matches(pattern, tree) for pattern in self.given) or self.above_zero(tree):
            return True
        match tree:
            case Num(value):
                return value >= 0
            case Add((Letter(_, _, "natural"), Mul((minus, one)))) if (minus, one) == (_MINUS, ONE):
                return True
            case Add((Num(Fraction(numerator=1, denominator=1)), Mul((minus, Fn("exp", Mul((less, *factors))))))):
                return minus == less == _MINUS and self.at_least_zero(_alone(factors))
            case Add((Sum() as whole, Mul((minus, *factors)))) if minus == _MINUS:
                return self.at_least_zero(whole.body) and _is_a_term(_alone(factors), whole)
            case Add(parts) | Mul(parts):
                return all(map(self.at_least_zero, parts))
            case Div(above, below):
                return self.at_least_zero(above) and self.at_least_zero(below)
            case Pow(base, exponent):
                return self.at_least_zero(base) or (exponent.denominator == 1 and exponent % 2 == 0)
            case Sum(_, _, body):
                return self.at_least_zero(body)
        return False


def _is_a_term(tree: Term, whole: Sum) -> bool:
    """Whether a term is one of a sum over all places of its arrays."""
    places = {
        index
        for part in walk(tree)
        if isinstance(part, Item)
        for size, index in zip(part.array.shape, part.indices, strict=True)
        if whole.low == ONE and isinstance(whole.high, Letter) and size == whole.high.name
    }
    return any(reindexed(whole.body, {whole.index: place}) == tree for place in places)


def _alone(factors: Sequence[Term]) -> Term:
    return factors[0] if len(factors) == 1 else Mul(tuple(factors))
