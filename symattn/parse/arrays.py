"""The arrays of a problem: matrices, the word "identity", and the tokens that name their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.errors import ShapeError, SpecError, Where
from symattn.parse import limits
from symattn.parse.messages import child, kind
from symattn.parse.values import entry, rows, text
from symattn.problem import Matrix, Table


def array(value: Any, symbols: Mapping[str, str], name: str) -> Table:
    """A learned table: a matrix, or the word ``"identity"``; errors as for ``matrix``."""
    if not isinstance(value, str):
        return matrix(value, symbols, name)
    if value == "identity":
        return "identity"
    raise SpecError(f"{kind(value)} is not a matrix", mend='write rows of numbers, or "identity"', where=Where(name))


def matrix(value: Any, symbols: Mapping[str, str], name: str) -> Matrix:
    """A matrix, row by row.

    Raises:
        ShapeError: It is empty, ragged or too large.
        SpecError: It is not a list of rows, or one of its entries cannot be read.
    """
    lengths = [_length(row, child(name, i)) for i, row in enumerate(_bounded(value, name))]
    for i, length in enumerate(lengths):
        if length != lengths[0]:
            raise ShapeError(
                f"a row of {length} where the first row has {lengths[0]}",
                mend="give every row the same number of entries",
                where=Where(child(name, i)),
            )
    if len(lengths) * lengths[0] > limits.ENTRIES:
        raise _too_large(f"{len(lengths)} x {lengths[0]} entries", name)
    return tuple(
        tuple(entry(found, symbols, child(child(name, i), j)) for j, found in enumerate(row))
        for i, row in enumerate(value)
    )


def _length(row: Any, path: str) -> int:
    return len(_bounded(row, path))


def _bounded(value: Any, path: str) -> list[Any] | tuple[Any, ...]:
    found = rows(value, path)
    if not found:
        raise ShapeError("the list is empty", mend="write at least one number", where=Where(path))
    if len(found) > limits.SIDE:
        raise _too_large(f"{len(found)} rows" if "[" not in path else f"{len(found)} entries", path)
    return found


def _too_large(size: str, path: str) -> ShapeError:
    return ShapeError(
        f"{size} are too many",
        mend=f"at most {limits.SIDE} rows and columns and {limits.ENTRIES} entries can be worked",
        where=Where(path),
    )


def tokens(value: Any, count: int, path: str) -> tuple[str, ...]:
    """Names for ``count`` rows, each used once.

    Raises:
        SpecError: They are not as many as the rows, or one is no text, empty, or used twice.
    """
    found = rows(value, path)
    if len(found) != count:
        raise SpecError(f"{len(found)} tokens for {count} rows", mend="name every row once", where=Where(path))
    first: dict[str, int] = {}
    for i, item in enumerate(found):
        place = child(path, i)
        token = text(item, limits.TOKEN, place)
        if not token.strip():
            raise SpecError("the token is empty", mend="give it a name", where=Where(place))
        if first.setdefault(token, i) != i:
            raise SpecError(
                f"{kind(token)} is used twice, first as number {first[token] + 1}",
                mend="tell them apart, as in the_1 and the_2",
                where=Where(place),
            )
    return tuple(first)


def numbered(letter: str, count: int) -> tuple[str, ...]:
    """Names where none are given: t1, t2, ..."""
    return tuple(f"{letter}{i}" for i in range(1, count + 1))
