"""Derivatives and limits, worked apart from SymPy: the rules of differentiation on trees, and leading terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symattn.check.laws.normal import Allowed, is_positive, normal
from symattn.check.laws.polynomials import (
    Key,
    NotShownError,
    Poly,
    Quotient,
    atom,
    collected,
    over,
    poly_of,
    product,
    quotient,
    quotient_key,
    total,
)
from symattn.check.laws.rewriting import rewritten
from symattn.check.laws.signs import Signs
from symattn.statements.terms import (
    ZERO,
    Add,
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
    letters,
    mapped,
    reindexed,
    term,
    walk,
)


def derivative(tree: Term, allowed: Allowed) -> Quotient | None:
    """The normal form of a derivative, by the rules of differentiation."""
    if isinstance(tree, Derivative):
        return normal(derived(tree.body, tree.by), allowed, derivative)
    return None


def derived(tree: Term, by: Letter | Item) -> Term:
    """The partial derivative as a term."""
    match tree:
        case Num():
            return ZERO
        case Letter():
            return term(int(tree == by))
        case Item(array, indices):
            if not isinstance(by, Item) or array != by.array:
                return ZERO
            return Mul(tuple(_same(one, other) for one, other in zip(indices, by.indices, strict=True)))
        case Add(terms):
            return Add(tuple(derived(part, by) for part in terms))
        case Mul(factors):
            return Add(
                tuple(
                    Mul((*factors[:place], derived(factor, by), *factors[place + 1 :]))
                    for place, factor in enumerate(factors)
                )
            )
        case Div(above, below):
            return (derived(above, by) * below - above * derived(below, by)) / (below * below)
        case Pow(base, exponent):
            return Num(exponent) * base ** (exponent - 1) * derived(base, by)
        case Fn("exp", argument):
            return tree * derived(argument, by)
        case Fn("log", argument):
            return derived(argument, by) / argument
        case Fn("sin", argument):
            return Fn("cos", argument) * derived(argument, by)
        case Fn("cos", argument):
            return -1 * Fn("sin", argument) * derived(argument, by)
        case Sum(index, high, body, low):
            if isinstance(by, Item) and index in by.indices:
                fresh = index + "'"
                return Sum(fresh, high, derived(reindexed(body, {index: fresh}), by), low)
            return Sum(index, high, derived(body, by), low)
    raise NotShownError(f"no rule for the derivative of a {type(tree).__name__}")


def _same(one: Index, other: Index) -> Term:
    return Delta(one, other) if one != other else term(1)


def limit(tree: Term, allowed: Allowed) -> Quotient | None:
    """The normal form of a limit, from the leading terms above and below the line."""
    if not isinstance(tree, Limit):
        return None
    allowed = replace(allowed, positive=allowed.positive | {tree.letter.name})
    body = normal(tree.body, allowed, limit)
    return _limit(body, tree.letter.name, 1 if tree.to == "oo" else -1, allowed)


def limit_of_parts(tree: Term, known: Sequence[tuple[Term, Term]], signs: Signs) -> Term:
    """A limit with the limits of its parts in their places: parts of sums, whose number of terms the letter leaves
    alone, of products, and of quotients whose lower side stays above 0. ``known`` says the limits of parts that move.

    Raises:
        NotShownError: A part's limit is not known or not finite, or a lower side may go to 0.
    """
    if not isinstance(tree, Limit):
        return tree
    limits = [(left, right, None) for left, right in known if not any(isinstance(p, Infinity) for p in walk(right))]

    def inner(part: Term) -> Term:
        if tree.letter.name not in letters(part):
            return part
        asked = Limit(part, tree.letter, tree.to)
        found = rewritten(asked, limits)
        if found != asked:
            return found
        match part:
            case Add() | Mul():
                return mapped(part, inner)
            case Div(above, below):
                under = inner(below)
                if signs.above_zero(under):
                    return Div(inner(above), under)
            case Sum(index, high, body, low) if tree.letter.name not in letters(high) | letters(low):
                return Sum(index, high, inner(body), low)
        raise NotShownError("a part whose limit is not known")

    return inner(tree.body)


def _limit(body: Quotient, name: str, direction: int, allowed: Allowed) -> Quotient:
    above = _without_logarithms(body.above, name, direction, allowed)
    below = _without_logarithms(body.below, name, direction, allowed)
    if not above:
        return quotient({})
    lead, upper = _leading(above, name, direction, allowed)
    under, lower = _leading(below, name, direction, allowed)
    order = _order(lead, under, allowed)
    if order < 0:
        return quotient({})
    if order > 0:
        if not (_is_positive(upper, allowed) and _is_positive(lower, allowed)):
            raise NotShownError("an infinite limit of unknown sign")
        return quotient(atom(("infinity",)))
    return quotient(upper, lower)


Growth = tuple[tuple[tuple[Fraction, Any, Fraction], ...], Fraction]
"""How a monomial grows: exponents (degree in the letter, the rest, coefficient), then a power of the letter."""


def _leading(poly: Poly, name: str, direction: int, allowed: Allowed) -> tuple[Growth, Poly]:
    """The fastest growth in a polynomial, and what it is multiplied by."""
    best: Growth | None = None
    found: Poly = {}
    for monomial, value in poly.items():
        growth, rest = _split(monomial, name, direction)
        part = {key: factor * value for key, factor in rest.items()}
        order = 1 if best is None else _order(growth, best, allowed)
        if order > 0:
            best, found = growth, part
        elif order == 0:
            found = total(found, part)
    if best is None or not found:
        raise NotShownError("leading terms that cancel")
    return best, found


def _split(monomial: Any, name: str, direction: int) -> tuple[Growth, Poly]:
    """How a monomial grows as the letter goes to infinity (1) or to 0 (-1), and its factors without the letter."""
    bounds, factors = monomial
    exponents, power, rest = [], Fraction(0), []
    for key, count in factors:
        if key == ("letter", name):
            power = count * direction
        elif key[0] == "exp" and _holds(key, name):
            inner_bounds, inner = key[1]
            degree = dict(inner).get(("letter", name))
            others = tuple(one for one in inner if one[0] != ("letter", name))
            if inner_bounds or degree is None or _holds(others, name):
                raise NotShownError("an exponent that is no power of the letter")
            if degree * direction > 0:
                exponents.append((degree * direction, others, count))
        elif _holds(key, name):
            raise NotShownError("the letter stands within what has no leading term")
        else:
            rest.append((key, count))
    if bounds and _holds(monomial, name):
        raise NotShownError("a sum of terms that move")
    return (tuple(sorted(exponents, key=repr)), power), collected(bounds, rest)


def _order(one: Growth, other: Growth, allowed: Allowed) -> int:
    """Which grows faster: 1, 0 or -1."""
    left = {(degree, others): value for degree, others, value in one[0]}
    for degree, others, value in other[0]:
        left[degree, others] = left.get((degree, others), Fraction(0)) - value
    left = {key: value for key, value in left.items() if value}
    if left:
        top = max(degree for degree, _ in left)
        signs = set()
        for (degree, others), value in left.items():
            if degree == top:
                if not all(is_positive(key, allowed) for key, _ in others):
                    raise NotShownError("an exponent of unknown sign")
                signs.add(value > 0)
        if len(signs) > 1:
            raise NotShownError("exponents of two signs")
        return 1 if signs.pop() else -1
    return (one[1] > other[1]) - (one[1] < other[1])


def _without_logarithms(poly: Poly, name: str, direction: int, allowed: Allowed) -> Poly:
    """Logarithms of what tends to 1 are put at 0, where the factors beside them stay bounded."""
    found: Poly = {}
    for (bounds, factors), value in poly.items():
        logs = [one for one in factors if one[0][:2] == ("fn", "log") and _holds(one[0], name)]
        if not logs:
            found = total(found, {(bounds, factors): value})
            continue
        rest = tuple(one for one in factors if one not in logs)
        growth, _ = _split((bounds, rest), name, direction)
        if _order(growth, ((), Fraction(0)), allowed) > 0 or len(logs) > 1 or logs[0][1] != 1:
            raise NotShownError("a logarithm beside what grows")
        above, below = (poly_of(key) for key in logs[0][0][2])
        inner = _limit(over(quotient(above), quotient(below)), name, direction, allowed)
        if inner.above == inner.below:
            continue
        if not (_is_positive(inner.above, allowed) and _is_positive(inner.below, allowed)):
            raise NotShownError("the logarithm of what may not be positive")
        logarithm = atom(("fn", "log", quotient_key(inner)))
        found = total(found, product({(bounds, rest): value}, logarithm))
    return found


def _is_positive(poly: Poly, allowed: Allowed) -> bool:
    return all(
        value > 0 and not bounds and all(is_positive(key, allowed) for key, _ in factors)
        for (bounds, factors), value in poly.items()
    )


def _holds(key: Key, name: str) -> bool:
    if isinstance(key, tuple):
        return key == ("letter", name) or any(_holds(part, name) for part in key)
    return False
