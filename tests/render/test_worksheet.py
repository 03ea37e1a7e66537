"""A worksheet leaks no answer, and its key holds them all."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache

import pytest

from tests import reference
from tests.pages import formulas
from tests.pages.equalities import equalities
from tests.pages.tools import needs
from tests.render.reading import COMMENT, DECIMAL
from tests.render.sample import ARRAYS, REST, Case, cases
from tests.render.tables import BLANK, grids

ANSWERS = ("scaled", "exponentials", "weights", "output")
FORMATS = ("md", "tex")


def answers(case: Case) -> set[str]:
    """The decimals, without their signs, of everything that a reader is to work out, in every section of the page."""
    found: set[str] = set()
    for section, shown in zip(case.sections(), map(case.worked.shown, case.worked.sections), strict=True):
        for head, told in zip(section["heads"], shown.heads, strict=True):
            tables = [head[name] for name in ANSWERS if name in head]
            tables.append([[entry.text for entry in row if entry] for row in told.exponentials])
            found |= decimals(tables)
        found |= decimals([section["output"]])
    return found


def decimals(tables: list[list[list[str]]]) -> set[str]:
    return set(DECIMAL.findall(" ".join(entry for table in tables for row in table for entry in row)))


def stated(case: Case, text: str) -> bool:
    """Is this decimal one of the given numbers, rounded as the page rounds?"""
    half = Fraction(1, 2) / 10 ** len(text.partition(".")[2])
    return any(abs(abs(given) - Fraction(text)) <= half for given in numbers(case))


@cache
def numbers(case: Case) -> set[Fraction]:
    """The given numbers, to 40 digits."""
    tables = [case.problem[name] for name in ARRAYS if case.problem.get(name, "identity") != "identity"]
    entries = [reference.entry(entry) for table in tables for row in table for entry in row]
    return {reference.fraction(entry.known(40)) for entry in entries}


def read(page: str) -> str:
    """What a reader sees: no declaration, nothing that LaTeX needs before the title, no width of a blank."""
    seen = page.partition(r"\section*{")[2] if page.startswith("\\") else page
    return re.sub(r"\\hspace\{[^}]*\}", "", COMMENT.sub("", seen)).replace("{,}", ".")


def leaked(case: Case, text: str) -> set[str]:
    """The decimals of answers on a page that are not also given."""
    seen = set(DECIMAL.findall(read(text)))
    return {one for one in seen & answers(case) if not stated(case, one)}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
@pytest.mark.parametrize("format", FORMATS)
def test_a_worksheet_leaks_no_answer(case, format):
    page = case.page(format=format, detail="worksheet")
    assert leaked(case, page) == set(), case.problem


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_decimal_of_a_worksheet_is_given(case):
    """Not even an intermediate number, a rounded root, or a closed form."""
    page = case.page(detail="worksheet")
    seen = DECIMAL.findall(read(page))
    assert [text for text in seen if not stated(case, text) and not in_scale(case, text)] == [], case.problem
    verdicts = equalities(formula.tex for formula in formulas.plain(page)).verdicts
    definitions = {verdict.left for verdict in verdicts}
    assert definitions <= {
        "d_k",
        "W_Q",
        "W_K",
        "W_V",
        "W_O",
        r"\mathrm{Attention}(Q,K,V)",
        r"\sqrt{1}",
        r"\sqrt{4}",
        r"\sqrt{9}",
    }


def in_scale(case: Case, text: str) -> bool:
    return text in str(case.problem["attention"].get("scale", ""))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_worksheet_has_blanks_for_every_answer(case):
    """Every cell of a table that is to be filled is empty, and there are as many as there are answers."""
    found = [grid for grid in grids(case.page(detail="worksheet")) if grid.headings[-1] != "What we start from"]
    assert found
    for grid in found:
        assert {cell for row in grid.rows for cell in row[1:]} == {BLANK}, grid.headings
    main = case.worked.sections[0].result
    squares = 4 + (main.allowed is not None)
    wanted = 0
    for head in main.heads:
        n_q, n_k = head.scores.shape
        wanted += squares * n_q * n_k + n_q * head.output.shape[1]
        if "X" in case.problem:
            made = zip(("W_Q", "W_K", "W_V"), (head.query, head.key, head.value), strict=True)
            tables = [table for name, table in made if len(main.heads) > 1 or case.problem[name] != "identity"]
            wanted += sum(len(table.rows) * table.shape[1] for table in tables)  # a plain copy is no work
    blanks = sum(len(grid.rows) * (len(grid.header) - 1) for grid in found)
    sums = sum(len(grid.rows) for grid in found if grid.header[-1] == "sum")
    assert blanks - sums >= wanted


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_latex_worksheet_has_as_many_blanks(case):
    markdown, latex = (case.page(format=format, detail="worksheet") for format in FORMATS)
    assert latex.count(r"\underline{\hspace") == markdown.count(r"\_\_\_\_\_\_") > 0


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
@pytest.mark.parametrize("format", FORMATS)
def test_a_key_holds_all_the_answers(case, format):
    """Of the main section, and the final output; exponentials are on the way to them."""
    section = next(case.sections())
    wanted = decimals([head[name] for head in section["heads"] for name in ("scores", "scaled", "weights", "output")])
    wanted |= decimals([section["output"]])
    seen = set(DECIMAL.findall(read(case.page(format=format, detail="key"))))
    assert wanted - seen == set()


@pytest.mark.parametrize("detail", ["worksheet", "key"])
def test_the_declaration_holds_the_problem_and_no_answer(detail):
    for case in cases():
        page = case.page(detail=detail)
        found = json.loads(re.findall(r"<!-- (.*) -->", page)[-1])
        assert found.keys() == {"symattn"}
        assert found["symattn"].keys() <= {*ARRAYS, *REST}


def test_an_answer_on_a_worksheet_is_found():
    for case in cases():
        some = sorted(one for one in answers(case) if not stated(case, one))
        if some:
            assert leaked(case, case.page(detail="worksheet") + f"\nIt is ${some[0]}$.") == {some[0]}


@needs("pandoc")
def test_questions_and_answers_go_together():
    """A worksheet asks what its key answers, in the same order and as many."""
    for case in cases():
        worksheet, key = (case.page(detail=detail).split("## Check yourself")[1] for detail in ("worksheet", "key"))
        asked, answered = (re.findall(r"^(\d+)\. ", text, re.MULTILINE) for text in (worksheet, key))
        assert asked == answered == [str(number + 1) for number in range(len(asked))]
        assert asked
