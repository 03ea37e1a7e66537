"""One head on binary floats, as frozen data; and the exact logits of its rows.

Floats are whole numbers times a common power of two, so a score is a whole number times one constant, and no score is
ever rounded. A logit is

    alpha * factor + beta * 2^low         factor = scale * 2^(exponents of query and key) = rational * sqrt(radical)
    cap * tanh(alpha * factor / cap) + beta * 2^low     with a cap

with whole alpha and beta, beta from the bias or the sink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from flint import arb, arb_mat, fmpq, fmpz, fmpz_mat

Key: TypeAlias = tuple[int, int]
"""(alpha, beta) of a logit, such that equal keys are equal logits, and different keys different ones."""

_ENTRIES: Final = 1 << 16
"""Logits that are worked on at once."""


@dataclass(frozen=True, slots=True)
class Dyadic:
    """A table of numbers ``rows[i][j] * 2^exponent``, none larger than 2^(bits + exponent).

    What is not finite was replaced by 0.
    """

    rows: Sequence[Sequence[int]]
    exponent: int
    bits: int

    def matrix(self, first: int = 0, last: int | None = None) -> fmpz_mat:
        """The whole numbers of these rows."""
        return fmpz_mat(self.rows[first:last])

    @property
    def length(self) -> int:
        """Number of columns."""
        return len(self.rows[0])

    @property
    def reach(self) -> int:
        """No number is larger than 2^reach."""
        return self.bits + self.exponent


@dataclass(frozen=True)
class Head:
    """What one head computes: softmax over the allowed keys of each row, times the values.

    Shapes: ``query`` (n_q, d_k), ``key`` (n_k, d_k), ``value`` (n_k, d_v), ``bias`` (n_q, n_k). ``allowed[i][j]`` is 1
    where row i may attend to key j, None where it may to all. The factor on scores is ``scale * sqrt(radical)`` with
    ``radical`` free of squares.
    """

    query: Dyadic
    key: Dyadic
    value: Dyadic
    scale: fmpq
    radical: int = 1
    allowed: Sequence[bytes] | None = None
    cap: fmpq | None = None
    bias: Dyadic | None = None
    sink: tuple[int, int] | None = None  # whole * 2^exponent

    @property
    def n_q(self) -> int:
        """Number of queries."""
        return len(self.query.rows)

    @property
    def n_k(self) -> int:
        """Number of keys."""
        return len(self.key.rows)

    @cached_property
    def factor(self) -> fmpq:
        """The rational part of what a whole score is multiplied by."""
        return self.scale * power_of_two(self.query.exponent + self.key.exponent)

    @cached_property
    def low(self) -> int:
        """The common exponent of bias and sink."""
        found = [self.bias.exponent] if self.bias else []
        return min([*found, self.sink[1]] if self.sink else found, default=0)

    @cached_property
    def keys(self) -> fmpz_mat:
        """The keys as columns."""
        return self.key.matrix().transpose()

    @cached_property
    def headroom(self) -> int:
        """Bits of the largest logit: what an exponential loses of its precision."""
        score = power_of_two(self.query.reach + self.key.reach) * self.key.length * abs(self.scale) * self.radical
        bias = power_of_two(self.bias.reach) if self.bias else 0
        sink = abs(self.sink[0]) * power_of_two(self.sink[1]) if self.sink else 0
        return int((score + bias + sink).ceil()).bit_length()

    @cached_property
    def block(self) -> int:
        """Rows that are worked on at once."""
        return max(1, min(self.n_q, _ENTRIES // max(self.n_k, 1)))

    def visible(self, row: int) -> bytes | None:
        """Which keys the row may attend to; None for all."""
        return None if self.allowed is None else self.allowed[row]

    def is_dead(self, row: int) -> bool:
        """Whether the row may attend to nothing, and there is no sink."""
        seen = self.visible(row)
        return self.sink is None and (self.n_k == 0 or (seen is not None and 1 not in seen))

    @property
    def decided(self) -> bool:
        """Whether all logits are algebraic, so that exponentials of different ones are independent."""
        return self.cap is None

    def logits(self, first: int, last: int) -> list[arb]:
        """Balls of the logits of these rows, flat, at the precision in force, which must include ``headroom``."""
        found = arb_mat(self.query.matrix(first, last) * self.keys) * constant(self.factor, self.radical)
        if self.cap is not None:
            cap = arb(self.cap)
            found = arb_mat(last - first, self.n_k, [cap * (score / cap).tanh() for score in found.entries()])
        if self.bias is not None:
            found += arb_mat(self.bias.matrix(first, last)) * arb(power_of_two(self.bias.exponent))
        return found.entries()  # type: ignore[no-any-return]

    def slopes(self, first: int, last: int) -> list[arb] | None:
        """Balls of d logit / d scaled score = 1 - tanh(score/cap)^2 of these rows, flat; None without a cap."""
        if self.cap is None:
            return None
        found = arb_mat(self.query.matrix(first, last) * self.keys) * (constant(self.factor, self.radical) / self.cap)
        bent = [score.tanh() for score in found.entries()]
        return [1 - tanh * tanh for tanh in bent]

    def row_keys(self, row: int) -> list[Key]:
        """The exact logits of a row, one for each key, also for keys that it may not attend to."""
        scores = (self.query.matrix(row, row + 1) * self.keys).entries()
        if self.bias is None:
            return [self._key(int(score), 0) for score in scores]
        shift = self.bias.exponent - self.low
        return [self._key(int(score), bias << shift) for score, bias in zip(scores, self.bias.rows[row], strict=True)]

    def sink_key(self) -> Key | None:
        """The exact logit of the sink."""
        return None if self.sink is None else self._key(0, self.sink[0] << (self.sink[1] - self.low))

    def _key(self, alpha: int, beta: int) -> Key:
        """One number for both parts where they are multiples of one: rational factors, and no cap.

        With a root, alpha * rational * sqrt(radical) + beta * 2^low is determined by its parts. With a cap too: for
        different s, s' the difference of two tanh is transcendental, as 2x - 2y = r (x + 1)(y + 1) with x = e^(2s/cap),
        y = e^(2s'/cap) and algebraic r has no solution but x = y, r = 0 (Lindemann-Weierstrass).
        """
        if not self.factor:
            alpha = 0
        if self.cap is not None or self.radical != 1:
            return alpha, beta
        step, other = self._steps
        return alpha * step + beta * other, 0

    @cached_property
    def _steps(self) -> tuple[int, int]:
        """Whole numbers in the ratio of the rational factor to 2^low."""
        if self.bias is None and self.sink is None:
            return 1, 0
        low = power_of_two(self.low)
        return int(self.factor.p * low.q), int(low.p * self.factor.q)

    def logit(self, key: Key) -> arb:
        """A ball of an exact logit at the precision in force."""
        alpha, beta = key
        if self.cap is None and self.radical == 1:
            return arb(self.unit * alpha)
        score = constant(self.unit * alpha, self.radical)
        if self.cap is not None:
            score = arb(self.cap) * (score / arb(self.cap)).tanh()
        return score + arb(power_of_two(self.low) * beta)

    @cached_property
    def unit(self) -> fmpq:
        """What a whole alpha counts."""
        if self.cap is not None or self.radical != 1 or not self._steps[1]:
            return self.factor
        return fmpq(1, self.factor.q * power_of_two(self.low).q)

    def rational(self, key: Key) -> fmpq | None:
        """The logit where it is rational; else it is transcendental, or an irrational root."""
        alpha, beta = key
        if self.cap is None and self.radical == 1:
            return self.unit * alpha
        return power_of_two(self.low) * beta if alpha == 0 else None


def power_of_two(exponent: int) -> fmpq:
    """2^exponent."""
    return fmpq(fmpz(1) << exponent) if exponent >= 0 else fmpq(1, fmpz(1) << -exponent)


def constant(rational: fmpq, radical: int) -> arb:
    """A ball of rational * sqrt(radical)."""
    return arb(rational) if radical == 1 else arb(rational) * arb(radical).sqrt()
