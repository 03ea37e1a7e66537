"""Single results of a row, exact: enclosed at any precision, and compared with any rational number.

A row's keys are grouped by equal logit, decided exactly. With the groups' exponentials E_g a weight or an output is a
ratio sum n_g E_g / sum d_g E_g with rational n_g, d_g. It equals a rational t only if every n_g - t d_g is 0: the
exponentials of different algebraic numbers are linearly independent over the algebraic numbers (Lindemann-Weierstrass
in Baker's form). Otherwise the sign of sum (n_g - t d_g) E_g is found by refining, which ends. What is common to both
sides is taken away before anything is enclosed, so 1/(1 + e^-(10^30)) is told from 1 without 10^30 bits.

A log-sum-exp equals t only if sum d_g E_g - e^t collects to nothing: one visible key, no sink, and t its logit.

With a cap the logits are not algebraic. Equality of logits is still decided (see ``Head``), and so is a tie that
collects to nothing; another value could only seem to be a tie up to ``LARGEST_PRECISION`` bits: that is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, fmpq

from symattn.errors import UndecidedError
from symattn.exact.arrays.head import Head, Key, power_of_two
from symattn.exact.balls import LARGEST_PRECISION, precision

_START = 128


class Row:
    """The exact logits of one row, grouped; balls of their exponentials are kept for the last precision."""

    def __init__(self, head: Head, row: int) -> None:
        self.head = head
        self.row = row
        self._bits = 0
        self._balls: dict[Key, arb] = {}

    @cached_property
    def keys(self) -> list[Key]:
        """The logit of each key, also of masked ones."""
        return self.head.row_keys(self.row)

    @cached_property
    def visible(self) -> list[int]:
        """The keys that the row may attend to."""
        seen = self.head.visible(self.row)
        return list(range(self.head.n_k)) if seen is None else [j for j, one in enumerate(seen) if one]

    @cached_property
    def groups(self) -> dict[Key, list[int]]:
        """The visible keys by logit; the sink has a group too, which may hold no key."""
        found: dict[Key, list[int]] = {}
        for j in self.visible:
            found.setdefault(self.keys[j], []).append(j)
        sink = self.head.sink_key()
        if sink is not None:
            found.setdefault(sink, [])
        return found

    @cached_property
    def counts(self) -> dict[Key, int]:
        """d_g: how many keys, the sink included, have this logit."""
        found = {key: len(members) for key, members in self.groups.items()}
        sink = self.head.sink_key()
        if sink is not None:
            found[sink] += 1
        return found

    def total(self, factors: Mapping[Key, fmpq | int], bits: int) -> arb:
        """A ball of sum factor * e^logit."""
        if self._bits != bits:
            self._bits, self._balls = bits, {}
        with precision(bits + self.head.headroom):
            found = arb(0)
            for key, factor in factors.items():
                ball = self._balls.get(key)
                if ball is None:
                    ball = self._balls[key] = self.head.logit(key).exp()
                found += factor * ball
            return found

    def sign(self, factors: Mapping[Key, fmpq | int]) -> int:
        """The sign of sum factor * e^logit; 0 where it collects to nothing.

        Raises:
            UndecidedError: There is a cap, and 65,536 bits do not tell the sum from 0.
        """
        left = {key: factor for key, factor in factors.items() if factor != 0}
        if not left:
            return 0
        bits = _START
        while bits <= LARGEST_PRECISION or self.head.decided:
            ball = self.total(left, bits)
            if ball > 0:
                return 1
            if ball < 0:
                return -1
            bits *= 2
        raise UndecidedError(
            f"whether a number under a soft cap is a tie is undecided at {LARGEST_PRECISION} bits",
            mend="ask for another type",
        )


@dataclass(frozen=True)
class Ratio:
    """sum n_g E_g / sum d_g E_g * 2^exponent: a weight, or an entry of the output."""

    row: Row
    numerators: Mapping[Key, int]
    exponent: int = 0

    @property
    def decided(self) -> bool:
        """Whether refining ends."""
        return self.row.head.decided

    def ball(self, bits: int) -> arb:
        """An enclosure."""
        above, below = self.row.total(self.numerators, bits), self.row.total(self.row.counts, bits)
        return above / below * arb(power_of_two(self.exponent))

    def side_of(self, number: fmpq) -> int:
        """The sign of the value minus ``number``."""
        number = number / power_of_two(self.exponent)
        return self.row.sign(
            {key: self.numerators.get(key, 0) - number * count for key, count in self.row.counts.items()}
        )


@dataclass(frozen=True)
class LogSum:
    """log sum d_g E_g."""

    row: Row

    @property
    def decided(self) -> bool:
        """Whether refining ends."""
        return self.row.head.decided

    def ball(self, bits: int) -> arb:
        """An enclosure."""
        return self.row.total(self.row.counts, bits).log()

    def side_of(self, number: fmpq) -> int:
        """The sign of the value minus ``number``: that of sum d_g E_g - e^number."""
        counts = dict(self.row.counts)
        same = next((key for key in counts if self.row.head.rational(key) == number), None)
        if same is not None:
            counts[same] -= 1
            return self.row.sign(counts)
        bits = _START
        while bits <= LARGEST_PRECISION or self.decided:
            with precision(bits + self.row.head.headroom):
                ball = self.row.total(counts, bits) - arb(number).exp()
            if ball > 0:
                return 1
            if ball < 0:
                return -1
            bits *= 2
        raise UndecidedError(
            f"whether a log-sum-exp under a soft cap is a tie is undecided at {LARGEST_PRECISION} bits",
            mend="ask for another type",
        )


def output(row: Row, column: int) -> Ratio:
    """The entry of the output: n_g is the sum of the column over the group's keys."""
    values = row.head.value
    sums = {key: sum(values.rows[j][column] for j in members) for key, members in row.groups.items()}
    return Ratio(row, sums, values.exponent)


def weight(row: Row, key: int) -> Ratio:
    """The weight of a visible key."""
    return Ratio(row, {row.keys[key]: 1})


def mean(head: Head, column: int) -> Fraction:
    """The plain mean of a column of the values, masked keys included."""
    unit = Fraction(2) ** head.value.exponent
    return sum(row[column] for row in head.value.rows) * unit / head.n_k
