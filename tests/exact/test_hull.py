"""The convex hull holds every point, turns left at every corner, and is decided where points nearly lie on a line."""

from __future__ import annotations

from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.exact.hull import hull, turn
from symattn.exact.numbers import root

PLACES = st.lists(
    st.tuples(st.integers(-4, 4), st.integers(-3, 3)).map(lambda place: (fmpq(place[0], 2), fmpq(place[1], 3))),
    min_size=1,
    max_size=9,
    unique=True,
)


@given(PLACES)
def test_no_point_lies_outside_and_every_corner_turns(points):
    corners = [points[corner] for corner in hull(points)]
    assert len(set(corners)) == len(corners)
    if len(corners) < 3:
        first, last = corners[0], corners[-1]
        assert all(turn(first, last, point) == 0 for point in points)
        assert all(min(first, last) <= point <= max(first, last) for point in points)
        return
    around = list(zip(corners, corners[1:] + corners[:1], corners[2:] + corners[:2], strict=True))
    assert all(turn(*three) == 1 for three in around)
    assert all(turn(one, other, point) >= 0 for one, other, _ in around for point in points)


@given(PLACES, st.randoms(use_true_random=False))
def test_the_order_of_the_points_does_not_matter(points, random):
    mixed = random.sample(points, len(points))
    assert [mixed[corner] for corner in hull(mixed)] == [points[corner] for corner in hull(points)]


def test_a_turn_is_decided_exactly():
    """(1, sqrt 2) lies on the line from the origin to (sqrt 2, 2), and 10^-40 above it is a left turn."""
    origin, end = (fmpq(0), fmpq(0)), (root(2), fmpq(2))
    assert turn(origin, end, (fmpq(1), root(2))) == 0
    assert turn(origin, end, (fmpq(1), root(2) + fmpq(1, 10**40))) == 1
    assert turn(origin, end, (fmpq(1), root(2) - fmpq(1, 10**40))) == -1
    assert hull([origin, end, (fmpq(1), root(2))]) == (0, 1)
