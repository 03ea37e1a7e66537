"""What follows from a student's own earlier numbers: the rest of the walk, from the last row that they wrote in full.

Which earlier numbers an answer hangs on, and by which steps, is said here once. The steps themselves are a parameter:
``Intervals`` works them, and a course system that marks by itself has them written down in its own language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from symattn.exercises import fixed, walk
from symattn.exercises.fair import given as handed_in
from symattn.exercises.fixed import Interval, Number, TooFarError, point
from symattn.exercises.walk import Course
from symattn.exercises.work import Work

N = TypeVar("N")
L = TypeVar("L")
Own: TypeAlias = "Mapping[tuple[str, int], Mapping[tuple[int, int], N]]"
"""A student's numbers by array and head, and by place."""

_ROWS: Final = ("scores", "scaled", "exponentials", "weights", "output")
"""Arrays that follow from one another row by row."""


class Steps(Protocol[N, L]):
    """The steps of a working: N is a number that may have been written, L a row of them."""

    def row(self, numbers: Sequence[N]) -> L:
        """A row of these."""

    def known(self, intervals: Sequence[Interval]) -> L:
        """A row of numbers that the student did not hand in."""

    def entry(self, line: L, column: int) -> N:
        """One number of a row."""

    def scaled(self, line: L) -> L:
        """Scores times the scale."""

    def exponentials(self, line: L, head: int, row: int) -> L:
        """Exponentials of the logits of scaled scores; 0 where the query may not look."""

    def weights(self, line: L, head: int, row: int) -> L:
        """Exponentials over their sum, 0 where the query may not look."""

    def dot(self, line: L, other: L) -> N:
        """The sum of the products."""

    def plus(self, number: N, known: Number) -> N:
        """The number and a known one."""


@dataclass(frozen=True, slots=True)
class Working(Generic[N, L]):
    """A student's numbers, and the steps by which others follow from them."""

    steps: Steps[N, L]
    course: Course
    work: Work
    own: Own[N]

    def number(self, array: str, head: int, row: int, column: int) -> N | None:
        """A number as it follows from the student's own earlier ones; None where it hangs on none of them."""
        if array == "final":
            return self._final(row, column)
        if array not in _ROWS:
            return None
        line = self._line(_ROWS.index(array), head, row)
        values = self._columns("value", head, len(self.work.heads[head].value[0]), self.work.heads[head].value)
        if array != "output":
            return None if line is None else self.steps.entry(line, column)
        if line is None:
            line = None if values is None else self._weights(head, row)
        if line is None:
            return None
        mixing = values or [self._known(entries) for entries in zip(*self.work.heads[head].value, strict=True)]
        return self.steps.dot(line, mixing[column])

    def _line(self, last: int, head: int, row: int) -> L | None:
        """The row of an array, or the row of weights for the output, from the last row before that is whole."""
        width = len(self.work.heads[head].key)
        for before in reversed(range(last)):
            line = self._whole(_ROWS[before], head, row, width)
            if line is not None:
                return self._onward(line, before, last, head, row)
        scores = self._scores(head, row)
        return None if scores is None else self._onward(scores, 0, last, head, row)

    def _onward(self, line: L, before: int, last: int, head: int, row: int) -> L:
        for step in _ROWS[before + 1 : last + 1]:
            if step == "scaled":
                line = self.steps.scaled(line)
            elif step == "exponentials":
                line = self.steps.exponentials(line, head, row)
            elif step == "weights":
                line = self.steps.weights(line, head, row)
        return line

    def _scores(self, head: int, row: int) -> L | None:
        """A row of scores from the student's own queries or keys."""
        start = self.work.heads[head]
        query = self._whole("query", head, row, len(start.query[0]))
        keys = [self._whole("key", head, place, len(entries)) for place, entries in enumerate(start.key)]
        own = [key for key in keys if key is not None]
        if query is None and len(own) < len(keys):
            return None
        query = query or self._known(start.query[row])
        keys_used = own if len(own) == len(keys) else [self._known(entries) for entries in start.key]
        return self.steps.row([self.steps.dot(query, key) for key in keys_used])

    def _weights(self, head: int, row: int) -> L | None:
        """A row of weights as whoever mixes their own values has them."""
        line = next(walk.weights(self.course, self.work.heads[head], head, (row,)))
        return None if line is None else self.steps.known(line)

    def _final(self, row: int, column: int) -> N | None:
        """The final output from the student's own outputs of every head."""
        numbers: list[N] = []
        for head, start in enumerate(self.work.heads):
            cells, width = self.own.get(("output", head), {}), len(start.value[0])
            numbers += [cells[row, place] for place in range(width) if (row, place) in cells]
        table, bias = self.work.mixing
        if len(numbers) < sum(len(start.value[0]) for start in self.work.heads):
            return None
        line = self.steps.row(numbers)
        if table is None:
            found = self.steps.entry(line, column)
        else:
            found = self.steps.dot(line, self._known(entries[column] for entries in table))
        return found if bias is None else self.steps.plus(found, bias[0][column])

    def _known(self, numbers: Iterable[Number]) -> L:
        return self.steps.known([point(number) for number in numbers])

    def _whole(self, array: str, head: int, row: int, width: int) -> L | None:
        """A row that the student wrote in full."""
        cells = self.own.get((array, head), {})
        line = [cells[row, column] for column in range(width) if (row, column) in cells]
        return self.steps.row(line) if len(line) == width else None

    def _columns(self, array: str, head: int, width: int, rows: Sequence[object]) -> list[L] | None:
        """The columns of a table that the student wrote in full."""
        cells = self.own.get((array, head), {})
        columns = [
            [cells[row, column] for row in range(len(rows)) if (row, column) in cells] for column in range(width)
        ]
        return [self.steps.row(line) for line in columns] if all(len(line) == len(rows) for line in columns) else None


