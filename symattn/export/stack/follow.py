"""What follows from a student's own earlier answers, in Maxima: the steps of ``exercises.follow`` as expressions.

An interval is a list of two numbers, a row a list of intervals; ``false`` stands for a row that no pencil works out.
Decimals become fractions, so that nothing but powers of e is a binary float. A decimal stands for what may have been
rounded to it; how many places it has is read off its value, so zeros at its end do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Final, TypeAlias

from symattn.exercises import walk
from symattn.exercises.fixed import UNIT, Interval, Number, inverse, point
from symattn.exercises.follow import Working
from symattn.exercises.offer import Offer
from symattn.exercises.slips import NONE
from symattn.exercises.variant import Answer
from symattn.exercises.walk import Course
from symattn.render.environment import rendered

_GRAIN: Final = 10**18
"""Bounds of known numbers are rounded outwards to 18 places, more than a binary float holds."""
_MORE: Final = 4
"""Places beyond those asked for that are told apart in what a student typed."""

_NAME: Final = re.compile(r"follow_\w+")

Typed: TypeAlias = "dict[tuple[str, int], dict[tuple[int, int], str]]"


@dataclass(frozen=True, slots=True)
class Spelled:
    """The steps as Maxima writes them, for rows with so many keys."""

    course: Course
    keys: int

    def row(self, numbers: Sequence[str]) -> str:
        """A row of these."""
        return f"[{','.join(numbers)}]"

    def known(self, intervals: Sequence[Interval]) -> str:
        """A row of numbers with their bounds."""
        return self.row([_interval(one) for one in intervals])

    def entry(self, line: str, column: int) -> str:
        """One number of a row."""
        return f"follow_entry({line},{column + 1})"

    def scaled(self, line: str) -> str:
        """Each score times the scale."""
        return f"follow_scaled({line})"

    def exponentials(self, line: str, head: int, row: int) -> str:
        """The exponentials of a row; what is added to each scaled score stands beside it."""
        biases, mask, written = self.course.biases[head], self._mask(head, row), self.course.pencil.written
        if biases is None:
            raised = f"follow_raised({line})"
        else:
            raised = f"follow_biased({line},{self.known([written(point(entry)) for entry in biases[row]])})"
        return raised if all(mask) else f"follow_seen({raised},{_truths(mask)})"

    def weights(self, line: str, head: int, row: int) -> str:
        """The shares of a row."""
        mask, sink, pencil = self._mask(head, row), self.course.sinks[head], self.course.pencil
        if not any(mask):
            dead = walk.shares([None] * len(mask), sink, pencil, self.course.options.masked_row)
            return self.known(dead or [(0, 0)] * len(mask))
        return f"follow_shares({line},{_truths(mask)},{self.known([] if sink is None else [sink])})"

    def dot(self, line: str, other: str) -> str:
        """The sum of the products."""
        return f"follow_dot({line},{other})"

    def plus(self, number: str, known: Number) -> str:
        """The sum."""
        return f"follow_plus({number},{_interval(point(known))})"

    def _mask(self, head: int, row: int) -> Sequence[bool]:
        mask = self.course.masks[head]
        return (True,) * self.keys if mask is None else mask[row]


def _truths(mask: Sequence[bool]) -> str:
    return f"[{','.join('true' if seen else 'false' for seen in mask)}]"


def _interval(one: Interval) -> str:
    """The least interval around this one whose ends Maxima is given as fractions."""
    low, high = one
    if low != high:
        grain = UNIT // _GRAIN
        low, high = low // grain * grain, -(-high // grain) * grain
    return f"[{_fraction(low)},{_fraction(high)}]"


def _fraction(units: int) -> str:
    common = gcd(units, UNIT)
    above, below = units // common, UNIT // common
    return str(above) if below == 1 else f"{above}/{below}"


class Earlier:
    """What a student typed into the earlier parts of a question, and what follows from it."""

    def __init__(self, offer: Offer) -> None:
        judge, variant = offer.run.judge, offer.variant
        self._work = judge.work(variant.drawn)
        self._course = judge.course(self._work, NONE, variant.keep)
        self._decimals = offer.run.recipe.rounding.decimals
        self._typed: Typed = {}

    def typed(self, answer: Answer, names: Sequence[str]) -> None:
        """The numbers of a part are the student's own from here on."""
        cells = self._typed.setdefault((answer.ask.array, answer.ask.head), {})
        for cell, name in zip(answer.cells, names, strict=True):
            cells[cell.row, cell.column] = f"follow_own({name})"

    def test(self, answer: Answer, place: int, name: str) -> str:
        """Whether a number follows from earlier ones, as Maxima is asked; empty where it hangs on none."""
        ask, cell = answer.ask, answer.cells[place]
        steps = Spelled(self._course, len(self._work.heads[ask.head].key))
        working = Working(steps, self._course, self._work, self._typed)
        found = working.number(ask.array, ask.head, cell.row, cell.column)
        return "" if found is None else f"follow_gives({name},{found})"

    def functions(self, tests: Iterable[str]) -> str:
        """What the tests call, defined."""
        course, tanh = self._course, "follow_tanh(follow_times(a,{}))"
        cap, cooling = course.cap, course.cooling
        view = {
            "keep": str(course.pencil.decimals),
            "decimals": str(self._decimals),
            "most": str(self._decimals + _MORE),
            "factor": _interval(course.factor),
            "capped": "a"
            if cap is None
            else f"follow_written(follow_times({_interval(cap)},{tanh.format(_interval(inverse(cap)))}))",
            "cooled": "a" if cooling is None else f"follow_written(follow_times(a,{_interval(cooling)}))",
        }
        lines = {
            line.partition("(")[0]: line for line in rendered("stack/follow.jinja", view, str).splitlines() if line
        }
        needed, new = set[str](), set(_NAME.findall(" ".join(tests)))
        while new:
            needed |= new
            new = {name for known in new for name in _NAME.findall(lines[known])} - needed
        return "".join(f"{line}\n" for name, line in lines.items() if name in needed)
