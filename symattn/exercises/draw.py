"""One candidate: what a recipe leaves open, drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any, Final, TypeAlias

from symattn.exact.numbers import from_fraction
from symattn.exact.numbers import number as number_of
from symattn.exercises.chance import Chance, Choice, Counting, Numbered, shuffled, some
from symattn.exercises.fixed import Number
from symattn.exercises.recipe import Recipe, Source
from symattn.problem import VECTORS, Attention, Entry, Matrix, Page, Problem

Rows: TypeAlias = tuple[tuple[Number, ...], ...]
"""A matrix of numbers to calculate with; a vector is its one row."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn: names, the arrays as numbers (``None`` for the word identity), and which set of options.

    ``entries`` holds for each drawn array the places of its entries in the recipe's list.
    """

    tokens: tuple[str, ...]
    context_tokens: tuple[str, ...]
    arrays: Mapping[str, Rows | None]
    entries: Mapping[str, tuple[tuple[int, ...], ...]]
    option: int

    def identity(self) -> bytes:
        """A digest that candidates share when their data differ by a permutation of tokens only."""
        queries, keys, rest = [], [], []
        for name, rows in self.arrays.items():
            if rows is None:
                rest.append((name, ""))
            elif name == "Q":
                queries.append(rows)
            elif name in ("K", "V"):
                keys.append(rows)
            else:
                rest.append((name, str(sorted(map(str, rows)) if name in ("X", "context") else rows)))
        if queries and keys and len(queries[0]) == len(keys[0]):
            queries, keys = [], [*queries, *keys]
        together = [sorted(str(row) for row in zip(*group, strict=True)) for group in (queries, keys) if group]
        return blake2b(str((rest, together, self.option)).encode(), digest_size=16).digest()


MOST_NUMBERED: Final = 1 << 20
"""Candidates that are numbered one by one; beyond, each is drawn on its own."""


def ways(recipe: Recipe) -> int | None:
    """How many candidates there are; None where they are too many to be gone through."""
    counting = Counting()
    _drawn(recipe, counting)
    return counting.ways if counting.ways <= MOST_NUMBERED else None


def drawn(recipe: Recipe, key: bytes, index: int, size: int | None) -> Drawn:
    """Candidate ``index`` of the run with this key; ``size`` as ``ways`` gives it."""
    return _drawn(recipe, Chance(key, index) if size is None else Numbered(shuffled(key, index, size)))


def _drawn(recipe: Recipe, choice: Choice) -> Drawn:
    arrays: dict[str, Rows | None] = {}
    entries: dict[str, tuple[tuple[int, ...], ...]] = {}
    for name, source in recipe.arrays:
        if source.fixed == "identity":
            arrays[name] = None
        elif source.fixed is not None:
            arrays[name] = source.fixed_numbers
        else:
            places = _places(source, choice)
            entries[name] = places
            numbers = source.numbers
            arrays[name] = tuple([tuple([numbers[place] for place in row]) for row in places])
    option = choice.below(len(recipe.samples)) if len(recipe.samples) > 1 else 0
    tokens, keys = recipe.tokens, recipe.context_tokens
    if len(tokens) > recipe.n_q:
        tokens = tuple(some(choice, tokens, recipe.n_q))
    if len(keys) > recipe.n_k:
        keys = tuple(some(choice, keys, recipe.n_k))
    return Drawn(tokens, keys or tokens, arrays, entries, option)


def _places(source: Source, choice: Choice) -> tuple[tuple[int, ...], ...]:
    size, below = len(source.entries), choice.below
    if size == 1:
        return ((0,) * source.columns,) * (source.rows or 1)
    columns = range(source.columns)
    return tuple([tuple([below(size) for _ in columns]) for _ in range(source.rows or 1)])


def problem(recipe: Recipe, found: Drawn) -> Problem:
    """The candidate as a problem, which everything that works problems can work."""
    given: dict[str, Any] = {}
    for name, source in recipe.arrays:
        if source.fixed is not None:
            rows: Matrix | str = source.fixed
        else:
            rows = tuple(tuple(source.entries[place] for place in row) for row in found.entries[name])
        given[name] = rows[0] if name in VECTORS else rows
    return Problem(
        title=recipe.title,
        tokens=found.tokens,
        context_tokens=found.context_tokens,
        attention=options(recipe, found),
        page=Page(decimals=max(recipe.rounding.decimals, 1), decimal_mark=recipe.rounding.decimal_mark),
        **given,
    )


def options(recipe: Recipe, found: Drawn) -> Attention:
    """The candidate's options."""
    return recipe.samples[found.option].attention


def of_problem(given: Problem) -> Drawn:
    """A problem's data as numbers to calculate with, as if they had been drawn."""
    arrays: dict[str, Rows | None] = {}
    for name in ("X", "context", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V", "past_key", "past_value", *VECTORS):
        rows = getattr(given, name)
        if rows == "identity":
            arrays[name] = None
        elif rows is not None:
            arrays[name] = tuple(tuple(map(_number, row)) for row in ((rows,) if name in VECTORS else rows))
    return Drawn(given.tokens, given.context_tokens, arrays, {}, 0)


def _number(entry: Entry) -> Number:
    if isinstance(entry, Fraction):
        return entry.numerator if entry.denominator == 1 else from_fraction(entry)
    return number_of(entry)
