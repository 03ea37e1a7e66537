"""Moodle XML: one cloze question a variant, or a numerical question where a single number is asked for.

Source: question/format/xml/format.php, question/type/multianswer and question/type/numerical of Moodle 4.
"""

from __future__ import annotations

from typing import Final

from symattn.exercises.recipe import Ask, Recipe
from symattn.export.formats import Writer, by_the_key
from symattn.export.moodle.question import foot, head, item

WRITERS: Final = (Writer("teacher/{name}-moodle.xml", item, head, foot, between=""),)


def lacks(_: Recipe, ask: Ask) -> str:
    """The words that say why it cannot put or mark a question; empty where it can."""
    return "expression" if ask.kind == "closed" else ""


notes: Final = by_the_key
"""The words that say what it puts in a way of its own."""
