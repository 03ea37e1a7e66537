"""Single entries of the gradients as exact sums: whether one is a rational number, and which.

An entry is a sum of ratios of exponential sums, one for each row i, N_i / D_i, with e_ij = e^(u_ij) and dP as in
``gradients``:

    d_value[j, c]:  N_i = G_ic e_ij,                                       D_i = sum_l e_il
    d_key[j, c]:    N_i = Q_ic du/ds_ij sum_l e_ij e_il (dP_ij - dP_il),   D_i = (sum_l e_il)^2

where l runs over the sink too, with dP = 0; and d_query[i, c] is the sum over j of the latter with K_jc for Q_ic. What
is constant row by row is taken out, and what has the same denominator is taken together. The rest is brought over its
common denominator: different exponentials are linearly independent (see ``cells``), so the sum is rational only if its
numerator is a multiple of its denominator. Where that would take more than ``_TERMS`` terms, and under a cap, a
multiple is still recognised, and nothing is claimed about the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any, Final, TypeAlias

from flint import fmpq, fmpz

from symattn.exact.arrays.cells import Row
from symattn.exact.arrays.gradients import Graded
from symattn.exact.arrays.head import Head, Key, power_of_two

Monomial: TypeAlias = Any
"""A product of exponentials: the sum of their keys; under a cap the keys, and what the slope belongs to."""
Sum: TypeAlias = dict[Monomial, fmpq]
_TERMS: Final = 1 << 18


@dataclass(frozen=True)
class Verdict:
    """Whether a cell is a rational number: ``number`` where it is; ``known`` where it is proved either way."""

    number: fmpq | None
    known: bool


class ExactGradients:
    """The cells of the gradients as exact sums; the rows' groups are kept."""

    def __init__(self, sharing: Sequence[Graded]) -> None:
        self.sharing = sharing
        self._steps = list(
            zip(
                _multiples([graded.head.unit for graded in sharing]),
                _multiples([power_of_two(graded.head.low) for graded in sharing]),
                strict=True,
            )
        )
        self._rows: dict[tuple[int, int], _ExactRow] = {}

    def verdict(self, table: int, row: int, column: int) -> Verdict:
        """On an entry of a table: d_query of one head after another, then d_key, then d_value."""
        if table < len(self.sharing):
            return self.query(table, row, column)
        return self.key(row, column) if table == len(self.sharing) else self.value(row, column)

    def cost(self, table: int, row: int, column: int) -> int:  # noqa: ARG002 - columns cost alike
        """About how many terms the verdict handles."""
        if table < len(self.sharing):
            return self._row(table, row).groups_squared
        return self._costs[row]

    @cached_property
    def _costs(self) -> list[int]:
        """The cost for each key: all rows that see it."""
        found = [0] * self.sharing[0].head.n_k
        for which, graded in enumerate(self.sharing):
            for row in range(graded.head.n_q):
                exact = self._row(which, row)
                for key in exact.visible:
                    found[key] += exact.groups_squared
        return found

    def query(self, which: int, row: int, column: int) -> Verdict:
        """Entry of d_query of one of the heads."""
        found = self._row(which, row)
        entries = [found.head.key.rows[j][column] for j in range(found.head.n_k)]
        unit = power_of_two(found.head.key.exponent)
        parts = [(found.steps(entries), found.square)] if not found.head.is_dead(row) else []
        return self._scaled(_verdict(parts, fmpq(0), found.head), found.unit * unit)

    def key(self, key: int, column: int) -> Verdict:
        """Entry of d_key."""
        parts = []
        for found in self._seeing(key):
            entry = found.head.query.rows[found.index][column]
            unit = found.unit * power_of_two(found.head.query.exponent)
            if entry:
                parts.append((found.step(key, entry * unit), found.square))
        head = self.sharing[0].head
        return self._scaled(_verdict(parts, fmpq(0), head), fmpq(1))

    def value(self, key: int, column: int) -> Verdict:
        """Entry of d_value."""
        parts = []
        for found in self._seeing(key):
            grad = found.graded.grad
            entry = grad.rows[found.index][column] * power_of_two(grad.exponent)
            if entry:
                parts.append(({found.keys[key]: entry}, {key: fmpq(n) for key, n in found.counts.items()}))
        start = sum((graded.mean_share(column) for graded in self.sharing), fmpq(0))
        return _verdict(parts, start, self.sharing[0].head)

    def _scaled(self, found: Verdict, unit: fmpq) -> Verdict:
        """The verdict on scale * unit times the number; a root times a rational number is rational only if it is 0."""
        head = self.sharing[0].head
        if found.number is None:
            return found
        if head.radical != 1 and found.number != 0 and head.scale != 0:
            return Verdict(None, known=True)
        return Verdict(found.number * head.scale * unit, known=True)

    def _row(self, which: int, row: int) -> _ExactRow:
        if (which, row) not in self._rows:
            self._rows[which, row] = _ExactRow(self.sharing[which], row, self._steps[which])
        return self._rows[which, row]

    def _seeing(self, key: int) -> Iterable[_ExactRow]:
        for which, graded in enumerate(self.sharing):
            for row in range(graded.head.n_q):
                seen = graded.head.visible(row)
                if seen is None or seen[key]:
                    yield self._row(which, row)


