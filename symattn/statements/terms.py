"""The terms of general statements: small frozen trees over letters, entries with indices, and sums of any length.

A term is built with the ordinary operators, ``Sum("k", d, q["k"] * k["k"]) / sqrt(d)``, and nothing in it is ever
rearranged: what is written is what is printed, replayed, and handed to SymPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Final, TypeAlias


class Operators:
    """Arithmetic that builds trees."""

    __slots__ = ()

    def __add__(self, other: Any) -> Add:
        return Add((*_terms(self), *_terms(other)))

    def __radd__(self, other: Any) -> Add:
        return Add((*_terms(other), *_terms(self)))

    def __sub__(self, other: Any) -> Add:
        return Add((*_terms(self), negative(other)))

    def __rsub__(self, other: Any) -> Add:
        return Add((*_terms(other), negative(self)))

    def __mul__(self, other: Any) -> Mul:
        return Mul((*_factors(self), *_factors(other)))

    def __rmul__(self, other: Any) -> Mul:
        return Mul((*_factors(other), *_factors(self)))

    def __truediv__(self, other: Any) -> Div:
        return Div(term(self), term(other))

    def __rtruediv__(self, other: Any) -> Div:
        return Div(term(other), term(self))

    def __pow__(self, exponent: int | Fraction) -> Pow:
        return Pow(term(self), Fraction(exponent))

    def __neg__(self) -> Mul:
        return negative(self)


@dataclass(frozen=True, slots=True)
class Num(Operators):
    """A rational number."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Letter(Operators):
    """A number that stands for any of its kind: ``real``, ``positive``, ``natural`` (1, 2, 3, ...) or ``random``."""

    name: str
    tex: str
    kind: str = "real"


@dataclass(frozen=True, slots=True)
class Image:
    """The place that a rearrangement puts at place ``index``: pi(i)."""

    by: str
    index: str | int


@dataclass(frozen=True, slots=True)
class Next:
    """The place after place ``index``: b + 1."""

    index: str


Index: TypeAlias = "str | int | Image | Next"
"""The name of an index, bound by a sum or free, or in capitals one place; a number from 1; an image; the next place."""


@dataclass(frozen=True, slots=True)
class Array:
    """What entries are taken from: a name, its symbol, its sizes by the names of their letters, and the kind of its
    entries, as for a letter; a ``map`` holds for each place another.
    """

    name: str
    tex: str
    shape: tuple[str, ...]
    kind: str = "real"

    def __getitem__(self, place: Index | tuple[Index, ...]) -> Item:
        return Item(self, place if isinstance(place, tuple) else (place,))


