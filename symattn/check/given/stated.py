"""What words say of how given arrays were made, held to what is printed: copies of X, X times a number or a table.

Where a page prints both sides of such a sentence, and all but a few numbers agree, the others are wrong: the one number
that would mend them all, if there is such a one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from symattn.check.agreement import stand
from symattn.check.blocks import Block
from symattn.check.quantities import Array
from symattn.check.reading.printed import Printed, printed
from symattn.check.reading.sources import caption_before
from symattn.check.reading.tree import entry
from symattn.exact import numbers
from symattn.exact.values import Plain

Wrong = tuple[Printed, Fraction]
Numbers = tuple[tuple[Printed, ...], ...]

_NAMES: Final = {"queries": "query", "keys": "key", "values": "value"}
_NAME: Final = re.compile("|".join(_NAMES), re.IGNORECASE)
_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_SAID: Final = re.compile(
    r"\b(?P<names>(?:queries|keys|values)(?:(?:, | and |, and )(?:queries|keys|values)){0,2})\s+are\s+(?:all\s+)?(?:"
    r"(?:plain |exact |just )?(?:copies of|the same as|equal to)\s+\$?\s*(?P<copied>[A-Z])\b"
    rf"|\$?\s*(?P<scaled>[A-Z])\s*\$?\s+times\s+\$?\s*(?:(?P<factor>{_NUMBER})(?![\d./])"
    r"|(?P<minus>-?)\s*\\[dt]?frac\{(?P<above>\d+)\}\{(?P<below>\d+)\})"
    r"|\$?\s*(?P<source>[A-Z])\s*(?P<table>W_\{?[QKV])\}?(?:\s*\$?\s+plus\s+\$?\s*(?:\\left)?\s*\["
    r"(?P<vector>[^\].]{1,120})\][\s$]*in each row)?)",
    re.IGNORECASE,
)
_ENTRY: Final = re.compile(
    r"(?P<minus>-?)\s*(?:\\[dt]?frac\{(?P<above>\d+)\}\{(?P<below>\d+)\}|(?P<plain>\d+(?:\.\d+)?))"
)
_LETTER: Final = re.compile(r"(?<![A-Za-z\\_^])([A-Z])(?![A-Za-z_^])[\s$*:)}]*$")
_OWN: Final = {"query": "Q", "key": "K", "value": "V", "X": "X", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V"}
_MOST: Final = 400


@dataclass(frozen=True, slots=True)
class _Rule:
    """An array and what it is said to be: ``source`` times ``table`` or a number, or ``source`` itself.

    ``vector`` is added in each row: each entry with its place on the page.
    """

    made: Numbers
    source: Numbers
    table: Numbers | None = None
    factor: Printed | None = None
    vector: tuple[tuple[Printed, Fraction], ...] = ()


def contradictions(words: str, start: int, blocks: list[Block]) -> Iterator[Wrong]:
    """The given numbers that stand against what is said of them.

    Args:
        words: A part of the page.
        start: Where on the page it begins.
        blocks: Its blocks.
    """
    arrays = _by_letter(blocks)
    rules = [
        rule
        for said in _SAID.finditer(words)
        for name in _NAME.findall(said["names"])
        if (rule := _rule(said, start, _NAMES[name.lower()], arrays)) is not None
    ]
    found = {number.start: (number, wanted) for rule in rules for number, wanted in _wrong(rule)}
    shared = Counter(number.start for rule in rules for number, _ in _copied(rule))
    for rule in rules:
        for number, wanted in _copied(rule):
            if shared[number.start] > 1:
                for other, _ in _wrong(rule):
                    found.pop(other.start, None)
                found[number.start] = (number, wanted)
    yield from found.values()


def further(words: str, blocks: list[Block]) -> list[Array]:
    """Arrays that words and tables give, though the problem may be worked without."""
    return [
        Array(name, tuple(tuple(Plain(numbers.from_fraction(value)) for value in row) for row in rows))
        for name, rows in given_rows(words, 0, blocks, {}).items()
    ]


def given_rows(
    words: str, start: int, blocks: list[Block], mended: Mapping[int, Fraction]
) -> dict[str, list[list[Fraction]]]:
    """What words and tables give for X, a context and tables; of ``X times 2`` twice the identity.

    Args:
        words: A part of the page.
        start: Where on the page it begins.
        blocks: Its blocks.
        mended: What numbers should be that are wrong, by their place on the page.
    """
    letters = _by_letter(blocks)
    names = {"X": "X", "C": "context", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V"}
    found = {
        name: [[mended.get(number.start, number.value) for number in row] for row in letters[key]]
        for key, name in names.items()
        if key in letters
    }
    for said in _SAID.finditer(words):
        source = letters.get(said["copied"] or said["scaled"] or "")
        factor = mended.get(start + said.start("factor"), _factor(said))
        for name in _NAME.findall(said["names"]) if source is not None else ():
            width = range(len(source[0]) if source is not None else 0)
            found.setdefault(f"W_{_OWN[_NAMES[name.lower()]]}", [[factor * (i == j) for j in width] for i in width])
    return found


def _factor(said: re.Match[str]) -> Fraction:
    """What X is multiplied by; 1 for a copy."""
    if said["above"]:
        return Fraction(int(said["minus"] + said["above"]), int(said["below"]) or 1)
    return Fraction(said["factor"]) if said["factor"] else Fraction(1)


def _copied(rule: _Rule) -> list[Wrong]:
    """The one number of the source that one number of its copy differs from."""
    if rule.table is not None or (rule.factor is not None and not rule.factor.value):
        return []
    factor = Fraction(1) if rule.factor is None else rule.factor.value
    pairs = [pair for row, line in zip(rule.source, rule.made, strict=True) for pair in zip(row, line, strict=True)]
    wrong = [(one, other.value / factor) for one, other in pairs if one.value * factor != other.value]
    return wrong if len(wrong) == 1 else []


def _by_letter(blocks: list[Block]) -> dict[str, Numbers]:
    """The first print of each array: by its own label, or by the letter that its caption ends with."""
    found: dict[str, Numbers] = {}
    for block in blocks:
        letter = _LETTER.search(caption_before(block.said.words, len(block.said.words)))
        names = [_OWN[label.quantity] for label in block.own if label.quantity in _OWN]
        if not block.own and letter is not None and block.told:
            names = [letter[1]]
        rows = [[entry(node) for node in row] for row in block.rows]
        kept = tuple(tuple(number for number in row if number is not None) for row in rows)
        whole = len({len(row) for row in kept}) == 1 and all(map(len, kept)) and len(kept) * len(kept[0]) <= _MOST
        if whole and [len(row) for row in kept] == [len(row) for row in rows]:
            for name in names:
                found.setdefault(name, kept)
    return found


def _rule(said: re.Match[str], start: int, name: str, arrays: dict[str, Numbers]) -> _Rule | None:
    made = arrays.get(_OWN[name])
    source = arrays.get(said["copied"] or said["scaled"] or said["source"])
    if made is None or source is None or len(made) < len(source) or said["above"]:
        return None
    table = None
    if said["table"]:
        table = arrays.get(said["table"].replace("{", ""))
        if table is None or len(table) != len(source[0]) or len(table[0]) != len(made[0]):
            return None
    elif len(made[0]) != len(source[0]):
        return None
    factor = printed(said["factor"], start + said.start("factor")) if said["factor"] else None
    vector = _vector(said, start) if said["vector"] else ()
    if said["vector"] and len(vector) != len(made[0]):
        return None
    return _Rule(made[len(made) - len(source) :], source, table, factor, vector)


def _vector(said: re.Match[str], start: int) -> tuple[tuple[Printed, Fraction], ...]:
    """The entries of a vector in words; of a fraction its numerator stands for it."""
    found: list[tuple[Printed, Fraction]] = []
    for part in _ENTRY.finditer(said["vector"]):
        group = "plain" if part["plain"] else "above"
        number = printed(part[group], start + said.start("vector") + part.start(group))
        if number is not None:
            value = number.value / int(part["below"] or 1) if part["below"] != "0" else number.value
            found.append((number, -value if part["minus"] else value))
    return tuple(found)


def _worked(rule: _Rule) -> list[list[Fraction]]:
    rows = [[number.value for number in row] for row in rule.source]
    if rule.table is not None:
        columns = list(zip(*([number.value for number in row] for row in rule.table), strict=True))
        more = [value for _, value in rule.vector] or [Fraction(0)] * len(columns)
        return [
            [
                sum((a * b for a, b in zip(row, column, strict=True)), extra)
                for column, extra in zip(columns, more, strict=True)
            ]
            for row in rows
        ]
    factor = Fraction(1) if rule.factor is None else rule.factor.value
    return [[value * factor for value in row] for row in rows]


def _mismatches(rule: _Rule) -> list[tuple[Printed, Fraction]]:
    return [
        (number, wanted)
        for row, line in zip(rule.made, _worked(rule), strict=True)
        for number, wanted in zip(row, line, strict=True)
        if number.special or stand(number, wanted) not in ("correct", "truncated")
    ]


def _wrong(rule: _Rule) -> Iterator[Wrong]:
    """The numbers to blame where most of an array is as it is said to be."""
    wrong = _mismatches(rule)
    if not wrong:
        return
    ratio = _ratio(rule) if rule.factor is not None else None
    if rule.factor is not None and ratio is not None:
        yield rule.factor, ratio
    elif len(wrong) * 2 <= len(rule.made) * len(rule.made[0]):
        single = _mended(rule) if len(wrong) > 1 else wrong[0]
        if single is not None:
            yield single


def _ratio(rule: _Rule) -> Fraction | None:
    """By what the array is its source times a number, where it is."""
    found: set[Fraction | None] = {
        other.value / one.value if one.value else None
        for row, line in zip(rule.source, rule.made, strict=True)
        for one, other in zip(row, line, strict=True)
        if one.value or other.value
    }
    return found.pop() if len(found) == 1 else None


def _mended(rule: _Rule) -> Wrong | None:
    """The one number of the source, its table or what is added, with another value of which everything agrees."""
    for i, row in enumerate(rule.source):
        for j, number in enumerate(row):
            for other in _near(number):
                source = _with(rule.source, i, j, other)
                if not _mismatches(replace(rule, source=source)):
                    return number, other.value
    for i, row in enumerate(rule.table or ()):
        for j, number in enumerate(row):
            for other in _near(number):
                if not _mismatches(replace(rule, table=_with(rule.table or (), i, j, other))):
                    return number, other.value
    return _mended_vector(rule)


def _mended_vector(rule: _Rule) -> Wrong | None:
    """An entry of what is added in each row, where one column is off by the same everywhere."""
    columns = list(
        zip(*(zip(row, line, strict=True) for row, line in zip(rule.made, _worked(rule), strict=True)), strict=True)
    )
    off = [{number.value - wanted for number, wanted in column} for column in columns]
    wrong = [index for index, found in enumerate(off) if found != {Fraction(0)}]
    if not rule.vector or len(wrong) != 1 or len(off[wrong[0]]) != 1:
        return None
    number, value = rule.vector[wrong[0]]
    return number, value + off[wrong[0]].pop()


def _near(number: Printed) -> Iterator[Printed]:
    """A number moved by up to nine units."""
    for step in (sign * distance for distance in range(1, 10) for sign in (-1, 1)):
        yield replace(number, value=number.value + step * number.unit)


def _with(numbers: Numbers, row: int, column: int, other: Printed) -> Numbers:
    line = (*numbers[row][:column], other, *numbers[row][column + 1 :])
    return (*numbers[:row], line, *numbers[row + 1 :])
