"""General terms worked by SymPy: derivatives, limits and algebra, as terms again.

What SymPy does is handed back as a tree to be printed; ``check.laws`` replays it without SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final

import sympy

from symattn.statements.proof import Line
from symattn.statements.terms import (
    ONE,
    Add,
    Array,
    Delta,
    Derivative,
    Div,
    Fn,
    Index,
    Infinity,
    Item,
    Letter,
    Limit,
    Mul,
    Num,
    Pow,
    Sum,
    Term,
    free_indices,
    mapped,
    negative,
    reindexed,
    walk,
)

_FUNCTIONS: Final = {"exp": sympy.exp, "log": sympy.log, "sin": sympy.sin, "cos": sympy.cos}
_NAMES: Final = {function: name for name, function in _FUNCTIONS.items()}


def cancelled(tree: Term) -> Term:
    """Over one line, with common factors cancelled."""
    return _by(tree, sympy.cancel)


def factored(tree: Term) -> Term:
    """As a product."""
    return _by(tree, sympy.factor)


def expanded(tree: Term) -> Term:
    """As a sum of products."""
    return _by(tree, sympy.expand)


def derivative(tree: Derivative) -> Term:
    """The derivative, worked out."""
    return _by(tree, lambda it: it.doit(deep=False))


def limit(tree: Limit) -> Term:
    """The limit, worked out."""
    words = Words(tree)
    to = sympy.oo if tree.to == "oo" else sympy.Integer(0)
    found = sympy.limit(words.expression(tree.body), words.expression(tree.letter), to, "-" if tree.to == "oo" else "+")
    return words.term(found)


def limit_of_parts(tree: Limit, *known: Line) -> Term:
    """The limit with those of its parts in their places, and sums of nothing but 0 left away."""

    def inner(part: Term) -> Term:
        for line in known:
            for places in _indices(line.left, part):
                if Limit(part, tree.letter, tree.to) == reindexed(line.left, places):
                    return reindexed(line.right, places)
        return mapped(part, inner)

    return _by(inner(tree.body), lambda it: it.replace(_is_empty, lambda _: sympy.Integer(0)))


def _indices(pattern: Term, tree: Term) -> Iterator[dict[str, Index]]:
    """Each way to put the free indices of a term in place of those of another."""
    names = sorted(free_indices(pattern))
    for chosen in product(sorted(free_indices(tree)), repeat=len(names)):
        yield dict(zip(names, chosen, strict=True))


def _is_empty(found: Any) -> bool:
    return isinstance(found, sympy.Sum) and found.function.is_zero is True


def _by(tree: Term, work: Callable[[Any], Any]) -> Term:
    words = Words(tree)
    return words.term(work(words.expression(tree)))


class Words:
    """How the letters, entries and opaque parts of one term are called in SymPy, and back."""

    def __init__(self, *trees: Term) -> None:
        self._letters: dict[str, Letter] = {}
        self._arrays: dict[str, Array] = {}
        self._opaque: dict[str, Term] = {}
        for tree in trees:
            for part in walk(tree):
                if isinstance(part, Letter):
                    self._letters[part.name] = part
                elif isinstance(part, Item):
                    self._arrays[part.array.name] = part.array

    def expression(self, tree: Term) -> Any:
        """The term in SymPy."""
        match tree:
            case Num(value):
                return sympy.Rational(value.numerator, value.denominator)
            case Letter(name, _, kind):
                return _symbol(name, kind)
            case Item(array, indices):
                base = sympy.IndexedBase(
                    array.name, **({"positive": True} if array.kind == "positive" else {"real": True})
                )
                return base[tuple(map(_index, indices))]
            case Add(terms):
                return sympy.Add(*map(self.expression, terms))
            case Mul(factors):
                return sympy.Mul(*map(self.expression, factors))
            case Div(above, below):
                return self.expression(above) / self.expression(below)
            case Pow(base, exponent):
                return self.expression(base) ** sympy.Rational(exponent.numerator, exponent.denominator)
            case Fn(name, argument):
                return _FUNCTIONS[name](self.expression(argument))
            case Sum(index, high, body, low):
                limits = (_index(index), self.expression(low), self.expression(high))
                return sympy.Sum(self.expression(body), limits)
            case Delta(left, right):
                return sympy.KroneckerDelta(_index(left), _index(right))
            case Derivative(body, by):
                return sympy.Derivative(self.expression(body), self.expression(by))
            case Infinity():
                return sympy.oo
            case _:
                return self._unknown(tree)

    def _unknown(self, tree: Term) -> Any:
        """A part that SymPy has no words for, as a symbol of its own."""
        for name, known in self._opaque.items():
            if known == tree:
                return _symbol(name, "real")
        name = f"opaque_{len(self._opaque)}"
        self._opaque[name] = tree
        return _symbol(name, "real")

    def term(self, found: Any) -> Term:
        """What SymPy found, as a term: what is over a line above what is under it, positive terms first."""
        if isinstance(found, sympy.Mul) and found.as_coeff_Mul()[0].is_negative:
            return negative(self.term(-found))
        above, below = sympy.fraction(found)
        if below.is_Integer and not _is_one(below) and not above.is_Integer:
            return Mul((Num(Fraction(1, int(below))), self._side(above)))
        if not _is_one(below) and not isinstance(found, sympy.Add | sympy.Rational):
            return Div(self._side(above), self._side(below))
        return self._side(found)

    def _side(self, found: Any) -> Term:
        match found:
            case sympy.Add():
                return self._sum(found)
            case sympy.Mul():
                return self._product(found)
            case sympy.Rational():
                return Num(Fraction(int(found.p), int(found.q)))
            case sympy.Symbol():
                name = str(found)
                return self._opaque[name] if name in self._opaque else self._letters[name]
            case sympy.Indexed():
                return Item(self._arrays[str(found.base)], tuple(_from_index(one) for one in found.indices))
            case sympy.Sum():
                ((index, low, high),) = found.limits
                return Sum(str(index), self.term(high), self.term(found.function), self.term(low))
            case sympy.KroneckerDelta():
                return Delta(*(_from_index(one) for one in found.args[:2]))
            case sympy.exp():
                return Fn("exp", self.term(found.args[0]))
            case sympy.Pow() if found.exp.is_Rational:
                if found.exp < 0:
                    return Div(ONE, self._side(found.base**-found.exp))
                return Pow(self.term(found.base), Fraction(int(found.exp.p), int(found.exp.q)))
            case sympy.core.numbers.Infinity():
                return Infinity()
            case _ if found.func in _NAMES:
                return Fn(_NAMES[found.func], self.term(found.args[0]))
        raise TypeError(f"no term for {found}")

    def _sum(self, found: Any) -> Term:
        terms = sorted(found.as_ordered_terms(), key=lambda one: bool(one.could_extract_minus_sign()))
        return Add(tuple(self.term(one) for one in terms))

    def _product(self, found: Any) -> Term:
        coefficient, rest = found.as_coeff_Mul()
        if coefficient.is_negative:
            return negative(self.term(-found))
        factors = [self._side(one) for one in rest.as_ordered_factors()]
        if not _is_one(coefficient):
            factors.insert(0, self._side(coefficient))
        return Mul(tuple(factors))


def _is_one(found: Any) -> bool:
    return isinstance(found, sympy.core.numbers.One)


def _symbol(name: str, kind: str) -> Any:
    if kind == "natural":
        return sympy.Symbol(name, integer=True, positive=True)
    return sympy.Symbol(name, positive=True) if kind == "positive" else sympy.Symbol(name, real=True)


def _index(index: Index) -> Any:
    if not isinstance(index, int | str):
        raise TypeError(f"no SymPy index for {index}")
    return sympy.Integer(index) if isinstance(index, int) else sympy.Symbol(index, integer=True)


def _from_index(found: Any) -> Index:
    return int(found) if found.is_Integer else str(found)
