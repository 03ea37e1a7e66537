"""Places for the labels of points: none lies on another or on a point, and each is nearest to its own.

All lengths are integers, in hundredths of a unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from symattn.render.drawing.labels import LINE_HEIGHT

_BESIDE: Final = 700
_FURTHER: Final = (1600, 2600, 3800, 5200, 6800)
_COLUMN: Final = 1200
_HEIGHT: Final = 100 * LINE_HEIGHT
_DIRECTIONS: Final = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
_POINT: Final = 600

Place: TypeAlias = tuple[int, int]
Segment: TypeAlias = tuple[Place, Place]


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle."""

    left: int
    top: int
    right: int
    bottom: int

    def meets(self, other: Box) -> bool:
        """Whether they have more than an edge in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def holds(self, other: Box) -> bool:
        """Whether the other lies inside."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def is_crossed(self, segment: Segment) -> bool:
        """Whether a part of the segment lies inside: no line parts the two."""
        (x, y), (a, b) = segment
        if max(x, a) <= self.left or min(x, a) >= self.right or max(y, b) <= self.top or min(y, b) >= self.bottom:
            return False
        sides = [(a - x) * (down - y) - (b - y) * (right - x) for right in self._across for down in self._along]
        return min(sides) < 0 < max(sides)

    @property
    def _across(self) -> Place:
        return self.left, self.right

    @property
    def _along(self) -> Place:
        return self.top, self.bottom

    @property
    def middle(self) -> Place:
        """Its middle."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def nearest(self, place: Place) -> Place:
        """The point of the rectangle that is nearest to a point."""
        return min(max(self.left, place[0]), self.right), min(max(self.top, place[1]), self.bottom)

    def distance(self, place: Place) -> int:
        """The square of the distance of a point from the rectangle."""
        x, y = self.nearest(place)
        return (x - place[0]) ** 2 + (y - place[1]) ** 2


def around(place: Place, reach: int = _POINT) -> Box:
    """The square around a point."""
    return Box(place[0] - reach, place[1] - reach, place[0] + reach, place[1] + reach)


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a label lies; ``leader`` joins a label that lies further off with its point."""

    box: Box
    leader: Segment | None = None


def placed(points: Sequence[Place], widths: Sequence[int], lines: Sequence[Segment], within: Box) -> list[Placed]:
    """A place for the label of each point: beside it, else a little further off with a line to it; and rather where it
    crosses no line and lies away from the middle.

    Args:
        points: Where the points lie; all are kept free.
        widths: The width of each point's label.
        lines: Lines that a label crosses only where there is no other place.
        within: What no label leaves, except those that find no place in it: they stand in a column to its right.
    """
    taken = [around(point) for point in points]
    found: list[Placed] = []
    beside = 0
    for point, width in zip(points, widths, strict=True):
        chosen = _first(_told_apart(point, width, points, taken, within), lines)
        if chosen is None:
            corner = (within.right + _COLUMN, within.top + beside * _HEIGHT)
            box = Box(*corner, corner[0] + width, corner[1] + _HEIGHT)
            chosen, beside = Placed(box, (point, box.nearest(point))), beside + 1
        found.append(chosen)
        taken.append(chosen.box)
    return found


def _first(places: Iterator[Placed], lines: Sequence[Segment]) -> Placed | None:
    """The first place that crosses no line, or the first of all."""
    first = None
    for place in places:
        if not any(place.box.is_crossed(line) for line in lines):
            return place
        first = first or place
    return first


def _told_apart(
    point: Place, width: int, points: Sequence[Place], taken: Sequence[Box], within: Box
) -> Iterator[Placed]:
    """The free places around a point at which it is plain which point a label belongs to."""
    others, own = [other for other in points if other != point], around(point)
    for place in _candidates(point, width, within.middle):
        if not within.holds(place.box) or any(place.box.meets(other) for other in taken):
            continue
        if place.leader is None:
            plain = all(place.box.distance(other) > 2 * place.box.distance(point) for other in others)
        else:
            plain = not any(box.is_crossed(place.leader) for box in taken if box != own)
        if plain:
            yield place


def _candidates(point: Place, width: int, middle: Place) -> Iterator[Placed]:
    """Places around a point, nearer ones first, those on the side away from the middle before the others."""
    outward = (point[0] - middle[0], point[1] - middle[1])

    def inward(way: Place) -> int:
        return -(way[0] * outward[0] + way[1] * outward[1]) * (2 if 0 in way else 1)

    order = sorted(_DIRECTIONS, key=inward)
    half, height = width // 2, _HEIGHT // 2
    for reach in (_BESIDE, *_FURTHER):
        for right, down in order:
            x, y = point[0] + right * (reach + half), point[1] + down * (reach + height)
            box = Box(x - half, y - height, x + half, y + height)
            yield Placed(box, None if reach == _BESIDE else (point, box.nearest(point)))
