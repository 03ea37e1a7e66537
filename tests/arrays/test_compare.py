"""``compare``: errors against mpmath, special values, and every mistake of the catalogue made by an implementation."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf

import ml_dtypes
import mpmath
import numpy as np
import pytest

from symattn import compare, reference
from symattn.errors import ShapeError, SpecError
from symattn.mistakes.catalogue import CATALOGUE
from tests.arrays import faulty
from tests.arrays.faulty import CASES, Case

OF_TABLES = ("weights_transposed", "rope_other_layout")
"""Mistakes made before there are queries and keys: a problem shows them, arrays do not."""
assert {case.key for case in CASES} == set(CATALOGUE) - set(OF_TABLES)


BY_TYPE = [
    pytest.param(case, dtype, place, id=f"{case.key}-{place}-{dtype}")
    for place, case in enumerate(CASES)
    for dtype in case.dtypes
]
SHORT = [
    pytest.param(case, dtype, place, id=f"{case.key}-{place}-{dtype}")
    for place, case in enumerate(CASES)
    for dtype in ("float16", "bfloat16")
    if case.key not in ("float32_softmax", "finite_mask")  # the one is of float64; the other needs logits of -10^4
]


@pytest.mark.parametrize(("case", "dtype", "seed"), BY_TYPE)
def test_each_mistake_is_named_and_no_other(case, dtype, seed):
    given = faulty.inputs(case, dtype, seed)
    found = compare(faulty.result(case, given), **given)
    assert found.diagnosis == (case.key,)
    assert not found.ok
    assert found.max_ulp > 100


@pytest.mark.parametrize(("case", "dtype", "seed"), SHORT)
def test_each_mistake_is_among_those_named_in_short_types(case, dtype, seed):
    given = faulty.inputs(case, dtype, seed)
    assert case.key in compare(faulty.result(case, given), **given).diagnosis


@pytest.mark.parametrize(("case", "dtype", "seed"), BY_TYPE)
def test_a_right_implementation_is_right_on_the_same_inputs(case, dtype, seed):
    given = faulty.inputs(case, dtype, seed)
    found = compare(faulty.rightly(given), **given)
    assert found.ok
    assert found.diagnosis == found.precision == ()
    assert case.key not in found.hidden


# ----------------------------------------------------------------------------------------------- what cannot be told


def plain(*sizes, dtype="float64", seed=3, **options):
    return faulty.inputs(Case("", lambda: None, sizes, options), dtype, seed)


CANNOT_SHOW = [
    ("one number a head", plain(1, 1, 1, 4, 5, 1, 2), {"unscaled", "scaled_by_d_k", "scaled_twice"}),
    ("four, where one head is the model", plain(1, 1, 1, 3, 5, 4, 2), set()),
    ("as many queries as keys", plain(2, 2, 2, 4, 4, 3, 5, causal=True), {"finite_mask"}),
]


@pytest.mark.parametrize(("given", "keys"), [case[1:] for case in CANNOT_SHOW], ids=[case[0] for case in CANNOT_SHOW])
def test_what_these_inputs_cannot_show_is_said(given, keys):
    found = compare(reference(**given), **given)
    assert set(found.hidden) == keys
    assert found.ok
    assert found.diagnosis == ()


def test_mistakes_that_give_the_same_are_both_named():
    """1/sqrt(d_k) twice is 1/d_k."""
    given = plain(1, 2, 2, 5, 7, 3, 2)
    found = compare(faulty.by_d_k(given["query"], given["key"], given["value"]), **given)
    assert found.explanations == (("scaled_by_d_k",), ("scaled_twice",))
    assert found.diagnosis == ("scaled_by_d_k", "scaled_twice")


def test_a_head_that_is_the_model_has_no_other_width():
    given = plain(1, 1, 1, 5, 7, 4, 2)
    found = compare(faulty.by_sqrt_d_model(given["query"], given["key"], given["value"]), **given)
    assert found.ok


def lower(n):
    return np.tril(np.ones((n, n), bool))


TOGETHER = {
    ("unscaled", "mask_after_softmax"): lambda q, k, v: faulty.mix(np.tril(faulty.softmax(faulty.logits(q, k, 1))), v),
    ("strict_causal", "kv_heads_tiled"): lambda q, k, v: faulty.mix(
        faulty.zero_dead(
            faulty.softmax(faulty.hide(faulty.logits(q, np.tile(k, (1, 3, 1, 1))), np.tril(lower(6), -1)))
        ),
        np.tile(v, (1, 3, 1, 1)),
    ),
    ("softmax_over_queries", "mask_ignored"): lambda q, k, v: faulty.mix(
        faulty.softmax(faulty.logits(q, k), axis=-2), v
    ),
    ("unscaled", "value_is_key"): lambda q, k, _: faulty.mix(
        faulty.softmax(faulty.hide(faulty.logits(q, k, 1), lower(6))), k
    ),
}


@pytest.mark.parametrize("keys", TOGETHER)
def test_two_mistakes_at_once_are_named_together(keys):
    given = plain(2, 6, 2, 6, 6, 3, 3, causal=True)
    found = compare(TOGETHER[keys](given["query"], given["key"], given["value"]), **given)
    assert found.explanations == (keys,)


def test_what_nothing_explains_is_not_explained():
    given = plain(1, 2, 2, 5, 7, 3, 2)
    found = compare(reference(**given) + 0.01, **given)
    assert not found.ok
    assert found.diagnosis == found.precision == ()


# ----------------------------------------------------------------------------------------------------- precision


def weights_in(kept):
    return lambda q, k, v: faulty.mix(faulty.softmax(faulty.logits(q, k)).astype(kept).astype(q.dtype), v)


def scores_in(kept):
    def run(q, k, v):
        scores = faulty.logits(q, k, 1).astype(kept).astype(q.dtype)
        return faulty.mix(faulty.softmax(scores * faulty.default(q)), v)

    return run


def exponentials_in(kept):
    def run(q, k, v):
        s = faulty.logits(q, k)
        e = np.exp(s - s.max(-1, keepdims=True))
        return faulty.mix(e.astype(kept).astype(q.dtype), v) / e.sum(-1, keepdims=True)

    return run


@pytest.mark.parametrize("kept", ["bfloat16", "float16"])
@pytest.mark.parametrize("stage", [scores_in, exponentials_in, weights_in])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_shorter_type_is_a_choice_and_no_mistake(stage, kept, dtype):
    given = plain(1, 2, 2, 65, 63, 16, 8, dtype=dtype)
    kept = ml_dtypes.bfloat16 if kept == "bfloat16" else kept
    found = compare(stage(kept)(given["query"], given["key"], given["value"]), **given)
    assert found.precision == (f"{stage.__name__.removesuffix('_in')}_{np.dtype(kept).name}",)
    assert found.diagnosis == ()
    assert found.plain_ratio > 100


# -------------------------------------------------------------------------------------------------------- errors

DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
LEAST = {"float64": -1074, "float32": -149, "float16": -24, "bfloat16": -133}


def exact_output(q, k, v, scale):
    """One head, by mpmath."""
    rows = []
    for query in q:
        powers = [mpmath.exp(mpmath.fdot(query, key) * scale) for key in k]
        rows.append([mpmath.fdot(powers, column) / mpmath.fsum(powers) for column in zip(*v, strict=True)])
    return rows


def unit(number, dtype):
    """The last place of a number's binade, from its exponent as mpmath has it."""
    if not number:
        return mpmath.mpf(2) ** LEAST[dtype]
    _, exponent = mpmath.frexp(number)
    return mpmath.mpf(2) ** max(exponent - DIGITS[dtype], LEAST[dtype])


