"""Attention itself, exact: scores, scaled, capped, biased, logits, weights and output of each head.

The order is scale, cap, bias, mask, temperature, softmax (a sink joins its denominator, not divided), mix: scaled
dot-product attention (Vaswani et al. 2017, section 3.2.1) with the options of later layers; heads are contiguous blocks
of columns (section 3.2.2).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Any

from flint import fmpq

from symattn.exact import numbers
from symattn.exact.layers import Outputs
from symattn.exact.matrix import Matrix, columns, matrix, product, transposed
from symattn.exact.numbers import ZERO, Exact
from symattn.exact.positions import linear_bias, rotated, slopes
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
    grouped,
    keys,
)
from symattn.problem import Attention, Entry, Mask, Problem, Rope, allowed, causal_offset
from symattn.problem import Matrix as Entries
from symattn.steps import Table


@dataclass(frozen=True, slots=True)
class Projections:
    """What one head starts from, before positions turn anything.

    Shapes: query (n_q, d_k), key (n_k, d_k), value (n_k, d_v), scores (n_q, n_k); ``kv_head`` is the key head it reads,
    ``past`` the number of keys that a cache holds, ``residual`` the tokens that are added to the output. What does not
    depend on the options, or is equal under two of them, is made once, and found in ``cache``.
    """

    query: Matrix
    key: Matrix
    value: Matrix
    scores: Matrix
    output_table: Matrix | None
    output_bias: tuple[Exact, ...] | None = None
    kv_head: int = 0
    past: int = 0
    residual: Matrix | None = None
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def table(self, name: str) -> Table:
        """One of the matrices as a table of values."""
        if name not in self.cache:
            self.cache[name] = table(getattr(self, name))
        found: Table = self.cache[name]
        return found

    def scaled(self, factor: Exact) -> tuple[Matrix, Table]:
        """The scores times the factor, as numbers and as values."""
        key = "scaled", numbers.key(factor)
        if key not in self.cache:
            rows = times(self.scores, factor)
            self.cache[key] = rows, table(rows)
        found: tuple[Matrix, Table] = self.cache[key]
        return found

    def softmax(self, logits: Sequence[Exact | None], sink: Exact | None) -> Softmax:
        """The row of these logits; equal ones are one row."""
        held = (*logits, sink)
        key = keys(held)
        if key not in self.cache:
            self.cache[key] = grouped(held, key)
        found: Softmax = self.cache[key]
        return found

    def values(self) -> Values:
        """The values that rows of weights mix."""
        if "values" not in self.cache:
            self.cache["values"] = Values(self.value)
        found: Values = self.cache["values"]
        return found

    def shares(self) -> Values:
        """The values times the head's rows of W_O."""
        assert self.output_table is not None  # noqa: S101 - only then are there shares
        if "shares" not in self.cache:
            self.cache["shares"] = Values(product(self.value, self.output_table))
        found: Values = self.cache["shares"]
        return found


@dataclass(frozen=True, slots=True)
class Head:
    """One head, worked: exact tables, and the rows of its softmax.

    ``rotated`` holds queries and keys after rotary positions, ``capped`` and ``biased`` the scores after these options;
    each is None where the option is not used. ``lse`` is the log-sum-exp of each row where it is asked for, ``sink``
    the exponent that joins its sum. ``allowed[i][j]`` is true where query i may attend to key j; None where every one
    may. ``barred[i][j]`` is true where the bias is -oo, for which ``bias`` and ``biased`` hold what they would with 0.
    """

    query: Table
    key: Table
    value: Table
    scores: Table
    scaled: Table
    logits: Table
    weights: Table
    output: Table
    rows: tuple[Softmax, ...]
    allowed: Mask | None
    rotated: tuple[Table, Table] | None
    capped: Table | None
    bias: Table | None
    biased: Table | None
    lse: Table | None
    sink: Exact | None
    barred: Mask | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """All heads, the factor that scaled them, and the output after W_O (the heads side by side where there is none).

    ``residual`` is the tokens plus the output, where the options say so. ``symbolic``: a declared symbol occurs.
    """

    heads: tuple[Head, ...]
    output: Table
    scale: Exact
    d_k: int
    symbolic: bool
    past: int = 0
    masked_row: str = "error"
    softcap: Exact | None = None
    temperature: Exact | None = None
    rope: Rope | None = None
    residual: Table | None = None

    @property
    def whole(self) -> Table:
        """What a next layer reads: the output, with the tokens added where the options say so."""
        return self.output if self.residual is None else self.residual

    @property
    def allowed(self) -> Mask | None:
        """The first head's mask; masks of one's own may differ from head to head."""
        return self.heads[0].allowed

    @property
    def rows_add_to_one(self) -> bool:
        """Whether every row of weights adds to 1: no sink, and no row with nothing allowed."""
        return all(head.sink is None and all(row.exponents for row in head.rows) for head in self.heads)

    @property
    def is_plain(self) -> bool:
        """Whether the logits are the scaled scores, masked: no cap, bias, temperature or sink."""
        unchanged = all(head.capped is None and head.biased is None and head.sink is None for head in self.heads)
        return unchanged and self.temperature is None


