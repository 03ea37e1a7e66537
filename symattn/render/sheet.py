"""A worked problem about to be put on a page: its printed numbers, names and letters, and its tables as LaTeX cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from symattn.derive.sections import Worked
from symattn.derive.worked import head_derivation
from symattn.errors import SpecError
from symattn.exact.layers import is_open
from symattn.exact.values import Plain, by_exponent
from symattn.policies import Grid, PrintedResult, certified
from symattn.problem import Problem
from symattn.render import latex
from symattn.render.forms import Forms, forms
from symattn.render.grids import blocks
from symattn.render.latex import Notation
from symattn.render.line_view import Teller
from symattn.render.safe import tex
from symattn.render.style import Style, style
from symattn.steps import Printed, Table
from symattn.symbols import GENERATOR, SYMBOLS

View: TypeAlias = dict[str, Any]
Escape: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """``shown`` and ``forms`` have an element for each section; token names are escaped for the format."""

    worked: Worked
    shown: tuple[PrintedResult, ...]
    tokens: tuple[Markup, ...]
    key_tokens: tuple[Markup, ...]
    notation: Notation
    forms: list[Forms]
    escape: Escape
    tellers: dict[tuple[int, int], Teller] = field(default_factory=dict, repr=False)
    numbers: dict[str, Markup] = field(default_factory=dict, repr=False)

    @property
    def problem(self) -> Problem:
        """The problem."""
        return self.worked.problem

    @property
    def style(self) -> Style:
        """How the page writes powers of e, brackets and vectors."""
        return self.notation.style

    def teller(self, section: int, head: int) -> Teller:
        """The teller of one head's lines."""
        if (section, head) not in self.tellers:
            result = self.worked.sections[section].result
            derivation = head_derivation(self.problem, result, self.shown[section], head, self.worked.tokens)
            self.tellers[section, head] = Teller(derivation, self.problem.page, self._of_head(head))
        return self.tellers[section, head]

    def _of_head(self, head: int) -> Notation:
        """The notation of one head; of several heads each has its number on its arrays and its part of a table."""
        if len(self.worked.starts) == 1:
            return self.notation
        letters, own = _letters(self.worked), _letters(self.worked, head + 1)
        return replace(self.notation, letters={**own, **{name: letters[name] for name in _OF_ALL_HEADS}})

    def number(self, text: str) -> Markup:
        """A printed number."""
        found = self.numbers.get(text)
        if found is None:
            found = self.numbers[text] = tex(latex.decimal(text, self.notation.decimal_mark))
        return found

    def cells(
        self, exact: Table, printed: Grid, section: int = 0, rows: Sequence[int] | None = None
    ) -> list[list[Markup]]:
        """The printed numbers; the closed form where a symbol is left. Of some rows only where they are named."""
        way = self.forms[section]

        def cell(value: Any, shown: Printed | None) -> Markup:
            if shown is None:
                return self._long_power(value) if is_open(value) else tex(way.tex(value))
            return self.number(shown.text)

        kept = range(len(exact.rows)) if rows is None else rows
        return [[cell(*pair) for pair in zip(exact.rows[row], printed[row], strict=True)] for row in kept]

    def _long_power(self, value: Plain) -> Markup:
        """An exponential of a later layer that is too long to be read: e to its exponent as it is printed."""
        ((_, exponent),) = by_exponent(value.number)
        return tex(self.style.power(self.number(certified(Plain(exponent), self.problem.page).text)))

    def grid(self, exact: Table, printed: Grid, section: int = 0, rows: Sequence[int] | None = None) -> list[View]:
        """Queries by keys, in blocks of columns that fit; of some rows only where they are named."""
        kept = range(len(exact.rows)) if rows is None else rows
        cells = self.cells(exact, printed, section, kept)
        return self.blocks(self.key_tokens, [self.tokens[row] for row in kept], cells)

    def numbered_grid(
        self, exact: Table, printed: Grid, labels: Sequence[Markup], section: int = 0, rows: Sequence[int] | None = None
    ) -> list[View]:
        """Labelled rows with columns that have numbers, in blocks of columns that fit; some rows only where they are
        named.
        """
        kept = range(len(exact.rows)) if rows is None else rows
        return self.numbered(self.cells(exact, printed, section, kept), [labels[row] for row in kept])

    def blocks(
        self, header: Sequence[Markup], labels: Sequence[Markup], cells: Sequence[Sequence[Markup]]
    ) -> list[View]:
        """A table in blocks of columns that fit; turned where vectors are columns."""
        if self.style.columns:
            header, labels, cells = labels, header, [list(column) for column in zip(*cells, strict=True)]
        return blocks(header, labels, cells)

    def numbered(self, cells: Sequence[Sequence[Markup]], labels: Sequence[Markup]) -> list[View]:
        """Labelled rows whose entries have numbers."""
        return self.blocks([tex(str(number + 1)) for number in range(len(cells[0]))] if cells else [], labels, cells)

    def vectors(self, exact: Table, printed: Grid, section: int = 0) -> list[Markup]:
        """Each row as a vector."""
        return [tex(self.style.vector(row)) for row in self.cells(exact, printed, section)]


