"""Questions with choices: what can be chosen, and which is right.

Wrong choices are what the catalogue's mistakes give, apart from the right one and from one another in some number by
more than honest rounding. Where the right one stands is read off the variant's code, so it is spread evenly over
variants and says nothing: the code is a hash of what the student sees anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from symattn.exact.attention import Result
from symattn.exercises import walk
from symattn.exercises.fair import Judge, given, rounded, rows_asked
from symattn.exercises.fixed import Interval, TooFarError
from symattn.exercises.limits import Unfair
from symattn.exercises.recipe import ASKED, Ask
from symattn.exercises.slips import NONE, Slip
from symattn.exercises.variant import Answer, Choice, Grid
from symattn.exercises.work import Work, exact_value
from symattn.mistakes.spoiled import spoiled

_REASONS: Final = 3
"""Mistakes to choose from where a statement may be wrong."""
_APART: Final = 1000
"""What keeps one question's orders from another's."""


class Poser:
    """One candidate whose questions are given their choices; ``name`` is its code."""

    def __init__(self, judge: Judge, work: Work, keep: int, name: str) -> None:
        self._judge, self._work, self._keep, self._name = judge, work, keep, name

    def posed(self, number: int, answer: Answer) -> Answer:
        """The question with its choices, if it has any.

        Raises:
            Unfair: There are too few that can be told apart, or none is right alone.
        """
        match answer.ask.kind:
            case "most":
                return self._most(answer)
            case "choice":
                return self._choice(number, answer)
            case "true-false":
                return self._true_false(number, answer)
            case "find-mistake":
                return self._find_mistake(number, answer)
            case _:
                return answer

    def _order(self, number: int, count: int) -> list[int]:
        """A shuffled order that hangs on the code and on the question."""
        places = []
        left = list(range(count))
        noise = int.from_bytes(blake2b(f"{self._name} {number}".encode(), digest_size=16).digest(), "big")
        while left:
            noise, place = divmod(noise, len(left))
            places.append(left.pop(place))
        return places

    def _lines(self, ask: Ask, slip: Slip, keep: int | None) -> list[walk.Line] | None:
        """The rows that are asked for; None where a slip leaves one of them without numbers."""
        try:
            found = list(self._judge.made(self._work, ask, slip, keep))
        except TooFarError:
            return None
        lines = [line for line in found if line is not None]
        return lines if len(lines) == len(found) else None

    def _handed_in(self, ask: Ask, slip: Slip) -> list[Interval] | None:
        """What may be handed in by a slip for each number that is asked for."""
        lines, places = self._lines(ask, slip, self._keep), self._judge.recipe.rounding.decimals
        if lines is None:
            return None
        columns = range(len(lines[0])) if ask.column is None else (ask.column,)
        return [given(line[column], places) for line in lines for column in columns]

    def _told(self, ask: Ask) -> list[Slip]:
        """Mistakes whose answers differ from the right one and from each other's, one reading of each."""
        seen = [self._handed_in(ask, NONE)]
        found: list[Slip] = []
        for slip in self._judge.slips(self._work.drawn.option):
            if slip.shows_in(ask.array) and slip.key not in {other.key for other in found}:
                made = self._handed_in(ask, slip)
                if made is not None and all(other is not None and differ(made, other) for other in seen):
                    seen.append(made)
                    found.append(slip)
        return found

    def _texts(self, ask: Ask, slip: Slip, places: int) -> Grid:
        """The rows that are asked for as a slip makes them, correctly rounded."""
        lines = self._lines(ask, slip, None) or []
        rows = rows_asked(ask, self._work)
        course = self._judge.course(self._work, slip, None)

        def text(row: int, column: int, interval: Interval) -> str:
            exact = self._work.sharp(interval, ask, (row, column), course) if slip is NONE else interval
            return rounded(exact, places, lambda: exact_value(self._spoiled(slip), ask.array, ask.head, row, column))[0]

        return tuple(
            tuple(
                text(row, column, line[column])
                for column in (range(len(line)) if ask.column is None else (ask.column,))
            )
            for row, line in zip(rows, lines, strict=True)
        )

    def _spoiled(self, slip: Slip) -> Result:
        return spoiled(self._work.problem, slip.deviation)

    def _most(self, answer: Answer) -> Answer:
        """The one column whose number is the largest, whatever was rounded on the way."""
        row = self._handed_in(answer.ask, NONE) or []
        largest = max(range(len(row)), key=lambda column: row[column])
        if any(row[column][1] >= row[largest][0] for column in range(len(row)) if column != largest):
            raise Unfair("no largest")
        choices = tuple(Choice((str(column),)) for column in range(len(row)))
        return replace(answer, choices=choices, right=largest)

    def _choice(self, number: int, answer: Answer) -> Answer:
        ask, places = answer.ask, self._judge.recipe.rounding.decimals
        told = self._told(ask)[: ask.choices - 1]
        if len(told) < ask.choices - 1:
            raise Unfair("too few choices")
        slips = [NONE, *told]
        order = self._order(number, len(slips))
        choices = [Choice(self._texts(ask, slips[place], places)[0], slips[place].key) for place in order]
        return replace(answer, choices=tuple(choices), right=order.index(0))

    def _true_false(self, number: int, answer: Answer) -> Answer:
        """A statement that is right or comes of a mistake: a verdict with its reason."""
        ask, told = answer.ask, self._told(answer.ask)[:_REASONS]
        if len(told) < 2:
            raise Unfair("too few choices")
        slips = [NONE, *told]
        order = self._order(number, len(slips))
        stated = 0 if self._order(number + _APART, 2)[0] else 1 + self._order(number + 2 * _APART, len(told))[0]
        shown = self._texts(ask, slips[stated], self._judge.recipe.rounding.decimals)
        return replace(
            answer,
            choices=tuple(Choice((), slips[place].key) for place in order),
            right=order.index(stated),
            mistake=slips[stated].key,
            shown=((ask.array, shown),),
        )

    def _find_mistake(self, number: int, answer: Answer) -> Answer:
        """A solution with one mistake carried through: which is the first step that is not as it should be?

        A mistake need not change the first array that it can: a symmetric table may be transposed.
        """
        ask = answer.ask
        steps = self._steps(ask)
        told = [slip for slip in self._told(Ask(ask.array, head=ask.head)) if slip.first in steps]
        if not told:
            raise Unfair("too few choices")
        slip = told[self._order(number, len(told))[0]]
        right, shown = self._working(ask, steps, NONE), self._working(ask, steps, slip)
        first = next((place for place, (one, other) in enumerate(zip(right, shown, strict=True)) if one != other), None)
        if first is None or not all(grid for _, grid in shown):
            raise Unfair("too few choices")
        choices = tuple(Choice((array,)) for array in steps)
        return replace(answer, choices=choices, right=first, mistake=slip.key, shown=shown)

    def _working(self, ask: Ask, steps: Sequence[str], slip: Slip) -> tuple[tuple[str, Grid], ...]:
        """Every step as a slip makes it: as it should be where the slip does not show."""
        return tuple(
            (array, self._texts(Ask(array, head=ask.head), slip if slip.shows_in(array) else NONE, self._keep))
            for array in steps
        )

    def _steps(self, ask: Ask) -> Sequence[str]:
        """The arrays that are worked out on the way to what is asked for."""
        arrays = self._work.drawn.arrays
        direct = {"query": "Q", "key": "K", "value": "V"}
        return [
            array
            for array in ASKED[: ASKED.index(ask.array) + 1]
            if not (array in direct and arrays.get(direct[array]) is not None)
            and not (array == "value" and ask.array not in ("value", "output", "final"))
            and not (array == "final" and ask.array != "final")
        ]


def differ(one: Sequence[Interval], other: Sequence[Interval]) -> bool:
    """Whether some number of one can't be that of the other."""
    return any(a[1] < b[0] or b[1] < a[0] for a, b in zip(one, other, strict=True))
