"""The mistakes that a page's questions tell of, as single rows of weights from a head that is worked already.

The same numbers as ``spoiled``, without working the whole problem once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from flint import fmpq

from symattn.exact.attention import Head, Result
from symattn.exact.numbers import ONE, ZERO, Exact
from symattn.exact.values import MASKED, Plain, Value, Weight, softmax
from symattn.steps import Table


@dataclass(frozen=True, slots=True)
class RowMistake:
    """A key, and the n_k weights of one query that one head gets by it, each worked when it is asked for."""

    key: str
    row: Callable[[Head, Result, int], Iterator[Value]]
    needs_mask: bool = False

    def weights(self, head: Head, result: Result) -> Table:
        """All rows, (n_q, n_k)."""
        return Table(tuple(tuple(self.row(head, result, query)) for query in range(len(head.rows))))


def _weights(logits: Iterable[Exact | None]) -> Iterator[Value]:
    row = softmax(logits)
    return (Weight(row, key) for key in range(len(row.groups)))


def _rescaled(factor: Callable[[Result], Exact]) -> Callable[[Head, Result, int], Iterator[Value]]:
    def weights(head: Head, result: Result, query: int) -> Iterator[Value]:
        by = factor(result)
        pairs = zip(head.scores.rows[query], head.logits.rows[query], strict=True)
        return _weights(None if logit is MASKED else score.number * by for score, logit in pairs)

    return weights


@lru_cache(maxsize=128)  # most problems share the few factors 1/sqrt(d_k)
def _squared(factor: Exact) -> Exact:
    return factor * factor


def scaled_alike(result: Result) -> bool:
    """Whether scaling twice is dividing by d_k, as it is under the usual scale."""
    return bool(_squared(result.scale) == fmpq(1, result.d_k))


def _over_queries(head: Head, result: Result, query: int) -> Iterator[Value]:  # noqa: ARG001 - the catalogue's signature
    for column, logit in zip(zip(*head.logits.rows, strict=True), head.logits.rows[query], strict=True):
        if logit is MASKED:
            yield Plain(ZERO)
        else:
            yield Weight(softmax(None if entry is MASKED else entry.number for entry in column), query)


def _mask_ignored(head: Head, result: Result, query: int) -> Iterator[Value]:  # noqa: ARG001 - the catalogue's signature
    return _weights(value.number for value in head.scaled.rows[query])


def _masked_after(head: Head, result: Result, query: int) -> Iterator[Value]:
    found = zip(_mask_ignored(head, result, query), head.logits.rows[query], strict=True)
    return (Plain(ZERO) if logit is MASKED else weight for weight, logit in found)


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
