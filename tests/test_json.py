"""The machine's view: its shape, and exact strings that another program can read back to the same numbers."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import mpmath
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st
from sympy.parsing.sympy_parser import parse_expr

from symattn import __version__
from symattn.parse.problem import problem as parsed
from symattn.render.json_view import json_view
from tests.exact.common import near, solved, steady
from tests.reference import ZeroSumError, evaluate, printed
from tests.strategies import log_problems, problems, surd_problems

ARRAYS = ("query", "key", "value", "scores", "scaled", "logits", "weights", "output")
NAPKIN = {"X": [[1, 0], [0, 1], [1, 1]], "W_Q": "identity", "W_K": "identity", "W_V": [[2, 0], [0, 2]]}


def closed_object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def rows_of(*kinds: str) -> dict[str, Any]:
    line = {"type": "array", "minItems": 1, "items": {"type": list(kinds)}}
    return {"type": "array", "minItems": 1, "items": line}


NOTE = closed_object(
    row={"type": "integer", "minimum": 0},
    col={"type": "integer", "minimum": 0},
    kind={"enum": ["tie", "zero", "differs"]},
    nearest={"type": "string"},
)
ARRAY = closed_object(
    exact=rows_of("string"), decimal=rows_of("string", "null"), notes={"type": "array", "items": NOTE}
)
HEADS = {"type": "array", "minItems": 1, "items": closed_object(**dict.fromkeys(ARRAYS, ARRAY))}
SECTION = closed_object(attention={"type": "object", "minProperties": 1}, heads=HEADS, output=ARRAY)
VIEW = closed_object(
    symattn={"type": "string"},
    problem={"type": "object"},
    heads=HEADS,
    output=ARRAY,
    also={"type": "array", "items": SECTION},
)


def view(problem: dict[str, Any]) -> dict[str, Any]:
    return json_view(solved(problem), __version__)


NEAREST = ("nearest",)
KINDS = st.one_of(*(kind(policies=NEAREST) for kind in (problems, surd_problems, log_problems)))


@steady(60)
@given(KINDS, st.booleans())
def test_the_shape(problem, further):
    if further and not problem["attention"]["causal"]:
        problem = problem | {"also": [{"causal": "top-left"}, {"scale": "2/7"}]}
    found = view(problem)
    jsonschema.validate(found, VIEW)
    assert list(found) == ["symattn", "problem", "heads", "output", "also"]
    assert found["symattn"] == __version__
    assert [list(head) for head in found["heads"]] == [list(ARRAYS)] * problem["attention"].get("num_heads", 1)
    assert [section["attention"] for section in found["also"]] == problem.get("also", [])
    assert parsed(found["problem"]) == parsed(problem)
    for section in (found, *found["also"]):
        for array in (*(head[name] for head in section["heads"] for name in ARRAYS), section["output"]):
            sizes = [[len(row) for row in array[kind]] for kind in ("exact", "decimal")]
            assert sizes[0] == sizes[1]
            assert all(note["row"] < len(sizes[0]) and note["col"] < sizes[0][0] for note in array["notes"])


@steady(40)
@given(KINDS)
def test_it_is_plain_json_and_the_same_every_time(problem):
    found = view(problem)
    text = json.dumps(found, ensure_ascii=False)
    assert json.loads(text) == found
    assert json.dumps(view(problem), ensure_ascii=False) == text
    assert json.dumps(view(json.loads(text)["problem"]), ensure_ascii=False) == text


@steady(60)
@given(st.one_of(problems(), surd_problems(), log_problems()))
def test_decimals_are_the_pages(problem):
    """By either policy, as the independent evaluator prints them."""
    try:
        wanted = printed(problem)
    except ZeroSumError:
        assume(False)
    found = view(problem)
    for head, told in zip(found["heads"], wanted["heads"], strict=True):
        assert {name: head[name]["decimal"] for name in ARRAYS} == {name: told[name] for name in ARRAYS}
    assert found["output"]["decimal"] == wanted["output"]


@steady(70)
@given(KINDS)
def test_exact_strings_read_back_to_the_same_numbers(problem):
    """Read by SymPy's parser, each entry is the reference's number at 50 digits, and the matrix entry's too."""
    found, wanted = view(problem), evaluate(problem, 60)
    result = solved(problem).sections[0].result
    with mpmath.workdps(55):
        for head, told, worked in zip(found["heads"], wanted["heads"], result.heads, strict=True):
            for name in ARRAYS:
                assert_reads_back(head[name]["exact"], told[name], getattr(worked, name).to_sympy())
        assert_reads_back(found["output"]["exact"], wanted["output"], result.output.to_sympy())


