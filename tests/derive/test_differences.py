"""What a page says under "if your last digit differs", against the reference's two policies."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symattn.derive.differences import Differences, differences
from symattn.errors import SpecError
from tests.exact.common import solved, steady
from tests.reference import Page, TooClose, ZeroSumError, evaluate, fraction, printed
from tests.strategies import log_problems, problems, surd_problems

KINDS = st.one_of(problems(), surd_problems(), log_problems())
PLAIN = ("decimals", "ties", "digits")


def found(problem: dict[str, Any]) -> Differences:
    asked = solved(problem)
    return differences(asked, asked.shown(asked.sections[0]))


def with_page(problem: dict[str, Any], **options: Any) -> dict[str, Any]:
    """The problem with the same decimals and ties under another policy."""
    kept = {name: value for name, value in problem["page"].items() if name in PLAIN}
    return problem | {"page": kept | options}


def places(told: dict[str, Any], problem: dict[str, Any]) -> dict[tuple[str, int, int, int], Any]:
    """Weights and outputs by their place; the final output where it is another array."""
    cells = {}
    for index, head in enumerate(told["heads"]):
        for array in ("weights", "output"):
            cells |= {(array, index, i, j): entry for i, row in enumerate(head[array]) for j, entry in enumerate(row)}
    if len(told["heads"]) > 1 or "W_O" in problem:
        cells |= {("final", 0, i, j): entry for i, row in enumerate(told["output"]) for j, entry in enumerate(row)}
    return cells


@steady(120)
@given(KINDS)
def test_rows_hold_the_numbers_of_every_policy(problem):
    """Each number that another honest way prints otherwise is told, with the references of all ways; no other is."""
    try:
        shown = printed(problem)
        near = printed(with_page(problem))
        carried = printed(with_page(problem, rounding="carried"))
        to_one = printed(with_page(problem, rounding="carried", row_sums="one"))
    except TooClose:
        assume(False)
    except ZeroSumError:
        if problem["page"].get("rounding") != "carried":
            assert found(problem).rows == ()
        else:
            with pytest.raises(SpecError):
                found(problem)
        return
    ways = [places(told, problem) for told in (shown, near, carried, to_one)]
    wanted = {place: tuple(way[place] for way in ways) for place in ways[0]}
    differing = {place: texts for place, texts in wanted.items() if len(set(texts)) > 1}
    told = {(row.array, row.head, row.row, row.column): row for row in found(problem).rows}
    assert {place: (r.printed, r.nearest, r.carried, r.to_one) for place, r in told.items()} == differing
    exact, decimals = places(evaluate(problem, 60), problem), Page.of(problem).decimals + 2
    for place, row in told.items():
        assert begins(row.begins, row.exact, exact[place], decimals)


def begins(text: str, whole: bool, value: Any, decimals: int) -> bool:
    """Whether the text is the value itself, or its first decimals cut off."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return whole and Fraction(text) == value
    assert len(text.partition(".")[2]) == decimals
    if whole:
        return Fraction(text) == value
    with mpmath.workdps(60):
        number = fraction(value)
    gap = abs(number) - abs(Fraction(text))
    return 0 <= gap < Fraction(1, 10**decimals) and (not isinstance(value, Fraction) or gap != 0)


@steady(80)
@given(KINDS)
def test_sums_are_those_of_the_printed_rows(problem):
    try:
        shown = printed(problem)
    except (TooClose, ZeroSumError):
        assume(False)
    wanted = []
    for index, head in enumerate(shown["heads"]):
        for row, texts in enumerate(head["weights"]):
            total = sum(map(Fraction, texts))
            if total != 1:
                wanted.append((index, row, total))
    told = [(s.head, s.row, Fraction(s.total)) for s in found(problem).sums]
    assert told == wanted
    assert problem["page"].get("row_sums") != "one" or told == []


SPECIALS = [  # problem, (array, row, column, kind, printed)
    (
        {"Q": [["0"]], "K": [["1"], ["2"]], "V": [["1/4"], ["0"]], "page": {"decimals": 2}},
        [("output", 0, 0, "tie", "0.13")],
    ),
    (
        {"Q": [["1"]], "K": [["0"], ["-20"]], "V": [["0"], ["-1"]]},
        [("weights", 0, 1, "zero", "0.000"), ("output", 0, 0, "zero", "0.000")],
    ),
    ({"Q": [["0"]], "K": [["1"], ["2"]], "V": [["1"], ["0"]]}, []),
    (
        {"Q": [["1"]], "K": [["0"]] * 8, "V": [["1"]] + [["0"]] * 7, "page": {"decimals": 2, "ties": "half-even"}},
        [*(("weights", 0, j, "tie", "0.12") for j in range(8)), ("output", 0, 0, "tie", "0.12")],
    ),
]
assert SPECIALS


@pytest.mark.parametrize(("problem", "wanted"), SPECIALS)
def test_ties_and_vanishing_numbers_are_told(problem, wanted):
    told = found(problem).specials
    assert [(s.array, s.row, s.column, s.kind, s.printed) for s in told] == wanted


def test_the_textbook_page():
    """0.503489... is printed 0.504 by a pencil worker whose rows add to 1, and 1.504 follows from it."""
    problem = {"X": [["1", "0"], ["0", "1"], ["1", "1"]], "W_Q": "identity", "W_K": "identity"}
    problem |= {"W_V": [["2", "0"], ["0", "2"]]}
    told = found(problem)
    assert [(s.row, s.total) for s in told.sums] == [(2, "0.999")]
    rows = {(row.array, row.row, row.column): row for row in told.rows}
    assert rows["weights", 2, 2].begins == "0.50348"
    assert [rows["weights", 2, 2].nearest, rows["weights", 2, 2].to_one] == ["0.503", "0.504"]
    assert {rows["output", 2, column].to_one for column in (0, 1)} == {"1.504"}
    assert told


def test_nothing_is_said_where_nothing_differs():
    told = found({"Q": [["0"]], "K": [["1"], ["2"]], "V": [["1"], ["3"]]})
    assert not told
    assert told == Differences((), (), ())


def test_nothing_is_said_of_letters():
    letters = {"Q": [["a"]], "K": [["1"], ["0"]], "V": [["1"], ["2"]], "symbols": {"a": "real"}}
    assert not found(letters)
