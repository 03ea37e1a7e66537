"""What ``symattn`` offers in Python: problems, solutions, and their views in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any

from symattn import problem as data
from symattn.derive.named import ARRAYS, SOMETIMES, named
from symattn.derive.sections import Section, Worked, worked
from symattn.derive.worked import head_derivation
from symattn.errors import AbsentError, PlaceError, SpecError
from symattn.exact.closed import Generator, closed_form
from symattn.exact.layers import written
from symattn.exact.values import MASKED, UNDEFINED, LogSum
from symattn.parse import problem as parse
from symattn.policies import Grid
from symattn.problem import Attention, Page
from symattn.render import latex
from symattn.render.forms import Forms
from symattn.render.page import Wish, made, page
from symattn.render.style import PLAIN
from symattn.rounding import nearest
from symattn.steps import Derivation, Table
from symattn.symbols import GENERATOR


class Problem(data.Problem):
    """A problem: the arrays and options of a problem file, as keyword arguments.

    Args:
        **given: The names of a problem file. Options of ``[attention]`` and ``[page]`` may stand beside the arrays.
            Entries are integers, ``Fraction``, ``Decimal`` or texts such as ``"1/3"`` or ``"sqrt(2)"``; never binary
            floats.
    Raises:
        SymattnError: What is wrong, where, and how to mend it.
    Example:
        >>> Problem(Q=[[1]], K=[[0], [1]], V=[[2], ["1/2"]], scale=1, decimals=2).n_k
        2
    """

    def __init__(self, **given: Any) -> None:
        self._take(parse.problem(nested(given)))

    def _take(self, found: data.Problem) -> Problem:
        for row in fields(data.Problem):
            object.__setattr__(self, row.name, getattr(found, row.name))
        return self

    @classmethod
    def read(cls, path: str | Path) -> Problem:
        """The problem in a TOML or JSON file."""
        return cls.__new__(cls)._take(parse.read(Path(path)))


def nested(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options that stand beside the arrays, put into their tables."""
    found = {name: dict(value) if isinstance(value, Mapping) else value for name, value in given.items()}
    for table, kind in (("attention", Attention), ("page", Page)):
        for row, _ in data.options(kind):
            if row.name in found and isinstance(found.setdefault(table, {}), dict):
                found[table][row.name] = found.pop(row.name)
    return found


