"""A careful pencil worker: every written quantity is computed from written ones and rounded once.

In this order: query, key, value, scores, scaled (the written score times the exact scale), capped, biased, logits (over
the temperature), exponentials of the written logits without a shift, weights (written exponential over the unrounded
sum of written exponentials), output (the unrounded sum of written weight times written value), each head's output, and
the final output. ``row_sums = "one"`` rounds a row's unrounded quotients so that they add to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from operator import mul
from typing import Any, Final, TypeAlias

from flint import fmpq

from symattn.errors import SpecError, Where
from symattn.exact import numbers
from symattn.exact.attention import Head, Projections, Result
from symattn.exact.numbers import ZERO, Exact
from symattn.exact.positions import rotated
from symattn.exact.values import Exponential, Multiple, Plain, Value
from symattn.policies.nearest import is_whole, to_one
from symattn.policies.printing import (
    MASKED_TEXT,
    UNDEFINED_TEXT,
    Grid,
    PrintedHead,
    PrintedResult,
    Row,
    as_printed,
    rounded,
)
from symattn.problem import Mask, Page
from symattn.rounding import Real, Rounded

Written: TypeAlias = list[list[Rounded]]

_LARGEST_WRITTEN_LOGIT: Final = 9000


def carried_result(starts: tuple[Projections, ...], result: Result, page: Page, near: PrintedResult) -> PrintedResult:
    """The numbers of a pencil worker, beside the correctly rounded ones.

    Raises:
        SpecError: Every written exponential of a row is 0, or one is too long to be written.
    """
    chains = _chains(result, page, near)
    weights = _weights(chains, page, near)
    if page.row_sums == "one":
        weights = _to_one(chains, weights, page)
    found = _by_hand(starts, chains, page, near, weights)
    heads = zip(chains, near.heads, found.weights, found.outputs, strict=True)
    return PrintedResult(tuple(_head(*parts) for parts in heads), found.final, found.residual)


def beside(written: PrintedResult, near: PrintedResult) -> PrintedResult:
    """The written numbers of a layer that read written ones, beside the correctly rounded exact ones."""
    heads = tuple(_head_beside(*pair) for pair in zip(written.heads, near.heads, strict=True))
    residual = None if written.residual is None or near.residual is None else _near(written.residual, near.residual)
    return PrintedResult(heads, _near(written.output, near.output), residual)


def _head_beside(written: PrintedHead, near: PrintedHead) -> PrintedHead:
    found: dict[str, Any] = {}
    for row in fields(PrintedHead):
        grid, other = getattr(written, row.name), getattr(near, row.name)
        if grid and other:
            turned = row.name == "rotated"
            found[row.name] = tuple(map(_near, grid, other)) if turned else _near(grid, other)
    return replace(written, **found)


def _near(written: Grid, near: Grid) -> Grid:
    return tuple(
        tuple(
            entry if entry is None or other is None else entry._replace(nearest=other.nearest)
            for entry, other in zip(*rows, strict=True)
        )
        for rows in zip(written, near, strict=True)
    )


@dataclass(frozen=True, slots=True)
class ByHand:
    """Where a pencil worker arrives: weights and output of each head, the final output, and the tokens plus it."""

    weights: tuple[Grid, ...]
    outputs: tuple[Grid, ...]
    final: Grid
    residual: Grid | None = None


def both_carried(
    starts: tuple[Projections, ...], result: Result, page: Page, near: PrintedResult
) -> tuple[ByHand, ByHand]:
    """The end of ``carried_result`` with rows of weights as they are, and with rows that add to 1.

    With significant digits rows have no common unit, and both are as they are.
    """
    chains = _chains(result, page, near)
    weights = _weights(chains, page, near)
    plain = _by_hand(starts, chains, page, near, weights)
    if page.digits == "significant":
        return plain, plain
    return plain, _by_hand(starts, chains, page, near, _to_one(chains, weights, page), plain)


@dataclass(frozen=True, slots=True)
class _Chain:
    """One head up to its weights before they are rounded, which do not depend on how rows of weights are.

    ``value`` holds the written values' numbers; ``scaled``, ``capped``, ``biased`` and ``cooled`` (over the
    temperature) are the stages that there are; ``quotients[i]`` is None where row i has nothing at all.
    """

    head: Head
    value: list[list[fmpq]]
    rotated: tuple[Written, Written] | None
    scores: Written
    scaled: Written
    capped: Written | None
    biased: Written | None
    cooled: Written | None
    exponentials: Written
    quotients: list[list[fmpq] | None]


def _chains(result: Result, page: Page, near: PrintedResult) -> list[_Chain]:
    return [_chain(head, result, page, shown) for head, shown in zip(result.heads, near.heads, strict=True)]


def _chain(head: Head, result: Result, page: Page, near: PrintedHead) -> _Chain:
    q, k, value = ([_numbers_of(row) for row in rows] for rows in (near.query, near.key, near.value))
    turned = None
    if head.rotated is not None:
        turned = _rotated(q, result.past, result, page), _rotated(k, 0, result, page)
        q, k = map(_numbers, turned)
    scores = _rounded([[_dot(row, other) for other in k] for row in q], page)
    scaled = last = _each(scores, lambda score: Multiple(score, result.scale), page)
    capped = biased = cooled = None
    if result.softcap is not None:
        cap, by = result.softcap, numbers.inverse(result.softcap)
        capped = last = _each(last, lambda score: Plain(cap * numbers.tanh(score * by)), page)
    if head.bias is not None:
        pairs = zip(last, head.bias.rows, strict=True)
        sums = [[Plain(a.number + b.number) for a, b in zip(*rows, strict=True)] for rows in pairs]
        biased = last = _rounded(sums, page)
    if result.temperature is not None:
        cooler = numbers.inverse(result.temperature)
        cooled = last = _each(last, lambda score: Multiple(score, cooler), page)
    powers = _each(last, _exponential, page, head.allowed)
    sink = ZERO if head.sink is None else rounded(Exponential(head.sink), page).number
    quotients = [
        _quotients(row, sink, index, page) if softmax.exponents else None
        for index, (row, softmax) in enumerate(zip(_numbers(powers), head.rows, strict=True))
    ]
    return _Chain(head, value, turned, scores, scaled, capped, biased, cooled, powers, quotients)


def _quotients(powers: list[fmpq], sink: fmpq, row: int, page: Page) -> list[fmpq]:
    """Each written exponential over the unrounded sum of the row's."""
    total = sum(powers, sink)
    if total == 0:
        raise SpecError(
            f"every written exponential of row {row} (row {row + 1} on the page) is 0 "
            f"at {page.decimals} decimal{'' if page.decimals == 1 else 's'}",
            mend="keep more decimals",
            where=Where("page.decimals"),
        )
    return [power / total for power in powers]


