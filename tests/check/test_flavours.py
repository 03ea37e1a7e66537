"""The pages of the gallery in the flavours that it does not hold: they check clean, declared or not."""

from __future__ import annotations

import runpy
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from symattn.check.page import check
from symattn.cli.twins import twin
from symattn.derive.chapter import completed
from symattn.derive.sections import worked
from symattn.parse.problem import read
from symattn.render.page import FLAVOURS, Wish, made
from tests.check.faults import DECLARED, errata

ROOT = Path(__file__).parents[2]
PAGES = runpy.run_path(str(ROOT / "tools" / "gallery.py"))["PAGES"]

WISHES = {
    "github": Wish(flavour="github"),
    "fragment": Wish(format="tex", fragment=True),
    "without pictures": Wish(format="tex", pictures=False),
}
assert {wish.flavour for wish in WISHES.values()} == set(FLAVOURS)


@cache
def example(source, detail):
    problem = read(ROOT / "examples" / f"{source}.toml")
    return worked(completed(problem) if detail == "chapter" else problem)


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize(("name", "source", "detail"), PAGES, ids=[page[0] for page in PAGES])
def test_a_page_in_another_flavour_is_clean(name, source, detail, wish):
    wished = replace(WISHES[wish], detail=detail, slug=name)
    text = made(example(source, detail), wished).text
    file = f"{name}.{wished.format}"
    report = check(file, text, twin=twin(file))
    assert report.declared
    assert [finding for finding in report.findings if finding.verdict != "correct"] == []
    assert len(report.findings) >= (20 if detail != "worksheet" else 8)
    if detail != "worksheet":
        alone = check(file, DECLARED.sub("", text))
        assert errata(alone) == []
        assert len(alone.findings) > len(alone.unread)


DIGITS = (
    {"digits": "significant", "decimals": 3},
    {"digits": "significant", "decimals": 4, "rounding": "carried"},
    {"digits": "significant", "decimals": 2, "decimal_mark": ","},
)


@pytest.mark.parametrize("page", DIGITS, ids=str)
@pytest.mark.parametrize("source", ["napkin", "learned", "heads", "mask", "rotary"])
def test_a_page_that_declares_significant_digits_is_clean_and_a_moved_number_is_found(source, page):
    """By reading and working alone, without the page made anew."""
    problem = read(ROOT / "examples" / f"{source}.toml")
    text = made(worked(replace(problem, page=replace(problem.page, **page))), Wish(slug=source)).text
    report = check(f"{source}.md", text)
    assert report.declared
    assert [finding for finding in report.findings if finding.verdict != "correct"] == []
    lines = text.split("\n")
    cells = [finding for finding in report.findings if lines[finding.line - 1].startswith("| **")]
    weights = [finding for finding in cells if finding.quantity == "weights" and len(finding.printed) > 3]
    for finding in weights[:2]:
        last = str((int(finding.printed[-1]) + 1) % 10)
        spoiled = text[: finding.end - 1] + last + text[finding.end :]
        assert finding.start in errata(check(f"{source}.md", spoiled))
