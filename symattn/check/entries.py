"""Single entries that are written out, ``S_{1,2} = 1*0 + 0*1``: each factor is the entry that it stands for, and the
indices name the entry.

A false factor may be multiplied by 0, and a false index leaves a line true; so both are held to what the line is about.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from symattn.check.agreement import certified, stand
from symattn.check.blocks import around, sentence
from symattn.check.operands import Wrong, pairs_of
from symattn.check.quantities import Array, Known
from symattn.check.reading import labels
from symattn.check.reading.page import PageText
from symattn.check.reading.printed import Printed, printed
from symattn.check.reading.tree import Name, Statement, numbers_in
from symattn.check.written import Written
from symattn.exact.values import Value

_INDEXED: Final = re.compile(r"(?P<base>[A-Za-z]{1,12}'?)\s*_\s*\{?\s*(?P<row>\d{1,3})\s*,\s*(?P<column>\d{1,3})\s*\}?")
_FROM_ZERO: Final = re.compile(r"_\s*\{\s*(?:0\s*,|\d+\s*,\s*0\s*\})")
_FIRST: Final = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5}
_ORDINAL: Final = re.compile(rf"\b({'|'.join(_FIRST)})\s+(?:number|entry|component|coordinate)\b", re.IGNORECASE)
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s")
_FARTHEST: Final = 10
_MADE: Final = {
    "query": ("X", "W_Q"),
    "key": ("X", "W_K"),
    "value": ("X", "W_V"),
    "scores": ("query", "key"),
    "output": ("weights", "value"),
    "final": ("concat", "W_O"),
}
"""What an entry is the sum of products of: a row of the first, and a column of the second; of keys a row."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that a line is about; ``indices`` are those printed, where it is named by these."""

    quantities: tuple[str, ...]
    row: int
    column: int
    indices: tuple[Printed, Printed] | None = None


