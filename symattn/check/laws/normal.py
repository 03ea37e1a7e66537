"""Normal forms of general terms, under the rights of one law.

What a law allows beyond ring arithmetic is granted by its name alone: without ``counting`` the sum over k of 1 stays as
it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from symattn.check.laws.polynomials import (
    ONE,
    Key,
    NotShownError,
    Poly,
    Quotient,
    atom,
    collected,
    key_of,
    names,
    number,
    over,
    plus,
    product,
    quotient,
    quotient_key,
    renamed,
    symmetric,
    times,
    total,
)
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
    Next,
    Num,
    Pow,
    Rank,
    Sum,
    Term,
)


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
            key = symmetric(("delta", index_key(left), index_key(right)))
            if isinstance(left, int) and isinstance(right, int):
                return quotient(number(int(left == right)))
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
    if isinstance(index, Next):
        return ("next", ("ix", index.index))
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
    if bounds or coefficient < 0 or not all(is_positive(key, allowed) for key, _ in factors):
        raise NotShownError("the root of what may be negative")
    found = [(key, power * exponent) for key, power in factors]
    for value, sign in ((coefficient.numerator, 1), (coefficient.denominator, -1)):
        found += [(("prime", prime), sign * count * exponent) for prime, count in _primes(value).items()]
    return collected((), found)


def is_positive(key: Key, allowed: Allowed) -> bool:
    """Whether an atom is known to be positive."""
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
