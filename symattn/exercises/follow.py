"""What follows from a student's own earlier numbers: the rest of the walk, from the last array that they wrote in full.

A number that was handed in stands for everything within half a unit of its last place, for the student may have kept
more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from symattn.exercises import fixed, walk
from symattn.exercises.draw import Rows
from symattn.exercises.fair import given as handed_in
from symattn.exercises.fixed import Interval, TooFarError, point
from symattn.exercises.key import KeyVariant
from symattn.exercises.slips import NONE
from symattn.exercises.walk import Course, Start

Own: TypeAlias = "Mapping[tuple[str, int], Mapping[tuple[int, int], Interval]]"
"""A student's numbers by array and head, and by place."""

_ROWS: Final = ("scores", "scaled", "exponentials", "weights", "output")
"""Arrays that follow from one another row by row."""


def follows(variant: KeyVariant, own: Own, array: str, head: int, row: int) -> list[Interval] | None:
    """What may be handed in for a row of an array by who works on from their own numbers; None if it hangs on none."""
    course = variant.judge.course(variant.work, NONE, variant.keep)
    try:
        found = _final(variant, course, own, row) if array == "final" else _row(variant, course, own, array, head, row)
    except TooFarError:
        return None
    return None if found is None else [handed_in(interval, variant.decimals) for interval in found]


def _row(variant: KeyVariant, course: Course, own: Own, array: str, head: int, row: int) -> Sequence[Interval] | None:
    """From the last row before that the student wrote in full; the scores from their own queries and keys."""
    if array not in _ROWS:
        return None
    start = variant.work.heads[head]
    value = _table(own, "value", head, start.value)
    for before in reversed(_ROWS[: _ROWS.index(array)]):
        line = _whole(own, before, head, row, len(start.key))
        if line is not None:
            return _onward(course, start, head, row, line, before, array, value)
    scores = _own_scores(course, own, start, head, row)
    if scores is not None:
        return scores if array == "scores" else _onward(course, start, head, row, scores, "scores", array, value)
    if array == "output" and value is not None:
        line = next(walk.weights(course, start, head, (row,)))
        return None if line is None else _mixed(line, value, course)
    return None


def _whole(own: Own, array: str, head: int, row: int, width: int) -> list[Interval] | None:
    cells = own.get((array, head), {})
    line = [cells.get((row, column)) for column in range(width)]
    found = [interval for interval in line if interval is not None]
    return found if len(found) == width else None


def _table(own: Own, array: str, head: int, exact: Rows) -> list[list[Interval]] | None:
    """A whole table of the student's."""
    rows = [_whole(own, array, head, row, len(exact[0])) for row in range(len(exact))]
    found = [row for row in rows if row is not None]
    return found if len(found) == len(exact) else None


def _own_scores(course: Course, own: Own, start: Start, head: int, row: int) -> list[Interval] | None:
    query = _whole(own, "query", head, row, len(start.query[0]))
    key = _table(own, "key", head, start.key)
    if query is None and key is None:
        return None
    q = query or [point(entry) for entry in start.query[row]]
    k = key or [[point(entry) for entry in line] for line in start.key]
    return [_dot(q, line, course) for line in k]


def _dot(left: Sequence[Interval], right: Sequence[Interval], course: Course) -> Interval:
    written = course.pencil.written
    return written(fixed.total(written(fixed.product(a, b)) for a, b in zip(left, right, strict=True)))


def _mixed(line: Sequence[Interval], value: Sequence[Sequence[Interval]], course: Course) -> list[Interval]:
    return [_dot(line, column, course) for column in zip(*value, strict=True)]


def _onward(
    course: Course,
    start: Start,
    head: int,
    row: int,
    line: Sequence[Interval],
    before: str,
    array: str,
    value: Sequence[Sequence[Interval]] | None,
) -> Sequence[Interval] | None:
    """The steps from one array of the row to a later one."""
    written, mask, biases = course.pencil.written, course.masks[head], course.biases[head]
    current: Sequence[Interval | None] = line
    for step in _ROWS[_ROWS.index(before) + 1 : _ROWS.index(array) + 1]:
        if step == "scaled":
            current = [written(fixed.product(entry, course.factor)) for entry in current if entry is not None]
        elif step == "exponentials":
            current = [
                course.raised(course.from_scaled(entry, None if biases is None else biases[row][j]))
                if entry is not None and (mask is None or mask[row][j])
                else None
                for j, entry in enumerate(current)
            ]
        elif step == "weights":
            seen = [entry if mask is None or mask[row][j] else None for j, entry in enumerate(current)]
            current = walk.shares(seen, course.sinks[head], course.pencil, course.options.masked_row) or []
        else:
            mixing = value or [[point(entry) for entry in entries] for entries in start.value]
            current = _mixed([entry or (0, 0) for entry in current], mixing, course)
    return [entry or (0, 0) for entry in current]


def _final(variant: KeyVariant, course: Course, own: Own, row: int) -> list[Interval] | None:
    """The final output from the student's own outputs of every head."""
    heads = variant.work.heads
    parts = [_whole(own, "output", head, row, len(start.value[0])) for head, start in enumerate(heads)]
    if None in parts:
        return None
    line = [entry for part in parts for entry in part or ()]
    table, bias = variant.work.mixing
    if table is not None:
        line = _mixed(line, [[point(entry) for entry in entries] for entries in table], course)
    if bias is not None:
        added = (fixed.total((entry, point(b))) for entry, b in zip(line, bias[0], strict=True))
        line = [course.pencil.written(entry) for entry in added]
    return line
