"""The precision in force for ball arithmetic."""

from __future__ import annotations

from threading import RLock
from typing import Final

from flint import ctx

LARGEST_PRECISION: Final = 1 << 16
"""Bits at which an equality that no normal form shows, and no ball refutes, is called undecided."""

_LOCK = RLock()  # the precision of python-flint is one for the whole process


class precision:  # noqa: N801 - used as a statement: with precision(64)
    """Balls are computed at ``bits`` bits inside; other threads wait."""

    __slots__ = ("_before", "_bits")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        _LOCK.acquire()
        self._before = ctx.prec
        if self._before != self._bits:
            ctx.prec = self._bits

    def __exit__(self, *_: object) -> None:
        if self._before != self._bits:
            ctx.prec = self._before
        _LOCK.release()


def bits_in_force() -> int:
    """The precision in force."""
    return int(ctx.prec)
