"""What templates see of a variant: a statement in which no answer is, the answers, and the worked solution.

The three are made apart, so that a student's page is filled from data that hold no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from symattn.derive.pictures import pictures
from symattn.derive.sections import worked
from symattn.exact import numbers
from symattn.exact.attention import Result, attention, projections
from symattn.exact.closed import Generator, numbers_ratio
from symattn.exact.values import Value
from symattn.exercises import walk
from symattn.exercises.draw import Rows
from symattn.exercises.fair import Judge, rounded
from symattn.exercises.fixed import Interval
from symattn.exercises.recipe import Ask, Recipe
from symattn.exercises.slips import NONE
from symattn.exercises.variant import Answer, Cell, Choice, Grid, Variant
from symattn.exercises.work import Work, exact_value
from symattn.parse.shapes import head_width
from symattn.pictures import Picture
from symattn.problem import MATRICES, VECTORS
from symattn.render import latex
from symattn.render.forms import Forms, forms
from symattn.render.latex import decimal, scaled_by
from symattn.render.style import PLAIN
from symattn.render.words import words
from symattn.symbols import GENERATOR, SYMBOLS

View: TypeAlias = "dict[str, Any]"
Escape: TypeAlias = Callable[[str], str]

SQUARE: Final = ("scores", "scaled", "exponentials", "weights")
"""The arrays with one column a key."""
_KEYS: Final = ("key", "value")
_WIDE: Final = 10
"""Columns of learned tables that stand on a line."""
_PICTURED: Final = {"weights": "weights", "output": "outputs"}
"""What pictures of an array are called."""
_CHOICES: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def tex(text: str) -> Markup:
    """LaTeX, or text that is escaped already."""
    return Markup(text)  # noqa: S704 - ours, or escaped


@cache
def told(escape: Escape) -> View:
    """What each mistake is, in the words of a format."""
    return {key: tex(escape(str(clause))) for key, clause in words()["mistake"].items()}


class Sheet:
    """One variant about to be shown in one format: its names escaped, its numbers as LaTeX."""

    def __init__(self, variant: Variant, recipe: Recipe, escape: Escape) -> None:
        self.variant, self.recipe = variant, recipe
        self.tokens = [tex(escape(token)) for token in variant.drawn.tokens]
        self.keys = [tex(escape(token)) for token in variant.drawn.context_tokens]
        self._escape = escape
        self.mistakes = told(escape)

    def number(self, text: str) -> Markup:
        """A decimal with the recipe's mark."""
        return tex(decimal(text, self.recipe.rounding.decimal_mark))

    def statement(self) -> View:
        """What a student needs: names, what is given, the options, and what is asked. No answer is in it."""
        variant, recipe, learned = self.variant, self.recipe, list(self._learned())
        return {
            "code": variant.code,
            "intro": tex(self._escape(recipe.intro)),
            "keep": variant.keep,
            "decimals": recipe.rounding.decimals,
            "exact": all(ask.kind in ("closed", "find-mistake") for ask in recipe.asks),
            "tokens": self.tokens,
            "key_tokens": self.keys,
            "self_attention": self.tokens == self.keys,
            "given": list(self._given()),
            "learned": learned,
            "learned_lines": list(_lines(learned)),
            "option": self._options(),
            "questions": [self.question(answer) | {"number": n} for n, answer in enumerate(variant.answers, 1)],
            "mistakes": self.mistakes,
        }

    def _given(self) -> Iterator[View]:
        """The arrays with a row a token, with their numbers."""
        for name in ("X", "context", "Q", "K", "V", "past_key", "past_value"):
            rows = self.variant.drawn.arrays.get(name)
            if rows is None or (name in ("V", "past_value") and not self._mixes):
                continue
            past = self.variant.problem.past
            labels = {"X": self.tokens, "Q": self.tokens}.get(name, self.keys[past:])
            if name.startswith("past"):
                labels = self.keys[:past]
            yield {
                "name": name,
                "letter": tex(_letter(name)),
                "header": [tex(str(column + 1)) for column in range(len(rows[0]))],
                "rows": _labelled(labels, [[tex(latex.exact(entry)) for entry in row] for row in rows]),
                "columns": len(rows[0]) + 1,
            }

    def _learned(self) -> Iterator[View]:
        for name in (*MATRICES, *VECTORS):
            if not name.startswith(("W_", "b_")) or name not in self.variant.drawn.arrays:
                continue
            if name[-1] in "VO" and not self._mixes:
                continue
            rows = self.variant.drawn.arrays[name]
            letter = _letter(name)
            shown = None if rows is None else tex(f"{letter} = {_matrix(rows)}")
            columns = 0 if rows is None else len(rows[0])
            yield {"name": name, "letter": tex(letter), "tex": shown, "columns": columns}

    @property
    def _mixes(self) -> bool:
        """Whether values are needed for what is asked."""
        return any(ask.array in ("value", "output", "final") for ask in self.recipe.asks)

    def _options(self) -> View:
        options, problem = self.variant.problem.attention, self.variant.problem
        scale = None if options.scale is None else scaled_by(numbers.number(options.scale))
        return {
            "d_k": head_width(problem),
            "causal": bool(options.causal),
            "offset": options.causal == "bottom-right" and problem.n_q != problem.n_k,
            "cache": problem.past,
            "scale": None if scale is None else {"verb": scale[0], "tex": tex(scale[1])},
            "softcap": _exact(options.softcap),
            "temperature": _exact(options.temperature),
            "sink": [_exact(entry) for entry in options.sink],
            "alibi": options.alibi,
            "heads": options.num_heads,
            "kv_heads": options.kv_heads,
            "key_lengths": options.key_lengths,
            "window": None if options.window is None else _window(options.window),
            "rope": options.rope is not None,
            "masks": list(self._tables(options.mask, lambda seen: tex("1") if seen else tex("0"))),
            "biases": list(self._tables(options.bias, _bias)),
        }

    def _tables(self, tables: Sequence[Any], cell: Callable[[Any], Markup]) -> Iterator[View]:
        for table in tables:
            rows = [[cell(entry) for entry in row] for row in table]
            yield {"header": self.keys, "rows": _labelled(self.tokens, rows), "columns": len(self.keys) + 1}

    def labels(self, ask: Ask) -> list[Markup]:
        """The names of an array's rows."""
        return self.keys if ask.array in _KEYS else self.tokens

    def question(self, answer: Answer) -> View:
        """What is asked: its array, row and column by name, and a grid of blanks. No answer is in it."""
        ask, rows = answer.ask, sorted({cell.row for cell in answer.cells})
        columns = sorted({cell.column for cell in answer.cells})
        labels, square = self.labels(ask), ask.array in SQUARE
        header = [self.keys[column] if square else tex(str(column + 1)) for column in columns]
        return {
            "array": ask.array,
            "letter": tex(_letter(ask.array)),
            "kind": ask.kind,
            "points": ask.points,
            "head": ask.head + 1,
            "square": square,
            "row": None if ask.row is None else labels[ask.row],
            "column": None if ask.column is None else self.keys[ask.column] if square else tex(str(ask.column + 1)),
            "header": header,
            "rows": [labels[row] for row in rows],
            "columns": len(columns) + 1,
            "choices": [self._choice(ask, place, choice) for place, choice in enumerate(answer.choices)],
            "shown": [self._shown(ask, array, grid) for array, grid in answer.shown],
            "definition": self._definition() if ask.kind == "closed" else "",
        }

    def _choice(self, ask: Ask, place: int, choice: Choice) -> View:
        """One thing to choose, without a word on whether it is right."""
        numbers = [self.number(text) for text in choice.text] if ask.kind == "choice" else []
        return {
            "letter": _CHOICES[place],
            "numbers": tex(PLAIN.vector(numbers)) if len(numbers) > 1 else "".join(numbers),
            "token": self.keys[int(choice.text[0])] if ask.kind == "most" else "",
            "array": choice.text[0] if ask.kind == "find-mistake" else "",
            "verdict": (choice.mistake or "right") if ask.kind == "true-false" else "",
        }

    def _shown(self, ask: Ask, array: str, grid: Grid) -> View:
        """Numbers that a question shows, right or wrong."""
        labels, square = self.labels(Ask(array)), array in SQUARE
        whole = ask.kind == "find-mistake"
        rows = range(len(labels)) if whole or ask.row is None else (ask.row,)
        columns = range(len(grid[0])) if whole or ask.column is None else (ask.column,)
        header = [self.keys[column] if square else tex(str(column + 1)) for column in columns]
        cells = [[self.number(text) for text in row] for row in grid]
        return {
            "name": array,
            "letter": tex(_letter(array)),
            "header": header,
            "rows": _labelled([labels[row] for row in rows], cells),
            "columns": len(header) + 1,
        }

    @cached_property
    def _forms(self) -> Forms:
        return forms(worked(self.variant.problem), GENERATOR)[0]

    def _definition(self) -> Markup:
        """What u is, where closed forms are written in it."""
        by = self._forms.by
        return tex("" if by is None else f"{GENERATOR} = {latex.power_of_e(by.exponent)}")

    def answered(self) -> list[View]:
        """The questions with their answers and tolerances."""
        return [self.question(answer) | self._answer(answer) for answer in self.variant.answers]

    def _answer(self, answer: Answer) -> View:
        rows: dict[int, list[Markup]] = {}
        for cell in answer.cells:
            rows.setdefault(cell.row, []).append(self.number(cell.key))
        labels = self.labels(answer.ask)
        largest = max(answer.cells, key=lambda cell: cell.units, default=None)
        blanks = len(answer.cells) if answer.ask.kind == "blanks" else 1
        return {
            "cells": _labelled([labels[row] for row in rows], list(rows.values())),
            "blanks": blanks,
            "total": blanks * answer.ask.points,
            "tolerance": "" if largest is None or not largest.units else self.number(largest.tolerance),
            "right": _CHOICES[answer.right] if answer.choices else "",
            "mistake": answer.mistake,
            "closed": self._closed(answer) if answer.ask.kind == "closed" else "",
            "fractions": self._fractions(answer),
        }

    def _fractions(self, answer: Answer) -> list[View]:
        """The answers as exact fractions, where logarithms in the entries make them such."""
        found = [rows for rows in self.variant.drawn.arrays.values() if rows is not None]
        if answer.ask.kind != "blanks" or not any(
            isinstance(x, numbers.Number) for rows in found for row in rows for x in row
        ):
            return []
        labels, rows = self.labels(answer.ask), dict[int, list[Markup]]()
        for cell in answer.cells:
            value = self._exact(answer.ask, cell)
            above, below = value.fraction()
            ratio = numbers_ratio(above, below)
            if ratio is None:
                return []
            rows.setdefault(cell.row, []).append(tex(latex.exact(ratio)))
        return _labelled([labels[row] for row in rows], list(rows.values()))

    def _exact(self, ask: Ask, cell: Cell) -> Value:
        return exact_value(self._result, ask.array, ask.head, cell.row, cell.column)

    @cached_property
    def _result(self) -> Result:
        return attention(projections(self.variant.problem), self.variant.problem.attention)

    def exact(self, answer: Answer) -> list[tuple[Value, Generator | None]]:
        """The exact numbers that are asked for, each with the u that closed forms are written in."""
        return [(self._exact(answer.ask, cell), self._forms.by) for cell in answer.cells]

    def _closed(self, answer: Answer) -> Markup:
        (cell,) = answer.cells
        return tex(self._forms.tex(self._exact(answer.ask, cell)))

    def solution(self, judge: Judge) -> list[View]:
        """Each head's arrays in the order of working, to the decimals that are kept on the way."""
        work = judge.work(self.variant.drawn)
        found = [self._head(judge, work, head) for head in range(len(work.heads))]
        last = max(_ORDER.index(answer.ask.array) for answer in self.variant.answers)
        if _ORDER[last] == "final":
            found.append({"number": 0, "grids": [self._grid(judge, work, "final", 0)]})
        return found

    def _head(self, judge: Judge, work: Work, head: int) -> View:
        grids = [self._grid(judge, work, name, head) for name in self._worked]
        return {"number": head + 1 if len(work.heads) > 1 else 0, "grids": grids}

    @property
    def _worked(self) -> list[str]:
        """The arrays of a head that are worked out on the way to the last one asked for."""
        last = max(_ORDER.index(answer.ask.array) for answer in self.variant.answers)
        return [name for name in _ORDER[: last + 1] if name != "final" and self._is_worked(name)]

    def pictures(self) -> dict[str, Picture]:
        """The pictures of what is worked out on the way to the last array asked for: weights, and outputs."""
        kinds = {_PICTURED[name] for name in self._worked if name in _PICTURED}
        found = pictures(worked(self.variant.problem))
        return {key: picture for key, picture in found.items() if key.partition("-")[0] in kinds}

    def hints(self) -> list[str]:
        """The steps of the working in order, in words and without a number."""
        step, asked = words()["exercise"]["step"], {answer.ask.array for answer in self.variant.answers}
        return [step[name] for name in (*self._worked, *(["final"] if "final" in asked else []))]

    def _is_worked(self, name: str) -> bool:
        """Whether an array is worked out rather than given or copied."""
        if name not in ("query", "key", "value"):
            return True
        if name == "value" and not self._mixes:
            return False
        direct = {"query": "Q", "key": "K", "value": "V"}[name]
        arrays = self.variant.drawn.arrays
        copied = f"W_{direct}" in arrays and arrays[f"W_{direct}"] is None and arrays.get(f"b_{direct}") is None
        return arrays.get(direct) is None and (not copied or self.variant.problem.attention.num_heads > 1)

    def _grid(self, judge: Judge, work: Work, name: str, head: int) -> View:
        ask = Ask(name, head=head)
        start, labels = work.heads[head], self.labels(ask)
        count = len(start.key) if name in _KEYS else len(start.query)
        course = judge.course(work, NONE, None)
        rows = []
        for row, line in enumerate(walk.lines(course, work.heads, name, head, range(count), work.mixing)):
            cells = [
                self._cell(work, ask, (row, column), work.sharp(interval, ask, (row, column), course))
                for column, interval in enumerate(line or ())
            ]
            rows.append(cells)
        square = name in SQUARE
        header = self.keys if square else [tex(str(column + 1)) for column in range(len(rows[0]))]
        letter = _letter(name)
        return {
            "name": name,
            "letter": tex(letter),
            "header": header,
            "rows": _labelled(labels, rows),
            "columns": len(header) + 1,
        }

    def _cell(self, work: Work, ask: Ask, place: tuple[int, int], exact: Interval) -> Markup:
        return self.number(rounded(exact, self.variant.keep, lambda: work.value(ask, *place))[0])


