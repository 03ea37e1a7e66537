"""Whether a candidate's numbers are fit for a pencil, and its weights neither uniform nor saturated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from symattn.exact.numbers import from_fraction
from symattn.exact.values import Value
from symattn.exercises import draw, walk
from symattn.exercises.fixed import UNIT, Interval, of_fraction, point
from symattn.exercises.recipe import Ask
from symattn.exercises.walk import Course
from symattn.exercises.work import Work
from symattn.rounding.decimal import side_of, sign_of_difference


class Unfair(Exception):  # noqa: N818 - a verdict about a candidate, which the judge catches
    """The constraint that a candidate fails."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def within_pencil(work: Work) -> None:
    """Refuse queries, keys, values and scores beyond the recipe's limits."""
    limits = work.recipe.limits
    for start in work.heads:
        for rows in (start.query, start.key, start.value):
            _all_within(rows, limits.largest_entry, limits.places, "largest_entry")
        _all_within(start.scores, limits.largest_score, limits.places, "largest_score")


def _all_within(rows: draw.Rows, most: Fraction, places: int | None, why: str) -> None:
    whole = most.numerator // most.denominator
    bound = of_fraction(most)[0]
    for row in rows:
        for entry in row:
            if isinstance(entry, int):
                if not -whole <= entry <= whole:
                    raise Unfair(why)
                continue
            low, high = point(entry)
            if high > bound or low < -bound:
                raise Unfair(why)
            if places is not None and not (low == high and low % (UNIT // 10**places) == 0):
                raise Unfair("places")


def balanced(work: Work, course: Course) -> None:
    """Refuse weights that are uniform or saturated beyond the recipe's limits."""
    limits = work.recipe.limits
    least, most, spread = (of_fraction(bound) for bound in (limits.least, limits.most, limits.spread))
    for head, start in enumerate(work.heads):
        rows, mask = range(len(start.query)), course.masks[head]
        for row, line in zip(rows, walk.weights(course, start, head, rows), strict=True):
            assert line is not None  # noqa: S101 - reading allows no other options
            seen = [j for j in range(len(line)) if mask is None or mask[row][j]]
            if len(seen) < 2:
                continue
            small, large = min(seen, key=line.__getitem__), max(seen, key=line.__getitem__)
            compared = _Compared(work, head, row, small, large)
            if _is_less(line[small], least, compared.below_least):
                raise Unfair("least")
            if _is_less(most, line[large], compared.above_most):
                raise Unfair("most")
            apart = (line[large][0] - line[small][1], line[large][1] - line[small][0])
            if _is_less(apart, spread, compared.under_spread):
                raise Unfair("spread")


@dataclass(frozen=True, slots=True)
class _Compared:
    """The least and the largest weight of a row beside the limits, exactly: where intervals do not decide."""

    work: Work
    head: int
    row: int
    small: int
    large: int

    def _weight(self, column: int) -> Value:
        return self.work.value(Ask("weights", head=self.head), self.row, column)

    def below_least(self) -> int:
        return side_of(self._weight(self.small), from_fraction(self.work.recipe.limits.least))

    def above_most(self) -> int:
        return -side_of(self._weight(self.large), from_fraction(self.work.recipe.limits.most))

    def under_spread(self) -> int:
        return sign_of_difference(
            self._weight(self.large), self._weight(self.small), from_fraction(self.work.recipe.limits.spread)
        )


def _is_less(left: Interval, right: Interval, sign: Callable[[], int]) -> bool:
    """Whether left < right; ``sign`` is the exact sign of the difference, asked for where the intervals meet."""
    if left[1] < right[0]:
        return True
    return False if left[0] >= right[1] else sign() < 0
