"""A page's statements and tables in reading order, each with the words around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from symattn.check.reading.expressions import FUNCTIONS, Environment, Parser, split_cells
from symattn.check.reading.labels import of_name
from symattn.check.reading.printed import Printed
from symattn.check.reading.tokens import CELL, END, FILLER, ROW, TABLE, Token, tokens
from symattn.check.reading.tree import (
    UNSAID,
    Cell,
    Grid,
    Member,
    Name,
    Node,
    Num,
    Operation,
    Sequence,
    Statement,
    Table,
    numbers_in,
)
from symattn.check.reading.white import blank

Item: TypeAlias = "Statement | Table"
Parts: TypeAlias = tuple[tuple[int, int], ...]
"""Parts of a page in reading order, each from a place up to another."""

_DELIMITER: Final = re.compile(r"\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+")
_TABLES: Final = re.compile(r"(?:tabularx?|longtable|tabulary|array)\*?")
_BORDER: Final = re.compile(r"[\s|+\-=:─━┼├┤┌┐└┘┬┴╭╮╰╯═╪]*")
_PART: Final = r"(?:(?:attention )?heads?|all heads|example|exercise|problem) ?(?:\#?\d{1,3}|together)"
_HEADING: Final = re.compile(
    r"(?:(?P<marks>\#{1,6})\s+(?P<title>[^\n]{1,200})"
    rf"|(?P<plain>{_PART}[^\n]{{0,60}})$|\\(?:textbf|textit|emph)\s?\{{(?P<bold>{_PART}[^\n{{}}]{{0,60}})\}}[.:]?$"
    r"|\\(?P<level>part|chapter|section|subsection|subsubsection|paragraph)\*?\s{0,3}\{(?P<tex>[^\n]{0,200}))"
)
_COUNT: Final = re.compile(r"[1-9]\d?")
_BY: Final = {"divid": "/", "multi": "*", "times": "*"}
_LEVELS: Final = {"part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level, from 1 for the highest, its words, and where it stands."""

    level: int
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as it was read: its items and its headings, and the text that places count in."""

    source: str
    text: str
    items: tuple[Item, ...]
    headings: tuple[Heading, ...]
    lines: tuple[int, ...]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        line = bisect_right(self.lines, offset)
        return line, offset - self.lines[line - 1] + 1

    def line(self, number: int) -> str:
        """A line of the file, counted from 1, without its end."""
        start = self.lines[number - 1]
        end = self.source.find("\n", start)
        return self.source[start : end if end >= 0 else len(self.source)].rstrip("\r")

    def only(self, parts: Parts) -> PageText:
        """The same page with white space for what stands between these parts."""
        if len(parts) == 1:
            return self

        def kept(text: str) -> str:
            ends = [0, *(place for part in parts for place in part), len(text)]
            pieces = [text[first:last] for first, last in pairwise(ends)]
            return "".join(piece if index % 2 else blank(piece) for index, piece in enumerate(pieces))

        def is_in(start: int) -> bool:
            return any(first <= start < last for first, last in parts)

        items = tuple(item for item in self.items if is_in(item.start))
        headings = tuple(heading for heading in self.headings if is_in(heading.start))
        return PageText(kept(self.source), kept(self.text), items, headings, self.lines)

    def before(self, offset: int, most: int = 240) -> str:
        """The words before a place, within its paragraph and the one before."""
        return self.text[max(0, offset - most) : offset]


def page_text(source: str, text: str) -> PageText:
    """What stands on a page.

    Args:
        source: The file's text.
        text: The same length: what is no content of the page is white space in it.
    """
    lines = (0, *(found.end() for found in re.finditer("\n", source)))
    scan = _Scan(text, tokens(text))
    scan.run()
    return PageText(source, text, tuple(_listed(scan.items, text)), _headings(text), lines)


_WIDEST: Final = 24
_SIDES: Final = 60
"""Of one statement."""
_AT: Final = re.compile(r"\d\s+at\s+\$?\s*$")
"""Before a number that only says where another one is read off: ``0.731 at 1, 0.881 at 4``."""
_BETWEEN: Final = re.compile(r"[\s$*`]*(?:[,;]|\\,|\\quad|\\ |[\s$*`])*(?:(?:and|und|et|y|&)[\s$*`]+)?[\s$*`]*")


def _listed(items: list[Item], text: str) -> Iterator[Item]:
    """Numbers that stand beside one another in a sentence, ``0.2, 0.2 and 0.6``, as one list."""
    run: list[Statement] = []
    for item in items:
        if isinstance(item, Statement) and _is_number(item):
            is_place = bool(run) and _AT.search(text[max(0, run[-1].start - _WIDEST) : run[-1].start])
            if run and (is_place or not _goes_on(text, run[-1].end, item.start)):
                yield _list_of(run)
                run = []
            run.append(item)
            continue
        if run:
            yield _list_of(run)
            run = []
        yield item
    if run:
        yield _list_of(run)


def _is_number(item: Statement) -> bool:
    return len(item.members) == 1 and isinstance(item.members[0].node, Num)


def _goes_on(text: str, end: int, start: int) -> bool:
    between = text[end:start]
    if len(between) > _WIDEST or "\n\n" in between or not any(sign in between for sign in (",", ";", "and")):
        return False
    return bool(_BETWEEN.fullmatch(between))


def _list_of(run: list[Statement]) -> Statement:
    if len(run) == 1:
        return run[0]
    nodes = tuple(item.members[0].node for item in run)
    return Statement((Member("", Sequence(nodes, ","), run[0].start, run[-1].end),))


def _headings(text: str) -> tuple[Heading, ...]:
    found = []
    for match in re.finditer(r"^[ \t]{0,3}(?=[#\\aehpAEHP])" + _HEADING.pattern, text, re.MULTILINE | re.IGNORECASE):
        level = len(match["marks"]) if match["marks"] else _LEVELS[match["level"].lower()] + 1 if match["level"] else 7
        title = match["title"] or match["tex"] or match["plain"] or match["bold"] or ""
        found.append(Heading(level, title.replace("}", " ").strip(), match.start()))
    return tuple(found)


def _compared(node: Node) -> tuple[Name, Grid, list[Printed]] | None:
    """A name and the array beside it in a call, as in ``allclose(weights, [[...]])``."""
    match node:
        case Sequence((Name() as name, Grid() as grid, *_)):
            numbers = [*numbers_in(grid)]
            return (name, grid, numbers) if numbers else None
        case Sequence((Name(), Sequence() as inner, *_)):
            return _compared(inner)
    return None


class _Scan:
    """One pass over the tokens."""

    def __init__(self, text: str, found: list[Token]) -> None:
        self.text, self.tokens = text, found
        self.parser = Parser(text, found)
        self.items: list[Item] = []
        self._no_table_before = 0

    def run(self) -> None:
        """Read the whole page."""
        at, end = 0, len(self.tokens)
        fresh = True
        while at < end:
            token = self.tokens[at]
            if token.kind == "line":
                at, fresh = at + 1, True
                continue
            if fresh and self._is_bullet(at, end):
                at += 1
                continue
            after = self._table(at, end, fresh)
            if after > at:
                at = after
                continue
            if fresh:
                after = self._columns(at, end)
                if after > at:
                    at = after
                    continue
            fresh = False
            if self._is_prose(at, end):
                at += 1
                continue
            statement, after = self._statement(at, end)
            if statement is not None:
                self._keep(statement)
            at = max(after, at + 1)

    def _is_bullet(self, at: int, end: int) -> bool:
        """Whether a sign at the head of a line, apart from what follows, marks an item of a list."""
        token = self.tokens[at]
        return token.kind == "operator" and token.text in "+-*" and at + 1 < end and self.tokens[at + 1].spaced

    def _is_prose(self, at: int, end: int) -> bool:
        """Whether a word only goes on with further words or numbers, so that no statement starts with it."""
        token = self.tokens[at]
        if token.kind != "name" or at + 1 >= end or self.tokens[at + 1].kind not in ("name", "number", "separator"):
            return False
        return len(token.text) > 1 and token.text.isascii() and token.text.islower() and token.text not in FUNCTIONS

    def _keep(self, statement: Statement) -> None:
        """A statement that claims something; what claims nothing is kept for its numbers alone. An array beside a name,
        as a call compares them, is what the name stands for.
        """
        node = statement.members[0].node
        compared = _compared(node) if len(statement.members) == 1 else None
        if compared is not None:
            name, grid, numbers = compared
            array = Member("=", grid, numbers[0].start, numbers[-1].end)
            self.items.append(Statement((Member("", name, statement.start, array.start), array)))
            return
        if len(statement.members) > 1 or isinstance(node, (Grid, Sequence, Num)) or any(True for _ in numbers_in(node)):
            self.items.append(statement)

    def _statement(self, at: int, end: int) -> tuple[Statement | None, int]:
        """The statement that starts here, and the token after it."""
        first = self.parser.expression(at, end)
        if first is None:
            return None, at + 1
        node, after = first
        if after <= at:
            return None, at + 1
        members = [Member("", node, self.tokens[at].start, self.tokens[after - 1].end)]
        for _ in range(_SIDES):
            relation = self._relation(after, end)
            if relation is None:
                break
            following = relation + 1
            while following < end and following < relation + 4 and self.tokens[following].kind in ("line", "cell"):
                following += 1
            if following > relation + 1 and self._columns_begin(following, end):
                break
            more = self.parser.expression(following, end)
            if more is None or more[1] <= following:
                break
            sign = self.tokens[relation].text
            members.append(Member(sign, more[0], self.tokens[following].start, self.tokens[more[1] - 1].end))
            after = more[1]
        if len(members) > 1 and self._is_called(at):
            members[0] = replace(members[0], node=UNSAID)
        counted = self._counts(at, node) if len(members) > 1 else None
        if counted is not None:
            members[0] = replace(members[0], node=counted)
        hangs = self._hangs(at) if any(isinstance(member.node, (Grid, Sequence)) for member in members[1:]) else ""
        if hangs:
            members[0] = replace(members[0], node=Operation(hangs, UNSAID, node))
        return Statement(tuple(members)), after

    def _columns_begin(self, at: int, end: int) -> bool:
        """Whether a line of numbers in columns begins here, with one like it below."""
        if self.tokens[at - 1].kind != "line" or self.tokens[at].kind not in ("number", "operator"):
            return False
        last = self._line_end(at, end)
        first = self._number_line(at, last)
        below = self._number_line(last + 1, self._line_end(last + 1, end)) if last + 1 < end else None
        return first is not None and below is not None and len(first) == len(below)

    def _is_called(self, at: int) -> bool:
        """Whether a bracket holds the arguments of the name right before it, ``w(1, 2) = 0.33``: no vector."""
        before = self.tokens[at - 1] if at else None
        return (
            self.tokens[at].text == "(" and not self.tokens[at].spaced and before is not None and before.kind == "name"
        )

    def _counts(self, at: int, node: Node) -> Name | None:
        """The name of what a word counts: ``output 2 = ...`` is no claim on 2."""
        before = self.tokens[at - 1] if at else None
        if (
            before is None
            or before.kind != "name"
            or not isinstance(node, Num)
            or not _COUNT.fullmatch(node.printed.text)
        ):
            return None
        label = of_name(before.text.lower()) if before.text.isalpha() and len(before.text) > 1 else None
        return None if label is None else Name(f"{before.text.lower()}_{node.printed.text}")

    def _hangs(self, at: int) -> str:
        """The sign before a statement that has no left operand: ``/ sqrt(2) = ...``, ``multiplied by V: ...``."""
        words = [token.text.lower() for token in self.tokens[max(0, at - 4) : at]]
        if words and words[-1] in ("*", "/", "times"):
            return "" if words[-2:-1] in ([], ["\n"]) and words[-1] == "*" else words[-1].replace("times", "*")
        if words[-1:] == ["by"]:
            return next((_BY[word[:5]] for word in reversed(words) if word[:5] in _BY), "")
        return ""

    def _relation(self, at: int, end: int) -> int | None:
        """The token of a relation that goes on from here, also in the next line of an aligned display."""
        here = at
        while here < end and here < at + 3 and self.tokens[here].kind in ("line", "cell", "row"):
            here += 1
        if here < end and self.tokens[here].kind == "relation" and self.tokens[here].text != "<":
            return here
        return None

    def _table(self, at: int, end: int, fresh: bool) -> int:
        """The token after a table that starts here; ``at`` where none does."""
        token = self.tokens[at]
        if token.kind == "command" and token.text == "\\begin":
            found = self.parser.environment(at, end)
            if found is not None and _TABLES.fullmatch(found.name):
                return self._environment_table(found, at)
        if token.text == TABLE:
            return self._marked(at, end)
        if fresh and token.kind in ("other", "operator", "name", "number", "command", "open"):
            return self._piped(at, end)
        return at

    def _environment_table(self, found: Environment, at: int) -> int:
        cells = split_cells(self.tokens, found.first, found.last, self.parser.pairs)
        rows = [tuple(self._cell(first, last) for first, last in row) for row in cells]
        if "array" in found.name and not any(_is_wordy(cell) for row in rows for cell in row):
            return at
        self._keep_table(rows, self.tokens[at].start, self.tokens[found.after - 1].end)
        return found.after

    def _keep_table(self, rows: list[tuple[Cell, ...]], start: int, end: int) -> None:
        kept = tuple(row for row in rows if any(cell.text or cell.statements for cell in row))
        if kept:
            self.items.append(Table(kept, start, end))

    def _marked(self, at: int, end: int) -> int:
        """A table of HTML, between the marks that its reader put."""
        here = at + 1
        while here < end and self.tokens[here].text not in (TABLE, END):
            here += 1
        rows: list[tuple[Cell, ...]] = []
        cells: list[Cell] = []
        start = at + 1
        for index in range(at + 1, here):
            if self.tokens[index].text in (CELL, ROW):
                if start < index or self.tokens[index].text == CELL:
                    cells.append(self._cell(start, index))
                if self.tokens[index].text == ROW:
                    rows.append(tuple(cells))
                    cells = []
                start = index + 1
        if cells:
            rows.append(tuple(cells))
        self._keep_table(rows, self.tokens[at].start, self.tokens[max(at, here - 1)].end)
        return here + 1 if here < end and self.tokens[here].text == END else here

    def _line_end(self, at: int, end: int) -> int:
        here = at
        while here < end and self.tokens[here].kind != "line":
            here += 1
        return here

    def _piped(self, at: int, end: int) -> int:
        """A table of Markdown or of plain text: lines of cells between bars."""
        if at < self._no_table_before:
            return at
        lines: list[tuple[int, int]] = []
        here = at
        while here < end:
            last = self._line_end(here, end)
            barred = any(self.tokens[index].text == "|" for index in range(here, last))
            if not barred and not (lines and here < last and self._is_border(here, last)):
                break
            lines.append((here, last))
            here = last + 1
        self._no_table_before = here
        if len(lines) < 2 or (not any(self._is_border(*line) for line in lines[:3]) and not self._is_framed(lines)):
            return at
        rows = [self._bar_cells(*line) for line in lines if not self._is_border(*line)]
        if not rows:
            return at
        self._keep_table(rows, self.tokens[at].start, self.tokens[lines[-1][1] - 1].end)
        return min(lines[-1][1], end)

    def _is_framed(self, lines: list[tuple[int, int]]) -> bool:
        return all(self.tokens[first].text == "|" and self.tokens[last - 1].text == "|" for first, last in lines)

    def _is_border(self, first: int, last: int) -> bool:
        if first >= last:
            return False
        return bool(_BORDER.fullmatch(self.text[self.tokens[first].start : self.tokens[last - 1].end]))

    def _bar_cells(self, first: int, last: int) -> tuple[Cell, ...]:
        cells: list[Cell] = []
        start = first
        if self.tokens[first].text == "|":
            start = first + 1
        for index in range(start, last):
            token = self.tokens[index]
            if token.text == "|" and self.text[token.start - 1] != "\\":
                cells.append(self._cell(start, index))
                start = index + 1
        if start < last:
            cells.append(self._cell(start, last))
        return tuple(cells)

    def _cell(self, first: int, last: int) -> Cell:
        """A cell: its words, and the statements in it."""
        while first < last and self.tokens[first].kind in ("line", "row"):
            first += 1
        while first < last and self.tokens[last - 1].kind in ("line", "row"):
            last -= 1
        if first >= last:
            return Cell("", (), self.tokens[first].start if first < len(self.tokens) else 0)
        found: list[Statement] = []
        at = first
        while at < last:
            statement, after = self._statement(at, last)
            if statement is not None and (
                len(statement.members) > 1 or any(True for _ in numbers_in(statement.members[0].node))
            ):
                found.append(statement)
            at = max(after, at + 1)
        start = self.tokens[first].start
        return Cell(_plain(self.text[start : self.tokens[last - 1].end]), tuple(found), start)

    def _columns(self, at: int, end: int) -> int:
        """Numbers in columns of plain text: two lines or more with as many numbers, after a name or none."""
        rows: list[tuple[Cell, ...]] = []
        here, first = at, at
        header: tuple[Cell, ...] | None = None
        while here < end:
            last = self._line_end(here, end)
            row = self._number_line(here, last)
            if row is None or (rows and len(row) != len(rows[0])):
                break
            rows.append(row)
            here = last + 1
        if len(rows) < 2:
            return at
        if header is not None:
            rows.insert(0, header)
        self._keep_table(rows, self.tokens[first].start, self.tokens[min(here, end) - 2].end)
        return here - 1

    @staticmethod
    def _is_word(token: Token) -> bool:
        return token.kind in ("name", "other") and token.text not in ("|", "...")

    def _number_line(self, first: int, last: int) -> tuple[Cell, ...] | None:
        """A line of at least two numbers and nothing else but a name before them; None for any other line."""
        at = first
        while at < min(last, first + 6) and self._is_word(self.tokens[at]):
            at += 1
        label = Cell(
            _plain(self.text[self.tokens[first].start : self.tokens[at - 1].end]) if at > first else "",
            (),
            self.tokens[first].start if first < last else 0,
        )
        cells = [label]
        while at < last:
            found = self.parser.expression(at, last, listed=True)
            if found is None or not isinstance(found[0], Num):
                return None
            node, after = found
            start = self.tokens[at].start
            member = Member("", node, start, self.tokens[after - 1].end)
            cells.append(Cell(self.text[start : member.end], (Statement((member,)),), start))
            at = after
            while at < last and self.tokens[at].text in (",", ";", "cell"):
                at += 1
        return tuple(cells) if len(cells) > 2 else None


_MARKS: Final = re.compile(r"[*`$_\x1f\\{}]+|text(?:bf|it)|mathbf|emph")


def _plain(text: str) -> str:
    """The words of a cell without the marks of emphasis and mathematics."""
    return " ".join(_MARKS.sub(" ", text).split())


def _is_wordy(cell: Cell) -> bool:
    """Whether a cell holds a word rather than a number."""
    return bool(cell.text) and not cell.statements and any(map(str.isalpha, cell.text))


__all__ = ["FILLER", "Heading", "Item", "Name", "Node", "PageText", "page_text"]
