"""What a variant offers to a format: the variant, the run it belongs to, and what it can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

from symattn.exercises.chance import run_key
from symattn.exercises.fair import Judge
from symattn.exercises.reading import loads
from symattn.exercises.recipe import Ask, Recipe
from symattn.exercises.variant import Answer, Variant
from symattn.exercises.view import Sheet
from symattn.parse.plain import plain
from symattn.render.words import words

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Run:
    """A run: the recipe as text, the seed, the version, and a folder of templates of the teacher's own.

    ``flavour`` is that of Markdown; ``nbgrader``: whether notebooks carry its metadata; ``pick``: how many
    questions of a group a course system picks for each student; ``pictures``: whether worked solutions show them.
    """

    source: str
    name: str
    seed: int
    version: str
    overrides: Path | None = None
    flavour: str = "plain"
    nbgrader: bool = False
    pick: int = 1
    pictures: bool = False

    @property
    def recipe(self) -> Recipe:
        """The recipe, read once in each process."""
        return judge(self.source, self.name).recipe

    @property
    def judge(self) -> Judge:
        """Its judge, made once in each process."""
        return judge(self.source, self.name)

    @property
    def key(self) -> bytes:
        """The key of its streams."""
        return run_key(self.recipe.digest, self.seed)


@cache
def judge(source: str, name: str) -> Judge:
    """The judge of a recipe."""
    return Judge(loads(source, name))


@dataclass(frozen=True, slots=True)
class Offer:
    """One variant of a run, as a format is given it."""

    run: Run
    variant: Variant
    _made: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What more than one file of a format holds, made once."""
        if name not in self._made:
            self._made[name] = make()
        return cast(T, self._made[name])

    def sheet(self, escape: Callable[[str], str]) -> Sheet:
        """The variant with its names escaped by a format."""
        return Sheet(self.variant, self.run.recipe, escape)

    def choices(self, answer: Answer) -> list[str]:
        """What can be chosen, as plain text."""
        told, mark = words()["exercise"], self.run.recipe.rounding.decimal_mark
        match answer.ask.kind:
            case "choice":
                return ["; ".join(text.replace(".", mark) for text in choice.text) for choice in answer.choices]
            case "most":
                return [self.variant.drawn.context_tokens[int(choice.text[0])] for choice in answer.choices]
            case "find-mistake":
                return [str(words()["array"][choice.text[0]]) for choice in answer.choices]
            case _:
                return [
                    f"{told['wrong']} {words()['mistake'][choice.mistake]}." if choice.mistake else str(told["right"])
                    for choice in answer.choices
                ]

    def data(self) -> dict[str, Any]:
        """The variant as a problem file has it."""
        return plain(self.variant.problem)


def what(ask: Ask) -> str:
    """What is asked, as a recipe writes it: ``weights[2]``."""
    return ask.array + "".join(f"[{index}]" for index in (ask.row, ask.column) if index is not None)


def blank(number: int, ask: Ask, row: int, column: int) -> str:
    """The name of a blank in files of answers: ``1.weights[0][2]``; a head that is not the first is named."""
    head = f"head{ask.head}." if ask.head else ""
    return f"{number}.{head}{ask.array}[{row}][{column}]"


def digest(data: str) -> str:
    """The hash of a variant's data that key and manifest give."""
    return sha256(data.encode()).hexdigest()
