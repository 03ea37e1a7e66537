"""Draws that are the same on every machine and for every number of workers.

Candidate ``i`` of a run has its own stream: the bytes of BLAKE2b, keyed by the run, over ``i`` and a block number. A
choice among n is one byte (four for n > 256), taken again where it would favour some: no draw depends on another
candidate, on the order of work, or on the version of Python. Where there are few candidates they are numbered, and the
run goes through them in a shuffled order, so that none comes twice and their number is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b, sha256
from itertools import count as counted
from itertools import islice
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")


def run_key(recipe: str, seed: int) -> bytes:
    """The key of a run's streams: the recipe's digest and the seed."""
    return sha256(f"symattn exercises\n{recipe}\n{seed}".encode()).digest()


class Chance:
    """The stream of one candidate."""

    __slots__ = ("_bytes",)

    def __init__(self, key: bytes, index: int) -> None:
        self._bytes = _stream(key, index)

    def below(self, count: int) -> int:
        """An integer from 0 to count - 1, each as likely."""
        if count <= 256:
            even = 256 - 256 % count
            for byte in self._bytes:
                if byte < even:
                    return byte % count
        even = (1 << 32) - (1 << 32) % count
        while True:
            found = int.from_bytes(bytes(islice(self._bytes, 4)), "big")
            if found < even:
                return found % count


class Numbered:
    """What a number says, digit by digit: the choices of one of finitely many candidates."""

    __slots__ = ("_left",)

    def __init__(self, number: int) -> None:
        self._left = number

    def below(self, count: int) -> int:
        """The next digit, from 0 to count - 1."""
        self._left, found = divmod(self._left, count)
        return found


class Counting:
    """How many ways there are to choose: ``ways`` grows by each choice that is asked for."""

    def __init__(self) -> None:
        self.ways = 1

    def below(self, count: int) -> int:
        """Always the first; what counts is among how many."""
        self.ways *= count
        return 0


Choice: TypeAlias = Chance | Numbered | Counting


def some(choice: Choice, items: Sequence[Item], count: int) -> list[Item]:
    """Different ones of these, in the order drawn."""
    left = list(items)
    return [left.pop(choice.below(len(left))) for _ in range(count)]


def _stream(key: bytes, index: int) -> Iterator[int]:
    for block in counted():
        yield from blake2b(b"%d.%d" % (index, block), key=key, digest_size=64).digest()


def shuffled(key: bytes, index: int, size: int) -> int:
    """Where ``index`` goes when 0 .. size - 1 are shuffled: a Feistel network on the next even number of bits.

    A number that leads out of the range is sent through again until it does not.
    """
    half = max(1, (max(size - 1, 1).bit_length() + 1) // 2)
    mask = (1 << half) - 1
    while True:
        left, right = index >> half, index & mask
        for turn in range(4):
            noise = blake2b(b"%d:%d" % (turn, right), key=key, digest_size=8).digest()
            left, right = right, left ^ (int.from_bytes(noise, "big") & mask)
        index = left << half | right
        if index < size:
            return index
