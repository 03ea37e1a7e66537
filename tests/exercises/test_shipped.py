"""The recipes that come with symattn, each for a few variants; ``soak`` does the same at length."""

from __future__ import annotations

from importlib.resources import files

import pytest

from symattn.exercises.shipped import NAMES, shipped, source, text
from tests.exercises import soak
from tests.exercises.common import text as made


def test_every_recipe_is_listed():
    folder = files("symattn.exercises") / "recipes"
    assert {f"{name}.toml" for name in NAMES} == {path.name for path in folder.iterdir()}
    assert len(NAMES) >= 12
    assert all(about for _, about in shipped())
    assert source("weights") == ("weights", text("weights"))


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_is_fair(name):
    assert soak.recipe(name, 3, 2, seed=11).startswith(f"{name}: 3 variants")


def test_the_wrong_step_is_the_first_that_differs():
    """Also where queries and keys change places, and where a table that is turned stays what it was."""
    assert soak.recipe("find-mistake", 100, 1).startswith("find-mistake: 100 variants")


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_reads_well(name):
    """Sheets and keys have no hole: no empty formula, no word that is missing."""
    for file in (0, 1):
        page = made("md", file, text(name), 2)
        assert all(formula.strip() for formula in page.split("$$")[1::2])
        assert "None" not in page
        assert "Undefined" not in page
        assert "  " not in page.replace("|  |", "")
