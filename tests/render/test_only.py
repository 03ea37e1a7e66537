"""One array, row or number of a problem, in each format."""

from __future__ import annotations

import json

import pytest

from symattn.derive.sections import worked
from symattn.errors import SpecError
from symattn.parse.problem import loads
from symattn.parse.starter import NAPKIN
from symattn.render.only import only
from symattn.render.page import Wish
from tests.render.sample import cases
from tests.render.tables import grids

WEIGHTS = [["0.401", "0.198", "0.401"], ["0.198", "0.401", "0.401"], ["0.248", "0.248", "0.503"]]
OUTPUT = [["1.604", "1.198"], ["1.198", "1.604"], ["1.503", "1.503"]]
CAUSAL = [["1", "0", "0"], ["0.330", "0.670", "0"], WEIGHTS[2]]
ROW = r"$[0.248,\ 0.248,\ 0.503]$" + "\n"


@pytest.fixture(scope="module")
def napkin():
    return worked(loads(NAPKIN))


def told(napkin, text, format):
    return only(napkin, text, Wish(format=format))


@pytest.mark.parametrize(("text", "values"), [("weights", WEIGHTS), ("output", OUTPUT), ("also[0].weights", CAUSAL)])
class TestArrays:
    def test_markdown_is_a_table(self, napkin, text, values):
        (grid,) = grids(told(napkin, text, "md"))
        assert grid.numbers == values
        assert grid.labels == ("it", "was", "tired")
        assert grid.header[1:] == (("1", "2") if text == "output" else ("it", "was", "tired"))

    def test_latex_is_a_matrix(self, napkin, text, values):
        rows = r" \\ ".join(" & ".join(row) for row in values)
        assert told(napkin, text, "tex") == "\\[\n" + rf"\begin{{bmatrix}}{rows}\end{{bmatrix}}" + "\n\\]\n"

    def test_json_is_the_machines_view(self, napkin, text, values):
        found = json.loads(told(napkin, text, "json"))
        assert found.keys() == {"exact", "decimal", "notes"}
        assert found["decimal"] == values
        assert [len(row) for row in found["exact"]] == [len(row) for row in values]


PLACES = [
    ("weights[tired]", ROW, ROW, [WEIGHTS[2]]),
    ("weights[2]", ROW, ROW, [WEIGHTS[2]]),
    ("weights[tired][it]", "0.248\n", "0.248\n", [["0.248"]]),
    ("weights[2][0]", "0.248\n", "0.248\n", [["0.248"]]),
    (" output[it][1] ", "1.198\n", "1.198\n", [["1.198"]]),
    ("heads[0].weights[was][2]", "0.401\n", "0.401\n", [["0.401"]]),
    ("also[0].weights[was][was]", "0.670\n", "0.670\n", [["0.670"]]),
    ("also[0].logits[it][was]", "$-\\infty$\n", "$-\\infty$\n", [["-oo"]]),
    ("also[0].heads[0].output[it]", "$[2,\\ 0]$\n", "$[2,\\ 0]$\n", [["2", "0"]]),
    ("X[tired]", "$[1,\\ 1]$\n", "$[1,\\ 1]$\n", [["1", "1"]]),
    ("final[tired][0]", "1.503\n", "1.503\n", [["1.503"]]),
]


@pytest.mark.parametrize(("text", "markdown", "latex", "values"), PLACES)
def test_rows_and_numbers(napkin, text, markdown, latex, values):
    assert told(napkin, text, "md") == markdown
    assert told(napkin, text, "tex") == latex
    assert json.loads(told(napkin, text, "json"))["decimal"] == values


def test_a_github_row_stands_between_backticks(napkin):
    """Bare dollars, with commas and a backslash, are what GitHub's parser reads otherwise."""
    text = only(napkin, "weights[tired]", Wish(flavour="github"))
    assert text == r"$`[0.248,\ 0.248,\ 0.503]`$" + "\n"


UNKNOWN = [
    ("weigths", "weights"),
    ("weights[tirde]", "tired"),
    ("weights[3]", "from 0 to 2"),
    ("weights[-1]", "from 0 to 2"),
    ("weights[0][0][0]", "too many"),
    ("weights[", "weights"),
    ("also[1].weights", "section"),
    ("heads[1].weights", "head"),
    ("output[it][was]", "from 0 to 1"),
    ("", "weights"),
    ("__class__", "weights"),
    ("weights[" + "9" * 5000 + "]", "from 0 to 2"),
    ("also[" + "9" * 5000 + "].weights", "names no"),
]


@pytest.mark.parametrize(("text", "says"), UNKNOWN)
@pytest.mark.parametrize("format", ["md", "tex", "json"])
def test_what_is_not_there_is_named(napkin, text, says, format):
    with pytest.raises(SpecError) as caught:
        told(napkin, text, format)
    assert says in caught.value.message
    assert caught.value.where.path == "--only"
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_array_of_every_problem_is_the_references(case):
    for index, section in enumerate(case.sections()):
        before = f"also[{index - 1}]." if index else ""
        for number, head in enumerate(section["heads"]):
            for name, texts in head.items():
                if name == "exponentials":
                    continue
                found = json.loads(only(case.worked, f"{before}heads[{number}].{name}", Wish(format="json")))
                assert found["decimal"] == texts, (case.problem, name)
        found = json.loads(only(case.worked, f"{before}final", Wish(format="json")))
        assert found["decimal"] == section["output"]
