"""A key as ``symattn exercises`` writes it, read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from symattn.errors import SpecError, SymattnError, Where
from symattn.exact.attention import Result, attention, projections
from symattn.exact.closed import Generator, generator
from symattn.exercises import walk
from symattn.exercises.draw import of_problem
from symattn.exercises.fair import Judge
from symattn.exercises.fixed import UNIT
from symattn.exercises.offer import blank
from symattn.exercises.reading import integer
from symattn.exercises.recipe import ASKED, KINDS, Ask, Limits, Recipe, Rounding
from symattn.exercises.variant import Answer, Cell
from symattn.exercises.work import Work
from symattn.parse import document
from symattn.parse import problem as problems
from symattn.parse.messages import child, kind, quoted
from symattn.parse.values import rows, table
from symattn.problem import Problem

_LARGEST: Final = 2_000_000_000
"""Bytes of a key."""


@dataclass(frozen=True, slots=True)
class KeyQuestion:
    """One question of a key: the numbers with their tolerances, or the choices and which is right."""

    number: int
    answer: Answer
    choices: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()

    @property
    def blanks(self) -> list[str]:
        """The names of its blanks, in reading order; a choice or a closed form is one blank."""
        ask = self.answer.ask
        if ask.kind == "blanks":
            return [blank(self.number, ask, cell.row, cell.column) for cell in self.answer.cells]
        return [str(self.number)]

    @property
    def points(self) -> int:
        """What it is worth in all."""
        return self.answer.ask.points * len(self.blanks)


@dataclass(eq=False)
class KeyVariant:
    """One variant of a key, ready to be marked against."""

    code: str
    keep: int
    decimals: int
    problem: Problem
    questions: tuple[KeyQuestion, ...]
    judges: dict[Any, Judge] = field(default_factory=dict, repr=False)

    @cached_property
    def judge(self) -> Judge:
        """A judge for it, shared by variants of the same options, sizes and decimals."""
        shapes = tuple(len(row) for row in (self.problem.X or (), self.problem.Q or (), self.problem.V or ()))
        key = (self.problem.attention, self.problem.n_q, self.problem.n_k, self.problem.past, self.keep, shapes)
        if key not in self.judges:
            self.judges[key] = Judge(self._recipe())
        return self.judges[key]

    def _recipe(self) -> Recipe:
        problem, guard = self.problem, self.keep - self.decimals
        return Recipe(
            "", "", "", "", problem.tokens, problem.context_tokens, (), (problem,), (), problem.n_q, problem.n_k,
            Rounding(self.decimals, guard, guard), Limits(), frozenset(), "",
        )  # fmt: skip

    @cached_property
    def work(self) -> Work:
        """Its heads, and its exact numbers."""
        found, options = of_problem(self.problem), self.problem.attention
        heads = walk.starts(found, options)
        return Work(self.judge.recipe, found, options, heads, (found.arrays.get("W_O"), found.arrays.get("b_O")))

    @cached_property
    def result(self) -> Result:
        """Everything about it, exact."""
        return attention(projections(self.problem), self.problem.attention)

    @cached_property
    def generator(self) -> Generator | None:
        """The number u that closed forms are written in."""
        return generator(row for head in self.result.heads for row in head.rows)


def read(path: Path) -> dict[str, KeyVariant]:
    """The variants of a key by their codes.

    Raises:
        SymattnError: The file is no key; the place names it, and the path.
    """
    try:
        return loads(document.text(path, _LARGEST))
    except SymattnError as error:
        raise error.located(file=str(path)) from None


def loads(text: str) -> dict[str, KeyVariant]:
    """The variants of a key's text."""
    data = document.data(text, "json")
    if "variants" not in data or "decimals" not in data:
        raise SpecError("this is no key", mend="name the file NAME-key.json that symattn exercises wrote")
    decimals = integer(data["decimals"], "decimals", 0, 8)
    judges: dict[Any, Judge] = {}
    found: dict[str, KeyVariant] = {}
    for i, item in enumerate(rows(data["variants"], "variants")):
        variant = _variant(table(item, child("variants", i)), child("variants", i), decimals, judges)
        found[variant.code] = variant
    return found


def _variant(item: Mapping[str, Any], path: str, decimals: int, judges: dict[Any, Judge]) -> KeyVariant:
    for name in ("code", "keep", "questions", "problem"):
        if name not in item:
            raise SpecError(f"{name} is missing", mend="make the key anew", where=Where(path))
    keep = integer(item["keep"], child(path, "keep"), 0, 18)
    try:
        problem = problems.problem(item["problem"])
    except SymattnError as error:
        raise error.located(path=child(path, "problem")) from None
    place = child(path, "questions")
    questions = tuple(
        _question(table(question, child(place, i)), child(place, i), i + 1)
        for i, question in enumerate(rows(item["questions"], place))
    )
    return KeyVariant(str(item["code"]), keep, decimals, problem, questions, judges)


def _question(item: Mapping[str, Any], path: str, number: int) -> KeyQuestion:
    array = str(item.get("what", "")).partition("[")[0]
    way = item.get("kind")
    if array not in ASKED or way not in KINDS:
        raise SpecError(f"{kind(item.get('what'))} is no question", mend="make the key anew", where=Where(path))
    place = child(path, "answers")
    cells = tuple(_cell(table(cell, place), place) for cell in rows(item.get("answers"), place))
    ask = Ask(
        array,
        way,
        head=integer(item.get("head", 0), child(path, "head"), 0, 64),
        points=integer(item.get("points", 1), child(path, "points"), 0, 1000),
    )
    choices = tuple(table(choice, child(path, "choices")) for choice in item.get("choices", ()))
    right = integer(item.get("right", 0), child(path, "right"), 0, max(len(choices) - 1, 0))
    answer = Answer(ask, cells, right=right, mistake=str(item.get("mistake", "")))
    texts = tuple(str(choice.get("text", "")) for choice in choices)
    return KeyQuestion(number, answer, texts, tuple(str(choice.get("mistake", "")) for choice in choices))


def _cell(item: Mapping[str, Any], path: str) -> Cell:
    try:
        (row, column), key, tolerance = item["at"], str(item["key"]), str(item["tolerance"])
        middle, units = (int(Fraction(text) * UNIT) for text in (key, tolerance))
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise SpecError("an answer needs at, key and tolerance", mend="make the key anew", where=Where(path)) from None
    return Cell(
        integer(row, path, 0, 512), integer(column, path, 0, 512), key, tolerance, middle, units, (middle, middle)
    )


def known(code: str, key: Mapping[str, KeyVariant]) -> KeyVariant:
    """The variant of a code.

    Raises:
        SpecError: The key has no such variant.
    """
    if code not in key:
        raise SpecError(f"the key has no variant {quoted(code)}", mend="name the key of this run")
    return key[code]
