"""A whole page made with one thing wrong: the mistake is named on it, each of the catalogue that decimals can show."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from symattn.mistakes import CATALOGUE, applicable, spoiled
from symattn.parse.problem import problem
from symattn.policies import grid
from symattn.problem import Page

TOKENS = [[1, 0, 2], [0, 1, 1], [1, 1, 0]]
TABLES = {
    "W_Q": [[1, 2, 0], [0, 1, 1], [1, 0, 1]],
    "W_K": [[0, 1, 1], [2, 0, 1], [1, 1, 0]],
    "W_V": [[1, 0, 3], [2, 1, 0], [0, 1, 1]],
}
WIDE = {
    "X": [[1, 0, 2, 1], [0, 1, 1, 0], [1, 1, 0, 2]],
    "W_Q": [[1, 0, 2, 1], [0, 1, 1, 0], [1, 2, 0, 1], [0, 1, 0, 2]],
    "W_K": [[0, 1, 1, 2], [2, 0, 1, 0], [1, 1, 0, 1], [0, 2, 1, 0]],
    "W_V": [[1, 0, 3, 1], [2, 1, 0, 0], [0, 1, 1, 2], [1, 0, 0, 3]],
}
PROBLEMS = {
    "bias and cap": {
        "X": TOKENS,
        **TABLES,
        "attention": {"causal": True, "bias": [[0, 1, 0], ["1/2", 0, 1], [1, "1/3", 0]], "softcap": 3},
    },
    "heads": {
        "X": [[1, 0, 2, 1, 1], [0, 1, 1, 0, 2], [1, 1, 0, 2, 0]],
        **{name: [*rows, [1, 0, 1, 2]] for name, rows in WIDE.items() if name != "X"},
        "attention": {"num_heads": 2},
    },
    "shared heads": {
        "Q": [[1, 0, 2, 1], [0, 1, 1, 0], [1, 2, 0, 1]],
        "K": [[1, 2], [0, 1], [2, 1]],
        "V": [[3, 0], [1, 4], [0, 2]],
        "attention": {"num_heads": 4, "num_kv_heads": 2},
    },
    "rotary": {**WIDE, "attention": {"rope": {"base": 10}}},
    "cache": {
        "X": [[1, 0, 2], [0, 1, 1]],
        **TABLES,
        "past_key": [[1, 2, 0], [0, 1, 1], [1, 1, 2]],
        "past_value": [[2, 0, 1], [1, 3, 0], [0, 1, 4]],
        "attention": {"causal": "bottom-right"},
    },
    "a row that sees nothing": {
        "X": TOKENS,
        **TABLES,
        "attention": {
            "mask": [[True, False, True], [False, False, False], [True, True, False]],
            "on_masked_row": "zero",
        },
    },
    "another row with no meaning": {
        "X": TOKENS,
        **TABLES,
        "attention": {
            "mask": [[True, False, True], [False, False, False], [True, True, False]],
            "on_masked_row": "uniform",
        },
    },
}
UNSEEN = {
    "float32_softmax": "it is lost in the decimals of a page",
    "grad_delta_omitted": "a page prints no gradients",
    "grad_scale_forgotten": "a page prints no gradients",
    "grad_group_not_summed": "a page prints no gradients",
}
READING = {"mask_inverted": 1, "grad_group_not_summed": 0}
"""The reading that shows where the mask is a causal one."""
SAME = {
    "scaled_twice": {"scaled_by_d_k"},
    "cache_ignored_by_causal": {"other_causal_alignment"},
    "masked_row_uniform": {"finite_mask"},
}
"""Mistakes with the same numbers: with the usual scale twice 1/sqrt(d_k) is 1/d_k, and -10^4 for -oo gives equal weights
where a row sees nothing.
"""
CASES = [(name, key) for name, data in PROBLEMS.items() for key in applicable(problem(data)) if key not in UNSEEN]


def test_every_mistake_that_a_page_can_show_is_made():
    assert {key for _, key in CASES} == set(CATALOGUE) - set(UNSEEN)


@pytest.mark.parametrize(("name", "key"), CASES)
def test_a_mistake_of_a_whole_page_is_named(name, key):
    given = problem(PROBLEMS[name])
    readings = CATALOGUE[key].readings
    result = spoiled(given, readings[READING.get(key, 0) if name != "a row that sees nothing" else 0])
    several = len(result.heads) > 1
    arrays = [
        (f"attn_weights of head {index + 1}" if several else "attn_weights", head.weights)
        for index, head in enumerate(result.heads)
    ] + [("final output" if several else "output", result.output)]
    page = "\n\n".join(
        f"{label} =\n["
        + "\n ".join(
            "[" + " ".join(entry.text for entry in row if entry) + "]" for row in grid(table, Page(decimals=6))
        )
        + "]"
        for label, table in arrays
    )
    found = check("page.txt", page, given).findings
    wrong = [finding for finding in found if finding.is_erratum]
    if not wrong:
        assert _is_the_same(given, result), "the mistake shows, and is not found"
        return
    assert {finding.mistake for finding in wrong} in ({key}, SAME.get(key))


def _is_the_same(given, result):
    from symattn.derive.sections import worked

    right = worked(given).sections[0].result
    return [[e.text for row in grid(h.weights, Page(decimals=6)) for e in row if e] for h in right.heads] == [
        [e.text for row in grid(h.weights, Page(decimals=6)) for e in row if e] for h in result.heads
    ] and grid(right.output, Page(decimals=6)) == grid(result.output, Page(decimals=6))
