"""What options add to a solution is there by name, in Python, in JSON and for ``--only``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp

from symattn import Problem, solve
from symattn.derive.named import SOMETIMES
from symattn.derive.sections import worked
from symattn.errors import SpecError
from symattn.render.json_view import json_view
from symattn.render.only import only
from symattn.render.page import Wish, page

Q = [[1, "1/2"], [0, 2], [-1, 1]]
K = [[2, 1], ["1/3", -1]]
V = [[1, 0, 4], [2, 5, -3]]
BIAS = [["1/5", 0], [1, -2], ["-1/7", 3]]
PLACES = 25


def given(**options: Any) -> Problem:
    return Problem(Q=Q, K=K, V=V, **options)


def numbers(rows: list[list[Any]]) -> list[list[Any]]:
    return [[mp.mpf(Fraction(entry).numerator) / Fraction(entry).denominator for entry in row] for row in rows]


def expected() -> dict[str, list[list[Any]]]:
    """The arrays of one head, written out from their definitions."""
    turned = []
    for rows in (numbers(Q), numbers(K)):
        angles = [(mp.cos(place), mp.sin(place)) for place in range(len(rows))]
        turned.append([[c * x - s * y, s * x + c * y] for (x, y), (c, s) in zip(rows, angles, strict=True)])
    queries, keys = turned
    scaled = [[mp.fdot(query, key) / mp.sqrt(2) for key in keys] for query in queries]
    capped = [[5 * mp.tanh(entry / 5) for entry in row] for row in scaled]
    biased = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(capped, numbers(BIAS), strict=True)]
    lse = [[mp.log(mp.fsum(map(mp.exp, row)))] for row in biased]
    return {"rotated_query": queries, "rotated_key": keys, "capped": capped, "biased": biased, "lse": lse}


def test_every_array_is_the_one_of_its_definition():
    head = solve(given(rope={}, softcap=5, bias=BIAS, lse=True)).heads[0]
    with mp.workdps(60):
        for name, rows in expected().items():
            for mine, right in zip(getattr(head, name).decimals(PLACES), rows, strict=True):
                for text, number in zip(mine, right, strict=True):
                    assert abs(mp.mpf(text) - number) <= mp.mpf(10) ** -PLACES / 2, name


def test_json_and_python_name_the_same_arrays():
    solution = solve(given(rope={}, softcap=5, bias=BIAS, lse=True))
    view = json_view(worked(given(rope={}, softcap=5, bias=BIAS, lse=True)), "")
    assert set(SOMETIMES) < view["heads"][0].keys()
    for name, array in view["heads"][0].items():
        assert array["decimal"] == getattr(solution.heads[0], name).decimals()
    bare = json_view(worked(given()), "")
    assert bare["heads"][0].keys().isdisjoint(SOMETIMES)


def test_each_option_adds_its_own_arrays_alone():
    for option, names in {
        "rope": {"rotated_query", "rotated_key"},
        "softcap": {"capped"},
        "bias": {"biased"},
        "lse": {"lse"},
    }.items():
        value = {"rope": {}, "softcap": 5, "bias": BIAS, "lse": True}[option]
        view = json_view(worked(given(**{option: value})), "")
        assert view["heads"][0].keys() & set(SOMETIMES) == names


def test_a_bias_of_minus_infinity_is_seen_where_it_is_added():
    hiding = [["1/5", "-oo"], [1, -2], ["-oo", 3]]
    solution = solve(given(bias=hiding, decimals=2))
    view = json_view(worked(given(bias=hiding, decimals=2)), "")["heads"][0]["biased"]
    for rows in (solution.biased.decimals(), solution.biased.decimals(5), view["exact"], view["decimal"]):
        assert [[text == "-oo" for text in row] for row in rows] == [[False, True], [False, False], [True, False]]
    assert solution.biased.decimals(2)[1] == ["2.41", "-3.41"]  # 2/sqrt(2) + 1 and -2/sqrt(2) - 2


def test_pages_say_what_stands_for_a_bias_of_minus_infinity():
    said = "nothing is added yet, and 0 stands here"
    for detail in ("brief", "full"):
        wish = Wish(detail=detail)
        assert said in page(worked(given(bias=[["1/5", "-oo"], [1, -2], [0, 3]])), wish)
        assert said not in page(worked(given(bias=BIAS)), wish)


def test_what_no_option_asks_for_is_absent():
    solution = solve(given())
    assert not hasattr(solution, "lse")
    with pytest.raises(SpecError, match="no lse: no option asks for it"):
        _ = solution.heads[0].lse
    with pytest.raises(AttributeError):
        _ = solution.heads[0].nothing


def test_places_beyond_the_end_are_named():
    solution = solve(given())
    with pytest.raises(SpecError, match="there is no head 3; they count from 0 to 0"):
        _ = solution.heads[3]
    for beyond in (lambda: solution.weights.closed_form(9, 0), lambda: solution.weights[9, 0]):
        with pytest.raises(SpecError, match=r"there is no entry \(9, 0\); rows count from 0 to 2, columns from 0 to 1"):
            beyond()
    with pytest.raises(IndexError):
        _ = solution.weights[0, 2]


def test_decimals_follow_the_ties_of_the_page():
    for ties, text in (("half-up", "0.13"), ("half-even", "0.12")):
        assert solve(Problem(Q=[[1]], K=[[0]], V=[["1/8"]], ties=ties)).output.decimals(2) == [[text]]


def test_only_takes_the_letters_of_the_page():
    found = worked(given(lse=True, notation={"weights": "P"}))
    json = Wish(format="json")
    for letter, name in {"Q": "query", "K": "key", "V": "value", "S": "scores", "P": "weights", "Z": "output"}.items():
        assert only(found, letter, json) == only(found, name, json)
    assert only(found, "P[1][0]", json) == only(found, "weights[1][0]", json)
    assert '"decimal"' in only(found, "lse", json)
    with pytest.raises(SpecError, match="this problem has no capped"):
        only(found, "capped", json)
    with pytest.raises(SpecError, match="'A' names no array"):
        only(found, "A", json)


def test_a_further_section_shows_its_log_sum_exp():
    text = page(worked(given(also=[{"lse": True}], decimals=4)), Wish())
    section = text.partition("## With the log-sum-exp")[2]
    assert "every weight stays the same" in section
    shown = solve(given(lse=True)).lse.decimals(4)
    assert all(f"| {row[0]} |" in section or f"| ${row[0]}$ |" in section for row in shown)
