"""Numbers that count: headings and items of a list go up by one, columns too, and what is spoken of by its number is
there.

Only what stands against a whole series is told: one number among others that count up, or one that names what does not
exist. A series that leaves some out says nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from flint import fmpq

from symattn.check.given.data import heads_said
from symattn.check.quantities import Known
from symattn.check.reading import labels
from symattn.check.reading.page import PageText
from symattn.check.reading.printed import Printed, printed
from symattn.check.reading.sources import caption_before
from symattn.check.reading.tree import Cell, Num, Table

Miscounted = tuple[Printed, int | None]
"""A number, and what should stand there, where that is told."""

_STEP: Final = re.compile(r"\b(?P<word>step)\s+(?P<number>\d{1,3})\b(?!\s*[×x/]|\.\d)", re.IGNORECASE)
_HEAD: Final = re.compile(r"\b(?P<word>head)\s+(?P<number>\d{1,3})\b(?!\s*[×x/]|\.\d)", re.IGNORECASE)
_OF_OUTPUT: Final = re.compile(r"\boutput of [^|,\n]{1,60}, number (?P<number>\d{1,3})\b(?!\.\d)")
_LINE: Final = re.compile(
    r"^[ \t#*]*+(?:\\\w+\*?\{)?[ \t#*]*+(?P<word>step|head)\s+(?P<number>\d{1,3})\b(?!\.\d)(?P<rest>[^\n]{0,80})$",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM: Final = re.compile(r"^ {0,3}(?P<number>\d{1,3})[.)][ \t]+(?=[^\W\d]|[*$(\[\"“‘])", re.MULTILINE)
_ENTRY: Final = re.compile(
    r"^[ \t]*(?P<base>[A-Za-z]'?)_\{(?P<row>\d{1,3}),\s?(?P<column>\d{1,3})\}\s*&?\s*(?:=|\\approx|≈)", re.MULTILINE
)
_APART: Final = re.compile(r"\n[ \t]*\n|\$\$|\\(?:begin|end)\b")
_FACTOR: Final = re.compile(
    r"\bS_\{[a-z],\s?[a-z]\}\s*(?:\\,|\\cdot)?\s*\\[dt]?frac\{(?P<above>\d{1,4})\}\{\\sqrt\{(?P<below>\d{1,4})\}\}"
)
_FROM: Final = re.compile(
    r"(?P<base>[A-Za-z]'?)_\{[a-z],\s?[a-z]\}\s*&?=[^\n$]{0,40}?\\sum_\{[a-z]\s?=\s?(?P<number>\d{1,3})\}"
)
"""From where a sum runs that makes an entry of an array."""
_LINES: Final = re.compile(r"\bLine (?P<number>\d{1,2}) \(")
"""As the words of a picture name what it draws."""
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n(?=\S)")
"""A text that is not indented, and so is no item's."""
_NEAR: Final = 60
_CAPTION: Final = re.compile(r"(?<![A-Za-z])[A-Z]\s*\$?\s*:\s*$")
"""A letter and a colon: the table is the array of this name."""
_CLOSED: Final = re.compile(r"[\s}:.*]*")
_MOST_COLUMNS: Final = 64
_OUTPUTS: Final = ("output", "concat", "final")


