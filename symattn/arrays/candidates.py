"""What a result is compared with: the arrays that an implementation with some choices gives, heads before rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from symattn.arrays.call import Call
from symattn.arrays.float_gradients import gradients
from symattn.arrays.floating import DOUBLE, Arithmetic, factor, forward, reach
from symattn.arrays.reading import numpy
from symattn.mistakes.catalogue import CATALOGUE, RIGHT, Deviation
from symattn.mistakes.where import Features

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

GRADIENTS: Final = ("d_query", "d_key", "d_value")
NAMES: Final = ("output", "weights", "lse", *GRADIENTS)
"""Every result, in the order in which ``reference`` returns them."""
BEFORE_QUERIES: Final = ("weights_transposed", "rope_other_layout")
"""Mistakes made before there are queries and keys, which arrays of these cannot show."""


class Source(Protocol):
    """What is asked, as far as a diagnosis needs it."""

    @property
    def batch(self) -> tuple[int, ...]:
        """Sizes of the leading axes."""

    @property
    def is_large(self) -> bool:
        """Whether it pays to look at some rows first."""

    @property
    def masked_row(self) -> str:
        """The rule for rows with nothing allowed."""

    @property
    def unseen(self) -> tuple[str, ...]:
        """Mistakes of the catalogue that are out of reach here."""

    def features(self) -> Features:
        """What decides which mistakes can be made."""

    def item(self, at: tuple[int, ...]) -> Source:
        """One item of the batch."""

    def made(
        self, names: Iterable[str], deviation: Deviation = RIGHT, by: Arithmetic = DOUBLE, rows: Array | None = None
    ) -> dict[str, Array]:
        """Results by name, as float64; those left out that the deviation does not have."""

    def factor(self, deviation: Deviation) -> float:
        """What scores are multiplied by."""

    def reach(self) -> float:
        """What rounding a score once does to a weight, in units of the last place (``floating.reach``)."""

    def ingredient(self, name: str) -> float:
        """The largest size of what an output or a gradient is a sum of."""


@dataclass(frozen=True)
class CallSource:
    """A call on arrays."""

    call: Call

    @property
    def batch(self) -> tuple[int, ...]:
        """Sizes of the leading axes."""
        return self.call.given.sizes.batch

    @property
    def is_large(self) -> bool:
        """Always: arrays are as large as one likes."""
        return True

    @property
    def masked_row(self) -> str:
        """The rule for rows with nothing allowed."""
        return self.call.masked_row

    @property
    def unseen(self) -> tuple[str, ...]:
        """Those made before there are queries and keys, and those of gradients where none are asked for."""
        graded = () if self.call.grad is not None else (key for key, one in CATALOGUE.items() if one.of_gradients)
        return (*BEFORE_QUERIES, *graded)

    def features(self) -> Features:
        """What decides which mistakes can be made."""
        np, sizes, rules = numpy(), self.call.given.sizes, self.call.rules
        masks = [rules.allowed(at, head) for at in np.ndindex(*sizes.batch) for head in range(sizes.heads)]
        open_rows = [mask is None or bool(mask.any(axis=1).all()) for mask in masks]
        width = self.call.given.query.shape[-1]
        return Features(
            n_q=sizes.n_q,
            n_k=sizes.n_k,
            past=sizes.past,
            heads=sizes.heads,
            kv_heads=sizes.kv_heads,
            d_k=width,
            d_v=self.call.given.value.shape[-1],
            d_model=width * sizes.heads,
            square_tables=False,
            rope=False,
            cap=self.call.numbers.cap is not None,
            bias=rules.bias is not None,
            masked=any(mask is not None for mask in masks),
            dead_rows=self.call.numbers.sinks is None and not all(open_rows),
            offset=None if rules.offsets is None else int(rules.offsets.ravel()[0]),
        )

    def item(self, at: tuple[int, ...]) -> CallSource:
        """One item of the batch."""
        given, rules, numbers = self.call.given, self.call.rules, self.call.numbers

        def one(table: Array | None) -> Array | None:
            return None if table is None else table[at]

        return CallSource(
            replace(
                self.call,
                given=replace(given, query=given.query[at], key=given.key[at], value=given.value[at]),
                rules=replace(
                    rules,
                    sizes=replace(rules.sizes, batch=()),
                    offsets=one(rules.offsets),
                    lengths=one(rules.lengths),
                    mask=one(rules.mask),
                    bias=one(rules.bias),
                ),
                numbers=replace(numbers, sinks=one(numbers.sinks)),
                grad=one(self.call.grad),
            )
        )

    def made(
        self, names: Iterable[str], deviation: Deviation = RIGHT, by: Arithmetic = DOUBLE, rows: Array | None = None
    ) -> dict[str, Array]:
        """Results by name; gradients are left out where the deviation has none, and where rows are missing."""
        names = tuple(names)
        found: dict[str, Array] = {}
        if not set(names) <= set(GRADIENTS):
            passed = forward(self.call, deviation, by, rows)
            found |= {name: getattr(passed, name) for name in names if name not in GRADIENTS}
        if set(names) & set(GRADIENTS) and (rows is None or len(rows) == self.call.given.sizes.n_q):
            graded = gradients(self.call, deviation, by)
            if graded is not None:
                found |= dict(zip(GRADIENTS, (graded.query, graded.key, graded.value), strict=True))
        return {name: found[name].astype(numpy().float64) for name in names if name in found}

    def factor(self, deviation: Deviation) -> float:
        """What scores are multiplied by."""
        return factor(self.call, deviation)

    def reach(self) -> float:
        """What rounding a score once does to a weight."""
        return reach(self.call)

    def ingredient(self, name: str) -> float:
        """The largest size of a value; for gradients that of the products which cancel in them."""
        given = self.call.given
        if name == "output":
            return _largest(given.value)
        grad = _largest(self.call.grad)
        if name == "d_value":
            return grad
        slope = grad * _largest(given.value) * abs(self.factor(RIGHT))
        return slope * _largest(given.key if name == "d_query" else given.query)


def _largest(table: Array | None) -> float:
    np = numpy()
    return 0.0 if table is None else float(np.abs(table[np.isfinite(table)].astype(np.float64)).max(initial=0))
