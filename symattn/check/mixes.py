"""Lines that mix values by their weights to an output, and the numbers in them that are not those of its row.

A weight or a value that is slightly another one may leave the line true, since its product is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symattn.check.agreement import stand
from symattn.check.findings import Findings
from symattn.check.operands import Mix, Wrong, mix, rows_of
from symattn.check.quantities import Array
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import Statement, numbers_in
from symattn.check.ruled import Ruled


def wrong_weights(to: Findings, ruled: Ruled, statement: Statement, true: bool | None) -> Iterator[Wrong]:
    """Of values mixed to an output that is known: the weights that are not those of its row.

    Where the line holds and some row was printed with all these weights, it is the row that was told wrongly.
    """
    line = _line(to, ruled, statement)
    if line is None:
        return
    mixed, values = line.mixed, line.values
    best: list[Wrong] | None = None
    for array in line.weights:
        keys = rows_of(array, mixed, values, line.row, line.column)
        if keys is None:
            continue
        if true and _is_printed_row(ruled, array, mixed.weights, keys):
            return
        wrong: list[Wrong] = []
        for number, key in zip(mixed.weights, keys, strict=True):
            cells = ruled.written.cells("weights", array.head, array.section, line.row, key)
            value = array.rows[line.row][key]
            if stand(number, value) != "correct" and number.value not in {cell.value for cell in cells}:
                wrong.append((number, value))
        if best is None or len(wrong) < len(best):
            best = wrong
    yield from best or ()


def wrong_values(to: Findings, ruled: Ruled, statement: Statement) -> Iterator[Wrong]:
    """Of a true line that mixes all values that a row sees to an output: the one number of them that is another."""
    line = _line(to, ruled, statement)
    if line is None:
        return
    mixed, values = line.mixed, line.values
    for array in line.weights:
        hidden = array.hidden[line.row] if array.hidden else (False,) * array.shape[1]
        keys = [key for key in range(values.shape[0]) if key < len(hidden) and not hidden[key]]
        if len(keys) != len(mixed.vectors) or any(len(vector) != values.shape[1] for vector in mixed.vectors):
            continue
        row = (array.rows[line.row][key] for key in keys)
        if all(stand(number, value) == "correct" for number, value in zip(mixed.weights, row, strict=True)):
            wrong = [
                (number, values.rows[key][column])
                for key, vector in zip(keys, mixed.vectors, strict=True)
                for column, number in enumerate(vector)
                if stand(number, values.rows[key][column]) != "correct"
                and all(
                    cell.value != number.value for cell in ruled.written.cells("value", values.head, 0, key, column)
                )
            ]
            if len(wrong) == 1 and values.shape[1] > 1:
                yield wrong[0]
            return


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that mixes ``values`` to the number of an output in a row and a column; the ``weights`` of its head."""

    mixed: Mix
    row: int
    column: int
    values: Array
    weights: tuple[Array, ...]


def _line(to: Findings, ruled: Ruled, statement: Statement) -> _Line | None:
    """What a line mixes, where it ends with an output that is known."""
    mixed = next((found for member in statement.members if (found := mix(member.node)) is not None), None)
    ends = (to.found.get(number.start) for number in numbers_in(statement.members[-1].node))
    made = next((found for found in ends if found is not None and found.quantity == "output"), None)
    if mixed is None or made is None or made.row is None:
        return None
    known, head = ruled.example.known, made.head or 0
    values = known.array("value", head, 0)
    weights = tuple(array for array in known.arrays if array.quantity == "weights" and array.head == head)
    return None if values is None else _Line(mixed, made.row, made.col or 0, values, weights)


def _is_printed_row(ruled: Ruled, array: Array, weights: tuple[Printed, ...], keys: list[int]) -> bool:
    """Whether the page has a row with all these weights."""
    for row in range(array.shape[0]):
        cells = [ruled.written.cells("weights", array.head, array.section, row, key) for key in keys]
        if all(any(cell.value == weight.value for cell in one) for one, weight in zip(cells, weights, strict=True)):
            return True
    return False
