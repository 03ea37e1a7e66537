"""Whether the arrays of a problem go together, and whether every query may attend to some key."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.errors import ShapeError, SpecError, Where
from symattn.parse.messages import child, quoted
from symattn.problem import TABLES, Matrix, Problem, Table, allowed


@dataclass(frozen=True, slots=True)
class _Sized:
    """An array, its name in messages, and its size."""

    name: str
    rows: int
    columns: int

    def __str__(self) -> str:
        return f"{self.name} is {self.rows} x {self.columns}"


def together(problem: Problem) -> None:
    """Refuse arrays that do not go together.

    Raises:
        SpecError: Arrays are missing or too many.
        ShapeError: The sizes of two arrays do not fit; the message names both.
    """
    _complete(problem)
    query, key, value = _projected(problem) if problem.X is not None else _direct(problem)
    heads = problem.attention.num_heads
    for array in (query, key, value):
        if array.columns % heads:
            raise ShapeError(
                f"{array}: {array.columns} columns cannot be shared out to {heads} heads",
                mend="choose num_heads so that it divides the number of columns",
                where=Where(array.name),
            )
    _output_fits(problem.W_O, value)


def _complete(problem: Problem) -> None:
    """Either X with all its tables, or Q K V."""
    direct = [name for name in ("Q", "K", "V") if getattr(problem, name) is not None]
    learned = [name for name in TABLES[:3] if getattr(problem, name) is not None]
    if problem.X is None and not direct:
        raise SpecError("there is nothing to attend to", mend="give X with W_Q, W_K and W_V, or give Q, K and V")
    if problem.X is not None and direct:
        raise SpecError(f"X and {direct[0]} exclude each other", mend="give one or the other", where=Where(direct[0]))
    if problem.X is None and learned:
        raise SpecError(f"{learned[0]} needs X", mend="give X, or leave it out beside Q, K, V", where=Where(learned[0]))
    for name in TABLES[:3] if problem.X is not None else ("Q", "K", "V"):
        if getattr(problem, name) is None:
            mend = f'write {name} = "identity" for a plain copy' if name in TABLES else "Q, K and V go together"
            raise SpecError(f"{name} is missing", mend=mend, where=Where(name))


def _projected(problem: Problem) -> tuple[_Sized, _Sized, _Sized]:
    """The learned tables, each of which has to have a row for each column of X."""
    x = _sized("X", problem.X)
    tables = [_sized(name, getattr(problem, name), x.columns) for name in TABLES[:3]]
    for table in tables:
        if table.rows != x.columns:
            raise ShapeError(
                f"{x} but {table}",
                mend=f"give {table.name} {x.columns} rows, one for each column of X",
                where=Where(table.name),
            )
    query, key, value = tables
    _alike(query, key)
    return query, key, value


def _direct(problem: Problem) -> tuple[_Sized, _Sized, _Sized]:
    query, key, value = (_sized(name, getattr(problem, name)) for name in ("Q", "K", "V"))
    _alike(query, key)
    if key.rows != value.rows:
        raise ShapeError(f"{key} but {value}", mend="give every key one value", where=Where("V"))
    return query, key, value


def _alike(query: _Sized, key: _Sized) -> None:
    if query.columns != key.columns:
        raise ShapeError(
            f"{query} but {key}",
            mend="give both as many columns: a score multiplies queries and keys number by number",
            where=Where(key.name),
        )


def _output_fits(table: Table | None, value: _Sized) -> None:
    if table is None or table == "identity":
        return
    output = _sized("W_O", table)
    if output.rows != value.columns:
        raise ShapeError(
            f"{value} but {output}",
            mend=f"give W_O {value.columns} rows, one for each column of the heads side by side",
            where=Where("W_O"),
        )


def _sized(name: str, array: Table | Matrix | None, side: int = 0) -> _Sized:
    """``"identity"`` has as many rows and columns as X has columns."""
    if array is None or isinstance(array, str):
        return _Sized(name, side, side)
    return _Sized(name, len(array), len(array[0]))


def masks(problem: Problem) -> None:
    """Refuse a mask that has two readings, and one that leaves a query with no key.

    Raises:
        SpecError: ``causal = true`` where there are not as many queries as keys, or a masked row with nothing allowed.
    """
    _mask(problem, problem.attention.causal, "attention.causal")
    for i, section in enumerate(problem.also):
        if "causal" in section.changed:
            _mask(problem, section.attention.causal, child(child("also", i), "causal"))


def _mask(problem: Problem, causal: bool | str, path: str) -> None:
    n_q, n_k = problem.n_q, problem.n_k
    if causal is True and n_q != n_k:
        raise SpecError(
            f"causal = true has two readings with {n_q} queries and {n_k} keys",
            mend='write causal = "top-left" or causal = "bottom-right"',
            where=Where(path),
        )
    for i, row in enumerate(allowed(causal, n_q, n_k) or ()):
        if not any(row):
            raise SpecError(
                f"query {i} (row {i + 1}, {quoted(problem.tokens[i])}) may attend to no key",
                mend=f"{n_q} queries and {n_k} keys: give more keys, or choose another mask",
                where=Where(path),
            )
