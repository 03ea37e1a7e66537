"""A variant as cells: the problem, and for each question its text, a cell for the answer and one that checks it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from symattn.exercises.fixed import UNIT
from symattn.exercises.offer import Offer, Run
from symattn.exercises.variant import Answer
from symattn.exercises.wrong import wrong
from symattn.export.notebook import hidden
from symattn.export.notebook.cells import Cell, written
from symattn.export.sheets.pages import frame
from symattn.render.environment import rendered
from symattn.render.escape import jupyter
from symattn.render.words import words

_KERNEL: Final = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def head(run: Run) -> str:
    """The beginning of the file: the title, and the function that checks."""
    title = Cell("markdown", "title", "# " + jupyter(run.recipe.title or str(words()["untitled"])))
    code = rendered("notebook/check.jinja", {"levels": str(hidden.LEVELS)}, str, run.overrides)
    cells = (title, Cell("code", "check", code))
    return '{"cells": [\n' + ",\n".join(written(cell, run.nbgrader) for cell in cells) + ",\n"


def foot(_: Run) -> str:
    """The end of the file."""
    return "\n" + f'], "metadata": {json.dumps(_KERNEL)}, "nbformat": 4, "nbformat_minor": 5}}' + "\n"


def student(offer: Offer) -> str:
    """A variant's cells as a student gets them."""
    return _joined(offer, cells(offer, solved=False))


def solution(offer: Offer) -> str:
    """The same with the answers filled in, and the worked solution."""
    return _joined(offer, cells(offer, solved=True))


def _joined(offer: Offer, found: Iterator[Cell]) -> str:
    return ",\n".join(written(cell, offer.run.nbgrader) for cell in found)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What both notebooks hold of a variant: its problem, and of each question the text and the check."""

    view: dict[str, Any]
    problem: str
    questions: tuple[tuple[str, str], ...]


def _shared(offer: Offer) -> _Shared:
    view = frame("markdown") | offer.sheet(jupyter).statement()
    heading = view | {"title": offer.run.recipe.title, "questions": []}
    found = []
    for answer, question in zip(offer.variant.answers, view["questions"], strict=True):
        text = _page(offer, "exercises/question.jinja", view | {"questions": [question | {"bare": True}]})
        found.append((text, "" if answer.ask.kind == "closed" else _check(offer, question["number"], answer)))
    return _Shared(view, _page(offer, "exercises/student.jinja", heading), tuple(found))


def cells(offer: Offer, *, solved: bool) -> Iterator[Cell]:
    """The cells of a variant, the answers in them where it is solved."""
    variant, run, sheet = offer.variant, offer.run, offer.sheet(jupyter)
    shared = offer.once("notebook", lambda: _shared(offer))
    answered = sheet.answered() if solved else []
    yield Cell("markdown", f"{variant.code}-problem", shared.problem)
    for number, (answer, (text, check)) in enumerate(zip(variant.answers, shared.questions, strict=True), 1):
        name = f"{variant.code}-{number}"
        yield Cell("markdown", f"{name}-question", text)
        if answer.ask.kind == "closed":
            shown = f"${answered[number - 1]['closed']}$" if solved else "…"
            yield Cell("markdown", f"{name}-answer", shown, answer.ask.points, is_answer=True)
            continue
        yield Cell("code", f"{name}-answer", _answer(offer, number, answer, solved), is_answer=True)
        points = answer.ask.points * (len(answer.cells) if answer.ask.kind == "blanks" else 1)
        yield Cell("code", f"{name}-check", check, points)
    if solved:
        view = shared.view | {"answered": answered, "solution": sheet.solution(run.judge)}
        yield Cell("markdown", f"{variant.code}-solution", _page(offer, "exercises/solution.jinja", view))


def _page(offer: Offer, template: str, view: dict[str, Any]) -> str:
    return rendered(template, view, jupyter, offer.run.overrides)


def _answer(offer: Offer, number: int, answer: Answer, solved: bool) -> str:
    """The cell that the student fills in: a table of None, or an empty text for a letter."""
    name = f"answer_{number}"
    empty = "\n".join(_filled(offer, name, answer, solved=False))
    if not solved:
        return empty
    full = "\n".join(_filled(offer, name, answer, solved=True))
    return f"{empty}\n### BEGIN SOLUTION\n{full}\n### END SOLUTION" if offer.run.nbgrader else full


def _filled(offer: Offer, name: str, answer: Answer, *, solved: bool) -> Iterator[str]:
    if answer.choices:
        letters = ", ".join(_LETTERS[: len(answer.choices)])
        yield f'{name} = "{_LETTERS[answer.right] if solved else ""}"  # {letters}'
        return
    rows: dict[int, list[str]] = defaultdict(list)
    for cell in answer.cells:
        rows[cell.row].append(cell.key if solved else "None")
    if len(answer.cells) == 1:
        yield f"{name} = {answer.cells[0].key if solved else None}"
        return
    labels = offer.sheet(_comment).labels(answer.ask)
    yield f"{name} = ["
    for row, cells in rows.items():
        yield f"    [{', '.join(cells)}],  # {labels[row]}"
    yield "]"


def _comment(text: str) -> str:
    """A name in a comment of Python, which ends with its line."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def _check(offer: Offer, number: int, answer: Answer) -> str:
    """The cell that checks: hashes of what is right, and of what each mistake gives."""
    salt = f"{offer.variant.code}-{number}"
    right, mistakes, places = _choice(salt, answer) if answer.choices else _numbers(offer, salt, answer)
    lines = [
        "check(",
        f"    answer_{number},",
        f'    "{salt}",',
        f"    blanks={len(answer.cells) if answer.ask.kind == 'blanks' else 1},",
        f"    places={places},",
        f"    points={answer.ask.points},",
        f"    parts={offer.run.nbgrader},",
        f'    right="{right}",',
        "    mistakes={",
        *(f'        "{told}": "{hashes}",' for told, hashes in mistakes.items()),
        "    },",
        ")",
    ]
    return "\n".join(lines).replace("    mistakes={\n    },\n", "")


def _choice(salt: str, answer: Answer) -> tuple[str, dict[str, str], int]:
    told = words()["mistake"]
    wrongs = {
        str(told[choice.mistake]): hidden.digest(f"{salt} 0 {_LETTERS[place]}")
        for place, choice in enumerate(answer.choices)
        if answer.ask.kind == "choice" and choice.mistake
    }
    return hidden.digest(f"{salt} 0 {_LETTERS[answer.right]}"), wrongs, 0


def _numbers(offer: Offer, salt: str, answer: Answer) -> tuple[str, dict[str, str], int]:
    """Hashes of every blank together, those of right answers filled up to a number that says nothing of them."""
    places = offer.variant.keep + 1
    grain = UNIT // 10**places
    right: list[str] = []
    mistakes: dict[str, list[str]] = defaultdict(list)
    found = wrong(offer.run.judge, offer.variant, answer)
    for blank, (cell, others) in enumerate(zip(answer.cells, found, strict=True)):
        right += hidden.interval(salt, blank, cell.middle, cell.units, grain)
        for one in others:
            mistakes[one.mistake] += hidden.interval(salt, blank, one.middle, one.units // grain * grain, grain)
    widest = 2 * UNIT // 10**offer.run.recipe.rounding.decimals  # no tolerance is wider
    full, secret = len(answer.cells) * hidden.most(widest, grain), offer.run.key.hex()
    right += [hidden.digest(f"{secret} {salt} {place}") for place in range(full - len(right))]
    told = words()["mistake"]
    return hidden.joined(right), {str(told[key]): hidden.joined(hashes) for key, hashes in mistakes.items()}, places
