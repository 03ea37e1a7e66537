"""Whether the arrays of a problem go together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symattn.errors import ShapeError, SpecError, Where
from symattn.parse import limits
from symattn.problem import TABLES, Entry, Matrix, Problem, Table


@dataclass(frozen=True, slots=True)
class _Sized:
    """An array, its name in messages, and its size."""

    name: str
    rows: int
    columns: int

    def __str__(self) -> str:
        return f"{self.name} is {self.rows} x {self.columns}"


def together(problem: Problem, tokens: str = "X") -> int:
    """The width of the output, where the arrays go together; ``tokens`` is what messages call X.

    Raises:
        SpecError: Arrays are missing or too many.
        ShapeError: The sizes of two arrays do not fit; the message names both.
    """
    _complete(problem)
    x = _sized(tokens, problem.X)
    query, key, value = _projected(problem, x) if problem.X is not None else _direct(problem)
    heads, kv_heads = problem.attention.num_heads, problem.attention.kv_heads
    _shared(query, heads, "num_heads")
    _alike(query, key, heads, kv_heads)
    _shared(value, kv_heads, "num_heads" if heads == kv_heads else "num_kv_heads")
    _cached(problem, key, value)
    concat = replace(value, columns=value.columns // kv_heads * heads)
    output = _output(problem.W_O, value, concat)
    for name, table in (("b_Q", query), ("b_K", key), ("b_V", value), ("b_O", output)):
        _added(name, getattr(problem, name), table)
    if problem.attention.residual:
        _residual(problem, x, output)
    return output.columns


def _residual(problem: Problem, x: _Sized, output: _Sized) -> None:
    """The output is as wide as the tokens that are added to it."""
    where = Where("attention.residual")
    if problem.X is None:
        raise SpecError("residual adds X to the output, and there is no X", mend="give X, or leave it out", where=where)
    if x.columns != output.columns:
        last = "W_V" if problem.W_O is None else "W_O"
        raise ShapeError(
            f"{x}, and the output has {output.columns} columns: residual adds the two",
            mend=f"choose {last} so that the output has {x.columns}",
            where=where,
        )


def head_width(problem: Problem) -> int:
    """d_k: how many numbers a query of one head has."""
    rows, table = (problem.Q, None) if problem.X is None else (problem.X, problem.W_Q)
    x = _sized("X", rows)
    return _sized("W_Q", table, x.columns).columns // problem.attention.num_heads


def _complete(problem: Problem) -> None:
    """Either X with all its tables, or Q K V; and nothing that hangs on what is not there."""
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
    if problem.X is None and problem.context is not None:
        mend = "K and V are the keys and values already: leave context out"
        raise SpecError("context needs X", mend=mend, where=Where("context"))
    for name in ("Q", "K", "V"):
        if problem.X is None and getattr(problem, f"b_{name}") is not None:
            raise SpecError(f"b_{name} needs X", mend=f"add it to the rows of {name}", where=Where(f"b_{name}"))
    if problem.b_O is not None and problem.W_O is None:
        raise SpecError("b_O needs W_O", mend='write W_O = "identity" for a plain copy', where=Where("b_O"))
    for name, other in (("past_key", "past_value"), ("past_value", "past_key")):
        if getattr(problem, name) is None and getattr(problem, other) is not None:
            raise SpecError(f"{name} is missing", mend="past_key and past_value go together", where=Where(name))


def _projected(problem: Problem, x: _Sized) -> tuple[_Sized, _Sized, _Sized]:
    """The learned tables, each of which has to have a row for each column of what it multiplies."""
    source = x if problem.context is None else _sized("context", problem.context)
    query = _sized("W_Q", problem.W_Q, x.columns)
    key, value = (_sized(name, getattr(problem, name), source.columns) for name in ("W_K", "W_V"))
    for rows, table in ((x, query), (source, key), (source, value)):
        if table.rows != rows.columns:
            raise ShapeError(
                f"{rows} but {table}",
                mend=f"give {table.name} {rows.columns} rows, one for each column of {rows.name}",
                where=Where(table.name),
            )
    return query, key, value


def _direct(problem: Problem) -> tuple[_Sized, _Sized, _Sized]:
    query, key, value = (_sized(name, getattr(problem, name)) for name in ("Q", "K", "V"))
    if key.rows != value.rows:
        raise ShapeError(f"{key} but {value}", mend="give every key one value", where=Where("V"))
    return query, key, value


def _alike(query: _Sized, key: _Sized, heads: int, kv_heads: int) -> None:
    """A key head is as wide as a head of the queries."""
    width = query.columns // heads
    if key.columns == kv_heads * width:
        return
    mend = "give both as many columns: a score multiplies queries and keys number by number"
    if heads != kv_heads:
        heads_of = f"{kv_heads} key heads, each {width} wide as the {heads} heads of {query.name} are"
        mend = f"give {key.name} {kv_heads * width} columns: {heads_of}"
    raise ShapeError(f"{query} but {key}", mend=mend, where=Where(key.name))


def _shared(array: _Sized, heads: int, name: str) -> None:
    if array.columns % heads:
        raise ShapeError(
            f"{array}: {array.columns} columns cannot be shared out to {heads} heads",
            mend=f"choose {name} so that it divides the number of columns",
            where=Where(array.name),
        )


def _cached(problem: Problem, key: _Sized, value: _Sized) -> None:
    """The cache has rows for keys and values, as wide as those that follow it."""
    past_key, past_value = _sized("past_key", problem.past_key), _sized("past_value", problem.past_value)
    if past_key.rows != past_value.rows:
        raise ShapeError(f"{past_key} but {past_value}", mend="give every key one value", where=Where("past_value"))
    for past, array in ((past_key, key), (past_value, value)):
        if past.rows and past.columns != array.columns:
            raise ShapeError(
                f"{array} but {past}",
                mend=f"give {past.name} {array.columns} columns, as many as {array.name} has",
                where=Where(past.name),
            )
    if problem.n_k > limits.SIDE:
        raise ShapeError(
            f"{problem.n_k} keys are too many, those of the cache included",
            mend=f"{limits.SIDE} is the most",
            where=Where("past_key"),
        )


def _output(table: Table | None, value: _Sized, concat: _Sized) -> _Sized:
    """W_O, which has to have a row for each column of the heads side by side."""
    output = _sized("W_O", table, concat.columns)
    if table is not None and output.rows != concat.columns:
        raise ShapeError(
            f"{value} but {output}",
            mend=f"give W_O {concat.columns} rows, one for each column of the heads side by side",
            where=Where("W_O"),
        )
    return output


def _added(name: str, vector: tuple[Entry, ...] | None, table: _Sized) -> None:
    if vector is not None and len(vector) != table.columns:
        raise ShapeError(
            f"{table} but {name} has {len(vector)} entries",
            mend=f"give {name} {table.columns} entries, one for each column of {table.name}",
            where=Where(name),
        )


def _sized(name: str, array: Table | Matrix | None, side: int = 0) -> _Sized:
    """``"identity"`` has as many rows and columns as what it multiplies has columns."""
    if array is None or isinstance(array, str):
        return _Sized(name, side, side)
    return _Sized(name, len(array), len(array[0]))