def wrong_entries(
    page: PageText, known: Known, written: Written, statement: Statement, sound: Container[str]
) -> Iterator[Wrong]:
    """The factors of an entry written out that are not its own, or the index that does not name it."""
    if known.worked.problem.page.vectors == "columns":
        return
    told = _named(page, statement)
    pairs = next((found for member in statement.members if (found := pairs_of(member.node)) is not None), ())
    if told is None and pairs:
        told = _spoken(page, known, statement)
    if told is None:
        return
    shown = [number for pair in pairs for number in pair] or _shown(statement)
    best: list[Wrong] | None = None
    for array in known.arrays:
        if array.quantity in told.quantities:
            wrong = _compared(known, written, array, (told.row, told.column), shown)
            if wrong is not None and (best is None or len(wrong) < len(best)):
                best = wrong
    if best is not None and len(best) <= max(1, len(shown) // 4):
        yield from ((number, value) for number, value in best if not _is_carried(number, value, sound))
    elif told.indices is not None:
        yield from _other_entry(known, written, told, shown)


def _is_carried(number: Printed, value: Value | Fraction, sound: Container[str]) -> bool:
    """Whether a number that is near its value is printed elsewhere too, and soundly: a rounded one that was used on."""
    if number.is_integer or number.text not in sound:
        return False
    digits = certified(value, max(number.places, 0) + 3)
    return digits is not None and abs(Fraction(digits) - number.value) <= _FARTHEST * number.unit


def _shown(statement: Statement) -> list[Printed]:
    """The numbers that the second side is written with."""
    return list(numbers_in(statement.members[1].node)) if len(statement.members) > 1 else []


@lru_cache(maxsize=4)
def _counts_from_zero(text: str) -> bool:
    return len(_FROM_ZERO.findall(text)) > 1


def _named(page: PageText, statement: Statement) -> Entry | None:
    """The entry that the first side names by its indices, counted from 1."""
    first = statement.members[0]
    found = _INDEXED.match(page.text, first.start) if isinstance(first.node, Name) else None
    label = labels.of_name(found["base"]) if found is not None else None
    if found is None or label is None or len(statement.members) < 2:
        return None
    if _counts_from_zero(page.text):
        return None
    row, column = (printed(found[name], found.start(name)) for name in ("row", "column"))
    if row is None or column is None:
        return None
    quantities = (label.quantity, "final") if label.quantity == "output" else (label.quantity,)
    return Entry(quantities, int(row.value) - 1, int(column.value) - 1, (row, column))


def _spoken(page: PageText, known: Known, statement: Statement) -> Entry | None:
    """The entry that the sentence before speaks of: ``the first number of she among the values is``."""
    near = around(page, statement.start, statement.end, 0)
    words = sentence(near.raw)
    ordinal = _ORDINAL.search(words)
    problem = known.worked.problem
    if ordinal is None:
        pair = labels.pair_of("".join(_SENTENCES.split(near.raw)[-2:]), problem.tokens, problem.context_tokens)
        about = {*labels.of_words(near.before), *(name for text in near.headings for name in labels.of_words(text))}
        return Entry(("scores",), *pair) if pair is not None and "scores" in about else None
    quantity = next(iter(labels.of_words(words)), "")
    names = problem.context_tokens if quantity in ("key", "value") else problem.tokens
    row = labels.row_of(words.replace(ordinal[0], "", 1), names)
    if row is None or quantity not in _MADE:
        return None
    return Entry((quantity,), row, _FIRST[ordinal[1].lower()])


Cell = tuple[Array, tuple[int, int]]


def _compared(
    known: Known, written: Written, array: Array, place: tuple[int, int], shown: Sequence[Printed]
) -> list[Wrong] | None:
    """The numbers that are not those that an entry is made from; None where there is no such entry, or it is made from
    more or fewer.
    """
    if not (0 <= place[0] < array.shape[0] and 0 <= place[1] < array.shape[1]):
        return None
    cells = list(_cells(known, array, *place, len(shown)))
    if not cells or len(cells) != len(shown):
        return None
    return [
        (number, one.rows[at[0]][at[1]])
        for number, (one, at) in zip(shown, cells, strict=True)
        if not _prints(number, one.rows[at[0]][at[1]], written, one, at)
    ]


def _cells(known: Known, array: Array, row: int, column: int, count: int) -> Iterator[Cell]:
    """What ``count`` numbers of an entry written out stand for, in order."""
    if array.quantity in _MADE:
        yield from _products(known, array, row, column, count)
        return
    names = {"scaled": ("scores",), "exponentials": ("logits",), "weights": ("exponentials",)}.get(array.quantity, ())
    for name in names:
        source = known.array(name, array.head, array.section)
        if source is None or source.shape != array.shape:
            return
        yield source, (row, column)
        if name == "exponentials":
            yield from ((source, (row, key)) for key in range(source.shape[1]) if not _is_hidden(array, row, key))
    width = next((one for one in known.arrays if one.quantity == "d_k"), None) if array.quantity == "scaled" else None
    if width is not None:
        yield width, (0, 0)


def _is_hidden(array: Array, row: int, key: int) -> bool:
    return bool(array.hidden) and array.hidden[row][key]


def _products(known: Known, array: Array, row: int, column: int, count: int) -> Iterator[Cell]:
    """Of a sum of products: both factors of each term that may be seen, or of all where there are as many."""
    first, second = _MADE[array.quantity]
    if array.quantity in ("key", "value") and known.array("context", None, 0) is not None:
        first = "context"
    left, right = known.array(first, array.head, array.section), known.array(second, array.head, array.section)
    if left is None or right is None or row >= left.shape[0]:
        return
    by_row = second == "key"
    places = [(column, index) if by_row else (index, column) for index in range(right.shape[1 if by_row else 0])]
    if len(places) != left.shape[1] or column >= right.shape[0 if by_row else 1]:
        return
    for key, place in enumerate(places):
        if count == 2 * len(places) or not _is_hidden(left, row, key):
            yield left, (row, key)
            yield right, place


def _prints(number: Printed, value: Value, written: Written, array: Array, place: tuple[int, int]) -> bool:
    if stand(number, value) == "correct":
        return True
    cells = written.cells(array.quantity, array.head, array.section, *place)
    return any(cell.value == number.value for cell in cells)


def _other_entry(known: Known, written: Written, told: Entry, shown: Sequence[Printed]) -> Iterator[Wrong]:
    """The index that is wrong: with another one the line is that of an entry; or one beyond every array."""
    assert told.indices is not None  # noqa: S101 - of entries that are named by theirs
    arrays = [array for array in known.arrays if array.quantity in told.quantities]
    for array in arrays:
        for row, column in _beside(told, array):
            if shown and _compared(known, written, array, (row, column), shown) == []:
                index, wanted = (0, row) if row != told.row else (1, column)
                yield told.indices[index], Fraction(wanted + 1)
                return
    for axis, number in enumerate(told.indices):
        if arrays and all(not 1 <= number.value <= array.shape[axis] for array in arrays):
            yield number, Fraction(max(array.shape[axis] for array in arrays))
            return


def _beside(told: Entry, array: Array) -> Iterator[tuple[int, int]]:
    """The entries that share one index with the one that is named."""
    if 0 <= told.column < array.shape[1]:
        yield from ((row, told.column) for row in range(array.shape[0]))
    if 0 <= told.row < array.shape[0]:
        yield from ((told.row, column) for column in range(array.shape[1]))
