"""The package against the vectors: textbook numbers, readings of carried rounding, ties, and faults that people met."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symattn.api import solve
from symattn.errors import ShapeError, SpecError
from symattn.exact.numbers import rational
from symattn.mistakes.rows import ROWS
from symattn.parse.problem import loads
from symattn.parse.problem import problem as parsed
from symattn.rounding import nearest, significant
from tests.exact.common import part_of, printed_texts, solved

FILES = {path.stem: json.loads(path.read_text()) for path in (Path(__file__).parent / "vectors").glob("*.json")}
del FILES["options"], FILES["layers"]  # what other systems compute: test_option_vectors, test_several_layers
CASES = {f"{file}: {case['name']}": case for file, found in FILES.items() for case in found["cases"]}
assert set(FILES) >= {"seed", "carried_readings", "ties", "faults"}, "vectors not found"
assert all(FILES[file]["cases"] for file in FILES)

WAITING_FOR_NESTED_ROOTS = {"ties: scores in disguise: nested roots"}
"""Cases whose entries have no normal form yet: they must be refused by name, not rounded by a guess."""

SPELLED_OTHERWISE = {"10^-100": "1e-100"}
"""Entries beyond the bound on powers, in a spelling that the package reads."""


def spelled(problem: Any) -> Any:
    if isinstance(problem, dict):
        return {name: spelled(value) for name, value in problem.items()}
    if isinstance(problem, list):
        return [spelled(value) for value in problem]
    return SPELLED_OTHERWISE.get(problem, problem) if isinstance(problem, str) else problem


WORKED = {
    name: case | {"problem": spelled(case["problem"])}
    for name, case in CASES.items()
    if name not in WAITING_FOR_NESTED_ROOTS
}


def with_key(key: str) -> pytest.MarkDecorator:
    """One test for each case that is worked and has this key."""
    names = [name for name, case in WORKED.items() if key in case]
    assert names, f"no case has {key}"
    return pytest.mark.parametrize("name", names)


def test_every_case_is_worked_or_waits_by_name():
    assert set(CASES) - set(WORKED) == WAITING_FOR_NESTED_ROOTS
    checked = {"pages", "values", "wrong", "error"}
    assert all(checked & case.keys() for case in CASES.values())


@with_key("pages")
def test_pages(name):
    case = WORKED[name]
    assert case["pages"]
    for page in case["pages"]:
        assert part_of(page["printed"], printed_texts(case["problem"] | {"page": page["page"]})), page["page"]


@with_key("source_prints")
def test_the_textbook_page_is_carried_with_rows_that_add_to_1(name):
    page = {"decimals": 3, "rounding": "carried", "row_sums": "one"}
    assert part_of(WORKED[name]["source_prints"], printed_texts(WORKED[name]["problem"] | {"page": page}))


@with_key("other")
def test_another_reading_of_carried_rounding_is_not_what_is_printed(name):
    case = WORKED[name]
    if case["other"]["reading"] == "half_even":
        changed = case["pages"][0]["page"] | {"ties": "half-even"}
        assert part_of(case["other"]["printed"], printed_texts(case["problem"] | {"page": changed}))
    found = printed_texts(case["problem"] | {"page": case["pages"][0]["page"]})
    assert found["output"] != case["other"]["printed"]["output"]


def text_like(value: Any, text: str) -> str:
    """The value in the notation of ``text``: p/q exactly, else to as many digits as it has."""
    if "/" in text:
        return text if rational(value.number) == Fraction(text) else "another number"
    if "e" in text:
        return significant(value, len(text.partition("e")[0]) - 1).text
    return nearest(value, len(text.partition(".")[2])).text


def assert_values(values: dict[str, list[list[str]]], head: Any) -> None:
    for name, rows in values.items():
        table = head(name)
        found = [[text_like(table[i, j], text) for j, text in enumerate(row)] for i, row in enumerate(rows)]
        assert (found, table.shape) == (rows, (len(rows), len(rows[0])))


@with_key("values")
def test_values(name):
    head = solved(WORKED[name]["problem"]).sections[0].result.heads[0]
    assert_values(WORKED[name]["values"], lambda array: getattr(head, array))


BY_CATALOGUE = {
    "divided by d_k": "scaled_by_d_k",
    "not scaled": "unscaled",
    "softmax over the columns": "softmax_over_queries",
    "masked after the softmax, not renormalised": "mask_after_softmax",
}
BY_CHANGE = {"a 0/1 mask was added", "scaled by sqrt(d_model)", "X W_Q^T"}


@with_key("wrong")
def test_what_a_named_mistake_gives(name):
    case = WORKED[name]
    for wrong in case["wrong"]:
        changed = {"attention": wrong["attention"]} if "attention" in wrong else wrong.get("change", {})
        result = solved(case["problem"]).sections[0].result
        if wrong["mistake"] in BY_CATALOGUE:
            table = ROWS[BY_CATALOGUE[wrong["mistake"]]].weights(result.heads[0], result)
            assert_values(wrong["values"], {"weights": table}.__getitem__)
        if changed:
            other = solved(case["problem"] | changed).sections[0].result.heads[0]
            assert_values(wrong["values"], lambda array, head=other: getattr(head, array))
        assert wrong["mistake"] in BY_CATALOGUE or wrong["mistake"] in BY_CHANGE


ERRORS = {  # kind: error class, words of the message
    "fully-masked": ((SpecError, ShapeError), ("may attend to no key",)),
    "alignment": ((SpecError, ShapeError), ("top-left", "bottom-right")),
}


@with_key("error")
def test_errors(name):
    wanted = WORKED[name]["error"]
    kinds, words = ERRORS[wanted["kind"]]
    with pytest.raises(kinds) as caught:
        parsed(WORKED[name]["problem"])
    assert all(word in str(caught.value) for word in words)
    if "row" in wanted:
        assert str(wanted["row"] + 1) in str(caught.value)


@pytest.mark.parametrize("name", sorted(WAITING_FOR_NESTED_ROOTS))
def test_a_nested_root_is_refused_by_name(name):
    with pytest.raises(SpecError, match="root of this sum"):
        parsed(CASES[name]["problem"])


def test_the_other_spelling_is_needed():
    (name,) = [name for name in WORKED if WORKED[name]["problem"] != CASES[name]["problem"]]
    with pytest.raises(SpecError, match="too large a power"):
        parsed(CASES[name]["problem"])


def test_a_problem_text_with_bare_decimals():
    (case,) = [case for case in CASES.values() if "text" in case]
    found = loads(case["text"], "json")
    assert ((Fraction(1, 10), Fraction(1, 5)),) == found.Q
    assert solve(found).scores.exact[0, 0] == Fraction(3, 10)
    read = json.loads(case["text"], parse_float=Decimal)
    assert parsed(read) == found
    with pytest.raises(SpecError, match="binary float"):
        parsed(json.loads(case["text"]))
