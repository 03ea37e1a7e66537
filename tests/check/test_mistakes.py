"""A whole page made with one thing wrong: the mistake is named on it, each of the catalogue that decimals can show."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from symattn.derive.sections import worked
from symattn.mistakes.catalogue import CATALOGUE
from symattn.mistakes.spoiled import spoiled
from symattn.mistakes.where import applicable
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
READING = {"mask_inverted": 1}
"""The reading that shows where the mask is a causal one."""
SAME = {
    "scaled_twice": {"scaled_by_d_k"},
    "cache_ignored_by_causal": {"other_causal_alignment"},
    "masked_row_uniform": {"finite_mask"},
}
"""Mistakes with the same numbers: with the usual scale twice 1/sqrt(d_k) is 1/d_k, and -10^4 for -oo gives equal
weights where a row sees nothing.
"""
CASES = [(name, key) for name, data in PROBLEMS.items() for key in applicable(problem(data)) if key not in UNSEEN]


def test_every_mistake_that_a_page_can_show_is_shown():
    shown = {key for name, key in CASES if _shows(name, key)}
    assert shown == set(CATALOGUE) - set(UNSEEN)


def _made(name, key):
    readings = CATALOGUE[key].readings
    reading = 0 if name == "a row that sees nothing" else READING.get(key, 0)
    return spoiled(problem(PROBLEMS[name]), readings[reading])


def _shows(name, key):
    """Whether six decimals show the mistake; what it changes may vanish behind them."""
    right, wrong = worked(problem(PROBLEMS[name])).sections[0].result, _made(name, key)
    tables = [(one.weights, other.weights) for one, other in zip(right.heads, wrong.heads, strict=True)]
    return any(_print(one) != _print(other) for one, other in [*tables, (right.output, wrong.output)])


@pytest.mark.parametrize(("name", "key"), CASES)
def test_a_mistake_of_a_whole_page_is_named(name, key):
    given, result = problem(PROBLEMS[name]), _made(name, key)
    several = len(result.heads) > 1
    arrays = [
        (f"Head {index + 1}\n\nattn_weights" if several else "attn_weights", head.weights)
        for index, head in enumerate(result.heads)
    ] + [("All heads together\n\nfinal output" if several else "output", result.output)]
    page = "\n\n".join(f"{label} =\n{_print(table)}" for label, table in arrays)
    found = check("page.txt", page, given).findings
    wrong = [finding for finding in found if finding.is_erratum]
    if not _shows(name, key):
        assert not wrong
        return
    assert {finding.mistake for finding in wrong} in ({key}, SAME.get(key))


def _print(table):
    """As NumPy prints an array: without zeros at the end."""
    rows = grid(table, Page(decimals=6))
    texts = [[_trimmed(entry.text) for entry in row if entry] for row in rows]
    return "[" + "\n ".join("[" + " ".join(row) + "]" for row in texts) + "]"


def _trimmed(text):
    whole, _, decimals = text.partition(".")
    return text if text == "nan" else f"{whole}.{decimals.rstrip('0')}"
