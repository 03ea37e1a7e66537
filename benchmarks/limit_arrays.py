"""The limit for ``symattn.reference``: the same balls at 128 bits with bare python-flint, certifying nothing.

It does what must be done for one head without options, and as fast as we know: exact whole scores, one exponential for
each pair, one product with the values and a column of ones, one division for each entry of the output. It neither
rounds nor proves a thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from flint import arb, arb_mat, ctx, fmpz_mat

Whole: TypeAlias = Sequence[Sequence[int]]


def balls(query: Whole, key: Whole, value: Whole, factor: arb, unit: arb, bits: int = 128) -> arb_mat:
    """The output's balls: tables of whole numbers, logits = factor * scores, values = unit * whole values."""
    before, ctx.prec = ctx.prec, bits
    try:
        n_q, n_k, width = len(query), len(key), len(value[0])
        scores = arb_mat(fmpz_mat(query) * fmpz_mat(key).transpose()) * factor
        weights = arb_mat(n_q, n_k, [score.exp() for score in scores.entries()])
        sums = (weights * arb_mat(fmpz_mat([[*row, 1] for row in value]))).entries()
        found = []
        for start in range(0, len(sums), width + 1):
            share = unit / sums[start + width]
            found += [entry * share for entry in sums[start : start + width]]
        return arb_mat(n_q, width, found)
    finally:
        ctx.prec = before
