"""STACK: a question a variant, with matrix inputs, a response tree for each number, and tests of its own.

Source: the XML that STACK's sample questions hold, and its documentation of inputs, answer tests, potential response
trees and question tests.
"""

from __future__ import annotations

from typing import Final

from symattn.exercises.recipe import Ask, Recipe
from symattn.export.formats import Writer
from symattn.export.moodle.question import head
from symattn.export.stack.question import foot, item

WRITERS: Final = (Writer("teacher/{name}-stack.xml", item, head, foot, between=""),)


def notes(_: Recipe, ask: Ask) -> tuple[str, ...]:
    """The words that say what it puts in a way of its own."""
    return ("in_letter",) if ask.kind == "closed" else ()
