"""A problem worked by a deviation, exactly: each stage of ``exact.attention`` with the choice that the deviation makes.

What a mistake does to the numbers is exact too, so a printed number or an answer that equals it is known to come of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias

from flint import fmpq

from symattn.exact import numbers
from symattn.exact.attention import (
    Head,
    Projections,
    Result,
    added_bias,
    attention,
    elementwise_sum,
    projections,
    scale,
    scores,
    soft_capped,
    table,
)
from symattn.exact.matrix import Matrix, transposed
from symattn.exact.numbers import ONE, ZERO, Exact
from symattn.exact.positions import rotated
from symattn.exact.values import (
    MASKED,
    UNDEFINED,
    LogSum,
    Plain,
    Softmax,
    Total,
    Value,
    Values,
    Weight,
    softmax,
)
from symattn.mistakes.catalogue import Deviation
from symattn.problem import Attention, Mask, Problem, allowed_from, causal_offset
from symattn.steps import Table

Rows: TypeAlias = "tuple[tuple[Any, ...], ...]"
Logits: TypeAlias = "tuple[tuple[Exact | None, ...], ...]"
"""None for a masked key."""
FINITE: Final = fmpq(-10_000)
"""What stands for -oo in code that shuns it."""


def spoiled(problem: Problem, deviation: Deviation) -> Result:
    """A problem with something done otherwise.

    Args:
        problem: What is asked, without regard to its further sections.
        deviation: The choices; ``precision`` and ``gradient`` change nothing exact.
    Returns:
        As ``exact.attention.attention`` has it. A row that is left with nothing allowed, and for which the problem has
        no rule, is undefined.
    """
    starts = _read(problem, deviation)
    options = problem.attention
    right = attention(starts, options)
    factor = factor_by(problem, deviation, right.d_k)
    heads = tuple(_head(start, factor, options, deviation, index) for index, start in enumerate(starts))
    return replace(right, heads=heads, scale=factor, output=_combined(starts, heads, deviation))


def _read(problem: Problem, deviation: Deviation) -> tuple[Projections, ...]:
    """What each head starts from."""
    if deviation.tables != "given":
        names = ("W_Q", "W_K", "W_V", *(("W_O",) if deviation.tables == "transposed_all" else ()))
        tables = {name: getattr(problem, name) for name in names}
        square = {name: rows for name, rows in tables.items() if isinstance(rows, tuple) and len(rows) == len(rows[0])}
        problem = replace(problem, **{name: transposed(rows) for name, rows in square.items()})  # type: ignore[arg-type]
    starts = projections(problem)
    if deviation.heads in ("in", "both"):
        starts = _reshaped(starts)
    if deviation.kv_heads == "tiled":
        shared = {start.kv_head: start for start in starts}
        read = [shared[index % len(shared)] for index in range(len(starts))]
        starts = tuple(
            replace(start, key=other.key, value=other.value, kv_head=other.kv_head)
            for start, other in zip(starts, read, strict=True)
        )
    if deviation.operands == "swapped":
        starts = tuple(replace(start, query=start.key, key=start.query) for start in starts)
    if deviation.value == "key":
        starts = tuple(replace(start, value=start.key) for start in starts)
    return tuple(replace(start, scores=scores(start.query, start.key)) for start in starts)


def _reshaped(starts: tuple[Projections, ...]) -> tuple[Projections, ...]:
    """(n, heads * d) read as (heads, n, d)."""
    shared = {start.kv_head: start for start in starts}
    queries = reshaped([start.query for start in starts])
    keys = reshaped([start.key for start in shared.values()])
    values = reshaped([start.value for start in shared.values()])
    places = {head: place for place, head in enumerate(shared)}
    return tuple(
        replace(start, query=query, key=keys[places[start.kv_head]], value=values[places[start.kv_head]])
        for start, query in zip(starts, queries, strict=True)
    )


def reshaped(heads: list[Rows]) -> list[Rows]:
    """Heads (n, d) side by side, cut row by row into as many tables of the same shape."""
    height, width = len(heads[0]), len(heads[0][0])
    flat = [entry for row in range(height) for head in heads for entry in head[row]]
    lines = [tuple(flat[start : start + width]) for start in range(0, len(flat), width)]
    return [tuple(lines[start : start + height]) for start in range(0, len(lines), height)]


def factor_by(problem: Problem, deviation: Deviation, d_k: int) -> Exact:
    """The factor on scores, by the deviation."""
    if deviation.scale == "one":
        return ONE
    if deviation.scale == "width":
        return fmpq(1, d_k)
    if deviation.scale == "model":
        return numbers.inverse(numbers.root(model_width(problem, d_k)))
    right = scale(problem.attention, d_k)
    return right * right if deviation.scale == "twice" else right


def model_width(problem: Problem, d_k: int) -> int:
    """d_model: the columns of X, or where there is none those of all heads together."""
    return len(problem.X[0]) if problem.X else d_k * problem.attention.num_heads


def _head(start: Projections, factor: Exact, options: Attention, deviation: Deviation, index: int) -> Head:
    n_q, n_k = len(start.query), len(start.key)
    mask = mask_by(options, deviation, n_q, n_k, start.past, index)
    turned, raw = None, start.scores
    if options.rope is not None:
        rope = options.rope
        if deviation.rope == "other":
            rope = replace(rope, interleaved=not rope.interleaved)
        turned = rotated(start.query, rope, start.past), rotated(start.key, rope, 0)
        raw = scores(*turned)
    scaled = tuple(tuple(entry * factor for entry in row) for row in raw)
    cap = None if options.softcap is None else numbers.number(options.softcap)
    capped = None if cap is None or deviation.cap != "given" else soft_capped(scaled, cap)
    bias = added_bias(options, index, n_q, n_k, start.past) if deviation.bias != "ignored" else None
    if bias is not None and deviation.bias == "negated":
        bias = tuple(tuple(-entry for entry in row) for row in bias)
    before = scaled if capped is None else capped
    biased = before if bias is None else elementwise_sum(before, bias)
    logits = _logits(biased, mask, deviation)
    if cap is not None and deviation.cap == "after":
        logits = _capped_after(logits, cap)
    if options.temperature is not None:
        cooling = numbers.inverse(numbers.number(options.temperature))
        logits = tuple(tuple(None if entry is None else entry * cooling for entry in row) for row in logits)
    sink = None if not options.sink else numbers.number(options.sink[index % len(options.sink)])
    seen = mask if deviation.mask in ("replaced", "added") else None
    rows = tuple(softmax(row, sink) for row in logits)
    weights = _weights(logits, rows, mask, options, deviation)
    return Head(
        query=table(start.query),
        key=table(start.key),
        value=table(start.value),
        scores=table(raw),
        scaled=table(scaled),
        logits=Table(tuple(tuple(MASKED if entry is None else Plain(entry) for entry in row) for row in logits)),
        weights=weights,
        output=_mixed(weights, rows, start.value, deviation),
        rows=rows,
        allowed=None if seen is not None else mask,
        rotated=None if turned is None else (table(turned[0]), table(turned[1])),
        capped=None if capped is None else table(capped),
        bias=None if bias is None else table(bias),
        biased=None if bias is None else table(biased),
        lse=Table(tuple((LogSum(row) if row.exponents else MASKED,) for row in rows)) if options.lse else None,
        sink=sink,
    )


def mask_by(options: Attention, deviation: Deviation, n_q: int, n_k: int, past: int, head: int) -> Mask:
    """Who may attend to whom, by the deviation."""
    if deviation.mask == "ignored":
        return ((True,) * n_k,) * n_q
    if deviation.mask == "turned":
        masks = tuple(tuple(tuple(not seen for seen in row) for row in mask) for mask in options.mask)
        options = replace(options, mask=masks)
    found = allowed_from(options, n_q, n_k, past, head, offset(options, deviation, n_q, n_k, past))
    if deviation.mask == "turned_all":
        return tuple(tuple(not seen for seen in row) for row in found)
    return found


def offset(options: Attention, deviation: Deviation, n_q: int, n_k: int, past: int) -> int | None:
    """o in j <= i + o by the deviation; None where no causal mask holds."""
    right = causal_offset(options, n_q, n_k, past)
    if right is None or deviation.causal == "given":
        return right
    other = 0 if right == n_k - n_q else n_k - n_q
    return {"other": other, "strict": right - 1, "no_cache": 0}[deviation.causal]


def _logits(rows: Matrix, mask: Mask, deviation: Deviation) -> Logits:
    """What softmax receives, before cap and temperature: None for a masked key."""
    if deviation.mask == "after":
        return rows
    if deviation.mask in ("replaced", "added"):
        kept = int(deviation.mask == "added")
        return tuple(
            tuple(entry if seen else entry * kept + FINITE for entry, seen in zip(*pair, strict=True))
            for pair in zip(rows, mask, strict=True)
        )
    return tuple(
        tuple(entry if seen else None for entry, seen in zip(*pair, strict=True))
        for pair in zip(rows, mask, strict=True)
    )


def _capped_after(logits: Logits, cap: Exact) -> Logits:
    """The cap on masked logits: cap * tanh(-oo) = -cap, so that a masked key takes weight."""
    return tuple(
        tuple(-cap if entry is None else cap * numbers.tanh(entry * numbers.inverse(cap)) for entry in row)
        for row in logits
    )


def _weights(logits: Logits, rows: tuple[Softmax, ...], mask: Mask, options: Attention, deviation: Deviation) -> Table:
    if deviation.softmax == "none":
        return Table(tuple(tuple(Plain(ZERO if entry is None else entry) for entry in row) for row in logits))
    if deviation.softmax == "queries":
        columns = [softmax(column) for column in zip(*logits, strict=True)]
        found: list[list[Value]] = [
            [Plain(ZERO) if column.groups[query] is None else Weight(column, query) for column in columns]
            for query in range(len(logits))
        ]
    else:
        found = [_row(row, options, deviation) for row in rows]
    if deviation.mask == "after":
        found = [
            [weight if seen else Plain(ZERO) for weight, seen in zip(*pair, strict=True)]
            for pair in zip(found, mask, strict=True)
        ]
    return Table(tuple(map(tuple, found)))


def _row(row: Softmax, options: Attention, deviation: Deviation) -> list[Value]:
    count = len(row.groups)
    if row.exponents:
        return [Weight(row, key) for key in range(count)]
    rule = options.masked_row if deviation.masked_row == "given" else deviation.masked_row
    dead: dict[str, Value] = {"zero": Plain(ZERO), "uniform": Plain(fmpq(1, count))}
    return [dead.get(rule, UNDEFINED)] * count


def _mixed(weights: Table, rows: tuple[Softmax, ...], value: Matrix, deviation: Deviation) -> Table:
    """The weights times the values; rows of a softmax share their sums."""
    values, width = Values(value), len(value[0])
    shared = deviation.softmax == "given" and deviation.mask != "after"

    def mixed(row: Softmax, line: tuple[Value, ...]) -> tuple[Value, ...]:
        if UNDEFINED in line:
            return (UNDEFINED,) * width
        if shared and row.exponents:
            return values.mixed(row)
        return tuple(weighted(line, column) for column in transposed(value))

    return Table(tuple(mixed(row, line) for row, line in zip(rows, weights.rows, strict=True)))


def weighted(terms: tuple[Value, ...], factors: tuple[Exact, ...]) -> Value:
    """The sum of term * factor."""
    if all(isinstance(term, Plain) for term in terms):
        return Plain(sum((term.number * factor for term, factor in zip(terms, factors, strict=True)), ZERO))  # type: ignore[attr-defined]
    kept = [(term, factor) for term, factor in zip(terms, factors, strict=True) if not numbers.is_zero(factor)]
    return Total(tuple(_times(term, factor) for term, factor in kept) or (Plain(ZERO),))


def _times(value: Value, factor: Exact) -> Value:
    """The product; of a sum each term by itself, since a common denominator of all would be long."""
    if isinstance(value, Total):
        return Total(tuple(_times(term, factor) for term in value.terms))
    return value * Plain(factor)


def _combined(starts: tuple[Projections, ...], heads: tuple[Head, ...], deviation: Deviation) -> Table:
    """The heads' outputs side by side, or that times W_O, plus b_O."""
    outputs = [head.output.rows for head in heads]
    if deviation.heads in ("out", "both"):
        lines = [entry for output in outputs for row in output for entry in row]
        width = len(outputs) * len(outputs[0][0])
        beside = [tuple(lines[start : start + width]) for start in range(0, len(lines), width)]
    else:
        beside = [tuple(entry for output in outputs for entry in output[i]) for i in range(len(outputs[0]))]
    if starts[0].output_table is None:
        return Table(tuple(beside))
    mixing = tuple(row for start in starts for row in start.output_table or ())
    bias = starts[0].output_bias or (ZERO,) * len(mixing[0])
    return Table(
        tuple(
            (UNDEFINED,) * len(bias)
            if UNDEFINED in row
            else tuple(
                Total((weighted(row, column), Plain(more)))
                for column, more in zip(transposed(mixing), bias, strict=True)
            )
            for row in beside
        )
    )
