"""Canvas: a QTI 1.2 package with an item for each number or choice, in a group for each question.

Source: Canvas's documentation of quiz import and the files that Canvas exports, as text2qti writes them. A blank with a
tolerance is a question of its own there: a question with several blanks knows no tolerances. It keeps four decimals of
what a student types (text2qti, issue 51; canvas-ios, pull request 1143).
"""

from __future__ import annotations

from typing import Final

from symattn.exercises.recipe import Ask, Recipe
from symattn.export.canvas.item import lacks, line
from symattn.export.canvas.packing import pack
from symattn.export.formats import Writer, by_the_key
from symattn.export.package import head

WRITERS: Final = (Writer("teacher/{name}-canvas.zip", line, head, finish=pack),)


def notes(recipe: Recipe, ask: Ask) -> tuple[str, ...]:
    """The words that say what it puts in a way of its own."""
    if lacks(recipe, ask):
        return ()
    found = {"blanks": ("one_blank", "general_feedback"), "choice": ("general_feedback",)}.get(ask.kind, ())
    return (*found, *by_the_key(recipe, ask))


__all__ = ["WRITERS", "lacks", "notes"]
