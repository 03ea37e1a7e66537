"""Attention itself, exact: scores, scaled, logits, weights and output of each head.

Scaled dot-product attention with the order scale, mask, softmax, mix (Vaswani et al. 2017, section 3.2.1); heads are
contiguous blocks of columns (section 3.2.2).
"""

from __future__ import annotations

from dataclasses import dataclass

from symattn.exact import numbers
from symattn.exact.matrix import Matrix, columns, matrix, product, transposed
from symattn.exact.numbers import Exact
from symattn.exact.values import MASKED, Blend, Mixed, Plain, Softmax, Total, Values, Weight, softmax
from symattn.problem import Attention, Problem, allowed
from symattn.problem import Matrix as Entries
from symattn.steps import Table


@dataclass(frozen=True, slots=True)
class Projections:
    """What one head starts from. Shapes: query (n_q, d_k), key (n_k, d_k), value (n_k, d_v), scores (n_q, n_k)."""

    query: Matrix
    key: Matrix
    value: Matrix
    scores: Matrix
    output_table: Matrix | None


@dataclass(frozen=True, slots=True)
class Head:
    """One head, worked: exact tables, and the rows of its softmax."""

    query: Table
    key: Table
    value: Table
    scores: Table
    scaled: Table
    logits: Table
    weights: Table
    output: Table
    rows: tuple[Softmax, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """All heads, the factor that scaled them, and the output after W_O (the heads side by side where there is none).

    ``allowed[i][j]`` is true where query i may attend to key j; None where every one may. ``symbolic``: a declared
    symbol occurs.
    """

    heads: tuple[Head, ...]
    output: Table
    scale: Exact
    d_k: int
    allowed: tuple[tuple[bool, ...], ...] | None
    symbolic: bool


def table(rows: Matrix) -> Table:
    """Exact numbers as a table of values."""
    return Table(tuple(tuple(Plain(entry) for entry in row) for row in rows))


def scores(query: Matrix, key: Matrix) -> Matrix:
    """Unscaled scores, one per (query, key) pair: S = Q K^T.

    Args:
        query: ``(n_q, d_k)``, one query per row.
        key: ``(n_k, d_k)``, one key per row.
    Returns:
        ``(n_q, n_k)``. Entry ``[i, j]`` is the dot product of query ``i`` and key ``j``, exact.
    Source:
        Vaswani et al. 2017, section 3.2.1, eq. (1), before the division by sqrt(d_k).
    Example:
        >>> from flint import fmpq
        >>> scores(((fmpq(1), fmpq(2)),), ((fmpq(3), fmpq(4)), (fmpq(1, 2), fmpq(0))))
        ((11, 1/2),)
    """
    return product(query, transposed(key))


def scale(options: Attention, d_k: int) -> Exact:
    """The factor on every score: as given, else 1/sqrt(d_k)."""
    return numbers.inverse(numbers.root(d_k)) if options.scale is None else numbers.number(options.scale)


def projections(problem: Problem) -> tuple[Projections, ...]:
    """Queries, keys, values and scores of each head."""
    heads = problem.attention.num_heads
    query, key, value = (_projected(problem, *names) for names in (("Q", "W_Q"), ("K", "W_K"), ("V", "W_V")))
    d_k, d_v = len(query[0]) // heads, len(value[0]) // heads
    mixing = None if problem.W_O is None else _learned(problem.W_O, heads * d_v)
    found = []
    for head in range(heads):
        q, k = (columns(rows, head * d_k, (head + 1) * d_k) for rows in (query, key))
        v = columns(value, head * d_v, (head + 1) * d_v)
        block = None if mixing is None else mixing[head * d_v : (head + 1) * d_v]
        found.append(Projections(q, k, v, scores(q, k), block))
    return tuple(found)


def _projected(problem: Problem, direct: str, learned: str) -> Matrix:
    given: Entries | None = getattr(problem, direct)
    if given is not None:
        return matrix(given)
    assert problem.X is not None  # noqa: S101 - parse makes no other problem
    rows = matrix(problem.X)
    weight = getattr(problem, learned)
    return rows if weight == "identity" else product(rows, matrix(weight))


def _learned(given: Entries | str, size: int) -> Matrix:
    if not isinstance(given, str):
        return matrix(given)
    return tuple(tuple(numbers.from_fraction(int(i == j)) for j in range(size)) for i in range(size))


def attention(starts: tuple[Projections, ...], options: Attention) -> Result:
    """Every step after the scores, for each head, under these options."""
    d_k = len(starts[0].query[0])
    factor = scale(options, d_k)
    mask = allowed(options.causal, len(starts[0].query), len(starts[0].key))
    heads = tuple(_head(start, factor, mask) for start in starts)
    return Result(heads, _combined(starts, heads), factor, d_k, mask, _symbolic(starts, factor))


def _symbolic(starts: tuple[Projections, ...], factor: Exact) -> bool:
    held = (
        entry
        for start in starts
        for rows in (start.query, start.key, start.value, start.output_table or ())
        for row in rows
        for entry in row
    )
    return any(isinstance(entry, numbers.Number) and bool(numbers.symbols(entry)) for entry in (factor, *held))


def _head(start: Projections, factor: Exact, mask: tuple[tuple[bool, ...], ...] | None) -> Head:
    scaled = tuple(tuple(entry * factor for entry in row) for row in start.scores)
    logits = tuple(
        tuple(entry if mask is None or mask[i][j] else None for j, entry in enumerate(row))
        for i, row in enumerate(scaled)
    )
    rows = tuple(softmax(row) for row in logits)
    return Head(
        query=table(start.query),
        key=table(start.key),
        value=table(start.value),
        scores=table(start.scores),
        scaled=table(scaled),
        logits=Table(tuple(tuple(MASKED if entry is None else Plain(entry) for entry in row) for row in logits)),
        weights=Table(tuple(tuple(Weight(row, key) for key in range(len(row.groups))) for row in rows)),
        output=_mixed(rows, start.value),
        rows=rows,
    )


def _mixed(rows: tuple[Softmax, ...], value: Matrix) -> Table:
    values = Values(value)
    blends = (Blend(row, values) for row in rows)
    return Table(tuple(tuple(Mixed(blend, column) for column in range(len(value[0]))) for blend in blends))


def _combined(starts: tuple[Projections, ...], heads: tuple[Head, ...]) -> Table:
    """Heads side by side, or through W_O: each head's values times its rows of W_O, mixed, and added up."""
    if starts[0].output_table is None and len(heads) == 1:
        return heads[0].output
    if starts[0].output_table is None:
        return Table(
            tuple(tuple(entry for head in heads for entry in head.output.rows[i]) for i in range(len(heads[0].rows)))
        )
    shares = [
        _mixed(head.rows, product(start.value, start.output_table))
        for start, head in zip(starts, heads, strict=True)
        if start.output_table is not None
    ]
    if len(shares) == 1:
        return shares[0]
    return Table(
        tuple(
            tuple(Total(tuple(share[i, j] for share in shares)) for j in range(shares[0].shape[1]))
            for i in range(shares[0].shape[0])
        )
    )
