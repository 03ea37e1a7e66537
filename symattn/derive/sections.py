"""A problem worked once for the main options, once for each further section of its page, and layer by layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from symattn.errors import SymattnError, UndecidedError
from symattn.exact import numbers
from symattn.exact.attention import Projections, Result, attention, projections
from symattn.exact.closed import Generator, generator
from symattn.exact.layers import Outputs
from symattn.exact.matrix import Matrix
from symattn.exact.values import Plain
from symattn.policies import Grid, PrintedResult, Seen, one, printed
from symattn.problem import Attention, Expression, Problem, layer_problem
from symattn.problem import Matrix as Entries
from symattn.steps import Printed


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """One set of options, worked. ``changed`` names the options that differ from the main section's."""

    options: Attention
    changed: tuple[str, ...]
    result: Result

    def generator(self) -> Generator | None:
        """The one number behind all its weights, if there is one."""
        return generator(row for head in self.result.heads for row in head.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Worked:
    """A problem with its sections; the first is the main one.

    Of several layers it is one, read as a problem of its own; ``asked`` is the whole problem, and the first has those
    after it in ``further``. ``index`` counts layers from 0. A layer after the first reads ``tokens`` as they are
    printed; ``by_hand`` is what it is where it reads written numbers. ``seen`` is what was rounded already.
    """

    problem: Problem
    starts: tuple[Projections, ...]
    sections: tuple[Section, ...]
    cache: dict[tuple[Section, bool], PrintedResult] = field(default_factory=dict, repr=False)
    asked: Problem | None = None
    further: tuple[Worked, ...] = ()
    index: int = 0
    tokens: Grid | None = None
    by_hand: Worked | None = None
    seen: Seen = field(default_factory=Seen, repr=False)

    @property
    def whole(self) -> Problem:
        """The problem as it was asked."""
        return self.problem if self.asked is None else self.asked

    @property
    def layers(self) -> tuple[Worked, ...]:
        """This layer and those after it."""
        return self, *self.further

    def shown(self, section: Section, *, exponentials: bool = True) -> PrintedResult:
        """The section's numbers by the page's policy."""
        key = (section, exponentials)
        if key not in self.cache:
            try:
                self.cache[key] = self._printed(section, exponentials=exponentials)
            except UndecidedError as error:
                raise (error if self.asked is None else error.within(f"layers[{self.index}]")) from None
        return self.cache[key]

    def _printed(self, section: Section, *, exponentials: bool) -> PrintedResult:
        hand = None
        if self.by_hand is not None:
            hand = self.by_hand.shown(self.by_hand.sections[0], exponentials=exponentials)
        page = self.problem.page
        return printed(self.starts, section.result, page, exponentials=exponentials, by_hand=hand, seen=self.seen)

    def divisor(self) -> Printed | None:
        """1/scale as a printed number; None where the scale has no such form or holds a symbol."""
        scale = self.sections[0].result.scale
        if numbers.is_zero(scale) or numbers.symbols(scale) or len(list(numbers.terms(scale))) > 1:
            return None
        return one(Plain(numbers.inverse(scale)), self.problem.page)

    def generator(self) -> Generator | None:
        """The one number behind the weights of all sections, if there is one."""
        return generator(row for section in self.sections for head in section.result.heads for row in head.rows)


def worked(problem: Problem) -> Worked:
    """The problem solved exactly, under its options and under each ``also``, or layer by layer."""
    if problem.layers:
        first, *rest = _layers(problem)
        return replace(first, further=tuple(rest))
    starts = projections(problem)
    main = Section(problem.attention, (), attention(starts, problem.attention))
    further = (Section(also.attention, also.changed, attention(starts, also.attention)) for also in problem.also)
    return Worked(problem, starts, (main, *further))


def _layers(problem: Problem) -> Iterator[Worked]:
    """Each layer, reading what the one before it gives: exactly, and under ``carried`` as it was written as well."""
    assert problem.X is not None  # noqa: S101 - parse makes no other problem
    outputs = Outputs()
    before: Worked | None = None
    for index in range(len(problem.layers)):
        before = replace(_layer(problem, index, before, outputs), asked=problem)
        yield before


def _layer(problem: Problem, index: int, before: Worked | None, outputs: Outputs) -> Worked:
    if before is None:
        assert problem.X is not None  # noqa: S101 - parse makes no other problem
        return worked(layer_problem(problem, index, problem.X))
    try:
        exact = outputs.matrix(before.sections[0].result.whole)
    except SymattnError as error:
        raise error.within(f"layers[{index - 1}]") from None
    found = worked(layer_problem(problem, index, _entries(exact)))
    shown = before.shown(before.sections[0], exponentials=False).whole
    by_hand = None
    if problem.page.rounding == "carried":
        by_hand = worked(layer_problem(problem, index, _written(shown)))
    return replace(found, index=index, tokens=shown, by_hand=by_hand)


def written_by_hand(layer: Worked, row_sums: str) -> PrintedResult:
    """A layer as a pencil worker has it who has written every layer up to it, with such rows of weights.

    Raises:
        SpecError: A row of written exponentials is 0, or one of them is too long to be written.
    """
    problem = layer.whole
    assert problem.X is not None  # noqa: S101 - parse makes no other problem with layers
    tokens, page = problem.X, replace(problem.page, rounding="carried", row_sums=row_sums)
    for index in range(layer.index + 1):
        by_hand = worked(layer_problem(problem, index, tokens, page))
        shown = by_hand.shown(by_hand.sections[0], exponentials=False)
        tokens = _written(shown.whole)
    return shown


def _entries(rows: Matrix) -> Entries:
    """Exact numbers as entries of a problem."""

    def entry(number: numbers.Exact) -> Fraction | Expression:
        rational = numbers.rational(number)
        return Expression("given", number=number) if rational is None else rational

    return tuple(tuple(entry(number) for number in row) for row in rows)


def _written(rows: Grid) -> Entries:
    """Printed numbers as entries of a problem; no symbol is left in a problem with layers."""
    found = ((numbers.from_decimal(entry.text) for entry in row if entry is not None) for row in rows)
    return tuple(tuple(Fraction(int(number.p), int(number.q)) for number in row) for row in found)