class Array:
    """One array of a solution: exact values, closed forms, and certified decimals.

    Subscripts count from 0; ``array[i, j]`` is the entry as a SymPy expression.
    """

    def __init__(self, table: Table, shown: Grid, by: Generator | None, letter: str, ties: str = "half-up") -> None:
        self._table, self._shown, self._by, self._letter, self._ties = table, shown, by, letter, ties

    @cached_property
    def exact(self) -> Any:
        """A SymPy ``ImmutableMatrix``."""
        return self._table.to_sympy()

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self._table.shape

    def __getitem__(self, place: tuple[int, int]) -> Any:
        try:
            return self.exact[place]
        except IndexError:
            raise self._beyond(place) from None

    def _beyond(self, place: tuple[int, int]) -> PlaceError:
        rows, columns = self.shape
        mend = f"rows count from 0 to {rows - 1}, columns from 0 to {columns - 1}"
        return PlaceError(f"there is no entry {place}", mend=mend)

    def __repr__(self) -> str:
        return f"<Array {self.shape[0]} x {self.shape[1]}: {self.decimals()}>"

    def decimals(self, places: int | None = None) -> list[list[str | None]]:
        """Decimal strings: correctly rounded to ``places``, ties as on the page, or without it as the page prints them;
        None where a symbol is left.
        """
        if places is None:
            return [[None if entry is None else entry.text for entry in row] for row in self._shown]
        return [
            [_decimal(value, shown, places, self._ties) for value, shown in zip(*rows, strict=True)]
            for rows in zip(self._table.rows, self._shown, strict=True)
        ]

    def closed_form(self, i: int, j: int) -> Any:
        """Entry (i, j) as a SymPy expression in the positive symbol ``u`` where one number is behind the array, else in
        exp.

        ``generator`` is that number.
        """
        from sympy import Mul, Pow, Symbol

        from symattn.exact import sympy_forms

        try:
            value = self._table[i, j]
        except IndexError:
            raise self._beyond((i, j)) from None
        if value in (MASKED, UNDEFINED) or isinstance(value, LogSum):
            return value.to_sympy()
        form = closed_form(value, self._by)
        if form.generator is None:
            return value.to_sympy()
        u = Symbol(self._letter, positive=True)
        return Mul(sympy_forms.polynomial(form.numerator, u), Pow(sympy_forms.polynomial(form.denominator, u), -1))

    @property
    def generator(self) -> Any:
        """The number that ``closed_form`` writes as u, as a SymPy expression; None where there is none."""
        from sympy import exp

        from symattn.exact.sympy_forms import expression

        return None if self._by is None else exp(expression(self._by.exponent))

    def _repr_latex_(self) -> str:
        forms = Forms(self._by, self._letter)
        cells = [
            [self._cell(forms, *pair) for pair in zip(*rows, strict=True)]
            for rows in zip(self._table.map(written), self._shown, strict=True)
        ]
        return f"$\\displaystyle {PLAIN.matrix(cells)}$"

    @staticmethod
    def _cell(forms: Forms, closed: Any, shown: Any) -> str:
        """The closed form; the decimal where a later layer's number has none."""
        return forms.tex(closed) if closed is not None else latex.decimal(shown.text, ".")

    def _repr_markdown_(self) -> str:
        header = "|" + " |" * self.shape[1]
        rule = "|" + "---|" * self.shape[1]
        rows = ["| " + " | ".join("" if cell is None else cell for cell in row) + " |" for row in self.decimals()]
        return "\n".join([header, rule, *rows])


def _decimal(value: Any, shown: Any, places: int, ties: str) -> str | None:
    if shown is None or value in (MASKED, UNDEFINED):
        return None if shown is None else shown.text
    return nearest(value, places, ties).text


class HeadSolution:
    """One head of a solution: ``query key value scores scaled logits weights output``, each an ``Array``.

    ``rotated_query``, ``rotated_key``, ``capped``, ``biased`` and ``lse`` are there where the options ask for them.
    """

    query: Array
    key: Array
    value: Array
    scores: Array
    scaled: Array
    logits: Array
    weights: Array
    output: Array

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.__dict__.update(arrays)

    def __getattr__(self, name: str) -> Array:
        if name in SOMETIMES:
            there = ", ".join(self.__dict__)
            raise AbsentError(f"this head has no {name}: no option asks for it", mend=f"there are {there}")
        raise AttributeError(name)


