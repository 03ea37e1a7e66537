"""A Problem back as plain data in the shape of the problem file."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

from symattn.errors import SpecError
from symattn.parse.names import key_names, query_names
from symattn.parse.written import written
from symattn.problem import (
    MATRICES,
    TABLES,
    VECTORS,
    Attention,
    Entry,
    Layer,
    Option,
    Page,
    Problem,
    Rope,
    Table,
    options,
)


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
        **{name: _vector(getattr(problem, name)) for name in VECTORS},
        "symbols": dict(problem.symbols),
        "attention": _table(problem.attention),
        "also": [_table(section.attention, section.changed) for section in problem.also],
        "layers": [_layer(layer) for layer in problem.layers],
        "page": _table(problem.page),
    }
    return {name: value for name, value in found.items() if value}


def _layer(layer: Layer) -> dict[str, Any]:
    arrays = {
        **{name: _array(getattr(layer, name)) for name in TABLES},
        **{name: _vector(getattr(layer, name)) for name in VECTORS},
    }
    given = {name: array for name, array in arrays.items() if array is not None}
    return given | _table(layer.attention, layer.changed)


def _tokens(problem: Problem) -> dict[str, Any]:
    """The names of rows that differ from those a problem without names gets."""
    found = {}
    if problem.tokens != query_names(problem):
        found["tokens"] = list(problem.tokens)
    if problem.context_tokens != _usual_keys(problem):
        found["context_tokens"] = list(problem.context_tokens)
    return found


def _usual_keys(problem: Problem) -> tuple[str, ...] | None:
    try:
        return key_names(problem, problem.tokens)
    except SpecError:
        return None


def _array(array: Table | None) -> Any:
    if array is None or isinstance(array, str):
        return array
    return [[_entry(entry) for entry in row] for row in array]


def _vector(vector: tuple[Entry, ...] | None) -> list[Any] | None:
    return None if vector is None else [_entry(entry) for entry in vector]


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
        case "window":
            return list(value)
        case "entries":
            return _one_or_all([_entry(entry) for entry in value])
        case "masks":
            return _one_or_all([[list(row) for row in mask] for mask in value])
        case "biases":
            return _one_or_all([[[_added(entry) for entry in row] for row in bias] for bias in value])
        case "rope":
            return _rope(value)


def _one_or_all(heads: list[Any]) -> Any:
    """What holds for all heads stands alone."""
    return heads[0] if len(heads) == 1 else heads


def _added(entry: Entry | None) -> int | str:
    return "-oo" if entry is None else _entry(entry)


def _rope(rope: Rope) -> dict[str, Any]:
    usual = Rope()
    found = {
        "base": _entry(rope.base) if rope.base != usual.base else None,
        "dimensions": rope.dimensions,
        "interleaved": rope.interleaved or None,
    }
    return {name: value for name, value in found.items() if value is not None}
