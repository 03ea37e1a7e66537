"""Tables for a page: labelled rows of numbers, cut into blocks of columns that fit the page's width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from markupsafe import Markup

PAGE_WIDTH: Final = 80
"""Characters that a line of a page holds; a formula's source is measured by ``width``."""

TABLE_WIDTH: Final = 108
"""Characters that a table with few columns may take; LaTeX shrinks it a little."""

_BREAK: Final = r" \\ "
_MATRIX: Final = re.compile(r"\\begin\{[bp]matrix\}(.*?)\\end\{[bp]matrix\}")
_BRACES: Final = re.compile("[{}]")
_MARKS: Final = re.compile(r"[\\{}^_$<]")
_COMMANDS: Final = re.compile(r"<[^>]*>|\\[a-zA-Z]+ ?|[{}^_$]|\\[,;!]")


def width(tex: str) -> int:
    """About how many characters wide a formula is when it is set; a fraction counts its wider half."""
    if _MARKS.search(tex) is None:
        return len(tex)
    text = _without_fractions(_MATRIX.sub(lambda found: f"[{max(found[1].split(_BREAK), key=width)}]", tex))
    return len(_COMMANDS.sub("", text)) + 2 * text.count(r"\cdot") + text.count(r"\sqrt")


def _without_fractions(tex: str) -> str:
    position = tex.find(r"\frac{")
    if position < 0:
        return tex
    start = position + len(r"\frac")
    middle = _group_end(tex, start)
    end = _group_end(tex, middle)
    halves = [_without_fractions(tex[start + 1 : middle - 1]), _without_fractions(tex[middle + 1 : end - 1])]
    return tex[:position] + max(halves, key=len) + _without_fractions(tex[end:])


def _group_end(tex: str, start: int) -> int:
    depth = 0
    for brace in _BRACES.finditer(tex, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return len(tex)


def blocks(
    header: Sequence[Markup], labels: Sequence[Markup], cells: Sequence[Sequence[Markup]]
) -> list[dict[str, Any]]:
    """The table cut into blocks of columns that fit side by side; each has ``header`` and labelled ``rows``."""
    room = PAGE_WIDTH - max(map(width, labels), default=0)
    sizes = [3 + max([width(title), *(width(row[column]) for row in cells)]) for column, title in enumerate(header)]
    found = []
    for start, stop in _cuts(sizes, room):
        rows = [{"label": label, "cells": row[start:stop]} for label, row in zip(labels, cells, strict=True)]
        found.append({"header": list(header[start:stop]), "rows": rows, "columns": stop - start + 1})
    return found


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