def table(rows: Matrix) -> Table:
    """Exact numbers as a table of values."""
    return Table(tuple(tuple(map(Plain, row)) for row in rows))


def times(rows: Matrix, factor: Exact) -> Matrix:
    """Every entry times the factor."""
    return tuple(tuple([entry * factor for entry in row]) for row in rows)


def scores(query: Matrix, key: Matrix) -> Matrix:
    """Unscaled scores, one per (query, key) pair: S = Q K^T.

    Args:
        query: ``(n_q, d_k)``, one query per row.
        key: ``(n_k, d_k)``, one key per row.
    Returns:
        ``(n_q, n_k)``. Entry ``[i, j]`` is the dot product of query ``i`` and key ``j``, exact.
    Source:
        Vaswani et al. 2017, section 3.2.1, eq. (1), before the division by sqrt(d_k).
    Example:
        >>> from flint import fmpq
        >>> scores(((fmpq(1), fmpq(2)),), ((fmpq(3), fmpq(4)), (fmpq(1, 2), fmpq(0))))
        ((11, 1/2),)
    """
    return product(query, transposed(key))


def scale(options: Attention, d_k: int) -> Exact:
    """The factor on every score: as given, else 1/sqrt(d_k)."""
    return _usual_scale(d_k) if options.scale is None else numbers.number(options.scale)


@lru_cache(maxsize=128)  # most problems share the few sizes of heads
def _usual_scale(d_k: int) -> Exact:
    return numbers.inverse(numbers.root(d_k))


def projections(problem: Problem) -> tuple[Projections, ...]:
    """Queries, keys, values and scores of each head; head h reads key head floor(h / (num_heads / num_kv_heads))."""
    heads, kv_heads = problem.attention.num_heads, problem.attention.kv_heads
    short = Outputs().all_short
    query = short(_projected(problem, "Q"))
    key = short((*_given(problem.past_key), *_projected(problem, "K")))
    value = short((*_given(problem.past_value), *_projected(problem, "V")))
    d_k, d_v = len(query[0]) // heads, len(value[0]) // kv_heads
    mixing = None if problem.W_O is None else _learned(problem.W_O, heads * d_v)
    bias = None if problem.b_O is None else tuple(map(numbers.number, problem.b_O))
    residual = matrix(problem.X) if problem.attention.residual and problem.X is not None else None
    found = []
    for head in range(heads):
        read = head * kv_heads // heads
        q, k = columns(query, head * d_k, (head + 1) * d_k), columns(key, read * d_k, (read + 1) * d_k)
        v = columns(value, read * d_v, (read + 1) * d_v)
        block = None if mixing is None else mixing[head * d_v : (head + 1) * d_v]
        found.append(Projections(q, k, v, scores(q, k), block, bias, read, problem.past, residual))
    return tuple(found)


def _given(rows: Entries | None) -> Matrix:
    return () if rows is None else matrix(rows)


def _projected(problem: Problem, direct: str) -> Matrix:
    """Q, K or V: as given, or X (or the context) times its table, plus its bias."""
    given: Entries | None = getattr(problem, direct)
    if given is not None:
        return matrix(given)
    source = problem.X if direct == "Q" or problem.context is None else problem.context
    assert source is not None  # noqa: S101 - parse makes no other problem
    rows, weight, bias = matrix(source), getattr(problem, f"W_{direct}"), getattr(problem, f"b_{direct}")
    found = rows if weight == "identity" else product(rows, matrix(weight))
    if bias is None:
        return found
    added = tuple(map(numbers.number, bias))
    return tuple(tuple(entry + more for entry, more in zip(row, added, strict=True)) for row in found)


def _learned(given: Entries | str, size: int) -> Matrix:
    if not isinstance(given, str):
        return matrix(given)
    return tuple(tuple(numbers.from_fraction(int(i == j)) for j in range(size)) for i in range(size))


