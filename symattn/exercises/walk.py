"""The walk from queries to output in intervals: exactly, and with every honest rounding of a pencil.

A pencil that keeps d decimals writes each number with at least d decimals, so a written number lies within half a unit
of the d-th place of what it was worked out from; a number with at most d decimals is written as it is. Intervals hold
every path at once: numbers kept with more decimals, midpoints rounded either way, scores multiplied by a rounded
1/sqrt(d_k) or divided by a rounded sqrt(d_k), sums of exponentials and products with values written down or not. A
pencil of None decimals writes exact numbers, and the intervals are then 10^-28 or so wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import mul
from typing import Any, Final, TypeAlias

from flint import fmpq

from symattn.exact import numbers
from symattn.exact.attention import added_bias
from symattn.exact.numbers import Exact
from symattn.exact.positions import rotated
from symattn.exercises import fixed
from symattn.exercises.draw import Drawn, Rows
from symattn.exercises.fixed import UNIT, Interval, Number, point
from symattn.mistakes.catalogue import RIGHT, Deviation
from symattn.mistakes.spoiled import factor_by, mask_by, reshaped
from symattn.parse.shapes import head_width
from symattn.problem import Attention, Mask, Problem

Line: TypeAlias = "list[Interval]"
_MOST_KEPT: Final = 200_000


@dataclass(frozen=True, slots=True)
class Pencil:
    """How many decimals are kept on the way; None for exact numbers."""

    decimals: int | None = None

    @property
    def half(self) -> int:
        """Half a unit in the last place that is kept, in units of 10^-30."""
        return 0 if self.decimals is None else UNIT // 10**self.decimals // 2

    @property
    def grain(self) -> int:
        """What written numbers are multiples of."""
        return 1 if self.decimals is None else UNIT // 10**self.decimals

    def written(self, interval: Interval) -> Interval:
        """What may be written for a number of the interval."""
        half = self.half
        if not half or fixed.has_places(interval, self.grain):
            return interval
        return interval[0] - half, interval[1] + half


@dataclass(frozen=True, slots=True)
class Start:
    """One head before its scores: queries, keys and values as numbers, and the exact scores.

    ``whole``: queries and keys are integers.
    """

    query: Rows
    key: Rows
    value: Rows
    scores: Rows
    whole: bool


def _product(left: Rows, right: Rows) -> Rows:
    columns = tuple(zip(*right, strict=True))
    return tuple([tuple([sum(map(mul, row, column)) for column in columns]) for row in left])


def starts(found: Drawn, options: Attention, deviation: Deviation = RIGHT) -> tuple[Start, ...]:
    """Each head's queries, keys, values and scores, by a deviation."""
    turned = deviation.tables != "given"
    past_key, past_value = found.arrays.get("past_key") or (), found.arrays.get("past_value") or ()
    query = _projected(found, "Q", turned)
    key = (*past_key, *_projected(found, "K", turned))
    value = (*past_value, *_projected(found, "V", turned))
    heads, kv_heads = options.num_heads, options.kv_heads
    if heads == 1:
        return (_start(query, key, value, options, deviation, len(past_key)),)
    queries, keys, values = _cut(query, heads), _cut(key, kv_heads), _cut(value, kv_heads)
    if deviation.heads in ("in", "both"):
        queries, keys, values = reshaped(queries), reshaped(keys), reshaped(values)
    tiled = deviation.kv_heads == "tiled"
    read = [head % kv_heads if tiled else head * kv_heads // heads for head in range(heads)]
    return tuple(
        _start(queries[head], keys[read[head]], values[read[head]], options, deviation, len(past_key))
        for head in range(heads)
    )


def _cut(rows: Rows, count: int) -> list[Rows]:
    width = len(rows[0]) // count
    return [tuple(row[head * width : (head + 1) * width] for row in rows) for head in range(count)]


def _start(q: Rows, k: Rows, v: Rows, options: Attention, deviation: Deviation, past: int) -> Start:
    if deviation.operands == "swapped":
        q, k = k, q
    if deviation.value == "key":
        v = k
    if options.rope is not None:
        other = deviation.rope == "other"
        rope = replace(options.rope, interleaved=not options.rope.interleaved) if other else options.rope
        q, k = rotated(_exact(q), rope, past), rotated(_exact(k), rope, 0)
    whole = all(type(entry) is int for rows in (q, k) for row in rows for entry in row)
    return Start(q, k, v, _product(q, tuple(zip(*k, strict=True))), whole)


def _exact(rows: Rows) -> tuple[tuple[Exact, ...], ...]:
    return tuple(tuple(fmpq(entry) if isinstance(entry, int) else entry for entry in row) for row in rows)


def _projected(found: Drawn, direct: str, turned: bool) -> Rows:
    arrays = found.arrays
    given = arrays.get(direct)
    if given is not None:
        return given
    source = arrays["X"] if direct == "Q" or arrays.get("context") is None else arrays["context"]
    assert source is not None  # noqa: S101 - reading makes no other candidate
    learned, bias = arrays[f"W_{direct}"], arrays.get(f"b_{direct}")
    if learned is not None and turned:
        learned = tuple(zip(*learned, strict=True))
    rows = source if learned is None else _product(source, learned)
    if bias is None:
        return rows
    return tuple(tuple(a + b for a, b in zip(row, bias[0], strict=True)) for row in rows)


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """One way of working under one set of options with one pencil, for candidates of one size.

    ``masks`` holds for each head who may look where, None where everyone may everywhere; ``after``: keys are hidden
    after the softmax; ``is_plain``: weights are the softmax of multiples of the scores. ``kept`` holds the exponentials
    of scores that were met before: a recipe meets few different ones.
    """

    options: Attention
    deviation: Deviation
    pencil: Pencil
    factor: Interval
    exact_factor: Exact
    masks: tuple[Mask | None, ...]
    biases: tuple[Rows | None, ...]
    sinks: tuple[Interval | None, ...]
    cap: Interval | None
    cooling: Interval | None
    after: bool
    is_plain: bool
    kept: dict[Any, Interval] = field(default_factory=dict, repr=False)

    def logit(self, score: Interval, bias: Number | None) -> Interval:
        """What may be written for the logit of a written score."""
        return self.from_scaled(self.pencil.written(fixed.product(score, self.factor)), bias)

    def from_scaled(self, found: Interval, bias: Number | None) -> Interval:
        """What may be written for the logit of a written scaled score."""
        written, cap = self.pencil.written, self.cap
        if cap is not None and self.deviation.cap == "given":
            found = self._capped(found)
        if bias is not None:
            found = written(fixed.total((found, written(point(bias)))))
        if cap is not None and self.deviation.cap == "after":
            found = self._capped(found)
        return found if self.cooling is None else written(fixed.product(found, self.cooling))

    def _capped(self, found: Interval) -> Interval:
        assert self.cap is not None  # noqa: S101 - asked for only then
        return self.pencil.written(fixed.product(self.cap, fixed.tanh(fixed.product(found, fixed.inverse(self.cap)))))

    def hidden(self) -> Interval | None:
        """What may be written for the logit of a key that is masked; None for no number at all."""
        if self.cap is None or self.deviation.cap != "after":
            return None
        low = self.pencil.written((-self.cap[1], -self.cap[0]))
        return low if self.cooling is None else self.pencil.written(fixed.product(low, self.cooling))

    def power(self, score: Number, bias: Number | None) -> Interval:
        """What may be written for the exponential of the logit of a score."""
        key = score if bias is None else (score, bias)
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= _MOST_KEPT:
                self.kept.clear()
            found = self.kept[key] = self._power(score, bias)
        return found

    def _power(self, score: Number, bias: Number | None) -> Interval:
        if self.pencil.decimals is None and self.cap is None and self.cooling is None:
            return fixed.exp_of(self.exact_factor * score + (0 if bias is None else bias))
        return self.raised(self.logit(self.pencil.written(point(score)), bias))

    def raised(self, logit: Interval) -> Interval:
        """What may be written for e to a written logit: never less than 0."""
        low, high = self.pencil.written(fixed.exp(logit))
        return max(low, 0), high


def course(problem: Problem, deviation: Deviation = RIGHT, pencil: Pencil = Pencil()) -> Course:
    """The course for problems of the options and sizes of this one."""
    options, n_q, n_k, past = problem.attention, problem.n_q, problem.n_k, problem.past
    factor = factor_by(problem, deviation, head_width(problem))
    heads = range(options.num_heads)
    sinks = [numbers.number(options.sink[head % len(options.sink)]) if options.sink else None for head in heads]
    return Course(
        options,
        deviation,
        pencil,
        _written_factor(factor, pencil),
        factor,
        tuple(_mask(mask_by(options, deviation, n_q, n_k, past, head)) for head in heads),
        tuple(_bias(added_bias(options, head, n_q, n_k, past), deviation) for head in heads),
        tuple(None if sink is None else pencil.written(fixed.exp_of(sink)) for sink in sinks),
        None if options.softcap is None else point(numbers.number(options.softcap)),
        None if options.temperature is None else fixed.inverse(point(numbers.number(options.temperature))),
        deviation.mask == "after",
        numbers.is_algebraic(factor) and not numbers.is_zero(factor) and not _is_bent(options),
    )


def _is_bent(options: Attention) -> bool:
    """Whether something else than the scale stands between the scores and the weights."""
    other = (options.softcap, options.temperature, options.bias, options.sink, options.alibi, options.rope)
    return any(option not in (None, False, ()) for option in other)


def _mask(mask: Mask) -> Mask | None:
    return None if all(map(all, mask)) else mask


def _bias(bias: Rows | None, deviation: Deviation) -> Rows | None:
    if bias is None or deviation.bias == "ignored":
        return None
    return tuple(tuple(-entry for entry in row) for row in bias) if deviation.bias == "negated" else bias


def _written_factor(factor: Exact, pencil: Pencil) -> Interval:
    """The factor as it may be used: written, or as a division by the written 1/factor."""
    exact = point(factor)
    if pencil.decimals is None or numbers.is_zero(factor):
        return exact
    divisor = pencil.written(point(numbers.inverse(factor)))
    return fixed.hull(pencil.written(exact), exact, fixed.inverse(divisor))


def _is_exact(start: Start, pencil: Pencil) -> bool:
    """Whether queries and keys are written as they are."""
    if pencil.decimals is None or start.whole:
        return True
    grain = pencil.grain
    return all(
        fixed.has_places(point(entry), grain) for rows in (start.query, start.key) for line in rows for entry in line
    )


def score(way: Course, start: Start, row: int, column: int) -> Interval:
    """What may be written for a score of written queries and keys."""
    written = way.pencil.written
    if _is_exact(start, way.pencil):
        return written(point(start.scores[row][column]))
    pairs = zip(start.query[row], start.key[column], strict=True)
    return written(fixed.total(written(fixed.product(written(point(a)), written(point(b)))) for a, b in pairs))


def _seen(way: Course, head: int, row: int) -> Sequence[bool] | None:
    mask = way.masks[head]
    return None if mask is None or way.after else mask[row]


def powers(way: Course, start: Start, head: int, row: int) -> list[Interval | None]:
    """A row of exponentials as they may be written; None where the query may not look."""
    seen, biases = _seen(way, head, row), way.biases[head]
    bias = None if biases is None else biases[row]
    if not _is_exact(start, way.pencil) or way.deviation.cap == "after":
        logits = _logits(way, start, head, row)
        return [None if logit is None else way.raised(logit) for logit in logits]
    power = way.power
    if seen is None and bias is None:
        return [power(entry, None) for entry in start.scores[row]]
    return [
        power(entry, None if bias is None else bias[j]) if seen is None or seen[j] else None
        for j, entry in enumerate(start.scores[row])
    ]


def _logits(way: Course, start: Start, head: int, row: int) -> list[Interval | None]:
    seen, biases = _seen(way, head, row), way.biases[head]
    return [
        way.logit(score(way, start, row, j), None if biases is None else biases[row][j])
        if seen is None or seen[j]
        else way.hidden()
        for j in range(len(start.key))
    ]


def weights(way: Course, start: Start, head: int, rows: Sequence[int]) -> Iterator[Line | None]:
    """Rows of weights as they may be written; None for a row in which a mistake leaves nothing to look at."""
    mask, rule = way.masks[head], way.options.masked_row
    if way.deviation.softmax == "queries":
        table = [powers(way, start, head, row) for row in range(len(start.query))]
        columns = [shares(list(column), None, way.pencil, "zero") or [] for column in zip(*table, strict=True)]
    for row in rows:
        line: Line | None
        if way.deviation.softmax == "queries":
            line = [column[row] for column in columns]
        elif way.deviation.softmax == "none":
            line = [logit or (0, 0) for logit in _logits(way, start, head, row)]
        else:
            line = shares(powers(way, start, head, row), way.sinks[head], way.pencil, rule)
        if way.after and mask is not None and line is not None:
            line = [weight if mask[row][j] else (0, 0) for j, weight in enumerate(line)]
        yield line


def shares(line: Sequence[Interval | None], sink: Interval | None, pencil: Pencil, masked_row: str) -> Line | None:
    """Each exponential over the sum of all, as it may be written.

    A share grows with its own exponential and falls with each other, so its ends are taken where the others are largest
    or smallest; the written sum may be half a unit off where it is a sum of several.
    """
    seen = [power for power in line if power is not None]
    if sink is not None:
        seen.append(sink)
    if not seen:
        dead = {"zero": (0, 0), "uniform": pencil.written(point(fmpq(1, len(line))))}
        return [dead[masked_row]] * len(line) if masked_row in dead else None
    low = high = 0
    for first, last in seen:
        low += first
        high += last
    half, grain = pencil.half, pencil.grain
    slack = half if len(seen) > 1 and not (low == high and low % grain == 0) else 0
    found = []
    for power in line:
        if power is None:
            found.append((0, 0))
            continue
        first, last = power
        least, most = first + high - last + slack, last + low - first - slack
        if least <= 0 or most <= 0:
            raise fixed.TooFarError
        start, end = first * UNIT // least, -(-last * UNIT // most)
        if half and not (start == end and start % grain == 0):
            start, end = start - half, end + half
        found.append((start, end))
    return found


def mixed(line: Line, values: Sequence[Sequence[Number]], pencil: Pencil) -> Line:
    """The values mixed in the proportions of a row of weights, as they may be written."""
    half, grain = pencil.half, pencil.grain
    found = []
    for column in zip(*values, strict=True):
        low = high = loose = 0
        for (first, last), value in zip(line, column, strict=True):
            if type(value) is int:
                if value >= 0:
                    a, b = first * value, last * value
                else:
                    a, b = last * value, first * value
            else:
                a, b = fixed.product((first, last), pencil.written(point(value)))
            if half and (a != b or a % grain):
                loose += half
            low += a
            high += b
        low, high = low - loose, high + loose
        if half and not (low == high and low % grain == 0):
            low, high = low - half, high + half
        found.append((low, high))
    return found


Mixing: TypeAlias = "tuple[Rows | None, Rows | None]"
"""W_O (None for a plain copy) and b_O."""


def lines(
    way: Course, heads: Sequence[Start], array: str, head: int, rows: Sequence[int], mixing: Mixing
) -> Iterator[Line | None]:
    """Rows of an array as they may be written; None where a mistake leaves no number."""
    start, written = heads[head], way.pencil.written
    match array:
        case "query" | "key" | "value":
            table: Rows = getattr(start, array)
            yield from ([written(point(entry)) for entry in table[row]] for row in rows)
        case "scores":
            yield from ([score(way, start, row, j) for j in range(len(start.key))] for row in rows)
        case "scaled":
            for row in rows:
                line = (fixed.product(score(way, start, row, j), way.factor) for j in range(len(start.key)))
                yield [written(entry) for entry in line]
        case "exponentials":
            yield from ([power or (0, 0) for power in powers(way, start, head, row)] for row in rows)
        case "weights":
            yield from weights(way, start, head, rows)
        case "output":
            for line_of_weights in weights(way, start, head, rows):
                yield None if line_of_weights is None else mixed(line_of_weights, start.value, way.pencil)
        case _:
            yield from _final(way, heads, rows, mixing)


def _final(way: Course, heads: Sequence[Start], rows: Sequence[int], mixing: Mixing) -> Iterator[Line | None]:
    """The heads side by side, and through W_O where there is one."""
    table, bias = mixing
    if table is not None and way.deviation.tables == "transposed_all":
        table = tuple(zip(*table, strict=True))
    out = way.deviation.heads in ("out", "both")
    wanted = range(len(heads[0].query)) if out else rows
    parts = [list(lines(way, heads, "output", head, wanted, mixing)) for head in range(len(heads))]
    found: list[Line | None]
    if out:
        flat = [entry for part in parts for line in part for entry in line or ()]
        width = len(heads) * len(heads[0].value[0])
        beside = [flat[start : start + width] for start in range(0, len(flat), width)]
        found = [beside[row] for row in rows] if len(flat) == width * len(wanted) else [None] * len(rows)
    else:
        found = [
            None if None in group else [entry for line in group for entry in line or ()]
            for group in zip(*parts, strict=True)
        ]
    for line in found:
        if line is None:
            yield None
            continue
        if table is not None:
            line = mixed(line, table, way.pencil)
        if bias is not None:
            added = (fixed.total((entry, way.pencil.written(point(b)))) for entry, b in zip(line, bias[0], strict=True))
            line = [way.pencil.written(entry) for entry in added]
        yield line
