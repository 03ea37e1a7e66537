"""A line with one thing wrong in its right side: a sign, a factor, a term, an index, a power."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from symattn.check.laws.naming import places_of
from symattn.statements.proof import Law, Line
from symattn.statements.terms import (
    Add,
    Delta,
    Infinity,
    Item,
    Letter,
    Num,
    Pow,
    Sum,
    Term,
    free_indices,
    mapped,
    reindexed,
    walk,
)

OTHER = "zz"
"""An index that no line has."""


def broken(line: Line) -> list[tuple[str, Line]]:
    """What is wrong, and the line. A definition or a supposition can't be wrong by a sign or a factor: it says what is
    meant. It is wrong where it names what has a meaning already, or has an index of its own.
    """
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
            *((what, replace(line, right=right)) for what, right in _inside(line.right) if what == "an index"),
        ]
    if line.law in (Law.SIGN, Law.RANK):
        renamed = [reindexed(line.left, {index: OTHER}) for index in free_indices(line.left) | places_of(line)]
        changed = [other for what, other in _inside(line.left) if what == "an index" and other not in renamed]
        left = [("an index", replace(line, left=other)) for other in changed]
        return [
            *(
                [("a sign", replace(line, left=-line.left)), ("one less", replace(line, left=line.left - 1)), *left]
                if line.law is Law.SIGN
                else [("less", replace(line, right=line.right - 1)), ("a factor", replace(line, left=2 * line.left))]
            ),
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


def otherwise(line: Line) -> list[tuple[str, Line]]:
    """A definition or a supposition that means something else, by a sign, a factor or what else stands within."""
    found = [("a sign", -line.right), ("a factor", 2 * line.right)]
    found += [(what, right) for what, right in _inside(line.right) if what != "an index"]
    return [(what, replace(line, right=right)) for what, right in found]


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
        case Item(array, indices):
            if len(indices) == 2 and indices[0] != indices[1]:
                yield "indices exchanged", Item(array, (indices[1], indices[0]))
            for place, index in enumerate(indices):
                if isinstance(index, int):
                    yield "another place", Item(array, (*indices[:place], index + 1, *indices[place + 1 :]))
                else:
                    yield "an index", Item(array, (*indices[:place], OTHER, *indices[place + 1 :]))
        case Delta(left, right):
            yield "an index", Delta(OTHER, right)
            yield "an index", Delta(left, OTHER)
        case Sum(index, high, body, low):
            yield "one term less", Sum(index, high, body, low + 1)
    for part in _parts(tree):
        for what, other in _inside(part):
            yield what, _with(tree, part, other)


def _parts(tree: Term) -> list[Term]:
    found: list[Term] = []
    mapped(tree, lambda part: found.append(part) or part)
    return [
        part
        for part in found
        if any(isinstance(inner, Letter | Item | Add | Pow | Sum | Delta) for inner in walk(part))
    ]


def _with(tree: Term, part: Term, other: Term) -> Term:
    done: list[bool] = []

    def change(inner: Term) -> Term:
        if inner is part and not done:
            done.append(True)
            return other
        return inner

    return mapped(tree, change)
