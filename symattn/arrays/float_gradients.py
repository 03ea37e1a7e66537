"""Gradients in binary floats, by NumPy: the plain evaluation of a type, and what a mistake would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symattn.arrays.call import Call
from symattn.arrays.floating import DOUBLE, Arithmetic, Forward, forward
from symattn.arrays.reading import numpy
from symattn.mistakes.catalogue import RIGHT, Deviation

if TYPE_CHECKING:
    from symattn.arrays.reading import Array


@dataclass(frozen=True)
class Gradients:
    """d_query (..., heads, n_q, d_k), d_key (..., kv_heads, n_k, d_k) and d_value, of the new keys and values."""

    query: Array
    key: Array
    value: Array


def gradients(call: Call, deviation: Deviation = RIGHT, by: Arithmetic = DOUBLE) -> Gradients | None:
    """The gradients of a call by the formulas of ``exact.arrays.gradients``, with the choices of a deviation.

    None for deviations that change which array is which, and for those without a softmax.
    """
    moved = deviation.heads, deviation.operands, deviation.value, deviation.softmax
    if call.grad is None or moved != ("given",) * len(moved):
        return None
    np = numpy()
    with np.errstate(all="ignore"):
        found = forward(call, deviation, by, np.arange(call.given.sizes.n_q))
        return _gradients(call, found, call.grad.astype(by.work), deviation, by)


def _gradients(call: Call, found: Forward, grad: Array, deviation: Deviation, by: Arithmetic) -> Gradients:
    np = numpy()
    shares = np.nan_to_num(found.shares, nan=0.0)
    after = deviation.mask == "after" and found.allowed is not None
    weights = np.where(found.allowed, shares, 0) if after else shares
    slopes = by.keep("weights", grad @ found.value.swapaxes(-1, -2))
    slopes = np.where(found.allowed, slopes, 0) if after else slopes
    delta = (shares * slopes).sum(axis=-1, keepdims=True) * (deviation.gradient != "delta")
    steps = by.keep("weights", shares * (slopes - delta))
    if found.tanh is not None:
        steps = steps * (1 - found.tanh * found.tanh)
    dead = np.isneginf(found.lse)
    steps = np.where(dead[..., None], 0, steps).astype(by.work)
    factor = steps.dtype.type(found.factor)
    to_query = steps @ found.key * (1 if deviation.gradient in ("query_scale", "both_scales") else factor)
    to_key = (
        steps.swapaxes(-1, -2) @ found.query * (1 if deviation.gradient in ("key_scale", "both_scales") else factor)
    )
    to_value = weights.swapaxes(-1, -2) @ grad
    past = call.given.sizes.past
    to_key, to_value = (_grouped(table, call, deviation)[..., past:, :] for table in (to_key, to_value))
    rule = call.masked_row if deviation.masked_row == "given" else deviation.masked_row
    if rule == "nan" and dead.any():
        to_query = np.where(dead[..., None], np.nan, to_query)
        spoiled = _grouped(dead.any(axis=-1)[..., None, None].astype(by.work), call, deviation) > 0
        to_key, to_value = np.where(spoiled, np.nan, to_key), np.where(spoiled, np.nan, to_value)
    return Gradients(*(by.keep("output", table) for table in (to_query, to_key, to_value)))


def _grouped(table: Array, call: Call, deviation: Deviation) -> Array:
    """What the heads that share a key head give to it: the sum, or that of one head."""
    sizes = call.given.sizes
    share = sizes.heads // sizes.kv_heads
    *batch, _, rows, width = table.shape
    if deviation.kv_heads == "tiled":
        groups = table.reshape(*batch, share, sizes.kv_heads, rows, width).swapaxes(-3, -4)
    else:
        groups = table.reshape(*batch, sizes.kv_heads, share, rows, width)
    if deviation.gradient in ("first", "last"):
        return groups[..., 0 if deviation.gradient == "first" else -1, :, :]
    return groups.sum(axis=-3)  # type: ignore[no-any-return]
