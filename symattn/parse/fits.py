"""Whether the options go with the arrays, in each section, and whether every query may attend to some key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Final

from symattn.errors import ShapeError, SpecError, Where
from symattn.parse.messages import child, quoted
from symattn.parse.shapes import head_width
from symattn.problem import CONVENTIONS, Attention, Problem, Rope, allowed

_RULES: Final = ("causal", "mask", "key_lengths", "window", "bias")
"""The options that can hide a key."""
_ROWS: Final = (*_RULES, "on_masked_row", "convention", "sink")
"""The options on which it hangs whether a row with nothing allowed is an error."""


@dataclass(frozen=True, slots=True)
class _Section:
    """The whole options of a section, which of them it sets, and its path."""

    attention: Attention
    changed: tuple[str, ...]
    path: str

    def at(self, *names: str) -> Where:
        """The place of the first of these options that the section sets."""
        return Where(next((child(self.path, name) for name in names if name in self.changed), self.path))


def options_fit(problem: Problem) -> None:
    """Refuse options that do not go with the arrays, or with one another.

    Raises:
        ShapeError: A mask or bias whose size is not that of the scores, or not one a head.
        SpecError: An option that has two readings or none here, or a query with no key and no word on what then.
    """
    for section in _sections(problem):
        for name in ("mask", "bias"):
            if name in section.changed:
                _size(problem, section, name)
        for name in ("mask", "bias", "sink"):
            if name in section.changed:
                _one_a_head(section, name)
        if "key_lengths" in section.changed:
            _key_lengths(problem, section)
        if "rope" in section.changed and section.attention.rope is not None:
            _rope(problem, section.attention.rope, section.at("rope"))
        if {"causal", "convention"} & set(section.changed):
            _causal(problem, section)
        if set(_ROWS) & set(section.changed):
            _rows(problem, section)


def _sections(problem: Problem) -> Iterator[_Section]:
    yield _Section(problem.attention, tuple(row.name for row in fields(Attention)), "attention")
    for i, section in enumerate(problem.also):
        yield _Section(section.attention, section.changed, child("also", i))


def _size(problem: Problem, section: _Section, name: str) -> None:
    n_q, n_k = problem.n_q, problem.n_k
    matrices = getattr(section.attention, name)
    for head, matrix in enumerate(matrices):
        if (len(matrix), len(matrix[0])) != (n_q, n_k):
            of = f" of head {head} (number {head + 1})" if len(matrices) > 1 else ""
            raise ShapeError(
                f"{name}{of} is {len(matrix)} x {len(matrix[0])} with {n_q} queries and {n_k} keys",
                mend=f"give it {n_q} rows, one a query, and {n_k} columns, one a key"
                + (", those of the cache first" if problem.past else ""),
                where=section.at(name),
            )


def _one_a_head(section: _Section, name: str) -> None:
    count, heads = len(getattr(section.attention, name)), section.attention.num_heads
    if count not in (0, 1, heads):
        raise ShapeError(
            f"{name} is given {count} times for {heads} heads",
            mend="give it once for all heads, or once a head",
            where=section.at(name),
        )


def _key_lengths(problem: Problem, section: _Section) -> None:
    length = section.attention.key_lengths
    if length is not None and length > problem.n_k:
        raise SpecError(
            f"there are no {length} keys",
            mend=f"write an integer from 1 to {problem.n_k}",
            where=section.at("key_lengths"),
        )


def _rope(problem: Problem, rope: Rope, where: Where) -> None:
    if problem.context is not None:
        raise SpecError(
            "rotary positions count in one sequence, and the keys come from another",
            mend="leave rope out, or context",
            where=where,
        )
    width = head_width(problem)
    if rope.dimensions is None and width % 2:
        raise SpecError(
            f"rotary positions turn pairs, and a head's queries have {width} numbers",
            mend="give heads an even width, or set dimensions in rope" if width > 1 else "give heads an even width",
            where=where,
        )
    if rope.dimensions is not None and rope.dimensions > width:
        raise SpecError(
            f"{rope.dimensions} dimensions of {width} cannot be turned",
            mend=f"write an even number of at most {width}: d_k is the width of a head",
            where=Where(child(where.path, "dimensions")),
        )


def _causal(problem: Problem, section: _Section) -> None:
    options = section.attention
    aligned = options.convention is not None and CONVENTIONS[options.convention].alignment is not None
    if options.causal is True and problem.n_q != problem.n_k and not problem.past and not aligned:
        raise SpecError(
            f"causal = true has two readings with {problem.n_q} queries and {problem.n_k} keys",
            mend='write causal = "top-left" or causal = "bottom-right"',
            where=section.at("causal", "convention"),
        )


def _rows(problem: Problem, section: _Section) -> None:
    """A query with nothing allowed is an error unless something is said of it; a sink takes all the weight."""
    options = section.attention
    if options.masked_row != "error" or options.sink:
        return
    heads = max(len(options.mask), len(options.bias), 1)
    for head in range(heads):
        found = allowed(options, problem.n_q, problem.n_k, problem.past, head)
        for i, row in enumerate(found or ()):
            if not any(row):
                of = f" in head {head} (number {head + 1})" if heads > 1 else ""
                raise SpecError(
                    f"query {i} (row {i + 1}, {quoted(problem.tokens[i])}) may attend to no key{of}",
                    mend=f"{problem.n_q} queries and {problem.n_k} keys: choose another mask, or say what becomes "
                    'of such a row, as in on_masked_row = "zero"',
                    where=_blamed(problem, section, head, i),
                )


def _blamed(problem: Problem, section: _Section, head: int, i: int) -> Where:
    """The one option that hides keys from query i, or the section where there are several."""
    hiding = []
    for rule in _RULES:
        alone = replace(
            Attention(), convention=section.attention.convention, **{rule: getattr(section.attention, rule)}
        )
        found = allowed(alone, problem.n_q, problem.n_k, problem.past, head)
        if found is not None and not all(found[i]):
            hiding.append(rule)
    return section.at(*hiding) if len(hiding) == 1 else Where(section.path)
