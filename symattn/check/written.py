"""What a page has printed so far, by quantity, head, section and place: what later numbers may have been made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from symattn.check.agreement import stand
from symattn.check.reading.printed import Printed
from symattn.errors import SymattnError
from symattn.exact.values import Value

Verdict = str
Key = tuple[str, int | None, int]

TAINTED: Final = ("propagated", "last_digit", "wrong")
"""Verdicts of a number that is an erratum, or follows from one."""
_REMEMBERED: Final = 4
_MOST_RESULTS: Final = 64


@dataclass(slots=True)
class Judged:
    """A number on the page that has been judged; ``verdict`` is its word of the contract."""

    printed: Printed
    verdict: Verdict

    @property
    def value(self) -> Fraction:
        """The number as it is printed."""
        return self.printed.value


Line = tuple[Judged, ...]


Shares = Callable[[str, "int | None", int, int, int], bool]
"""Of a quantity, a head and two sections: whether some row is the same in both."""


@dataclass(slots=True)
class Written:
    """Every judged number by what it is. A quantity printed again, with other decimals, is one more print of it.

    ``tokens`` are the prints of what a layer reads, by row and column, where the layer before it gave them.
    """

    sections: int = 1
    shares: Shares | None = None
    tokens: Callable[[int, int], Iterator[Judged]] | None = None
    prints: dict[Key, list[dict[tuple[int, int], Judged]]] = field(default_factory=dict)
    results: list[tuple[Value, Judged]] = field(default_factory=list)
    exponentials: list[tuple[Printed, Judged]] = field(default_factory=list)
    is_tainted: bool = False

    def add(self, key: Key, found: dict[tuple[int, int], Judged]) -> None:
        """One block; rows given one by one make one print."""
        self.is_tainted = self.is_tainted or any(judged.verdict in TAINTED for judged in found.values())
        kept = self.prints.setdefault(key, [])
        if kept and not kept[-1].keys() & found.keys():
            kept[-1].update(found)
        else:
            kept.append(dict(found))
            del kept[:-_REMEMBERED]

    def told(self, value: Value, judged: Judged) -> None:
        """A sound number that is the result of what is written before it, and stands for every entry of its value."""
        if len(self.results) < _MOST_RESULTS:
            self.results.append((value, judged))

    def raised(self, argument: Printed, judged: Judged) -> None:
        """What a line gives for e to a printed number."""
        if len(self.exponentials) < _MOST_RESULTS:
            self.exponentials.append((argument, judged))

    def logits(self) -> Iterator[Judged]:
        """Every printed number that e may be raised to."""
        for (quantity, _, _), prints in self.prints.items():
            if quantity in ("scores", "scaled", "capped", "biased", "logits"):
                yield from (judged for cells in prints for judged in cells.values())

    def alike(self, value: Value) -> Iterator[Judged]:
        """Results that are prints of one value, though they may be worked from rounded numbers."""
        for other, judged in self.results:
            try:
                if stand(judged.printed, value) == "correct" or other.equals(value):
                    yield judged
            except (SymattnError, ArithmeticError):
                continue

    def _differs(self, quantity: str, head: int | None, one: int, other: int, row: int) -> bool:
        return self.shares is not None and not self.shares(quantity, head, one, other, row)

    def _prints(
        self, quantity: str, head: int | None, section: int, row: int | None = None
    ) -> Iterator[dict[tuple[int, int], Judged]]:
        """Prints in this section first, then in others: a row that a mask leaves alone is printed once."""
        heads = (head,) if head is None else (head, None)
        for one in (section, *(other for other in range(self.sections) if other != section)):
            if one != section and row is not None and self._differs(quantity, head, section, one, row):
                continue
            for other in heads:
                yield from reversed(self.prints.get((quantity, other, one), ()))

    def rows(self, quantity: str, head: int | None, section: int, row: int, width: int) -> Iterator[Line]:
        """Each print of a whole row, the latest first."""
        for found in self._prints(quantity, head, section, row):
            line = tuple(found[row, column] for column in range(width) if (row, column) in found)
            if len(line) == width:
                yield line

    def parts(self, quantity: str, head: int | None, section: int, row: int, columns: list[int]) -> Iterator[Line]:
        """Each print of some entries of a row and of no others."""
        for found in self._prints(quantity, head, section, row):
            if columns and [column for at, column in sorted(found) if at == row] == columns:
                yield tuple(found[row, column] for column in columns)

    def columns(self, quantity: str, head: int | None, section: int, column: int, height: int) -> Iterator[Line]:
        """Each print of a whole column."""
        for found in self._prints(quantity, head, section):
            line = tuple(found[row, column] for row in range(height) if (row, column) in found)
            if len(line) == height:
                yield line

    def cells(self, quantity: str, head: int | None, section: int, row: int, column: int) -> Iterator[Judged]:
        """Each print of one entry."""
        for found in self._prints(quantity, head, section, row):
            if (row, column) in found:
                yield found[row, column]