def miscounted(page: PageText, known: Known, start: int, end: int) -> Iterator[Miscounted]:
    """Every number that counts wrongly.

    Args:
        page: The page.
        known: What it is about: how many heads, how wide its arrays.
        start, end: The part of the page that is about it.
    """
    text = page.text[start:end]
    steps = [found for found in _headed(page, start, end) if found["word"].lower() == "step"]
    for series in _series(page, steps):
        yield from _out_of_order(series)
    there = {int(found["number"]) for found in steps}
    if len(there) > 2:
        yield from _not_there(text, start, _STEP, max(there))
    count = len(known.worked.sections[0].result.heads)
    if count > 1 and heads_said(text) == count:
        yield from _not_there(text, start, _HEAD, count)
        heads = [found for found in _headed(page, start, end) if found["word"].lower() == "head"]
        for series in _series(page, heads):
            if len(series) == count:
                yield from _out_of_order(series)
    width = max((array.shape[1] for array in known.arrays if array.quantity in _OUTPUTS), default=_MOST_COLUMNS)
    yield from ((number, None) for number in _spoken(text, start, _OF_OUTPUT) if number.value > width)
    for items in _lists(page, start, end):
        if len({number.value for number in items}) > 1:
            yield from _out_of_order(items)
    for entries in _entries(page, start, end):
        yield from _of_entries(entries)
    lines = [number for found in _LINES.finditer(page.text, start, end) if (number := _number(found, 0)) is not None]
    yield from _out_of_order(lines)
    yield from _scale(page, known, start, end)
    for found in _FROM.finditer(page.text, start, end):
        number = _number(found, 0)
        if number is not None and number.value > 1:
            yield number, 1
    for item in page.items:
        if isinstance(item, Table) and start <= item.start < end:
            yield from _columns(item, known, caption_before(page.text, item.start, start)[-_NEAR:])


def _headed(page: PageText, start: int, end: int) -> list[re.Match[str]]:
    """Lines that are a heading, or stand alone as one does: ``## Step 1. Compare``, ``**Head 2**:``."""
    places = {heading.start for heading in page.headings}
    return [
        found
        for found in _LINE.finditer(page.text, start, end)
        if _line_start(page.text, found.start("word")) in places or _CLOSED.fullmatch(found["rest"])
    ]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _series(page: PageText, found: Sequence[re.Match[str]]) -> Iterator[list[Printed]]:
    """Numbered headings that belong together: of one level, with no higher one between."""
    levels = {heading.start: heading.level for heading in page.headings}
    run: list[Printed] = []
    last: tuple[int, int] | None = None
    for one in found:
        at = _line_start(page.text, one.start("word"))
        level = levels.get(at, 9)
        if last is not None and (
            level != last[1] or any(heading.level < level and last[0] < heading.start < at for heading in page.headings)
        ):
            yield run
            run = []
        number = _number(one, 0)
        if number is not None:
            run.append(number)
        last = (at, level)
    if run:
        yield run


def _number(found: re.Match[str], start: int) -> Printed | None:
    return printed(found["number"], start + found.start("number"))


def _out_of_order(series: Sequence[Printed]) -> Iterator[Miscounted]:
    """The one number of a series that does not go up by one like the others; of two, the one that is not 1 or 2."""
    from_one = [int(number.value) - index for index, number in enumerate(series)]
    first, most = max(Counter(from_one).items(), key=lambda item: (item[1], item[0] == 1), default=(1, 0))
    if len(series) < 2 or most != len(series) - 1 or (len(series) == 2 and first != 1):
        return
    for index, number in enumerate(series):
        if from_one[index] != first:
            yield number, first + index


def _not_there(text: str, start: int, pattern: re.Pattern[str], count: int) -> Iterator[Miscounted]:
    """The one number that names a step or a head that does not exist, where all others exist."""
    spoken = list(_spoken(text, start, pattern))
    beyond = [number for number in spoken if number.value > count]
    if len(beyond) == 1 and len(spoken) > 2:
        yield beyond[0], None


def _spoken(text: str, start: int, pattern: re.Pattern[str]) -> Iterator[Printed]:
    return (number for found in pattern.finditer(text) if (number := _number(found, start)) is not None)


def _lists(page: PageText, start: int, end: int) -> Iterator[list[Printed]]:
    """The numbers of items that follow one another, with nothing but their own text between."""
    run: list[Printed] = []
    last = start
    for found in _ITEM.finditer(page.text, start, end):
        number = _number(found, 0)
        if _PARAGRAPH.search(page.source[last : found.start()]):
            yield run
            run = []
        if number is not None:
            run.append(number)
        last = found.end()
    yield run


