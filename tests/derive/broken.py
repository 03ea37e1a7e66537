"""A line with one thing wrong in its right side: a sign, a factor, a term, an index, a power."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from symattn.check.laws.naming import places_of
from symattn.statements.proof import Law, Line
from symattn.statements.terms import (
    Add,
    Infinity,
    Item,
    Letter,
    Num,
    Pow,
    Sum,
    Term,
    mapped,
    reindexed,
    walk,
)


def broken(line: Line) -> list[tuple[str, Line]]:
    """What is wrong, and the line. A definition can be wrong in one way only: it names what has a meaning already."""
    if line.law is Law.HYPOTHESIS:
        everywhere = {name: name.lower() for name in places_of(line)}
        return [
            (
                "of every place",
                replace(line, left=reindexed(line.left, everywhere), right=reindexed(line.right, everywhere)),
            ),
            ("an inequality", replace(line, relation=">=")),
        ]
    if line.law in (Law.DEFINITION, Law.RECURSION):
        return [
            ("defined by itself", replace(line, right=line.right + line.left)),
            ("turned round", replace(line, left=line.right, right=line.left)),
        ]
    if line.law in (Law.SIGN, Law.RANK):
        return [
            ("turned round", replace(line, left=-line.left))
            if line.law is Law.SIGN
            else ("less", replace(line, right=line.right - 1)),
            ("the other order", replace(line, relation=">=" if line.relation == "<=" else "<=")),
            ("equality", replace(line, relation="=")),
        ]
    found = [("one more", replace(line, right=line.right + 1)), ("infinite", replace(line, right=Infinity()))]
    if isinstance(line.right, Infinity):
        found = [("zero", replace(line, right=Num(Fraction(0)))), ("one", replace(line, right=Num(Fraction(1))))]
    elif line.right != Num(Fraction(0)):
        found += [("a sign", replace(line, right=-line.right)), ("a factor", replace(line, right=2 * line.right))]
    found += [(what, replace(line, right=right)) for what, right in _inside(line.right)]
    return found


def _inside(tree: Term) -> Iterator[tuple[str, Term]]:
    """One place within the term changed, each in turn."""
    match tree:
        case Add(terms):
            for place, part in enumerate(terms):
                yield "a sign within", Add((*terms[:place], -part, *terms[place + 1 :]))
                if len(terms) > 2:
                    yield "a term lost", Add((*terms[:place], *terms[place + 1 :]))
        case Pow(base, exponent):
            yield "a power", Pow(base, exponent + 1)
        case Letter():
            yield "a letter doubled", 2 * tree
        case Item(array, indices) if len(indices) == 2 and indices[0] != indices[1] and array.kind != "random":
            yield "indices exchanged", Item(array, (indices[1], indices[0]))
        case Sum(index, high, body, low):
            yield "one term less", Sum(index, high, body, low + 1)
    for part in _parts(tree):
        for what, other in _inside(part):
            yield what, _with(tree, part, other)


def _parts(tree: Term) -> list[Term]:
    found: list[Term] = []
    mapped(tree, lambda part: found.append(part) or part)
    return [part for part in found if any(isinstance(inner, Letter | Item | Add | Pow | Sum) for inner in walk(part))]


def _with(tree: Term, part: Term, other: Term) -> Term:
    done: list[bool] = []

    def change(inner: Term) -> Term:
        if inner is part and not done:
            done.append(True)
            return other
        return inner

    return mapped(tree, change)
