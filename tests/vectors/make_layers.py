"""What PyTorch computes for layers in a row, written to ``layers.json``.

    pip install torch==2.13.0 numpy
    python tests/vectors/make_layers.py

Each layer is a call of ``scaled_dot_product_attention`` in float64 on the output of the one before, times its tables.
Entries are multiples of 1/8, exact in float64. ``results`` holds what each layer gives; ``within`` is what the
arithmetic of float64 leaves.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

OUT = Path(__file__).with_name("layers.json")
WITHIN = 1e-12


def eighths(chance: np.random.Generator, *shape: int) -> np.ndarray:
    return chance.integers(-12, 13, shape) / 8


def exact(array: np.ndarray) -> list[list[str]]:
    """Fractions as a problem file has them."""
    return [[str(Fraction(float(entry))) for entry in row] for row in array]


def layer(chance: np.random.Generator, width: int, heads: int, d_k: int, d_v: int, wide: int) -> dict[str, np.ndarray]:
    return {
        "W_Q": eighths(chance, width, heads * d_k),
        "W_K": eighths(chance, width, heads * d_k),
        "W_V": eighths(chance, width, heads * d_v),
        "W_O": eighths(chance, heads * d_v, wide),
    }


def given(
    tokens: torch.Tensor, tables: dict[str, np.ndarray], heads: int, *, causal: bool, residual: bool
) -> torch.Tensor:
    """One layer: projections, heads, W_O, and the tokens where they are added."""
    q, k, v = (tokens @ torch.from_numpy(tables[name]) for name in ("W_Q", "W_K", "W_V"))
    q, k, v = (table.reshape(len(tokens), heads, -1).transpose(0, 1) for table in (q, k, v))
    mixed = scaled_dot_product_attention(q, k, v, is_causal=causal)
    final = mixed.transpose(0, 1).reshape(len(tokens), -1) @ torch.from_numpy(tables["W_O"])
    return tokens + final if residual else final


def case(seed: int, n: int, width: int, layers: list[tuple[int, int, int, int, bool, bool]]) -> dict[str, Any]:
    chance = np.random.default_rng(seed)
    start = eighths(chance, n, width)
    tokens, asked, results = torch.from_numpy(start), [], []
    for heads, d_k, d_v, wide, causal, residual in layers:
        tables = layer(chance, tokens.shape[1], heads, d_k, d_v, wide)
        tokens = given(tokens, tables, heads, causal=causal, residual=residual)
        options = {"num_heads": heads, "causal": causal, "residual": residual}
        asked.append({name: exact(table) for name, table in tables.items()} | options)
        results.append([[repr(float(entry)) for entry in row] for row in tokens])
    source = f"torch {torch.__version__.split('+')[0]}, scaled_dot_product_attention"
    return {"source": source, "within": WITHIN, "problem": {"X": exact(start), "layers": asked}, "results": results}


CASES = [
    case(1, 5, 3, [(1, 2, 4, 3, False, True), (1, 4, 2, 5, False, False)]),
    case(2, 4, 5, [(1, 3, 2, 5, True, True), (2, 2, 3, 5, True, True), (1, 2, 3, 4, True, False)]),
    case(3, 3, 4, [(2, 1, 2, 5, False, False), (1, 3, 4, 5, True, True), (2, 2, 1, 2, False, False)]),
]
"""Two and three layers; heads, widths and masks that differ from layer to layer."""

if __name__ == "__main__":
    OUT.write_text(json.dumps({"cases": CASES}, indent=1) + "\n", encoding="utf-8")
