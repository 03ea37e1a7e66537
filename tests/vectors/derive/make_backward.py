"""Writes backward.json: gradients of attention by torch autograd, in float64, at dyadic inputs.

pip install torch==2.13.0 && python tests/vectors/derive/make_backward.py
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import torch

SIZES = ((3, 4, 2, 5), (1, 2, 3, 1), (2, 3, 1, 2), (4, 5, 3, 2))
"""n_q, n_k, d_k, d_v."""


def dyadic(rng: random.Random, height: int, width: int) -> list[list[str]]:
    """Eighths between -4 and 4: floats hold them exactly."""
    return [[str(rng.randint(-32, 32) / 8) for _ in range(width)] for _ in range(height)]


def case(rng: random.Random, n_q: int, n_k: int, d_k: int, d_v: int) -> dict[str, object]:
    shapes = {"Q": (n_q, d_k), "K": (n_k, d_k), "V": (n_k, d_v), "dZ": (n_q, d_v)}
    given = {name: dyadic(rng, *shape) for name, shape in shapes.items()}
    tensors = {
        name: torch.tensor([[float(x) for x in row] for row in rows], dtype=torch.float64, requires_grad=name != "dZ")
        for name, rows in given.items()
    }
    scale = 0.5
    scores = scale * tensors["Q"] @ tensors["K"].T
    weights = torch.softmax(scores, dim=-1)
    output = weights @ tensors["V"]
    for kept in (scores, weights):
        kept.retain_grad()
    output.backward(tensors["dZ"])
    gradients = {"dT": scores.grad, "dA": weights.grad} | {f"d{name}": tensors[name].grad for name in "QKV"}
    return {
        "scale": str(scale),
        **given,
        **{name: [[repr(float(x)) for x in row] for row in rows] for name, rows in gradients.items()},
    }


def main() -> None:
    rng = random.Random(2017)  # noqa: S311 - numbers of a test
    found = {
        "source": f"torch {torch.__version__}, autograd in float64 of softmax(scale Q K^T) V with the gradient dZ",
        "notes": "A gradient with a row and a column exchanged, or without the scale, is far outside float64's error.",
        "cases": [case(rng, *sizes) for sizes in SIZES],
    }
    path = Path(__file__).with_name("backward.json")
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
