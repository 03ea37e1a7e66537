"""A Problem back as plain data in the shape of the problem file."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

from symattn.parse.arrays import numbered
from symattn.parse.written import written
from symattn.problem import MATRICES, Attention, Entry, Option, Page, Problem, Table, options


def plain(problem: Problem) -> dict[str, Any]:
    """The problem as data for JSON: integers as they are, every other number as a text, defaults left out.

    Returns:
        Data that ``parse.problem.problem`` reads as the same Problem.
    Example:
        >>> from symattn.parse.problem import problem
        >>> plain(problem({"Q": [[1]], "K": [["0.5"]], "V": [[3]], "tokens": ["t1"]}))
        {'Q': [[1]], 'K': [['1/2']], 'V': [[3]]}
    """
    found = {
        "title": problem.title,
        **_tokens(problem),
        **{name: _array(getattr(problem, name)) for name in MATRICES},
        "symbols": dict(problem.symbols),
        "attention": _table(problem.attention),
        "also": [_table(section.attention, section.changed) for section in problem.also],
        "page": _table(problem.page),
    }
    return {name: value for name, value in found.items() if value}


def _tokens(problem: Problem) -> dict[str, Any]:
    """The names of rows that differ from those a problem without names gets."""
    found = {}
    if problem.tokens != numbered("t", problem.n_q):
        found["tokens"] = list(problem.tokens)
    usual = problem.tokens if problem.n_q == problem.n_k else numbered("k", problem.n_k)
    if problem.context_tokens != usual:
        found["context_tokens"] = list(problem.context_tokens)
    return found


def _array(array: Table | None) -> Any:
    if array is None or isinstance(array, str):
        return array
    return [[_entry(entry) for entry in row] for row in array]


def _entry(entry: Entry) -> int | str:
    if isinstance(entry, Fraction) and entry.denominator == 1:
        return entry.numerator
    return written(entry)


def _table(table: Attention | Page, changed: tuple[str, ...] | None = None) -> dict[str, Any]:
    """The options that differ from their defaults, or those named."""
    defaults = {row.name: row.default for row in fields(table)}
    found = {row.name: (option, getattr(table, row.name)) for row, option in options(type(table))}
    return {
        name: _value(value, option)
        for name, (option, value) in found.items()
        if (value != defaults[name] if changed is None else name in changed)
    }


def _value(value: Any, option: Option) -> Any:
    match option.kind:
        case "entry":
            return _entry(value)
        case "notation":
            return dict(value)
        case "choice" | "integer":
            return value