@pytest.mark.parametrize("dtype", DIGITS)
def test_errors_are_those_of_mpmath(dtype):
    chance = np.random.default_rng(7)
    q, k, v = (chance.standard_normal(size).astype(dtype) for size in ((5, 3), (7, 3), (7, 2)))
    result = (chance.standard_normal((5, 2)) * 0.1).astype(dtype) + reference(q, k, v, scale=0.5, dtype=dtype)
    with mpmath.workdps(60):
        given = ([[mpmath.mpf(float(x)) for x in row] for row in table] for table in (q, k, v))
        exact = exact_output(*given, mpmath.mpf(0.5))
        by_row, pointwise, best = [], [], []
        for i, row in enumerate(exact):
            wide = unit(max(row, key=abs), dtype)
            errors = [abs(mpmath.mpf(float(x)) - y) for x, y in zip(result[i], row, strict=True)]
            by_row.append([float(error / wide) for error in errors])
            pointwise += [float(error / unit(y, dtype)) for error, y in zip(errors, row, strict=True)]
            nearest = reference(q, k, v, scale=0.5, dtype=dtype)[i]
            best += [float(abs(mpmath.mpf(float(x)) - y) / wide) for x, y in zip(nearest, row, strict=True)]
    found = compare(result, q, k, v, scale=0.5)
    assert found.max_ulp == pytest.approx(np.max(by_row), rel=1e-12)
    assert found.at == np.unravel_index(np.argmax(by_row), (5, 2))
    assert found.max_ulp_pointwise == pytest.approx(max(pointwise), rel=1e-12)
    assert found.worst.median_ulp == pytest.approx(np.median(by_row), rel=1e-12)
    assert found.worst.best_ulp == pytest.approx(max(best), rel=1e-8)
    assert sum(count for _, count in found.worst.histogram) == 10


