"""Gradients of a call as bit patterns: balls, and the exact test for the cells that they leave open.

A pass by balls works whole heads, and the exact test of one cell may go over all rows. So passes of twice the bits take
turns with the test, which is asked only where it is cheap at first, and may cost four times as much after each pass: a
row whose gradient is exactly 0 is settled at once, and a saturated softmax, which only needs more bits, by balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from flint import arb, arb_mat

from symattn.arrays.results import GUARD
from symattn.errors import UndecidedError, Where
from symattn.exact.arrays.gradient_cells import ExactGradients
from symattn.exact.arrays.gradients import Graded, GradientBalls, balls
from symattn.rounding.ieee import Format, nearest, of_ball

_LARGEST: Final = 1 << 14
"""Bits at which a cell is called undecided where the exact test says nothing."""
_CHEAP: Final = 1 << 12
"""Terms that the exact test may handle for one cell after the first pass."""

Table: TypeAlias = list[list[int]]
Cell: TypeAlias = tuple[int, int, int]
"""Table (one d_query for each head, then d_key, d_value), row, column."""


@dataclass(frozen=True)
class GradientPatterns:
    """Bit patterns: ``queries`` one (n_q, d_k) for each head, ``key`` (n_k, d_k), ``value`` (n_k, d_v)."""

    queries: list[Table]
    key: Table
    value: Table


def gradient_patterns(sharing: Sequence[Graded], form: Format, place: Callable[[int], str]) -> GradientPatterns:
    """The gradients of heads that share a key head, correctly rounded.

    Args:
        sharing: The heads.
        form: The format.
        place: The indices of a head as text, for an error.
    Raises:
        UndecidedError: A cell is not told from a tie; the error names it.
    """
    bits, budget = form.digits + GUARD, _CHEAP
    tables = _tables(balls(sharing, bits))
    found = [[[of_ball(ball, form) for ball in row] for row in table] for table in tables]
    exact, proved = ExactGradients(sharing), set[Cell]()
    while unsettled := _open(found):
        for at in unsettled:
            if at in proved or exact.cost(*at) > budget:
                continue
            table, row, column = at
            told = exact.verdict(*at)
            if told.number is not None:
                found[table][row][column] = nearest(Fraction(int(told.number.p), int(told.number.q)), form)
            elif told.known:
                proved.add(at)
        unsettled = _open(found)
        bits, budget = 2 * bits, 4 * budget
        if bits > _LARGEST and not proved.issuperset(unsettled):
            raise _undecided(next(at for at in unsettled if at not in proved), len(sharing), place)
        if unsettled:
            tables = _tables(balls(sharing, bits))
            for table, row, column in unsettled:
                found[table][row][column] = of_ball(tables[table][row][column], form)
    *queries, key, value = ([[bits or 0 for bits in row] for row in table] for table in found)
    return GradientPatterns(queries, key, value)


def _undecided(at: Cell, heads: int, place: Callable[[int], str]) -> UndecidedError:
    table, row, column = at
    name = "d_query" if table < heads else "d_key" if table == heads else "d_value"
    return UndecidedError(
        f"whether this gradient is a tie is undecided at {_LARGEST} bits",
        mend="ask for another type",
        where=Where(f"{name}{place(table if table < heads else 0)}[{row}][{column}]"),
    )


def _tables(given: GradientBalls) -> list[list[list[arb]]]:
    return [_rows(table) for table in (*given.queries, given.key, given.value)]


def _rows(table: arb_mat) -> list[list[arb]]:
    entries, width = table.entries(), table.ncols()
    return [entries[start : start + width] for start in range(0, len(entries), width)]


def _open(found: Sequence[Sequence[Sequence[int | None]]]) -> list[Cell]:
    return [
        (table, row, column)
        for table, rows in enumerate(found)
        for row, line in enumerate(rows)
        for column, bits in enumerate(line)
        if bits is None
    ]