def _refuse_far(shown: PrintedResult) -> None:
    """Refuse numbers with an exponent that no page can calculate with as a fraction.

    Raises:
        SpecError: A printed number lies beyond 10^100000, or below 10^-100000.
    """
    for head in shown.heads:
        for rows in (head.scores, head.scaled, head.exponentials, head.weights, head.output):
            for entry in (entry for row in rows for entry in row if entry is not None):
                exponent = entry.text.partition("e")[2]
                if len(exponent.lstrip("-")) > 5:
                    raise SpecError(
                        f"a number near 10^{exponent} is too far out for a page", mend="take smaller numbers"
                    )


def _named(worked: Worked, style: Style) -> dict[str, str]:
    """The numbers with names of their own, as LaTeX."""
    result = worked.sections[0].result
    verb, number = latex.scaled_by(result.scale, style)
    found = {"scale": rf"\frac{{1}}{{{number}}}" if verb == "divide" else number}
    named = {"cap": result.softcap, "temperature": result.temperature, "sink": result.heads[0].sink}
    return found | {name: latex.exact(value, style) for name, value in named.items() if value is not None}


_OF_ALL_HEADS: Final = ("X", "context", "mask", "concat", "final", "residual", "W_O", "b_O")
"""Arrays that the heads share."""


def _letters(worked: Worked, head: int = 0) -> dict[str, str]:
    """The letter of each array; those of one of several heads have its number above them, and those of a further layer
    the layer's number before it.
    """
    chosen = {name: latex.letter(letter) for name, letter in worked.problem.page.notation if name != GENERATOR}
    letters = {name: symbol.letter for name, symbol in SYMBOLS.items()} | chosen
    layer = worked.index + 1 if worked.index or (head and worked.asked is not None) else 0
    mark = ",".join(str(number) for number in (layer, head) if number)
    return {name: rf"{letter}^{{({mark})}}" if mark else letter for name, letter in letters.items()}


def sheet(worked: Worked, escape: Escape) -> Sheet:
    """The problem with its text escaped by ``escape``."""
    problem = worked.problem
    letter = latex.letter(dict(problem.page.notation).get(GENERATOR, GENERATOR))
    shown = tuple(worked.shown(section) for section in worked.sections)
    if problem.page.digits == "significant":
        for printed in shown:
            _refuse_far(printed)
    way = style(problem.page)
    notation = Notation(_letters(worked), letter, problem.page.decimal_mark, _named(worked, way), way)
    return Sheet(
        worked,
        shown,
        tuple(tex(escape(token)) for token in problem.tokens),
        tuple(tex(escape(token)) for token in problem.context_tokens or problem.tokens),
        notation,
        [Forms(None, letter, way)] if worked.index else forms(worked, letter, way),
        escape,
    )
