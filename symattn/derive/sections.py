"""A problem worked once for the main options and once for each further section of its page."""

from __future__ import annotations

from dataclasses import dataclass, field

from symattn.exact import numbers
from symattn.exact.attention import Projections, Result, attention, projections
from symattn.exact.closed import Generator, generator
from symattn.exact.values import Plain
from symattn.policies import PrintedResult, one, printed
from symattn.problem import Attention, Problem
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
    """A problem with its sections; the first is the main one."""

    problem: Problem
    starts: tuple[Projections, ...]
    sections: tuple[Section, ...]
    cache: dict[tuple[Section, bool], PrintedResult] = field(default_factory=dict, repr=False)

    def shown(self, section: Section, *, exponentials: bool = True) -> PrintedResult:
        """The section's numbers by the page's policy."""
        key = (section, exponentials)
        if key not in self.cache:
            self.cache[key] = printed(self.starts, section.result, self.problem.page, exponentials=exponentials)
        return self.cache[key]

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
    """The problem solved exactly, under its options and under each ``also``."""
    starts = projections(problem)
    main = Section(problem.attention, (), attention(starts, problem.attention))
    further = (Section(also.attention, also.changed, attention(starts, also.attention)) for also in problem.also)
    return Worked(problem, starts, (main, *further))