@pytest.mark.parametrize("dtype", DIGITS)
def test_a_correctly_rounded_result_is_within_half_a_unit(dtype):
    given = plain(2, 4, 2, 5, 7, 3, 2, dtype=dtype)
    found = compare(
        reference(**given, dtype=dtype, return_weights=True, return_lse=True),
        **given,
        return_weights=True,
        return_lse=True,
    )
    assert found.ok
    assert found.max_ulp <= found.max_ulp_pointwise <= 0.5
    assert found.max_ulp == max(array.best_ulp for array in found.arrays.values())
    assert set(found.arrays) == {"output", "weights", "lse"}
    assert {array.dtype for array in found.arrays.values()} == {dtype}


def test_one_unit_more_is_one_unit():
    given = plain(1, 1, 1, 1, 2, 1, 1, scale=0)
    given["value"] = np.array([[[[1.0], [2.0]]]])
    found = compare(np.nextafter(np.full((1, 1, 1, 1), 1.5), 2), **given)
    assert found.max_ulp == found.max_ulp_pointwise == 1.0


def test_a_row_is_measured_by_its_largest_value():
    """The row (4, 2^-20) has the last place of 4: the error of the small entry counts little."""
    given = {"query": [[0.0]], "key": [[0.0]], "value": [[4.0, 2.0**-20]]}
    found = compare(np.array([[4.0, 2.0**-20 + 2.0**-50]]), **given)
    assert found.max_ulp == 1.0
    assert found.max_ulp_pointwise == Fraction(2**-50) / Fraction(2**-72)
    assert found.at == (0, 1)


def test_a_row_of_zeros_is_measured_by_the_least_subnormal():
    given = {"query": [[0.0]], "key": [[0.0], [0.0]], "value": [[1.0], [-1.0]]}
    assert compare(np.array([[2.0**-1073]]), **given).max_ulp == 2.0


def test_the_limit_is_the_callers():
    given = plain(1, 2, 2, 5, 7, 3, 2, dtype="float32")
    output = reference(**given, dtype="float32")
    assert compare(output, **given, max_ulp=0.5).ok
    assert not compare(np.nextafter(output, np.float32(9)), **given, max_ulp=0.5).ok
    assert compare(output + np.float32(0.5), **given, max_ulp=1e9).ok


# ------------------------------------------------------------------------------------------------- special values


