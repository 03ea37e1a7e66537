"""What each mistake gives in each blank, where it can be told from the right answer and from other mistakes."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.exercises.fair import Judge, columns_asked, decimal_of, distance, given
from symattn.exercises.fixed import UNIT, Interval
from symattn.exercises.slips import Slip
from symattn.exercises.variant import Answer, Cell, Variant
from symattn.exercises.work import Work
from symattn.rounding.decimal import positional


@dataclass(frozen=True, slots=True)
class Wrong:
    """What comes of a mistake in one blank: about ``text``, as far off as ``tolerance`` by honest rounding."""

    mistake: str
    text: str
    tolerance: str
    middle: int
    units: int


def wrong(judge: Judge, variant: Variant, answer: Answer) -> list[list[Wrong]]:
    """For each blank of a question the mistakes that are told there, in the catalogue's order.

    The interval of each lies outside the accepted one, and outside those of the mistakes before it.
    """
    work = judge.work(variant.drawn)
    places, keep = judge.recipe.rounding.decimals, variant.keep
    grain, fine = UNIT // 10**places, UNIT // 10 ** (keep + 1)
    found: list[list[Wrong]] = [[] for _ in answer.cells]
    for slip in judge.slips(variant.drawn.option):
        if not slip.shows_in(answer.ask.array):
            continue
        for cell, others, interval in zip(answer.cells, found, intervals(judge, work, answer, slip, keep), strict=True):
            if interval is None:
                continue
            middle = (interval[0] + interval[1] + grain) // (2 * grain) * grain
            units = distance(given(interval, places), middle, keep + 1)
            if _is_apart(middle, units, cell, others):
                text = positional(middle // grain, places)
                others.append(Wrong(slip.key, text, decimal_of(units // fine * fine, keep + 1), middle, units))
    return found


def intervals(judge: Judge, work: Work, answer: Answer, slip: Slip, keep: int) -> list[Interval | None]:
    """What a slip may make of each blank, before the last rounding; None where it leaves no number, or no bounds."""
    return [
        None if line is None else line[column]
        for line in judge.bounded(work, answer.ask, slip, keep)
        for column in columns_asked(answer.ask, line, answer)
    ]


def _is_apart(middle: int, units: int, cell: Cell, others: list[Wrong]) -> bool:
    """Whether an interval meets neither the accepted one nor another mistake's."""
    if abs(middle - cell.middle) <= units + cell.units:
        return False
    return all(abs(middle - other.middle) > units + other.units for other in others)
