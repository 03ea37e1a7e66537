"""Which array a block is: by itself, or by what was printed right before it; and what is taken as given."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from symattn.check.blocks import Block
from symattn.check.findings import Findings
from symattn.check.match import OF_KEYS, Match, match
from symattn.check.reading.labels import name_before
from symattn.check.reading.tree import entry, numbers_in
from symattn.check.ruled import Ruled
from symattn.check.written import Judged

_NEARBY: Final = 160
_GOES_ON: Final = re.compile(r"[\s\\\])$,;*_]*(?:and|new|then)?(?:\s+new)?[\s\\\[($*_]*")

_COUNTS_ON: Final = re.compile(
    r"[\s\\\])$,;:*_.]*(?:(?:and|then|for|the|that|of|is|in|to|row|word|token|query|position|first|second|third|fourth|\d)\b"
    r"[\s\\\[\])($,;:*_.-]*){0,9}",
    re.IGNORECASE,
)
"""What may stand between one row and the next: what tells which row it is, and nothing else."""


def placed(to: Findings, ruled: Ruled, block: Block) -> Match | None:
    """The array that a block prints; None where nothing says so."""
    return (
        _next(to, ruled, block, named=True)
        or match(block, ruled.example.known, ruled.names, ruled.written)
        or _beside(to, ruled, block)
        or _next(to, ruled, block, named=False)
    )


def take(to: Findings, ruled: Ruled, block: Block) -> None:
    """A block that is given: its numbers are what the rest is judged by."""
    found = match(block, ruled.example.known, ruled.names, ruled.written)
    cells: dict[tuple[int, int], Judged] = {}
    for row, line in enumerate(block.rows):
        for column, node in enumerate(line):
            number = entry(node)
            to.given |= {inner.start for inner in numbers_in(node)}
            if number is not None:
                place = found.places[row][column] if found is not None else (row, column)
                if place is not None:
                    cells[place] = Judged(number, "correct")
    if found is not None:
        ruled.written.add((found.array.quantity, found.array.head, found.array.section), cells)


def _beside(to: Findings, ruled: Ruled, block: Block) -> Match | None:
    """A row or a sum that belongs to the row printed right before it."""
    row, end = ruled.last
    if row is None or block.row is not None or len(block.rows) != 1 or not 0 <= block.start - end <= _NEARBY:
        return None
    if not block.own and "\n\n" in to.page.source[end : block.start].rstrip():
        return None
    if not block.own and (block.told or block.said.near[:1] not in (("sums",), ("exponentials",), ("weights",))):
        return None
    return match(replace(block, row=row), ruled.example.known, ruled.names, ruled.written)


def _next(to: Findings, ruled: Ruled, block: Block, *, named: bool) -> Match | None:
    """A vector that goes on with those before it, each ``named`` by its token, ``the values it [2, 0], was [0, 2] and
    tired [2, 2]``, or not: ``[1, 0] for row 1 and [0, 1] for row 2``.
    """
    quantity, head, end = ruled.spoken
    between = to.page.source[end : block.start]
    if block.told or block.own or block.said.near or not 0 < len(between) <= _NEARBY or not quantity:
        return None
    problem = ruled.example.known.worked.problem
    names = problem.context_tokens if quantity in OF_KEYS else problem.tokens
    row = name_before(between, names)
    if row is None or not _GOES_ON.fullmatch(between.replace(names[row], "", 1)):
        if named:
            return None
        last, _ = ruled.last
        if last is None or block.shape[1] < 2 or "\n\n" in between or not _COUNTS_ON.fullmatch(between):
            return None
        row = last + 1 if block.row is None else block.row
    said = replace(block.said, near=(quantity,), head=head)
    return match(replace(block, row=row, said=said), ruled.example.known, ruled.names, ruled.written)
