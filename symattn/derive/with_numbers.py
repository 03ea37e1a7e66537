"""The results of a derivation with numbers put in for some of its letters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from symattn.derive.numbers_in import at, instance
from symattn.errors import SpecError, Where
from symattn.statements.proof import Instance, Line, Proof
from symattn.statements.terms import (
    Add,
    Derivative,
    Item,
    Letter,
    Limit,
    Mul,
    Num,
    Pow,
    Term,
    letters,
    mapped,
    substituted,
    walk,
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A result with numbers put in: still a line while letters are left, then an exact value as well."""

    line: Line
    value: Instance | None


def settable(proof: Proof) -> dict[str, Letter]:
    """The letters of the results that a number may be put in for."""
    found: dict[str, Letter] = {}
    for line in proof.results:
        found |= {name: letter for name, letter in letters(line.right).items() if letter.kind != "random"}
    return found


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
    """Each result that holds one of the letters, with the numbers put in."""
    numbers = {name: Num(value) for name, value in values.items()}
    for line in proof.results:
        if not numbers.keys() & letters(line.right).keys() or _goes_to_a_limit(line, values):
            continue
        left, right = substituted(line.left, numbers), substituted(line.right, numbers)
        if _is_a_number(right):
            worth = instance(line.right, at(**values))
            yield Numbered(Line(line.name, left, right, line.law), worth)
        else:
            yield Numbered(Line(line.name, left, folded(right), line.law), None)


def folded(tree: Term) -> Term:
    """The term with the numbers in each of its sums and products put together."""
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
        case Pow(Num(base), exponent) if exponent.denominator == 1 and (base or exponent > 0):
            return Num(base**exponent.numerator)
    return found


def _goes_to_a_limit(line: Line, values: Mapping[str, Fraction]) -> bool:
    return any(isinstance(part, Limit) and part.letter.name in values for part in walk(line.left))


def _is_a_number(tree: Term) -> bool:
    return not any(isinstance(part, Letter | Item | Limit | Derivative) for part in walk(tree))
