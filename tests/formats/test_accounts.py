"""What each format makes of a recipe is told, and is what its files hold; every format is made in one run."""

from __future__ import annotations

import json
import re

import pytest

from symattn.export import run as runs
from symattn.export.formats import FOLDERS, account
from tests.exercises import cloze
from tests.exercises.common import run
from tests.exercises.recipes import KINDS, STEPS, WEIGHTS
from tests.formats.table import FORMATS, content

CLOSED = WEIGHTS.partition("[[ask]]")[0] + '[[ask]]\nwhat = "weights[0][1]"\nkind = "closed"\n'


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_left_out_is_told_and_nothing_else_is(format):
    told = account(format, run(KINDS))
    asked = re.findall(r'kind = "([^"]*)"', KINDS)
    kinds = {re.search(r"\((.*)\)", what)[1] for what, _ in told.left_out}
    assert kinds == set(asked) - FORMATS[format].asks
    assert all(why for _, why in told.left_out)
    assert told.questions == len(asked) - len(told.left_out)
    assert account(format, run(WEIGHTS)).left_out == ()


def test_canvas_puts_no_number_of_which_it_would_keep_a_part():
    """It keeps four decimals of what is typed: a fifth would be lost, and an honest answer with it."""
    five = STEPS.replace("decimals = 3", "decimals = 5").replace("guard = 2", "guard = 3")
    told = account("qti12", run(five))
    assert told.questions == 0
    assert {why for _, why in told.left_out} == {"it keeps four decimals of what a student types"}
    assert b"<item" not in content("qti12", five, 1)
    assert b"<item" in content("qti12", five.replace("decimals = 5", "decimals = 4"), 1)
    assert account("moodle", run(five)).left_out == ()


@pytest.mark.parametrize("format", FORMATS)
def test_notes_are_of_what_is_asked(format):
    assert not any("exact expression" in note for note in account(format, run(WEIGHTS)).notes)
    assert len(set(account(format, run(STEPS)).notes)) == len(account(format, run(STEPS)).notes)
    assert account("stack", run(KINDS)).notes
    assert account("qti12", run(WEIGHTS)).notes


@pytest.mark.parametrize("format", FORMATS)
def test_that_nothing_follows_through_is_said(format):
    """STACK alone marks a later part by a student's own earlier numbers; where there is none, nothing is said."""
    by_the_key = [note for note in account(format, run(STEPS)).notes if "by the key alone" in note]
    assert len(by_the_key) == (format != "stack")
    first = STEPS.partition('[[ask]]\nwhat = "scaled"')[0]
    assert not any("by the key alone" in note for note in account(format, run(first)).notes)


def test_every_format_in_one_run_and_the_manifest_tells_of_each(tmp_path):
    formats = tuple(name for name in FOLDERS if name != "pdf")
    outcome = runs.exercises(runs.Task(run(KINDS), formats), 2, tmp_path)
    facts = json.loads((tmp_path / "teacher/recipe-manifest.json").read_text())
    assert list(facts["formats"]) == list(formats) == list(outcome.accounts)
    for format, told in facts["formats"].items():
        assert told["questions"] == 2 * account(format, run(KINDS)).questions
    assert set(facts["files"]) == {
        str(path.relative_to(tmp_path))
        for path in tmp_path.rglob("*")
        if path.is_file() and "manifest" not in path.name
    }


@pytest.mark.parametrize("format", ["moodle", "qti21", "qti12"])
def test_a_variant_with_nothing_to_put_brings_no_empty_question(format):
    """A cloze question without a blank stops Moodle's import; an item without a response scores nothing."""
    found = content(format, CLOSED, 2)
    assert b"<item" not in found
    assert b"assessmentItem>" not in found
    if format == "moodle":
        assert cloze.questions(found.decode()) == []


def test_hints_in_moodle_are_the_steps_in_order():
    text = content("moodle", STEPS, 1).decode()
    hints = re.findall(r"<hint[^>]*><text><!\[CDATA\[<p>The ([a-z ]+)[:,]", text)
    assert hints == ["scores", "scaled scores", "exponentials", "weights", "output"]
