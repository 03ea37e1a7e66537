"""Implementations that each make one mistake of the catalogue, written as people write them; and a right one.

Shapes are (batch, heads, n, d), with fewer heads for keys and values. ``CASES`` has for each mistake an implementation,
the sizes and options of a call where it shows, and the names of its results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


def softmax(x, axis=-1):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)


def repeated(x, heads):
    return np.repeat(x, heads // x.shape[1], axis=1)


def default(q):
    return q.dtype.type(1 / np.sqrt(q.shape[-1]))


def logits(q, k, scale=None):
    return np.einsum("bhid,bhjd->bhij", q, repeated(k, q.shape[1])) * (
        default(q) if scale is None else q.dtype.type(scale)
    )


def mix(p, v):
    return np.einsum("bhij,bhjd->bhid", p, repeated(v, p.shape[1]))


def causal(n, m, offset=0):
    return np.tril(np.ones((n, m), bool), offset)


def hide(s, allowed):
    return np.where(allowed, s, -np.inf).astype(s.dtype)


def zero_dead(p):
    return np.nan_to_num(p, nan=0.0)


# ------------------------------------------------------------------------------------------------------------- right


def right(q, k, v, *, scale=None, mask=None, bias=None, softcap=None, causal=None, past=None, rule="nan"):
    if past is not None:
        k, v = (np.concatenate(pair, 2) for pair in zip(past, (k, v), strict=True))
    s = logits(q, k, scale)
    if softcap is not None:
        s = (softcap * np.tanh(s / softcap)).astype(q.dtype)
    if bias is not None:
        s = s + bias.astype(q.dtype)
    n, m = s.shape[-2:]
    offset = {None: m, True: 0 if past is None else past[0].shape[2], "top-left": 0, "bottom-right": m - n}[causal]
    allowed = np.tril(np.ones((n, m), bool), offset) & (True if mask is None else mask)
    p = softmax(hide(s, allowed))
    return mix(np.nan_to_num(p, nan={"zero": 0.0, "uniform": 1 / m, "nan": np.nan}[rule]), v)


# ----------------------------------------------------------------------------------------------------------- mistakes


def unscaled(q, k, v):
    return mix(softmax(logits(q, k, 1)), v)


def by_d_k(q, k, v):
    return mix(softmax(logits(q, k, 1) / q.dtype.type(q.shape[-1])), v)


def by_sqrt_d_model(q, k, v):
    return mix(softmax(logits(q, k, 1) / np.sqrt(q.dtype.type(q.shape[1] * q.shape[-1]))), v)


def twice(q, k, v, scale):
    return mix(softmax(logits(q * q.dtype.type(scale), k, scale)), v)


def over_queries(q, k, v):
    return mix(softmax(logits(q, k), axis=-2), v)


def ignoring_mask(q, k, v, mask):
    return mix(softmax(logits(q, k)), v)


def inverted_mask(q, k, v, mask):
    return mix(softmax(np.where(mask, -np.inf, logits(q, k)).astype(q.dtype)), v)


def after_softmax(q, k, v, causal):
    return mix(np.tril(softmax(logits(q, k))), v)


def other_alignment(q, k, v, causal):
    n, m = q.shape[-2], k.shape[-2]
    return mix(softmax(hide(logits(q, k), np.tril(np.ones((n, m), bool), 0 if causal == "bottom-right" else m - n))), v)


def strict(q, k, v, causal):
    n = q.shape[-2]
    s = hide(logits(q, k), np.tril(np.ones((n, n), bool), -1))
    return mix(zero_dead(softmax(s)), v)


def without_cache(q, k, v, causal, past_key, past_value):
    k, v = np.concatenate([past_key, k], 2), np.concatenate([past_value, v], 2)
    return mix(softmax(hide(logits(q, k), np.tril(np.ones((q.shape[-2], k.shape[-2]), bool)))), v)


def finite(q, k, v, mask):
    return mix(softmax(np.where(mask, logits(q, k), q.dtype.type(-1e4))), v)


def finite_added(q, k, v, mask):
    return mix(softmax(logits(q, k) + np.where(mask, 0, -1e4).astype(q.dtype)), v)


def ignoring_bias(q, k, v, bias):
    return mix(softmax(logits(q, k)), v)


def bias_taken_away(q, k, v, bias):
    return mix(softmax(logits(q, k) - bias.astype(q.dtype)), v)


def uncapped(q, k, v, softcap):
    return mix(softmax(logits(q, k)), v)


def cap_after(q, k, v, softcap, mask):
    s = hide(logits(q, k), mask)
    return mix(softmax((softcap * np.tanh(s / softcap)).astype(q.dtype)), v)


def swapped(q, k, v):
    return mix(softmax(logits(k, q)), v)


def key_for_value(q, k, v):
    return mix(softmax(logits(q, k)), k)


def no_softmax(q, k, v):
    return mix(logits(q, k), v)


def viewed(x):
    """(batch, n, heads * d) as (batch, heads, n, d) without the transpose."""
    b, h, n, d = x.shape
    return np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(b, n, h * d).reshape(b, h, n, d)


def viewed_in(q, k, v):
    return mix(softmax(logits(viewed(q), viewed(k))), viewed(v))


def viewed_out(q, k, v):
    z = mix(softmax(logits(q, k)), v)
    b, h, n, d = z.shape
    return z.reshape(b, n, h * d).reshape(b, n, h, d).transpose(0, 2, 1, 3)


def viewed_both(q, k, v):
    return viewed_out(viewed(q), viewed(k), viewed(v))


def tiled(q, k, v):
    times = q.shape[1] // k.shape[1]
    return mix(softmax(logits(q, np.tile(k, (1, times, 1, 1)))), np.tile(v, (1, times, 1, 1)))


def float32_softmax(q, k, v):
    return mix(softmax(logits(q, k).astype("float32")).astype("float64"), v)


def dead_rows(filling):
    def run(q, k, v, mask, **_):
        p = softmax(hide(logits(q, k), mask))
        return mix(np.nan_to_num(p, nan=filling(p.shape[-1])), v)

    return run


# ---------------------------------------------------------------------------------------------------------- gradients


def backward(q, k, v, grad_output, *, delta=True, query_scale=True, key_scale=True, heads="sum"):
    h, g = q.shape[1], k.shape[1]
    p = softmax(logits(q, k))
    dp = np.einsum("bhid,bhjd->bhij", grad_output, repeated(v, h))
    ds = p * (dp - (p * dp).sum(-1, keepdims=True) if delta else dp)
    dq = np.einsum("bhij,bhjd->bhid", ds, repeated(k, h)) * (default(q) if query_scale else 1)
    dk = np.einsum("bhij,bhid->bhjd", ds, q) * (default(q) if key_scale else 1)
    dv = np.einsum("bhij,bhid->bhjd", p, grad_output)

    def shared(x):
        groups = x.reshape(x.shape[0], g, h // g, *x.shape[2:])
        return groups.sum(2) if heads == "sum" else groups[:, :, heads]

    return {"output": mix(p, v), "d_query": dq, "d_key": shared(dk), "d_value": shared(dv)}


def spoiled_backward(**choice):
    return lambda q, k, v, grad_output: backward(q, k, v, grad_output, **choice)


@dataclass(frozen=True, eq=False)
class Case:
    """Sizes are (batch, heads, kv_heads, n_q, n_k, d_k, d_v)."""

    key: str
    run: Callable[..., Any]
    sizes: tuple[int, int, int, int, int, int, int] = (2, 4, 2, 5, 7, 3, 2)
    options: dict[str, Any] = field(default_factory=dict)
    passed: tuple[str, ...] = ()
    size: float = 1.0
    opposed: bool = False
    dtypes: tuple[str, ...] = ("float64", "float32")


def chance(seed):
    return np.random.default_rng(seed)


MASK = chance(1).random((5, 7)) < 0.6
MASK[:, 2] = True
DEAD = MASK.copy()
DEAD[3] = False
BIAS = chance(2).standard_normal((4, 5, 7))
LAST = chance(3).random((5, 7)) < 0.5
LAST[:, 1] = True

CASES = [
    Case("unscaled", unscaled),
    Case("unscaled", unscaled, sizes=(1, 1, 1, 3, 5, 2, 4)),
    Case("scaled_by_d_k", by_d_k, options={"scale": 0.5}, passed=()),
    Case("scaled_by_sqrt_d_model", by_sqrt_d_model),
    Case("scaled_twice", twice, options={"scale": 0.375}, passed=("scale",)),
    Case("softmax_over_queries", over_queries),
    Case("mask_ignored", ignoring_mask, options={"mask": MASK}, passed=("mask",)),
    Case("mask_inverted", inverted_mask, options={"mask": LAST}, passed=("mask",)),
    Case("mask_after_softmax", after_softmax, (2, 4, 2, 6, 6, 3, 2), {"causal": True}, ("causal",)),
    Case("other_causal_alignment", other_alignment, options={"causal": "bottom-right"}, passed=("causal",)),
    Case("other_causal_alignment", other_alignment, options={"causal": "top-left"}, passed=("causal",)),
    Case("strict_causal", strict, (2, 4, 2, 6, 6, 3, 2), {"causal": True}, ("causal",)),
    Case(
        "cache_ignored_by_causal",
        without_cache,
        (2, 4, 2, 3, 5, 3, 2),
        {"causal": True, "past": 4},
        ("causal", "past_key", "past_value"),
    ),
    Case("finite_mask", finite, options={"mask": MASK}, passed=("mask",), size=120.0, opposed=True),
    Case("finite_mask", finite_added, options={"mask": MASK}, passed=("mask",), size=120.0),
    Case("bias_ignored", ignoring_bias, options={"bias": BIAS}, passed=("bias",)),
    Case("bias_sign", bias_taken_away, options={"bias": BIAS}, passed=("bias",)),
    Case("cap_ignored", uncapped, options={"softcap": 1.5}, passed=("softcap",)),
    Case("cap_after_mask", cap_after, options={"softcap": 1.5, "mask": MASK}, passed=("softcap", "mask")),
    Case("queries_and_keys_swapped", swapped, (2, 3, 3, 6, 6, 4, 2)),
    Case("value_is_key", key_for_value, (2, 4, 2, 5, 7, 3, 3)),
    Case("scores_times_value", no_softmax),
    Case("heads_reshaped_without_transpose", viewed_in, (2, 3, 3, 5, 7, 4, 2)),
    Case("heads_reshaped_without_transpose", viewed_out, (2, 3, 3, 5, 7, 4, 2)),
    Case("heads_reshaped_without_transpose", viewed_both, (2, 3, 3, 5, 7, 4, 2)),
    Case("kv_heads_tiled", tiled, (2, 6, 2, 5, 7, 3, 2)),
    Case("float32_softmax", float32_softmax, dtypes=("float64",)),
    Case("masked_row_zero", dead_rows(lambda _: 0.0), options={"mask": DEAD, "on_masked_row": "nan"}, passed=("mask",)),
    Case(
        "masked_row_uniform",
        dead_rows(lambda n: 1 / n),
        options={"mask": DEAD, "on_masked_row": "zero"},
        passed=("mask",),
        size=120.0,
        opposed=True,
    ),
    Case(
        "masked_row_nan", dead_rows(lambda _: np.nan), options={"mask": DEAD, "on_masked_row": "zero"}, passed=("mask",)
    ),
    Case("grad_delta_omitted", spoiled_backward(delta=False), options={"grad": True}, passed=("grad_output",)),
    Case("grad_scale_forgotten", spoiled_backward(query_scale=False), options={"grad": True}, passed=("grad_output",)),
    Case("grad_scale_forgotten", spoiled_backward(key_scale=False), options={"grad": True}, passed=("grad_output",)),
    Case(
        "grad_scale_forgotten",
        spoiled_backward(query_scale=False, key_scale=False),
        options={"grad": True},
        passed=("grad_output",),
    ),
    Case("grad_group_not_summed", spoiled_backward(heads=0), options={"grad": True}, passed=("grad_output",)),
    Case("grad_group_not_summed", spoiled_backward(heads=-1), options={"grad": True}, passed=("grad_output",)),
]


def inputs(case: Case, dtype: str, seed: int = 0) -> dict[str, Any]:
    """The keyword arguments of a case."""
    random = chance(seed)
    batch, heads, shared, n_q, n_k, d_k, d_v = case.sizes
    given = {
        "query": random.standard_normal((batch, heads, n_q, d_k)) * case.size,
        "key": random.standard_normal((batch, shared, n_k, d_k)) * case.size,
        "value": random.standard_normal((batch, shared, n_k, d_v)),
    }
    if case.opposed:
        given |= {"query": np.abs(given["query"]), "key": -np.abs(given["key"])}
    options = dict(case.options)
    past = options.pop("past", 0)
    if past:
        given["past_key"] = random.standard_normal((batch, shared, past, d_k))
        given["past_value"] = random.standard_normal((batch, shared, past, d_v))
    if options.pop("grad", False):
        given["grad_output"] = random.standard_normal((batch, heads, n_q, d_v))
    if "bias" in options:
        given["bias"] = options.pop("bias")
    return {name: array.astype(dtype) for name, array in given.items()} | options


def result(case: Case, given: dict[str, Any]) -> Any:
    """What the implementation of a case returns, in the type of the queries; 16-bit types are worked in float32."""
    dtype = given["query"].dtype
    work = np.promote_types(dtype, "float32") if dtype.name != "bfloat16" else "float32"
    wide = {
        name: entry.astype(work) if isinstance(entry, np.ndarray) and entry.dtype == dtype else entry
        for name, entry in given.items()
    }
    found = case.run(wide["query"], wide["key"], wide["value"], **{name: wide[name] for name in case.passed})
    if isinstance(found, dict):
        return {name: table.astype(dtype) for name, table in found.items()}
    return found.astype(dtype)


def rightly(given: dict[str, Any]) -> Any:
    """What the right implementation returns for the same call."""
    names = {name: given[name] for name in ("scale", "mask", "bias", "softcap", "causal") if name in given}
    past = (given["past_key"], given["past_value"]) if "past_key" in given else None
    rule = given.get("on_masked_row", "nan")
    arrays = given["query"], given["key"], given["value"]
    if "grad_output" in given:
        return backward(*arrays, given["grad_output"])
    return right(*arrays, **names, past=past, rule=rule)
