"""Normal forms of general terms: quotients of polynomials in atoms, with sums of any length as bound indices.

A polynomial is a dictionary from monomials to rational coefficients. A monomial is a product of atoms to rational
powers under a set of bound indices, each with its range; ``(sum_k a_k) b`` is the monomial ``a_k b`` with ``k`` bound.
Bound names are made canonical, so that equal normal forms are equal terms, whatever their indices are called. What a
law allows beyond ring arithmetic is granted by its name alone: without ``counting`` the sum over k of 1 stays as it is.

Atoms are tuples that begin with their kind:

- ``("letter", name)``, ``("item", array, indices)``, ``("delta", i, j)``, ``("prime", p)`` to powers within (0, 1);
- ``("exp", monomial)``: its power is the coefficient of that monomial in the exponent, so that exponents add up;
- ``("fn", name, key)``, ``("chance", kind, key)``, ``("rank", ...)`` and the like are opaque: equal where keys are;
- ``("over", key)``: one over a polynomial that depends on a bound index.

An index in an atom is ``("ix", name)``, so that it can be renamed anywhere in a nest of tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import Any, Final, TypeAlias

from symattn.statements.terms import (
    Add,
    Chance,
    Delta,
    Derivative,
    Div,
    Fn,
    Image,
    Index,
    Infinity,
    Item,
    Letter,
    Limit,
    Mul,
    Num,
    Pow,
    Rank,
    Sum,
    Term,
)

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


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a line may use beyond ring arithmetic: its laws, the ranges of free indices, and what is random and
    independent.
    """

    laws: frozenset[str] = frozenset()
    ranges: Mapping[str, str] = field(default_factory=dict)
    independent: frozenset[str] = frozenset()
    positive: frozenset[str] = frozenset()
    rearranges: frozenset[str] = frozenset()


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
            tuple(sorted(((_symmetric(key), power) for key, power in renamed(tuple(factors), new)), key=repr)),
        )
        if best is None or repr(candidate) < repr(best):
            best = candidate
    assert best is not None  # noqa: S101 - there is at least one order
    return best


def _symmetric(key: Key) -> Key:
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


Extra: TypeAlias = "Callable[[Term, Allowed], Quotient | None]"
"""What a law does with a term that ring arithmetic has no rule for; None where it has none either."""


def normal(tree: Term, allowed: Allowed, extra: Extra = lambda *_: None) -> Quotient:
    """The normal form of a term, with what the law adds.

    Raises:
        NotShownError: It has none here.
    """

    def inner(part: Term) -> Quotient:
        return normal(part, allowed, extra)

    granted = extra(tree, allowed)
    if granted is not None:
        return granted
    match tree:
        case Num(value):
            return quotient(number(value))
        case Letter(name):
            return quotient(atom(("letter", name)))
        case Item(array, indices):
            return quotient(atom(("item", array.name, tuple(map(index_key, indices)))))
        case Delta(left, right):
            key = _symmetric(("delta", index_key(left), index_key(right)))
            return quotient(ONE if key[1] == key[2] else atom(key))
        case Add(terms):
            found = inner(terms[0])
            for part in terms[1:]:
                found = plus(found, inner(part))
            return found
        case Mul(factors):
            found = inner(factors[0])
            for part in factors[1:]:
                found = times(found, inner(part))
            return found
        case Div(above, below):
            return over(inner(above), inner(below))
        case Pow(base, exponent):
            return _power(inner(base), exponent, allowed)
        case Sum(index, high, body, low):
            return summed(inner(body), index, inner(low), inner(high), allowed)
        case Fn("exp", argument):
            return _exponential(inner(argument))
        case Fn(name, argument):
            return quotient(atom(("fn", name, quotient_key(inner(argument)))))
        case Chance(kind, body):
            return quotient(atom(("chance", kind, quotient_key(inner(body)))))
        case Derivative(body, by):
            return quotient(atom(("derivative", quotient_key(inner(body)), quotient_key(inner(by)))))
        case Limit(body, letter, to):
            return quotient(atom(("limit", quotient_key(inner(body)), letter.name, to)))
        case Rank(entry):
            return quotient(atom(("rank", entry.array.name)))
        case Infinity():
            return quotient(atom(("infinity",)))


def index_key(index: Index) -> Key:
    """An index in an atom."""
    if isinstance(index, Image):
        return (index.by, ("ix", index.index))
    return ("ix", index) if isinstance(index, str) else index


def _power(base: Quotient, exponent: Fraction, allowed: Allowed) -> Quotient:
    if exponent < 0:
        return _power(over(quotient(ONE), base), -exponent, allowed)
    if exponent.denominator == 1:
        found = quotient(ONE)
        for _ in range(exponent.numerator):
            found = times(found, base)
        return found
    return quotient(_root(base.above, exponent, allowed), _root(base.below, exponent, allowed))


