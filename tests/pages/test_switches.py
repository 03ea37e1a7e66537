"""How a page is written changes no number on it: vectors as columns, round brackets, exp, a comma, other letters."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from symattn.derive.sections import worked
from symattn.render.json_view import json_view
from symattn.symbols import SYMBOLS
from tests.pages import formulas
from tests.pages.accept import refused
from tests.pages.tex import compile_tex
from tests.pages.tools import needs
from tests.render.reading import WIDEST, apart, judged, sound
from tests.render.sample import Case, example_cases, gallery_cases, random_cases
from tests.render.tables import Grid, grids

LETTERS = tuple((name, f"Y_{'zyx'[n // 26]}{chr(ord('a') + n % 26)}") for n, name in enumerate(SYMBOLS))
"""A subscript of two letters holds together."""
SWITCHES: dict[str, dict[str, Any]] = {
    "columns": {"vectors": "columns"},
    "round": {"brackets": "round"},
    "exp": {"exponential": "exp"},
    "comma": {"decimal_mark": ","},
    "letters": {"notation": LETTERS},
    "all": {
        "vectors": "columns",
        "brackets": "round",
        "exponential": "exp",
        "decimal_mark": ",",
        "notation": (("weights", "P"), ("output", "O"), ("u", "q")),
    },
}


@lru_cache(maxsize=2)
def switched(name: str) -> tuple[Case, ...]:
    """The examples and some random problems, each written in this way."""
    chosen = (*example_cases(), *random_cases()[:6])
    return tuple(replace(case, worked=worked(_written(case, name))) for case in chosen)


def _written(case: Case, name: str) -> Any:
    problem = case.worked.whole
    return replace(problem, page=replace(problem.page, **SWITCHES[name]))


READ = [*((name, "brief", 100) for name in SWITCHES), ("columns", "full", 700), ("all", "full", 700)]
"""With how many equalities are judged, at least."""


@pytest.mark.parametrize(("name", "detail", "floor"), READ)
def test_no_line_is_false(name, detail, floor):
    pages = [case.page(detail=detail) for case in switched(name)]
    assert judged(sound(apart(pages))) >= floor


@needs("pandoc", "node")
@pytest.mark.parametrize("name", ["letters", "all"])
def test_every_formula_reaches_the_reader_and_is_typeset(name):
    pages = [case.page(detail=detail) for case in switched(name)[::3] for detail in ("brief", "full", "worksheet")]
    seen = formulas.survived("\n\n".join(pages))
    assert refused(dict.fromkeys(seen)) == []


@needs("pdflatex")
def test_pages_with_every_switch_compile_and_no_line_sticks_out():
    for case in switched("all")[::4]:
        done = compile_tex(case.page(format="tex"))
        assert done.ok, done.errors
        assert max(done.overfull, default=0) <= WIDEST, done.boxes


@pytest.mark.parametrize("name", SWITCHES)
def test_the_machine_sees_no_difference(name):
    for before, after in zip((*example_cases(), *random_cases()[:6]), switched(name), strict=True):
        one, other = json_view(before.worked, ""), json_view(after.worked, "")
        assert {**one, "problem": None} == {**other, "problem": None}


def test_the_switches_are_seen():
    napkin = {name: next(case for case in switched(name) if case.name == "napkin").page() for name in SWITCHES}
    assert r"\begin{bmatrix}2 \\ 0\end{bmatrix}" in napkin["columns"]
    assert "(2,\\ 0)" in napkin["round"]
    assert r"\exp(1/\sqrt{2})" in napkin["exp"]
    assert "e^{" not in napkin["exp"]
    assert r"[1{,}604;\ 1{,}198]" in napkin["comma"]
    assert r"Y_{zk} Y_{zl}^{\top}" in napkin["letters"].replace(r"{Y_{zl}}", "Y_{zl}")
    assert "Q" not in napkin["letters"].replace("QR", "").partition("<!--")[0]
    assert "weights $P$" in napkin["all"]
    assert r"V\, \mathrm{softmax}\!\left(\frac{K^{\top} Q}{\sqrt{d_k}}\right)" in napkin["all"]


def turned(grid: Grid) -> tuple[tuple[str, ...], tuple[str, ...], list[list[str]]]:
    """Header, labels and numbers of a table, rows for columns."""
    return grid.labels, grid.header[1:], [list(column) for column in zip(*grid.numbers, strict=True)]


@pytest.mark.parametrize("case", gallery_cases(), ids=lambda case: case.name)
def test_with_columns_every_table_is_turned(case):
    """The key of a problem lists all its arrays."""
    rows, columns = (
        grids(replace(case, worked=worked(replace(case.worked.problem, page=page))).page(detail="key"))
        for page in (replace(case.worked.problem.page, vectors=way) for way in ("rows", "columns"))
    )
    assert len(rows) > 4
    assert [(grid.header[1:], grid.labels, grid.numbers) for grid in rows] == [turned(grid) for grid in columns]
