"""The precision in force for ball arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Final

from flint import ctx

LARGEST_PRECISION: Final = 1 << 16
"""Bits at which an equality that no normal form shows, and no ball refutes, is called undecided."""

_LOCK = RLock()  # the precision of python-flint is one for the whole process


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Balls are computed at ``bits`` bits inside; other threads wait."""
    with _LOCK, ctx.workprec(bits):
        yield


def bits_in_force() -> int:
    """The precision in force."""
    return int(ctx.prec)
