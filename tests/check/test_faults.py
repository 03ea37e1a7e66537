"""Generated pages check clean; a number moved on one is found at its place and put right, byte by byte."""

from __future__ import annotations

import random

import pytest

from symattn.check.page import check
from tests.check.faults import GALLERY, UNITS, Page, errata, is_repaired

PAGES = sorted(GALLERY.glob("*.md"))
assert PAGES, "no pages in the gallery"
TWICE = ("napkin.md", "learned.tex", "option-rotary.md", "napkin-worksheet.md", "derive-positions.md")
SPOILED = tuple(sorted({*TWICE, *(path.name for path in PAGES), "option-sink.tex", "heads.tex", "chapter.tex"}))


@pytest.mark.parametrize("path", [*PAGES, *sorted(GALLERY.glob("option-*ca*.tex"))], ids=lambda path: path.name)
def test_a_generated_page_is_clean(path):
    """By reading and working alone, without the page made anew."""
    report = check(path.name, path.read_text())
    assert report.declared
    assert [finding for finding in report.findings if finding.verdict != "correct"] == []
    assert len(report.findings) >= (0 if path.name.startswith("derive-") else 8)


@pytest.mark.parametrize("name", SPOILED)
def test_a_moved_number_is_found_and_put_right(name):
    """A draw of what ``python -m tests.check.faults`` does with every number of every page."""
    page = Page(GALLERY / name)
    draw = random.Random(name)  # noqa: S311 - which numbers are moved
    for number in draw.sample(page.numbers(), 2 if name in TWICE else 1):
        units = draw.choice(UNITS)
        spoiled = page.moved(number, units)
        assert errata(page.check(spoiled)) == [number.start()], (number.group(), units)
        assert is_repaired(page, spoiled), (number.group(), units)


WORKED = [path for path in PAGES + sorted(GALLERY.glob("*.tex")) if not path.name.startswith(("derive-", "napkin-w"))]
assert len(WORKED) > 40
SAID = {
    "alibi": {"alibi"}, "bias": {"bias", "mask as shown"}, "grouped": {"num_kv_heads 1"}, "mask": {"mask as shown"},
    "padding": {"mask as shown"}, "rotary": {"rope"}, "sink": {"sink 1"}, "softcap": {"softcap 2"},
    "temperature": {"temperature 2", "lse"}, "window": {"mask as shown"},
}  # fmt: skip


@pytest.mark.parametrize("path", WORKED, ids=lambda path: path.name)
def test_without_its_declaration_a_page_is_read_and_clean(path):
    """What is given, and every option, is taken from what the page itself says."""
    page = Page(path)
    report = page.check(page.text, declared=False)
    assert errata(report) == []
    assert report.missing == ()
    assert len(report.findings) > len(report.unread)
    assert SAID.get(path.stem.removeprefix("option-"), set()) <= {taken.name for taken in report.given}


DERIVED = sorted(GALLERY.glob("derive-*.md")) + sorted(GALLERY.glob("derive-*.tex"))
assert len(DERIVED) == 32


@pytest.mark.parametrize("path", DERIVED, ids=lambda path: path.name)
def test_a_derivation_without_its_declaration_is_judged_by_its_title(path):
    page = Page(path)
    report = page.check(page.text, declared=False)
    assert {finding.verdict for finding in report.findings} == {"correct"}
    assert {one.printed for one in report.unread} <= {"\\infty"}
    draw = random.Random(path.name)  # noqa: S311 - which number is moved
    content = page.content()
    shown = [number for number in page.numbers() if content[number.start() : number.end()].strip()]
    number, units = draw.choice(shown), draw.choice(UNITS)
    assert errata(page.check(page.moved(number, units), declared=False)) == [number.start()]


MOVED = (
    "napkin.md",
    "option-layers.tex",
    "heads.md",
    "columns.tex",
    "option-mask.md",
    "option-rotary.md",
    "option-temperature.md",
)


@pytest.mark.parametrize("name", MOVED)
def test_without_its_declaration_a_move_by_seven_is_found(name):
    page = Page(GALLERY / name)
    draw = random.Random(name)  # noqa: S311 - which numbers are moved
    decimals = [number for number in page.numbers() if number["decimals"]]
    shown = [number for number in decimals if page.content()[number.start() : number.end()].strip()]
    for number in draw.sample(shown, 4):
        assert errata(page.check(page.moved(number, 7), declared=False)), number.group()


def test_a_line_that_was_written_otherwise_does_not_hide_a_moved_number():
    page = Page(GALLERY / "napkin.md")
    edited = page.text.replace("Mix the values in those proportions.", "Now 3 friends mix the values.")
    spoiled = edited.replace("| **tired** | 0.248 | 0.248 | 0.503 |", "| **tired** | 0.248 | 0.249 | 0.503 |")
    assert spoiled != edited != page.text
    assert errata(page.check(edited)) == []
    assert errata(page.check(spoiled)) == [spoiled.index("0.249")]