def _of_entries(entries: Sequence[tuple[Printed, Printed]]) -> Iterator[Miscounted]:
    """The one index that is out of order where entries go along a row, or down a column."""
    ways = []
    for fixed, moving in ((0, 1), (1, 0)):
        kept = Counter(one[fixed].value for one in entries)
        most = max(kept, key=lambda value: (kept[value], -value), default=Fraction(0))
        wrong = [(one[fixed], int(most)) for one in entries if one[fixed].value != most]
        ways.append([*wrong, *_off([one[moving] for one in entries])])
    fewest = min(map(len, ways))
    best = [way for way in ways if len(way) == fewest]
    if fewest == 1 == len(best) and len(entries) > 1:
        yield best[0][0]


def _off(series: Sequence[Printed]) -> list[Miscounted]:
    """The numbers of a series that are not where they were if most of it counts up."""
    offsets = Counter(int(number.value) - index for index, number in enumerate(series))
    first = max(offsets, key=lambda offset: (offsets[offset], offset == 1), default=1)
    return [(number, first + index) for index, number in enumerate(series) if int(number.value) != first + index]


def _entries(page: PageText, start: int, end: int) -> Iterator[list[tuple[Printed, Printed]]]:
    """The indices of entries of one row that are written out line by line: ``A_{1,1} &= ..``, ``A_{1,2} &= ..``."""
    run: list[tuple[Printed, Printed]] = []
    last: re.Match[str] | None = None
    for found in _ENTRY.finditer(page.text, start, end):
        if last is not None and (last["base"] != found["base"] or _APART.search(page.text, last.end(), found.start())):
            yield run
            run = []
        indices = [printed(found[name], found.start(name)) for name in ("row", "column")]
        if indices[0] is not None and indices[1] is not None:
            run.append((indices[0], indices[1]))
        last = found
    yield run


def _scale(page: PageText, known: Known, start: int, end: int) -> Iterator[Miscounted]:
    """The factor 1/sqrt(d_k) of entries in letters, ``S_{i,j} 1/sqrt(2)``: where it is the scale that is used."""
    width = next((array.near(0, 0) for array in known.arrays if array.quantity == "d_k"), None)
    scale = next((array.near(0, 0) for array in known.arrays if array.quantity == "scale"), None)
    if width is None or scale is None or abs(scale * scale * width - 1) > fmpq(1, 10**9):
        return
    for found in _FACTOR.finditer(page.text, start, end):
        for name, wanted in (("above", 1), ("below", int(width))):
            number = printed(found[name], found.start(name))
            if number is not None and number.value != wanted:
                yield number, wanted


def _columns(table: Table, known: Known, before: str) -> Iterator[Miscounted]:
    """Columns that are numbered above the rows of an array that has as many; rows below the names of its columns."""
    head, *body = table.rows
    if not body or not head or _integer(head[0]) is not None:
        return
    corner = head[0].text
    named = labels.of_words(corner) or (labels.of_words(before)[:1] if not corner else ())
    shapes = [array.shape for array in known.arrays if array.quantity in named]
    above = [_integer(cell) for cell in head[1:]]
    beside = [_integer(row[0]) if row else None for row in body]
    for numbers, names, sizes in (
        (above, beside, {columns for _, columns in shapes}),
        (beside, above, {size for shape in shapes for size in shape}),
    ):
        kept = [number for number in numbers if number is not None]
        is_counted = 0 < len(kept) == len(numbers) <= _MOST_COLUMNS and not any(names)
        is_named = named or _CAPTION.search(before) or (not corner and _are_tokens(body, known))
        if not is_counted or not is_named or (sizes and len(kept) not in sizes):
            continue
        if len(kept) == 1 and sizes and kept[0].value not in (0, 1):
            yield kept[0], 1
        yield from _out_of_order(kept)


def _are_tokens(body: Sequence[tuple[Cell, ...]], known: Known) -> bool:
    """Whether each row has the name of another token."""
    problem = known.worked.problem
    names = [row[0].text for row in body if row]
    return len({*names}) == len(names) > 1 and {*names} <= {*problem.tokens, *problem.context_tokens}


def _integer(cell: Cell) -> Printed | None:
    if len(cell.statements) != 1 or len(cell.statements[0].members) != 1:
        return None
    node = cell.statements[0].members[0].node
    return node.printed if isinstance(node, Num) and node.printed.is_integer else None
