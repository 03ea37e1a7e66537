"""Numbers that a picture draws: a grid of weights, whose labels in reading order are those of an array."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from symattn.check.agreement import stand
from symattn.check.quantities import Array, Known
from symattn.check.reading.page import PageText
from symattn.check.reading.printed import Printed, printed
from symattn.check.reading.sources import PICTURE
from symattn.check.written import Written
from symattn.exact.values import Value

Wrong = tuple[Printed, Value]

_LABEL: Final = re.compile(r"\$(?P<number>\d+\.\d+)\$")
_FEWEST: Final = 4


def drawn(page: PageText, known: Known, written: Written, start: int, end: int) -> Iterator[Wrong]:
    """The one label of a grid that is not the weight in its place, where all others are."""
    for picture in PICTURE.finditer(page.source, start, end):
        labels = list(_labels(page, picture.start(), picture.end()))
        grids = [array for array in known.arrays if array.quantity == "weights" and len(_seen(array)) == len(labels)]
        differing = [_differing(labels, grid, written) for grid in grids]
        fewest = min(differing, key=len, default=[])
        if len(labels) >= _FEWEST and len(fewest) == 1:
            yield fewest[0]


def _labels(page: PageText, start: int, end: int) -> Iterator[Printed]:
    """The lone decimals between dollar signs: what else a picture holds says how it is drawn."""
    for found in _LABEL.finditer(page.text, start, end):
        number = printed(found["number"], found.start("number"))
        if number is not None:
            yield number


def _seen(array: Array) -> list[tuple[int, int]]:
    """The places of an array that are not hidden, in reading order."""
    rows, columns = array.shape
    return [
        (row, column)
        for row in range(rows)
        for column in range(columns)
        if not (array.hidden and array.hidden[row][column])
    ]


def _differing(labels: list[Printed], array: Array, written: Written) -> list[Wrong]:
    """Each label that neither prints the exact value in its place nor says again what the page prints for it."""
    return [
        (label, array.rows[row][column])
        for label, (row, column) in zip(labels, _seen(array), strict=True)
        if stand(label, array.rows[row][column]) != "correct"
        and all(
            cell.value != label.value for cell in written.cells(array.quantity, array.head, array.section, row, column)
        )
    ]
