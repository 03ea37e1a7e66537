"""Exercises for a book, each with its solution: the same two pages in every markup of books."""

from __future__ import annotations

from symattn.exercises.offer import Offer, Run
from symattn.export.sheets.pages import frame, source
from symattn.render.environment import rendered
from symattn.render.page import Format


def exercise(kind: Format, flavour: str, offer: Offer) -> str:
    """A variant as an exercise; nothing but what stands in it is handed to the template."""
    run, sheet = offer.run, offer.sheet(kind.escape)
    view = frame(kind.folder, flavour) | sheet.statement()
    view |= {"title": run.recipe.title, "hints": sheet.hints()}
    return rendered("exercises/exercise.jinja", view, kind.escape, run.overrides)


def solved(kind: Format, flavour: str, offer: Offer) -> str:
    """The same with its solution."""
    run, sheet = offer.run, offer.sheet(kind.escape)
    view = frame(kind.folder, flavour) | sheet.statement()
    view |= {"title": run.recipe.title, "hints": sheet.hints()}
    view |= {"answered": sheet.answered(), "solution": sheet.solution(run.judge), "source": source(offer)}
    return rendered("exercises/solved.jinja", view, kind.escape, run.overrides)


def head(kind: Format, flavour: str, run: Run) -> str:
    """The beginning of a file."""
    view = frame(kind.folder, flavour) | {"title": run.recipe.title}
    return rendered(f"{kind.folder}/exercises_head.jinja", view, kind.escape, run.overrides) + "\n"
