"""Line plots laid out: a legend above, axes with ticks, series that differ in colour, dash and marker."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from symattn.exact.numbers import ZERO
from symattn.exact.values import Plain, Value
from symattn.pictures import Plot
from symattn.render.drawing.axes import Axis, linear, logarithmic, tick_label
from symattn.render.drawing.labels import BASE, LINE_HEIGHT, Words, Writing, width, words_label
from symattn.render.drawing.marks import Circle, Drawing, Length, Mark, Path, Place, Text, line, moved, rectangle
from symattn.render.drawing.palette import FAINT, GREY, LINE, SERIES, Style
from symattn.rounding.position import rough

_WIDTH: Final = 380
_HEIGHT: Final = 220
_MARGIN: Final = 4
_GAP: Final = 8
_SAMPLE: Final = 34
_DOT: Final = 4
_ORIGIN: Final = Plain(ZERO)


def plot_drawing(picture: Plot, words: Words, writing: Writing) -> Drawing:
    """Every series as a line through its points, with a marker at each."""
    points = [point for series in picture.series for point in series.points]
    across = _axis([point.x for point in points], _WIDTH, picture.x_scale)
    up = _axis([point.y for point in points], -_HEIGHT, picture.y_scale)
    marks, left = _ground(across, up, writing)
    for series, style in zip(picture.series, SERIES, strict=False):
        places = tuple((across.at(point.x), _HEIGHT + up.at(point.y)) for point in series.points)
        marks.append(Path(places, stroke=style.colour, width=16, dash=style.dash))
        marks += [_marker(place, style) for place in places]
    legend = _legend(picture, words)
    marks.append(Text((Fraction(_WIDTH, 2), _HEIGHT + 2 * LINE_HEIGHT + _GAP), words_label(words["x"]), _WIDTH))
    title = words_label(words["y"])
    marks.append(Text((-left, -2 * _GAP), title, width(title), "start"))
    top = LINE_HEIGHT * (len(picture.series) + 1) + 3 * _GAP
    rows = [
        mark.place[0] + mark.room for mark in (*legend, *marks) if isinstance(mark, Text) and mark.anchor == "start"
    ]
    right = max(_WIDTH + _ends(across, writing), *rows)
    all_marks = moved([*marks, *moved(legend, -left, -top)], left + _MARGIN, top + _MARGIN)
    return Drawing(
        left + int(right) + 1 + 2 * _MARGIN, top + _HEIGHT + 2 * LINE_HEIGHT + 2 * _GAP + 2 * _MARGIN, all_marks
    )


def _axis(values: Sequence[Value], length: int, scale: str) -> Axis:
    """A linear axis begins at 0 where that costs less than half of its length."""
    if scale == "log":
        return logarithmic(values, length)
    low, high = min(map(rough, values)), max(map(rough, values))
    return linear([*values, _ORIGIN] if 0 < 2 * low <= high else values, length)


def _ends(across: Axis, writing: Writing) -> int:
    """How far the last tick's number reaches beyond the frame."""
    return int(width(tick_label(across.ticks[-1], writing)) / 2) + 1


def _ground(across: Axis, up: Axis, writing: Writing) -> tuple[list[Mark], int]:
    """The frame with faint lines at the ticks and their numbers; and how much room the numbers take on the left."""
    marks: list[Mark] = []
    each = Fraction(_WIDTH, len(across.ticks) - 1)
    for tick, x in across.stops():
        marks.append(line((x, 0), (x, _HEIGHT), stroke=FAINT))
        marks.append(Text((x, _HEIGHT + LINE_HEIGHT), tick_label(tick, writing), each, colour=GREY))
    widest: Length = 0
    for tick, rise in up.stops():
        y, label = _HEIGHT + rise, tick_label(tick, writing)
        widest = max(widest, width(label))
        marks.append(line((0, y), (_WIDTH, y), stroke=FAINT))
        marks.append(Text((-_GAP, y + BASE), label, width(label), "end", GREY))
    marks.append(Path(rectangle(0, 0, _WIDTH, _HEIGHT), closed=True, stroke=LINE))
    return marks, int(widest) + 1 + _GAP


def _marker(place: Place, style: Style) -> Mark:
    x, y = place
    shapes = {
        "square": rectangle(x - _DOT, y - _DOT, 2 * _DOT, 2 * _DOT),
        "triangle": ((x - _DOT - 1, y + _DOT), (x + _DOT + 1, y + _DOT), (x, y - _DOT - 1)),
        "diamond": ((x - _DOT - 1, y), (x, y - _DOT - 1), (x + _DOT + 1, y), (x, y + _DOT + 1)),
    }
    if style.marker in shapes:
        return Path(shapes[style.marker], closed=True, fill=style.colour)
    return Circle(place, _DOT, style.colour)


def _legend(picture: Plot, words: Words) -> list[Mark]:
    """One line a series: a piece of its line with its marker, and its name."""
    marks: list[Mark] = []
    for row, (series, style) in enumerate(zip(picture.series, SERIES, strict=False)):
        base = LINE_HEIGHT * row + LINE_HEIGHT - BASE
        label = words_label(words[series.name])
        marks.append(line((0, base - BASE), (_SAMPLE, base - BASE), stroke=style.colour, width=16, dash=style.dash))
        marks.append(_marker((_SAMPLE // 2, base - BASE), style))
        marks.append(Text((_SAMPLE + _GAP, base), label, width(label), "start"))
    return marks
