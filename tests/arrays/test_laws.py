"""Laws that hold bit by bit, since every result is the number nearest to the exact one."""

from __future__ import annotations

import numpy as np
import pytest

from symattn import reference
from tests.arrays.test_reference import OPTIONS, normal


def equal(left: object, right: object) -> bool:
    """The same bits, array by array."""
    pairs = zip(left, right, strict=True) if isinstance(left, tuple) else [(left, right)]
    return all(
        np.array_equal(one, other, equal_nan=True) and (np.signbit(one) == np.signbit(other)).all()
        for one, other in pairs
    )


def test_a_decoding_step_is_the_last_row_of_the_whole():
    query, key, value = normal(31, (2, 4, 9, 8), (2, 2, 9, 8), (2, 2, 9, 5))
    for dtype in ("float64", "bfloat16"):
        whole = reference(query, key, value, causal=True, dtype=dtype)
        step = reference(
            query[:, :, 8:],
            key[:, :, 8:],
            value[:, :, 8:],
            past_key=key[:, :, :8],
            past_value=value[:, :, :8],
            causal=True,
            dtype=dtype,
        )
        assert equal(step, whole[:, :, 8:])


def test_shared_key_heads_are_repeated_ones():
    query, key, value, grad = normal(32, (6, 5, 4), (3, 7, 4), (3, 7, 2), (6, 5, 2))
    shared = reference(query, key, value, num_kv_heads=3, grad_output=grad, return_lse=True)
    repeated = reference(query, key.repeat(2, 0), value.repeat(2, 0), grad_output=grad, return_lse=True)
    assert equal(shared[:3], repeated[:3])
    for one, other in zip(shared[3:], repeated[3:], strict=True):
        assert np.allclose(one, other[::2] + other[1::2], rtol=0, atol=1e-15)
    tiled = reference(query, np.tile(key, (2, 1, 1)), np.tile(value, (2, 1, 1)))
    assert not equal(shared[0], tiled)


def test_a_sink_of_minus_infinity_is_none():
    arrays = normal(33, (2, 5, 4), (2, 7, 4), (2, 7, 2))
    both = {"return_weights": True, "return_lse": True}
    assert equal(reference(*arrays, sink=[-np.inf, -np.inf], **both), reference(*arrays, **both))
    assert not equal(reference(*arrays, sink=[-np.inf, -9.0])[1], reference(*arrays)[1])


def test_a_sink_is_one_more_key_of_value_zero():
    query, key, value = normal(34, (1, 5, 4), (1, 7, 4), (1, 7, 2))
    bias = np.zeros((5, 8))
    bias[:, 7] = 0.375
    wider = [np.concatenate([table, np.zeros((1, 1, table.shape[-1]), "float32")], axis=1) for table in (key, value)]
    assert equal(reference(query, key, value, sink=0.375), reference(query, *wider, bias=bias))


def test_a_shift_of_a_row_changes_nothing_but_its_lse():
    query, key, value = normal(35, (1, 5, 4), (1, 7, 4), (1, 7, 2))
    shift = np.array([0.0, 1.0, -1e30, 1e30, 3.0])[:, None]
    plain = reference(query, key, value, return_weights=True, return_lse=True)
    moved = reference(query, key, value, bias=shift, return_weights=True, return_lse=True)
    assert equal(plain[:2], moved[:2])
    assert moved[2][0, 2:4].tolist() == [-1e30, 1e30]


def test_masks_of_every_kind_are_one():
    arrays = normal(36, (2, 6, 4), (2, 6, 4), (2, 6, 2))
    triangle = np.tril(np.ones((6, 6), bool))
    causal = reference(*arrays, causal=True)
    for options in (
        {"mask": triangle},
        {"mask": ~triangle, "convention": "torch-mha"},
        {"bias": np.where(triangle, 0, -np.inf)},
        {"window": (-1, 0)},
        {"causal": "bottom-right"},
        {"causal": "top-left"},
        {"causal": True, "convention": "jax"},
    ):
        assert equal(reference(*arrays, **options), causal)
    assert equal(reference(*arrays, key_lengths=4), reference(*arrays, mask=np.arange(6) < 4))


def test_a_masked_key_may_hold_anything():
    query, key, value, grad = normal(37, (1, 4, 3), (1, 5, 3), (1, 5, 2), (1, 4, 2))
    mask = np.array([True, False, True, False, False])
    clean = reference(query, key, value, mask=mask, return_weights=True, return_lse=True, grad_output=grad)
    key[:, [1, 3]] = np.array([np.nan, np.inf])[:, None]
    value[:, [1, 3, 4]] = np.array([-np.inf, np.nan, np.inf])[:, None]
    bias = np.where(mask, 0.0, np.nan)
    for options in ({"mask": mask}, {"mask": mask, "bias": bias}):
        wild = reference(query, key, value, return_weights=True, return_lse=True, grad_output=grad, **options)
        assert equal(clean, wild)


def test_values_that_are_not_finite_reach_the_rows_that_attend_to_them():
    query, key = np.zeros((1, 4, 1)), np.zeros((1, 4, 1))
    value = np.array([[[1.0, 1.0], [np.inf, -np.inf], [2.0, np.inf], [np.nan, 1.0]]])
    found = reference(query, key, value, causal=True)
    expected = [[1, 1], [np.inf, -np.inf], [np.inf, np.nan], [np.nan, np.nan]]
    assert np.array_equal(found[0], expected, equal_nan=True)
    dead = reference(query, key, value, mask=np.arange(4)[:, None] > 0, on_masked_row="uniform")
    assert np.isnan(dead[0, 0]).all()


def test_scores_that_are_not_finite():
    query, value = np.ones((1, 1, 1)), np.array([[[1.0], [2.0], [4.0]]])
    keys = {"-inf": [0.0, 0.0, -np.inf], "inf": [0.0, np.inf, 0.0], "nan": [np.nan, 0.0, 0.0]}
    results = {
        name: reference(query, np.array([[[entry] for entry in key]]), value, return_weights=True, return_lse=True)
        for name, key in keys.items()
    }
    assert results["-inf"][0].tolist() == [[[1.5]]]
    assert results["-inf"][1].tolist() == [[[0.5, 0.5, 0.0]]]
    for name in ("inf", "nan"):
        assert all(np.isnan(array).all() for array in results[name])
    opposite = reference(query, np.array([[[0.0], [np.inf], [0.0]]]), value, scale=-1)
    assert opposite.tolist() == [[[2.5]]]


@pytest.mark.parametrize("option", ["causal, bottom right", "sink", "lengths", "cache and window", "everything"])
def test_rows_are_independent(option):
    options = dict(OPTIONS[option])
    n_q, n_k = options.pop("sizes", (5, 9))
    arrays = normal(38, (2, 4, n_q, 3), (2, 2, n_k, 3), (2, 2, n_k, 2))
    both = {"return_weights": True, "return_lse": True}
    whole = reference(*arrays, **options, **both)
    *some, sample = reference(*arrays, **options, **both, rows=[4, 1])
    assert sample.rows == (1, 4)
    assert str(sample) == "2 of 5 rows"
    assert equal(tuple(some), tuple(array[:, :, [1, 4]] for array in whole))
