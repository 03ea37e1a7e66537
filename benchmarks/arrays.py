"""``symattn.reference`` against the bare balls of ``limit_arrays`` and against mpmath: one head, float32, d = 64.

``python arrays.py`` prints JSON: processor seconds (the least of several runs, which other work disturbs least),
ratios, the growth from n = 128 to 1024 as a power of n, and the most memory in MiB. ``python arrays.py
limit|mpmath|memory`` prints one of the figures. What is compared runs in turn, and agrees before it is timed.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from math import log
from time import process_time
from typing import Any, Final

import mpmath
import numpy as np
from flint import arb, arb_mat
from limit_arrays import balls

from symattn import reference
from symattn.arrays.reading import dyadic

WIDTH: Final = 64
SMALL, LARGE = 128, 1024
BITS: Final = 128
TIMES: Final = 5


def given(tokens: int) -> list[np.ndarray]:
    chance = np.random.default_rng(tokens)
    return [chance.standard_normal((tokens, WIDTH)).astype("float32") for _ in range(3)]


def ours(arrays: list[np.ndarray]) -> np.ndarray:
    return reference(*arrays, dtype="float32")


def bare(arrays: list[np.ndarray]) -> arb_mat:
    """The limit, from the same arrays: they are read and scaled too."""
    query, key, value = (dyadic(array) for array in arrays)
    factor = arb(2) ** (query.exponent + key.exponent) / arb(WIDTH).sqrt()
    return balls(query.rows, key.rows, value.rows, factor, arb(2) ** value.exponent, BITS)


def by_mpmath(arrays: list[np.ndarray]) -> list[list[mpmath.mpf]]:
    """The same numbers at the same precision, with ``fdot``, which is mpmath's fastest way."""
    with mpmath.workprec(BITS):
        query, key, value = ([[mpmath.mpf(float(x)) for x in row] for row in array] for array in arrays)
        columns = list(zip(*value, strict=True))
        scale = 1 / mpmath.sqrt(WIDTH)
        found = []
        for row in query:
            weights = [mpmath.exp(scale * mpmath.fdot(row, other)) for other in key]
            over = 1 / mpmath.fsum(weights)
            found.append([mpmath.fdot(weights, column) * over for column in columns])
        return found


def seconds(work: Callable[[Any], Any], arrays: Any) -> float:
    started = process_time()
    work(arrays)
    return process_time() - started


def in_turn(*works: Callable[[Any], Any], tokens: int, times: int) -> list[float]:
    """The least time of each work, one run of each after another."""
    arrays = given(tokens)
    runs = [[seconds(work, arrays) for work in works] for _ in range(times)]
    return [min(column) for column in zip(*runs, strict=True)]


def agree(other: Callable[[Any], Any], tokens: int = 16) -> None:
    arrays = given(tokens)
    found = other(arrays)
    rows = found.tolist() if isinstance(found, arb_mat) else found
    theirs = np.array([[float(entry.mid() if isinstance(entry, arb) else entry) for entry in row] for row in rows])
    assert np.array_equal(theirs.astype("float32"), ours(arrays))


def limit() -> dict[str, Any]:
    """Against the bare balls, at both sizes; and the growth."""
    agree(bare)
    small, bare_small = in_turn(ours, bare, tokens=SMALL, times=2 * TIMES + 1)
    large, bare_large = in_turn(ours, bare, tokens=LARGE, times=TIMES)
    return {
        "seconds": [small, large],
        "limit": [bare_small, bare_large],
        "ratio": large / bare_large,
        "growth": log(large / small) / log(LARGE / SMALL),
    }


def against_mpmath() -> dict[str, Any]:
    agree(by_mpmath)
    mine, theirs = in_turn(ours, by_mpmath, tokens=SMALL, times=TIMES)
    return {"seconds": mine, "mpmath": theirs, "times": theirs / mine}


def memory() -> dict[str, Any]:
    """The most memory of a process that works the large head, imports included."""
    ours(given(LARGE))
    scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return {"mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale}


MEASURES: Final = {"memory": memory, "limit": limit, "mpmath": against_mpmath}

if __name__ == "__main__":
    ours(given(SMALL))
    asked = sys.argv[1:] or list(MEASURES)
    print(json.dumps({name: MEASURES[name]() for name in asked}))
