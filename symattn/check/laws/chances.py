"""What the laws of chance allow: means, variances and cumulants in normal form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from symattn.check.laws.normal import Allowed, normal
from symattn.check.laws.polynomials import (
    ONE,
    UNIT,
    Key,
    Monomial,
    NotShownError,
    Poly,
    Quotient,
    atom,
    collected,
    key_of,
    plus,
    product,
    quotient,
    quotient_key,
    renamed,
    times,
    total,
)
from symattn.statements.terms import Chance, Term, walk

DEGREE = {"E": 1, "Var": 2, "K4": 4}
"""A constant factor c comes out of the mean as c, of the variance as c^2, of the fourth cumulant as c^4."""


class Random:
    """The letters and arrays of a term that are random."""

    def __init__(self, tree: Term) -> None:
        self._names = {
            part.array.name if hasattr(part, "array") else part.name  # type: ignore[union-attr]
            for part in walk(tree)
            if getattr(getattr(part, "array", part), "kind", "") == "random"
        }

    def split(self, factors: Iterable[tuple[Key, Fraction]]) -> tuple[list[tuple[Key, Fraction]], ...]:
        """Factors that are not random, and those that are."""
        sure: list[tuple[Key, Fraction]] = []
        unsure: list[tuple[Key, Fraction]] = []
        for one in factors:
            (unsure if self._occurs(one[0]) else sure).append(one)
        return sure, unsure

    def _occurs(self, key: Key) -> bool:
        if isinstance(key, tuple):
            if len(key) >= 2 and key[0] in ("letter", "item"):
                return key[1] in self._names
            if key and key[0] == "chance":
                return False
            return any(self._occurs(part) for part in key)
        return False


def chance(tree: Term, allowed: Allowed) -> Quotient | None:
    """The normal form of a mean, variance or cumulant under the law in force; None where the law says nothing."""
    if not isinstance(tree, Chance):
        return None
    body = normal(tree.body, allowed, chance)
    random = Random(tree.body)
    laws = allowed.laws
    if tree.kind == "E" and laws & {"linearity", "independence"}:
        return _by_terms(body, random, lambda one: _mean(one, allowed))
    if tree.kind == "Var" and "variance" in laws:
        mean = _moment("E", body)
        return plus(_moment("E", times(body, body)), times(mean, mean), -1)
    if tree.kind == "K4" and "cumulant" in laws:
        return _cumulant(body)
    adds = "variance_adds" if tree.kind == "Var" else "cumulant_adds"
    if adds in laws and any(bounds for bounds, _ in body.above):
        return _added(tree.kind, body, random, allowed)
    if laws & {adds, "variance_scales"} and len(body.above) == 1:
        return _by_terms(body, random, lambda one: _opaque(tree.kind, one), DEGREE[tree.kind])
    return None


def _opaque(kind: str, monomial: Monomial) -> Poly:
    return atom(("chance", kind, quotient_key(quotient({monomial: Fraction(1)}))))


def _by_terms(body: Quotient, random: Random, of_random: Callable[[Monomial], Poly], degree: int = 1) -> Quotient:
    """Each term with what is not random outside: the factors, the sums, and the denominator."""
    if random.split([(key_of(body.below), Fraction(1))])[1]:
        raise NotShownError("a mean over a random denominator")
    found: Poly = {}
    for (bounds, factors), coefficient in body.above.items():
        sure, unsure = random.split(factors)
        if degree > 1 and bounds:
            raise NotShownError("a factor within a sum")
        inner: Poly = of_random(((), tuple(unsure)))
        outer = collected((), [(key, power * degree) for key, power in sure])
        for (_, more), value in product(outer, inner).items():
            for monomial, factor in collected(bounds, more).items():
                found = total(found, {monomial: coefficient**degree * value * factor})
    below = body.below
    for _ in range(degree - 1):
        below = product(below, body.below)
    return quotient(found, below)


def _mean(monomial: Monomial, allowed: Allowed) -> Poly:
    """The mean of a product of random atoms: a product of means where the law and the assumption say so."""
    if monomial == UNIT:
        return ONE
    if "independence" not in allowed.laws:
        return _opaque("E", monomial)
    found: Poly = ONE
    for one in monomial[1]:
        if one[0][1] not in allowed.independent:
            raise NotShownError("independence is not assumed of all factors")
        found = product(found, _opaque("E", ((), (one,))))
    same_array = [key[:2] for key, _ in monomial[1]]
    if len(set(same_array)) < len(same_array):
        raise NotShownError("two entries of one array may be the same entry")
    return found


def _moment(kind: str, body: Quotient) -> Quotient:
    return quotient(atom(("chance", kind, quotient_key(body))))


def _cumulant(body: Quotient) -> Quotient:
    """The fourth central moment less three times the squared variance."""
    centred = plus(body, _moment("E", body), -1)
    square, spread = times(centred, centred), _moment("Var", body)
    return plus(_moment("E", times(square, square)), times(quotient({UNIT: Fraction(3)}), times(spread, spread)), -1)


def _added(kind: str, body: Quotient, random: Random, allowed: Allowed) -> Quotient:
    """The variance or cumulant of a sum over k whose terms are independent: the sum of theirs."""
    if body.below != ONE or len(body.above) != 1:
        raise NotShownError("not one sum")
    (((bounds, factors), coefficient),) = body.above.items()
    sure, unsure = random.split(factors)
    if len(bounds) != 1 or sure or coefficient != 1:
        raise NotShownError("not one sum of random terms")
    ((name, *_),) = bounds
    for key, _ in unsure:
        if key[0] != "item" or key[1] not in allowed.independent or name not in key[2]:
            raise NotShownError("terms of the sum that may share an entry, or are not independent")
    arrays = [key[1] for key, _ in unsure]
    if len(set(arrays)) < len(arrays):
        raise NotShownError("two entries of one array, which terms may share")
    free = {name[1]: ("ix", "term")}
    inner = renamed(tuple(unsure), free)
    ((monomial, _),) = _opaque(kind, ((), tuple(sorted(inner, key=repr)))).items()
    return quotient(collected(((("ix", "term"), *bounds[0][1:]),), monomial[1]))
