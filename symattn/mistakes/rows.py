"""The mistakes that a page's questions tell of, as single rows of weights from a head that is worked already.

The same numbers as ``spoiled``, without working the whole problem once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from flint import fmpq

from symattn.exact.attention import Head, Result
from symattn.exact.numbers import ONE, ZERO, Exact
from symattn.exact.values import MASKED, Plain, Value, Weight, softmax
from symattn.steps import Table

Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class RowMistake:
    """A key, and the weights of one query (n_k,) that one head gets by it."""

    key: str
    row: Callable[[Head, Result, int], Row]
    needs_mask: bool = False

    def weights(self, head: Head, result: Result) -> Table:
        """All rows, (n_q, n_k)."""
        return Table(tuple(self.row(head, result, query) for query in range(len(head.rows))))


def _weights(logits: Iterable[Exact | None]) -> Row:
    row = softmax(logits)
    return tuple(Weight(row, key) for key in range(len(row.groups)))


def _rescaled(factor: Callable[[Result], Exact]) -> Callable[[Head, Result, int], Row]:
    def weights(head: Head, result: Result, query: int) -> Row:
        by = factor(result)
        pairs = zip(head.scores.rows[query], head.logits.rows[query], strict=True)
        return _weights(None if logit is MASKED else score.number * by for score, logit in pairs)

    return weights


@lru_cache(maxsize=128)  # most problems share the few factors 1/sqrt(d_k)
def _squared(factor: Exact) -> Exact:
    return factor * factor


def _over_queries(head: Head, result: Result, query: int) -> Row:  # noqa: ARG001 - the signature is the catalogue's
    columns = (
        softmax(None if logit is MASKED else logit.number for logit in column)
        for column in zip(*head.logits.rows, strict=True)
    )
    seen = zip(columns, head.logits.rows[query], strict=True)
    return tuple(Plain(ZERO) if logit is MASKED else Weight(column, query) for column, logit in seen)


def _mask_ignored(head: Head, result: Result, query: int) -> Row:  # noqa: ARG001 - the signature is the catalogue's
    return _weights(value.number for value in head.scaled.rows[query])


def _masked_after(head: Head, result: Result, query: int) -> Row:
    found = zip(_mask_ignored(head, result, query), head.logits.rows[query], strict=True)
    return tuple(Plain(ZERO) if logit is MASKED else weight for weight, logit in found)


ROWS: Final = {
    mistake.key: mistake
    for mistake in (
        RowMistake("unscaled", _rescaled(lambda _: ONE)),
        RowMistake("scaled_by_d_k", _rescaled(lambda result: fmpq(1, result.d_k))),
        RowMistake("scaled_twice", _rescaled(lambda result: _squared(result.scale))),
        RowMistake("softmax_over_queries", _over_queries),
        RowMistake("mask_after_softmax", _masked_after, needs_mask=True),
        RowMistake("mask_ignored", _mask_ignored, needs_mask=True),
    )
}
"""By their keys in the catalogue."""
