"""What PyTorch, JAX and ONNX compute for each option of a problem, written to ``options.json``.

    pip install torch==2.13.0 jax==0.10.2 onnx numpy
    python tests/vectors/make_options.py

Entries are multiples of 1/8, exact in every type. ``problem`` is a problem file; ``results`` are the final output, and
where the system returns them the weights of each head and the log-sum-exps. ``within`` is what the system's own
arithmetic leaves: 1e-12 where it works in float64, more where it does not.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jax
import numpy as np
import onnx
import torch
from onnx.reference import ReferenceEvaluator
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention

jax.config.update("jax_enable_x64", True)
OUT = Path(__file__).with_name("options.json")
DOUBLE, SINGLE = 1e-12, 2e-6
Made = dict[str, Any]


def eighths(seed: int, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    chance = np.random.default_rng(seed)
    return [chance.integers(-12, 13, shape) / 8 for shape in shapes]


def exact(array: Any) -> Any:
    """Nested lists of fractions as a problem file has them."""
    array = np.asarray(array)
    if array.dtype == bool:
        return array.tolist()
    if array.ndim == 0:
        return "-oo" if np.isneginf(array) else str(Fraction(float(array)))
    return [exact(part) for part in array]


def text(array: Any) -> Any:
    """Nested lists; ``repr`` gives back the very float."""
    array = np.asarray(array, dtype="float64")
    return repr(float(array)) if array.ndim == 0 else [text(part) for part in array]


def beside(heads: np.ndarray) -> np.ndarray:
    """(heads, n, d) as (n, heads * d)."""
    return np.concatenate(list(heads), axis=-1)


def case(option: str, source: str, problem: dict[str, Any], within: float = DOUBLE, **results: Any) -> dict[str, Any]:
    told = {name: text(np.asarray(result)) for name, result in results.items()}
    return {"option": option, "source": source, "within": within, "problem": problem, "results": told}


def direct(q: np.ndarray, k: np.ndarray, v: np.ndarray, **attention: Any) -> dict[str, Any]:
    """A problem of Q, K, V; (heads, n, d) each."""
    if len(q) > 1:
        attention["num_heads"] = len(q)
        if len(k) != len(q):
            attention["num_kv_heads"] = len(k)
    tables = {name: exact(beside(table)) for name, table in zip("QKV", (q, k, v), strict=True)}
    return {**tables, "attention": attention}


TORCH, JAX, ONNX = f"torch {torch.__version__}", f"jax {jax.__version__}", f"onnx {onnx.__version__}"


def sdpa(
    option: str, call: str, seed: int, sizes: tuple[int, ...], theirs: dict[str, Any], **ours: Any
) -> dict[str, Any]:
    heads, shared, n_q, n_k, d_k, d_v = sizes
    q, k, v = eighths(seed, (heads, n_q, d_k), (shared, n_k, d_k), (shared, n_k, d_v))
    tensors = (torch.tensor(table)[None] for table in (q, k, v))
    output = scaled_dot_product_attention(*tensors, enable_gqa=heads != shared, **theirs)[0].numpy()
    source = f"{TORCH}, scaled_dot_product_attention({call})"
    return case(option, source, direct(q, k, v, **ours), output=beside(output))


def flex(option: str, call: str, seed: int, sizes: tuple[int, ...], change: Any, **ours: Any) -> dict[str, Any]:
    heads, n_q, n_k, d_k, d_v = sizes
    q, k, v = eighths(seed, (heads, n_q, d_k), (heads, n_k, d_k), (heads, n_k, d_v))
    tensors = (torch.tensor(table)[None] for table in (q, k, v))
    output, lse = flex_attention(*tensors, score_mod=change, return_lse=True)
    results = {"output": beside(output[0].numpy())}
    if ours.get("lse"):
        results["lse"] = lse[0].numpy()
    return case(option, f"{TORCH}, flex_attention({call})", direct(q, k, v, **ours), **results)


def of_jax(
    option: str, call: str, seed: int, sizes: tuple[int, ...], theirs: dict[str, Any], **ours: Any
) -> dict[str, Any]:
    """jax.nn.dot_product_attention, whose softmax is float32 whatever the type."""
    heads, shared, n_q, n_k, width = sizes
    q, k, v = eighths(seed, (heads, n_q, width), (shared, n_k, width), (shared, n_k, width))
    tensors = (jax.numpy.asarray(table.swapaxes(0, 1)[None]) for table in (q, k, v))
    output = np.asarray(jax.nn.dot_product_attention(*tensors, **theirs))[0].swapaxes(0, 1)
    source = f"{JAX}, dot_product_attention({call})"
    return case(option, source, direct(q, k, v, convention="jax", **ours), SINGLE, output=beside(output))


def mha(option: str, call: str, seed: int, theirs: dict[str, Any], ours: dict[str, Any], **made: Any) -> dict[str, Any]:
    """MultiheadAttention on a sequence, or on one that looks at another; PyTorch stores tables transposed."""
    model, heads = 6, 2
    x, other = eighths(seed, (4, model), (5, model))
    cross = made.pop("cross", False)
    layer = torch.nn.MultiheadAttention(model, heads, batch_first=True, dtype=torch.float64, **made)
    tables = eighths(seed + 100, *[(model, model)] * 4)
    biases = eighths(seed + 200, *[(model,)] * 4)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.tensor(np.concatenate([table.T for table in tables[:3]])))
        layer.out_proj.weight.copy_(torch.tensor(tables[3].T))
        if made.get("bias", True):
            layer.in_proj_bias.copy_(torch.tensor(np.concatenate(biases[:3])))
            layer.out_proj.bias.copy_(torch.tensor(biases[3]))
        source = torch.tensor(other if cross else x)[None]
        output, weights = layer(torch.tensor(x)[None], source, source, average_attn_weights=False, **theirs)
    problem = {"X": exact(x), **{f"W_{name}": exact(table) for name, table in zip("QKVO", tables, strict=True)}}
    if cross:
        problem["context"] = exact(other)
    if made.get("bias", True):
        problem |= {f"b_{name}": exact(bias) for name, bias in zip("QKVO", biases, strict=True)}
    problem["attention"] = {"num_heads": heads, **ours}
    weights = weights[0].numpy()[..., : len(other) if cross else len(x)]
    return case(option, f"{TORCH}, MultiheadAttention({call})", problem, output=output[0].numpy(), weights=weights)


def onnx_attention(
    option: str, seed: int, attributes: dict[str, Any], ours: dict[str, Any], past: int = 0
) -> dict[str, Any]:
    """The reference evaluator of ONNX's Attention-24, float64."""
    heads, n_q, n_k, width = 2, 3, 4, 3
    q, k, v, old_k, old_v = eighths(seed, (heads, n_q, width), *[(heads, n_k, width)] * 2, *[(heads, past, width)] * 2)
    names = ["Q", "K", "V", *(["", "past_key", "past_value"] if past else [])]
    outputs = ["Y", *(["present_key", "present_value"] if past else [])]
    node = onnx.helper.make_node("Attention", names, outputs, **attributes)
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, None) for name in names if name]
    told = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, None) for name in outputs]
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "attention", infos, told), opset_imports=[onnx.helper.make_opsetid("", 24)]
    )
    given = {"Q": q[None], "K": k[None], "V": v[None]}
    problem = direct(q, k, v, **ours)
    if past:
        given |= {"past_key": old_k[None], "past_value": old_v[None]}
        problem |= {"past_key": exact(beside(old_k)), "past_value": exact(beside(old_v))}
    output = ReferenceEvaluator(model).run(None, given)[0][0]
    said = ", ".join(f"{name}={entry}" for name, entry in attributes.items())
    return case(option, f"{ONNX}, Attention-24({said})", problem, output=beside(output))