def _root(poly: Poly, exponent: Fraction, allowed: Allowed) -> Poly:
    """A fractional power of one monomial of what is positive."""
    if len(poly) != 1:
        raise NotShownError("the root of a sum")
    (((bounds, factors), coefficient),) = poly.items()
    if bounds or coefficient < 0 or not all(_is_positive(key, allowed) for key, _ in factors):
        raise NotShownError("the root of what may be negative")
    found = [(key, power * exponent) for key, power in factors]
    for value, sign in ((coefficient.numerator, 1), (coefficient.denominator, -1)):
        found += [(("prime", prime), sign * count * exponent) for prime, count in _primes(value).items()]
    return collected((), found)


def _is_positive(key: Key, allowed: Allowed) -> bool:
    return key[0] in ("prime", "exp") or (key[0] in ("letter", "item") and key[1] in allowed.positive)


def _primes(value: int) -> dict[int, int]:
    found: dict[int, int] = {}
    prime = 2
    while value > 1:
        while value % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            value //= prime
        prime += 1
        if prime * prime > value > 1:
            prime = value
    return found


def _exponential(argument: Quotient) -> Quotient:
    if argument.below != ONE:
        return quotient(atom(("exp", quotient_key(argument))))
    return quotient(collected((), [(("exp", monomial), value) for monomial, value in argument.above.items()]))


def summed(body: Quotient, index: str, low: Quotient, high: Quotient, allowed: Allowed) -> Quotient:
    """The sum over an index: a denominator that does not depend on it stays outside."""
    above, below = body.above, body.below
    if index in set(names(key_of(below))):
        above, below = product(above, atom(("over", key_of(below)))), ONE
    found: Poly = {}
    for (inner, factors), value in above.items():
        for monomial, coefficient in _summed_monomial(inner, factors, index, (low, high), allowed).items():
            found = total(found, {monomial: coefficient * value})
    return Quotient(found, below)


def _summed_monomial(
    inner: tuple[tuple[Key, Key, Key], ...],
    factors: tuple[tuple[Key, Fraction], ...],
    index: str,
    ends: tuple[Quotient, Quotient],
    allowed: Allowed,
) -> Poly:
    low, high = ends
    bounds = quotient_key(low), quotient_key(high)
    if "sifting" in allowed.laws:
        for key, power in factors:
            if key[0] == "delta" and power > 0 and ("ix", index) in key[1:]:
                other = key[2] if key[1] == ("ix", index) else key[1]
                if _ranges_over(other, bounds, inner, allowed):
                    rest = [one for one in factors if one[0] != key]
                    return collected(inner, ((renamed(one, {index: other})) for one in rest))
    if index not in set(names((inner, factors))):
        if "counting" in allowed.laws and low.below == high.below == ONE:
            return product(collected(inner, factors), total(total(high.above, low.above, -1), ONE))
        return collected((*inner, (("ix", index), *bounds)), factors)
    if "reordering" in allowed.laws:
        factors = _in_order(factors, index, allowed.rearranges)
    return collected((*inner, (("ix", index), *bounds)), factors)


def sifted(poly: Poly) -> Poly:
    """Where two indices are the same, each factor may be named by either: the one that comes first in the order."""
    found: Poly = {}
    for (bounds, factors), value in poly.items():
        for key, _ in factors:
            if key[0] == "delta" and key[2][0] == "ix":
                rest = renamed(tuple(one for one in factors if one[0] != key), {key[2][1]: key[1]})
                factors = (*((_symmetric(other), power) for other, power in rest), (key, Fraction(1)))
        for monomial, coefficient in collected(bounds, factors).items():
            found = total(found, {monomial: value * coefficient})
    return found


def _ranges_over(
    other: Key, bounds: tuple[Key, Key], inner: tuple[tuple[Key, Key, Key], ...], allowed: Allowed
) -> bool:
    """Whether an index runs over the same range as a sum: bound within it, or declared."""
    for name, low, high in inner:
        if name == other:
            return (low, high) == bounds
    if not (isinstance(other, tuple) and other[0] == "ix" and other[1] in allowed.ranges):
        return False
    size = quotient_key(quotient(atom(("letter", allowed.ranges[other[1]]))))
    return bounds == (quotient_key(quotient(ONE)), size)


def _in_order(
    factors: tuple[tuple[Key, Fraction], ...], index: str, rearranges: frozenset[str]
) -> tuple[tuple[Key, Fraction], ...]:
    """A sum over all places, each named by its image, is the sum over all places by their own names."""

    def images(key: Key) -> Iterator[str | None]:
        if isinstance(key, tuple):
            if len(key) == 2 and isinstance(key[0], str) and key[0] != "ix" and key[1] == ("ix", index):
                yield key[0]
            elif key == ("ix", index):
                yield None
            else:
                for part in key:
                    yield from images(part)

    def replaced(key: Key, by: str) -> Key:
        if isinstance(key, tuple):
            return ("ix", index) if key == (by, ("ix", index)) else tuple(replaced(part, by) for part in key)
        return key

    found = set(images(factors))
    if len(found) != 1 or not found <= rearranges:
        return factors
    changed: tuple[tuple[Key, Fraction], ...] = replaced(factors, str(found.pop()))
    return changed
