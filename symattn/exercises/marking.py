"""Marks: a blank is right, right in consequence of earlier numbers, wrong, missing or unreadable; and the diagnosis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from symattn.errors import SymattnError
from symattn.exact import numbers
from symattn.exact.balls import precision
from symattn.exercises.answered import Given, given
from symattn.exercises.fair import given as handed_in
from symattn.exercises.fixed import UNIT, Interval, TooFarError, ends, of_fraction
from symattn.exercises.follow import follows
from symattn.exercises.key import KeyQuestion, KeyVariant
from symattn.exercises.slips import NONE, Slip
from symattn.exercises.variant import Cell
from symattn.exercises.work import exact_value

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Verdict(StrEnum):
    """What a blank is marked."""

    RIGHT = "right"
    FOLLOWS = "follows"
    WRONG = "wrong"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Mark:
    """One blank marked. ``points`` may be a teacher's own, who then says why in ``note``."""

    blank: str
    given: str
    key: str
    verdict: Verdict
    points: Fraction
    most: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """One student's marks, and the mistakes that explain all of what is wrong: several where they go together."""

    student: str
    code: str
    marks: tuple[Mark, ...]
    mistakes: tuple[str, ...] = ()

    @property
    def points(self) -> Fraction:
        """What was earned."""
        return sum((mark.points for mark in self.marks), Fraction(0))

    @property
    def most(self) -> int:
        """What could be earned."""
        return sum(mark.most for mark in self.marks)


@dataclass(eq=False)
class _Marker:
    """One paper being marked."""

    variant: KeyVariant
    answers: Mapping[str, str]
    share: Fraction
    own: dict[tuple[str, int], dict[tuple[int, int], Interval]]
    read: dict[str, Given]

    def question(self, question: KeyQuestion) -> Iterator[Mark]:
        """The marks of one question; its numbers are then the student's own for the later ones."""
        kind = question.answer.ask.kind
        if question.choices:
            yield self._choice(question)
        elif kind == "closed":
            yield self._closed(question)
        else:
            yield from self._numbers(question)

    def _numbers(self, question: KeyQuestion) -> Iterator[Mark]:
        ask = question.answer.ask
        for name, cell in zip(question.blanks, question.answer.cells, strict=True):
            written = self.read[name]
            verdict = self._verdict(written, cell, question)
            share = {Verdict.RIGHT: Fraction(1), Verdict.FOLLOWS: self.share}.get(verdict, Fraction(0))
            yield Mark(name, written.text, cell.key, verdict, share * ask.points, ask.points)
        for name, cell in zip(question.blanks, question.answer.cells, strict=True):
            interval = around(self.read[name], self.variant.decimals)
            if interval is not None:
                self.own.setdefault((ask.array, ask.head), {})[cell.row, cell.column] = interval

    def _verdict(self, written: Given, cell: Cell, question: KeyQuestion) -> Verdict:
        if written.is_missing:
            return Verdict.MISSING
        value = size(written)
        if value is None:
            return Verdict.UNREADABLE
        if self._equals(written, cell, question) or within(value, cell.middle, cell.units):
            return Verdict.RIGHT
        ask = question.answer.ask
        variant, place = self.variant, (ask.array, ask.head, cell.row, cell.column)
        course = variant.judge.course(variant.work, NONE, variant.keep)
        led = follows(course, variant.work, self.own, place, variant.decimals)
        if led is not None and led[0] <= value[0] and value[1] <= led[1]:
            return Verdict.FOLLOWS
        return Verdict.WRONG

    def _equals(self, written: Given, cell: Cell, question: KeyQuestion) -> bool:
        """Whether an exact expression is the exact number."""
        if written.exact is None:
            return False
        ask = question.answer.ask
        exact = exact_value(self.variant.result, ask.array, ask.head, cell.row, cell.column)
        try:
            return exact.equals(written.exact)
        except SymattnError:  # no theorem says whether they are the same
            return False

    def _closed(self, question: KeyQuestion) -> Mark:
        (name,), (cell,) = question.blanks, question.answer.cells
        written = self.read[name]
        if written.decimal is not None:
            written = given(f"({written.text.replace(',', '.')})", None)
        if written.is_missing:
            verdict = Verdict.MISSING
        elif written.exact is None:
            verdict = Verdict.UNREADABLE
        else:
            verdict = Verdict.RIGHT if self._equals(written, cell, question) else Verdict.WRONG
        points = question.answer.ask.points
        return Mark(name, self.read[name].text, cell.key, verdict, Fraction(points * (verdict == "right")), points)

    def _choice(self, question: KeyQuestion) -> Mark:
        (name,), right, points = question.blanks, question.answer.right, question.answer.ask.points
        text = self.answers.get(name, "").strip()
        place = chosen(text, question)
        verdict = Verdict.MISSING if not text else Verdict.UNREADABLE if place is None else Verdict.WRONG
        if place == right:
            verdict = Verdict.RIGHT
        return Mark(name, text[:200], _LETTERS[right], verdict, Fraction(points * (place == right)), points)