def attention(starts: tuple[Projections, ...], options: Attention) -> Result:
    """Every step after the scores, for each head, under these options."""
    d_k = len(starts[0].query[0])
    factor = scale(options, d_k)
    heads = tuple(_head(start, factor, options, index) for index, start in enumerate(starts))
    output = _combined(starts, heads)
    return Result(
        heads,
        output,
        factor,
        d_k,
        _symbolic(starts, factor, options),
        starts[0].past,
        options.masked_row,
        _number_or_none(options.softcap),
        _number_or_none(options.temperature),
        options.rope,
        None if starts[0].residual is None else added(starts[0].residual, output),
    )


def added(tokens: Matrix, output: Table) -> Table:
    """The tokens plus the output, entry by entry: X + Y, both (n, d_model).

    Source:
        Vaswani et al. 2017, section 3.1, the residual connection, without the normalization.
    """
    pairs = zip(tokens, output.rows, strict=True)
    return Table(tuple(tuple(_moved(a, b) for a, b in zip(*rows, strict=True)) for rows in pairs))


def _moved(token: Exact, value: Value) -> Value:
    if isinstance(value, Plain):
        return Plain(token + value.number)
    return _sum([Plain(token), *(value.terms if isinstance(value, Total) else (value,))])


def _number_or_none(entry: Entry | None) -> Exact | None:
    return None if entry is None else numbers.number(entry)


def _symbolic(starts: tuple[Projections, ...], factor: Exact, options: Attention) -> bool:
    held = [factor, *(numbers.number(entry) for entry in options.entries())]
    for start in starts:
        for rows in (start.query, start.key, start.value, start.output_table or (), start.residual or ()):
            held += [entry for row in rows for entry in row]
    return any(isinstance(entry, numbers.Number) and bool(numbers.symbols(entry)) for entry in held)


def _head(start: Projections, factor: Exact, options: Attention, index: int) -> Head:
    n_q, n_k = len(start.query), len(start.key)
    mask = allowed(options, n_q, n_k, start.past, index)
    turned = None
    if options.rope is not None:
        turned = rotated(start.query, options.rope, start.past), rotated(start.key, options.rope, 0)
        start = replace(start, scores=scores(*turned), cache={})
    scaled, values = start.scaled(factor)
    capped = None if options.softcap is None else soft_capped(scaled, numbers.number(options.softcap))
    bias = added_bias(options, index, n_q, n_k, start.past)
    before = scaled if capped is None else capped
    biased = None if bias is None else elementwise_sum(before, bias)
    logits = _logits(before if biased is None else biased, mask, options)
    sink = None if not options.sink else numbers.number(options.sink[index % len(options.sink)])
    rows = tuple(start.softmax(row, sink) for row in logits)
    seen = values if logits is scaled else _masked(logits)
    stages = values, capped, bias, biased
    return _worked(start, options, stages, seen, rows, mask, turned, sink, _barred(options, index))


def _barred(options: Attention, head: int) -> Mask | None:
    """Where the given bias is -oo; None where it is nowhere."""
    rows = options.bias[head % len(options.bias)] if options.bias else ()
    found = tuple(tuple(entry is None for entry in row) for row in rows)
    return found if any(map(any, found)) else None


def soft_capped(rows: Matrix, cap: Exact) -> Matrix:
    """cap * tanh(s / cap) of every scaled score s; the cap is positive.

    Source:
        Gemma Team 2024, Gemma 2, section 2, logit soft-capping.
    """
    return tuple(tuple(cap * numbers.tanh(entry * numbers.inverse(cap)) for entry in row) for row in rows)


def added_bias(options: Attention, head: int, n_q: int, n_k: int, past: int) -> Matrix | None:
    """What is added to each logit: the given bias and ALiBi's; an entry of -oo counts as 0 here, since it is a mask."""
    found: list[Matrix] = []
    if options.bias:
        rows = options.bias[head % len(options.bias)]
        found.append(tuple(tuple(ZERO if entry is None else numbers.number(entry) for entry in row) for row in rows))
    if options.alibi:
        offset = causal_offset(options, n_q, n_k, past)
        found.append(linear_bias(slopes(options.num_heads)[head], n_q, n_k, past if offset is None else offset))
    return reduce(elementwise_sum, found) if found else None


def elementwise_sum(left: Matrix, right: Matrix) -> Matrix:
    """The sum, entry by entry."""
    return tuple(tuple(a + b for a, b in zip(*rows, strict=True)) for rows in zip(left, right, strict=True))