class _ExactRow:
    """One row of one head: its groups, the whole dP, and the square of its denominator."""

    def __init__(self, graded: Graded, row: int, steps: tuple[int, int]) -> None:
        self.graded = graded
        self.head = graded.head
        self.index = row
        exact = Row(graded.head, row)

        def common(key: Key) -> Key:
            """The key in units that all heads share."""
            return key[0] * steps[0], key[1] * steps[1]

        self.visible = exact.visible
        self.keys = [common(key) for key in exact.keys]
        self.groups = {common(key): members for key, members in exact.groups.items()}
        self.counts = {common(key): count for key, count in exact.counts.items()}
        self.unit = graded.unit
        self.whole = [int(entry) for entry in graded.slopes_of_weights(row, row + 1).entries()]
        self.sums = {key: fmpq(sum(self.whole[j] for j in members)) for key, members in self.groups.items()}

    @property
    def groups_squared(self) -> int:
        """Terms of ``square``, at most."""
        return len(self.counts) ** 2

    @cached_property
    def square(self) -> Sum:
        """(sum of the exponentials)^2."""
        found: Sum = {}
        for left, count in self.counts.items():
            for right, other in self.counts.items():
                _add(found, self._pair(left, right), fmpq(count * other))
        return found

    def _pair(self, left: Key, right: Key, bend: Key | None = None) -> Monomial:
        if self.head.cap is None:
            return left[0] + right[0], left[1] + right[1]
        return min(left, right), max(left, right), 0 if bend is None else abs(bend[0])

    def step(self, key: int, factor: fmpq) -> Sum:
        """The numerator of factor * dU at a key: sum over l of e_j e_l (dP_j - dP_l), the sink's dP being 0."""
        found: Sum = {}
        own = self.keys[key]
        for other, count in self.counts.items():
            _add(found, self._pair(own, other, own), factor * (count * self.whole[key] - self.sums[other]))
        return found

    def steps(self, entries: Sequence[int]) -> Sum:
        """The numerator of sum_j dU_j entry_j: keys of equal logits are taken together."""
        found: Sum = {}
        for own, members in self.groups.items():
            weighted = fmpq(sum(entries[j] * self.whole[j] for j in members))
            plain = fmpq(sum(entries[j] for j in members))
            for other, count in self.counts.items():
                _add(found, self._pair(own, other, own), weighted * count - plain * self.sums[other])
        return found


def _multiples(units: Sequence[fmpq]) -> list[int]:
    """How often each unit holds the largest one that all are whole multiples of."""
    below = fmpz(1)
    for unit in units:
        below = below * unit.q // fmpz(gcd(int(below), int(unit.q)))
    wholes = [int(unit * below) for unit in units]
    common = gcd(*wholes)
    return [whole // common if common else 1 for whole in wholes]


def _add(found: Sum, monomial: Monomial, factor: fmpq) -> None:
    total = found.get(monomial, fmpq(0)) + factor
    if total == 0:
        found.pop(monomial, None)
    else:
        found[monomial] = total


def _multiple(above: Sum, below: Mapping[Monomial, fmpq]) -> fmpq | None:
    """r with above = r * below; None where there is none."""
    if not above:
        return fmpq(0)
    if len(above) != len(below):
        return None
    monomial, factor = next(iter(below.items()))
    ratio = above.get(monomial, fmpq(0)) / factor
    return ratio if all(above.get(key) == ratio * entry for key, entry in below.items()) else None


def _verdict(parts: Iterable[tuple[Sum, Sum]], total: fmpq, head: Head) -> Verdict:
    """Whether total + sum of above/below is rational."""
    left: dict[Any, tuple[Sum, Sum]] = {}
    for above, below in parts:
        constant_part = _multiple(above, below)
        if constant_part is not None:
            total += constant_part
            continue
        above, below = _shifted(above, below, head)
        name = frozenset((key, int(entry.p), int(entry.q)) for key, entry in below.items())
        together = dict(left[name][0]) if name in left else {}
        for monomial, factor in above.items():
            _add(together, monomial, factor)
        left[name] = together, below
    rest = []
    for above, below in left.values():
        constant_part = _multiple(above, below)
        if constant_part is None:
            rest.append((above, below))
        else:
            total += constant_part
    if not rest:
        return Verdict(total, known=True)
    if head.cap is not None:
        return Verdict(None, known=False)
    above, below = rest[0]
    for more, under in rest[1:]:
        if (len(above) + len(below)) * len(under) + len(more) * len(below) > _TERMS:
            return Verdict(None, known=False)
        above, below = _plus(_times(above, under), _times(more, below)), _times(below, under)
    constant_part = _multiple(above, below)
    return Verdict(None if constant_part is None else total + constant_part, known=True)


def _shifted(above: Sum, below: Sum, head: Head) -> tuple[Sum, Sum]:
    """Both divided by one exponential, so that equal denominators of different rows look equal."""
    if head.cap is not None:
        return above, below
    low = min(below)
    return tuple(  # type: ignore[return-value]
        {(alpha - low[0], beta - low[1]): factor for (alpha, beta), factor in side.items()} for side in (above, below)
    )


def _times(left: Sum, right: Sum) -> Sum:
    found: Sum = {}
    for (alpha, beta), factor in left.items():
        for (more, other), entry in right.items():
            _add(found, (alpha + more, beta + other), factor * entry)
    return found


def _plus(left: Sum, right: Sum) -> Sum:
    found = dict(left)
    for monomial, factor in right.items():
        _add(found, monomial, factor)
    return found
