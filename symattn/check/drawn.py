"""Numbers that a picture draws: labels in a grid of weights, vectors beside points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from symattn.check.agreement import stand
from symattn.check.axes import NUMBER, out_of_step
from symattn.check.quantities import Array, Known
from symattn.check.reading.page import PageText
from symattn.check.reading.printed import Printed, printed
from symattn.check.reading.sources import PICTURE
from symattn.check.written import Written
from symattn.exact.values import Value

Wrong = tuple[Printed, Value]

_LABEL: Final = re.compile(rf"\$(?P<number>{NUMBER})\$")
_VECTORS: Final = (
    re.compile(rf"[(\[]\$(?P<first>{NUMBER})\$[,;] ?\$(?P<second>{NUMBER})\$[)\]]"),
    re.compile(rf"\$[(\[](?P<first>{NUMBER})[,;] ?(?P<second>{NUMBER})[)\]]\$"),
)
"""A pair in words, whose numbers are formulas, or a pair that is one formula: a pair alone says where something is."""
_FEWEST: Final = 3
_PLANE: Final = 2
_OF_POINTS: Final = ("value", "query", "key", "X", "output")


def drawn(page: PageText, known: Known, written: Written, start: int, end: int) -> Iterator[Wrong]:
    """The one number of a picture that does not agree, where all others do."""
    for picture in PICTURE.finditer(page.source, start, end):
        inside = picture.start(), picture.end()
        labels, vectors = list(_labels(page, *inside)), list(_vectors(page, *inside))
        weights = [array for array in known.arrays if array.quantity == "weights"]
        points = [array for array in known.arrays if array.quantity in _OF_POINTS and array.shape[1] == _PLANE]
        yield from _only(labels, weights, written)
        yield from _only(vectors, points, written)
        yield from out_of_step(page.source, *inside)


def _only(labels: Sequence[Printed], arrays: Sequence[Array], written: Written) -> Iterator[Wrong]:
    """The one label that is not the number in its place, in the array that the others agree with most."""
    if len(labels) < _FEWEST:
        return
    ways = [(array, places) for array in arrays for places in _orders(array) if len(places) == len(labels)]
    fewest = min((_differing(labels, array, places, written) for array, places in ways), key=len, default=[])
    if len(fewest) == 1:
        yield fewest[0]


def _labels(page: PageText, start: int, end: int) -> Iterator[Printed]:
    """The lone numbers between dollar signs: what else a picture holds says how it is drawn."""
    for found in _LABEL.finditer(page.text, start, end):
        number = printed(found["number"], found.start("number"))
        if number is not None:
            yield number


def _vectors(page: PageText, start: int, end: int) -> Iterator[Printed]:
    """The numbers of the pairs that stand beside points."""
    found = [pair for pattern in _VECTORS for pair in pattern.finditer(page.source, start, end)]
    for pair in sorted(found, key=lambda pair: pair.start()):
        for side in ("first", "second"):
            number = printed(pair[side], pair.start(side))
            if number is not None:
                yield number


def _orders(array: Array) -> Iterator[list[tuple[int, int]]]:
    """The places of an array as a picture may go through them: row by row or column by column, with what is hidden or
    without.
    """
    rows, columns = array.shape
    by_rows = [(row, column) for row in range(rows) for column in range(columns)]
    for places in (by_rows, sorted(by_rows, key=lambda place: place[::-1])):
        yield places
        if array.hidden:
            yield [(row, column) for row, column in places if not array.hidden[row][column]]


def _differing(
    labels: Sequence[Printed], array: Array, places: Sequence[tuple[int, int]], written: Written
) -> list[Wrong]:
    """Each label that neither prints the exact value in its place nor says again what the page prints for it."""
    return [
        (label, array.rows[row][column])
        for label, (row, column) in zip(labels, places, strict=True)
        if stand(label, array.rows[row][column]) != "correct"
        and all(
            cell.value != label.value for cell in written.cells(array.quantity, array.head, array.section, row, column)
        )
    ]
