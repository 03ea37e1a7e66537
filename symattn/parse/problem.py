"""Plain data, a text or a file as a Problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from symattn.errors import SpecError, SymattnError, Where
from symattn.parse import document, limits
from symattn.parse.arrays import array, matrix, vector
from symattn.parse.fits import options_fit
from symattn.parse.grammar import RESERVED
from symattn.parse.layers import in_layers, layers_fit
from symattn.parse.messages import child, kind, quoted
from symattn.parse.names import key_names, query_names, tokens
from symattn.parse.options import also, attention, known, layers, page
from symattn.parse.shapes import together
from symattn.parse.values import table, text
from symattn.problem import ASSUMPTIONS, MATRICES, TABLES, VECTORS, Problem
from symattn.symbols import GENERATOR, SYMBOLS

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def problem(data: Mapping[str, Any]) -> Problem:
    """The Problem that plain data say, in the shape of a problem file.

    Args:
        data: Names and values as a problem file has them. An entry is an integer, a Fraction, a Decimal or a text.
    Returns:
        A Problem whose arrays go together, in which every row has a name, and may attend to some key or says what then.
    Raises:
        SpecError: Something unknown, missing or out of bounds; the place is its path in the data.
        ShapeError: Arrays whose sizes do not go together.
        UndecidedError: A softcap or the like that no theorem shows to be above 0.
    Example:
        >>> problem({"Q": [[1, 0]], "K": [["1/2", 1]], "V": [[3]]}).tokens
        ('t1',)
    """
    given = table(data, "")
    known(given)
    symbols = _symbols(given.get("symbols", {}))
    options = attention(given.get("attention", {}), symbols)
    found = Problem(
        title=text(given.get("title", ""), limits.TITLE, "title"),
        symbols=tuple(symbols.items()),
        attention=options,
        also=also(given.get("also", []), options, symbols),
        layers=layers(given["layers"], options, symbols) if "layers" in given else (),
        page=page(given.get("page", {}), symbols),
        **{name: _array(given[name], symbols, name) for name in (*MATRICES, *VECTORS) if name in given},
    )
    _letters(found)
    if found.layers:
        in_layers(found)
    else:
        together(found)
    named = _named(found, given)
    if found.layers:
        layers_fit(named)
    else:
        options_fit(named)
    return named


def read(path: Path, overrides: Mapping[str, Mapping[str, Any]] | None = None) -> Problem:
    """The Problem in a TOML or JSON file, by the end of its name; ``overrides`` are options set over it, by table.

    Raises:
        SymattnError: As for ``problem``; the place names the file, the line where it is known, and the path.
    """
    try:
        found = document.text(path)
        return loads(found, document.format_of(path), overrides)
    except SymattnError as error:
        raise error.located(file=str(path)) from None


def loads(
    text: str, format: document.Format = "toml", overrides: Mapping[str, Mapping[str, Any]] | None = None
) -> Problem:
    """The Problem that a text says, with the options of ``overrides`` set over it, by table.

    Raises:
        SymattnError: As for ``problem``; the place names the line where it is known, and the path.
    """
    data = _overridden(document.data(text, format), overrides or {})
    try:
        return problem(data)
    except SymattnError as error:
        raise error.located(line=document.line(text, error.where.path)) from None


def _overridden(data: Mapping[str, Any], overrides: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    found = dict(data)
    for name, options in overrides.items():
        given = found.get(name, {})
        found[name] = {**given, **options} if isinstance(given, Mapping) else given
    return found


def _array(value: Any, symbols: Mapping[str, str], name: str) -> Any:
    read = array if name in TABLES else vector if name in VECTORS else matrix
    return read(value, symbols, name)


def _symbols(value: Any) -> dict[str, str]:
    given = table(value, "symbols")
    if len(given) > limits.SYMBOLS:
        where = Where("symbols")
        raise SpecError(f"{len(given)} symbols are too many", mend=f"{limits.SYMBOLS} is the most", where=where)
    for name, assumption in given.items():
        try:
            _symbol(name, assumption)
        except SpecError as error:
            raise error.located(path=child("symbols", name)) from None
    return dict(given)


def _symbol(name: str, assumption: Any) -> None:
    if len(name) > limits.SYMBOLS or not _NAME.fullmatch(name):
        raise SpecError(f"{quoted(name)} cannot name a symbol", mend="write a letter, then letters, digits or _")
    if name in (*RESERVED, GENERATOR):
        raise SpecError(f"{name} has a meaning already", mend="choose another name")
    if not isinstance(assumption, str) or assumption not in ASSUMPTIONS:
        words = " or ".join(f'"{word}"' for word in ASSUMPTIONS)
        raise SpecError(f"{kind(assumption)} is no assumption", mend=f"write {words}")


def _letters(found: Problem) -> None:
    """A letter of a page says one thing: an array, the generator, or a declared symbol."""
    letters = {name: symbol.letter for name, symbol in SYMBOLS.items()} | dict(found.page.notation)
    for name, letter in letters.items():
        if letter in dict(found.symbols):
            raise SpecError(
                f"{letter} is the letter of {name} on the page",
                mend=f"rename the symbol, or give {name} another letter: [page] notation",
                where=Where(child("symbols", letter)),
            )


def _named(found: Problem, given: Mapping[str, Any]) -> Problem:
    """The problem with a name for each query and each key."""
    queries = tokens(given["tokens"], found.n_q, "tokens") if "tokens" in given else query_names(found)
    if "context_tokens" not in given:
        return replace(found, tokens=queries, context_tokens=key_names(found, queries))
    if found.X is not None and found.context is None and not found.past:
        raise SpecError(
            "the keys of X are its own rows", mend="leave context_tokens out", where=Where("context_tokens")
        )
    return replace(found, tokens=queries, context_tokens=tokens(given["context_tokens"], found.n_k, "context_tokens"))
