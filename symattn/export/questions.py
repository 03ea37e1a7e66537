"""What course systems share: a variant's pages as HTML, and one blank's text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from symattn.exercises.offer import Offer
from symattn.exercises.variant import Answer, Cell
from symattn.exercises.view import Sheet, View
from symattn.export.sheets.pages import frame
from symattn.export.text import html, paragraphs
from symattn.render.environment import rendered
from symattn.render.words import words

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_DIGITS: Final = 15
"""Digits of a decimal that a binary float holds."""


class Pages:
    """The pages of one variant; in the flavour ``qti`` tables have no attributes."""

    def __init__(self, offer: Offer, flavour: str = "plain") -> None:
        self.offer, self.sheet = offer, offer.sheet(html)
        self.view: dict[str, Any] = frame("html", flavour) | self.sheet.statement()

    def page(self, template: str, **changed: Any) -> str:
        """A template filled with the variant."""
        return paragraphs(rendered(template, self.view | changed, html, self.offer.run.overrides))

    def problem(self) -> str:
        """What is given and how it is to be worked, without the questions."""
        return self.page("exercises/statement.jinja", questions=[])

    def solution(self, drawn: Sequence[View] = ()) -> str:
        """Answers, tolerances and the working, with pictures of it."""
        answered, worked = self.sheet.answered(), self.sheet.solution(self.offer.run.judge)
        return self.page("exercises/solution.jinja", answered=answered, solution=worked, drawn=list(drawn))

    def question(self, number: int, answer: Answer) -> str:
        """One question's text, without its blanks."""
        shown = self.sheet.question(answer) | {"number": number, "mute": True}
        return self.page("exercises/question.jinja", questions=[shown])


def alone(answer: Answer, cell: Cell) -> Answer:
    """The question for one number of those that are asked for."""
    return replace(answer, ask=replace(answer.ask, row=cell.row, column=cell.column), cells=(cell,))


def choices(offer: Offer, sheet: Sheet, answer: Answer) -> list[str]:
    """What can be chosen, as HTML: rows of numbers, tokens, steps or verdicts."""
    shown = sheet.question(answer)["choices"]
    return [
        f"\\({one['numbers']}\\)" if one["numbers"] else html(text)
        for one, text in zip(shown, offer.choices(answer), strict=True)
    ]


@cache
def feedback() -> dict[str, str]:
    """What is said to who made a mistake, by its key."""
    comes = words()["exercise"]["comes"]
    return {key: f"{comes} {clause}." for key, clause in words()["mistake"].items()}


def consequence() -> str:
    """What is said to whose number is right in consequence of their earlier ones."""
    return str(words()["exercise"]["follows"])


def title(offer: Offer) -> str:
    """A name for a variant's question."""
    recipe = offer.run.recipe
    return f"{recipe.title or recipe.name}, {offer.variant.code}"


def widened(tolerance: str, value: str) -> str:
    """The tolerance and a little more, the least that binary floats need to hold its bounds: a few units of the 15th
    digit of a number of this size.
    """
    whole, _, fraction = tolerance.partition(".")
    places = _DIGITS - max(len(text.partition(".")[0].lstrip("-")) for text in (tolerance, value))
    return f"{whole}.{fraction.ljust(places - 1, '0')}4"
