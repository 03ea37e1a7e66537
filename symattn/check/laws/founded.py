"""Do the numbers of a derivation follow from its terms, and does it need what it assumes?

A counterexample holds where, at its numbers, the assumption fails, every other one that its line rests on holds, and
the line is false.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from symattn.check.laws.instances import Scope, evaluated, number, whole
from symattn.check.laws.polynomials import NotShownError
from symattn.exact import numbers
from symattn.exact.values import Plain, Value
from symattn.statements.meaning import Definitions, definitions
from symattn.statements.proof import Assumption, Counterexample, Instance, Line, Proof
from symattn.statements.terms import Image, Index, Item, Letter, Next, Num, Term, free_indices, reindexed, walk


def unfounded(proof: Proof) -> list[str]:
    """Names of the tables, instances, exercises and counterexamples whose numbers do not follow from their terms, and
    ``without NAME`` for each assumption that no counterexample shows to be needed.
    """
    known = definitions(proof.lines)
    wrong = [name for name, one in _instances(proof) if not _follows(one, known)]
    needed = {one.without for one in proof.counterexamples if _shows(one, proof, known)}
    wrong += [f"without {one.name}" for one in proof.assumptions if one.name not in needed]
    wrong += [f"without {one.without}" for one in proof.counterexamples if one.without not in needed]
    return list(dict.fromkeys(wrong))


def _instances(proof: Proof) -> Iterator[tuple[str, Instance]]:
    for table in proof.tables:
        yield from ((table.name, cell) for row in table.cells for cell in row)
    yield from proof.instances
    for question in proof.questions:
        if question.answer is not None:
            yield question.name, question.answer
    for example in proof.counterexamples:
        yield f"without {example.without}", example.found
        yield f"without {example.without}", example.claimed


def _follows(one: Instance, known: Definitions) -> bool:
    try:
        found = evaluated(one.term, Scope(dict(one.at.values), one.at.outcomes, known=known))
    except (LookupError, ArithmeticError, TypeError, NotShownError):
        return False
    return found.equals(one.value)


def _shows(example: Counterexample, proof: Proof, known: Definitions) -> bool:
    """Whether at these numbers the assumption fails alone, and with it the line."""
    line = proof.line(example.line)
    rests = {one.name: one for one in proof.rests_on(line)}
    scope = Scope(dict(example.found.at.values), example.found.at.outcomes, known=known)
    if example.without not in rests or example.claimed.at != example.found.at:
        return False
    if (example.found.term, example.claimed.term) != _at(line, scope):
        return False
    if not _is_false(line.relation, example.found.value, example.claimed.value):
        return False
    return all(_holds(one, proof, scope) == (name != example.without) for name, one in rests.items())


def _at(line: Line, scope: Scope) -> tuple[Term, Term]:
    """Both sides with numbers for their indices."""
    places: dict[str, Index] = {}
    for name, found in scope.names.items():
        if isinstance(found, Num) and found.value.denominator == 1:
            places[name] = found.value.numerator
    return reindexed(line.left, places), reindexed(line.right, places)


def _is_false(relation: str, left: Value, right: Value) -> bool:
    if relation == "=":
        return not left.equals(right)
    difference = sign(left + Plain(numbers.from_fraction(-1)) * right)
    return difference < 0 if relation == ">=" else difference > 0


def sign(value: Value) -> int:
    """-1, 0 or 1."""
    above, below = value.fraction()
    return numbers.sign(above) * numbers.sign(below)


def _holds(one: Assumption, proof: Proof, scope: Scope) -> bool:
    """Whether an assumption holds at these numbers."""
    pairs = [*one.equal, *((tree, None) for tree in one.at_least_zero)]
    for left, right in pairs:
        for places in _places(left, one, proof, scope):
            found = evaluated(left, scope.with_indices(places))
            if right is None and sign(found) < 0:
                return False
            if right is not None and not found.equals(evaluated(right, scope.with_indices(places))):
                return False
    if any(sign(evaluated(cell, scope)) <= 0 for name in one.positive for cell in _cells(scope.names[name])):
        return False
    if one.gradients and not all(_is_whole(line, scope) for line in proof.lines if one.name in line.uses):
        return False
    images = [[whole(evaluated(cell, scope)) for cell in scope.names[name]] for name in one.rearranges]
    return all(len(set(row)) == len(row) for row in images) and _is_independent(one, scope)


def _places(tree: Term, one: Assumption, proof: Proof, scope: Scope) -> Iterator[Mapping[str, int]]:
    """Numbers for the free indices of a term: each place that there is, but for an index whose letter has a number."""
    fixed = {part.name for line in proof.lines for part in walk(line.right) if isinstance(part, Letter)}
    names = sorted(free_indices(tree) - fixed)
    ranges = []
    for name in names:
        if one.within is not None and one.within[0] == name:
            low, high = (whole(evaluated(end, scope)) for end in one.within[1:])
        else:
            low, high = 1, min(_lengths(tree, name, scope))
        ranges.append(range(low, high + 1))
    for places in product(*ranges):
        yield dict(zip(names, places, strict=True))


def _lengths(tree: Term, name: str, scope: Scope) -> Iterator[int]:
    """How many places there are for an index, by each entry that it stands at."""
    for part in walk(tree):
        if isinstance(part, Item):
            for size, index in zip(part.array.shape, part.indices, strict=True):
                if (index.index if isinstance(index, Next | Image) else index) == name:
                    yield whole(evaluated(Letter(size, size), scope)) - isinstance(index, Next)


def _cells(value: Any) -> Iterator[Term]:
    if isinstance(value, tuple):
        for part in value:
            yield from _cells(part)
    else:
        yield value


def _is_whole(line: Line, scope: Scope) -> bool:
    """Whether a gradient is the sum that the chain rule gives, where its numbers are known."""
    if not isinstance(line.left, Item) or line.left.array.name not in scope.names:
        return True
    return evaluated(line.left, scope).equals(evaluated(line.right, scope))


def _is_independent(one: Assumption, scope: Scope) -> bool:
    """Whether the chance of each outcome is the product of the chances of its entries."""
    if not one.independent:
        return True
    joint: dict[tuple[Hashable, ...], Fraction] = {}
    for share, outcome in scope.outcomes:
        drawn = dict(outcome)
        cells = (cell for name in one.independent for cell in _cells(drawn[name]))
        found = tuple(numbers.key(number(evaluated(cell, scope))) for cell in cells)
        joint[found] = joint.get(found, Fraction(0)) + share
    alone: list[dict[Hashable, Fraction]] = [{} for _ in next(iter(joint))]
    for entries, share in joint.items():
        for chances, entry in zip(alone, entries, strict=True):
            chances[entry] = chances.get(entry, Fraction(0)) + share
    return all(
        joint.get(entries, Fraction(0))
        == prod((chances[entry] for chances, entry in zip(alone, entries, strict=True)), start=Fraction(1))
        for entries in product(*alone)
    )
