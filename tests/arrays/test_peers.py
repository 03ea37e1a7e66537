"""What PyTorch and JAX computed, in ``tests/vectors/arrays``: every option that they share with ``reference``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symattn import reference

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "arrays" / "peers.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in VECTORS["cases"]}
assert len(CASES) == len(VECTORS["cases"]) > 10, "vectors not found"
ALLOWED = {True: 2e-6, False: 1e-13}
OTHER = {  # an option said otherwise, by flag: the difference must show
    "alignment": {"causal": "bottom-right"},
    "mask polarity": {"convention": "flash"},
    "padding": {"key_lengths": None},
}


def array(rows: Any) -> np.ndarray:
    if isinstance(rows, str):
        return np.array([float(number) for number in rows.split()])
    return np.array([array(row) for row in rows])


def call(case: dict[str, Any]) -> dict[str, Any]:
    given = {name: array(rows) for name, rows in case["inputs"].items()}
    if "mask" in given:
        given["mask"] = given["mask"].astype(bool)
    return {**given, **case["options"]}


def results(given: dict[str, Any]) -> dict[str, np.ndarray]:
    output, weights, *gradients = reference(**given, return_weights=True)
    names = ("d_query", "d_key", "d_value")
    return {"output": output, "weights": weights, **dict(zip(names, gradients, strict=False))}


def agrees(case: dict[str, Any], given: dict[str, Any], within: float) -> bool:
    found = results(given)
    return all(
        np.allclose(found[name], array(rows), rtol=0, atol=within, equal_nan=True)
        for name, rows in case["results"].items()
    )


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    case = CASES[name]
    allowed = ALLOWED["float32 softmax" in case["flags"]]
    assert agrees(case, call(case), allowed), case["source"]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if set(case["flags"]) & set(OTHER)])
def test_the_flagged_option_shows(name):
    """A vector that passes with its option said otherwise would show nothing."""
    case = CASES[name]
    for flag in set(case["flags"]) & set(OTHER):
        if flag == "mask polarity" and case["options"]["convention"] == "torch":
            given = call(case)
            given |= {"mask": ~given["mask"], "on_masked_row": "zero"}
        else:
            given = {**call(case), **OTHER[flag]}
        assert not agrees(case, given, 1e-3)
