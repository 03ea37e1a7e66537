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
from symattn.exact.positions import rotated
from symattn.exact.values import MASKED, UNDEFINED, Plain, Value
from symattn.problem import Page
from symattn.rounding import Rounded, adding_to_one, nearest, significant
from symattn.steps import Printed, Table

Grid: TypeAlias = tuple[tuple[Printed | None, ...], ...]
Written: TypeAlias = list[list[Fraction]]

_LARGEST_WRITTEN_LOGIT: Final = 9000
_LARGEST_PRINTED_LOGIT: Final = 50
MASKED_TEXT: Final = Printed("-oo", "-oo", exact=True)
"""What stands for a masked logit."""
UNDEFINED_TEXT: Final = Printed("nan", "nan", exact=True)
"""What stands for a number that a row with nothing allowed does not have."""


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
    rotated: tuple[Grid, Grid] | None = None
    capped: Grid | None = None
    biased: Grid | None = None
    lse: Grid | None = None


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
    """Rows that add to 1, so printed: with a sink none does, and a row with nothing allowed may be 0 or undefined."""
    heads = []
    for head, shown in zip(result.heads, near.heads, strict=True):
        rows = zip(head.weights.rows, shown.weights, strict=True)
        weights = tuple(_to_one(exact, row, page) if _is_whole(head, exact, row) else row for exact, row in rows)
        heads.append(replace(shown, weights=weights))
    return replace(near, heads=tuple(heads))


def _is_whole(head: Head, exact: Sequence[Value], row: Sequence[Printed | None]) -> bool:
    hollow = UNDEFINED in exact or all(entry is not None and entry.text == "0" for entry in row)
    return head.sink is None and None not in row and not hollow


def rounded(value: Value | Fraction, page: Page) -> Rounded:
    """The value to the page's places or significant digits."""
    return (significant if page.digits == "significant" else nearest)(value, page.decimals, page.ties)


def one(value: Value, page: Page) -> Printed | None:
    """The value correctly rounded; None if a declared symbol is left in it."""
    return None if value.symbols() else _one(value, page)


