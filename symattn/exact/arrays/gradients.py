"""Gradients of heads that share keys and values, by balls.

With G the gradient of the output, P the weights, u the logits and s the scaled scores:

    d_value = P^T G        dP = G V^T        delta_i = sum_j P_ij dP_ij
    dU_ij = P_ij (dP_ij - delta_i) * du/ds_ij        du/ds = 1, or 1 - tanh(s/cap)^2 with a cap
    d_query = scale * dU K        d_key = scale * dU^T Q

``d_key`` and ``d_value`` are sums over the heads that share a key head. A sink takes part in P alone. A row that may
attend to nothing has no gradient, or, where its output is the mean of all values, gives G_i / n_k to each d_value.

dP is exact: a product of whole matrices.

Source: FlashAttention (Dao et al. 2022), appendix B.2, for the formulas without cap and sink.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from flint import arb, arb_mat, fmpq, fmpz, fmpz_mat

from symattn.exact.arrays.forward import RowBalls, rows
from symattn.exact.arrays.head import Dyadic, Head, constant, power_of_two
from symattn.exact.balls import precision


@dataclass(frozen=True)
class Graded:
    """A head, the gradient of its output (n_q, d_v), and whether a row without keys is the mean of all values."""

    head: Head
    grad: Dyadic
    uniform: bool = False

    def slopes_of_weights(self, first: int, last: int) -> fmpz_mat:
        """dP of these rows, in units of 2^(exponents of gradient and values)."""
        return self.grad.matrix(first, last) * self.head.value.matrix().transpose()

    @property
    def unit(self) -> fmpq:
        """What a whole dP counts."""
        return power_of_two(self.grad.exponent + self.head.value.exponent)

    def mean_share(self, column: int) -> fmpq:
        """What rows without keys give to each d_value where their output is the mean of all values."""
        found = sum(self.grad.rows[row][column] for row in self._means)
        return found * power_of_two(self.grad.exponent) / self.head.n_k

    @cached_property
    def _means(self) -> list[int]:
        """The rows whose output is the mean of all values."""
        return [row for row in range(self.head.n_q) if self.uniform and self.head.is_dead(row)]


@dataclass(frozen=True)
class GradientBalls:
    """Balls: ``queries`` one (n_q, d_k) for each head, ``key`` (n_k, d_k), ``value`` (n_k, d_v)."""

    queries: list[arb_mat]
    key: arb_mat
    value: arb_mat


def balls(sharing: Sequence[Graded], bits: int) -> GradientBalls:
    """The gradients of heads that share a key head, enclosed at about ``bits`` bits."""
    head = sharing[0].head
    with precision(bits + max(graded.head.headroom for graded in sharing)):
        key, value = arb_mat(head.n_k, head.key.length), arb_mat(head.n_k, head.value.length)
        queries = []
        for graded in sharing:
            query = [arb_mat(1, head.key.length)] * graded.head.n_q
            for lines in _blocks(graded.head, bits):
                done = _block(graded, lines)
                key, value = key + done.key, value + done.value
                for found, line in zip(lines, done.queries, strict=True):
                    query[found.row] = line
            queries.append(arb_mat([line.entries() for line in query]))
            if graded.uniform:
                value = value + _means(graded)
        return GradientBalls(queries, key, value)


def _blocks(head: Head, bits: int) -> Iterator[list[RowBalls]]:
    for _, block in groupby(rows(head, bits), key=lambda row: row.row // head.block):
        yield list(block)


def _block(graded: Graded, block: Sequence[RowBalls]) -> GradientBalls:
    """What some rows of a head contribute; ``queries`` are single rows."""
    head, n_k = graded.head, graded.head.n_k
    first, last = block[0].row, block[-1].row + 1
    slopes = graded.slopes_of_weights(first, last).entries()
    bends = head.slopes(first, last)
    weights: list[arb] = []
    steps: list[arb] = []
    for row in block:
        span = slice((row.row - first) * n_k, (row.row - first + 1) * n_k)
        shares = [exponential * row.over for exponential in row.exponentials]
        found = _steps(row, shares, slopes[span])
        weights += shares
        steps += found if bends is None else [step * bend for step, bend in zip(found, bends[span], strict=True)]
    above = arb_mat(len(block), n_k, steps)
    queries = fmpz_mat([head.query.rows[row.row] for row in block])
    grads = fmpz_mat([graded.grad.rows[row.row] for row in block])
    scale = constant(head.scale, head.radical) * arb(graded.unit)
    to_query = above * arb_mat(head.key.matrix()) * (scale * arb(power_of_two(head.key.exponent)))
    to_key = above.transpose() * arb_mat(queries) * (scale * arb(power_of_two(head.query.exponent)))
    to_value = arb_mat(len(block), n_k, weights).transpose() * arb_mat(grads) * arb(power_of_two(graded.grad.exponent))
    entries, wide = to_query.entries(), head.key.length
    single = [arb_mat(1, wide, entries[index * wide : (index + 1) * wide]) for index in range(len(block))]
    return GradientBalls(single, to_key, to_value)


def _steps(row: RowBalls, shares: Sequence[arb], slopes: Sequence[fmpz]) -> list[arb]:
    """dU of a row, in units of dP: P_j (dP_j - delta), with the dP of the heaviest key taken away exactly before.

    So where one key has nearly all weight nothing cancels: with its dP = top the sum is P_j (dP_j - top - delta'),
    delta' = sum_l P_l (dP_l - top) - (weight of the sink) * top. Where the sink is heaviest, top = 0 is its own.
    """
    heaviest = row.sink
    top = fmpz(0)
    for exponential, slope in zip(row.exponentials, slopes, strict=True):
        if exponential > heaviest:
            heaviest, top = exponential, slope
    parts = [share * (slope - top) for share, slope in zip(shares, slopes, strict=True)]
    rest = sum(parts, arb(0)) - row.sink * row.over * top
    return [part - share * rest for part, share in zip(parts, shares, strict=True)]


def _means(graded: Graded) -> arb_mat:
    """``mean_share`` for every key."""
    return arb_mat([[arb(graded.mean_share(column)) for column in range(graded.head.value.length)]] * graded.head.n_k)
