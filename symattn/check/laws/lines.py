"""Does each line of a derivation follow by its own law from what it uses?

A law grants what its schema says and no more: the left side, with the equations of ``uses`` put in, and the right side
must have one normal form under that law. What has no normal form is not shown, and so is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from symattn.check.laws.chances import chance
from symattn.check.laws.limits import derivative, limit, limit_of_parts
from symattn.check.laws.logarithms import logarithm
from symattn.check.laws.naming import Known, is_fresh, is_inductive, is_recursive, name_of, places_of, supposed
from symattn.check.laws.normal import Allowed, Extra, normal
from symattn.check.laws.polynomials import NotShownError, Poly, equal, plus, sifted
from symattn.check.laws.rewriting import Equation, defined, rewritten
from symattn.check.laws.signs import Signs
from symattn.check.laws.sums import is_a_sum_of_products, is_chained, is_split
from symattn.check.laws.trigonometry import addition, reduced
from symattn.statements.proof import Assumption, Law, Line, Proof
from symattn.statements.terms import Derivative, Item, Letter, Limit, Num, Term, letters, walk

_EXTRA: Final[Mapping[Law, Extra]] = {
    Law.LINEARITY: chance,
    Law.INDEPENDENCE: chance,
    Law.VARIANCE: chance,
    Law.VARIANCE_SCALES: chance,
    Law.VARIANCE_ADDS: chance,
    Law.CUMULANT: chance,
    Law.CUMULANT_ADDS: chance,
    Law.DERIVATIVE: derivative,
    Law.LIMIT: limit,
    Law.LOGARITHM: logarithm,
    Law.ADDITION: addition,
}
_LAST: Final[Mapping[Law, Callable[[Poly], Poly]]] = {Law.SIFTING: sifted, Law.ADDITION: reduced}
"""What a law still does to the difference of both sides."""


def unproved(proof: Proof) -> list[str]:
    """Names of the lines that do not follow by their law from what they use."""
    known: dict[str, Assumption | Line] = {assumption.name: assumption for assumption in proof.assumptions}
    wrong = []
    for line in proof.lines:
        if line.name in known or not follows(line, known, proof):
            wrong.append(line.name)
        known[line.name] = line
    return wrong


def follows(line: Line, known: Known, proof: Proof) -> bool:
    """Whether a line follows by its law from what it uses of what is known."""
    try:
        return set(line.uses) <= known.keys() and _follows(line, known, proof)
    except NotShownError:
        return False


def _follows(line: Line, known: Known, proof: Proof) -> bool:
    if line.result and supposed(line, known):
        return False
    match line.law:
        case Law.SIGN:
            return line.relation == ">=" and line.right == Num(Fraction(0)) and _is_at_least_zero(line, known, proof)
        case Law.RANK:
            return line.relation == "<=" and is_a_sum_of_products(line, known)
    if line.relation != "=":
        return False
    match line.law:
        case Law.DEFINITION:
            return is_fresh(line, known, _signs(line, known, proof))
        case Law.RECURSION:
            return is_recursive(line, known, _signs(line, known, proof))
        case Law.HYPOTHESIS:
            return not line.uses and bool(places_of(line))
        case Law.INDUCTION:
            return is_inductive(line, known)
        case Law.SPLITTING:
            return is_split(line, known)
        case Law.CHAIN_RULE:
            return is_chained(line, known)
    allowed = _allowed(line, known, proof)
    left, right = (_put_in(side, line, known, proof) for side in (line.left, line.right))
    if line.law is Law.LIMIT_PARTS:
        limits = [(one.left, one.right) for name in line.uses if isinstance(one := known[name], Line)]
        left = limit_of_parts(left, limits, _signs(line, known, proof))
    extra = _EXTRA.get(line.law, lambda *_: None)
    difference = plus(normal(left, allowed, extra), normal(right, allowed, extra), -1).above
    return not (_LAST[line.law](difference) if line.law in _LAST else difference)


def _put_in(side: Term, line: Line, known: Known, proof: Proof) -> Term:
    """A side of a line with what it uses put in: within a derivative only definitions, which hold everywhere."""
    used = [known[name] for name in line.uses]
    if line.law is Law.DERIVATIVE:
        if not all(isinstance(one, Line) and one.law is Law.DEFINITION for one in used):
            raise NotShownError("what is not a definition within a derivative")
        return _held_open(defined(side, [(one.left, one.right) for one in used if isinstance(one, Line)]), proof)
    moved = {part.letter.name for part in walk(side) if isinstance(part, Limit)}
    for one in used:
        if isinstance(one, Assumption) and any(moved & letters(left).keys() for left, _ in one.equal):
            raise NotShownError("an assumption about what goes to a limit")
    found = rewritten(side, [equation for one in used for equation in _equations(one)])
    return _held_open(found, proof) if line.law in (Law.LIMIT, Law.LIMIT_PARTS) else found


def _held_open(tree: Term, proof: Proof) -> Term:
    """The term, where all that depends on what moves in it says so.

    Raises:
        NotShownError: A name stands for something that depends on what a limit or a derivative moves.
    """
    for part in walk(tree):
        if isinstance(part, Limit | Derivative):
            moved = name_of(part.letter if isinstance(part, Limit) else part.by)
            if any(name_of(inner) in _moved_along(moved, proof) for inner in walk(part.body)):
                raise NotShownError("a name that hides what moves")
    return tree


def _moved_along(name: str | None, proof: Proof) -> set[str | None]:
    """What stands for something in which the name occurs, by definition or by assumption."""
    pairs = [(line.left, line.right) for line in proof.lines if line.law in (Law.DEFINITION, Law.RECURSION)]
    pairs += [pair for one in proof.assumptions for pair in one.equal]
    found, before = {name}, 0
    while len(found) > before:
        before = len(found)
        for left, right in pairs:
            if any(name_of(part) in found for part in walk(right)):
                found |= {name_of(part) for part in walk(left)} - {None}
    return found - {name}


def _equations(used: Assumption | Line) -> tuple[Equation, ...]:
    if isinstance(used, Assumption):
        return tuple((left, right, used.within) for left, right in used.equal)
    return ((used.left, used.right, None),) if used.relation == "=" else ()


def _allowed(line: Line, known: Known, proof: Proof) -> Allowed:
    used = [one for name in line.uses if isinstance(one := known[name], Assumption)]
    independent = frozenset(name for one in used for name in one.independent)
    rearranges = frozenset(name for one in used for name in one.rearranges)
    return Allowed(frozenset({line.law.value}), dict(proof.ranges), independent, _positive(line, proof), rearranges)


def positive_by_kind(proof: Proof) -> frozenset[str]:
    """Letters and arrays that are positive by their kind."""
    found = set()
    for one in proof.lines:
        for side in (one.left, one.right):
            for part in walk(side):
                if isinstance(part, Letter) and part.kind in ("positive", "natural"):
                    found.add(part.name)
                if isinstance(part, Item) and part.array.kind in ("positive", "natural"):
                    found.add(part.array.name)
    return frozenset(found)


def _positive(line: Line, proof: Proof) -> frozenset[str]:
    """What is positive by its kind, or where an assumption has it so, by that one if the line uses it."""
    assumed = {name for one in proof.assumptions for name in one.positive}
    used = {name for one in proof.assumptions if one.name in line.uses for name in one.positive}
    return positive_by_kind(proof) - assumed | used


def _signs(line: Line, known: Known, proof: Proof) -> Signs:
    used = [one for name in line.uses if isinstance(one := known[name], Assumption)]
    return Signs(_positive(line, proof), tuple(tree for one in used for tree in one.at_least_zero))


def _is_at_least_zero(line: Line, known: Known, proof: Proof) -> bool:
    """Whether the left side, with what is used put in, is what a used line says to be at least zero, or is built by
    sums and products from what is.
    """
    used = [known[name] for name in line.uses]
    equations = [pair for one in used for pair in _equations(one)]
    left = rewritten(line.left, equations)
    for other in used:
        if isinstance(other, Line) and other.relation == ">=":
            allowed = _allowed(line, known, proof)
            return equal(normal(left, allowed), normal(rewritten(other.left, equations), allowed))
    return _signs(line, known, proof).at_least_zero(left)
