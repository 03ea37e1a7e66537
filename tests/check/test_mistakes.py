"""A whole page made with one thing wrong: the mistake is named on it."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from symattn.mistakes import CATALOGUE, applicable, spoiled
from symattn.parse.problem import problem
from symattn.policies import grid
from symattn.problem import Page

DATA = {
    "X": [[1, 0, 2], [0, 1, 1], [1, 1, 0]],
    "W_Q": [[1, 2, 0], [0, 1, 1], [1, 0, 1]],
    "W_K": [[0, 1, 1], [2, 0, 1], [1, 1, 0]],
    "W_V": [[1, 0, 3], [2, 1, 0], [0, 1, 1]],
    "attention": {"causal": True, "bias": [[0, 1, 0], ["1/2", 0, 1], [1, "1/3", 0]], "softcap": 3},
}
KEYS = [
    key
    for key in applicable(problem(DATA))
    if CATALOGUE[key].exact and not CATALOGUE[key].of_masked_rows and key != "finite_mask"
]
assert len(KEYS) >= 12


READING = {"mask_inverted": 1}
"""The reading that shows where the mask is a causal one."""
SAME = {"scaled_twice": "scaled_by_d_k"}
"""With the usual scale twice 1/sqrt(d_k) is 1/d_k."""


@pytest.mark.parametrize("key", KEYS)
def test_a_mistake_of_a_whole_page_is_named(key):
    given = problem(DATA)
    result = spoiled(given, CATALOGUE[key].readings[READING.get(key, 0)])
    page = "\n\n".join(
        f"{name} =\n[" + "\n ".join("[" + " ".join(entry.text for entry in row if entry) + "]" for row in rows) + "]"
        for name, rows in (
            ("attn_weights", grid(result.heads[0].weights, Page(decimals=6))),
            ("output", grid(result.output, Page(decimals=6))),
        )
    )
    found = check("page.txt", page, given).findings
    assert len(found) == 18
    wrong = [finding for finding in found if finding.is_erratum]
    assert wrong, "the mistake does not show"
    assert {finding.mistake for finding in wrong} - {None} == {SAME.get(key, key)}
