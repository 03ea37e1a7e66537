"""Weights that no inputs give, told whatever the page is about."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from symattn.check.blocks import Block
from symattn.check.findings import Findings
from symattn.check.reading.tree import Node, entry
from symattn.check.report import Because
from symattn.rounding import nearest

_ABOUT: Final = re.compile(r"\battention\b", re.IGNORECASE)


def impossible(to: Findings, block: Block) -> None:
    """Weights that no inputs give: below 0, above 1, nan, or rows that roundings alone keep from adding to 1; several
    rows may stand in one line.
    """
    if to.about is None:
        to.about = bool(_ABOUT.search(to.page.text))
    named = any(label.quantity == "weights" for label in block.own)
    if not to.about or not named or not block.told or block.shape[1] < 2:
        return
    by_column = _adds(list(zip(*block.rows, strict=True))) if len({*map(len, block.rows)}) == 1 else False
    for row in block.rows:
        numbers = [number for node in row if (number := entry(node)) is not None]
        for number in numbers:
            if number.special or not 0 <= number.value <= 1:
                to.add(number, "weights", None, None, "wrong", because=Because("impossible"))
        if len(numbers) != len(row) or len(row) < 2 or any(number.start in to.found for number in numbers):
            continue
        total = sum((number.value for number in numbers), Fraction(0))
        unit = max(number.unit if number.places > 0 else Fraction(0) for number in numbers)
        rows = max(1, round(total)) if len(block.rows) == 1 and len(numbers) % max(1, round(total)) == 0 else 1
        if abs(total - rows) * 2 > unit * len(numbers) and total and not by_column:
            parts = (nearest(total, max(number.places for number in numbers)).text,)
            to.add(numbers[0], "weights", None, None, "wrong", because=Because("row_sum", parts))


def _adds(lines: list[tuple[Node | None, ...]]) -> bool:
    """Whether every line adds to 1, as columns do where a page lays out one column a token."""
    for line in lines:
        numbers = [number for node in line if (number := entry(node)) is not None]
        unit = max((number.unit for number in numbers), default=Fraction(0))
        if abs(sum((number.value for number in numbers), Fraction(0)) - 1) * 2 > unit * len(numbers):
            return False
    return True
