"""A call of ``reference`` spelled out for the evaluator: one ``Head`` for each leading index and head."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tests.arrays.evaluator import Head, fractions, visible

ALIGNED = {"torch": "top", "jax": "top", "onnx": "top", "keras": "top", "flash": "bottom"}
MASKED = {"torch": "zero", "jax": "uniform", "onnx": "zero", "keras": "uniform", "flash": "zero", "torch-mha": "nan"}


def heads(query: Any, key: Any, value: Any, **options: Any) -> dict[tuple[int, ...], Head]:
    """Every head of (..., heads, n, d) arrays, straight from the definitions."""
    past = 0 if options.get("past_key") is None else options["past_key"].shape[-2]
    if past:
        key = np.concatenate([options["past_key"], key], axis=-2)
        value = np.concatenate([options["past_value"], value], axis=-2)
    *batch, count, n_q, _ = query.shape
    n_k = key.shape[-2]
    share = count // key.shape[-3]
    whole = (*batch, count, n_q, n_k)
    return {
        (*at, h): _head(
            query[(*at, h)], key[(*at, h // share)], value[(*at, h // share)], past, (*at, h), whole, options
        )
        for at in np.ndindex(*batch)
        for h in range(count)
    }


def _head(query: Any, key: Any, value: Any, past: int, at: Any, whole: Any, options: dict[str, Any]) -> Head:
    n_q, n_k = whole[-2:]
    convention = options.get("convention")
    lengths = options.get("key_lengths")
    length = None if lengths is None else int(np.broadcast_to(lengths, whole[:-3])[at[:-1]])
    diagonal = past if past or n_q == n_k else n_k - n_q if ALIGNED.get(convention) == "bottom" else 0
    if convention in ("onnx", "flash") and length is not None and not past:
        diagonal = length - n_q
    offsets = {False: None, True: diagonal, "top-left": 0, "bottom-right": n_k - n_q}
    mask = options.get("mask")
    if mask is not None:
        mask = np.broadcast_to(mask, whole)[at]
        mask = ~mask if convention == "torch-mha" else mask
    bias = options.get("bias")
    sink = options.get("sink")
    sink = None if sink is None else float(np.broadcast_to(sink, whole[:-2])[at])
    scale, cap = options.get("scale"), options.get("softcap")
    return Head(
        fractions(query),
        fractions(key),
        fractions(value),
        scale=None if scale is None else Fraction(scale),
        cap=None if cap is None else Fraction(cap),
        allowed=visible(
            n_q,
            n_k,
            offset=offsets[options.get("causal", False)],
            window=options.get("window"),
            window_offset=past if past or n_q == n_k else n_k - n_q if ALIGNED.get(convention) == "bottom" else 0,
            length=length,
            mask=mask,
        ),
        bias=None if bias is None else fractions(np.broadcast_to(bias, whole)[at]),
        sink=None if sink in (None, -np.inf) else Fraction(sink),
        masked_row=options.get("on_masked_row") or MASKED.get(convention, "error"),
    )
