"""Tables for a page: labelled rows of numbers, cut into blocks of columns that fit the page's width."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, Final

from markupsafe import Markup

PAGE_WIDTH: Final = 80
"""Characters that a line of a page holds; a formula's source is measured by ``width``."""

TABLE_WIDTH: Final = 108
"""Characters that a table with few columns may take; LaTeX shrinks it a little."""

_BREAK: Final = r" \\ "
_MATRIX: Final = re.compile(r"\\begin\{[bp]matrix\}(.*?)\\end\{[bp]matrix\}")
_IN_BRACES: Final = reduce(lambda inner, _: rf"(?:[^{{}}]++|\{{{inner}\}})*+", range(5), "[^{}]*+")
_FRACTION: Final = re.compile(rf"\\frac\{{({_IN_BRACES})\}}\{{({_IN_BRACES})\}}")
_MARKS: Final = re.compile(r"[\\{}^_$<]")
_COMMANDS: Final = re.compile(r"<[^>]*>|\\[a-zA-Z]+ ?|[{}^_$]|\\[,;!]")


def width(tex: str) -> int:
    """About how many characters wide a formula is when it is set; a fraction counts its wider half."""
    if _MARKS.search(tex) is None:
        return len(tex)
    text = _without_fractions(_MATRIX.sub(_widest_row, tex) if r"\begin" in tex else tex)
    return len(_COMMANDS.sub("", text)) + 2 * text.count(r"\cdot") + text.count(r"\sqrt")


def fits(tex: str, room: int = PAGE_WIDTH) -> bool:
    """Whether a formula is at most so wide; its source is never narrower."""
    return len(tex) <= room or width(tex) <= room


def _widest_row(matrix: re.Match[str]) -> str:
    return f"[{max(matrix[1].split(_BREAK), key=width)}]"


def _without_fractions(tex: str) -> str:
    return _FRACTION.sub(_wider_half, tex) if r"\frac" in tex else tex


def _wider_half(fraction: re.Match[str]) -> str:
    return max(map(_without_fractions, fraction.groups()), key=len)


def blocks(
    header: Sequence[Markup], labels: Sequence[Markup], cells: Sequence[Sequence[Markup]]
) -> list[dict[str, Any]]:
    """The table cut into blocks of columns that fit side by side; each has ``header`` and labelled ``rows``."""
    found = []
    for start, stop in _pieces(header, labels, cells):
        rows = [{"label": label, "cells": row[start:stop]} for label, row in zip(labels, cells, strict=True)]
        found.append({"header": list(header[start:stop]), "rows": rows, "columns": stop - start + 1})
    return found


def _pieces(
    header: Sequence[Markup], labels: Sequence[Markup], cells: Sequence[Sequence[Markup]]
) -> list[tuple[int, int]]:
    """The columns of each block: all in one where even their sources fit."""

    def room_and_sizes(measure: Callable[[str], int]) -> tuple[int, list[int]]:
        columns = zip(header, *cells, strict=True)
        return PAGE_WIDTH - max(map(measure, labels), default=0), [3 + max(map(measure, one)) for one in columns]

    room, sizes = room_and_sizes(len)
    if sum(sizes) <= room:
        return [(0, len(sizes))]
    room, sizes = room_and_sizes(width)
    return _cuts(sizes, room)


def _cuts(sizes: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Where to cut: as few parts as fit, of nearly the same number of columns where these fit too."""
    fewest = list(_filled(sizes, room))
    count = len(fewest)
    edges = [len(sizes) * part // count for part in range(count + 1)]
    balanced = list(pairwise(edges))
    fits = all(sum(sizes[start:stop]) <= room for start, stop in balanced)
    return balanced if fits else fewest


def _filled(sizes: Sequence[int], room: int) -> Iterable[tuple[int, int]]:
    """Parts that are filled one after the other."""
    start, used = 0, 0
    for column, size in enumerate(sizes):
        if column > start and used + size > room:
            yield start, column
            start, used = column, 0
        used += size
    yield start, len(sizes)


def broken(terms: Sequence[str], room: int = PAGE_WIDTH) -> list[str]:
    """A sum as lines that fit: each line after the first begins with its sign."""
    lines: list[str] = []
    for position, term in enumerate(terms):
        signed = term if position == 0 else (f"- {term[1:]}" if term.startswith("-") else f"+ {term}")
        if lines and width(lines[-1]) + width(signed) + 1 <= room:
            lines[-1] += " " + signed
        else:
            lines.append(signed)
    return lines
