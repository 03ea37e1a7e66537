"""How a result is printed: ``nearest`` and ``carried``, and rows of weights that add to 1.

``nearest`` rounds each exact value once. ``carried`` is a careful pencil worker: every written quantity is computed
from written ones and rounded once, in this order: query, key, value, scores, scaled (the written score times the exact
scale), exponentials of the written logits without a shift, weights (written exponential over the unrounded sum of
written exponentials), output (the unrounded sum of written weight times written value), each head's output, and the
final output. ``row_sums = "one"`` rounds a row's unrounded quotients so that they add to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias

from symattn.errors import SpecError, Where
from symattn.exact import numbers
from symattn.exact.attention import Head, Projections, Result
from symattn.exact.balls import precision
from symattn.exact.numbers import Number
from symattn.exact.values import MASKED, Plain, Value
from symattn.problem import Page
from symattn.rounding import Rounded, adding_to_one, nearest, significant
from symattn.steps import Printed, Table

Grid: TypeAlias = tuple[tuple[Printed | None, ...], ...]
Written: TypeAlias = list[list[Fraction]]

_LARGEST_WRITTEN_LOGIT: Final = 9000
_LARGEST_PRINTED_LOGIT: Final = 50
MASKED_TEXT: Final = Printed("-oo", "-oo", exact=True)
"""What stands for a masked logit."""


@dataclass(frozen=True, slots=True)
class PrintedHead:
    """What is printed of one head; None stands for an entry with a declared symbol in it."""

    query: Grid
    key: Grid
    value: Grid
    scores: Grid
    scaled: Grid
    logits: Grid
    exponentials: Grid
    weights: Grid
    output: Grid


@dataclass(frozen=True, slots=True)
class PrintedResult:
    """What is printed of all heads, and of the output."""

    heads: tuple[PrintedHead, ...]
    output: Grid


def printed(starts: tuple[Projections, ...], result: Result, page: Page, *, exponentials: bool = True) -> PrintedResult:
    """Every number of a result by the page's policy.

    Args:
        starts: The projections that ``result`` was made from.
        result: The exact result.
        page: Decimals, policy, row sums and ties.
        exponentials: Whether the exponentials are wanted as well; only pages print them.
    Raises:
        SpecError: ``carried`` with decimals so few that a row of exponentials adds to 0.
    """
    near = nearest_result(result, page, exponentials=exponentials)
    if page.rounding == "carried":
        return carried_result(starts, result, page, near)
    return near if page.row_sums == "as-is" else _rows_to_one(result, near, page)


def nearest_result(result: Result, page: Page, *, exponentials: bool = True) -> PrintedResult:
    """Every number correctly rounded."""
    heads = tuple(
        _nearest_head(head, page, exponentials=exponentials, symbolic=result.symbolic) for head in result.heads
    )
    alone = result.output is result.heads[0].output
    return PrintedResult(heads, heads[0].output if alone else grid(result.output, page, symbolic=result.symbolic))


def _rows_to_one(result: Result, near: PrintedResult, page: Page) -> PrintedResult:
    heads = []
    for head, shown in zip(result.heads, near.heads, strict=True):
        rows = zip(head.weights.rows, shown.weights, strict=True)
        heads.append(
            replace(shown, weights=tuple(row if None in row else _to_one(exact, row, page) for exact, row in rows))
        )
    return replace(near, heads=tuple(heads))


def rounded(value: Value | Fraction, page: Page) -> Rounded:
    """The value to the page's places or significant digits."""
    return (significant if page.digits == "significant" else nearest)(value, page.decimals, page.ties)


def one(value: Value, page: Page) -> Printed | None:
    """The value correctly rounded; None if a declared symbol is left in it."""
    return None if value.symbols() else _one(value, page)


def _one(value: Value, page: Page) -> Printed:
    return MASKED_TEXT if value is MASKED else _as_printed(rounded(value, page))


def grid(table: Table, page: Page, *, symbolic: bool = False) -> Grid:
    """Every entry correctly rounded; only a ``symbolic`` result is searched for symbols."""
    if symbolic:
        return table.map(lambda value: one(value, page))
    seen: dict[Number, Printed] = {}

    def printed_once(value: Value) -> Printed:
        if not isinstance(value, Plain) or not isinstance(value.number, Number):
            return _one(value, page)
        if value.number not in seen:
            seen[value.number] = _one(value, page)
        return seen[value.number]

    return table.map(printed_once)


def _as_printed(found: Rounded, near: str | None = None) -> Printed:
    text = found.text
    return Printed(text, text if near is None else near, found.tie, found.vanishes, found.exact)