_ORDER: Final = ("query", "key", "value", "scores", "scaled", "exponentials", "weights", "output", "final")


def _lines(learned: Sequence[View]) -> Iterator[Markup]:
    """The learned tables side by side, as many on a line as fit."""
    line: list[Markup] = []
    columns = 0
    for table in learned:
        if not table["tex"]:
            continue
        if line and columns + table["columns"] > _WIDE:
            yield tex(r", \qquad ".join(line))
            line, columns = [], 0
        line.append(table["tex"])
        columns += table["columns"]
    if line:
        yield tex(r", \qquad ".join(line))


def _letter(name: str) -> str:
    return SYMBOLS[name].letter if name in SYMBOLS else {"Q": "Q", "K": "K", "V": "V"}.get(name, "")


def _matrix(rows: Rows) -> str:
    return PLAIN.matrix([latex.exact(entry) for entry in row] for row in rows)


def _labelled(labels: Sequence[Markup], rows: Sequence[Sequence[Markup]]) -> list[View]:
    return [{"label": label, "cells": list(cells)} for label, cells in zip(labels, rows, strict=True)]


def _exact(entry: Any) -> Markup | None:
    return None if entry is None else tex(latex.exact(numbers.number(entry)))


def _bias(entry: Any) -> Markup:
    return tex(r"-\infty") if entry is None else tex(latex.exact(numbers.number(entry)))


def _window(window: tuple[int, int]) -> View:
    before, after = (None if side < 0 else side for side in window)
    return {"before": before, "after": after}
