"""Places for the labels of points: none lies on another or on a point, and each is nearest to its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from symattn.render.drawing.labels import LINE_HEIGHT
from symattn.render.drawing.marks import Length, Place

_BESIDE: Final = 7
_FURTHER: Final = (16, 26, 38, 52, 68)
_COLUMN: Final = 12
_DIRECTIONS: Final = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
_POINT: Final = 6

Segment: TypeAlias = tuple[Place, Place]


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle."""

    left: Length
    top: Length
    right: Length
    bottom: Length

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
        """Whether a part of the segment lies inside."""
        (x, y), (a, b) = segment
        start, stop = Fraction(0), Fraction(1)
        for begin, step, low, high in ((x, a - x, self.left, self.right), (y, b - y, self.top, self.bottom)):
            if step == 0:
                if not low < begin < high:
                    return False
                continue
            first, second = sorted((Fraction(low - begin) / step, Fraction(high - begin) / step))
            start, stop = max(start, first), min(stop, second)
        return start < stop

    @property
    def middle(self) -> Place:
        """Its middle."""
        return Fraction(self.left + self.right) / 2, Fraction(self.top + self.bottom) / 2

    def nearest(self, place: Place) -> Place:
        """The point of the rectangle that is nearest to a point."""
        return min(max(self.left, place[0]), self.right), min(max(self.top, place[1]), self.bottom)

    def distance(self, place: Place) -> Length:
        """The square of the distance of a point from the rectangle."""
        x, y = self.nearest(place)
        return (x - place[0]) ** 2 + (y - place[1]) ** 2


def around(place: Place, reach: Length = _POINT) -> Box:
    """The square around a point."""
    return Box(place[0] - reach, place[1] - reach, place[0] + reach, place[1] + reach)


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a label lies; ``leader`` joins a label that lies further off with its point."""

    box: Box
    leader: Segment | None = None


def placed(points: Sequence[Place], widths: Sequence[Length], lines: Sequence[Segment], within: Box) -> list[Placed]:
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
        free = [
            place
            for place in _candidates(point, width, within.middle)
            if within.holds(place.box) and not any(place.box.meets(other) for other in taken)
        ]
        apart = [place for place in free if _is_told_apart(place, point, points, taken)]
        clear = [place for place in apart if not any(place.box.is_crossed(line) for line in lines)]
        chosen = next(iter(clear or apart), None)
        if chosen is None:
            corner = (within.right + _COLUMN, within.top + beside * LINE_HEIGHT)
            box = Box(*corner, corner[0] + width, corner[1] + LINE_HEIGHT)
            chosen, beside = Placed(box, (point, box.nearest(point))), beside + 1
        found.append(chosen)
        taken.append(chosen.box)
    return found


def _is_told_apart(place: Placed, point: Place, points: Sequence[Place], taken: Sequence[Box]) -> bool:
    """Whether it is plain which point a label belongs to."""
    others = [other for other in points if other != point]
    if place.leader is None:
        return all(place.box.distance(other) > 2 * place.box.distance(point) for other in others)
    own = around(point)
    return not any(box.is_crossed(place.leader) for box in taken if box != own)


def _candidates(point: Place, width: Length, middle: Place) -> Iterator[Placed]:
    """Places around a point, nearer ones first, those on the side away from the middle before the others."""
    outward = (point[0] - middle[0], point[1] - middle[1])

    def inward(way: tuple[int, int]) -> Length:
        return -Fraction(way[0] * outward[0] + way[1] * outward[1]) / (abs(way[0]) + abs(way[1]))

    half, height = Fraction(width) / 2, Fraction(LINE_HEIGHT, 2)
    for reach in (_BESIDE, *_FURTHER):
        for right, down in sorted(_DIRECTIONS, key=inward):
            x, y = point[0] + right * (reach + half), point[1] + down * (reach + height)
            box = Box(x - half, y - height, x + half, y + height)
            yield Placed(box, None if reach == _BESIDE else (point, box.nearest(point)))
