"""``spoiled`` against implementations in NumPy that make the same mistake, on inputs that both hold exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symattn.exact.attention import attention, projections
from symattn.exact.balls import precision
from symattn.exact.values import UNDEFINED
from symattn.mistakes.catalogue import CATALOGUE, RIGHT, deviations
from symattn.mistakes.spoiled import spoiled
from symattn.mistakes.where import applicable
from symattn.parse.problem import problem as parsed
from tests.arrays import faulty
from tests.arrays.faulty import Case
from tests.test_options import CASES as OPTIONS

EXACT = [
    pytest.param(case, id=f"{case.key}-{place}") for place, case in enumerate(faulty.CASES) if CATALOGUE[case.key].exact
]
SIDE_BY_SIDE = {"query": "Q", "key": "K", "value": "V", "past_key": "past_key", "past_value": "past_value"}


def dyadic(table: np.ndarray) -> np.ndarray:
    """Rounded to eighths, or to whole numbers where they are large."""
    step = 8.0 if np.abs(table).max() < 20 else 1.0
    return np.round(table * step) / step


def problem_of(given: dict[str, Any], case: Case) -> Any:
    """The first item of the batch as a problem: heads side by side."""
    options = {name: entry for name, entry in given.items() if name not in SIDE_BY_SIDE}
    if case.sizes[1] > 1:
        options |= {"num_heads": case.sizes[1], "num_kv_heads": case.sizes[2]}
    if "mask" in options:
        options["mask"] = options["mask"].tolist()
    if "bias" in options:
        options["bias"] = texts(options["bias"])
    for name in ("scale", "softcap"):
        if name in options:
            options[name] = str(Fraction(options[name]))
    tables = {
        name: texts(np.concatenate(list(given[array][0]), axis=-1))
        for array, name in SIDE_BY_SIDE.items()
        if array in given
    }
    return parsed({**tables, "attention": options})


def texts(table: np.ndarray) -> Any:
    if table.ndim > 1:
        return [texts(row) for row in table]
    return [str(Fraction(float(entry))) for entry in table]


def floats(table: Any) -> np.ndarray:
    """Exact values as floats, by balls."""
    with precision(200):
        return np.array(
            [[np.nan if entry is UNDEFINED else float(entry.ball().mid()) for entry in row] for row in table.rows]
        )


def outcomes(problem: Any, key: str) -> list[np.ndarray]:
    """The outputs of all heads side by side, for each reading of a mistake."""
    return [floats(spoiled(problem, deviation).output) for deviation in deviations([key])]


@pytest.mark.parametrize("case", EXACT)
def test_a_mistake_gives_what_an_implementation_that_makes_it_gives(case):
    given = faulty.inputs(case, "float64", 5)
    given = {name: dyadic(entry[:1]) if name in SIDE_BY_SIDE else entry for name, entry in given.items()}
    if "bias" in given:
        given["bias"] = dyadic(given["bias"])
    problem = problem_of(given, case)
    theirs = np.concatenate(list(faulty.result(case, given)[0]), axis=-1)
    rightly = np.concatenate(list(faulty.rightly(given)[0]), axis=-1)
    undefined = np.isnan(theirs)
    found = outcomes(problem, case.key)
    if case.key == "strict_causal":  # the implementation gives 0 where the problem has no rule
        assert np.isnan(found[0][0]).all()
        found = [np.nan_to_num(table, nan=0.0) for table in found]
    assert case.key in applicable(problem)
    assert not np.allclose(theirs, rightly, rtol=1e-6, equal_nan=True)
    assert any(
        np.allclose(table, theirs, rtol=1e-11, atol=1e-12, equal_nan=True) and (np.isnan(table) == undefined).all()
        for table in found
    )


@pytest.mark.parametrize("name", OPTIONS)
def test_without_a_mistake_it_is_attention_itself(name):
    problem = parsed(OPTIONS[name])
    right, found = attention(projections(problem), problem.attention), spoiled(problem, RIGHT)
    for ours, theirs in zip(found.heads, right.heads, strict=True):
        for array in ("query", "key", "value", "scores", "scaled", "logits", "weights", "output"):
            assert getattr(ours, array).equals(getattr(theirs, array)), array
    assert np.allclose(floats(found.output), floats(right.output), rtol=1e-15, equal_nan=True)


X = [[1, 2, "1/2"], [0, -1, 1], ["3/2", 1, -2], [1, "1/4", 0]]
TABLES = {
    "W_Q": [[1, 0, 2], ["1/2", 1, 0], [0, -1, 1]],
    "W_K": [[0, 1, 1], [1, "1/2", 0], [2, 0, -1]],
    "W_V": [[1, 1, 0], [0, 2, 1], ["1/2", 0, 1]],
    "W_O": [[2, 0, 1], [1, 1, 0], [0, "1/2", 3]],
}


def numbers(table: Any) -> np.ndarray:
    return np.array([[float(Fraction(entry)) for entry in row] for row in table])


@pytest.mark.parametrize("output_too", [False, True])
def test_tables_are_turned_before_they_are_multiplied(output_too):
    problem = parsed({"X": X, **TABLES})
    tables = {name: numbers(table) for name, table in TABLES.items()}
    x = numbers(X)
    q, k, v = (x @ tables[name].T for name in ("W_Q", "W_K", "W_V"))
    mixed = faulty.softmax(q @ k.T / np.sqrt(3)) @ v @ (tables["W_O"].T if output_too else tables["W_O"])
    found = outcomes(problem, "weights_transposed")[int(output_too)]
    assert np.allclose(found, mixed, rtol=1e-12)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_pairs_are_taken_by_the_other_layout(interleaved):
    rows = {"Q": [[1, 2, "1/2", -1], [0, 1, 1, 2]], "K": [[1, 0, 2, 1], [2, 1, 0, -1]], "V": [[1, 2], [3, 5]]}
    problem = parsed({**rows, "attention": {"rope": {"base": 100, "interleaved": interleaved}}})
    q, k, v = (numbers(rows[name]) for name in "QKV")

    def turned(table):
        found = table.copy()
        for position, row in enumerate(table):
            for pair in range(2):
                a, b = (pair, pair + 2) if interleaved else (2 * pair, 2 * pair + 1)
                angle = position * 100.0 ** (-pair / 2)
                found[position, a] = row[a] * np.cos(angle) - row[b] * np.sin(angle)
                found[position, b] = row[a] * np.sin(angle) + row[b] * np.cos(angle)
        return found

    mixed = faulty.softmax(turned(q) @ turned(k).T / 2) @ v
    (found,) = outcomes(problem, "rope_other_layout")
    assert np.allclose(found, mixed, rtol=1e-12)


def test_heads_are_mixed_through_the_output_table_too():
    """Two heads, softmax over queries, W_O: what no row of a softmax holds."""
    rows, values, mixing = [[1, 2], [0, 1], [2, -1]], [[1, 0], [2, 1]], [[1, 2], [3, 4]]
    tables = {"W_Q": "identity", "W_K": "identity", "W_V": values, "W_O": mixing}
    problem = parsed({"X": rows, **tables, "attention": {"num_heads": 2}})
    x = numbers(rows)
    v = x @ numbers(values)
    heads = [faulty.softmax(np.outer(x[:, h], x[:, h]), axis=0) @ v[:, h : h + 1] for h in range(2)]
    mixed = np.concatenate(heads, axis=1) @ numbers(mixing)
    (found,) = outcomes(problem, "softmax_over_queries")
    assert np.allclose(found, mixed, rtol=1e-12)


def test_two_mistakes_are_both_made():
    rows = {"Q": [[1, 2], [0, 1], [2, -1]], "K": [[1, 0], [2, 1], [1, 1]], "V": [[1, 2, 0], [3, 5, 1], [2, 2, 7]]}
    problem = parsed({**rows, "attention": {"causal": True}})
    q, k, v = (numbers(rows[name]) for name in "QKV")
    mixed = np.tril(faulty.softmax(q @ k.T)) @ v
    (deviation,) = deviations(["unscaled", "mask_after_softmax"])
    assert np.allclose(floats(spoiled(problem, deviation).output), mixed, rtol=1e-12)
    assert list(deviations(["unscaled", "scaled_twice"])) == []


ALWAYS = {
    "unscaled",
    "scaled_by_d_k",
    "scaled_twice",
    "softmax_over_queries",
    "scores_times_value",
    "float32_softmax",
    "grad_delta_omitted",
    "grad_scale_forgotten",
}
ROWS = {"Q": [[1, 2]], "K": [[1, 0], [2, 1], [1, 1]], "V": [[1], [2], [4]]}
SQUARE = {"Q": ROWS["K"], "K": ROWS["K"], "V": ROWS["K"]}
CAUSAL = {"attention": {"causal": True}}
MASKS = {"mask_ignored", "mask_inverted", "mask_after_softmax", "finite_mask"}
SWAPS = {"queries_and_keys_swapped", "value_is_key"}
NAMED = {
    "one query": ({**ROWS}, set()),
    "as many queries as keys": ({**SQUARE}, SWAPS),
    "causal": ({**SQUARE, "attention": {"causal": True}}, SWAPS | MASKS | {"strict_causal"}),
    "causal, more keys": (
        {**ROWS, "attention": {"causal": "bottom-right"}},
        {"other_causal_alignment", "strict_causal"},
    ),
    "causal, top-left": (
        {**ROWS, "attention": {"causal": "top-left"}},
        MASKS | {"other_causal_alignment", "strict_causal"},
    ),
    "a mask that hides nothing": ({**ROWS, "attention": {"mask": [[True] * 3]}}, set()),
    "a dead row": (
        {**ROWS, "attention": {"mask": [[False] * 3], "on_masked_row": "zero"}},
        MASKS | {"masked_row_zero", "masked_row_uniform", "masked_row_nan"},
    ),
    "a cap and a bias": (
        {**ROWS, "attention": {"softcap": 2, "bias": [[1, 2, 3]]}},
        {"cap_ignored", "bias_ignored", "bias_sign"},
    ),
    "a cap and a mask": (
        {**ROWS, "attention": {"softcap": 2, "mask": [[True, False, True]]}},
        MASKS | {"cap_ignored", "cap_after_mask"},
    ),
    "two heads": (
        {**SQUARE, "attention": {"num_heads": 2}},
        SWAPS | {"scaled_by_sqrt_d_model", "heads_reshaped_without_transpose"},
    ),
    "a cache": (
        {
            "Q": [[1, 2]],
            "K": [[1, 0]],
            "V": [[3]],
            "past_key": [[2, 1]],
            "past_value": [[5]],
            "attention": {"causal": True},
        },
        {"other_causal_alignment", "strict_causal", "cache_ignored_by_causal"},
    ),
    "tables": (
        {"X": [[1, 2], [0, 1]], "W_Q": [[1, 2], [3, 4]], "W_K": "identity", "W_V": [[1, 0], [2, 1]]},
        SWAPS | {"weights_transposed"},
    ),
    "tables that are not square": (
        {"X": [[1, 2], [0, 1]], "W_Q": [[1, 2, 0], [3, 4, 1]], "W_K": [[1, 2, 0], [3, 4, 1]], "W_V": [[1], [2]]},
        {"queries_and_keys_swapped", "scaled_by_sqrt_d_model"},
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_what_can_be_mistaken_where(name):
    given, keys = NAMED[name]
    assert set(applicable(parsed(given))) == ALWAYS | keys


def test_the_catalogue_in_its_order():
    assert list(CATALOGUE) == [mistake.key for mistake in CATALOGUE.values()]
    assert [key for key in CATALOGUE if key in applicable(parsed(ROWS))] == list(applicable(parsed(ROWS)))
