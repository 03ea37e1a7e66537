"""Notebooks: valid by nbformat, run by a kernel, with nbgrader's metadata, and without an answer in them."""

from __future__ import annotations

import re
from fractions import Fraction

import nbformat
import pytest
from nbclient import NotebookClient

from symattn.export.notebook import hidden
from tests.exercises.recipes import ALL, KINDS
from tests.exercises.test_marking import key
from tests.formats.readers import notebook
from tests.formats.table import RECIPES, content

COUNT = 2
STUDENT, TEACHER = 0, 1


def read(name: str, file: int, **wishes: object) -> nbformat.NotebookNode:
    return nbformat.reads(content("ipynb", RECIPES[name], COUNT, file=file, **wishes).decode(), as_version=4)


@pytest.mark.parametrize("nbgrader", [False, True])
@pytest.mark.parametrize("file", [STUDENT, TEACHER])
@pytest.mark.parametrize("name", RECIPES)
def test_valid_and_without_a_trace_of_a_run(name, file, nbgrader):
    found = read(name, file, nbgrader=nbgrader)
    nbformat.validate(found)
    assert len({cell.id for cell in found.cells}) == len(found.cells)
    for cell in found.cells:
        assert cell.cell_type == "markdown" or (cell.execution_count is None and cell.outputs == [])
        assert ("nbgrader" in cell.metadata) == nbgrader


def outcome(found: nbformat.NotebookNode) -> dict[str, list[str]]:
    """What each check ends with, after a kernel has run the notebook."""
    NotebookClient(found, timeout=120, allow_errors=True, kernel_name="python3").execute()
    return {
        cell.id: [
            out.ename if out.output_type == "error" else out.data["text/plain"]
            for out in cell.outputs
            if out.output_type in ("error", "execute_result")
        ]
        for cell in found.cells
        if cell.id.endswith("-check")
    }


def test_a_kernel_passes_the_solution_and_not_the_empty_notebook():
    name = "kinds"
    solved, empty = outcome(read(name, TEACHER)), outcome(read(name, STUDENT))
    assert solved.keys() == empty.keys()
    assert len(solved) == 4 * COUNT
    assert set(map(tuple, solved.values())) == {()}
    assert set(map(tuple, empty.values())) == {("AssertionError",)}


def test_nbgrader_gives_the_points_that_were_earned():
    """A number above 0 as a check's result is a part of the points; 0 would count in full, so it stops instead."""
    sources = notebook.cells(content("ipynb", ALL["weights"], 1, file=STUDENT, nbgrader=True))
    _, variants = key(ALL["weights"], 1)
    ((code, variant),) = variants.items()
    space: dict[str, object] = {}
    notebook.run(sources["check"], space)
    for question in variant.questions:
        keys = [cell.key for cell in question.answer.cells]
        for right in range(len(keys) + 1):
            given = keys[:right] + [None] * (len(keys) - right)
            result, _, stopped = notebook.run(
                sources[f"{code}-{question.number}-check"], space | {f"answer_{question.number}": given}
            )
            assert result == (right * question.answer.ask.points or None)
            assert bool(stopped) == (right == 0)


def test_nbgrader_knows_what_to_take_out_and_what_to_grade():
    found = read("kinds", TEACHER, nbgrader=True)
    told = {cell.id: cell.metadata.nbgrader for cell in found.cells}
    assert {it["schema_version"] for it in told.values()} == {3}
    assert all(re.fullmatch(r"[\w-]+", it["grade_id"]) for it in told.values())
    for cell in found.cells:
        it = told[cell.id]
        assert it["locked"] != it["solution"]
        assert ("points" in it) == it["grade"]
        assert it["solution"] == cell.id.endswith("-answer")
        if it["solution"] and cell.cell_type == "code":
            assert cell.source.count("### BEGIN SOLUTION\n") == cell.source.count("\n### END SOLUTION") == 1
    _, variants = key(KINDS, COUNT)
    points = sum(question.points for variant in variants.values() for question in variant.questions)
    assert sum(it.get("points", 0) for it in told.values()) == points


@pytest.mark.parametrize("name", RECIPES)
def test_a_students_notebook_holds_no_answer(name):
    data, _ = key(RECIPES[name], COUNT)
    text = content("ipynb", RECIPES[name], COUNT, file=STUDENT).decode()
    assert data["recipe"]["sha256"][:8] not in text
    found = nbformat.reads(text, as_version=4)
    for variant in data["variants"]:
        assert variant["data"][:8] not in text
        mine = [cell for cell in found.cells if cell.id.startswith(variant["code"])]
        assert len(mine) >= 3
        for number, question in enumerate(variant["questions"], 1):
            for cell in mine:
                if cell.id == f"{variant['code']}-{number}-answer":
                    assert not re.search(r"\d", cell.source.partition("=")[2].split("#")[0])
                if cell.cell_type == "code":
                    assert not [a["key"] for a in question["answers"] if "." in a["key"] and a["key"] in cell.source]


def test_as_many_hashes_whatever_the_answer_is():
    sizes = {
        len(line)
        for id, source in notebook.cells(content("ipynb", ALL["weights"], 8, file=STUDENT)).items()
        if id.endswith("1-check")
        for line in source.splitlines()
        if line.startswith("    right=")
    }
    assert len(sizes) == 1


@pytest.mark.parametrize(("first", "last"), [(0, 0), (5, 5), (-7, 12), (3, 1000), (-801, -2), (-1, 1)])
def test_stretches_cover_what_they_should_and_no_more(first, last):
    found = list(hidden.stretches(first, last))
    places = [place for level, index in found for place in range(index << level, (index + 1) << level)]
    assert sorted(places) == list(range(first, last + 1))
    assert len(found) <= 2 * (last - first + 1).bit_length()


def test_fractions_and_decimal_commas_are_read():
    _, variants = key(ALL["logarithms"], COUNT)
    sources = notebook.cells(content("ipynb", ALL["logarithms"], COUNT, file=STUDENT))
    space: dict[str, object] = {}
    notebook.run(sources["check"], space)
    for code, variant in variants.items():
        question = variant.questions[0]
        source = sources[f"{code}-1-check"]
        for write in (lambda text: text.replace(".", ","), lambda text: str(Fraction(text)), float):
            given = [write(cell.key) for cell in question.answer.cells]
            assert notebook.run(source, space | {"answer_1": given})[2] == ""
        assert notebook.run(source, space | {"answer_1": ["x", "1/0", ""]})[2] == "3 of 3 to mend"
        assert "keep the shape" in notebook.run(source, space | {"answer_1": [1]})[2]