def assert_reads_back(rows: list[list[str]], wanted: list[list[Any]], matrix: Any) -> None:
    for i, row in enumerate(rows):
        for j, text in enumerate(row):
            read = parse_expr(text)
            if wanted[i][j] is None:
                assert (text, read, matrix[i, j]) == ("-oo", -sympy.oo, -sympy.oo)
                continue
            expected = near(wanted[i][j])
            assert read.free_symbols == set()
            for value in (read, matrix[i, j]):
                assert abs(near(value) - expected) <= mpmath.mpf(10) ** -50 * max(1, abs(expected))


@steady(50)
@given(problems(scales=st.none(), policies=NEAREST))
def test_rational_problems_have_the_matrix_entries_themselves(problem):
    """Not only the same number: one rational function, by SymPy's ``together`` in the generator."""
    found, result = view(problem), solved(problem).sections[0].result
    for head, worked in zip(found["heads"], result.heads, strict=True):
        for rows, table in ((head["weights"], worked.weights), (head["output"], worked.output)):
            for i, row in enumerate(rows["exact"]):
                for j, text in enumerate(row):
                    difference = parse_expr(text) - table[i, j].to_sympy()
                    assert difference == 0 or sympy.numer(sympy.together(difference)).expand() == 0


def test_the_napkin_by_hand():
    found = view(NAPKIN)
    weights = found["heads"][0]["weights"]
    assert weights["exact"][0] == [
        "exp(sqrt(2)/2)/(1 + 2*exp(sqrt(2)/2))",
        "1/(1 + 2*exp(sqrt(2)/2))",
        "exp(sqrt(2)/2)/(1 + 2*exp(sqrt(2)/2))",
    ]
    assert weights["decimal"] == [["0.401", "0.198", "0.401"], ["0.198", "0.401", "0.401"], ["0.248", "0.248", "0.503"]]
    assert found["heads"][0]["scores"] == {
        "exact": [["1", "0", "1"], ["0", "1", "1"], ["1", "1", "2"]],
        "decimal": [["1", "0", "1"], ["0", "1", "1"], ["1", "1", "2"]],
        "notes": [],
    }
    assert found["also"] == []


def test_notes_tell_ties_zeros_and_other_roundings():
    tie = view({"Q": [[0]], "K": [[1], [2]], "V": [["1/4"], [0]], "page": {"decimals": 2}})["output"]
    assert tie["notes"] == [{"row": 0, "col": 0, "kind": "tie", "nearest": "0.13"}]
    zero = view({"Q": [[1]], "K": [[0], [-2000]], "V": [[1], [0]], "page": {"decimals": 4}})["heads"][0]["weights"]
    assert zero["notes"] == [{"row": 0, "col": 1, "kind": "zero", "nearest": "0.0000"}]
    pencil = view(NAPKIN | {"page": {"rounding": "carried", "row_sums": "one"}})
    weights = pencil["heads"][0]["weights"]
    assert weights["notes"] == [{"row": 2, "col": 2, "kind": "differs", "nearest": "0.503"}]
    assert [note["nearest"] for note in pencil["output"]["notes"]] == ["1.503", "1.503"]


def test_masked_logits_and_symbols():
    found = view(NAPKIN | {"attention": {"causal": True}})["heads"][0]
    assert found["logits"]["exact"][0] == ["sqrt(2)/2", "-oo", "-oo"]
    assert found["logits"]["decimal"][0] == ["0.707", "-oo", "-oo"]
    assert found["weights"]["exact"][0] == ["1", "0", "0"]
    letters = {"Q": [["a"]], "K": [[1], [0]], "V": [[1], [2]], "symbols": {"a": "real"}, "attention": {"scale": 1}}
    head = view(letters)["heads"][0]
    assert head["scores"] == {"exact": [["a", "0"]], "decimal": [[None, "0"]], "notes": []}
    assert head["weights"]["decimal"] == [[None, None]]
    a = sympy.Symbol("a")
    assert sympy.simplify(parse_expr(head["weights"]["exact"][0][0]) - sympy.exp(a) / (1 + sympy.exp(a))) == 0


MIXED_POWERS = [  # V of two heads with scores 2 and 0: u is e^2, and an entry has powers of e of its own
    [["0", "1"], ["exp(1)", "0"]],
    [["exp(1)", "1"], ["0", "exp(3)"]],
    [["exp(1/2)", "exp(2)"], ["exp(sqrt(2))", "1"]],
]


@pytest.mark.parametrize("values", MIXED_POWERS)
def test_powers_of_u_and_of_e_are_not_mistaken_for_each_other(values):
    problem = {"Q": [["2", "2"]], "K": [["1", "0"], ["0", "1"]], "V": values, "W_O": [[1], [1]]}
    problem["attention"] = {"num_heads": 2, "scale": 1}
    found = view(problem)["output"]["exact"]
    with mpmath.workdps(55):
        (expected,) = evaluate(problem, 60)["output"][0]
        assert abs(near(parse_expr(found[0][0])) - near(expected)) < mpmath.mpf(10) ** -50
