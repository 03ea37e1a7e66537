"""Jupyter notebooks: one for students, whose cells check an answer against hashes, and one with the solutions.

Source: nbformat's JSON schema 4.5; nbgrader's cell metadata, schema version 3 (``determine_grade`` in
nbgrader/utils.py says when a check earns a part of its points).
"""

from __future__ import annotations

from typing import Final

from symattn.exercises.recipe import Ask, Recipe
from symattn.export.formats import Writer, by_the_key
from symattn.export.notebook.notebook import foot, head, solution, student

WRITERS: Final = (
    Writer("students/{name}.ipynb", student, head, foot, between=",\n", alone=True),
    Writer("teacher/{name}-solutions.ipynb", solution, head, foot, between=",\n"),
)


def lacks(_: Recipe, ask: Ask) -> str:
    """The words that say why it cannot put or mark a question; empty where it can."""
    return "by_hand" if ask.kind == "closed" else ""


notes: Final = by_the_key
"""The words that say what it puts in a way of its own."""