def rotary(interleaved: bool) -> dict[str, Any]:
    """Queries and keys turned by ONNX's RotaryEmbedding-23, then scaled_dot_product_attention."""
    heads, tokens, width, base = 2, 4, 4, 100
    q, k, v = eighths(61 + interleaved, *[(heads, tokens, width)] * 3)
    angles = np.arange(tokens)[:, None] * base ** (-np.arange(width // 2) * 2 / width)
    names = ["X", "cos", "sin"]
    node = onnx.helper.make_node("RotaryEmbedding", names, ["Y"], interleaved=int(interleaved))
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, None) for name in names]
    told = [onnx.helper.make_tensor_value_info("Y", onnx.TensorProto.DOUBLE, None)]
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "rotary", infos, told), opset_imports=[onnx.helper.make_opsetid("", 23)]
    )
    caches = {"cos": np.cos(angles)[None], "sin": np.sin(angles)[None]}
    turned = [ReferenceEvaluator(model).run(None, {"X": table[None], **caches})[0] for table in (q, k)]
    output = scaled_dot_product_attention(*map(torch.tensor, turned), torch.tensor(v)[None])[0].numpy()
    source = (
        f"{ONNX}, RotaryEmbedding-23(interleaved={int(interleaved)}), base 100; {TORCH}, scaled_dot_product_attention"
    )
    return case("rope", source, direct(q, k, v, rope={"base": base, "interleaved": interleaved}), output=beside(output))


