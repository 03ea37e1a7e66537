"""What every format is held to: answers with the marks that ``symattn mark`` gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from io import BytesIO
from random import Random
from typing import Final

from symattn.exercises.marking import Mark, Verdict, marked
from symattn.export.formats import writers
from symattn.render.words import words
from tests.exercises.common import SEED, offers, run
from tests.exercises.recipes import ALL, KINDS
from tests.exercises.students import Student
from tests.exercises.test_fair import mistakes
from tests.exercises.test_marking import answers, decimal, key
from tests.formats.readers import Read, canvas, moodle, notebook, qti21, stack

COUNT = 3
TINY = Fraction(1, 10**9)
RECIPES: Final = {**ALL, "kinds": KINDS}


@dataclass(frozen=True)
class Format:
    """How a format is read back; ``file``: which of its files. ``asks``: the kinds of question that it can put."""

    read: Callable[[bytes], Read]
    file: int = 0
    asks: frozenset[str] = frozenset({"blanks", "choice", "true-false", "find-mistake", "most"})


FORMATS: Final = {
    "moodle": Format(moodle.read),
    "ipynb": Format(notebook.read),
    "stack": Format(stack.read, asks=frozenset({"blanks", "choice", "true-false", "find-mistake", "most", "closed"})),
    "qti21": Format(qti21.read),
    "qti12": Format(canvas.read),
}


def content(format: str, source: str, count: int, seed: int = SEED, file: int = 0, **wishes: object) -> bytes:
    """One file of a format, as a run writes it."""
    writer, made = writers(format)[file], run(source, seed, **wishes)
    items = [writer.item(offer) for offer in offers(source, count, seed, **wishes)]
    text = (writer.head(made) + writer.between.join(items) + writer.foot(made)).encode()
    if writer.finish is None:
        return text
    target = BytesIO()
    writer.finish(BytesIO(text), target)
    return target.getvalue()


@dataclass(frozen=True)
class Case:
    """Answers to one variant with their marks; ``mistake`` is what was done wrong all along."""

    code: str
    mistake: str
    answers: dict[str, str]
    marks: tuple[Mark, ...]
    kinds: tuple[str, ...]


@cache
def cases(name: str, count: int = COUNT) -> tuple[Case, ...]:
    """Right answers, the edges of tolerances and just beyond, careful students, every mistake, every choice."""
    data, variants = key(RECIPES[name], count)
    found = []
    for place, variant in enumerate(data["variants"]):
        known = variants[variant["code"]]
        kinds = tuple(q["kind"] for q, k in zip(variant["questions"], known.questions, strict=True) for _ in k.blanks)
        rows = [("", _at(variant, known, Fraction(0), Fraction(0)))]
        for side in (1, -1):
            rows += [
                ("", _at(variant, known, Fraction(side), Fraction(0))),
                ("", _at(variant, known, side, side * TINY)),
            ]
        for mistake in ("", *mistakes(variant, frozenset())):
            student = Student(variant["keep"], Random(f"{place}"), mistake)
            rows.append((mistake, answers(student, variant, data["decimals"])))
        rows += [("", _chosen(known, letter)) for letter in "ABCD" if any(q.choices for q in known.questions)]
        for mistake, given in rows:
            marks = marked(known, "s1", given, Fraction(0)).marks
            found.append(Case(variant["code"], mistake, given, marks, kinds))
    assert found
    return tuple(found)


def _at(variant, known, side: Fraction, beyond: Fraction) -> dict[str, str]:
    """Each blank's key, moved by its tolerance and a little more."""
    found = {}
    for question in known.questions:
        cells = variant["questions"][question.number - 1]["answers"]
        if question.choices:
            found[question.blanks[0]] = "ABCDEFGHIJ"[question.answer.right]
        elif question.answer.ask.kind == "blanks":
            for blank, cell in zip(question.blanks, cells, strict=True):
                found[blank] = decimal(Fraction(cell["key"]) + side * Fraction(cell["tolerance"]) + beyond)
    return found


def _chosen(known, letter: str) -> dict[str, str]:
    return {
        question.blanks[0]: letter
        for question in known.questions
        if question.choices and "ABCDEFGHIJ".index(letter) < len(question.choices)
    }


def told(mistake: str) -> str:
    return str(words()["mistake"][mistake])


def agrees(format: str, name: str, count: int = COUNT) -> tuple[int, int]:
    """How many answers are right and wrong by a format, where it marks each as ``symattn mark`` does.

    Raises:
        AssertionError: It marks one otherwise.
    """
    way = FORMATS[format]
    found = way.read(content(format, RECIPES[name], count, file=way.file))
    right = wrong = 0
    for case in cases(name, count):
        asked = [mark for mark, kind in zip(case.marks, case.kinds, strict=True) if kind in way.asks]
        blanks = found.get(case.code, [])
        assert len(blanks) == len(asked)
        for blank, mark in zip(blanks, asked, strict=True):
            assert blank.points == mark.most
            share, said = blank.mark(mark.given)
            assert share == Fraction(mark.verdict == Verdict.RIGHT), (mark, said)
            right, wrong = right + (share == 1), wrong + (share == 0)
    return right, wrong
