"""Results of ``symattn.reference`` against the evaluator, cell by cell and bit by bit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.arrays.evaluator import Approximate, Head, rounded


def same(left: Any, right: Any) -> bool:
    """Equal with the sign of zero, or both NaN."""
    left, right = float(left), float(right)
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return left == right and math.copysign(1, left) == math.copysign(1, right)


def wrong(found: np.ndarray, expected: Any, name: str) -> Iterator[str]:
    """Every cell of a 2-D result that is not the expected one, rounded to the type ``name``."""
    assert found.dtype.name == name
    assert found.shape == (len(expected), len(expected[0]))
    for i, row in enumerate(expected):
        for c, cell in enumerate(row):
            value = cell.rounded(name) if isinstance(cell, Approximate) else rounded(cell, name)
            if not same(found[i, c], value):
                yield f"[{i}][{c}]: {float(found[i, c])!r} where {value!r} belongs"


def outputs(head: Head) -> list[list[Approximate]]:
    return [[head.output(i, c) for c in range(len(head.value[0]))] for i in range(len(head.query))]


def lses(head: Head) -> list[list[Approximate]]:
    return [[head.lse(i)] for i in range(len(head.query))]