class Heads(tuple[HeadSolution, ...]):
    """The heads, counted from 0."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        try:
            return super().__getitem__(place)
        except IndexError:
            raise PlaceError(f"there is no head {place}", mend=f"they count from 0 to {len(self) - 1}") from None


class Solution:
    """A problem solved: ``heads``, ``output``, the sections of ``also``, and with one head its arrays by name.

    Of several layers ``layers`` holds a solution each, and ``output`` is that of the last.
    """

    def __init__(self, found: Worked, section: int = 0, *, layer: bool = False) -> None:
        self._worked, self._index, self._layer = found, section, layer

    @property
    def _section(self) -> Section:
        return self._worked.sections[self._index]

    @property
    def _several(self) -> bool:
        return self._worked.asked is not None and not self._layer

    @cached_property
    def layers(self) -> Layers:
        """The layers, each a solution of its own; of a plain problem it is the only one."""
        if not self._several:
            return Layers((self,))
        return Layers(Solution(layer, layer=True) for layer in self._worked.layers)

    @cached_property
    def heads(self) -> Heads:
        """The heads."""
        if self._several:
            raise self._in_layers("heads")
        shown = self._worked.shown(self._section, exponentials=False)
        return Heads(
            HeadSolution({name: self._array(*pair) for name, pair in named(head, text).items()})
            for head, text in zip(self._section.result.heads, shown.heads, strict=True)
        )

    def _in_layers(self, name: str) -> SpecError:
        count = len(self._worked.layers)
        return SpecError(f"there are {count} layer{'s' if count > 1 else ''}", mend=f"write .layers[0].{name}")

    def _array(self, table: Table, shown: Grid) -> Array:
        letter = dict(self._worked.problem.page.notation).get(GENERATOR, GENERATOR)
        return Array(table, shown, self._section.generator(), letter, self._worked.problem.page.ties)

    @cached_property
    def output(self) -> Array:
        """The output: after W_O where there is one, with the tokens added where ``residual`` says so."""
        if self._several:
            last: Array = self.layers[-1].output
            return last
        shown = self._worked.shown(self._section, exponentials=False)
        return self._array(self._section.result.whole, shown.whole)

    @cached_property
    def final(self) -> Array:
        """The output before ``residual`` adds the tokens."""
        if self._several:
            raise self._in_layers("final")
        return self._array(self._section.result.output, self._worked.shown(self._section, exponentials=False).output)

    def __getattr__(self, name: str) -> Array:
        if name not in ARRAYS:
            raise AttributeError(name)
        if self._several:
            raise self._in_layers(name)
        if len(self.heads) > 1:
            raise SpecError(f"there are {len(self.heads)} heads", mend=f"write .heads[0].{name}")
        found: Array = getattr(self.heads[0], name)
        return found

    @property
    def also(self) -> tuple[Solution, ...]:
        """The further sections, solved."""
        return tuple(Solution(self._worked, index) for index in range(1, len(self._worked.sections)))

    def derivation(self, head: int = 0) -> Derivation:
        """The steps of one head, as data."""
        if self._several:
            raise self._in_layers("derivation()")
        found = self._worked
        return head_derivation(found.problem, self._section.result, found.shown(self._section), head, found.tokens)

    def page(self, format: str = "md", **wish: Any) -> str:
        """The worked page: ``"md"`` or ``"tex"``; ``flavour``, ``detail`` and ``fragment`` as on the command line.

        LaTeX holds its pictures. Markdown links to files, so it has pictures only with ``pictures=True``; their files
        are in ``pictures``.
        """
        return page(self._paged(), Wish(**{"format": format, "pictures": format == "tex", **wish}))

    def pictures(self, **wish: Any) -> dict[str, str]:
        """The SVG files that ``page(pictures=True)`` links to, by name; the same ``slug`` names both."""
        return dict(made(self._paged(), Wish(**wish)).files)

    def _paged(self) -> Worked:
        if self._layer:
            raise SpecError("a layer has no page of its own", mend="ask the solution of all layers for its page")
        return self._worked

    def __repr__(self) -> str:
        problem, several = self._worked.problem, len(self._worked.layers)
        parts = f"{several} layers" if self._several else f"{len(self.heads)} heads"
        return f"<Solution: {problem.n_q} queries, {problem.n_k} keys, {parts}>"

    def _repr_markdown_(self) -> str:
        return self.page()

    def _repr_latex_(self) -> str:
        return self.output._repr_latex_()


class Layers(tuple[Solution, ...]):
    """The layers, counted from 0."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        try:
            return super().__getitem__(place)
        except IndexError:
            raise PlaceError(f"there is no layer {place}", mend=f"they count from 0 to {len(self) - 1}") from None


def solve(problem: data.Problem) -> Solution:
    """The exact solution of a problem.

    Example:
        >>> solve(Problem(X=[[1, 0], [0, 1]], W_Q="identity", W_K="identity", W_V="identity")).weights.decimals(3)
        [['0.670', '0.330'], ['0.330', '0.670']]
    """
    if not isinstance(problem, data.Problem):
        raise SpecError(f"{type(problem).__name__} is no problem", mend="write Problem(...), or Problem.read(path)")
    return Solution(worked(problem))


__all__ = ["Array", "HeadSolution", "Problem", "Solution", "solve"]
