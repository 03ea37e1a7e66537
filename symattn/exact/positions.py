"""Positions: rotary turns of queries and keys, and the linear biases of ALiBi."""

from __future__ import annotations

from flint import fmpq

from symattn.exact import numbers
from symattn.exact.matrix import Matrix
from symattn.exact.numbers import Exact
from symattn.problem import Rope


def rotated(rows: Matrix, rope: Rope, first: int) -> Matrix:
    """Each row turned by its position: pairs (x1, x2) become (x1 cos a - x2 sin a, x1 sin a + x2 cos a).

    Args:
        rows: ``(n, d)``, queries or keys.
        rope: Base, number of entries that turn, and which two make a pair.
        first: The position of the first row.
    Returns:
        ``(n, d)``. The angle of pair f of a row at position p is ``p * base^(-2f/dimensions)``.
    Source:
        Su et al. 2021, RoFormer, section 3.4.2, eq. (34).
    """
    width = rope.dimensions or len(rows[0])
    base = numbers.number(rope.base)
    speeds = [numbers.power(base, fmpq(-2 * pair, width)) for pair in range(width // 2)]
    return tuple(_turned(row, [speed * (first + index) for speed in speeds], rope) for index, row in enumerate(rows))


def _turned(row: tuple[Exact, ...], angles: list[Exact], rope: Rope) -> tuple[Exact, ...]:
    found = list(row)
    for pair, angle in enumerate(angles):
        one, other = pair_of(pair, len(angles), rope)
        cosine, sine = numbers.cos(angle), numbers.sin(angle)
        found[one] = row[one] * cosine - row[other] * sine
        found[other] = row[one] * sine + row[other] * cosine
    return tuple(found)


def pair_of(pair: int, pairs: int, rope: Rope) -> tuple[int, int]:
    """The places of a pair's two entries."""
    return (2 * pair, 2 * pair + 1) if rope.interleaved else (pair, pair + pairs)


def slopes(num_heads: int) -> tuple[Exact, ...]:
    """The slope of each head: m_h = 2^(-8h/H) for h = 1..H where H is a power of two.

    Otherwise the slopes of the nearest smaller power of two, then every other one of twice that power.

    Source:
        Press et al. 2022, Train Short, Test Long, section 3; the rule for other H is that of its published code.
    """
    power = 1 << (num_heads.bit_length() - 1)
    found = _geometric(power)
    return (*found, *_geometric(2 * power)[0::2][: num_heads - power])


def _geometric(count: int) -> tuple[Exact, ...]:
    return tuple(numbers.power(fmpq(2), fmpq(-8 * head, count)) for head in range(1, count + 1))


def linear_bias(slope: Exact, n_q: int, n_k: int, offset: int) -> Matrix:
    """-slope * |i + offset - j|, shape (n_q, n_k): a query at position i + offset looks at a key at position j."""
    return tuple(tuple(slope * -abs(i + offset - j) for j in range(n_k)) for i in range(n_q))
