"""Seeded problems to measure with: the same seed makes the same problem everywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Final, TypeAlias

Rows: TypeAlias = list[list[Fraction]]
Arrays: TypeAlias = dict[str, Rows]
Draw: TypeAlias = Callable[[Random], Fraction]


def small(draw: Random) -> Fraction:
    """A number as a textbook has it, such as -3/2 or 2/3."""
    return Fraction(draw.randint(-3, 3), draw.randint(1, 4))


def two_decimals(largest: int) -> Draw:
    """A number with two decimals, at most ``largest`` hundredths from 0."""
    return lambda draw: Fraction(draw.randint(-largest, largest), 100)


def _whole(*rows: tuple[int, ...]) -> Rows:
    return [[Fraction(entry) for entry in row] for row in rows]


def direct(tokens: int, size: int, seed: int) -> Arrays:
    """Queries, keys and values of small rationals, ``tokens`` rows by ``size`` columns each."""
    draw = Random(seed)  # noqa: S311 - a benchmark keeps no secret
    return {name: _rows(tokens, size, small, draw) for name in ("Q", "K", "V")}


NAPKIN: Final = {
    "Q": _whole((1, 0), (0, 1), (1, 1)),
    "K": _whole((1, 0), (0, 1), (1, 1)),
    "V": _whole((2, 0), (0, 2), (2, 2)),
}


def projected(tokens: int, size: int, seed: int) -> Arrays:
    """X and three learned tables with two decimals each: the scores have denominators of 10^8."""
    draw = Random(seed)  # noqa: S311 - a benchmark keeps no secret
    tables = {name: _rows(size, size, two_decimals(30), draw) for name in ("W_Q", "W_K", "W_V")}
    return {"X": _rows(tokens, size, two_decimals(100), draw), **tables}


def _rows(height: int, width: int, entry: Draw, draw: Random) -> Rows:
    return [[entry(draw) for _ in range(width)] for _ in range(height)]


def toml(arrays: Arrays) -> str:
    """The problem as a problem file."""
    return "".join(f"{name} = [{', '.join(map(_line, rows))}]\n" for name, rows in arrays.items())


def _line(row: list[Fraction]) -> str:
    return "[" + ", ".join(f'"{entry}"' for entry in row) + "]"
