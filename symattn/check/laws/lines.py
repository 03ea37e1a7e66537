"""Does each line of a derivation follow by its own law from what it uses?

A law grants what its schema says and no more: the left side, with the equations of ``uses`` put in, and the right side
must have one normal form under that law. What has no normal form is not shown, and so is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from symattn.check.laws.chances import chance
from symattn.check.laws.limits import derivative, limit
from symattn.check.laws.logarithms import logarithm
from symattn.check.laws.normal import Allowed, Extra, normal
from symattn.check.laws.polynomials import NotShownError, Poly, equal, plus, sifted
from symattn.check.laws.rewriting import Equation, defined, matches, rewritten
from symattn.check.laws.trigonometry import addition, reduced
from symattn.statements.proof import Assumption, Law, Line, Proof
from symattn.statements.terms import (
    Add,
    Derivative,
    Div,
    Fn,
    Item,
    Letter,
    Limit,
    Mul,
    Num,
    Pow,
    Rank,
    Sum,
    Term,
    free_indices,
    letters,
    walk,
)

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


def follows(line: Line, known: Mapping[str, Assumption | Line], proof: Proof) -> bool:
    """Whether a line follows by its law from what it uses of what is known."""
    try:
        return set(line.uses) <= known.keys() and _follows(line, known, proof)
    except NotShownError:
        return False


def _follows(line: Line, known: Mapping[str, Assumption | Line], proof: Proof) -> bool:
    match line.law:
        case Law.DEFINITION:
            return _is_fresh(line, known, proof)
        case Law.SIGN:
            return line.relation == ">=" and line.right == Num(Fraction(0)) and _is_at_least_zero(line, known, proof)
        case Law.RANK:
            return line.relation == "<=" and _is_a_sum_of_products(line, known)
        case Law.SPLITTING:
            return line.relation == "=" and _is_split(line)
        case Law.CHAIN_RULE:
            return line.relation == "=" and _is_chained(line, proof)
    if line.relation != "=":
        return False
    allowed = _allowed(line, known, proof)
    left, right = (_put_in(side, line, known) for side in (line.left, line.right))
    extra = _EXTRA.get(line.law, lambda *_: None)
    difference = plus(normal(left, allowed, extra), normal(right, allowed, extra), -1).above
    return not (_LAST[line.law](difference) if line.law in _LAST else difference)


def _put_in(side: Term, line: Line, known: Mapping[str, Assumption | Line]) -> Term:
    """A side of a line with what it uses put in: within a derivative only definitions, which hold everywhere."""
    used = [known[name] for name in line.uses]
    if line.law is Law.DERIVATIVE:
        if not all(isinstance(one, Line) and one.law is Law.DEFINITION for one in used):
            raise NotShownError("what is not a definition within a derivative")
        return defined(side, [(one.left, one.right) for one in used if isinstance(one, Line)])
    moved = {part.letter.name for part in walk(side) if isinstance(part, Limit)}
    for one in used:
        if isinstance(one, Assumption) and any(moved & letters(left).keys() for left, _ in one.equal):
            raise NotShownError("an assumption about what goes to a limit")
    return rewritten(side, [equation for one in used for equation in _equations(one)])


def _equations(used: Assumption | Line) -> tuple[Equation, ...]:
    if isinstance(used, Assumption):
        return tuple((left, right, used.within) for left, right in used.equal)
    return ((used.left, used.right, None),) if used.relation == "=" else ()


def _allowed(line: Line, known: Mapping[str, Assumption | Line], proof: Proof) -> Allowed:
    used = [known[name] for name in line.uses]
    independent = frozenset(name for one in used if isinstance(one, Assumption) for name in one.independent)
    rearranges = frozenset(name for one in used if isinstance(one, Assumption) for name in one.rearranges)
    return Allowed(frozenset({line.law.value}), dict(proof.ranges), independent, _positive(proof), rearranges)


def _positive(proof: Proof) -> frozenset[str]:
    """Letters and arrays whose kind is positive."""
    found = set()
    for line in proof.lines:
        for side in (line.left, line.right):
            for part in walk(side):
                if isinstance(part, Letter) and part.kind in ("positive", "natural"):
                    found.add(part.name)
                if isinstance(part, Item) and part.array.kind == "positive":
                    found.add(part.array.name)
    return frozenset(found)


def _is_fresh(line: Line, known: Mapping[str, Assumption | Line], proof: Proof) -> bool:
    """A definition names what has no name yet, by what does not hold it."""
    name = _name(line.left)
    if name is None or line.relation != "=":
        return False
    earlier: list[Term] = [line.right]
    for one in known.values():
        if isinstance(one, Line):
            earlier += [one.left, one.right]
        elif one.name in line.uses:
            earlier += [side for pair in one.equal for side in pair]
    same_kind = {other.left for other in proof.lines if other.law is Law.DEFINITION and other.name != line.name}
    indices = {str(index) for index in line.left.indices} if isinstance(line.left, Item) else set()
    bound = free_indices(line.right) <= indices
    return (
        bound and not any(_name(part) == name for side in earlier for part in walk(side)) and line.left not in same_kind
    )


def _name(tree: Term) -> str | None:
    if isinstance(tree, Letter):
        return tree.name
    return tree.array.name if isinstance(tree, Item) else None


def _is_at_least_zero(line: Line, known: Mapping[str, Assumption | Line], proof: Proof) -> bool:
    """Whether the left side, with what is used put in, is what a used line says to be at least zero, or is built by
    sums and products from what is.
    """
    used = [known[name] for name in line.uses]
    equations = [pair for name in used for pair in _equations(name)]
    left = rewritten(line.left, equations)
    for other in used:
        if isinstance(other, Line) and other.relation == ">=":
            allowed = _allowed(line, known, proof)
            return equal(normal(left, allowed), normal(rewritten(other.left, equations), allowed))
    given = [tree for one in used if isinstance(one, Assumption) for tree in one.at_least_zero]

    def good(tree: Term) -> bool:
        if any(matches(pattern, tree) for pattern in given):
            return True
        match tree:
            case Num(value):
                return value >= 0
            case Letter():
                return tree.kind in ("positive", "natural")
            case Item(array, _):
                return array.kind == "positive"
            case Add((Sum(_, _, body), Mul((Num(Fraction(numerator=-1, denominator=1)), *factors)))):
                return good(body) and matches(body, _alone(factors))
            case Add(parts) | Mul(parts):
                return all(map(good, parts))
            case Div(above, below):
                return good(above) and good(below)
            case Pow(base, exponent):
                return good(base) or (exponent.denominator == 1 and exponent % 2 == 0)
            case Fn("exp", _):
                return True
            case Sum(_, _, body):
                return good(body)
        return False

    return good(left)


def _alone(factors: Sequence[Term]) -> Term:
    return factors[0] if len(factors) == 1 else Mul(tuple(factors))


def _is_a_sum_of_products(line: Line, known: Mapping[str, Assumption | Line]) -> bool:
    """rank(S) <= r where an earlier line has S_ij as a sum of r products of one factor with i and one with j."""
    if not isinstance(line.left, Rank) or len(line.uses) != 1:
        return False
    used = known[line.uses[0]]
    if not isinstance(used, Line) or used.left != line.left.entry or not isinstance(used.right, Sum):
        return False
    total = used.right
    if not isinstance(total.body, Mul) or total.low != Num(Fraction(1)):
        return False
    row, column = line.left.entry.indices
    held = [
        {index for part in walk(factor) if isinstance(part, Item) for index in part.indices}
        for factor in total.body.factors
    ]
    apart = all(not {row, column} <= indices for indices in held)
    return apart and line.right == total.high


def _is_split(line: Line) -> bool:
    """The sum from low to high is that from low to k and that from k + 1 to high."""
    match line.left, line.right:
        case Sum(index, high, body, low), Add((Sum() as first, Sum() as second)):
            pieces = (first.index, first.body, second.index, second.body) == (index, body, index, body)
            ends = (first.low, second.high, second.low) == (low, high, first.high + 1)
            return pieces and ends and isinstance(first.high, Letter)
    return False


def _is_chained(line: Line, proof: Proof) -> bool:
    """dX = sum over the entries of Y of dY times the derivative of that entry by X, for a gradient of Y."""
    if not isinstance(line.left, Item):
        return False
    pairs = dict(proof.gradients)
    sums, body = [], line.right
    while isinstance(body, Sum) and body.low == Num(Fraction(1)):
        sums.append((body.index, body.high))
        body = body.body
    match body:
        case Mul((Item(gradient, places), Derivative(Item(array, inner), Item(by, indices)))):
            good = pairs.get(gradient.name) == array.name and pairs.get(line.left.array.name) == by.name
            ranges = {index: size.name for index, size in sums if isinstance(size, Letter)}
            complete = tuple(ranges.get(str(index)) for index in places) == array.shape and len(sums) == len(places)
            return good and places == inner and line.left.indices == indices and complete
    return False
