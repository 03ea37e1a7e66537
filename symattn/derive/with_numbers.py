"""The results of a derivation with numbers put in for some of its letters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import isqrt, prod
from typing import Final

from symattn.derive.numbers_in import cancelled_instance
from symattn.errors import SpecError, Where
from symattn.statements.proof import Assumption, Instance, Law, Line, Proof
from symattn.statements.terms import (
    Add,
    Delta,
    Derivative,
    Div,
    Index,
    Item,
    Letter,
    Limit,
    Mul,
    Num,
    Pow,
    Sum,
    Term,
    free_indices,
    letters,
    mapped,
    reindexed,
    substituted,
    walk,
)

_LONGEST: Final = 1000
"""Terms of a sum that are worked one by one."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A result with numbers put in: still a line while letters are left, then an exact value as well."""

    line: Line
    value: Instance | None


def settable(proof: Proof) -> dict[str, Letter]:
    """The letters and places in the results that a number may be put in for: those that nothing defines, and no limit
    moves.
    """
    taken = {line.left.name for line in proof.lines if line.law is Law.DEFINITION and isinstance(line.left, Letter)}
    found: dict[str, Letter] = {}
    for line in proof.results:
        found |= _free(line)
    return {name: letter for name, letter in found.items() if letter.kind != "random" and name not in taken}


def _free(line: Line) -> dict[str, Letter]:
    """The letters and the free indices of a result, without the one that goes to a limit."""
    moved = {part.letter.name for part in walk(line.left) if isinstance(part, Limit)}
    places = free_indices(line.right) | free_indices(line.left)
    both = {name: Letter(name, name, "natural") for name in sorted(places)} | letters(line.right) | letters(line.left)
    return {name: letter for name, letter in both.items() if name not in moved}


def checked(proof: Proof, values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The numbers, each of its letter's kind.

    Raises:
        SpecError: A name is no letter of the results, or the number is not of its kind.
    """
    known = settable(proof)
    for name, number in values.items():
        if name not in known:
            named = f"set one of {', '.join(known)}" if known else "this topic has none"
            raise SpecError(f"no general statement has the letter {name!r}", mend=named, where=Where("--set"))
        kind = known[name].kind
        if kind == "natural" and (number.denominator != 1 or number < 1):
            raise SpecError(f"{name} counts something", mend="set a whole number from 1 on", where=Where("--set"))
        if kind == "positive" and number <= 0:
            raise SpecError(f"{name} is positive", mend="set a number above 0", where=Where("--set"))
    return dict(values)


def with_numbers(proof: Proof, values: Mapping[str, Fraction]) -> Iterator[Numbered]:
    """Each result that holds one of the letters and rests on nothing that these numbers are against, with them put
    in.
    """
    for line in proof.results:
        free = _free(line)
        numbers = {name: value for name, value in values.items() if name in free}
        if numbers and not any(map(partial(_is_against, values), proof.rests_on(line))):
            left, right = (folded(_put_in(side, numbers)) for side in (line.left, line.right))
            numbered = replace(line, left=left, right=right)
            yield Numbered(numbered, cancelled_instance(right) if _is_a_number(right) else None)


def _is_against(values: Mapping[str, Fraction], one: Assumption) -> bool:
    """Whether an assumption gives a letter another number."""
    return any(
        isinstance(left, Letter) and isinstance(right, Num) and values.get(left.name, right.value) != right.value
        for left, right in one.equal
    )


def _put_in(tree: Term, values: Mapping[str, Fraction]) -> Term:
    """The term with numbers in place of letters, and of the indices of the same names."""
    places: dict[str, Index] = {name: int(value) for name, value in values.items() if value.denominator == 1}
    return reindexed(substituted(tree, {name: Num(value) for name, value in values.items()}), places)


def folded(tree: Term) -> Term:
    """The term with the numbers in each of its sums, products and roots put together."""
    found = mapped(tree, folded)
    match found:
        case Add(terms):
            numbers = [part.value for part in terms if isinstance(part, Num)]
            rest = tuple(part for part in terms if not isinstance(part, Num))
            total = sum(numbers, Fraction(0))
            kept = (*rest, *([Num(total)] if total or not rest else []))
            if len(numbers) < 2:
                kept = terms
            return Add(kept) if len(kept) > 1 else kept[0]
        case Mul(factors):
            number = prod((part.value for part in factors if isinstance(part, Num)), start=Fraction(1))
            rest = tuple(part for part in factors if not isinstance(part, Num))
            if not number or not rest:
                return Num(number)
            kept = (*([Num(number)] if number != 1 else []), *rest)
            return Mul(kept) if len(kept) > 1 else kept[0]
        case Div(Num(above), Num(below)) if below:
            return Num(above / below)
        case Div(above, Num(below)) if below.denominator != 1:
            return folded(Mul((Num(1 / below), above)))
        case Delta(int(left), int(right)):
            return Num(Fraction(int(left == right)))
        case Pow(Num(base), exponent) if exponent.denominator == 1 and (base or exponent > 0):
            return Num(base**exponent.numerator)
        case Pow(Num(base), Fraction(numerator=1, denominator=2)) if base >= 0:
            root = Fraction(isqrt(base.numerator), isqrt(base.denominator))
            return Num(root) if root**2 == base else found
    return found


def _is_a_number(tree: Term) -> bool:
    """Whether nothing is left to be set, and no sum is too long to be written out."""
    return not any(
        isinstance(part, Letter | Item | Limit | Derivative)
        or (isinstance(part, Sum) and isinstance(part.high, Num) and part.high.value > _LONGEST)
        for part in walk(tree)
    )
