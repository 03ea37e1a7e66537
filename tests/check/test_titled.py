"""A derivation that has lost its declaration is known by its title; what it declares is what it was made from."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from symattn.check.declared import declaration
from symattn.check.fix import fixed
from symattn.check.page import check
from symattn.cli.twins import titled, twin
from symattn.derive.topics import derived
from symattn.derive.with_numbers import with_numbers
from symattn.parse.derived import Derived
from symattn.parse.derived import derived as read_back
from symattn.parse.problem import problem
from symattn.render.derivation import derivation_page
from symattn.render.page import Wish
from tests.check.faults import DECLARED, errata

TWO = problem({"tokens": ["a", "b"], "Q": [[1, 2], [3, "1/2"]], "K": [[0, 1], [1, 1]], "V": [[1, 0], [0, 4]]})
MADE = {
    "another seed": Derived("temperature", 4),
    "numbers put in": Derived("dot-product-variance", 0, (("d_k", Fraction(60)),)),
    "both": Derived("dot-product-variance", 3, (("d_k", Fraction(16)),)),
    "a problem of one's own": Derived("closed-form", 0, (), TWO),
    "as usual": Derived("bilinear"),
}


def page(made_from: Derived, ending: str) -> str:
    proof = derived(made_from.topic, made_from.seed, made_from.problem)
    numbered = tuple(with_numbers(proof, dict(made_from.numbers)))
    return derivation_page(proof, Wish(format=ending, slug=made_from.topic, name="page"), made_from, numbered).text


def accused(text: str, ending: str) -> list[str]:
    """The numbers that are errata."""
    report = check(f"page.{ending}", text, twin=twin(f"page.{ending}"), titled=titled)
    return [text[at:].partition("$")[0].partition(" ")[0] for at in errata(report)]


@pytest.mark.parametrize("ending", ["md", "tex"])
@pytest.mark.parametrize("name", MADE)
def test_a_derivation_declares_what_it_is_made_from(name, ending):
    text = page(MADE[name], ending)
    assert declaration(text) == MADE[name]
    assert accused(text, ending) == []


@pytest.mark.parametrize("ending", ["md", "tex"])
@pytest.mark.parametrize("name", MADE)
def test_without_its_declaration_nothing_on_it_is_accused(name, ending):
    assert accused(DECLARED.sub("", page(MADE[name], ending)), ending) == []


@pytest.mark.parametrize("ending", ["md", "tex"])
def test_one_number_that_the_derivation_does_not_have_is_told(ending):
    text = DECLARED.sub("", page(Derived("bilinear"), ending))
    assert accused(text.replace("131072", "131079"), ending) == ["131079"]


@pytest.mark.parametrize("ending", ["md", "tex"])
def test_it_is_put_right(ending):
    text, file = DECLARED.sub("", page(Derived("bilinear"), ending)), f"page.{ending}"
    found, count = fixed(text.replace("131072", "131079"), partial(check, file, twin=twin(file), titled=titled))
    assert (found, count) == (text, 1)


def test_of_a_page_with_other_exercises_what_is_no_exercise_is_told():
    text = DECLARED.sub("", page(Derived("dot-product-variance", 4), "md"))
    at = re.search(r"^\| \$?(\d+)\$? \|", text, re.MULTILINE)
    assert at is not None
    spoiled = text[: at.start(1)] + "99" + text[at.end(1) :]
    assert accused(spoiled, "md") == ["99"]


def test_a_page_that_shares_the_title_alone_is_left_alone():
    text = "# Two tables that act as one\n\nOur tables have 3 rows and 4 columns, 12 numbers in all.\n"
    report = check("page.md", text, twin=twin("page.md"), titled=titled)
    assert (report.findings, report.given) == ((), ())


@pytest.mark.parametrize(
    "data",
    [
        {"derive": "bilinear", "seed": -1},
        {"derive": "bilinear", "seed": "many"},
        {"derive": "bilinear", "set": [1]},
        {"derive": "bilinear", "set": {"d": "9**9**9"}},
        {"derive": "bilinear", "problem": {"Q": 1}},
    ],
)
def test_a_declaration_that_cannot_be_read_is_none(data):
    assert declaration(f"<!-- {json.dumps({'symattn': data})} -->\n") is None


def test_a_topic_that_is_derived_for_no_problem_is_not_made_for_one():
    assert twin("page.md")(Derived("bilinear", 0, (), TWO), "text") is None


def test_a_declaration_is_read_back_as_it_was_written():
    for one in MADE.values():
        assert read_back(json.loads(json.dumps(one.plain()))) == one
    assert read_back({"derive": "bilinear"}) == replace(MADE["as usual"])
