"""What is printed: grids of printed numbers, and how one number becomes one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from symattn.errors import UndecidedError
from symattn.exact import numbers
from symattn.exact.values import MASKED, UNDEFINED, Value
from symattn.problem import Page
from symattn.rounding import Real, Rounded, nearest, significant
from symattn.steps import Printed, Table

Row: TypeAlias = tuple[Printed | None, ...]
Grid: TypeAlias = tuple[Row, ...]
"""Printed numbers; None stands for an entry with a declared symbol in it."""

MASKED_TEXT: Final = Printed("-oo", "-oo", exact=True)
"""What stands for a masked logit."""
UNDEFINED_TEXT: Final = Printed("nan", "nan", exact=True)
"""What stands for a number that a row with nothing allowed does not have."""


@dataclass(frozen=True, slots=True)
class PrintedHead:
    """What is printed of one head."""

    query: Grid
    key: Grid
    value: Grid
    scores: Grid
    scaled: Grid
    logits: Grid
    exponentials: Grid
    weights: Grid
    output: Grid
    rotated: tuple[Grid, Grid] | None = None
    capped: Grid | None = None
    biased: Grid | None = None
    lse: Grid | None = None


@dataclass(frozen=True, slots=True)
class PrintedResult:
    """What is printed of all heads, of the output, and of the tokens plus the output."""

    heads: tuple[PrintedHead, ...]
    output: Grid
    residual: Grid | None = None

    @property
    def whole(self) -> Grid:
        """What a next layer reads."""
        return self.output if self.residual is None else self.residual


def rounded(value: Real, page: Page) -> Rounded:
    """The value to the page's places or significant digits."""
    return (significant if page.digits == "significant" else nearest)(value, page.decimals, page.ties)


def one(value: Value, page: Page) -> Printed | None:
    """The value correctly rounded; None if a declared symbol is left in it."""
    return None if value.symbols() else certified(value, page)


def certified(value: Value, page: Page) -> Printed:
    """The value correctly rounded; it holds no symbol."""
    if value is MASKED:
        return MASKED_TEXT
    return UNDEFINED_TEXT if value is UNDEFINED else as_printed(rounded(value, page))


@dataclass(frozen=True, slots=True)
class Seen:
    """What was rounded already: numbers by what only equal ones share, and whole tables."""

    numbers: dict[Hashable, Printed] = field(default_factory=dict)
    grids: dict[Table, Grid] = field(default_factory=dict)


class Printer:
    """Prints tables; a table, a number or a weight of a row that occurs again is rounded once."""

    def __init__(self, page: Page, seen: Seen, *, symbolic: bool) -> None:
        self._page, self._seen, self.symbolic = page, seen, symbolic

    def grid(self, table: Table, name: str = "") -> Grid:
        """Every entry correctly rounded; only a ``symbolic`` result is searched for symbols.

        Raises:
            UndecidedError: An entry that no precision settles; ``name`` is how the message calls the table.
        """
        found = self._seen.grids.get(table)
        if found is None:
            found = self._seen.grids[table] = self._grid(table, name)
        return found

    def _grid(self, table: Table, name: str) -> Grid:
        rounded_once = self._searched if self.symbolic else self._printed
        found: list[list[Printed | None]] = []
        try:
            for row in table.rows:
                line: list[Printed | None] = []
                found.append(line)
                for value in row:
                    line.append(rounded_once(value))  # noqa: PERF401 - its length tells where an error is
        except UndecidedError as error:
            raise error.located(path=f"{name}[{len(found) - 1}][{len(found[-1])}]" if name else None) from None
        return tuple(map(tuple, found))

    def _searched(self, value: Value) -> Printed | None:
        return one(value, self._page)

    def _printed(self, value: Value) -> Printed:
        key = value.identity()
        if key is None:
            return certified(value, self._page)
        found = self._seen.numbers.get(key)
        if found is None:
            found = self._seen.numbers[key] = certified(value, self._page)
        return found


def grid(table: Table, page: Page, *, symbolic: bool = False) -> Grid:
    """Every entry of one table correctly rounded."""
    return Printer(page, Seen(), symbolic=symbolic).grid(table)


def as_printed(found: Rounded, near: str | None = None) -> Printed:
    """A rounded number, beside the correctly rounded exact one where that is another."""
    text = found.text
    return Printed(text, text if near is None else near, found.tie, found.vanishes, found.exact)


def add_to_one(texts: Iterable[str]) -> bool:
    """Whether printed numbers add to exactly 1."""
    return bool(sum(map(numbers.from_decimal, texts), numbers.ZERO) == 1)