@dataclass(frozen=True, slots=True)
class Intervals:
    """The steps worked: a number is the interval of everything that may have been written."""

    course: Course

    def row(self, numbers: Sequence[Interval]) -> list[Interval]:
        """A row of these."""
        return list(numbers)

    def known(self, intervals: Sequence[Interval]) -> list[Interval]:
        """A row of these."""
        return list(intervals)

    def entry(self, line: list[Interval], column: int) -> Interval:
        """One number of a row."""
        return line[column]

    def scaled(self, line: list[Interval]) -> list[Interval]:
        """Each written score times the scale, written."""
        return [self._written(fixed.product(entry, self.course.factor)) for entry in line]

    def exponentials(self, line: list[Interval], head: int, row: int) -> list[Interval]:
        """The logits of written scaled scores, raised."""
        mask, biases, course = self.course.masks[head], self.course.biases[head], self.course
        return [
            course.raised(course.from_scaled(entry, None if biases is None else biases[row][j]))
            if mask is None or mask[row][j]
            else (0, 0)
            for j, entry in enumerate(line)
        ]

    def weights(self, line: list[Interval], head: int, row: int) -> list[Interval]:
        """The shares of those that are seen."""
        mask, course = self.course.masks[head], self.course
        seen = [entry if mask is None or mask[row][j] else None for j, entry in enumerate(line)]
        found = walk.shares(seen, course.sinks[head], course.pencil, course.options.masked_row)
        return found or [(0, 0)] * len(line)

    def dot(self, line: list[Interval], other: list[Interval]) -> Interval:
        """The sum of the products, each written or not."""
        products = (self._written(fixed.product(a, b)) for a, b in zip(line, other, strict=True))
        return self._written(fixed.total(products))

    def plus(self, number: Interval, known: Number) -> Interval:
        """The sum, written."""
        return self._written(fixed.total((number, point(known))))

    def _written(self, interval: Interval) -> Interval:
        return self.course.pencil.written(interval)


def follows(
    course: Course, work: Work, own: Own[Interval], place: tuple[str, int, int, int], decimals: int
) -> Interval | None:
    """What may be handed in for a number by who works on from their own; None where it hangs on none of them.

    ``place`` is its array, head, row and column.
    """
    try:
        found = Working(Intervals(course), course, work, own).number(*place)
    except TooFarError:
        return None
    return None if found is None else handed_in(found, decimals)
