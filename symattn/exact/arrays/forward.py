"""Rows of attention by balls: n_q * n_k exponentials, and products of matrices of balls for all the rest.

What takes time is one exponential for each allowed key, in 64 to 128 bits; the choice between ways of summing is small
beside it. Scores are exact products of whole matrices (FLINT's multimodular ones), so nothing is lost before the
exponential. No maximum is taken away: a ball's exponent has no bounds, and every row is a product of its own in
``arb_mat``, which keeps rows and columns of very different sizes apart. One product with the values and a column of
ones gives numerators and denominator of a row together.

Claims, all by the inclusion property of ball arithmetic:
- the exponentials, numerators and the denominator of a row are enclosed;
- a masked key has the exact ball 0 and adds exactly nothing;
- a row's denominator is positive, unless the row may attend to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flint import arb, arb_mat, fmpz_mat

from symattn.exact.arrays.head import Head, power_of_two
from symattn.exact.balls import precision

_ZERO: Final = arb(0)


@dataclass(frozen=True, slots=True)
class RowBalls:
    """Balls of one row: ``exponentials`` (n_k) and that of the ``sink``, their ``total``, and 1 ``over`` it.

    An entry of the output is one of ``numerators`` (d_v) times ``share``.
    """

    row: int
    exponentials: list[arb]
    sink: arb
    total: arb
    over: arb
    numerators: list[arb]
    share: arb


def rows(head: Head, bits: int) -> Iterator[RowBalls]:
    """The rows that may attend to something, in order, enclosed at about ``bits`` bits.

    Output ``[i, c]`` is sum_j e^(u_ij) v_jc / (sum_j e^(u_ij) + e^sink), over the keys j that row i may attend to.
    The precision is in force, and other threads wait, until the last row was taken.
    """
    with precision(bits + head.headroom):
        width = head.value.length
        values = arb_mat(fmpz_mat([[*row, 1] for row in head.value.rows]))
        unit = arb(power_of_two(head.value.exponent))
        sink = head.sink_key()
        extra = _ZERO if sink is None else head.logit(sink).exp()
        for first in range(0, head.n_q, head.block):
            last = min(first + head.block, head.n_q)
            found = exponentials(head, first, last)
            sums = (arb_mat(last - first, head.n_k, found) * values).entries()
            for index in range(last - first):
                if head.is_dead(first + index):
                    continue
                *numerators, total = sums[index * (width + 1) : (index + 1) * (width + 1)]
                total += extra
                over = 1 / total
                yield RowBalls(
                    first + index,
                    found[index * head.n_k : (index + 1) * head.n_k],
                    extra,
                    total,
                    over,
                    numerators,
                    unit * over,
                )


def exponentials(head: Head, first: int, last: int) -> list[arb]:
    """e^(logit) of these rows, flat, and 0 for a masked key."""
    logits = head.logits(first, last)
    if head.allowed is None:
        return list(map(arb.exp, logits))
    allowed = b"".join(head.allowed[first:last])
    return [logit.exp() if seen else _ZERO for logit, seen in zip(logits, allowed, strict=True)]