def _by_hand(
    starts: tuple[Projections, ...],
    chains: Sequence[_Chain],
    page: Page,
    near: PrintedResult,
    weights: tuple[Grid, ...],
    other: ByHand | None = None,
) -> ByHand:
    """From the weights on; ``near`` has the correctly rounded numbers that stand beside. Rows of weights that are those
    of ``other`` are not mixed again.
    """
    known: Sequence[Sequence[Row | None]] = [[None] * len(rows) for rows in weights]
    if other is not None:
        known = [list(map(_kept, *rows)) for rows in zip(weights, other.weights, other.outputs, strict=True)]
    outputs = tuple(map(partial(_mixed, page), chains, weights, [shown.output for shown in near.heads], known))
    joined = tuple(tuple(entry for row in rows for entry in row) for rows in zip(*outputs, strict=True))
    if starts[0].output_table is None:
        return ByHand(weights, outputs, joined, _residual(starts[0], joined, page, near))
    columns = list(zip(*(row for start in starts for row in start.output_table or ()), strict=True))
    bias = starts[0].output_bias or (ZERO,) * len(columns)
    final = []
    for line, shown in zip(joined, near.output, strict=True):
        if UNDEFINED_TEXT not in line:
            shown = _line(map(partial(_weighted, _numbers_of(line)), columns, bias), shown, page)
        final.append(shown)
    return ByHand(weights, outputs, tuple(final), _residual(starts[0], tuple(final), page, near))


def _residual(start: Projections, final: Grid, page: Page, near: PrintedResult) -> Grid | None:
    """The tokens plus the written output, rounded once; None where they are not added."""
    if start.residual is None or near.residual is None:
        return None
    found = []
    for tokens, line, shown in zip(start.residual, final, near.residual, strict=True):
        if UNDEFINED_TEXT not in line:
            pairs = zip(tokens, _numbers_of(line), strict=True)
            shown = _line([Plain(token + number) for token, number in pairs], shown, page)
        found.append(shown)
    return tuple(found)


def _kept(row: Row, before: Row, after: Row) -> Row | None:
    """The output that belongs to the row of weights if that is what it was before."""
    return after if row == before else None


def _weights(chains: Sequence[_Chain], page: Page, near: PrintedResult) -> tuple[Grid, ...]:
    """The written weights of each head, each rounded once."""
    return tuple(
        tuple(
            shown if quotients is None else _line(quotients, shown, page)
            for quotients, shown in zip(chain.quotients, head.weights, strict=True)
        )
        for chain, head in zip(chains, near.heads, strict=True)
    )


