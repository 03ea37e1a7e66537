"""Polynomials in atoms with sums of any length as bound indices, and quotients of two.

A polynomial is a dictionary from monomials to rational coefficients. A monomial is a product of atoms to rational
powers under a set of bound indices, each with its range; ``(sum_k a_k) b`` is the monomial ``a_k b`` with ``k`` bound.
Bound names are made canonical, so that equal normal forms are equal terms, whatever their indices are called.

Atoms are tuples that begin with their kind:

- ``("letter", name)``, ``("item", array, indices)``, ``("delta", i, j)``, ``("prime", p)`` to powers within (0, 1);
- ``("exp", monomial)``: its power is the coefficient of that monomial in the exponent, so that exponents add up;
- ``("fn", name, key)``, ``("chance", kind, key)``, ``("rank", ...)`` and the like are opaque: equal where keys are;
- ``("over", key)``: one over a polynomial that depends on a bound index.

An index in an atom is ``("ix", name)``, so that it can be renamed anywhere in a nest of tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, Final, TypeAlias

Key: TypeAlias = Any
"""Nested tuples of texts and numbers: hashable, ordered by ``repr``."""
Monomial: TypeAlias = "tuple[tuple[tuple[Key, Key, Key], ...], tuple[tuple[Key, Fraction], ...]]"
"""(index, low, high) for each bound index, and atoms with their powers."""
Poly: TypeAlias = "dict[Monomial, Fraction]"

UNIT: Final[Monomial] = ((), ())
_MOST_BOUND: Final = 6


class NotShownError(Exception):
    """The normal form does not reach so far: the line is not shown."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """One polynomial over another."""

    above: Poly
    below: Poly


ONE: Final[Poly] = {UNIT: Fraction(1)}


def number(value: Fraction | int) -> Poly:
    """A rational number."""
    return {UNIT: Fraction(value)} if value else {}


def atom(key: Key, power: Fraction | int = 1) -> Poly:
    """One atom."""
    return {((), ((key, Fraction(power)),)): Fraction(1)}


def quotient(above: Poly, below: Poly | None = None) -> Quotient:
    """A quotient; a denominator of one plain monomial goes into the powers above."""
    if below is None:
        return Quotient(above, ONE)
    if not below:
        raise NotShownError("a division by zero")
    if len(below) == 1:
        ((bounds, factors), coefficient) = next(iter(below.items()))
        if not bounds:
            flipped = collected((), [(key, -power) for key, power in factors])
            return Quotient(product(product(above, flipped), number(1 / coefficient)), ONE)
    return Quotient(above, below)


def total(left: Poly, right: Poly, sign: int = 1) -> Poly:
    """left + sign * right."""
    found = dict(left)
    for monomial, coefficient in right.items():
        value = found.get(monomial, Fraction(0)) + sign * coefficient
        if value:
            found[monomial] = value
        else:
            found.pop(monomial, None)
    return found


def product(left: Poly, right: Poly) -> Poly:
    """left * right."""
    found: Poly = {}
    for one, factor in left.items():
        for other, more in right.items():
            for monomial, coefficient in _times(one, other).items():
                found[monomial] = found.get(monomial, Fraction(0)) + factor * more * coefficient
    return {monomial: value for monomial, value in found.items() if value}


def plus(left: Quotient, right: Quotient, sign: int = 1) -> Quotient:
    """left + sign * right, over one denominator."""
    if not left.above or not right.above:
        return left if not right.above else Quotient(total({}, right.above, sign), right.below)
    if left.below == right.below:
        return Quotient(total(left.above, right.above, sign), left.below)
    above = total(product(left.above, right.below), product(right.above, left.below), sign)
    return Quotient(above, product(left.below, right.below))


def times(left: Quotient, right: Quotient) -> Quotient:
    """left * right; a side that is over itself cancels."""
    if left.above == right.below:
        return Quotient(right.above, left.below)
    if left.below == right.above:
        return Quotient(left.above, right.below)
    return quotient(product(left.above, right.above), product(left.below, right.below))


def over(left: Quotient, right: Quotient) -> Quotient:
    """left / right."""
    if not right.above:
        raise NotShownError("a division by zero")
    if left.below == right.below:
        return quotient(left.above, right.above)
    return quotient(product(left.above, right.below), product(left.below, right.above))


def equal(left: Quotient, right: Quotient) -> bool:
    """Whether left.above * right.below - right.above * left.below collects to nothing."""
    return not plus(left, right, -1).above


def names(key: Key) -> Iterator[str]:
    """The indices that occur in a nest of tuples."""
    if isinstance(key, tuple):
        if len(key) == 2 and key[0] == "ix" and isinstance(key[1], str):
            yield key[1]
        else:
            for part in key:
                yield from names(part)


def renamed(key: Key, new: Mapping[str, Key]) -> Key:
    """The nest with other indices."""
    if isinstance(key, tuple):
        if len(key) == 2 and key[0] == "ix" and isinstance(key[1], str):
            return new.get(key[1], key)
        return tuple(renamed(part, new) for part in key)
    return key


def _level(key: Key) -> int:
    """The highest level of a canonical bound name that occurs: names of a nest never meet those around it."""
    return max((int(name[1:].partition(".")[0]) for name in names(key) if name.startswith("#")), default=0)


def _times(left: Monomial, right: Monomial) -> Poly:
    if left == UNIT or right == UNIT:
        return {right if left == UNIT else left: Fraction(1)}
    apart = {name: ("ix", "'" + name) for (_, name), *_ in right[0]}
    bounds, factors = renamed(right, apart) if apart else right
    return collected((*left[0], *bounds), (*left[1], *factors))


def collected(bounds: Iterable[tuple[Key, Key, Key]], factors: Iterable[tuple[Key, Fraction]]) -> Poly:
    """A product of atoms under bound indices, as a polynomial of one monomial in normal form."""
    found: dict[Key, Fraction] = {}
    coefficient = Fraction(1)
    for key, power in factors:
        found[key] = found.get(key, Fraction(0)) + power
    for key in [key for key in found if key[0] == "prime"]:
        whole = found[key].__floor__()
        coefficient *= Fraction(key[1]) ** whole
        found[key] -= whole
    kept = [(key, power) for key, power in found.items() if power]
    return {_canonical(tuple(bounds), kept): coefficient}


def _canonical(bounds: tuple[tuple[Key, Key, Key], ...], factors: list[tuple[Key, Fraction]]) -> Monomial:
    """Bound indices named by level and order, in the way that gives the least text."""
    if not bounds:
        return (), tuple(sorted(factors, key=repr) if len(factors) > 1 else factors)
    if len(bounds) > _MOST_BOUND:
        raise NotShownError("too many sums in one another")
    bound = {name for (_, name), *_ in bounds}
    free = [name for name in names((bounds, tuple(factors))) if name not in bound]
    level = max([_level(tuple(("ix", name) for name in free)), _inner_level(factors, bound)], default=0) + 1
    best: Monomial | None = None
    for order in permutations(bounds):
        new = {name: ("ix", f"#{level}.{place}") for place, ((_, name), *_) in enumerate(order)}
        candidate = (
            tuple(renamed(one, new) for one in order),
            tuple(sorted(((symmetric(key), power) for key, power in renamed(tuple(factors), new)), key=repr)),
        )
        if best is None or repr(candidate) < repr(best):
            best = candidate
    assert best is not None  # noqa: S101 - there is at least one order
    return best


def symmetric(key: Key) -> Key:
    """A delta with its indices in order."""
    return ("delta", *sorted(key[1:], key=repr)) if key[0] == "delta" else key


def _inner_level(factors: list[tuple[Key, Fraction]], bound: set[str]) -> int:
    inner = [name for name in names(tuple(factors)) if name not in bound and name.startswith("#")]
    return _level(tuple(("ix", name) for name in inner))


def key_of(poly: Poly) -> Key:
    """A polynomial as a nest of tuples."""
    return tuple(sorted(((monomial, value) for monomial, value in poly.items()), key=repr))


def poly_of(key: Key) -> Poly:
    """A nest of tuples as the polynomial it was made from, its monomials canonical again."""
    found: Poly = {}
    for (bounds, factors), value in key:
        for monomial, coefficient in collected(bounds, factors).items():
            found = total(found, {monomial: value * coefficient})
    return found


def quotient_key(form: Quotient) -> Key:
    """A quotient as a nest of tuples, the same for the same pair up to a rational factor."""
    lead = next(iter(sorted(form.below.items(), key=repr)))[1]
    return (
        key_of({monomial: value / lead for monomial, value in form.above.items()}),
        key_of({monomial: value / lead for monomial, value in form.below.items()}),
    )


def sifted(poly: Poly) -> Poly:
    """Where two indices are the same, each factor may be named by either: the one that comes first in the order."""
    found: Poly = {}
    for (bounds, factors), value in poly.items():
        for key, _ in factors:
            if key[0] == "delta" and key[2][0] == "ix":
                rest = renamed(tuple(one for one in factors if one[0] != key), {key[2][1]: key[1]})
                factors = (*((symmetric(other), power) for other, power in rest), (key, Fraction(1)))
        for monomial, coefficient in collected(bounds, factors).items():
            found = total(found, {monomial: value * coefficient})
    return found
