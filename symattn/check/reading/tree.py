"""What a page says, as frozen trees: numbers, names, lists, grids and the operations between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from symattn.check.reading.printed import Printed


@dataclass(frozen=True, slots=True)
class Num:
    """A number as printed."""

    printed: Printed


@dataclass(frozen=True, slots=True)
class Name:
    """A letter with its subscripts, or a word: ``Q``, ``W_Q``, ``d_k``, ``weights``."""

    text: str


UNSAID: Final = Name("…")
"""An operand that stands elsewhere: what a line that begins with ``/ sqrt(2)`` divides."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items in brackets, or beside one another; None where one is left out."""

    items: tuple[Node | None, ...]
    brackets: str = "["


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of entries; None for an empty cell or one that holds no number.

    ``trimmed``: an array print whose zeros at the end are left out. ``elided``: rows or entries are left out by dots,
    and ``None`` stands for a row of them.
    """

    rows: tuple[tuple[Node | None, ...] | None, ...]
    trimmed: bool = False
    elided: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """``+ - * / ^`` of two operands."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Negative:
    """Minus an operand."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function's name, in small letters, with its arguments: ``softmax``, ``exp``, ``sqrt``, ``transpose``."""

    function: str
    arguments: tuple[Node, ...]


Node: TypeAlias = Num | Name | Sequence | Grid | Operation | Negative | Call


@dataclass(frozen=True, slots=True)
class Member:
    """One side of a statement: what stands before it (``""``, ``=``, ``~`` or ``>``), and from where to where it is."""

    relation: str
    node: Node
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """Sides with relations between them: ``Q = K = [[1, 0]]``; a single side where nothing is claimed."""

    members: tuple[Member, ...]

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.members[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.members[-1].end


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: its text without marks, and the statements in it."""

    text: str
    statements: tuple[Statement, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table with names above or beside its numbers."""

    rows: tuple[tuple[Cell, ...], ...]
    start: int
    end: int


def numbers_in(node: Node | None) -> Iterator[Printed]:
    """Every printed number of a tree, in reading order."""
    stack: list[Node | None] = [node]
    while stack:
        found = stack.pop()
        match found:
            case Num(printed):
                yield printed
            case Sequence(items):
                stack.extend(reversed(items))
            case Grid(rows):
                stack.extend(entry for row in reversed(rows) for entry in reversed(row or ()))
            case Operation(_, left, right):
                stack.extend((right, left))
            case Negative(operand):
                stack.append(operand)
            case Call(_, arguments):
                stack.extend(reversed(arguments))


def entry(node: Node | None) -> Printed | None:
    """The number that an entry is; None where it is something else."""
    return node.printed if isinstance(node, Num) else None
