"""A page beside the same page made anew from its declaration: every number that differs, at its place.

A generated page says what it was made from, so it can be made again. What a check reads and works out by itself stands
on its own; this finds, besides, a changed number that no reading of sentences would reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

_NUMBER: Final = re.compile(r"[-−]?\d+(?:(?:\.|,|\{,\})\d+)?")
_DECLARATION: Final = re.compile(r"[^\n]*\{\"symattn\":\{[^\n]*")
_MOST_LINES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """A number of the page, with what stands in its place in the twin."""

    start: int
    end: int
    printed: str
    wanted: str

    @property
    def differs(self) -> bool:
        """Whether the page has another number than its twin."""
        return self.printed != self.wanted


def likeness(text: str, twin: str) -> int:
    """How many lines of a page stand in its twin too, numbers aside; all of them and one more where nothing differs."""
    own, other = [line for line, _ in _lines(text)], [line for line, _ in _lines_of_twin(twin)]
    known = set(other)
    return sum(line in known for line in own) + (own == other)


def places(text: str, twin: str) -> tuple[Place, ...]:
    """Every number of a page that stands in a line of its twin, numbers aside; lines that differ are left out."""
    own, other = _lines(text), _lines_of_twin(twin)
    found: list[Place] = []
    for first, second, size in _alike([line for line, _ in own], [line for line, _ in other]):
        for offset in range(size):
            found += _beside(text, own[first + offset][1], twin, other[second + offset][1])
    return tuple(found)


Span = tuple[int, int]


def _lines(text: str) -> list[tuple[str, tuple[Span, ...]]]:
    """Each line without its numbers, with where these stand; the declaration is no part of the page."""
    found: list[tuple[str, tuple[Span, ...]]] = []
    at = 0
    for line in text.split("\n"):
        if _DECLARATION.fullmatch(line):
            found.append(("declaration", ()))
        else:
            spans = tuple((at + match.start(), at + match.end()) for match in _NUMBER.finditer(line))
            found.append((_NUMBER.sub("#", line.rstrip("\r")), spans))
        at += len(line) + 1
    return found


_lines_of_twin: Final = lru_cache(maxsize=8)(_lines)
"""A page is made anew once, or with a few choices of its numbers, and laid beside the page again each time that this is
rewritten.
"""


def _alike(own: list[str], other: list[str]) -> Iterator[tuple[int, int, int]]:
    """Runs of equal lines."""
    if own == other:
        yield 0, 0, len(own)
    elif len(own) <= _MOST_LINES and len(other) <= _MOST_LINES:
        for block in SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks():
            yield block.a, block.b, block.size


def _beside(text: str, own: tuple[Span, ...], twin: str, other: tuple[Span, ...]) -> Iterator[Place]:
    for (start, end), (first, last) in zip(own, other, strict=True):
        yield Place(start, end, text[start:end], twin[first:last])
