"""Why a reader's last digit may differ: rows that do not add to 1 as printed, ties, vanishing values, and the other
policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symattn.derive.sections import Worked, written_by_hand
from symattn.errors import SpecError
from symattn.exact.attention import Result
from symattn.exact.numbers import ZERO, from_decimal
from symattn.exact.values import UNDEFINED
from symattn.policies import ByHand, Grid, PrintedResult, both_carried
from symattn.problem import Page
from symattn.rounding import nearest, truncated
from symattn.steps import Printed, Table


@dataclass(frozen=True, slots=True)
class RowSum:
    """A row of weights whose printed numbers do not add to 1."""

    head: int
    row: int
    total: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A printed number that honest work may give otherwise.

    ``begins``: its first decimals, cut off, or with ``exact`` all of them; ``carried``: from the rounded numbers;
    ``to_one``: the same with each row made to add to 1.
    """

    array: str
    head: int
    row: int
    column: int
    begins: str
    printed: str
    nearest: str
    carried: str
    to_one: str
    exact: bool


@dataclass(frozen=True, slots=True)
class Special:
    """A tie, or a number that is not zero and is printed as zero."""

    array: str
    head: int
    row: int
    column: int
    kind: str
    printed: str


@dataclass(frozen=True, slots=True)
class Differences:
    """All that a page may have to say about last digits."""

    sums: tuple[RowSum, ...]
    rows: tuple[Difference, ...]
    specials: tuple[Special, ...]

    def __bool__(self) -> bool:
        return bool(self.sums or self.rows or self.specials)


def differences(worked: Worked, shown: PrintedResult) -> Differences:
    """What differs between the printed numbers of a problem, or of a layer, and the other honest ways to get them."""
    result, page = worked.sections[0].result, worked.problem.page
    if result.symbolic:
        return Differences((), (), ())
    sums = _sums(result, shown) if page.digits == "places" else ()
    return Differences(tuple(sums), tuple(_rows(worked, result, shown, page)), tuple(_specials(result, shown)))


def _by_hand(worked: Worked, result: Result, shown: PrintedResult, page: Page) -> tuple[ByHand, ByHand]:
    """Where a pencil worker arrives, with rows of weights as they are and with rows that add to 1; of a later layer he
    starts from what he has written of the earlier ones.
    """
    if worked.index == 0:
        return both_carried(worked.starts, result, page, shown)
    plain = _ends(written_by_hand(worked, "as-is"))
    return plain, plain if page.digits == "significant" else _ends(written_by_hand(worked, "one"))


def _sums(result: Result, shown: PrintedResult) -> Iterator[RowSum]:
    for index, (head, tables) in enumerate(zip(result.heads, shown.heads, strict=True)):
        for row, line in enumerate(tables.weights):
            if not head.rows[row].exponents or head.sink is not None:
                continue
            texts = [entry.text for entry in line if entry is not None]
            total = sum(map(from_decimal, texts), ZERO)
            if total != 1:
                yield RowSum(index, row, truncated(total, max(len(text.partition(".")[2]) for text in texts)))


def _ends(shown: PrintedResult) -> ByHand:
    weights, outputs = tuple(head.weights for head in shown.heads), tuple(head.output for head in shown.heads)
    return ByHand(weights, outputs, shown.output, shown.residual)


def _tables(result: Result, ends: ByHand) -> Iterator[tuple[str, int, Table, Grid]]:
    for index, (head, weights, output) in enumerate(zip(result.heads, ends.weights, ends.outputs, strict=True)):
        yield "weights", index, head.weights, weights
        yield "output", index, head.output, output
    if len(result.heads) > 1 or result.output is not result.heads[0].output:
        yield "final", 0, result.output, ends.final
    if result.residual is not None and ends.residual is not None:
        yield "residual", 0, result.residual, ends.residual


def _specials(result: Result, shown: PrintedResult) -> Iterator[Special]:
    for array, head, exact, texts in _tables(result, _ends(shown)):
        for i, j in exact.places():
            entry = texts[i][j]
            if entry is not None and (entry.tie or entry.vanishes):
                yield Special(array, head, i, j, "tie" if entry.tie else "zero", entry.text)


def _rows(worked: Worked, result: Result, shown: PrintedResult, page: Page) -> Iterator[Difference]:
    try:
        carried, to_one = _by_hand(worked, result, shown, page)
    except SpecError:
        return  # exponentials that vanish or are too long to be written: no pencil worker gets this far
    ways = (_tables(result, carried), _tables(result, to_one))
    for (array, head, exact, texts), (*_, by_hand), (*_, nudged) in zip(
        _tables(result, _ends(shown)), *ways, strict=True
    ):
        for i, j in exact.places():
            found = [_text(grid[i][j]) for grid in (texts, by_hand, nudged)]
            near = _nearest(texts[i][j])
            if len({*found, near}) > 1 and exact[i, j] is not UNDEFINED:
                fine = nearest(exact[i, j], page.decimals + 2)
                begins = fine.text if fine.exact else truncated(exact[i, j], page.decimals + 2)
                yield Difference(array, head, i, j, begins, found[0], near, found[1], found[2], fine.exact)


def _text(entry: Printed | None) -> str:
    return "" if entry is None else entry.text


def _nearest(entry: Printed | None) -> str:
    return "" if entry is None else entry.nearest
