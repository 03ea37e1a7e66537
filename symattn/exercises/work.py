"""A candidate being judged: what its heads start from, and its exact numbers where intervals do not decide."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from symattn.exact.attention import Result, attention, projections
from symattn.exact.values import Value
from symattn.exercises import draw, walk
from symattn.exercises.draw import Drawn
from symattn.exercises.fixed import UNIT, Interval, Number
from symattn.exercises.recipe import Ask, Recipe
from symattn.exercises.slips import Slip
from symattn.exercises.walk import Course, Start
from symattn.policies import exponential_table
from symattn.problem import Attention, Problem

_THOUSANDTH: Final = UNIT // 1000


@dataclass(eq=False)
class Work:
    """One candidate being judged: its heads, and its exact result where a comparison needs it."""

    recipe: Recipe
    drawn: Drawn
    options: Attention
    heads: tuple[Start, ...]
    mixing: walk.Mixing
    restarted: dict[Slip, tuple[Start, ...]] = field(default_factory=dict)

    def sharp(self, interval: Interval, ask: Ask, place: tuple[int, int], course: Course) -> Interval:
        """A single number where the interval holds a multiple of 1/1000 that the exact number is; else the interval.

        Where the scores of a row are integers and only scaled, a weighted mean is c exactly when for each score the
        numbers v - c of its keys add to 0: e^a are linearly independent for distinct algebraic a.
        """
        low, high = interval
        thousandths = -(-low // _THOUSANDTH)
        if (
            low == high
            or thousandths * _THOUSANDTH > high
            or ask.array not in ("weights", "output")
            or not course.is_plain
        ):
            return interval
        row, column = place
        start, mask = self.heads[ask.head], course.masks[ask.head]
        sums: dict[Number, int] = {}
        for j, score in enumerate(start.scores[row]):
            value = start.value[j][column] if ask.array == "output" else int(j == column)
            if type(score) is not int or type(value) is not int:
                return interval
            if mask is None or mask[row][j]:
                sums[score] = sums.get(score, 0) + 1000 * value - thousandths
        exact = thousandths * _THOUSANDTH
        return interval if any(sums.values()) else (exact, exact)

    def heads_by(self, slip: Slip) -> tuple[Start, ...]:
        """What the heads start from, by a slip."""
        if not slip.restarts:
            return self.heads
        if slip not in self.restarted:
            self.restarted[slip] = walk.starts(self.drawn, self.options, slip.deviation)
        return self.restarted[slip]

    @cached_property
    def problem(self) -> Problem:
        """The candidate as a problem."""
        return draw.problem(self.recipe, self.drawn)

    @cached_property
    def result(self) -> Result:
        """Everything about it, exact."""
        return attention(projections(self.problem), self.problem.attention)

    def value(self, ask: Ask, row: int, column: int) -> Value:
        """One number, exact."""
        return exact_value(self.result, ask.array, ask.head, row, column)


def exact_value(result: Result, array: str, head: int, row: int, column: int) -> Value:
    """One number of a result, exact."""
    if array == "final":
        found = result.output
    elif array == "exponentials":
        found = exponential_table(result.heads[head])
    else:
        found = getattr(result.heads[head], array)
    value: Value = found[row, column]
    return value