def mask(seed: int, *shape: int) -> np.ndarray:
    found = np.random.default_rng(seed).random(shape) < 0.6
    found[..., 1] = True
    return found


def capped(score, _batch, _head, _query, _key):
    return 1.5 * torch.tanh(score / 1.5)


def sloped(score, _batch, head, query, key):
    return score - 2.0 ** (-8 * (head + 1) / 2) * (query - key).abs()


def windowed(score, _batch, _head, query, key):
    return torch.where((query - key <= 2) & (key - query <= 1), score, -torch.inf)


def unchanged(score, _batch, _head, _query, _key):
    return score


def cooled(score, _batch, _head, _query, _key):
    return score / 2.5


SEEN, PER_HEAD, ADDED = mask(3, 4, 6), mask(4, 2, 4, 6), eighths(5, (2, 4, 6))[0]
DEAD = SEEN.copy()
DEAD[2] = False
HIDING = np.where(PER_HEAD, ADDED, -np.inf)
BARRED = np.random.default_rng(9).random((4, 4)) < 0.3
BARRED[:, 0] = False

CASES = [
    sdpa("causal", "q, k, v, is_causal=True", 1, (2, 2, 5, 5, 3, 2), {"is_causal": True}, causal=True),
    sdpa("causal", "q, k, v, is_causal=True", 2, (1, 1, 3, 5, 4, 2), {"is_causal": True}, causal="top-left"),
    sdpa("mask", "q, k, v, attn_mask=mask", 3, (2, 2, 4, 6, 3, 2), {"attn_mask": torch.tensor(SEEN)}, mask=exact(SEEN)),
    sdpa(
        "mask",
        "q, k, v, attn_mask=mask of each head",
        4,
        (2, 2, 4, 6, 3, 2),
        {"attn_mask": torch.tensor(PER_HEAD)},
        mask=exact(PER_HEAD),
    ),
    sdpa(
        "bias", "q, k, v, attn_mask=bias", 5, (2, 2, 4, 6, 3, 2), {"attn_mask": torch.tensor(ADDED)}, bias=exact(ADDED)
    ),
    sdpa(
        "bias",
        "q, k, v, attn_mask=bias with -inf",
        6,
        (2, 2, 4, 6, 3, 2),
        {"attn_mask": torch.tensor(HIDING)},
        bias=exact(HIDING),
    ),
    sdpa("scale", "q, k, v, scale=0.375", 7, (1, 1, 4, 6, 3, 2), {"scale": 0.375}, scale="3/8"),
    sdpa("num_kv_heads", "q, k, v, enable_gqa=True", 8, (6, 2, 4, 5, 3, 2), {}),
    sdpa("num_kv_heads", "q, k, v, enable_gqa=True", 9, (4, 1, 4, 5, 3, 2), {}),
    sdpa(
        "on_masked_row",
        "q, k, v, attn_mask=mask with an empty row",
        10,
        (1, 1, 4, 6, 3, 2),
        {"attn_mask": torch.tensor(DEAD)},
        mask=exact(DEAD),
        on_masked_row="zero",
    ),
    sdpa(
        "convention",
        "q, k, v, attn_mask=mask with an empty row",
        11,
        (1, 1, 4, 6, 3, 2),
        {"attn_mask": torch.tensor(DEAD)},
        mask=exact(DEAD),
        convention="torch",
    ),
    flex("softcap", "score_mod=1.5 * tanh(score / 1.5)", 21, (2, 4, 5, 3, 2), capped, softcap="3/2"),
    flex("alibi", "score_mod=score - 2^(-8 (h + 1) / 2) |i - j|", 22, (2, 4, 4, 3, 2), sloped, alibi=True),
    flex("window", "score_mod=-inf outside", 23, (1, 5, 5, 3, 2), windowed, window=[2, 1]),
    flex("lse", "return_lse=True", 24, (2, 4, 5, 3, 2), unchanged, lse=True),
    flex("temperature", "score_mod=score / 2.5", 25, (1, 4, 5, 3, 2), cooled, temperature="5/2"),
    of_jax("causal", "q, k, v, is_causal=True", 31, (2, 2, 3, 5, 3), {"is_causal": True}, causal=True),
    of_jax(
        "window", "q, k, v, local_window_size=(1, 2)", 32, (2, 2, 5, 5, 3), {"local_window_size": (1, 2)}, window=[1, 2]
    ),
    of_jax(
        "key_lengths",
        "q, k, v, key_value_seq_lengths=[3]",
        33,
        (2, 1, 4, 5, 3),
        {"key_value_seq_lengths": jax.numpy.asarray([3], "int32")},
        key_lengths=3,
    ),
    of_jax(
        "on_masked_row",
        "q, k, v, mask=mask with an empty row",
        34,
        (1, 1, 4, 6, 3),
        {"mask": jax.numpy.asarray(DEAD[None, None])},
        mask=exact(DEAD),
    ),
    of_jax(
        "bias", "q, k, v, bias=bias", 35, (2, 2, 4, 6, 3), {"bias": jax.numpy.asarray(ADDED[None])}, bias=exact(ADDED)
    ),
    mha("num_heads", "6, 2, bias=False", 41, {}, {}, bias=False),
    mha("num_heads", "6, 2", 42, {}, {}),
    mha("context", "6, 2; keys and values of another sequence", 43, {}, {}, cross=True),
    mha(
        "mask",
        "6, 2; attn_mask=mask, true where masked",
        44,
        {"attn_mask": torch.tensor(BARRED)},
        {"mask": exact(~BARRED)},
    ),
    mha(
        "key_lengths",
        "6, 2; key_padding_mask=[0, 0, 0, 1, 1]",
        45,
        {"key_padding_mask": torch.tensor([[False, False, False, True, True]])},
        {"key_lengths": 3},
        cross=True,
    ),
    mha("sink", "6, 2, add_zero_attn=True", 46, {}, {"sink": 0}, add_zero_attn=True),
    onnx_attention("past_key", 51, {"is_causal": 1}, {"causal": True, "convention": "onnx"}, past=2),
    onnx_attention("softcap", 52, {"softcap": 2.0}, {"softcap": 2}),
    rotary(False),
    rotary(True),
]

if __name__ == "__main__":
    about = "What other systems compute for each option of a problem; made by make_options.py."
    lines = ",\n".join(json.dumps(made) for made in CASES)  # one case a line
    OUT.write_text(f'{{"about": {json.dumps(about)}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")
