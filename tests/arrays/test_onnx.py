"""ONNX's own backend tests of its Attention operator, within the error that ONNX allows; the largest one is printed.

The expected arrays come from ONNX's reference in NumPy. Every case is run; what is left out of a case, and why, stands
in ``LEFT_OUT``, and a test counts them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.backend.test.case.node as node
import onnx.backend.test.case.node.attention
import pytest

from symattn import reference

ALL = [case for case in node._NodeTestCases if case.name.startswith("test_attention")]
CASES = {case.name: case for case in ALL if not case.name.endswith("_expanded")}
assert len(CASES) > 80, "cases not found"
LEFT_OUT = {
    "_expanded": "the same numbers again, with the operator written out as a graph",
    "present_key, present_value": "caches that are handed on hold no arithmetic",
    "qk_matmul_output_mode 0, 1, 2": "scores before the softmax are no result of ours; mode 3 is the weights",
}
WEIGHTS = 3
BFLOAT16 = 2**-6
"""What ONNX's runner allows for bfloat16, whatever the case says."""


def read(case: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The keyword arguments of ``reference`` for a case, and the arrays to expect."""
    (operator,) = case.model.graph.node
    ((given, expected),) = case.data_sets
    arrays = dict(zip([name for name in operator.input if name], given, strict=True))
    attributes = {entry.name: onnx.helper.get_attribute_value(entry) for entry in operator.attribute}
    heads = attributes.get("q_num_heads"), attributes.get("kv_num_heads"), attributes.get("kv_num_heads")
    call: dict[str, Any] = {
        name.lower(): split(arrays[key], count)
        for name, key, count in zip(("query", "key", "value"), "QKV", heads, strict=True)
    }
    call |= {name: arrays[name] for name in ("past_key", "past_value") if name in arrays}
    past = call["past_key"].shape[-2] if "past_key" in call else 0
    if "attn_mask" in arrays:
        mask = padded(arrays["attn_mask"], past + call["key"].shape[-2])
        call["mask" if mask.dtype == bool else "bias"] = mask
    if "nonpad_kv_seqlen" in arrays:
        call["key_lengths"] = arrays["nonpad_kv_seqlen"]
    window = attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)
    call |= {
        "causal": bool(attributes.get("is_causal", 0)),
        "scale": attributes.get("scale"),
        "softcap": attributes.get("softcap") or None,
        "window": None if window == (-1, -1) else window,
        "convention": "onnx",
    }
    wanted = dict(zip([name for name in operator.output if name], expected, strict=True))
    if attributes.get("qk_matmul_output_mode", 0) != WEIGHTS:
        wanted.pop("qk_matmul_output", None)
    return call, {name: array for name, array in wanted.items() if name in ("Y", "qk_matmul_output")}


def split(array: np.ndarray, heads: int | None) -> np.ndarray:
    """(batch, n, heads * d) as (batch, heads, n, d)."""
    return array if array.ndim == 4 else array.reshape(*array.shape[:2], heads, -1).swapaxes(1, 2)


def padded(mask: np.ndarray, n_k: int) -> np.ndarray:
    """A short last axis is filled up with keys that are masked."""
    missing = n_k - mask.shape[-1]
    filling = False if mask.dtype == bool else -np.inf
    return np.concatenate([mask, np.full((*mask.shape[:-1], missing), filling, mask.dtype)], axis=-1)


def errors(case: Any) -> float:
    """The largest error of a case, in units of what ONNX allows."""
    call, expected = read(case)
    dtype = expected["Y"].dtype
    output, weights = reference(**call, dtype=dtype, return_weights=True)
    found = {"Y": output, "qk_matmul_output": weights}
    worst = 0.0
    for name, array in expected.items():
        ours, theirs = found[name].astype("float64"), array.astype("float64")
        if name == "Y" and array.ndim == 3:
            ours = ours.swapaxes(1, 2).reshape(array.shape)
        assert ours.shape == theirs.shape
        rtol = max(case.rtol, BFLOAT16) if array.dtype.name == "bfloat16" else case.rtol
        allowed = case.atol + rtol * np.abs(theirs)
        worst = max(worst, float((np.abs(ours - theirs) / allowed).max()))
    return worst


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    assert errors(CASES[name]) <= 1


def test_largest_error(capsys):
    worst = dict.fromkeys(("float32", "float16", "bfloat16"), (0.0, ""))
    for name, case in CASES.items():
        kind = read(case)[1]["Y"].dtype.name
        worst[kind] = max(worst[kind], (errors(case), name))
    with capsys.disabled():
        told = ", ".join(f"{kind} {error:.2g} of what is allowed ({name})" for kind, (error, name) in worst.items())
        print(f"\nONNX {onnx.__version__}, {len(CASES)} Attention cases, largest error: {told}")  # noqa: T201 - asked for
    assert all(0 < error <= 1 for error, _ in worst.values())


def test_what_is_left_out():
    """The list above is all: every other array of every case is compared."""
    left = {"_expanded": len(ALL) - len(CASES), "present": 0, "scores": 0}
    for case in CASES.values():
        names = [name for name in case.model.graph.node[0].output if name]
        skipped = set(names) - set(read(case)[1])
        left["present"] += len(skipped & {"present_key", "present_value"})
        left["scores"] += len(skipped & {"qk_matmul_output"})
        assert skipped <= {"present_key", "present_value", "qk_matmul_output"}
    assert all(left.values())
    assert len(left) == len(LEFT_OUT)
