"""The catalogue of mistakes: attention, exact, with one thing wrong.

Each entry gives the weights of one head as the mistake makes them. Pages ask for them in questions; the words of a mistake stand
under its key in ``templates/``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from flint import fmpq

from symattn.exact.attention import Head, Result
from symattn.exact.numbers import ONE, ZERO, Exact
from symattn.exact.values import MASKED, Plain, Weight, softmax
from symattn.steps import Table


@dataclass(frozen=True, slots=True)
class Mistake:
    """A key, and the weights (n_q, n_k) that one head gets by it."""

    key: str
    weights: Callable[[Head, Result], Table]


def _rescaled(factor: Callable[[Result], Exact]) -> Callable[[Head, Result], Table]:
    def weights(head: Head, result: Result) -> Table:
        by = factor(result)
        rows = (
            softmax(None if logit is MASKED else score.number * by for score, logit in zip(*pair, strict=True))
            for pair in zip(head.scores.rows, head.logits.rows, strict=True)
        )
        return Table(tuple(tuple(Weight(row, key) for key in range(len(row.groups))) for row in rows))

    return weights


def _over_queries(head: Head, result: Result) -> Table:  # noqa: ARG001 - the signature is the catalogue's
    columns = [
        softmax(None if logit is MASKED else logit.number for logit in column)
        for column in zip(*head.logits.rows, strict=True)
    ]
    return Table(tuple(tuple(Weight(column, query) for column in columns) for query in range(len(head.rows))))


def _masked_after(head: Head, result: Result) -> Table:  # noqa: ARG001 - the signature is the catalogue's
    rows = [softmax(value.number for value in row) for row in head.scaled.rows]
    return Table(
        tuple(
            tuple(Plain(ZERO) if logit is MASKED else Weight(row, key) for key, logit in enumerate(logits))
            for row, logits in zip(rows, head.logits.rows, strict=True)
        )
    )


def _mask_ignored(head: Head, result: Result) -> Table:  # noqa: ARG001 - the signature is the catalogue's
    rows = [softmax(value.number for value in row) for row in head.scaled.rows]
    return Table(tuple(tuple(Weight(row, key) for key in range(len(row.groups))) for row in rows))


CATALOGUE: Final = {
    mistake.key: mistake
    for mistake in (
        Mistake("unscaled", _rescaled(lambda _: ONE)),
        Mistake("scaled_by_d_k", _rescaled(lambda result: fmpq(1, result.d_k))),
        Mistake("scaled_twice", _rescaled(lambda result: result.scale * result.scale)),
        Mistake("softmax_over_queries", _over_queries),
        Mistake("mask_after_softmax", _masked_after),
        Mistake("mask_ignored", _mask_ignored),
    )
}
"""Every mistake by its key."""
