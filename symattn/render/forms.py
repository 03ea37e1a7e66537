"""How a section writes closed forms: in one letter where that is readable, in powers of e otherwise."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from symattn.derive.sections import Section, Worked
from symattn.exact.closed import ClosedForm, Generator, closed_form
from symattn.exact.values import MASKED, UNDEFINED, LogSum, Value
from symattn.render import latex
from symattn.render.style import PLAIN, Style

_LARGEST_POWER: Final = 40


@dataclass(frozen=True, slots=True)
class Forms:
    """How a section writes closed forms: its generator and its letter, or None for powers of e; equal values once."""

    by: Generator | None
    letter: str
    style: Style = PLAIN
    texts: dict[Hashable, str] = field(default_factory=dict, repr=False, compare=False)
    found: dict[Hashable, ClosedForm] = field(default_factory=dict, repr=False, compare=False)

    def tex(self, value: Value) -> str:
        """The value in closed form."""
        key = value.identity()
        if key is None:
            return self._written(value)
        if key not in self.texts:
            self.texts[key] = self._written(value)
        return self.texts[key]

    def _written(self, value: Value) -> str:
        if value is UNDEFINED or value is MASKED:
            return latex.SPECIAL["nan" if value is UNDEFINED else "-oo"]
        if isinstance(value, LogSum):
            return rf"\ln\left({latex.exact(value.row.total(), self.style)}\right)"
        return latex.closed(self.form(value), self.letter, self.style)

    def form(self, value: Value) -> ClosedForm:
        """The closed form as data."""
        key = value.identity()
        if key is None:
            return closed_form(value, self.by)
        if key not in self.found:
            self.found[key] = closed_form(value, self.by)
        return self.found[key]


def forms(worked: Worked, letter: str, style: Style = PLAIN) -> list[Forms]:
    """For each section its way; one letter for all where one number is behind all."""
    common = worked.generator()
    if common is not None and _readable(common, worked.sections):
        return [Forms(common, letter, style)] * len(worked.sections)
    found = []
    for index, section in enumerate(worked.sections):
        own = section.generator()
        name = letter if index == 0 else f"{letter}_{index + 1}"
        found.append(Forms(own if own is not None and _readable(own, (section,)) else None, name, style))
    return found


def _readable(by: Generator, sections: tuple[Section, ...]) -> bool:
    rows = (row for section in sections for head in section.result.heads for row in head.rows)
    return all(max(by.powers(row), default=0) <= _LARGEST_POWER for row in rows)
