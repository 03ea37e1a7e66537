"""The convex hull of points with exact coordinates: every turn is decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from typing import TypeAlias

from symattn.exact.numbers import Exact, sign

Place: TypeAlias = tuple[Exact, Exact]


def turn(first: Place, second: Place, third: Place) -> int:
    """1 where the way from the first point over the second to the third turns left, -1 right, 0 straight on or back."""
    (x, y), (a, b), (c, d) = first, second, third
    return sign((a - x) * (d - y) - (b - y) * (c - x))


def hull(points: Sequence[Place]) -> tuple[int, ...]:
    """The corners of the convex hull of distinct points, against the clock from the leftmost (and lowest) one.

    Args:
        points: Distinct points without symbols.
    Returns:
        Places in ``points``: one for a single point, two where all lie on a line.
    Raises:
        UndecidedError: No theorem says on which side of a line a point lies.
    Source:
        Andrew 1979, "Another efficient algorithm for convex hulls in two dimensions".
    Example:
        >>> from flint import fmpq
        >>> hull([(fmpq(2), fmpq(0)), (fmpq(0), fmpq(2)), (fmpq(2), fmpq(2)), (fmpq(2), fmpq(1))])
        (1, 0, 2)
    """

    def compare(i: int, j: int) -> int:
        return sign(points[i][0] - points[j][0]) or sign(points[i][1] - points[j][1])

    order = sorted(range(len(points)), key=cmp_to_key(compare))
    if len(order) < 3:
        return tuple(order)
    lower, upper = _chain(points, order), _chain(points, reversed(order))
    return tuple(lower[:-1] + upper[:-1])


def _chain(points: Sequence[Place], order: Iterable[int]) -> list[int]:
    """The part of the hull that turns left all along."""
    kept: list[int] = []
    for index in order:
        while len(kept) > 1 and turn(points[kept[-2]], points[kept[-1]], points[index]) <= 0:
            kept.pop()
        kept.append(index)
    return kept
