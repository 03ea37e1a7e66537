"""What a page defines: arrays by name, and which of them go together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from symattn.check.blocks import Block
from symattn.check.reading import labels
from symattn.check.reading.page import Heading, PageText
from symattn.check.reading.tree import Call, Name, Negative, Node, Num, Operation, Statement, numbers_in

DIRECT: Final = ("query", "key", "value")

TABLES: Final = ("W_Q", "W_K", "W_V", "W_O")

STARTS: Final = ("scores", "scaled", "logits")

INPUTS: Final = ("X", *TABLES, *DIRECT, *STARTS, "bias")

FILE: Final = {"query": "Q", "key": "K", "value": "V"}

_MOST_ROWS: Final = 512

Text = list[list[str | None]]


@dataclass(slots=True)
class Group:
    """Definitions that go together. ``copies`` are the names of what words call plain copies of X."""

    start: int
    copies: frozenset[str] = frozenset()
    arrays: dict[tuple[str, int | None], Text] = field(default_factory=dict)
    blocks: dict[tuple[str, int | None], list[Block]] = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        """Whether all these are defined, or said to be copies of what is."""
        found = {name for name, _ in self.arrays}
        return all(name in found or (name in self.copies and "X" in found) for name in names)

    def is_complete(self) -> bool:
        """Whether this is enough to work weights."""
        return (
            (self.has("query", "key") or self.has("X", "W_Q", "W_K"))
            or (self.has("X", "W_Q", "key") or self.has("X", "query", "W_K"))
            or any(self.has(name) for name in STARTS)
        )

    def is_attention(self) -> bool:
        """Whether queries and keys are there, so that scores are worked."""
        return (self.has("query") or self.has("X", "W_Q")) and (self.has("key") or self.has("X", "W_K"))


def partial_of(groups: list[Group]) -> dict[str, Any]:
    """What is known of a problem of which something is missing."""
    group = max(groups, key=lambda one: len(one.arrays))
    return {FILE.get(name, name): value for (name, _), value in group.arrays.items() if name not in STARTS}


def missing_of(groups: list[Group]) -> tuple[str, ...]:
    """The names of what the fullest group lacks."""
    group = max(groups, key=lambda one: len(one.arrays))
    wanted = []
    for name, table in (("query", "W_Q"), ("key", "W_K"), ("value", "W_V")):
        if not group.has(name) and not group.has("X", table):
            wanted.append(table if group.has("X") else FILE[name])
    return tuple(wanted)


def aliases_of(page: PageText, start: int, end: int) -> list[tuple[str, ...]]:
    """Names that a part of a page says stand for one array, ``Q = K = X``, where it is not written out there."""
    found: list[tuple[str, ...]] = []
    for item in page.items:
        if (
            start <= item.start < end
            and isinstance(item, Statement)
            and all(member.relation in ("", "=") for member in item.members)
        ):
            names = [labels.of_node(member.node) for member in item.members if isinstance(member.node, Name)]
            kept = tuple(label.quantity for label in names if label is not None and label.quantity in INPUTS)
            if len(kept) == len(item.members) > 1:
                found.append(kept)
    copies = (_PLURALS.findall(said["names"]) for said in _COPIES.finditer(page.text, start, end))
    return found + [(*(_PLURAL[name.lower()] for name in names), "X") for names in copies]


_PLURAL: Final = {"queries": "query", "keys": "key", "values": "value"}

_PLURALS: Final = re.compile("|".join(_PLURAL), re.IGNORECASE)

_COPIES: Final = re.compile(
    r"\b(?P<names>(?:queries|keys|values)(?:(?:,| and|, and) (?:queries|keys|values)){0,2}) are "
    r"(?:all )?(?:plain |exact |just )?(?:copies of|the same as|equal to)\s+\$?\s*X\b",
    re.IGNORECASE,
)


def groups_of(
    found: list[Block],
    aliases: list[tuple[str, ...]],
    *,
    by_column: bool,
    headings: tuple[Heading, ...] = (),
    starts_in_words: bool = False,
) -> list[Group]:
    """The definitions of a page, a new group where one that is whole is followed by other ones.

    Args:
        found: The blocks of the page.
        aliases: Names that stand for one array.
        by_column: Matrices have one column a token.
        headings: The headings of the page: an answer may stand before what it is made from, under the same heading.
        starts_in_words: Scores that only the words before them call so may be what the page starts from.
    """
    copies = frozenset(name for names in aliases if "X" in names for name in names)
    groups = [Group(0, copies)]
    for block in found:
        texts = entry_texts(block)
        if texts is None or _is_bare(block) or _is_made(block.said.words):
            continue
        if by_column and not block.by_token:
            texts = [list(column) for column in zip(*texts, strict=True)]
        for name, row in _names_of(block, starts_in_words=starts_in_words):
            group = groups[-1]
            key = (name, block.said.head if name not in ("X", "W_O") else None)
            value: Text | None = texts
            if row is not None:
                value = _with_row(group.arrays.get(key, []), row, texts[0])
                if value is None:
                    continue
            elif key in group.arrays and group.arrays[key] != texts:
                if (len(texts) == 1 and len(group.arrays[key]) > 1) or name in STARTS:
                    continue
                if not _starts_anew(group, name):
                    continue
                group = Group(_beginning(group, block, headings), copies)
                groups.append(group)
            elif name in STARTS and (group.is_attention() or key in group.arrays):
                continue
            assert value is not None  # noqa: S101 - a row that does not fit was left out
            group.arrays[key] = value
            group.blocks.setdefault(key, []).append(block)
    for group in groups:
        _alias(group, aliases)
    return _merged(groups)


_MADE: Final = re.compile(r"\b(?:turned|rotated)\b", re.IGNORECASE)
_PRODUCT: Final = re.compile(
    r"\bdot products? of\b[^.:]*[.:]?(?:\s*(?:center|tabularx?|array|longtable|table|[lrc]{1,12}))*\s*$", re.IGNORECASE
)
"""What is said of an array that was made from what is given."""

_NO_WORDS: Final = re.compile(r"\\[A-Za-z@]+\*?|\\(?![A-Za-z@])|[^A-Za-z.:,\\]+")

_CLOSE: Final = 40


def _is_made(words: str) -> bool:
    """Whether the words right before an array say that it was made from what is given."""
    plain = _NO_WORDS.sub(" ", words[-5 * _CLOSE :]).strip()
    return bool(_MADE.search(plain[-_CLOSE:]) or _PRODUCT.search(plain))


def _is_result(block: Block) -> bool:
    """Whether a block is what a computation before it gives."""
    members = block.statement.members if block.statement is not None else ()
    return any(member.start < block.start and any(True for _ in numbers_in(member.node)) for member in members)


def _is_bare(block: Block) -> bool:
    """A single number without brackets is no array."""
    if block.shape != (1, 1) or block.row_names:
        return False
    members = block.statement.members if block.statement is not None else ()
    return any(isinstance(member.node, Num) and member.start == block.start for member in members) or not members


def _alias(group: Group, aliases: list[tuple[str, ...]]) -> None:
    """Give every name of one array what any of them has."""
    for names in aliases:
        key = next((key for key in group.arrays if key[0] in names), None)
        if key is None:
            continue
        for name in names:
            other = (name, key[1] if name != "X" else None)
            if other not in group.arrays:
                group.arrays[other] = group.arrays[key]
                group.blocks[other] = group.blocks.get(key, [])


def by_entries(found: list[Block]) -> Group | None:
    """Scores that a page gives one by one, ``q1·k1 = 112``, row by row from the first; None where a row has a hole."""
    entries: dict[tuple[int, int], tuple[str, Block]] = {}
    for block in found:
        label = block.own[0] if block.own and block.shape == (1, 1) else None
        text = entry_text(block.rows[0][0]) if label is not None and label.quantity == "scores" else ""
        if text and label is not None and label.row is not None and label.column is not None and not _is_result(block):
            entries.setdefault((label.row, label.column), (text, block))
    width = 1 + max((column for _, column in entries), default=-1)
    rows: Text = []
    while all((len(rows), column) in entries for column in range(width)) and width > 1 and len(rows) < _MOST_ROWS:
        rows.append([entries[len(rows), column][0] for column in range(width)])
    if not rows or len(rows) * width != len(entries):
        return None
    blocks = [block for _, block in entries.values()]
    key = ("scores", None)
    return Group(min(block.start for block in blocks), frozenset(), {key: rows}, {key: blocks})


def _starts_anew(group: Group, name: str) -> bool:
    """Whether a second, different definition begins another example: only once the one before is whole."""
    return group.is_complete() and name in ("X", "query", "key")


def _beginning(before: Group, block: Block, headings: tuple[Heading, ...]) -> int:
    """Where another example begins: at its highest heading, if the one before stands under one of that level, else
    here.
    """
    given = [one.start for blocks in before.blocks.values() for one in blocks]
    above = {heading.level for heading in headings if heading.start < min(given)}
    between = [h for h in headings if max(given) < h.start < block.start and h.level in above]
    highest = min((heading.level for heading in between), default=0)
    return next((heading.start for heading in reversed(between) if heading.level == highest), block.start)


def _merged(groups: list[Group]) -> list[Group]:
    """Groups without those that never became whole: what they define is judged as a print of what is given before."""
    return [groups[0], *(group for group in groups[1:] if group.is_complete())]


def _with_row(before: Text, row: int, line: list[str | None]) -> Text | None:
    """A matrix with one more row, where rows are given one by one."""
    if row == len(before) and row < _MOST_ROWS:
        return [*before, line]
    return before if row < len(before) and before[row] == line else None


def _names_of(block: Block, *, starts_in_words: bool) -> Iterator[tuple[str, int | None]]:
    """The inputs that a block defines, with the row where it is one row of them."""
    if not block.told and not block.own:
        if block.said.near[:1] and block.said.near[0] in INPUTS and block.row is not None and block.shape[1] > 1:
            yield block.said.near[0], block.row
        return
    seen = set()
    for label in block.own:
        if label.quantity in INPUTS and label.quantity not in seen:
            seen.add(label.quantity)
            yield label.quantity, label.row if len(block.rows) == 1 else None
        elif label.quantity not in INPUTS:
            return
        if block.statement is None:
            return
    near = () if _is_result(block) else block.said.near[:1]
    if (
        not seen
        and near
        and near[0] in INPUTS
        and block.shape[1] > 1
        and block.told
        and (starts_in_words or near[0] not in STARTS)
    ):
        yield near[0], None


def entry_texts(block: Block) -> Text | None:
    """A block's entries as a problem file writes them; None if some are no plain numbers."""
    rows = block.rows
    if not rows or len({len(row) for row in rows}) != 1 or block.elided:
        return None
    texts = [[entry_text(node) for node in row] for row in rows]
    if any(text == "" for row in texts for text in row):
        return None
    return [[None if text == "-oo" else text for text in row] for row in texts]


def entry_text(node: Node | None) -> str:
    """A number or a small closed form as a problem file writes it; empty for anything else."""
    match node:
        case Num(printed):
            if printed.special:
                return "-oo" if printed.special == "-oo" else ""
            return decimal_text(printed.value)
        case Negative(operand):
            inner = entry_text(operand)
            return f"-({inner})" if inner else ""
        case Operation(sign, left, right) if sign in "+-*/^":
            first, second = entry_text(left), entry_text(right)
            return f"({first}){sign}({second})" if first and second else ""
        case Call(function, (argument,)) if function in ("sqrt", "log", "exp"):
            inner = entry_text(argument)
            return f"{function}({inner})" if inner else ""
        case Name("pi" | "e" as text):
            return text
    return ""


def decimal_text(value: Fraction) -> str:
    """A rational as a problem file writes it."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{value.numerator}/{value.denominator}"


def rational_of(text: str | None) -> Fraction | None:
    """The number of an entry that is written as a decimal or a fraction; None for a closed form."""
    try:
        return None if text is None else Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
