"""Pages in full work biases, heads and the last table; wide tables are cut evenly; what is left out is counted."""

from __future__ import annotations

import re

import pytest

from symattn import Problem
from symattn.derive.sections import worked
from symattn.render.grids import _cuts
from symattn.render.page import Wish, page
from tests.pages.tools import ROOT
from tests.render.reading import apart, judged, sound
from tests.render.sample import example_cases
from tests.render.tables import grids

HEADS = {
    "X": [[1, 0, 2], [0, 1, 1]],
    "W_Q": [[1, 0], [0, 1], [1, 1]],
    "W_K": [[1, 1], [0, 1], [1, 0]],
    "W_V": [[1, 0], [2, 1], [0, 1]],
    "W_O": [[1, 2, 0, 1], [0, 1, 1, "1/2"]],
    "b_O": [1, 0, "-1/4", 2],
    "num_heads": 2,
    "causal": True,
}


def shown(detail: str = "full", **given: object) -> str:
    return page(worked(Problem(**given)), Wish(detail=detail))


def test_each_head_names_its_own_arrays_and_the_last_table_is_worked():
    text = shown(**HEADS)
    for head in (1, 2):
        assert f"S^{{({head})}}_{{1,1}} &=" in text
        assert rf"{{W_Q^{{({head})}}}}_{{k,j}}" in text
    assert r"Y_{i,j} = \sum_{k=1}^{m} H_{i,k}\,{W_O}_{k,j} + {b_O}_{1,j}" in text
    assert len(re.findall(r"Y_\{\d,\d\} &", text)) == 2 * 4
    assert judged(sound(apart([text]))) > 45


def test_a_single_head_is_named_by_its_output():
    text = shown(X=[[1, 2], [0, 1]], W_Q="identity", W_K="identity", W_V="identity", W_O=[[1, 0], [2, 1]])
    assert r"Y_{i,j} = \sum_{k=1}^{m} Z_{i,k}\,{W_O}_{k,j}" in text
    assert "H_{" not in text
    assert judged(sound(apart([text]))) > 20


def test_a_bias_on_a_plain_copy_is_worked():
    text = shown(X=[[1, 2], [0, 1]], W_Q="identity", W_K="identity", W_V="identity", b_Q=[1, "1/2"])
    assert r"Q_{i,j} = X_{i,j} + {b_Q}_{1,j}" in text
    assert r"Q_{1,2} &= 2 + 0.500 = 2.500" in text
    assert "K_{1,1} &" not in text


def test_a_worksheet_has_blanks_after_the_last_table_in_each_section():
    given = {**HEADS, "causal": False, "also": [{"causal": True}]}
    found = [grid for grid in grids(shown("worksheet", **given)) if grid.corner == "final output"]
    assert [grid.headings[-1] for grid in found] == ["The heads together", "No looking ahead"]
    assert {cell for grid in found for row in grid.rows for cell in row[1:]} == {"______"}


@pytest.mark.parametrize(
    ("sizes", "cuts"),
    [
        ([10] * 3, [(0, 3)]),
        ([10] * 11, [(0, 5), (5, 11)]),
        ([10] * 17, [(0, 5), (5, 11), (11, 17)]),
        ([30, 30, 20, 70], [(0, 3), (3, 4)]),
        ([90, 90], [(0, 1), (1, 2)]),
    ],
)
def test_tables_are_cut_into_as_few_parts_as_fit_and_evenly_where_these_fit(sizes, cuts):
    assert _cuts(sizes, 80) == cuts


def test_ties_that_are_not_named_are_counted():
    text = shown("brief", Q=[[0]], K=[[1], [2]], V=[["1/8"] * 11, ["1/8"] * 11], decimals=2)
    told = text.partition("the rule for halves decides: ")[2].partition("\n")[0]
    assert told.count("number") == 6
    assert told.endswith("; and five more.")


@pytest.mark.parametrize("case", example_cases(), ids=lambda case: case.name)
def test_every_example_asks_four_questions_or_more(case):
    asked = case.page().partition("## Check yourself\n")[2].partition("<details>")[0]
    assert len(re.findall(r"^\d+\. ", asked, re.MULTILINE)) >= 4


def test_no_row_has_to_add_to_one_where_one_adds_to_nothing():
    text = (ROOT / "output" / "gallery" / "option-mask.md").read_text(encoding="utf-8")
    assert "a row of weights has to add to 1" not in text
    assert "a row of weights that sees anything has to add to 1" in text


EMPTY = {
    "Q": [[1], [3]],
    "K": [[1], [2]],
    "V": [[1], [0]],
    "scale": 1,
    "mask": [[True, True], [False, False]],
}


@pytest.mark.parametrize(
    ("rule", "asked"), [("zero", (True, True)), ("uniform", (True, False)), ("nan", (False, False))]
)
def test_a_row_that_sees_nothing_is_asked_only_what_holds_for_it(rule, asked):
    text = shown("brief", **EMPTY, on_masked_row=rule, softcap=3)
    assert ("Double every value" in text, "Why is no weight negative" in text) == asked
