"""The arrays of a problem: matrices, vectors, and the word "identity"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from symattn.errors import ShapeError, SpecError, Where
from symattn.parse import limits
from symattn.parse.messages import child, kind
from symattn.parse.values import entry, rows
from symattn.problem import Entry, Matrix, Table

Item = TypeVar("Item")


def array(value: Any, symbols: Mapping[str, str], name: str) -> Table:
    """A learned table: a matrix, or the word ``"identity"``; errors as for ``matrix``."""
    if not isinstance(value, str):
        return matrix(value, symbols, name)
    if value == "identity":
        return "identity"
    raise SpecError(f"{kind(value)} is not a matrix", mend='write rows of numbers, or "identity"', where=Where(name))


def matrix(value: Any, symbols: Mapping[str, str], name: str) -> Matrix:
    """A matrix, row by row; errors as for ``grid``."""
    return grid(value, lambda found, path: entry(found, symbols, path), name)


def vector(value: Any, symbols: Mapping[str, str], name: str) -> tuple[Entry, ...]:
    """A list of entries.

    Raises:
        ShapeError: It is empty or too long.
        SpecError: It is no list, or one of its entries cannot be read.
    """
    return tuple(entry(found, symbols, child(name, i)) for i, found in enumerate(bounded(value, name, "entries")))


def grid(
    value: Any, item: Callable[[Any, str], Item], name: str, most: int = limits.ENTRIES
) -> tuple[tuple[Item, ...], ...]:
    """Rows of ``item``, which reads one of them at its path.

    Raises:
        ShapeError: It is empty, ragged or too large.
        SpecError: It is not a list of rows, or ``item`` refuses one.
    """
    found = bounded(value, name, "rows", most)
    lengths = [len(bounded(row, child(name, i), "entries", most)) for i, row in enumerate(found)]
    for i, length in enumerate(lengths):
        if length != lengths[0]:
            raise ShapeError(
                f"a row of {length} where the first row has {lengths[0]}",
                mend="give every row the same number of entries",
                where=Where(child(name, i)),
            )
    if len(lengths) * lengths[0] > most:
        raise _too_large(f"{len(lengths)} x {lengths[0]} entries", name, most)
    return tuple(
        tuple(item(found, child(child(name, i), j)) for j, found in enumerate(row)) for i, row in enumerate(found)
    )


def bounded(value: Any, path: str, of: str, most: int = limits.ENTRIES) -> list[Any] | tuple[Any, ...]:
    """A list that is neither empty nor too long; ``of`` says what it holds, ``most`` how many entries may be.

    Raises:
        ShapeError: It is.
        SpecError: It is no list.
    """
    found = rows(value, path)
    if not found:
        raise ShapeError("the list is empty", mend="write at least one number", where=Where(path))
    if len(found) > limits.SIDE:
        raise _too_large(f"{len(found)} {of}", path, most)
    return found


def _too_large(size: str, path: str, most: int) -> ShapeError:
    return ShapeError(
        f"{size} are too many",
        mend=f"at most {limits.SIDE} rows and columns and {most} entries can be worked",
        where=Where(path),
    )
