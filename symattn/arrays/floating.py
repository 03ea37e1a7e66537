"""Attention in binary floats, by NumPy: the plain evaluation of a type, and what a mistake would give.

These numbers are compared with results at a tolerance that includes their own error; nothing exact comes of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING, Final

from symattn.arrays.call import Call
from symattn.arrays.options import Rules
from symattn.arrays.reading import numpy
from symattn.mistakes.catalogue import RIGHT, Deviation

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

STAGES: Final = ("scores", "logits", "exponentials", "weights", "output", "lse")
_FINITE: Final = -10_000.0


@dataclass(frozen=True)
class Arithmetic:
    """The type that is calculated in, and the types to which stages are rounded."""

    work: str
    rounded: Mapping[str, str] = field(default_factory=dict)

    def keep(self, stage: str, found: Array) -> Array:
        """What a stage found, rounded."""
        kept = self.rounded.get(stage)
        return found if kept is None else found.astype(kept).astype(self.work)


DOUBLE: Final = Arithmetic("float64")


def plain(dtype: str) -> Arithmetic:
    """The usual way of a type: sums in float32 at least, every stage rounded to the type."""
    if dtype in ("float64", "float32"):
        return Arithmetic(dtype)
    return Arithmetic("float32", dict.fromkeys(STAGES, dtype))


@dataclass(frozen=True)
class Forward:
    """What a pass found, heads before rows; keys and values are repeated for the heads that share them.

    ``shares`` are the weights before a mask that comes after the softmax, ``tanh`` is that of the cap, ``allowed`` None
    where nothing is masked.
    """

    query: Array
    key: Array
    value: Array
    factor: float
    tanh: Array | None
    allowed: Array | None
    shares: Array
    weights: Array
    output: Array
    lse: Array


def forward(call: Call, deviation: Deviation = RIGHT, by: Arithmetic = DOUBLE, rows: Array | None = None) -> Forward:
    """Softmax attention with the choices of a deviation, for some rows (None: those of the call).

    Numbers that are not finite count as 0.
    """
    np = numpy()
    rows = call.rules.rows if rows is None else rows
    every = np.arange(call.given.sizes.n_q)
    whole = deviation.softmax == "queries" or deviation.heads in ("out", "both")
    with np.errstate(all="ignore"):
        found = _passed(call, deviation, by, every if whole else rows)
    if not whole or len(rows) == len(every):
        return found
    return replace(
        found,
        query=found.query[..., rows, :],
        shares=found.shares[..., rows, :],
        weights=found.weights[..., rows, :],
        output=found.output[..., rows, :],
        lse=found.lse[..., rows],
    )


def _passed(call: Call, deviation: Deviation, by: Arithmetic, rows: Array) -> Forward:
    np = numpy()
    query, key, value = _operands(call, deviation, by.work)
    query = query[..., rows, :]
    scale = factor(call, deviation)
    rules = replace(_rules(call, deviation), rows=rows)
    logits = by.keep("scores", query @ key.swapaxes(-1, -2)) * query.dtype.type(scale)
    cap = None if call.numbers.cap is None else query.dtype.type(float(call.numbers.cap))
    tanh = np.tanh(logits / cap) if cap is not None and deviation.cap == "given" else None
    if tanh is not None:
        logits = cap * tanh
    logits = by.keep("logits", _biased(logits, rules, deviation))
    allowed = _allowed(rules, deviation)
    logits = _masked(logits, allowed, deviation)
    if cap is not None and deviation.cap == "after":
        logits = cap * np.tanh(logits / cap)
    rule = call.masked_row if deviation.masked_row == "given" else deviation.masked_row
    shares, lse = softmax(logits, call.numbers.sinks, rule, deviation, by)
    weights = shares
    if deviation.mask == "after" and allowed is not None:
        weights = np.where(allowed, shares, 0)
    weights = by.keep("weights", weights)
    output = by.keep("output", _outward(weights @ value, deviation))
    return Forward(query, key, value, scale, tanh, allowed, shares, weights, output, by.keep("lse", lse))


def reach(call: Call) -> float:
    """The largest sum of |q_i k_i| * scale over queries and keys: what a rounding of 2^-p in a score does to a weight,
    in units of 2^-p.
    """
    np = numpy()
    query, key, _ = (np.abs(table) for table in _operands(call, RIGHT, DOUBLE.work))
    return float((query[..., call.rules.rows, :] @ key.swapaxes(-1, -2)).max()) * abs(factor(call, RIGHT))


def _operands(call: Call, deviation: Deviation, work: str) -> tuple[Array, Array, Array]:
    """Queries, keys and values (..., heads, n, d)."""
    np = numpy()
    tables = call.given.query, call.given.key, call.given.value
    query, key, value = (np.where(np.isfinite(table), table, 0).astype(work) for table in tables)
    if deviation.heads in ("in", "both"):
        query, key, value = (_recut(table) for table in (query, key, value))
    read = np.arange(query.shape[-3])
    read = read % key.shape[-3] if deviation.kv_heads == "tiled" else read * key.shape[-3] // query.shape[-3]
    key, value = key[..., read, :, :], value[..., read, :, :]
    if deviation.operands == "swapped":
        query, key = key, query
    return query, key, key if deviation.value == "key" else value


def _recut(table: Array) -> Array:
    """(n, heads * d) read as (heads, n, d)."""
    return numpy().ascontiguousarray(table.swapaxes(-2, -3)).reshape(table.shape)  # type: ignore[no-any-return]


def _outward(output: Array, deviation: Deviation) -> Array:
    """(heads, n, d) read as (n, heads * d), where that is the mistake."""
    if deviation.heads not in ("out", "both"):
        return output
    *batch, heads, rows, width = output.shape
    return numpy().ascontiguousarray(output).reshape(*batch, rows, heads, width).swapaxes(-2, -3)  # type: ignore[no-any-return]


def factor(call: Call, deviation: Deviation) -> float:
    """What scores are multiplied by."""
    width: int
    heads: int
    width, heads = call.given.query.shape[-1], call.given.sizes.heads
    right = float(call.numbers.scale) * sqrt(call.numbers.radical)
    choices = {"one": 1.0, "width": 1 / width, "model": 1 / sqrt(width * heads), "twice": right * right}
    return choices.get(deviation.scale, right)


def _rules(call: Call, deviation: Deviation) -> Rules:
    """Who may attend to whom, by the deviation."""
    rules = call.rules
    if deviation.mask == "turned" and rules.mask is not None:
        rules = replace(rules, mask=~rules.mask)
    if rules.offsets is None or deviation.causal == "given":
        return rules
    np, last = numpy(), rules.sizes.n_k - rules.sizes.n_q
    offsets = {
        "other": np.where(rules.offsets == last, 0, last),
        "strict": rules.offsets - 1,
        "no_cache": np.zeros_like(rules.offsets),
    }
    return replace(rules, offsets=offsets[deviation.causal])


def _every_head(rules: Rules) -> list[tuple[tuple[int, ...], int]]:
    return [(at, head) for at in numpy().ndindex(*rules.sizes.batch) for head in range(rules.sizes.heads)]


def _allowed(rules: Rules, deviation: Deviation) -> Array | None:
    """allowed (..., heads, n_q, n_k); None where nothing is masked."""
    np, sizes = numpy(), rules.sizes
    if deviation.mask == "ignored":
        return None
    found = [rules.allowed(at, head) for at, head in _every_head(rules)]
    if deviation.mask != "turned_all" and all(one is None for one in found):
        return None
    shape = (len(rules.rows), sizes.n_k)
    table = np.stack([np.ones(shape, bool) if one is None else one for one in found])
    table = table.reshape(*sizes.batch, sizes.heads, *shape)
    return ~table if deviation.mask == "turned_all" else table  # type: ignore[no-any-return]


def _biased(logits: Array, rules: Rules, deviation: Deviation) -> Array:
    """Logits with the bias, where -inf counts as 0: it is a mask."""
    if rules.bias is None or deviation.bias == "ignored":
        return logits
    np = numpy()
    bias = rules.bias[..., rules.rows, :]
    bias = np.where(np.isfinite(bias), bias, 0).astype(logits.dtype)
    return logits - bias if deviation.bias == "negated" else logits + bias  # type: ignore[no-any-return]


def _masked(logits: Array, allowed: Array | None, deviation: Deviation) -> Array:
    np = numpy()
    if allowed is None or deviation.mask == "after":
        return logits
    hidden = logits.dtype.type(_FINITE if deviation.mask in ("replaced", "added") else -np.inf)
    return np.where(allowed, logits, logits + hidden if deviation.mask == "added" else hidden)  # type: ignore[no-any-return]


def softmax(logits: Array, sinks: Array | None, rule: str, deviation: Deviation, by: Arithmetic) -> tuple[Array, Array]:
    """Weights and log-sum-exps (..., heads, n_q), with sinks (..., heads).

    A row with nothing allowed is as the rule says, and undefined where that is an error.
    """
    np = numpy()
    if deviation.precision == "float32":
        logits = logits.astype("float32")
    none = np.full(logits.shape[:-1], np.nan)
    zero = logits.dtype.type(0)
    if deviation.softmax == "none":
        return np.where(np.isneginf(logits), zero, logits), none
    if deviation.softmax == "queries":
        top = logits.max(axis=-2, keepdims=True)
        powers = by.keep("exponentials", np.exp(logits - np.where(np.isneginf(top), zero, top)))
        return (powers / powers.sum(axis=-2, keepdims=True)).astype(by.work), none
    extra = logits.dtype.type(-np.inf) if sinks is None else sinks.astype(logits.dtype)[..., None, None]
    top = np.maximum(logits.max(axis=-1, keepdims=True), extra)
    dead = np.isneginf(top)
    top = np.where(dead, zero, top)
    powers = by.keep("exponentials", np.exp(logits - top))
    total = powers.sum(axis=-1, keepdims=True) + np.exp(extra - top)
    filling = logits.dtype.type({"zero": 0, "uniform": 1 / logits.shape[-1]}.get(rule, np.nan))
    lse = np.where(dead, -np.inf, np.log(total) + top)[..., 0]
    return np.where(dead, filling, powers / total).astype(by.work), lse.astype(by.work)
