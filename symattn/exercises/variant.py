"""A variant: one fair question sheet with its key, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from symattn.exercises.draw import Drawn
from symattn.exercises.fixed import Interval
from symattn.exercises.recipe import Ask
from symattn.problem import Problem

Grid: TypeAlias = "tuple[tuple[str, ...], ...]"
"""Numbers as they are shown."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number that is asked for: where it stands, what the key says, and how far an answer may be off.

    ``key`` is the exact number correctly rounded; ``tolerance`` and ``units`` are the accepted distance from it, as a
    decimal and in units of 10^-30. ``exact`` encloses the exact number.
    """

    row: int
    column: int
    key: str
    tolerance: str
    middle: int
    units: int
    exact: Interval


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose; ``mistake`` is what leads to it.

    ``text``: a row of numbers (``choice``), a column (``most``), an array (``find-mistake``); empty for a verdict.
    """

    text: tuple[str, ...] = ()
    mistake: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question asks and its key: numbers to fill in, or choices with the place of the right one.

    ``shown`` is what a spoiled solution or a statement holds, by array; ``mistake`` is the mistake in it.
    """

    ask: Ask
    cells: tuple[Cell, ...] = ()
    choices: tuple[Choice, ...] = ()
    right: int = 0
    mistake: str = ""
    shown: tuple[tuple[str, Grid], ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """A fair variant. ``keep`` is how many decimals the student keeps on the way.

    ``index`` is the number of the candidate that it was; ``code`` names it to students, and is a hash of what they see.
    """

    index: int
    code: str
    drawn: Drawn
    problem: Problem
    keep: int
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that is not served, and the constraint at fault."""

    why: str
