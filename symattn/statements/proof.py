"""A derivation of a general statement, as frozen data: what is assumed, the lines, and the numbers put in at the end.

A ``Line`` says that two terms are equal (or in order), why, and what it uses: earlier lines and assumptions by name.
Each law has a schema that ``check.laws`` holds the line to. No sentence stands here: words go by topic and name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias

from symattn.statements.terms import Array, Term


class Law(StrEnum):
    """Why a line is allowed."""

    DEFINITION = "definition"
    RECURSION = "recursion"
    HYPOTHESIS = "hypothesis"
    INDUCTION = "induction"
    ALGEBRA = "algebra"
    COUNTING = "counting"
    SIFTING = "sifting"
    REORDERING = "reordering"
    SPLITTING = "splitting"
    LINEARITY = "linearity"
    INDEPENDENCE = "independence"
    VARIANCE = "variance"
    VARIANCE_SCALES = "variance_scales"
    VARIANCE_ADDS = "variance_adds"
    CUMULANT = "cumulant"
    CUMULANT_ADDS = "cumulant_adds"
    DERIVATIVE = "derivative"
    CHAIN_RULE = "chain_rule"
    LIMIT = "limit"
    LIMIT_PARTS = "limit_parts"
    LOGARITHM = "logarithm"
    SIGN = "sign"
    ADDITION = "addition"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class Assumption:
    """What is assumed: ``equal`` pairs of terms, terms that are ``at_least_zero``, letters and arrays that are
    ``positive``, arrays whose entries are ``independent`` of all others in the list, maps that are ``rearranges`` of
    all places, or arrays that are the whole ``gradients`` of others, by name. Pairs that are equal only ``within`` a
    range (an index, its first and its last place) hold in sums over it.
    """

    name: str
    equal: tuple[tuple[Term, Term], ...] = ()
    at_least_zero: tuple[Term, ...] = ()
    positive: tuple[str, ...] = ()
    independent: tuple[str, ...] = ()
    rearranges: tuple[str, ...] = ()
    gradients: tuple[tuple[str, str], ...] = ()
    within: tuple[str, Term, Term] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """``left`` ``relation`` ``right``, by ``law``. A ``result`` is a statement that the derivation is for."""

    name: str
    left: Term
    right: Term
    law: Law
    uses: tuple[str, ...] = ()
    relation: str = "="
    result: bool = False


Entries: TypeAlias = "Any"
"""A term without letters, or nested tuples of such."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Numbers for letters and arrays. ``outcomes`` are the values of all that is random, each a probability and a list
    of names with their entries.
    """

    values: tuple[tuple[str, Entries], ...] = ()
    outcomes: tuple[tuple[Fraction, tuple[tuple[str, Entries], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """A term with numbers put in, and what it is then: an exact value."""

    term: Term
    at: Setting
    value: Any


@dataclass(frozen=True, slots=True)
class Counterexample:
    """At these numbers the assumption ``without`` fails alone, and so does a line that rests on it: ``found`` is what
    the line's left side is, ``claimed`` what its right side says.
    """

    without: str
    line: str
    found: Instance
    claimed: Instance


@dataclass(frozen=True, slots=True)
class Tabulated:
    """Columns of terms at the numbers of each row; ``heads`` is what stands above them, a shorter name of the same."""

    name: str
    heads: tuple[Term, ...]
    columns: tuple[Term, ...]
    cells: tuple[tuple[Instance, ...], ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """A plot of a table's own numbers: the column that goes along, and the columns that go up, each by its name."""

    name: str
    table: str
    along: int
    up: tuple[tuple[str, int], ...]
    x_scale: str = "linear"
    y_scale: str = "linear"


@dataclass(frozen=True, slots=True)
class Question:
    """An exercise: numbers for letters that the words may name, and the answer where it is a number."""

    name: str
    at: Setting = Setting()
    answer: Instance | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """One topic.

    ``ranges`` gives the size over which each free index runs, by the name of its letter; ``terms`` are what
    words may name, by name.
    """

    topic: str
    assumptions: tuple[Assumption, ...]
    lines: tuple[Line, ...]
    ranges: tuple[tuple[str, str], ...] = ()
    counterexamples: tuple[Counterexample, ...] = ()
    tables: tuple[Tabulated, ...] = ()
    instances: tuple[tuple[str, Instance], ...] = ()
    questions: tuple[Question, ...] = ()
    plots: tuple[Curves, ...] = ()
    terms: tuple[tuple[str, Term | Array], ...] = ()

    def line(self, name: str) -> Line:
        """The line of this name."""
        return next(line for line in self.lines if line.name == name)

    def rests_on(self, line: Line) -> tuple[Assumption, ...]:
        """The assumptions that a line uses, by itself or through others."""
        known = {one.name: one for one in self.lines}
        used: set[str] = set()
        left = [*line.uses]
        while left:
            name = left.pop()
            if name not in used:
                used.add(name)
                left += known[name].uses if name in known else ()
        return tuple(one for one in self.assumptions if one.name in used)

    @property
    def results(self) -> tuple[Line, ...]:
        """The statements that the derivation is for."""
        return tuple(line for line in self.lines if line.result)
