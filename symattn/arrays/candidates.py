"""The arrays that an implementation with these choices gives, heads before rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from symattn.arrays.call import Call
from symattn.arrays.float_gradients import gradients
from symattn.arrays.floating import DOUBLE, Arithmetic, forward
from symattn.arrays.reading import numpy
from symattn.mistakes import RIGHT, Deviation

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

GRADIENTS: Final = ("d_query", "d_key", "d_value")
NAMES: Final = ("output", "weights", "lse", *GRADIENTS)
"""Every result, in the order in which ``reference`` returns them."""


def made(
    call: Call, names: Iterable[str], deviation: Deviation = RIGHT, by: Arithmetic = DOUBLE, rows: Array | None = None
) -> dict[str, Array]:
    """Results by name, as float64. Gradients are left out where the deviation has none, and where rows are missing."""
    names = tuple(names)
    found: dict[str, Array] = {}
    if not set(names) <= set(GRADIENTS):
        passed = forward(call, deviation, by, rows)
        found |= {name: getattr(passed, name) for name in names if name not in GRADIENTS}
    if set(names) & set(GRADIENTS) and (rows is None or len(rows) == call.given.sizes.n_q):
        graded = gradients(call, deviation, by)
        if graded is not None:
            tables = dict(zip(GRADIENTS, (graded.query, graded.key, graded.value), strict=True))
            found |= {name: table for name, table in tables.items() if name in names}
    return {name: found[name].astype(numpy().float64) for name in names if name in found}
