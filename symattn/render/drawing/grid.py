"""Grids laid out: one row a query and one column a key, or turned."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from symattn.pictures import Grid, Mask
from symattn.render.drawing.labels import BASE, LINE_HEIGHT, Words, Writing, name, number, width, words_label
from symattn.render.drawing.marks import Drawing, Length, Mark, Text, box, line
from symattn.render.drawing.palette import DEEPEST, FAINT, GREY, LINE, WHITE, Colour, shade

_CELL_HEIGHT: Final = 32
_NARROWEST: Final = 44
_WIDEST: Final = 600
"""All columns together, where their names would take more."""
_NAMES: Final = 150
_GAP: Final = 8
_MARGIN: Final = 4


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the cells lie, and the marks around them."""

    left: Length
    top: Length
    cell: Length
    marks: tuple[Mark, ...]

    def corner(self, row: int, column: int) -> tuple[Length, Length]:
        """The upper left corner of a cell."""
        return self.left + column * self.cell, self.top + row * _CELL_HEIGHT


def grid_drawing(picture: Grid, words: Words, writing: Writing) -> Drawing:
    """Each cell with its number, the darker the larger its weight; what may not be seen is crossed out."""
    texts = [[number(cell.text, writing) for cell in row] for row in picture.cells]
    widest = max(width(label) for row in texts for label in row)
    frame = _frame(picture, widest, words)
    marks: list[Mark] = []
    for i, row in enumerate(picture.cells):
        for j, cell in enumerate(row):
            x, y = frame.corner(i, j)
            marks.append(box(x, y, frame.cell, _CELL_HEIGHT, shade(cell.value) if cell.seen else WHITE, LINE))
            middle = (x + Fraction(frame.cell) / 2, y + _CELL_HEIGHT // 2 + BASE)
            marks += [] if cell.seen else _cross(x, y, frame.cell, FAINT)
            marks.append(Text(middle, texts[i][j], frame.cell - 4, colour=None if cell.seen else GREY))
    return _drawing(frame, marks, len(picture.rows), len(picture.columns))


def mask_drawing(picture: Mask, words: Words) -> Drawing:
    """Each cell filled where the query may look, crossed out where it may not."""
    frame = _frame(picture, 0, words)
    marks: list[Mark] = []
    for i, row in enumerate(picture.seen):
        for j, seen in enumerate(row):
            x, y = frame.corner(i, j)
            marks.append(box(x, y, frame.cell, _CELL_HEIGHT, DEEPEST if seen else WHITE, LINE))
            marks += [] if seen else _cross(x, y, frame.cell, LINE)
    return _drawing(frame, marks, len(picture.rows), len(picture.columns))


def _cross(x: Length, y: Length, cell: Length, stroke: Colour) -> list[Mark]:
    right, bottom = x + cell, y + _CELL_HEIGHT
    return [line((x, y), (right, bottom), stroke=stroke), line((x, bottom), (right, y), stroke=stroke)]


def _frame(picture: Grid | Mask, widest: Length, words: Words) -> _Frame:
    """Names before the rows and above the columns, with a word for each side; ``widest`` is the widest number."""
    rows, columns, sides = picture.rows, picture.columns, words["turned" if picture.turned else "straight"]
    looks, at = words_label(sides["rows"]), words_label(sides["columns"])
    most = max(Fraction(_WIDEST, len(columns)), widest + 2 * _GAP)
    needed = max(widest, *(width(name(text, _NAMES)) for text in columns), width(at) / len(columns)) + 2 * _GAP
    cell = Fraction(int(min(max(needed, _NARROWEST), most)) + 1)
    names = [name(text, _NAMES) for text in rows]
    side = Fraction(int(max(width(looks), *map(width, names))) + 1)
    left, top = _MARGIN + side + _GAP, _MARGIN + 2 * LINE_HEIGHT + _GAP
    middle = left + cell * len(columns) / 2
    marks: list[Mark] = [
        Text((left - _GAP, top - _GAP), looks, side, "end", GREY),
        Text((middle, _MARGIN + LINE_HEIGHT - BASE), at, cell * len(columns), "middle", GREY),
    ]
    for index, text in enumerate(columns):
        room = cell - _GAP
        marks.append(Text((left + cell * index + cell / 2, top - _GAP), name(text, room), room))
    for index, label in enumerate(names):
        base = top + index * _CELL_HEIGHT + _CELL_HEIGHT // 2 + BASE
        marks.append(Text((left - _GAP, base), label, side, "end"))
    return _Frame(left, top, cell, tuple(marks))


def _drawing(frame: _Frame, marks: list[Mark], rows: int, columns: int) -> Drawing:
    right, bottom = frame.corner(rows, columns)
    return Drawing(right + _MARGIN, bottom + _MARGIN, (*marks, *frame.marks))
