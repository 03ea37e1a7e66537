"""Closed forms for a page: in one letter where that is shorter, in powers of e otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from symattn.derive.sections import Section, Worked
from symattn.exact.closed import ClosedForm, Generator, closed_form
from symattn.exact.values import Plain, Value
from symattn.exact import numbers
from symattn.render import latex
from symattn.render.grids import PAGE_WIDTH, broken, width
from symattn.rounding import truncated

_LARGEST_POWER: Final = 40


@dataclass(frozen=True, slots=True)
class Forms:
    """How a section writes closed forms: its generator and its letter, or None for powers of e."""

    by: Generator | None
    letter: str

    def tex(self, value: Value) -> str:
        """The value in closed form."""
        return latex.closed(self.form(value), self.letter)

    def form(self, value: Value) -> ClosedForm:
        """The closed form as data."""
        return closed_form(value, self.by)


def forms(worked: Worked, letter: str) -> list[Forms]:
    """For each section its way; one letter for all where one number is behind all."""
    common = worked.generator()
    if common is not None and _readable(common, worked.sections):
        return [Forms(common, letter)] * len(worked.sections)
    found = []
    for index, section in enumerate(worked.sections):
        own = section.generator()
        name = letter if index == 0 else f"{letter}_{index + 1}"
        found.append(Forms(own if own is not None and _readable(own, (section,)) else None, name))
    return found


def _readable(by: Generator, sections: tuple[Section, ...]) -> bool:
    rows = (row for section in sections for head in section.result.heads for row in head.rows)
    return all(max(by.powers(row), default=0) <= _LARGEST_POWER for row in rows)


def definition(way: Forms) -> dict[str, Any] | None:
    """What the letter stands for: its power of e, its first decimals, and its name."""
    if way.by is None:
        return None
    number = numbers.exp(way.by.exponent)
    begins = "" if numbers.symbols(number) else truncated(Plain(number), 5)
    return {
        "letter": Markup(way.letter),  # noqa: S704 - checked by the parser
        "power": Markup(latex.power_of_e(way.by.exponent)),  # noqa: S704 - LaTeX of our own
        "begins": begins,
        "rational": not isinstance(number, numbers.Number),
    }


def closed_rows(section: Section, head: int, way: Forms, rows: list[int], labels: list[Markup]) -> dict[str, Any]:
    """The closed forms of some rows: as a table where they fit, else entry by entry with named denominators."""
    tables = section.result.heads[head]
    weights = {row: [way.tex(value) for value in tables.weights.rows[row]] for row in rows}
    outputs = {row: [way.tex(value) for value in tables.output.rows[row]] for row in rows}
    fits = all(width(", ".join(weights[row] + outputs[row])) + 10 <= PAGE_WIDTH for row in rows)
    return {
        "fits": fits,
        "rows": [
            {
                "label": labels[row],
                "weights": Markup(r",\ ".join(weights[row])),  # noqa: S704 - LaTeX of our own
                "output": Markup(latex.vector(outputs[row])),  # noqa: S704 - LaTeX of our own
                "lines": [] if fits else _lines(tables.weights.rows[row], way, row),
            }
            for row in rows
        ],
    }


def _lines(row: tuple[Value, ...], way: Forms, index: int) -> list[Markup]:
    """A row's denominator by name, broken into lines, then each weight over it."""
    name = f"D_{{{index + 1}}}"
    longest = max((way.form(value) for value in row), key=lambda form: len(form.denominator))
    terms = [latex.term(factor, power, longest, way.letter) for factor, power in longest.denominator]
    first, *more = broken(terms, PAGE_WIDTH - 10)
    found = [f"{name} &= {first}", *(rf"&\quad {line}" for line in more)]
    shares = [_share(way, way.form(value), longest, name) for value in row]
    for line in broken_list(shares):
        found.append(f"&{line}")
    return [Markup(line) for line in found]  # noqa: S704 - LaTeX of our own


def _share(way: Forms, form: ClosedForm, longest: ClosedForm, name: str) -> str:
    if not form.numerator:
        return "0"
    if form.denominator != longest.denominator:
        return latex.closed(form, way.letter)
    return rf"\frac{{{latex.side(form.numerator, form, way.letter)}}}{{{name}}}"


def broken_list(items: list[str]) -> list[str]:
    """Items with commas between them, as lines that fit."""
    lines: list[str] = []
    for position, item in enumerate(items):
        text = item + (r",\quad" if position < len(items) - 1 else "")
        if lines and width(lines[-1]) + width(text) + 2 <= PAGE_WIDTH - 10:
            lines[-1] += " " + text
        else:
            lines.append(text)
    return lines
