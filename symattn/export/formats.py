"""Formats of exercises: each is a folder that offers ``WRITERS``, and this table says where it is.

A writer makes one file of a run: a head, an item for each variant with something between them, and a foot. Items are
made by themselves, in any process and any order, so a file of any length is written in bounded memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final, TypeAlias

from symattn.exercises.offer import Offer, Run, what
from symattn.exercises.recipe import Ask, Recipe
from symattn.export.files import Finish
from symattn.render.words import words

FOLDERS: Final = {
    "md": "symattn.export.sheets.markdown",
    "tex": "symattn.export.sheets.latex",
    "pdf": "symattn.export.sheets.pdf",
    "json": "symattn.export.keys.as_json",
    "csv": "symattn.export.keys.as_csv",
    "moodle": "symattn.export.moodle",
    "ipynb": "symattn.export.notebook",
    "pretext": "symattn.export.pretext",
    "stack": "symattn.export.stack",
    "qti21": "symattn.export.qti",
    "qti12": "symattn.export.canvas",
}
"""Each format by its name."""
BOOKS: Final = {"myst": "symattn.export.books.myst", "quarto": "symattn.export.books.quarto"}
"""The flavours of Markdown in which exercises and solutions are linked."""


Lacks: TypeAlias = Callable[[Recipe, Ask], str]
"""The words that say why a format cannot put or mark a question; empty where it can."""
Notes: TypeAlias = Callable[[Recipe, Ask], tuple[str, ...]]
"""The words that say what a format puts in a way of its own."""


def _nothing(_: Run) -> str:
    return ""


def _nothing_lacks(_: Recipe, __: Ask) -> str:
    return ""


def _nothing_to_note(_: Recipe, __: Ask) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Writer:
    """One file of a run. ``file`` is its path, with ``{name}`` for the recipe's.

    Files below ``students/`` are given away: they hold no answer. ``alone``: a student's own file can be made of one
    item. ``finish`` makes the file of the text where it is not simply that.
    """

    file: str
    item: Callable[[Offer], str]
    head: Callable[[Run], str] = _nothing
    foot: Callable[[Run], str] = _nothing
    between: str = "\n"
    alone: bool = False
    finish: Finish | None = None


def by_the_key(recipe: Recipe, ask: Ask) -> tuple[str, ...]:
    """The note of a format that knows nothing of a student's earlier answers."""
    return ("by_the_key",) if recipe.hangs_on_earlier(ask) else ()


def writers(format: str, flavour: str = "plain") -> tuple[Writer, ...]:
    """The writers of a format, in a flavour of Markdown."""
    folder = BOOKS.get(flavour, FOLDERS[format]) if format == "md" else FOLDERS[format]
    found: tuple[Writer, ...] = import_module(folder).WRITERS
    return found


@dataclass(frozen=True, slots=True)
class Account:
    """What a format makes of each variant: how many questions it puts, what it leaves out and why, and notes."""

    questions: int
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def account(format: str, run: Run) -> Account:
    """What a format can say of a recipe, in words."""
    module, told = import_module(FOLDERS[format]), words()["exercise"]["lacks"]
    lacks: Lacks = getattr(module, "lacks", _nothing_lacks)
    left_out = tuple(
        (f"{number}. {what(ask)} ({ask.kind})", str(told[why]))
        for number, ask in enumerate(run.recipe.asks, 1)
        if (why := lacks(run.recipe, ask))
    )
    noted: Notes = getattr(module, "notes", _nothing_to_note)
    notes = dict.fromkeys(str(told[name]) for ask in run.recipe.asks for name in noted(run.recipe, ask))
    return Account(len(run.recipe.asks) - len(left_out), left_out, tuple(notes))
