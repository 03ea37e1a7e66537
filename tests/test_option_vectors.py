"""Each option against what PyTorch, JAX and ONNX compute for it: ``tests/vectors/options.json``."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from symattn.errors import SymattnError
from symattn.exact.attention import attention, projections
from symattn.exact.balls import precision
from symattn.exact.values import UNDEFINED
from symattn.parse.problem import problem as parsed
from symattn.problem import Attention
from tests.pages.tools import ROOT

CASES = json.loads((ROOT / "tests" / "vectors" / "options.json").read_text(encoding="utf-8"))["cases"]
assert len(CASES) > 25, "vectors not found"
NAMES = [f"{case['option']}-{place}" for place, case in enumerate(CASES)]


def floats(table: Any) -> np.ndarray:
    with precision(120):
        rows = [[np.nan if entry is UNDEFINED else float(entry.ball().mid()) for entry in row] for row in table.rows]
    return np.array(rows)


def found(problem: dict[str, Any]) -> dict[str, np.ndarray]:
    asked = parsed(problem)
    result = attention(projections(asked), asked.attention)
    made = {"output": floats(result.output), "weights": np.stack([floats(head.weights) for head in result.heads])}
    if asked.attention.lse:
        made["lse"] = np.stack([floats(head.lse)[:, 0] for head in result.heads])
    return made


def agrees(case: dict[str, Any], problem: dict[str, Any]) -> bool:
    made = found(problem)
    return all(
        made[name].shape == np.shape(rows)
        and np.allclose(made[name], np.array(rows, float), rtol=0, atol=case["within"])
        for name, rows in case["results"].items()
    )


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_system_agrees(case):
    assert agrees(case, case["problem"]), case["source"]


SHOWN = [case for case in CASES if case["option"] in case["problem"]["attention"] and case["option"] != "lse"]


@pytest.mark.parametrize("case", SHOWN, ids=[case["source"] for case in SHOWN])
def test_the_option_shows(case):
    """A vector that passes without its option would show nothing."""
    without = dict(case["problem"]["attention"])
    del without[case["option"]]
    try:
        shown = not agrees(case, {**case["problem"], "attention": without})
    except SymattnError:
        shown = True
    assert shown


def test_every_option_has_a_vector():
    held = {case["option"] for case in CASES}
    layers = json.loads((ROOT / "tests" / "vectors" / "layers.json").read_text(encoding="utf-8"))["cases"]
    held |= (
        {"residual"} if any("residual" in layer for case in layers for layer in case["problem"]["layers"]) else set()
    )
    assert {row.name for row in fields(Attention)} <= held
    assert {"context", "past_key"} <= held
