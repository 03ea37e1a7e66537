"""QTI 2.1: a package with an item for each variant, its numbers in a table, and a test that picks some of them.

Source: IMS Question and Test Interoperability 2.1, information model and XML binding; IMS Content Packaging 1.1.
"""

from __future__ import annotations

from typing import Final

from symattn.exercises.recipe import Ask, Recipe
from symattn.export.formats import Writer, by_the_key
from symattn.export.package import head
from symattn.export.qti.item import line
from symattn.export.qti.packing import pack

WRITERS: Final = (Writer("teacher/{name}-qti21.zip", line, head, finish=pack),)


def lacks(_: Recipe, ask: Ask) -> str:
    """The words that say why it cannot put or mark a question; empty where it can."""
    return "expression" if ask.kind == "closed" else ""


notes: Final = by_the_key
"""The words that say what it puts in a way of its own."""
