"""The values' hull laid out, with the outputs in it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from symattn.pictures import Hull, Spot
from symattn.render.drawing.axes import Axis, linear, tick_label
from symattn.render.drawing.labels import BASE, LINE_HEIGHT, Label, Words, Writing, name, vector, width, words_label
from symattn.render.drawing.marks import Circle, Drawing, Length, Mark, Path, Place, Text, box, line, moved, rectangle
from symattn.render.drawing.palette import AREA, GREY, INK, LINE, MIXED, WHITE
from symattn.render.drawing.placing import Box, placed

_SIDE: Final = 220
_BESIDE: Final = 90
_ABOVE: Final = 36
"""Room for labels around the square that holds the points."""
_FRAME: Final = (-_BESIDE, -_ABOVE, _SIDE + _BESIDE, _SIDE + _ABOVE)
_LEFT, _TOP, _RIGHT, _BOTTOM = _FRAME
_MARGIN: Final = 4
_GAP: Final = 6
_TICK: Final = 5
_NAMES: Final = 110
_DOT: Final = 4


def hull_drawing(picture: Hull, words: Words, writing: Writing) -> Drawing:
    """Values as squares at and inside the hull's corners, outputs as dots, each with its name."""
    spots = (*picture.values, *picture.outputs)
    across, up = linear([spot.x for spot in spots], _SIDE), linear([spot.y for spot in spots], -_SIDE)
    places = [(across.at(spot.x), _SIDE + up.at(spot.y)) for spot in spots]
    values, outputs = places[: len(picture.values)], places[len(picture.values) :]
    corners = tuple(values[corner] for corner in picture.corners)
    labels = [_value_label(spot, writing) for spot in picture.values]
    labels += [(*words_label(words["new"]), *name(" " + _names(spot), _NAMES)) for spot in picture.outputs]
    edges = [(corners[index - 1], corners[index]) for index in range(len(corners))]
    marks: list[Mark] = [
        Path(corners, closed=True, fill=AREA, stroke=INK, width=12),
        *_labelled(places, labels, edges),
        *(_square(place) for place in values),
        *(Circle(place, _DOT, MIXED) for place in outputs),
    ]
    titles = _titles(words)
    ground, left = _ground(across, up, writing)
    return _whole([*ground, *marks, *titles], left)


def _names(spot: Spot) -> str:
    return ", ".join(spot.names)


def _value_label(spot: Spot, writing: Writing) -> Label:
    return (*name(_names(spot) + " ", _NAMES), *vector(spot.texts, writing))


def _square(place: Place) -> Path:
    x, y = place
    return Path(rectangle(x - _DOT, y - _DOT, 2 * _DOT, 2 * _DOT), closed=True, fill=WHITE, stroke=INK, width=15)


def _ground(across: Axis, up: Axis, writing: Writing) -> tuple[list[Mark], Length]:
    """The frame with ticks and their numbers; and how far the numbers reach to its left."""
    marks: list[Mark] = []
    for tick, x in across.stops():
        label = tick_label(tick, writing)
        marks.append(line((x, _BOTTOM), (x, _BOTTOM + _TICK), stroke=LINE))
        marks.append(Text((x, _BOTTOM + LINE_HEIGHT + 2), label, Fraction(_SIDE, len(across.ticks)), colour=GREY))
    widest: Length = 0
    for tick, rise in up.stops():
        y, label = _SIDE + rise, tick_label(tick, writing)
        widest = max(widest, width(label))
        marks.append(line((_LEFT - _TICK, y), (_LEFT, y), stroke=LINE))
        marks.append(Text((_LEFT - _TICK - _GAP, y + BASE), label, width(label), "end", GREY))
    frame = box(_LEFT, _TOP, _RIGHT - _LEFT, _BOTTOM - _TOP, None, LINE)
    return [*marks, frame], widest + _TICK + _GAP


def _titles(words: Words) -> list[Mark]:
    """The axes' names, and below them what a square and a dot mean."""
    across, up, value, output = (words_label(words[key]) for key in ("x", "y", "value", "output"))
    below = _BOTTOM + 2 * LINE_HEIGHT + _GAP
    legend = below + LINE_HEIGHT + _GAP
    start = _SIDE // 2 - int(width(value) + width(output) + 60) // 2
    second = start + 16 + int(width(value)) + 28
    return [
        Text((Fraction(_SIDE, 2), below), across, width(across), "middle", GREY),
        Text((_LEFT, _TOP - _GAP), up, width(up), "start", GREY),
        _square((start, legend - BASE)),
        Text((start + 12, legend), value, width(value), "start", GREY),
        Circle((second, legend - BASE), _DOT, MIXED),
        Text((second + 12, legend), output, width(output), "start", GREY),
    ]


def _labelled(places: Sequence[Place], labels: Sequence[Label], edges: Sequence[tuple[Place, Place]]) -> list[Mark]:
    """The labels, each beside its point or with a line to it."""
    marks: list[Mark] = []
    widths = [2 * (_hundredths(width(label)) // 2 + 100) for label in labels]
    lines = [(_whole_place(one), _whole_place(other)) for one, other in edges]
    within = Box(*(_hundredths(side) for side in _FRAME))
    for label, found in zip(labels, placed(list(map(_whole_place, places)), widths, lines, within), strict=True):
        if found.leader is not None:
            marks.append(line(*map(_length_place, found.leader), stroke=GREY, width=6))
        x, y = _length_place(found.box.middle)
        marks.append(Text((x, y + BASE), label, Fraction(found.box.right - found.box.left, 100)))
    return marks


def _hundredths(length: Length) -> int:
    return int(length * 100)


def _whole_place(place: Place) -> tuple[int, int]:
    return _hundredths(place[0]), _hundredths(place[1])


def _length_place(place: tuple[int, int]) -> Place:
    return Fraction(place[0], 100), Fraction(place[1], 100)


def _whole(marks: Sequence[Mark], left: Length) -> Drawing:
    """All of it, moved so that it begins at the margin."""
    ends = [mark.place[0] + mark.room / 2 for mark in marks if isinstance(mark, Text) and mark.anchor == "middle"]
    right, bottom = max(_RIGHT, *ends), _BOTTOM + 3 * LINE_HEIGHT + 2 * _GAP
    top = _TOP - LINE_HEIGHT - _GAP
    origin = -_LEFT + int(left) + 1 + _MARGIN
    return Drawing(origin + int(right) + 1 + _MARGIN, bottom - top + 2 * _MARGIN, moved(marks, origin, -top + _MARGIN))