def chosen(text: str, question: KeyQuestion) -> int | None:
    """The place of what was chosen, by its letter or its text."""
    plain = " ".join(text.split())
    if len(plain.rstrip(".)")) == 1 and plain[0].upper() in _LETTERS[: len(question.choices)]:
        return _LETTERS.index(plain[0].upper())
    texts = [" ".join(choice.split()) for choice in question.choices]
    return texts.index(plain) if texts.count(plain) == 1 else None


def size(written: Given) -> Interval | None:
    """The least interval around what was written."""
    if written.decimal is not None:
        return of_fraction(written.decimal)
    if written.exact is None or any(map(numbers.symbols, written.exact.fraction())):
        return None
    try:
        with precision(160):
            return ends(written.exact.ball())
    except TooFarError:
        return None


def within(value: Interval, middle: int, units: int) -> bool:
    """Whether a number is within the tolerance."""
    return middle - units <= value[0] and value[1] <= middle + units


def around(written: Given, decimals: int) -> Interval | None:
    """What a number that was handed in may have been before it was rounded."""
    value = size(written)
    if value is None or written.decimal is None:
        return value
    places = max(written.places, decimals)
    half = UNIT // 10 ** min(places, 20) // 2
    return value[0] - half, value[1] + half


def marked(variant: KeyVariant, student: str, answers: Mapping[str, str], share: Fraction = Fraction(1)) -> Paper:
    """A student's paper marked.

    Args:
        variant: The variant that the student worked.
        student: The student's id.
        answers: What was written, by the names of the blanks.
        share: The part of a blank's points that a number earns which is right in consequence of earlier ones.
    """
    u = None if variant.generator is None else numbers.exp(variant.generator.exponent)
    names = [name for question in variant.questions for name in question.blanks]
    marker = _Marker(variant, answers, share, {}, {name: given(answers.get(name, ""), u) for name in names})
    marks = [mark for question in variant.questions for mark in marker.question(question)]
    return Paper(student, variant.code, tuple(marks), diagnosis(variant, marker.read, answers, marks))


def diagnosis(
    variant: KeyVariant, read: Mapping[str, Given], answers: Mapping[str, str], marks: Sequence[Mark]
) -> tuple[str, ...]:
    """The mistakes by which all numbers on a paper come out, each alone; else a pair that does together."""
    if all(mark.verdict in (Verdict.RIGHT, Verdict.MISSING) for mark in marks):
        return ()
    numeric = [question for question in variant.questions if question.answer.ask.kind == "blanks"]
    known = variant.judge.slips(0)
    found = [one.key for one in known if _explains(variant, one, numeric, read, answers)]
    if found:
        return tuple(dict.fromkeys(found))
    for both in variant.judge.couples(0):
        if _explains(variant, both, numeric, read, answers):
            return tuple(both.key.split("+"))
    return ()


def _explains(
    variant: KeyVariant,
    one: Slip,
    numeric: Sequence[KeyQuestion],
    read: Mapping[str, Given],
    answers: Mapping[str, str],
) -> bool:
    """Whether every number that was written comes of a mistake, and some choice or number is wrong by it."""
    differs = False
    for question in numeric:
        for name, cell, interval in _made(variant, question, one):
            value = size(read[name])
            if value is None or interval is None:
                continue
            if value[0] < interval[0] or value[1] > interval[1]:
                return False
            differs = differs or not within(value, cell.middle, cell.units)
    for question in variant.questions:
        if question.answer.ask.kind == "choice":
            place = chosen(answers.get(question.blanks[0], ""), question)
            if place is not None and question.mistakes[place] != one.key:
                return False
            differs = differs or place is not None
    return differs


def _made(variant: KeyVariant, question: KeyQuestion, one: Slip) -> Iterator[tuple[str, Cell, Interval | None]]:
    """Each number of a question with what a mistake may make of it, worked row by row as it is asked for."""
    asked: dict[int, list[tuple[str, Cell]]] = {}
    for name, cell in zip(question.blanks, question.answer.cells, strict=True):
        asked.setdefault(cell.row, []).append((name, cell))
    for row, line in enumerate(variant.judge.bounded(variant.work, question.answer.ask, one, variant.keep)):
        for name, cell in asked.get(row, ()):
            yield name, cell, None if line is None else handed_in(line[cell.column], variant.decimals)
