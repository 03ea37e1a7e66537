"""Laws of sums that ask for one shape: a sum in two parts, the chain rule, the rank of a sum of products."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.check.laws.rewriting import matches
from symattn.statements.proof import Assumption, Line
from symattn.statements.terms import (
    ONE,
    Add,
    Derivative,
    Item,
    Letter,
    Mul,
    Num,
    Rank,
    Sum,
    Term,
    negative,
    reindexed,
    walk,
)

Known = Mapping[str, Assumption | Line]


def is_split(line: Line, known: Known) -> bool:
    """The sum from 1 to high is that from 1 to k and that from k + 1 to high, or that of the first term and of the
    others. No k lies beyond high: it is a place in an array of that size, or assumed to be no later.
    """
    match line.left, line.right:
        case Sum(index, high, body, low), Add((Sum() as first, Sum() as second)):
            pieces = (first.index, first.body, second.index, second.body) == (index, body, index, body)
            ends = (first.low, second.high, second.low) == (low, high, first.high + 1)
            return pieces and ends and low == ONE and _is_within(first.high, line.left, line, known)
        case Sum(index, Letter(_, _, "natural") as high, body, Num() as low), Add((first, Sum() as second)):
            rest = Sum(index, high, body, Num(low.value + 1))
            return low == ONE and first == reindexed(body, {index: 1}) and second == rest
    return False


def _is_within(cut: Term, whole: Sum, line: Line, known: Known) -> bool:
    if isinstance(cut, Letter) and isinstance(whole.high, Letter):
        places = (
            pair
            for part in walk(whole.body)
            if isinstance(part, Item)
            for pair in zip(part.array.shape, part.indices, strict=True)
        )
        if (whole.high.name, cut.name) in places:
            return True
    used = (known[name] for name in line.uses)
    given = [tree for one in used if isinstance(one, Assumption) for tree in one.at_least_zero]
    return any(matches(tree, Add((whole.high, negative(cut)))) for tree in given)


def is_a_sum_of_products(line: Line, known: Known) -> bool:
    """rank(S) <= r where an earlier line has S_ij as a sum of r products of one factor with i and one with j."""
    if not isinstance(line.left, Rank) or len(line.uses) != 1:
        return False
    used = known[line.uses[0]]
    if not isinstance(used, Line) or used.left != line.left.entry or not isinstance(used.right, Sum):
        return False
    total = used.right
    if not isinstance(total.body, Mul) or total.low != ONE:
        return False
    row, column = line.left.entry.indices
    held = [
        {index for part in walk(factor) if isinstance(part, Item) for index in part.indices}
        for factor in total.body.factors
    ]
    apart = all(not {row, column} <= indices for indices in held)
    return apart and line.right == total.high


def is_chained(line: Line, known: Known) -> bool:
    """dX = sum over the entries of Y of dY times the derivative of that entry by X, where dX and dY are assumed to be
    the whole gradients of X and Y.
    """
    if not isinstance(line.left, Item):
        return False
    used = (known[name] for name in line.uses)
    pairs = dict(pair for one in used if isinstance(one, Assumption) for pair in one.gradients)
    sums, body = [], line.right
    while isinstance(body, Sum) and body.low == ONE:
        sums.append((body.index, body.high))
        body = body.body
    match body:
        case Mul((Item(gradient, places), Derivative(Item(array, inner), Item(by, indices)))):
            good = pairs.get(gradient.name) == array.name and pairs.get(line.left.array.name) == by.name
            ranges = {index: size.name for index, size in sums if isinstance(size, Letter)}
            complete = tuple(ranges.get(str(index)) for index in places) == array.shape and len(sums) == len(places)
            return good and places == inner and line.left.indices == indices and complete
    return False