def row_total(head: Head, shown: PrintedHead, row: int, page: Page) -> str:
    """The sum of a row's exponentials: of the exact ones, rounded once; of the written ones under ``carried``, as it
    is.

    Empty where one of them is not printed.
    """
    if None in shown.exponentials[row]:
        return ""
    if page.rounding == "carried":
        entries = [Fraction(entry.text) for entry in shown.exponentials[row] if entry is not None]
        return _sum_text(sum(entries, Fraction(0)))
    table = exponential_table(head)
    total = reduce(lambda left, right: left + right, table.rows[row])
    return rounded(total, page).text


def _sum_text(total: Fraction) -> str:
    """A sum of decimals with all its places."""
    places = 0
    while (total * 10**places).denominator != 1:
        places += 1
    return nearest(total, places).text


def _exponential_grid(head: Head, page: Page, *, symbolic: bool) -> Grid:
    """The exponentials correctly rounded; None, for its closed form, where one is too long to be read."""
    wide = head.logits.map(lambda value: value is not MASKED and not value.symbols() and _is_large(value))
    table = exponential_table(head)
    if not any(map(any, wide)):
        return grid(table, page, symbolic=symbolic)
    return tuple(
        tuple(None if large else one(value, page) for value, large in zip(*rows, strict=True))
        for rows in zip(table.rows, wide, strict=True)
    )


def _is_large(logit: Value) -> bool:
    with precision(64):
        return bool(logit.ball() > _LARGEST_PRINTED_LOGIT)


def exponential_table(head: Head) -> Table:
    """e^logit of every allowed key, 0 elsewhere."""
    return Table(head.logits.map(lambda value: Plain(numbers.ZERO if value is MASKED else numbers.exp(value.number))))


def _nearest_head(head: Head, page: Page, *, exponentials: bool, symbolic: bool) -> PrintedHead:
    return PrintedHead(
        query=grid(head.query, page, symbolic=symbolic),
        key=grid(head.key, page, symbolic=symbolic),
        value=grid(head.value, page, symbolic=symbolic),
        scores=grid(head.scores, page, symbolic=symbolic),
        scaled=grid(head.scaled, page, symbolic=symbolic),
        logits=grid(head.logits, page, symbolic=symbolic),
        exponentials=_exponential_grid(head, page, symbolic=symbolic) if exponentials else (),
        weights=grid(head.weights, page, symbolic=symbolic),
        output=grid(head.output, page, symbolic=symbolic),
    )


def _to_one(
    quotients: Sequence[Value] | Sequence[Fraction], row: Sequence[Printed | None], page: Page
) -> tuple[Printed | None, ...]:
    """The printed row with the units moved that make it add to 1."""
    units = adding_to_one(quotients, page.decimals)
    return tuple(_moved(entry, count, page.decimals) for entry, count in zip(row, units, strict=True))


def _moved(entry: Printed | None, units: int, places: int) -> Printed | None:
    if entry is None or Fraction(entry.text) == Fraction(units, 10**places):
        return entry
    text = Rounded(units, places).text
    return replace(entry, text=text, tie=False, vanishes=units == 0, exact=False)


def carried_result(starts: tuple[Projections, ...], result: Result, page: Page, near: PrintedResult) -> PrintedResult:
    """The numbers of a pencil worker, beside the correctly rounded ones.

    Raises:
        SpecError: Every written exponential of a row is 0, or one is too long to be written.
    """
    chains = [_chain(head, result, page, shown) for head, shown in zip(result.heads, near.heads, strict=True)]
    return _mixed_result(starts, chains, page, near)


def both_carried(
    starts: tuple[Projections, ...], result: Result, page: Page, near: PrintedResult
) -> tuple[PrintedResult, PrintedResult]:
    """``carried_result`` with rows of weights as they are, and with rows that add to 1.

    With significant digits rows have no common unit, and both are as they are.
    """
    second = "as-is" if page.digits == "significant" else "one"
    chains = [_chain(head, result, page, shown) for head, shown in zip(result.heads, near.heads, strict=True)]
    plain, to_one = (_mixed_result(starts, chains, replace(page, row_sums=sums), near) for sums in ("as-is", second))
    return plain, to_one


