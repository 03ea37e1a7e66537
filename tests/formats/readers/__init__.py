"""Readers of the formats, each written from its format's rules; nothing here is taken from symattn.

A reader takes a file of the format and gives for each variant, by its code, the blanks in reading order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


@dataclass(frozen=True)
class Blank:
    """``mark`` gives for an answer the share of the points and what is said; ``key`` is the right answer where told."""

    points: int
    mark: Callable[[str], tuple[Fraction, str]]
    key: str | None = None


Read: TypeAlias = "dict[str, list[Blank]]"
