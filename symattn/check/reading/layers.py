"""Where several layers stand on a page.

A layer stands under a heading of its own, ``Layer 2``; what is said of one behind the last begins with its name, or
says ``about layer 1``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from symattn.check.reading.page import Heading, PageText, Parts
from symattn.check.reading.printed import Printed, printed
from symattn.check.reading.white import blanked

_HEADING: Final = re.compile(r"\W*(?:[a-z]+ )?(?:layer|block) \d{1,2}\b", re.IGNORECASE)
_NAMED: Final = re.compile(r"\b(?:layer|block) (?P<number>\d{1,2})\b", re.IGNORECASE)
_SPOKEN: Final = re.compile(
    r"(?:^[*_ ]{0,4}(?:\\text(?:bf|it)\{)?|\babout )layer (?P<number>\d{1,2})\b", re.IGNORECASE | re.MULTILINE
)
_ABOVE: Final = re.compile(r"\^\s?\{?\s?[(\[](?P<number>\d{1,2})[)\]]\s?\}?")
"""The number of its layer above the letter of an array."""


_ATTENDS: Final = re.compile(r"\bquer(?:y|ies)\b|\bW\s?_\s?\{?[QK]|\bsoftmax\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Layers:
    """The parts of a page that each of its layers rules, the first from the beginning; none where there are not two
    that attend.

    ``rest`` is what no layer rules. ``wrong`` are numbers of layers that are not there, with what should stand in their
    place where that is told.
    """

    parts: tuple[Parts, ...] = ()
    rest: Parts = ()
    wrong: tuple[tuple[Printed, int | None], ...] = ()


def layers_of(page: PageText) -> Layers:
    """Where each layer of a page stands."""
    found = _headings(page)
    if len(found) < 2:
        return Layers()
    starts = [heading.start for heading, _ in found]
    higher = [heading.start for heading in page.headings if heading.level <= found[-1][0].level]
    behind = next((start for start in higher if start > starts[-1]), len(page.text))
    parts = [[part] for part in zip([0, *starts[1:]], [*starts[1:], behind], strict=True)]
    if sum(_ATTENDS.search(page.text, *first) is not None for (first,) in parts) < 2:
        return Layers()
    spoken = [(number, one.start()) for one in _SPOKEN.finditer(page.text, behind) if (number := _number(one))]
    ends = sorted([*(start for _, start in spoken), *(start for start in higher if start > behind), len(page.text)])
    for number, start in spoken:
        if 1 <= number.value <= len(parts):
            parts[int(number.value) - 1].append((start, ends[bisect_right(ends, start)]))
    ruled = sorted(part for kept in parts for part in kept)
    rest = zip((end for _, end in ruled), (*(start for start, _ in ruled[1:]), len(page.text)), strict=True)
    return Layers(
        tuple(map(tuple, parts)),
        tuple((start, end) for start, end in rest if start < end),
        (
            *((number, wanted) for wanted, (_, number) in enumerate(found, 1) if number.value != wanted),
            *((number, None) for number, _ in spoken if not 1 <= number.value <= len(parts)),
            *(wrong for index, kept in enumerate(parts) for wrong in _above(page, index + 1, kept, len(parts))),
        ),
    )


def _above(page: PageText, layer: int, parts: list[tuple[int, int]], count: int) -> Iterator[tuple[Printed, int]]:
    """The numbers above letters that are neither a layer's own nor of one beside it."""
    for start, end in parts:
        for found in _ABOVE.finditer(page.text, start, end):
            number = _number(found)
            if number is not None and (number.value > count or abs(number.value - layer) > 1):
                yield number, layer


def _number(found: re.Match[str]) -> Printed | None:
    return printed(found["number"], found.start("number"))


def _headings(page: PageText) -> list[tuple[Heading, Printed]]:
    """The headings of layers, of one level; of those whose numbers do not go up by one, those before."""
    found: list[tuple[Heading, Printed]] = []
    for heading in page.headings:
        named = _NAMED.search(page.text, heading.start) if _HEADING.match(heading.text) else None
        number = None if named is None else _number(named)
        if number is not None and (not found or heading.level == found[0][0].level):
            found.append((heading, number))
    numbers = [number.value for _, number in found]
    wrong = [index for index, number in enumerate(numbers) if number != index + 1]
    return found[: wrong[0]] if len(wrong) > 1 or len({*numbers}) < len(numbers) else found


def without_numbers(text: str) -> str:
    """A text with white space for the numbers of layers above letters: they are neither powers nor heads."""
    return blanked(text, _ABOVE)
