"""The results of one head as bit patterns: balls are rounded; the cells that they do not settle, by the exact test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from flint import arb

from symattn.arrays.inputs import Place
from symattn.arrays.reading import numpy
from symattn.errors import SpecError, UndecidedError, Where
from symattn.exact.arrays.cells import LogSum, Row, mean, output, weight
from symattn.exact.arrays.forward import RowBalls, rows
from symattn.exact.arrays.head import power_of_two
from symattn.rounding.ieee import Cell, Format, nearest, of_ball, of_floors, settled

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

GUARD: Final = 40
"""Bits beyond the format's: about one cell in 2^30 is not settled by its first ball, ties apart."""


_SPARE: Final = 24
"""Bits of the units in which floors are taken, beyond the format's: of these and of ``GUARD`` neither runs short."""
_SMALL: Final = 12
"""The same for weights, most of which are far below 1, and all of which are known to as many digits."""


@dataclass(frozen=True)
class Wanted:
    """What is asked for besides the output, and how."""

    form: Format
    weights: bool
    lse: bool
    masked_row: str
    rows: Sequence[int]


@dataclass
class Patterns:
    """Bit patterns of one head: ``output`` (rows, d_v), ``weights`` (rows, n_k), ``lse`` (rows)."""

    output: list[list[int]]
    weights: list[list[int]]
    lse: list[int]


def patterns(place: Place, wanted: Wanted) -> Patterns:
    """Every result of a head, correctly rounded.

    Raises:
        SpecError: A row may attend to nothing, and no rule says what then.
        UndecidedError: A cell under a soft cap is not told from a tie; the error names it.
    """
    head, form = place.head, wanted.form
    zeros = [0] * head.value.length
    found = Patterns(
        [zeros] * head.n_q,
        [[0] * head.n_k] * head.n_q if wanted.weights else [],
        [form.infinity | form.sign] * head.n_q,
    )
    for balls in rows(head, form.digits + GUARD):
        if not place.special.nan_rows[balls.row]:
            _settle_row(place, wanted, balls, found)
    nan = form.nan
    for row in range(head.n_q):
        if place.special.nan_rows[row]:
            found.output[row], found.lse[row] = [nan] * head.value.length, nan
            if wanted.weights:
                found.weights[row] = [nan] * head.n_k
        elif head.is_dead(row):
            _dead_row(place, wanted, row, found)
    return found


def _settle_row(place: Place, wanted: Wanted, balls: RowBalls, found: Patterns) -> None:
    head, form, row = place.head, wanted.form, balls.row
    exact = Row(head, row)
    line = _line(balls.numerators, balls.share, head.value.reach - form.digits - _SPARE, form)
    found.output[row] = [
        pattern if pattern is not None else _settled(output(exact, column), place, wanted, "output", row, column)
        for column, pattern in enumerate(line)
    ]
    if wanted.weights:
        line = _line(balls.exponentials, balls.over, -form.digits - _SPARE - _SMALL, form)
        found.weights[row] = [
            pattern if pattern is not None else _settled(weight(exact, key), place, wanted, "weights", row, key)
            for key, pattern in enumerate(line)
        ]
    if wanted.lse:
        pattern = of_ball(balls.total.log(), form)
        found.lse[row] = pattern if pattern is not None else _settled(LogSum(exact), place, wanted, "lse", row)


def _line(numerators: Sequence[arb], share: arb, exponent: int, form: Format) -> list[int | None]:
    """The patterns of numerator * share: by its floor in units of 2^exponent, else as a ball."""
    scale = share * arb(power_of_two(-exponent))
    found = of_floors(map(arb.unique_fmpz, map(arb.floor, map(scale.__mul__, numerators))), exponent, form)
    if None not in found:
        return found
    return [
        of_ball(numerator * share, form) if pattern is None else pattern
        for numerator, pattern in zip(numerators, found, strict=True)
    ]


def _settled(cell: Cell, place: Place, wanted: Wanted, name: str, row: int, *column: int) -> int:
    try:
        return settled(cell, wanted.form)
    except UndecidedError as undecided:
        raise undecided.located(path=_path(place, wanted, name, row, *column)) from None


def _path(place: Place, wanted: Wanted, name: str, row: int, *column: int) -> str:
    return name + "".join(f"[{index}]" for index in (*place.at, place.number, wanted.rows[row], *column))


def _dead_row(place: Place, wanted: Wanted, row: int, found: Patterns) -> None:
    """A row that may attend to nothing; its log-sum-exp is -inf."""
    head, form = place.head, wanted.form
    if wanted.masked_row == "error":
        raise SpecError(
            "this query may attend to no key",
            mend='unmask one, or say on_masked_row="zero", "uniform" or "nan"',
            where=Where(_path(place, wanted, "query", row)),
        )
    if wanted.masked_row == "zero":
        return
    uniform = wanted.masked_row == "uniform"
    found.output[row] = [
        nearest(mean(head, column), form) if uniform else form.nan for column in range(head.value.length)
    ]
    if wanted.weights:
        found.weights[row] = [nearest(Fraction(1, head.n_k), form) if uniform else form.nan] * head.n_k


def special_outputs(place: Place, output: Array, wanted: Wanted) -> None:
    """Put inf and NaN where a value that a row attends to is one: weights are positive numbers.

    Infinities of both signs, or a NaN, give NaN. A masked key contributes nothing, whatever stands there.
    """
    values, seen = place.special.values, place.special.allowed
    if values is None:
        return
    np = numpy()
    seen = np.ones((place.head.n_q, place.head.n_k), bool) if seen is None else seen.copy()
    if wanted.masked_row == "uniform":
        seen[place.dead_rows] = True
    up, down, lost = (
        seen.astype(np.int64) @ kind(values).astype(np.int64) > 0 for kind in (np.isposinf, np.isneginf, np.isnan)
    )
    kept = ~place.special.nan_rows[:, None]
    output[up & kept] = wanted.form.infinity
    output[down & kept] = wanted.form.infinity | wanted.form.sign
    output[(lost | (up & down)) & kept] = wanted.form.nan