def _logits(rows: Matrix, mask: Mask | None, options: Attention) -> tuple[tuple[Exact | None, ...], ...]:
    """What softmax receives: None where a query may not attend, the rest divided by the temperature."""
    if options.temperature is not None:
        divisor = numbers.inverse(numbers.number(options.temperature))
        rows = tuple(tuple(entry * divisor for entry in row) for row in rows)
    if mask is None:
        return rows
    return tuple(
        tuple(entry if may else None for entry, may in zip(*line, strict=True)) for line in zip(rows, mask, strict=True)
    )


def _worked(
    start: Projections,
    options: Attention,
    stages: tuple[Table, Matrix | None, Matrix | None, Matrix | None],
    logits: Table,
    rows: tuple[Softmax, ...],
    mask: Mask | None,
    turned: tuple[Matrix, Matrix] | None,
    sink: Exact | None,
    barred: Mask | None,
) -> Head:
    scaled, capped, bias, biased = stages
    weights = tuple(_weights(row, options) for row in rows)
    return Head(
        query=start.table("query"),
        key=start.table("key"),
        value=start.table("value"),
        scores=start.table("scores"),
        scaled=scaled,
        logits=logits,
        weights=Table(weights),
        output=_mixed(rows, start.values(), options),
        rows=rows,
        allowed=mask,
        rotated=None if turned is None else (table(turned[0]), table(turned[1])),
        capped=None if capped is None else table(capped),
        bias=None if bias is None else table(bias),
        biased=None if biased is None else table(biased),
        lse=Table(tuple((LogSum(row) if row.exponents else MASKED,) for row in rows)) if options.lse else None,
        sink=sink,
        barred=barred,
    )


def _masked(logits: tuple[tuple[Exact | None, ...], ...]) -> Table:
    return Table(tuple(tuple([MASKED if entry is None else Plain(entry) for entry in row]) for row in logits))


def _weights(row: Softmax, options: Attention) -> tuple[Value, ...]:
    """A row of weights; with nothing allowed, what ``on_masked_row`` says."""
    if row.exponents:
        return tuple(Weight(row, key) for key in range(len(row.groups)))
    count = len(row.groups)
    rule: dict[str, Value] = {"uniform": Plain(fmpq(1, count)), "nan": UNDEFINED}
    return (rule.get(options.masked_row, Plain(ZERO)),) * count


def _mixed(rows: tuple[Softmax, ...], values: Values, options: Attention) -> Table:
    width = len(values.rows[0])

    def mixed(row: Softmax) -> tuple[Value, ...]:
        if row.exponents:
            return values.mixed(row)
        if options.masked_row == "uniform":
            return tuple(Plain(sum(column, ZERO) * fmpq(1, len(values.rows))) for column in transposed(values.rows))
        return (UNDEFINED if options.masked_row == "nan" else Plain(ZERO),) * width

    return Table(tuple(mixed(row) for row in rows))


def _combined(starts: tuple[Projections, ...], heads: tuple[Head, ...]) -> Table:
    """Heads side by side, or through W_O: each head's values times its rows of W_O, mixed, and added up."""
    if starts[0].output_table is None and len(heads) == 1:
        return heads[0].output
    if starts[0].output_table is None:
        return Table(
            tuple(tuple(entry for head in heads for entry in head.output.rows[i]) for i in range(len(heads[0].rows)))
        )
    shares = [_share(start, head) for start, head in zip(starts, heads, strict=True)]
    bias = starts[0].output_bias
    if len(shares) == 1 and bias is None:
        return shares[0]
    extra = [] if bias is None else [Table((tuple(Plain(entry) for entry in bias),) * len(heads[0].rows))]
    return Table(
        tuple(
            tuple(_sum([share[i, j] for share in (*shares, *extra)]) for j in range(shares[0].shape[1]))
            for i in range(shares[0].shape[0])
        )
    )


def _share(start: Projections, head: Head) -> Table:
    """One head's part of the final output: its values times its rows of W_O, in the proportions of its weights."""
    assert start.output_table is not None  # noqa: S101 - all heads have one or none has
    mixed = start.shares()
    width = len(mixed.rows[0])
    found: list[tuple[Value, ...]] = []
    for row, output in zip(head.rows, head.output.rows, strict=True):
        if row.exponents:
            found.append(mixed.mixed(row))
        elif output[0] is UNDEFINED:
            found.append((UNDEFINED,) * width)
        else:
            plain = (tuple(value.number for value in output),)
            found.append(tuple(Plain(entry) for entry in product(plain, start.output_table)[0]))
    return Table(tuple(found))


def _sum(terms: list[Value]) -> Value:
    return UNDEFINED if UNDEFINED in terms else Total(tuple(terms))