@dataclass(frozen=True, slots=True)
class Item(Operators):
    """An entry of an array."""

    array: Array
    indices: tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Add(Operators):
    """The sum of its terms."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Mul(Operators):
    """The product of its factors."""

    factors: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Div(Operators):
    """A quotient."""

    above: Term
    below: Term


@dataclass(frozen=True, slots=True)
class Pow(Operators):
    """A rational power."""

    base: Term
    exponent: Fraction


@dataclass(frozen=True, slots=True)
class Fn(Operators):
    """A function by its name: exp, log, sin, cos."""

    name: str
    argument: Term


@dataclass(frozen=True, slots=True)
class Sum(Operators):
    """The sum of ``body`` over ``index`` = low, ..., high, for any number of terms."""

    index: str
    high: Term
    body: Term
    low: Term = Num(Fraction(1))


@dataclass(frozen=True, slots=True)
class Delta(Operators):
    """1 where both indices are the same, else 0."""

    left: Index
    right: Index


@dataclass(frozen=True, slots=True)
class Chance(Operators):
    """The mean (``E``), the variance (``Var``) or the fourth cumulant (``K4``) of a random term."""

    kind: str
    body: Term


@dataclass(frozen=True, slots=True)
class Derivative(Operators):
    """The partial derivative of ``body`` by a letter or an entry."""

    body: Term
    by: Letter | Item


@dataclass(frozen=True, slots=True)
class Limit(Operators):
    """The limit of ``body`` as a positive letter goes to infinity, or to 0 from above."""

    body: Term
    letter: Letter
    to: str  # "oo" or "0"


@dataclass(frozen=True, slots=True)
class Rank(Operators):
    """The rank of the matrix with these entries."""

    entry: Item


@dataclass(frozen=True, slots=True)
class Infinity(Operators):
    """Beyond every number."""


Term: TypeAlias = (
    Num | Letter | Item | Add | Mul | Div | Pow | Fn | Sum | Delta | Chance | Derivative | Limit | Rank | Infinity
)

ZERO: Final = Num(Fraction(0))
ONE: Final = Num(Fraction(1))


def term(value: Any) -> Term:
    """A term; a Python integer or fraction becomes a number."""
    if isinstance(value, int | Fraction):
        return Num(Fraction(value))
    found: Term = value
    return found


def negative(value: Any) -> Mul:
    """Minus the term."""
    return Mul((Num(Fraction(-1)), *_factors(value)))


def _terms(value: Any) -> tuple[Term, ...]:
    return value.terms if isinstance(value, Add) else (term(value),)


def _factors(value: Any) -> tuple[Term, ...]:
    return value.factors if isinstance(value, Mul) else (term(value),)


def exp(argument: Any) -> Fn:
    """e to the argument."""
    return Fn("exp", term(argument))


def log(argument: Any) -> Fn:
    """The natural logarithm."""
    return Fn("log", term(argument))


def sin(argument: Any) -> Fn:
    """The sine."""
    return Fn("sin", term(argument))


def cos(argument: Any) -> Fn:
    """The cosine."""
    return Fn("cos", term(argument))


def sqrt(argument: Any) -> Pow:
    """The square root."""
    return Pow(term(argument), Fraction(1, 2))


def mean(body: Any) -> Chance:
    """E[body]."""
    return Chance("E", term(body))


def variance(body: Any) -> Chance:
    """Var(body)."""
    return Chance("Var", term(body))


def cumulant(body: Any) -> Chance:
    """The fourth cumulant of the body."""
    return Chance("K4", term(body))


def parts(tree: Term) -> Iterator[Term]:
    """The terms directly within a term."""
    for field in fields(tree):
        value = getattr(tree, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Operators):
                yield part  # type: ignore[misc]


def walk(tree: Term) -> Iterator[Term]:
    """The term and every term within it."""
    yield tree
    for part in parts(tree):
        yield from walk(part)


def letters(tree: Term) -> dict[str, Letter]:
    """The letters that occur, by name."""
    return {found.name: found for found in walk(tree) if isinstance(found, Letter)}


def free_indices(tree: Term) -> set[str]:
    """The names of indices that no sum binds; those in capitals name one place, and are none."""
    match tree:
        case Item(_, indices):
            places: tuple[Index, ...] = indices
        case Delta(left, right):
            places = (left, right)
        case Sum(index, high, body, low):
            return free_indices(high) | free_indices(low) | (free_indices(body) - {index})
        case Rank():  # its indices say what a matrix is, and name no entry
            return set()
        case _:
            return set().union(*map(free_indices, parts(tree)))
    named = {place.index if isinstance(place, Image | Next) else place for place in places}
    return {name for name in named if isinstance(name, str) and not name.isupper()}


def mapped(tree: Term, change: Any) -> Term:
    """The term with ``change`` made to each term directly within it."""
    made: dict[str, Any] = {}
    for field in fields(tree):
        value = getattr(tree, field.name)
        if isinstance(value, Operators):
            made[field.name] = change(value)
        elif isinstance(value, tuple) and any(isinstance(part, Operators) for part in value):
            made[field.name] = tuple(change(part) for part in value)
        else:
            made[field.name] = value
    return type(tree)(**made)


def substituted(tree: Term, values: Mapping[str, Term]) -> Term:
    """The term with terms in place of letters, by name."""
    if isinstance(tree, Letter):
        return values.get(tree.name, tree)
    return mapped(tree, lambda part: substituted(part, values))


def after(index: Index) -> Index:
    """The next place.

    Raises:
        ValueError: The place is an image, or the next one of another.
    """
    if isinstance(index, int):
        return index + 1
    if isinstance(index, str):
        return Next(index)
    raise ValueError("no name for the place after this")


def reindexed(tree: Term, names: Mapping[str, Index]) -> Term:
    """The term with other indices in place of its free ones."""

    def index(old: Index) -> Index:
        if isinstance(old, Image):
            new = names.get(old.index, old.index) if isinstance(old.index, str) else old.index
            if not isinstance(new, str | int):
                raise ValueError("no name for the image of a place that is one of another")
            return Image(old.by, new)
        if isinstance(old, Next):
            return after(names.get(old.index, old.index))
        return names.get(old, old) if isinstance(old, str) else old

    match tree:
        case Item(array, indices):
            return Item(array, tuple(map(index, indices)))
        case Delta(left, right):
            return Delta(index(left), index(right))
        case Sum(bound, high, body, low):
            kept = {name: new for name, new in names.items() if name != bound}
            return Sum(bound, reindexed(high, names), reindexed(body, kept), reindexed(low, names))
        case _:
            return mapped(tree, lambda part: reindexed(part, names))