def _mixed_result(
    starts: tuple[Projections, ...], chains: list[_Chain], page: Page, near: PrintedResult
) -> PrintedResult:
    heads = tuple(_mixed_head(chain, page, shown) for chain, shown in zip(chains, near.heads, strict=True))
    outputs = [written(head.output) for head in heads]
    joined = [[entry for rows in outputs for entry in rows[i]] for i in range(len(near.output))]
    if starts[0].output_table is None:
        side_by_side = tuple(tuple(entry for head in heads for entry in head.output[i]) for i in range(len(joined)))
        return PrintedResult(heads, side_by_side)
    table = [row for start in starts for row in start.output_table or ()]
    final = [[_weighted(row, column) for column in zip(*table, strict=True)] for row in joined]
    return PrintedResult(heads, _write(final, near.output, page)[0])


@dataclass(frozen=True, slots=True)
class _Chain:
    """One head up to its written exponentials, which do not depend on how rows of weights are rounded."""

    head: PrintedHead
    value: Written
    exponentials: Written


def _chain(head: Head, result: Result, page: Page, near: PrintedHead) -> _Chain:
    query, q = _write(head.query.rows, near.query, page)
    key, k = _write(head.key.rows, near.key, page)
    value, v = _write(head.value.rows, near.value, page)
    scores, s = _write([[_dot(row, other) for other in k] for row in q], near.scores, page)
    scaled, t = _write([[_scaled(entry, result) for entry in row] for row in s], near.scaled, page)
    mask = result.allowed or [[True] * len(k)] * len(q)
    exponentials, e = _write(_exponentials(t, mask), near.exponentials, page)
    logits = tuple(
        tuple(entry if may else MASKED_TEXT for entry, may in zip(row, line, strict=True))
        for row, line in zip(scaled, mask, strict=True)
    )
    return _Chain(PrintedHead(query, key, value, scores, scaled, logits, exponentials, (), ()), v, e)


def _mixed_head(chain: _Chain, page: Page, near: PrintedHead) -> PrintedHead:
    weights, w = _carried_weights(chain.exponentials, near.weights, page)
    mixed = [[_dot(row, column) for column in zip(*chain.value, strict=True)] for row in w]
    return replace(chain.head, weights=weights, output=_write(mixed, near.output, page)[0])


def _write(values: Sequence[Sequence[Value | Fraction]], near: Grid, page: Page) -> tuple[Grid, Written]:
    """Each value rounded once, beside the correctly rounded exact one where that is printed."""
    found = tuple(
        tuple(_written(value, None if not near else near[i][j], page) for j, value in enumerate(row))
        for i, row in enumerate(values)
    )
    return found, written(found)


def _written(value: Value | Fraction, near: Printed | None, page: Page) -> Printed:
    return _as_printed(rounded(value, page), None if near is None else near.nearest)


def written(printed_rows: Grid) -> Written:
    """The written numbers, as numbers."""
    return [[Fraction(entry.text) for entry in row if entry is not None] for row in printed_rows]


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _weighted(row: Sequence[Fraction], column: Sequence[numbers.Exact]) -> Value:
    total = sum((numbers.from_fraction(a) * b for a, b in zip(row, column, strict=True)), numbers.ZERO)
    return Plain(total)


def _scaled(score: Fraction, result: Result) -> Value:
    return Plain(numbers.from_fraction(score) * result.scale)


def _exponentials(logits: Written, mask: Sequence[Sequence[bool]]) -> list[list[Value | Fraction]]:
    return [
        [_exponential(logit) if may else Fraction(0) for logit, may in zip(row, line, strict=True)]
        for row, line in zip(logits, mask, strict=True)
    ]


def _exponential(logit: Fraction) -> Value:
    if logit > _LARGEST_WRITTEN_LOGIT:
        raise SpecError(
            f"the exponential of the written logit {logit.numerator // logit.denominator} is too long to be written",
            mend='use rounding = "nearest", which needs no written exponentials',
            where=Where("page.rounding"),
        )
    return Plain(numbers.exp(numbers.from_fraction(logit)))


def _carried_weights(exponentials: Written, near: Grid, page: Page) -> tuple[Grid, Written]:
    quotients = []
    for index, row in enumerate(exponentials):
        total = sum(row, Fraction(0))
        if total == 0:
            raise SpecError(
                f"every written exponential of row {index} (row {index + 1} on the page) is 0 "
                f"at {page.decimals} decimal{'' if page.decimals == 1 else 's'}",
                mend="keep more decimals",
                where=Where("page.decimals"),
            )
        quotients.append([entry / total for entry in row])
    found, numbers_written = _write(quotients, near, page)
    if page.row_sums == "one":
        found = tuple(_to_one(line, row, page) for line, row in zip(quotients, found, strict=True))
        numbers_written = written(found)
    return found, numbers_written