def _one(value: Value, page: Page) -> Printed:
    if value is MASKED:
        return MASKED_TEXT
    return UNDEFINED_TEXT if value is UNDEFINED else _as_printed(rounded(value, page))


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
    sink = None if head.sink is None else Plain(numbers.exp(head.sink))
    if page.rounding == "carried":
        entries = [Fraction(entry.text) for entry in shown.exponentials[row] if entry is not None]
        return _sum_text(sum(entries, Fraction(0) if sink is None else rounded(sink, page).fraction))
    terms = [*exponential_table(head).rows[row], *([] if sink is None else [sink])]
    return rounded(reduce(lambda left, right: left + right, terms), page).text


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
    def shown(rows: Table) -> Grid:
        return grid(rows, page, symbolic=symbolic)

    return PrintedHead(
        query=shown(head.query),
        key=shown(head.key),
        value=shown(head.value),
        scores=shown(head.scores),
        scaled=shown(head.scaled),
        logits=shown(head.logits),
        exponentials=_exponential_grid(head, page, symbolic=symbolic) if exponentials else (),
        weights=shown(head.weights),
        output=shown(head.output),
        rotated=None if head.rotated is None else (shown(head.rotated[0]), shown(head.rotated[1])),
        capped=None if head.capped is None else shown(head.capped),
        biased=None if head.biased is None else shown(head.biased),
        lse=None if head.lse is None else shown(head.lse),
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
    outputs = [[[] if UNDEFINED_TEXT in row else written((row,))[0] for row in head.output] for head in heads]
    joined = [[entry for rows in outputs for entry in rows[i]] for i in range(len(near.output))]
    if starts[0].output_table is None:
        side_by_side = tuple(tuple(entry for head in heads for entry in head.output[i]) for i in range(len(joined)))
        return PrintedResult(heads, side_by_side)
    table = [row for start in starts for row in start.output_table or ()]
    bias = starts[0].output_bias or (numbers.ZERO,) * len(table[0])
    final = [
        [_weighted(row, column, more) for column, more in zip(zip(*table, strict=True), bias, strict=True)]
        if len(row) == len(table)
        else []
        for row in joined
    ]
    found = _write(final, near.output, page)[0]
    return PrintedResult(heads, tuple(line or shown for line, shown in zip(found, near.output, strict=True)))


@dataclass(frozen=True, slots=True)
class _Chain:
    """One head up to its written exponentials, which do not depend on how rows of weights are rounded.

    ``sink`` is the written exponential of the sink, 0 where there is none; ``empty[i]`` tells that row i has nothing at
    all.
    """

    head: PrintedHead
    value: Written
    exponentials: Written
    sink: Fraction
    empty: tuple[bool, ...]


def _chain(head: Head, result: Result, page: Page, near: PrintedHead) -> _Chain:
    query, q = _write(head.query.rows, near.query, page)
    key, k = _write(head.key.rows, near.key, page)
    value, v = _write(head.value.rows, near.value, page)
    turned = None
    if head.rotated is not None and near.rotated is not None:
        (rotated_query, q), (rotated_key, k) = (
            _write(_rotated(rows, first, result), shown, page)
            for rows, first, shown in ((q, result.past, near.rotated[0]), (k, 0, near.rotated[1]))
        )
        turned = rotated_query, rotated_key
    scores, s = _write([[_dot(row, other) for other in k] for row in q], near.scores, page)
    scaled, t = _write([[_times(entry, result.scale) for entry in row] for row in s], near.scaled, page)
    capped = biased = None
    if head.capped is not None and near.capped is not None and result.softcap is not None:
        capped, t = _write([[_capped(entry, result.softcap) for entry in row] for row in t], near.capped, page)
    if head.bias is not None and head.biased is not None and near.biased is not None:
        sums = [
            [_plus(a, b.number) for a, b in zip(*rows, strict=True)] for rows in zip(t, head.bias.rows, strict=True)
        ]
        biased, t = _write(sums, near.biased, page)
    mask = head.allowed or [[True] * len(k)] * len(q)
    last = biased or capped or scaled
    if result.temperature is not None:
        by = numbers.inverse(result.temperature)
        last, t = _write([[_times(entry, by) for entry in row] for row in t], _unmasked(near.logits), page)
    exponentials, e = _write(_exponentials(t, mask), near.exponentials, page)
    logits = tuple(
        tuple(entry if may else MASKED_TEXT for entry, may in zip(row, line, strict=True))
        for row, line in zip(last, mask, strict=True)
    )
    sink = Fraction(0) if head.sink is None else rounded(Plain(numbers.exp(head.sink)), page).fraction
    shown = PrintedHead(
        query, key, value, scores, scaled, logits, exponentials, (), (), turned, capped, biased, near.lse
    )
    return _Chain(shown, v, e, sink, tuple(not row.exponents for row in head.rows))


def _unmasked(near: Grid) -> Grid:
    """Correctly rounded logits beside which written ones stand; a masked one has none."""
    return tuple(tuple(None if entry is MASKED_TEXT else entry for entry in row) for row in near)


def _rotated(rows: Written, first: int, result: Result) -> list[list[Value]]:
    assert result.rope is not None  # noqa: S101 - only then are there rotated rows
    exact = tuple(tuple(map(numbers.from_fraction, row)) for row in rows)
    return [[Plain(entry) for entry in row] for row in rotated(exact, result.rope, first)]


def _mixed_head(chain: _Chain, page: Page, near: PrintedHead) -> PrintedHead:
    weights, w = _carried_weights(chain, near.weights, page)
    mixed = [[_dot(row, column) for column in zip(*chain.value, strict=True)] if row else [] for row in w]
    found = _write(mixed, near.output, page)[0]
    output = tuple(line if row else shown for row, line, shown in zip(w, found, near.output, strict=True))
    return replace(chain.head, weights=weights, output=output)


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


def _weighted(row: Sequence[Fraction], column: Sequence[numbers.Exact], more: numbers.Exact) -> Value:
    return Plain(sum((numbers.from_fraction(a) * b for a, b in zip(row, column, strict=True)), more))


def _times(entry: Fraction, factor: numbers.Exact) -> Value:
    return Plain(numbers.from_fraction(entry) * factor)


def _plus(entry: Fraction, more: numbers.Exact) -> Value:
    return Plain(numbers.from_fraction(entry) + more)


def _capped(entry: Fraction, cap: numbers.Exact) -> Value:
    return Plain(cap * numbers.tanh(numbers.from_fraction(entry) * numbers.inverse(cap)))


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


def _carried_weights(chain: _Chain, near: Grid, page: Page) -> tuple[Grid, Written]:
    """Written exponential over the sum of the row's; a row with nothing allowed keeps what the options say of it.

    Such a row's written numbers are the correctly rounded ones, or none where they are undefined.
    """
    found: list[tuple[Printed | None, ...]] = []
    for index, row in enumerate(chain.exponentials):
        if chain.empty[index]:
            found.append(near[index])
            continue
        total = sum(row, chain.sink)
        if total == 0:
            raise SpecError(
                f"every written exponential of row {index} (row {index + 1} on the page) is 0 "
                f"at {page.decimals} decimal{'' if page.decimals == 1 else 's'}",
                mend="keep more decimals",
                where=Where("page.decimals"),
            )
        quotients = [entry / total for entry in row]
        line = _write([quotients], (near[index],), page)[0][0]
        found.append(_to_one(quotients, line, page) if page.row_sums == "one" and not chain.sink else line)
    return tuple(found), [[] if UNDEFINED_TEXT in row else written((row,))[0] for row in found]
