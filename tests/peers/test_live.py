"""PyTorch and JAX, live: what they compute now, on the recorded cases and on others."""

from __future__ import annotations

import importlib.util
import json
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from symattn import compare, reference
from symattn.testing import assert_attention
from tests import test_option_vectors, test_several_layers
from tests.arrays import test_peers as array_vectors
from tests.pages.tools import ROOT

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jax
    import torch
    from torch.nn.functional import scaled_dot_product_attention

VECTORS = ROOT / "tests" / "vectors"
SEEDS = 60
assert torch.__version__.startswith("2.13.0")


@cache
def live(name: str) -> list[dict[str, Any]]:
    """The cases of a script that records vectors, made now."""
    spec = importlib.util.spec_from_file_location(Path(name).name, VECTORS / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # PyTorch looks its functions up there
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return module.CASES


OPTIONS = json.loads((VECTORS / "options.json").read_text(encoding="utf-8"))["cases"]
LAYERS = json.loads((VECTORS / "layers.json").read_text(encoding="utf-8"))["cases"]
ARRAYS = json.loads((VECTORS / "arrays" / "peers.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("place", range(len(OPTIONS)), ids=[f"{case['option']}-{i}" for i, case in enumerate(OPTIONS)])
def test_options_of_a_problem(place):
    case = live("make_options")[place]
    assert case["problem"] == OPTIONS[place]["problem"]
    assert test_option_vectors.agrees(case, case["problem"])


@pytest.mark.parametrize("place", range(len(LAYERS)))
def test_layers_in_a_row(place):
    case = live("make_layers")[place]
    assert case["problem"] == LAYERS[place]["problem"]
    test_several_layers.as_recorded(case)


@pytest.mark.parametrize("place", range(len(ARRAYS)), ids=[case["name"] for case in ARRAYS])
def test_arrays(place):
    case = live("arrays/make_peers")[place]
    assert case["inputs"] == ARRAYS[place]["inputs"]
    allowed = array_vectors.ALLOWED["float32 softmax" in case["flags"]]
    assert array_vectors.agrees(case, array_vectors.call(case), allowed)


def drawn(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Dyadic arrays with gradients, and options that both have: ours and theirs."""
    chance = np.random.default_rng(seed)
    shared = int(chance.integers(1, 4))
    heads, batch = shared * int(chance.integers(1, 4)), int(chance.integers(1, 3))
    n_q, n_k, d_k, d_v = (int(size) for size in chance.permutation([3, 5, 7, 2]))
    ours: dict[str, Any] = {"convention": "torch"}
    theirs: dict[str, Any] = {"enable_gqa": heads != shared}
    if chance.random() < 0.5:
        ours["scale"] = theirs["scale"] = float(chance.integers(1, 9)) / 8
    match chance.integers(0, 4):
        case 0:
            ours["causal"] = theirs["is_causal"] = True
        case 1:
            ours["mask"] = chance.random((batch, heads, n_q, n_k)) < 0.5
            theirs["attn_mask"] = torch.tensor(ours["mask"])
        case 2:
            ours["bias"] = chance.integers(-16, 17, (heads, n_q, n_k)) / 8
            theirs["attn_mask"] = torch.tensor(ours["bias"])[None].expand(batch, -1, -1, -1)
    shapes = {
        "query": (batch, heads, n_q, d_k),
        "key": (batch, shared, n_k, d_k),
        "value": (batch, shared, n_k, d_v),
        "grad_output": (batch, heads, n_q, d_v),
    }
    return {name: chance.integers(-16, 17, shape) / 8 for name, shape in shapes.items()} | ours, theirs


@pytest.mark.parametrize("seed", range(SEEDS))
def test_scaled_dot_product_attention_and_its_gradients(seed):
    given, theirs = drawn(seed)
    tensors = [torch.tensor(given[name], requires_grad=True) for name in ("query", "key", "value")]
    output = scaled_dot_product_attention(*tensors, **theirs)
    output.backward(torch.tensor(given["grad_output"]))
    results = {
        "output": output.detach(),
        **{f"d_{n}": t.grad for n, t in zip(("query", "key", "value"), tensors, strict=True)},
    }
    found = compare(results, **given)
    assert found.ok, found.arrays
    assert found.diagnosis == ()


@pytest.mark.parametrize("seed", range(SEEDS // 3))
def test_dot_product_attention_of_jax(seed):
    """Its softmax is float32 also for float64: the diagnosis says so."""
    jax.config.update("jax_enable_x64", True)
    chance = np.random.default_rng(seed)
    shared = int(chance.integers(1, 3))
    n_q, n_k = (int(size) for size in chance.permutation([5, 8]))
    q, k, v = (
        chance.integers(-16, 17, shape) / 8
        for shape in ((2, n_q, shared * 2, 3), (2, n_k, shared, 3), (2, n_k, shared, 3))
    )
    options = {"causal": True} if chance.random() < 0.5 else {}
    output = jax.nn.dot_product_attention(*map(jax.numpy.asarray, (q, k, v)), is_causal="causal" in options)
    exact = reference(q, k, v, layout="bshd", convention="jax", **options)
    assert np.abs(np.asarray(output) - exact).max() < 2e-6
    found = compare(output, q, k, v, layout="bshd", convention="jax", **options)
    assert found.diagnosis == ("float32_softmax",)
    single = [table.astype("float32") for table in (q, k, v)]
    output = jax.nn.dot_product_attention(*single, is_causal="causal" in options)
    assert compare(output, *single, layout="bshd", convention="jax", **options).ok


def attend(query, key, value, *, causal=False, mask=None, bias=None, scale=None, num_kv_heads=None):
    """scaled_dot_product_attention with the names of ``reference``."""
    if causal in ("top-left", "bottom-right") or (causal and mask is not None):
        n, m = query.shape[-2], key.shape[-2]
        lower = torch.ones(n, m, dtype=torch.bool).tril(m - n if causal == "bottom-right" else 0)
        mask, causal = lower if mask is None else lower & mask, False
    return scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=bias if mask is None else mask,
        is_causal=causal,
        scale=scale,
        enable_gqa=num_kv_heads is not None,
    )


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_the_ladder_is_climbed(dtype):
    def tensor(table: np.ndarray) -> torch.Tensor:
        if table.dtype == ml_dtypes.bfloat16:
            return torch.tensor(table.astype("float32")).to(torch.bfloat16)
        return torch.tensor(table)

    assert_attention(attend, dtype=dtype, convert=tensor)


def test_a_mistake_made_with_torch_is_named():
    with pytest.raises(AssertionError, match="unscaled"):
        assert_attention(lambda q, k, v: attend(q, k, v, scale=1.0), convert=torch.tensor)
