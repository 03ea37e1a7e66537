"""Whole pages as people write them: every number is read, nothing is accused, a number that is moved is found, and a
mistake of the whole page is named.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symattn.check.page import check
from symattn.parse.problem import problem

FOLDER = Path(__file__).parent / "wild"
CASES = {case["page"]: case for case in json.loads((FOLDER / "cases.json").read_text())["cases"]}
assert len(CASES) > 30, "pages not found"
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+")
EACH = 4
"""Of so many numbers of a page one is moved."""


def text_of(name):
    """A page; programs and notebooks have an ending more, so that no tool takes them for the project's own."""
    path = FOLDER / name
    return (path if path.exists() else FOLDER / f"{name}.txt").read_text()


@pytest.mark.parametrize("page", CASES)
def test_a_page_is_read_and_clean(page):
    report = check(page, text_of(page))
    told = [[one.line, one.printed, one.verdict] for one in report.findings if one.verdict != "correct"]
    assert [one.printed for one in report.findings if one.is_erratum] == []
    assert told == CASES[page]["not_correct"]
    assert [[one.line, one.printed] for one in report.unread] == CASES[page]["unread"]


@pytest.mark.parametrize("page", [page for page in CASES if CASES[page]["problem"]])
def test_a_page_is_clean_with_its_problem(page):
    report = check(page, text_of(page), problem(CASES[page]["problem"]))
    assert [(one.line, one.printed) for one in report.findings if one.is_erratum] == []
    assert len(report.unread) <= len(CASES[page]["unread"])


@pytest.mark.parametrize("page", CASES)
def test_a_number_that_is_moved_is_found(page):
    text = text_of(page)
    judged = {one.start for one in check(page, text).findings}
    explained = [(line, column) for line, column, *_ in CASES[page].get("not_found", [])]
    for number in [found for found in DECIMAL.finditer(text) if found.start() in judged][::EACH]:
        last = int(number[0][-1])
        moved = f"{text[: number.end() - 1]}{last + 3 if last < 7 else last - 3}{text[number.end() :]}"
        place = (text.count("\n", 0, number.start()) + 1, number.start() - text.rfind("\n", 0, number.start()))
        found = {one.start for one in check(page, moved).findings if one.is_erratum}
        assert (number.start() in found) or place in explained, (place, number[0])


@pytest.mark.parametrize(
    ("page", "key"), [(page, key) for page, case in CASES.items() for key in case.get("spoiled", {})]
)
def test_a_mistake_of_a_whole_page_is_named(page, key):
    report = check(page, text_of(CASES[page]["spoiled"][key]))
    named = {one.mistake for one in report.findings if one.is_erratum and one.mistake is not None}
    assert named == {key}
