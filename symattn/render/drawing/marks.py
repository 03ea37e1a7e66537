"""What a drawing is made of: paths, circles and labels, in units of length with y downwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from symattn.render.drawing.labels import Label
from symattn.render.drawing.palette import Colour

Length: TypeAlias = Fraction | int
Place: TypeAlias = tuple[Length, Length]


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points, closed or open. ``dash`` holds lengths on and off in turn; ``width`` is in tenths."""

    points: tuple[Place, ...]
    closed: bool = False
    fill: Colour | None = None
    stroke: Colour | None = None
    width: int = 10
    dash: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Circle:
    """A filled circle."""

    centre: Place
    radius: Length
    fill: Colour


@dataclass(frozen=True, slots=True)
class Text:
    """A label whose base line begins, is centred or ends at a place, and may take ``room``."""

    place: Place
    label: Label
    room: Length
    anchor: str = "middle"
    colour: Colour | None = None


Mark: TypeAlias = Path | Circle | Text


@dataclass(frozen=True, slots=True)
class Drawing:
    """Marks, the first at the bottom, on a white page of this size."""

    width: Length
    height: Length
    marks: tuple[Mark, ...]


def rectangle(x: Length, y: Length, width: Length, height: Length) -> tuple[Place, ...]:
    """The corners of a rectangle, from its upper left one."""
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)


def box(x: Length, y: Length, width: Length, height: Length, fill: Colour | None, stroke: Colour | None) -> Path:
    """A rectangle."""
    return Path(rectangle(x, y, width, height), closed=True, fill=fill, stroke=stroke)


def line(*points: Place, stroke: Colour, width: int = 10, dash: tuple[int, ...] = ()) -> Path:
    """An open line."""
    return Path(points, stroke=stroke, width=width, dash=dash)


def moved(marks: Iterable[Mark], right: Length, down: Length) -> tuple[Mark, ...]:
    """The marks, shifted."""

    def shift(place: Place) -> Place:
        return place[0] + right, place[1] + down

    found: list[Mark] = []
    for mark in marks:
        match mark:
            case Path():
                found.append(replace(mark, points=tuple(map(shift, mark.points))))
            case Circle():
                found.append(replace(mark, centre=shift(mark.centre)))
            case Text():
                found.append(replace(mark, place=shift(mark.place)))
    return tuple(found)
