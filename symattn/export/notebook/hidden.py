"""Accepted answers as hashes, so that a notebook can check an answer without holding it in clear.

A number x lies on a grid of 10^-places at place floor(x/grain) + ceil(x/grain): even on a point of the grid, odd
between two. What is accepted, bounds included, is a stretch of such places, and each stretch is a union of few dyadic
ones, [index * 2^level, (index + 1) * 2^level). Their hashes stand in the notebook, salted and sorted; the check hashes
every dyadic stretch around an answer.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

LEVELS: Final = 48
"""Sizes of stretches that are looked at: up to 2^47 places."""
_BYTES: Final = 6


def digest(text: str) -> str:
    """A hash of eight characters."""
    return b2a_base64(sha256(text.encode()).digest()[:_BYTES], newline=False).decode()


def stretches(first: int, last: int) -> Iterator[tuple[int, int]]:
    """The fewest dyadic stretches (level, index) whose union is first .. last."""
    level, end = 0, last + 1
    while first < end:
        if level == LEVELS - 1:
            yield from ((level, index) for index in range(first, end))
            return
        if first & 1:
            yield level, first
            first += 1
        if end & 1:
            end -= 1
            yield level, end
        first, end, level = first >> 1, end >> 1, level + 1


def interval(salt: str, blank: int, middle: int, units: int, grain: int) -> list[str]:
    """The hashes of a blank's accepted places: numbers within ``units`` of ``middle``, both multiples of the grain."""
    first, last = 2 * ((middle - units) // grain), 2 * ((middle + units) // grain)
    return [digest(f"{salt} {blank} {level} {index}") for level, index in stretches(first, last)]


def most(units: int, grain: int) -> int:
    """As many stretches as ever make up an interval of this half-width."""
    return 2 * (4 * units // grain + 1).bit_length()


def joined(hashes: Iterable[str]) -> str:
    """Hashes in one line, in an order that says nothing."""
    return "".join(sorted(hashes))