def test_special_values_are_compared_as_such():
    given = plain(1, 1, 1, 3, 4, 2, 2)
    given["value"][0, 0, 1, 0] = np.inf
    output = reference(**given)
    assert np.isinf(output[..., 0]).all()
    assert compare(output, **given).ok
    wrong = output.copy()
    wrong[0, 0, 2, 0] = 1.0
    found = compare(wrong, **given)
    assert not found.ok
    assert found.special_mismatches == 1
    assert found.worst.special_at == found.at == (0, 0, 2, 0)
    assert isinf(found.max_ulp)


def test_a_masked_weight_is_exactly_zero():
    given = plain(1, 2, 2, 4, 4, 3, 2, causal=True)
    _, weights = reference(**given, return_weights=True)
    assert compare({"weights": weights}, **given).ok
    weights[0, 1, 0, 3] = 1e-300
    found = compare({"weights": weights}, **given)
    assert (found.ok, found.special_mismatches, found.worst.special_at) == (False, 1, (0, 1, 0, 3))


def test_overflow_is_infinite_and_nan_is_not():
    given = {"query": np.ones((1, 1), "float16"), "key": np.ones((1, 1)), "value": [[70000.0]]}
    assert compare(np.array([[np.inf]], "float16"), **given).ok
    found = compare(np.array([[np.nan]], "float16"), **given)
    assert (found.ok, found.special_mismatches, found.max_ulp) == (False, 1, inf)


# ------------------------------------------------------------------------------------------------------- the edge


def test_results_by_name_by_place_and_with_gradients():
    given = plain(1, 4, 2, 5, 7, 3, 2) | {"grad_output": np.random.default_rng(1).standard_normal((1, 4, 5, 2))}
    results = reference(**given, return_lse=True)
    by_place = compare(results, **given, return_lse=True)
    by_name = compare(dict(zip(("output", "lse", "d_query", "d_key", "d_value"), results, strict=True)), **given)
    assert by_place.arrays == by_name.arrays
    assert by_place.ok
    assert list(by_place.arrays) == ["output", "lse", "d_query", "d_key", "d_value"]


def test_layouts_agree_but_for_the_place():
    given = plain(2, 4, 2, 5, 7, 3, 2)
    output = reference(**given)
    output[1, 3, 2, 0] += 1e-9
    turned = {name: given[name].swapaxes(1, 2) for name in ("query", "key", "value")}
    here, there = compare(output, **given), compare(output.swapaxes(1, 2), **turned, layout="bshd")
    assert here.at == (1, 3, 2, 0)
    assert there.at == (1, 2, 3, 0)
    assert here.max_ulp == there.max_ulp


def test_some_rows_of_all():
    given = plain(1, 2, 2, 300, 40, 3, 2)
    output = reference(**given)
    sampled, sample = reference(**given, rows="sample:64")
    whole, part = compare(output, **given, rows="sample:64"), compare(sampled, **given, rows="sample:64")
    assert whole.arrays == part.arrays
    assert whole.rows == str(sample) == "64 of 300 rows"
    unscaled = faulty.unscaled(given["query"], given["key"], given["value"])
    assert compare(unscaled, **given, rows="sample:64").diagnosis == ("unscaled",)


REFUSED = [
    ({"result": np.zeros((1, 1, 2, 3))}, ShapeError, "look at the layout"),
    ({"result": {"scores": np.zeros((1, 1, 2, 2))}}, SpecError, "name some of output, weights"),
    ({"result": {}}, SpecError, "there is no result"),
    ({"result": (np.zeros((1, 1, 2, 2)),) * 2}, SpecError, "return_weights"),
    ({"result": {"d_query": np.zeros((1, 1, 2, 2))}}, SpecError, "grad_output"),
    ({"result": np.zeros((1, 1, 2, 2), complex)}, SpecError, "complex128"),
    ({"result": np.zeros((1, 1, 2, 2)), "causal": "left"}, SpecError, "causal"),
]


@pytest.mark.parametrize(("given", "kind", "words"), REFUSED)
def test_what_cannot_be_compared_is_refused(given, kind, words):
    with pytest.raises(kind, match=words):
        compare(given.pop("result"), np.ones((1, 1, 2, 2)), np.ones((1, 1, 2, 2)), np.ones((1, 1, 2, 2)), **given)
