"""Correct rounding, cell by cell, against mpmath at 300 bits: every type, every option, ties and near-ties."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from symattn import reference
from tests.arrays.calls import heads
from tests.arrays.compare import lses, outputs, wrong

TYPES = ["float64", "float32", "float16", "bfloat16"]


def normal(seed: int, *shapes: tuple[int, ...], dtype: str = "float32", size: float = 1.0) -> list[np.ndarray]:
    chance = np.random.default_rng(seed)
    return [(chance.standard_normal(shape) * size).astype(dtype) for shape in shapes]


def whole(seed: int, *shapes: tuple[int, ...], dtype: str = "float32", top: int = 2) -> list[np.ndarray]:
    """Small integers: equal scores, and outputs that are exactly on a boundary, are common."""
    chance = np.random.default_rng(seed)
    return [chance.integers(-top, top + 1, shape).astype(dtype) for shape in shapes]


def mistakes(query: Any, key: Any, value: Any, *, dtype: str, **options: Any) -> tuple[list[str], int]:
    """Cells of output, weights and log-sum-exp that are not correctly rounded; and how many cells there are."""
    output, weights, lse = reference(query, key, value, dtype=dtype, return_weights=True, return_lse=True, **options)
    found: list[str] = []
    for at, head in heads(query, key, value, **options).items():
        pairs = {
            "output": (output[at], outputs(head)),
            "weights": (weights[at], head.weights),
            "lse": (lse[at][:, None], lses(head)),
        }
        for name, (table, expected) in pairs.items():
            found += [f"{name}{list(at)}{place}" for place in wrong(table, expected, dtype)]
    return found, output.size + weights.size + lse.size


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("given", TYPES)
def test_random_numbers(given, dtype):
    arrays = normal(1, (2, 11, 5), (2, 13, 5), (2, 13, 7), dtype=given)
    found, cells = mistakes(*arrays, dtype=dtype)
    assert found == []
    assert cells == 2 * (11 * 7 + 11 * 13 + 11)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("width", [1, 3, 4])
def test_whole_numbers_with_their_many_ties(width, dtype):
    for seed in range(6):
        arrays = whole(seed, (1, 5, width), (1, 8, width), (1, 8, 5), dtype="bfloat16", top=1 + seed % 2)
        arrays[2] = (arrays[2].astype("float32") * 257 / 256).astype("float32")
        assert mistakes(*arrays, dtype=dtype)[0] == []


OPTIONS: dict[str, dict[str, Any]] = {
    "causal": {"sizes": (7, 7), "causal": True},
    "causal, top left": {"causal": "top-left"},
    "causal, bottom right": {"causal": "bottom-right"},
    "causal, bottom right, rows without keys": {
        "sizes": (7, 3),
        "causal": "bottom-right",
        "on_masked_row": "uniform",
    },
    "causal, as torch aligns it": {"causal": True, "convention": "torch"},
    "causal, as flash aligns it": {"causal": True, "convention": "flash"},
    "scale, a float": {"scale": 0.1},
    "scale, a third": {"scale": Fraction(1, 3)},
    "scale, negative": {"scale": -2},
    "scale, none at all": {"scale": 0},
    "cap": {"softcap": 1.5},
    "cap and bias": {"softcap": 0.75, "bias": normal(2, (5, 9))[0]},
    "bias by head": {"bias": normal(3, (4, 5, 9), dtype="float16")[0]},
    "bias by batch": {"bias": normal(4, (2, 1, 5, 9))[0]},
    "bias, the lowest number": {"bias": np.full((5, 9), np.finfo("float32").min)},
    "bias that masks": {"bias": np.where(np.arange(45).reshape(5, 9) % 3, 0.5, -np.inf)},
    "mask": {"mask": np.arange(45).reshape(5, 9) % 4 > 0},
    "mask of zeros and ones by head": {"mask": (np.arange(180).reshape(4, 5, 9) % 4 > 0).astype(int)},
    "mask, true for masked": {"mask": np.arange(45).reshape(5, 9) % 4 == 0, "convention": "torch-mha"},
    "masked rows, zero": {"mask": np.arange(5)[:, None] % 2 > 0, "on_masked_row": "zero"},
    "masked rows, uniform": {"mask": np.arange(5)[:, None] % 2 > 0, "on_masked_row": "uniform"},
    "masked rows, nan": {"mask": np.arange(5)[:, None] % 2 > 0, "on_masked_row": "nan"},
    "masked rows, as jax": {"mask": np.arange(5)[:, None] % 2 > 0, "convention": "jax"},
    "masked rows, an option beats a convention": {
        "mask": np.arange(5)[:, None] % 2 > 0,
        "convention": "jax",
        "on_masked_row": "zero",
    },
    "window": {"sizes": (9, 9), "window": (2, 1)},
    "window, open to the left": {"sizes": (9, 9), "window": (-1, 1)},
    "window and causal": {"causal": "bottom-right", "window": (2, -1)},
    "window, as flash aligns it": {"window": (1, 1), "convention": "flash"},
    "window, as jax aligns it": {"window": (1, 2), "convention": "jax"},
    "lengths": {"key_lengths": np.array([4, 9])},
    "one length": {"key_lengths": 3},
    "lengths, with the diagonal of onnx": {"key_lengths": np.array([6, 9]), "causal": True, "convention": "onnx"},
    "sink": {"sink": np.array([0.5, -1.0, 3.0, 0.0])},
    "sink without a key": {"sink": 0.25, "mask": np.zeros((5, 9), bool)},
    "cache": {
        "past_key": normal(5, (2, 2, 3, 3))[0],
        "past_value": normal(6, (2, 2, 3, 2))[0],
        "sizes": (5, 5),
        "causal": True,
    },
    "cache and window": {
        "past_key": normal(5, (2, 2, 3, 3))[0],
        "past_value": normal(6, (2, 2, 3, 2))[0],
        "window": (1, 0),
    },
    "everything": {
        "sizes": (5, 9),
        "causal": "bottom-right",
        "scale": 0.7,
        "softcap": 2.5,
        "bias": normal(7, (4, 5, 9))[0],
        "mask": np.arange(45).reshape(5, 9) % 5 > 0,
        "window": (6, 0),
        "key_lengths": np.array([7, 8]),
        "sink": np.array([0.5, -1.0, 3.0, 0.0]),
    },
}


@pytest.mark.parametrize("kind", [normal, whole], ids=["normal", "whole"])
@pytest.mark.parametrize("option", OPTIONS)
def test_every_option(option, kind):
    options = dict(OPTIONS[option])
    n_q, n_k = options.pop("sizes", (5, 9))
    arrays = kind(8, (2, 4, n_q, 3), (2, 2, n_k, 3), (2, 2, n_k, 2))
    for dtype in ("float32", "bfloat16"):
        assert mistakes(*arrays, dtype=dtype, **options)[0] == []


# --------------------------------------------------------------------------------------- on a boundary, and beside it
def ladder(dtype: str) -> tuple[float, float]:
    """1 and the number after it."""
    return 1.0, 1.0 + float(ml_dtypes.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES[1:])
def test_means_of_equal_scores_on_a_boundary(dtype):
    one, after = ladder(dtype)
    zeros = np.zeros((1, 2, 1))
    middle = reference(zeros, zeros, [[[one, after, -one, -after], [after, after, -after, one]]], dtype=dtype)
    assert middle.astype("float64").tolist() == [[[one, after, -one, (one - after) / 2]] * 2]


@pytest.mark.parametrize("gap", [60, 200, 600, 3000])
@pytest.mark.parametrize("dtype", TYPES[1:])
def test_a_hair_beside_a_boundary(dtype, gap):
    """One key holds the boundary, another, of weight e^-gap, pulls up or down: 2^-86 to 2^-4328 beside it."""
    one, after = ladder(dtype)
    middle = (one + after) / 2
    query, key = np.ones((1, 1, 1)), np.array([[[0.0], [-float(gap)]]])
    for pull, expected in ((2.0, after), (0.0, one), (middle, one)):
        assert float(reference(query, key, [[[middle], [pull]]], dtype=dtype, scale=1)[0, 0, 0]) == expected
        if pull != middle:
            capped = reference(query, key * 0, [[[middle], [pull]]], bias=key[:, :, 0], softcap=3, dtype=dtype)
            assert float(capped[0, 0, 0]) == expected


@pytest.mark.parametrize("dtype", TYPES)
def test_exact_zeros_have_no_sign_and_vanishing_numbers_keep_theirs(dtype):
    query, key = np.ones((1, 1, 1)), np.array([[[0.0], [-1e30]]])
    signs = reference(query, key, [[[0.0, 0.0, 0.0, -0.0], [1.0, -1.0, 0.0, -0.0]]], dtype=dtype, scale=1)[0, 0]
    assert signs.astype("float64").tolist() == [0.0] * 4
    assert np.signbit(signs).tolist() == [False, True, False, False]
    opposite = reference(np.ones((1, 1, 1)), np.ones((1, 6, 1)), np.array([[[1.0], [-1.0]] * 3]), dtype=dtype)
    assert not np.signbit(opposite[0, 0, 0])
    assert opposite[0, 0, 0] == 0


@pytest.mark.parametrize("dtype", TYPES)
def test_subnormals_and_overflow(dtype):
    limits = ml_dtypes.finfo(dtype)
    least, largest = float(limits.smallest_subnormal), float(limits.max)
    zeros = np.zeros((1, 1, 1))
    if dtype != "float64":
        step = Fraction(largest) - Fraction(float(np.nextafter(limits.max, limits.dtype.type(0))))
        edge = float(Fraction(largest) + step / 2)
        below, above = np.nextafter(edge, 0), np.nextafter(edge, np.inf)
        given = [least, least / 2, least * 0.75, -least / 2, edge, below, -above]
        found = reference(zeros, zeros, [[given]], dtype=dtype)
        assert found.astype("float64").tolist() == [[[least, 0, least, 0, np.inf, largest, -np.inf]]]
        assert np.signbit(found)[0, 0].tolist() == [False, False, False, True, False, False, True]
    mean = reference(zeros, np.zeros((1, 2, 1)), np.array([[[largest, least], [largest, 0]]]), dtype=dtype)
    assert mean.astype("float64").tolist() == [[[largest, 0]]]
    query, key, value = normal(9, (1, 3, 2), (1, 4, 2), (1, 4, 5), dtype="float64")
    assert mistakes(query, key, value * least * 2, dtype=dtype)[0] == []


def test_numbers_without_bounds():
    """Scores beyond 10^600 and values near both ends of the type."""
    query, key = np.array([[[1e300]]]), np.array([[[1e300], [-1e300], [np.nextafter(1e300, 0)]]])
    value = np.array([[[5e-324, 1e308], [1.0, -1e308], [1.0, 1.0]]])
    output, weights, lse = reference(query, key, value, return_weights=True, return_lse=True)
    assert output.tolist() == [[[5e-324, 1e308]]]
    assert weights.tolist() == [[[1.0, 0.0, 0.0]]]
    assert lse.tolist() == [[np.inf]]
    assert mistakes(*normal(10, (1, 4, 3), (1, 5, 3), (1, 5, 2), size=1e-30, dtype="float64"), dtype="float64")[0] == []
    assert mistakes(*normal(10, (1, 4, 3), (1, 5, 3), (1, 5, 2), size=12.0, dtype="float64"), dtype="float64")[0] == []


def test_what_rounds_to_the_same_number_at_every_size():
    """A whole head of n = 200 against float64, within what float64 can be wrong."""
    query, key, value = normal(12, (200, 16), (200, 16), (200, 8))
    scores = query.astype("float64") @ key.T.astype("float64") / 4
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    plain = weights @ value.astype("float64") / weights.sum(axis=1, keepdims=True)
    found = reference(query, key, value, dtype="float32")
    assert np.abs(found - plain).max() < 2.0**-24
    assert np.abs(reference(query, key, value) - plain).max() < 1e-14


def test_one_unit_in_the_last_place_is_found():
    """A check that has not been seen to fail is not a check."""
    query, key, value = normal(13, (1, 3, 4), (1, 5, 4), (1, 5, 2))
    found = reference(query, key, value, dtype="float32")[0]
    expected = outputs(heads(query, key, value)[(0,)])
    assert list(wrong(found, expected, "float32")) == []
    found[1, 1] = np.nextafter(found[1, 1], np.float32(9))
    assert [place[:6] for place in wrong(found, expected, "float32")] == ["[1][1]"]
    found[1, 1] = -0.0
    assert len(list(wrong(found, expected, "float32"))) == 1
