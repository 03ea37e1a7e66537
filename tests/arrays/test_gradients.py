"""Gradients, correctly rounded: against mpmath's formulas with exact differences, and differences of the output."""

from __future__ import annotations

from typing import Any

import ml_dtypes  # noqa: F401 - makes the name bfloat16 known
import numpy as np
import pytest

from symattn import reference
from symattn.errors import ShapeError, SpecError, UndecidedError
from tests.arrays.calls import heads
from tests.arrays.compare import wrong
from tests.arrays.evaluator import added, fractions
from tests.arrays.test_reference import OPTIONS, TYPES, normal, whole

NAMES = ("d_query", "d_key", "d_value")


def expected(query: Any, key: Any, value: Any, grad: Any, **options: Any) -> dict[str, dict[Any, Any]]:
    """The gradients by head; those of keys and values added over the heads that share them, new rows only."""
    share = query.shape[-3] // key.shape[-3]
    past = 0 if options.get("past_key") is None else options["past_key"].shape[-2]
    found: dict[str, dict[Any, Any]] = {name: {} for name in NAMES}
    for at, head in heads(query, key, value, **options).items():
        for name, table in zip(NAMES, head.gradients(fractions(grad[at])), strict=True):
            if name == "d_query":
                found[name][at] = table
                continue
            shared = (*at[:-1], at[-1] // share)
            before = found[name].get(shared)
            table = table[past:]
            found[name][shared] = (
                table
                if before is None
                else [[added(*pair) for pair in zip(*rows, strict=True)] for rows in zip(before, table, strict=True)]
            )
    return found


def mistakes(query: Any, key: Any, value: Any, grad: Any, *, dtype: str, **options: Any) -> list[str]:
    _, *found = reference(query, key, value, grad_output=grad, dtype=dtype, **options)
    right = expected(query, key, value, grad, **options)
    return [
        f"{name}{list(at)}{place}"
        for name, array in zip(NAMES, found, strict=True)
        for at, table in right[name].items()
        for place in wrong(array[at], table, dtype)
    ]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("given", TYPES)
def test_random_numbers(given, dtype):
    arrays = normal(21, (2, 7, 3), (1, 5, 3), (1, 5, 2), (2, 7, 2), dtype=given)
    assert mistakes(*arrays, dtype=dtype) == []


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_whole_numbers_with_their_many_ties(dtype):
    for seed in range(8):
        arrays = whole(seed, (2, 4, 4), (1, 5, 4), (1, 5, 3), (2, 4, 3), top=1 + seed % 2)
        assert mistakes(*arrays, dtype=dtype, causal="bottom-right") == []


@pytest.mark.parametrize("kind", [normal, whole], ids=["normal", "whole"])
@pytest.mark.parametrize("option", [name for name in OPTIONS if "nan" not in name])
def test_every_option(option, kind):
    options = dict(OPTIONS[option])
    n_q, n_k = options.pop("sizes", (5, 9))
    arrays = kind(8, (2, 4, n_q, 3), (2, 2, n_k, 3), (2, 2, n_k, 2), (2, 4, n_q, 2))
    assert mistakes(*arrays, dtype="float32", **options) == []


def test_masked_rows_give_nothing_their_mean_or_nan():
    query, key, value, grad = normal(22, (1, 3, 2), (1, 4, 2), (1, 4, 2), (1, 3, 2))
    mask = np.array([[True] * 4, [False] * 4, [True] * 4])

    def gradients(rule: str) -> Any:
        return reference(query, key, value, grad_output=grad, mask=mask, on_masked_row=rule, dtype="float32")[1:]

    zero, uniform, nan = gradients("zero"), gradients("uniform"), gradients("nan")
    assert not zero[0][0, 1].any()
    assert not uniform[0][0, 1].any()
    assert np.array_equal(zero[1], uniform[1])
    assert np.allclose(uniform[2] - zero[2], grad[0, 1] / 4, atol=1e-7)
    assert np.isnan(nan[0][0, 1]).all()
    assert np.array_equal(nan[0][0, ::2], zero[0][0, ::2])
    assert np.isnan(nan[1]).all()
    assert np.isnan(nan[2]).all()


def test_a_saturated_softmax_needs_no_more_bits():
    """Weights of e^-3000 and less: gradients vanish, and every sign is that of the exact value."""
    query, key, value, grad = normal(23, (1, 6, 8), (1, 6, 8), (1, 6, 4), (1, 6, 4))
    assert mistakes(query * 50, key, value, grad, dtype="float64") == []
    far = reference(query * 3000, key, value, grad_output=grad, dtype="float32")
    assert np.signbit(far[1]).any()
    assert (far[1] == 0).mean() > 0.5


def test_one_visible_key_has_no_gradient():
    query, key, value, grad = normal(24, (1, 5, 3), (1, 5, 3), (1, 5, 3), (1, 5, 3))
    _, d_query, d_key, _ = reference(query, key, value, causal=True, grad_output=grad)
    assert not d_query[0, 0].any()
    assert not np.signbit(d_query[0, 0]).any()
    assert d_key[0, 0].any()


def test_they_are_those_of_the_output():
    """Central differences of the output itself, in float64."""
    query, key, value, grad = normal(25, (1, 4, 3), (1, 5, 3), (1, 5, 2), (1, 4, 2), dtype="float64")
    options = {"softcap": 2.0, "sink": 0.5}
    _, *found = reference(query, key, value, grad_output=grad, **options)
    step = 2.0**-17
    for position, gradient in enumerate(found):
        for at in np.ndindex(gradient.shape):
            pair = []
            for way in (step, -step):
                arrays = [query.copy(), key.copy(), value.copy()]
                arrays[position][at] += way
                pair.append(float((reference(*arrays, **options) * grad).sum()))
            assert abs((pair[0] - pair[1]) / (2 * step) - gradient[at]) < 1e-8


def test_what_is_refused():
    query, key, value, grad = normal(26, (1, 4, 3), (1, 4, 3), (1, 4, 2), (1, 4, 2))
    with pytest.raises(SpecError, match="every row"):
        reference(query, key, value, grad_output=grad, rows=[0])
    with pytest.raises(ShapeError, match="the output has"):
        reference(query, key, value, grad_output=grad[:, :3])
    with pytest.raises(SpecError, match="not finite"):
        reference(query, key, value, grad_output=grad * np.inf)
    key[0, 1, 0] = np.nan
    with pytest.raises(SpecError, match="finite numbers"):
        reference(query, key, value, grad_output=grad)
    assert np.isfinite(reference(query, key, value, grad_output=grad, mask=[True, False, True, True])[1]).all()


def test_a_tie_under_a_cap_is_seen_where_it_collects_to_nothing():
    query, key, value = np.ones((1, 1, 1)), np.array([[[1.0], [2.0]]]), np.array([[[1.0], [1.0]]])
    _, d_query, d_key, d_value = reference(query, key, value, softcap=2, grad_output=[[[3.0]]])
    assert not d_query.any()
    assert not d_key.any()
    assert d_value.sum() == 3


def test_a_sum_over_rows_that_is_a_tie():
    """Two rows with scores of opposite sign: s(x) + s(-x) = 1, so d_value is exactly grad."""
    query, key = np.array([[[1.0], [-1.0]]]), np.array([[[1.0], [0.0]]])
    value, grad = np.ones((1, 2, 1)), np.full((1, 2, 1), 1 + 2.0**-24)
    d_value = reference(query, key, value, grad_output=grad, dtype="float32")[3]
    assert d_value.tolist() == [[[1.0], [1.0]]]
    above = reference(query, key, value, grad_output=grad + 2.0**-23, dtype="float32")[3]
    assert above.tolist() == [[[1.0 + 2.0**-22]] * 2]


def test_a_tie_that_no_theorem_shows_is_an_error_that_names_it():
    """The same under a cap, where the sums of two rows are not brought together."""
    query, key = np.array([[[1.0], [-1.0]]]), np.array([[[1.0], [0.0]]])
    value, grad = np.ones((1, 2, 1)), np.full((1, 2, 1), 1 + 2.0**-24)
    with pytest.raises(UndecidedError, match=r"d_value\[0\]\[0\]\[0\]"):
        reference(query, key, value, grad_output=grad, dtype="float32", softcap=1)