def _to_one(chains: Sequence[_Chain], weights: tuple[Grid, ...], page: Page) -> tuple[Grid, ...]:
    """The written weights of each head, rounded so that each row adds to 1."""

    def moved(chain: _Chain, grid: Grid) -> Grid:
        rows = zip(chain.quotients, chain.head.weights.rows, grid, strict=True)
        return tuple(
            to_one(exact if quotients is None else quotients, line, page) if is_whole(chain.head, exact, line) else line
            for quotients, exact, line in rows
        )

    return tuple(map(moved, chains, weights))


def _mixed(page: Page, chain: _Chain, weights: Grid, near: Grid, known: Sequence[Row | None]) -> Grid:
    """The written output of one head."""
    columns = list(zip(*chain.value, strict=True))
    output = []
    for line, after, found in zip(weights, near, known, strict=True):
        if found is None and UNDEFINED_TEXT not in line:
            row = _numbers_of(line)
            found = _line((_dot(row, column) for column in columns), after, page)
        output.append(after if found is None else found)
    return tuple(output)


def _numbers_of(line: Row) -> list[fmpq]:
    """The numbers of a printed row."""
    return [numbers.from_decimal(entry.text) for entry in line if entry is not None]


def _head(chain: _Chain, near: PrintedHead, weights: Grid, output: Grid) -> PrintedHead:
    """All that is printed of one head."""
    turned = None
    if chain.rotated is not None and near.rotated is not None:
        turned = _beside(chain.rotated[0], near.rotated[0]), _beside(chain.rotated[1], near.rotated[1])
    scaled = _beside(chain.scaled, near.scaled)
    capped = None if chain.capped is None else _beside(chain.capped, near.capped)
    biased = None if chain.biased is None else _beside(chain.biased, near.biased)
    last = biased or capped or scaled
    if chain.cooled is not None:
        last = _beside(chain.cooled, near.logits)
    return PrintedHead(
        near.query,
        near.key,
        near.value,
        _beside(chain.scores, near.scores),
        scaled,
        _masked(last, chain.head.allowed),
        _beside(chain.exponentials, near.exponentials),
        weights,
        output,
        turned,
        capped,
        biased,
        near.lse,
    )


def _masked(grid: Grid, mask: Mask | None) -> Grid:
    if mask is None:
        return grid
    rows = zip(grid, mask, strict=True)
    return tuple(tuple(e if may else MASKED_TEXT for e, may in zip(*row, strict=True)) for row in rows)


def _line(values: Iterable[Real], near: Row, page: Page) -> Row:
    """Each value rounded once, beside the correctly rounded exact one."""
    return tuple(
        as_printed(rounded(value, page), None if shown is None else shown.nearest)
        for value, shown in zip(values, near, strict=True)
    )


def _beside(rows: Written, near: Grid | None) -> Grid:
    """Written numbers beside the correctly rounded exact ones, where these are printed."""
    if not near:
        return tuple(tuple(map(as_printed, row)) for row in rows)
    return tuple(
        tuple(as_printed(entry, None if shown is None else shown.nearest) for entry, shown in zip(*pair, strict=True))
        for pair in zip(rows, near, strict=True)
    )


def _rounded(values: Sequence[Sequence[Real]], page: Page) -> Written:
    return [[rounded(value, page) for value in row] for row in values]


def _each(rows: Written, function: Callable[[fmpq], Value], page: Page, mask: Mask | None = None) -> Written:
    """The function of each written number, rounded once; equal numbers are worked once, masked ones are 0."""
    made: dict[Rounded, Rounded] = {}
    hidden = rounded(ZERO, page)

    def written(entry: Rounded) -> Rounded:
        if entry not in made:
            made[entry] = rounded(function(entry.number), page)
        return made[entry]

    return [
        [written(entry) if mask is None or mask[i][j] else hidden for j, entry in enumerate(row)]
        for i, row in enumerate(rows)
    ]


def _numbers(rows: Written) -> list[list[fmpq]]:
    return [[entry.number for entry in row] for row in rows]


def _rotated(rows: list[list[fmpq]], first: int, result: Result, page: Page) -> Written:
    assert result.rope is not None  # noqa: S101 - only then are there rotated rows
    exact = tuple(map(tuple, rows))
    return [[rounded(Plain(entry), page) for entry in row] for row in rotated(exact, result.rope, first)]


def _dot(left: Sequence[fmpq], right: Sequence[fmpq]) -> fmpq:
    return sum(map(mul, left, right), ZERO)


def _weighted(row: Sequence[fmpq], column: Sequence[Exact], more: Exact) -> Value:
    return Plain(sum((a * b for a, b in zip(row, column, strict=True)), more))


def _exponential(logit: fmpq) -> Value:
    if logit > _LARGEST_WRITTEN_LOGIT:
        raise SpecError(
            f"the exponential of the written logit {logit.floor()} is too long to be written",
            mend='use rounding = "nearest", which needs no written exponentials',
            where=Where("page.rounding"),
        )
    return Exponential(logit)
