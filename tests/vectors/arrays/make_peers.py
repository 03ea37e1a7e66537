"""What PyTorch and JAX compute, written to ``peers.json``: run it with both installed, and commit what changed.

    pip install torch==2.13.0 jax==0.10.2 numpy
    python tests/vectors/arrays/make_peers.py

Inputs are small multiples of 1/8, exact in every type; results are float64. Gradients are those of PyTorch's autograd.
Each case holds the version and the call that made it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

jax.config.update("jax_enable_x64", True)
OUT = Path(__file__).with_name("peers.json")


def inputs(seed: int, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    chance = np.random.default_rng(seed)
    return [chance.integers(-16, 17, shape) / 8 for shape in shapes]


def text(array: Any) -> Any:
    """Nested lists with a row as one line; 1 for true. ``repr`` gives back the very float."""
    array = np.asarray(array)
    if array.ndim > 1:
        return [text(part) for part in array]
    return " ".join(repr(float(number)) if array.dtype != bool else str(int(number)) for number in array)


def sdpa(name: str, call: str, seed: int, sizes: tuple[int, ...], flags: list[str], **options: Any) -> dict[str, Any]:
    """A case of scaled_dot_product_attention, with gradients."""
    batch, heads, kv_heads, n_q, n_k, width, values = sizes
    shapes = [(batch, heads, n_q, width), (batch, kv_heads, n_k, width), (batch, kv_heads, n_k, values)]
    query, key, value, grad = inputs(seed, *shapes, (batch, heads, n_q, values))
    mask = options.pop("mask", None)
    bias = options.pop("bias", None)
    tensors = [torch.tensor(array, requires_grad=True) for array in (query, key, value)]
    added = mask if mask is not None else bias
    output = scaled_dot_product_attention(
        *tensors,
        attn_mask=None if added is None else torch.tensor(added),
        is_causal=options.get("causal", False),
        scale=options.get("scale"),
        enable_gqa=heads != kv_heads,
    )
    output.backward(torch.tensor(grad))
    given = {"query": query, "key": key, "value": value, "grad_output": grad, "mask": mask, "bias": bias}
    return {
        "name": name,
        "source": f"torch {torch.__version__}, {call}",
        "flags": flags,
        "options": {**options, "convention": "torch"},
        "inputs": {key: text(array) for key, array in given.items() if array is not None},
        "results": {
            "output": text(output.detach()),
            **{f"d_{name}": text(tensor.grad) for name, tensor in zip(("query", "key", "value"), tensors, strict=True)},
        },
    }


def mha() -> dict[str, Any]:
    """MultiheadAttention with projections that copy: masks are true for masked keys, and weights are returned."""
    query, key, value = inputs(7, (1, 5, 4), (1, 6, 4), (1, 6, 4))
    mask = np.random.default_rng(8).random((5, 6)) < 0.3
    mask[2] = False
    layer = torch.nn.MultiheadAttention(4, 2, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(4))
    output, weights = layer(
        *(torch.tensor(array) for array in (query, key, value)),
        attn_mask=torch.tensor(mask),
        need_weights=True,
        average_attn_weights=False,
    )
    call = "MultiheadAttention(4, 2)(q, k, v, attn_mask=mask, average_attn_weights=False)"
    split = [array.reshape(1, -1, 2, 2) for array in (query, key, value)]
    return {
        "name": "MultiheadAttention, boolean mask",
        "source": f"torch {torch.__version__}, {call}",
        "flags": ["mask polarity", "layout"],
        "options": {"convention": "torch-mha", "layout": "bshd"},
        "inputs": {**dict(zip(("query", "key", "value"), map(text, split), strict=True)), "mask": text(mask)},
        "results": {
            "output": text(output.detach().numpy().reshape(1, 5, 2, 2)),
            "weights": text(weights.detach()),
        },
    }


def of_jax(name: str, call: str, seed: int, flags: list[str], **options: Any) -> dict[str, Any]:
    """A case of jax.nn.dot_product_attention. Its softmax is in float32, whatever the type."""
    query, key, value = inputs(seed, (2, 5, 4, 3), (2, 7, 2, 3), (2, 7, 2, 3))
    theirs = dict(options)
    if "window" in theirs:
        theirs["local_window_size"] = tuple(theirs.pop("window"))
    theirs["is_causal"] = theirs.pop("causal", False)
    lengths = theirs.pop("key_lengths", None)
    output = jax.nn.dot_product_attention(
        *map(jax.numpy.asarray, (query, key, value)),
        key_value_seq_lengths=None if lengths is None else jax.numpy.asarray(lengths, "int32"),
        **theirs,
    )
    return {
        "name": name,
        "source": f"jax {jax.__version__}, {call}",
        "flags": [*flags, "float32 softmax"],
        "options": {**options, "convention": "jax", "layout": "bshd"},
        "inputs": dict(zip(("query", "key", "value"), map(text, (query, key, value)), strict=True)),
        "results": {"output": text(output)},
    }


def masked(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(seed).random(shape) < 0.7


CASES = [
    sdpa("plain", "scaled_dot_product_attention(q, k, v)", 1, (2, 2, 2, 5, 7, 3, 4), []),
    sdpa("causal", "scaled_dot_product_attention(q, k, v, is_causal=True)", 2, (1, 2, 2, 5, 5, 3, 4), [], causal=True),
    sdpa(
        "causal, more keys",
        "scaled_dot_product_attention(q, k, v, is_causal=True)",
        3,
        (1, 2, 2, 5, 7, 3, 4),
        ["alignment"],
        causal=True,
    ),
    sdpa(
        "shared key heads",
        "scaled_dot_product_attention(q, k, v, enable_gqa=True)",
        4,
        (1, 6, 2, 5, 7, 3, 4),
        ["shared key heads"],
    ),
    sdpa(
        "scale and mask",
        "scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.25)",
        5,
        (2, 2, 2, 5, 7, 3, 4),
        ["mask polarity"],
        scale=0.25,
        mask=masked(5, (2, 1, 5, 7)),
    ),
    sdpa(
        "masked rows",
        "scaled_dot_product_attention(q, k, v, attn_mask=mask)",
        6,
        (1, 2, 2, 5, 7, 3, 4),
        ["masked rows", "mask polarity"],
        mask=masked(6, (5, 7)) & (np.arange(5)[:, None] != 3),
    ),
    sdpa(
        "bias",
        "scaled_dot_product_attention(q, k, v, attn_mask=bias)",
        9,
        (1, 2, 2, 5, 7, 3, 4),
        ["bias"],
        bias=np.where(masked(9, (2, 5, 7)), inputs(10, (2, 5, 7))[0], -np.inf),
    ),
    mha(),
    of_jax("jax, plain", "dot_product_attention(q, k, v)", 11, ["shared key heads"]),
    of_jax("jax, causal", "dot_product_attention(q, k, v, is_causal=True)", 12, ["alignment"], causal=True),
    of_jax("jax, window", "dot_product_attention(q, k, v, local_window_size=(1, 2))", 13, ["alignment"], window=[1, 2]),
    of_jax(
        "jax, lengths",
        "dot_product_attention(q, k, v, key_value_seq_lengths=[3, 7])",
        14,
        ["padding"],
        key_lengths=[3, 7],
    ),
]

NOTES = {
    "alignment": "more keys than queries: the other alignment shows at once",
    "mask polarity": "true for attend in one call, for masked in another",
    "masked rows": "zeros, with gradients that are zero",
    "shared key heads": "head h reads key head floor(h * kv_heads / heads): tiled ones differ; gradients are added",
    "bias": "added after the scale",
    "padding": "keys from a length on are masked",
    "layout": "heads stand after the rows",
    "float32 softmax": "exponentials and sums are float32 whatever the type: held to 2e-6, the others to 1e-13",
}

if __name__ == "__main__":
    assert {flag for case in CASES for flag in case["flags"]} == set(NOTES)
    about = "What other systems compute on inputs that are exact in every type; made by make_peers.py."
    OUT.write_text(json.dumps({"about": about, "notes": NOTES, "cases": CASES}, indent=1) + "\n", encoding="utf-8")
