"""Earlier lines put to use: a term with the left sides of equations replaced by their right sides.

An equation holds for every value of its free indices, so its left side is a pattern: an index in it matches any index,
the same one wherever it occurs. An index in capitals names one place and matches itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from symattn.statements.terms import (
    Delta,
    Derivative,
    Image,
    Index,
    Item,
    Next,
    Operators,
    Rank,
    Sum,
    Term,
    mapped,
    reindexed,
)

Range = tuple[str, Term, Term]
Equation = tuple[Term, Term, Range | None]
"""Left side, right side, and the range of an index in which alone they are equal."""


def rewritten(tree: Term, equations: Iterable[Equation]) -> Term:
    """The term with each equation used once, in turn, wherever its left side stands."""
    for left, right, within in equations:
        tree = _replaced(tree, left, right) if within is None else _replaced_within(tree, left, right, within)
    return tree


def _replaced_within(tree: Term, left: Term, right: Term, within: Range) -> Term:
    """Replaced in the sums over just this range, where the left side stands as it is."""
    index, low, high = within
    if isinstance(tree, Sum) and (tree.low, tree.high) == (low, high):
        pattern, other = (reindexed(side, {index: tree.index}) for side in (left, right))
        return Sum(tree.index, tree.high, _exchanged(tree.body, pattern, other, tree.index), tree.low)
    return _within(tree, lambda part: _replaced_within(part, left, right, within))


def _exchanged(tree: Term, left: Term, right: Term, index: str) -> Term:
    """Replaced where the index is not that of an inner sum."""
    if tree == left:
        return right
    if isinstance(tree, Sum) and tree.index == index:
        return tree
    return _within(tree, lambda part: _exchanged(part, left, right, index))


def _within(tree: Term, change: Callable[[Term], Term]) -> Term:
    """The change made within a term, but for what holds at some point and need not hold around it, and for names."""
    return tree if isinstance(tree, Derivative | Rank) else mapped(tree, change)


def matches(pattern: Term, tree: Term) -> bool:
    """Whether the tree is the pattern with indices put in."""
    return _matches(pattern, tree, {})


def _replaced(tree: Term, left: Term, right: Term) -> Term:
    found: dict[str, Index] = {}
    if _matches(left, tree, found):
        apart = _apart(right, set(map(str, found.values())))
        return reindexed(apart, found)
    return _within(tree, lambda part: _replaced(part, left, right))


def defined(tree: Term, definitions: Iterable[tuple[Term, Term]]) -> Term:
    """The term with definitions put in, within derivatives too: they hold everywhere."""
    if isinstance(tree, Derivative):
        return Derivative(defined(tree.body, definitions), tree.by)
    for left, right in definitions:
        if matches(left, tree):
            return _replaced(tree, left, right)
    return mapped(tree, lambda part: defined(part, definitions))


def _apart(tree: Term, taken: set[str]) -> Term:
    """The term with bound indices that differ from the names in ``taken``."""
    if isinstance(tree, Sum) and tree.index in taken:
        fresh = tree.index
        while fresh in taken:
            fresh += "'"
        tree = Sum(fresh, tree.high, reindexed(tree.body, {tree.index: fresh}), tree.low)
    return mapped(tree, lambda part: _apart(part, taken))


def _matches(pattern: Any, tree: Any, found: dict[str, Index]) -> bool:
    """Whether the tree is the pattern with indices put in; ``found`` then says which."""
    if type(pattern) is not type(tree):
        return False
    match pattern:
        case Item(array, indices):
            return bool(array == tree.array) and all(
                _index_matches(mine, other, found) for mine, other in zip(indices, tree.indices, strict=True)
            )
        case Delta(left, right):
            return _index_matches(left, tree.left, found) and _index_matches(right, tree.right, found)
        case Sum(index, high, body, low):
            inner = dict(found) | {index: tree.index}
            if not (_matches(high, tree.high, found) and _matches(low, tree.low, found)):
                return False
            if not _matches(body, tree.body, inner):
                return False
            found.update({name: value for name, value in inner.items() if name != index})
            return True
    for field in fields(pattern):
        mine, other = getattr(pattern, field.name), getattr(tree, field.name)
        pairs = [(mine, other)]
        if isinstance(mine, tuple):
            if len(mine) != len(other):
                return False
            pairs = list(zip(mine, other, strict=True))
        for one, two in pairs:
            if not (_matches(one, two, found) if isinstance(one, Operators) else one == two):
                return False
    return True


def _index_matches(pattern: Index, index: Index, found: dict[str, Index]) -> bool:
    if isinstance(pattern, Image):
        return isinstance(index, Image) and pattern.by == index.by and _index_matches(pattern.index, index.index, found)
    if isinstance(pattern, Next):
        before = index.index if isinstance(index, Next) else index - 1 if isinstance(index, int) and index > 1 else None
        return before is not None and _index_matches(pattern.index, before, found)
    if not isinstance(pattern, str) or pattern.isupper():
        return pattern == index
    return found.setdefault(pattern, index) == index
