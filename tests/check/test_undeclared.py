"""Honest pages without their declaration: whatever the policy, nobody is accused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from symattn.check.page import check
from symattn.derive.sections import worked
from symattn.parse.problem import read
from symattn.render.page import Wish, made
from tests.check.faults import DECLARED, GALLERY, errata

EXAMPLES = Path(__file__).parents[2] / "examples"
HONEST = (
    ("heads", "carried", "significant", 4),
    ("heads", "carried", "places", 1),
    ("heads", "carried", "places", 2),
    ("heads", "nearest", "significant", 1),
    ("grouped", "carried", "places", 1),
    ("grouped", "carried", "significant", 3),
    ("grouped", "nearest", "significant", 2),
    ("grouped", "carried", "significant", 2),
)


def undeclared(name, detail="brief", **page):
    """An example's page under a policy, without what it declares."""
    problem = read(EXAMPLES / f"{name}.toml")
    solved = worked(replace(problem, page=replace(problem.page, **page)))
    return DECLARED.sub("", made(solved, Wish(format="md", detail=detail, slug=name)).text)


@pytest.mark.parametrize(("name", "rounding", "digits", "decimals"), HONEST)
def test_an_honest_page_accuses_nobody(name, rounding, digits, decimals):
    """Rounded numbers that were used further on, in rows that a mask leaves alone too, and digits that are counted."""
    report = check(f"{name}.md", undeclared(name, rounding=rounding, digits=digits, decimals=decimals))
    assert [(one.line, one.printed, one.wanted) for one in report.findings if one.is_erratum] == []
    assert len(report.findings) > 100


def test_pictures_of_several_heads_and_series_of_places_accuse_nobody():
    """Alternative texts name no head, and ``0.8808 at 4`` is no row."""
    page = undeclared("heads", detail="chapter", rounding="carried", digits="places", decimals=4)
    assert "0.8808 at 4" in page
    assert errata(check("heads.md", page)) == []


@pytest.mark.parametrize(("printed", "is_wrong"), [("400", False), ("500", True), ("372", False)])
def test_a_page_that_counts_digits_rounds_large_numbers_to_them(printed, is_wrong):
    """By hand: three exponentials e^4.82 = 123.965 add to 371.895; rounded to one digit that is 400."""
    words = "Softmax by hand, all rounded to one digit.\n\nscores = [[4.82, 4.82, 4.82]]\n\nscaled = scores\n\n"
    report = check("page.txt", f"{words}sums = [[{printed}]]\n")
    wrong = [(one.printed, one.wanted) for one in report.findings if one.is_erratum]
    assert wrong == ([(printed, "400")] if is_wrong else [])


FALSE = (
    ("| **it** | 1, 0, 0 | $1,\\ 0,\\ 0$ | $[2,\\ 0]$ |", "0]", "1]"),
    ("exactly $[2,\\ 0]$?", "0]", "1]"),
    ("\\frac{0}{\\sqrt{2}} = 0,", "0}", "1}"),
)


@pytest.mark.parametrize(("line", "old", "new"), FALSE)
def test_an_integer_that_no_rounding_gives_is_told(line, old, new):
    """With a mask the first row is [2, 0], exactly, and 1/sqrt(2) is not 0. Without the mask, 1.198 is no excuse."""
    page = DECLARED.sub("", (GALLERY / "napkin.md").read_text())
    assert page.count(line) == 1
    assert errata(check("page.md", page)) == []
    at = page.index(line)
    found = errata(check("page.md", page.replace(line, line.replace(old, new))))
    assert [at <= start < at + len(line) for start in found] == [True]
