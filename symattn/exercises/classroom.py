"""A class marked: papers, a teacher's own marks over ours, and which mistakes were made how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from symattn.errors import SpecError, SymattnError, Where
from symattn.exercises.answered import given
from symattn.exercises.key import KeyVariant
from symattn.exercises.marking import Paper, marked
from symattn.exercises.papers import HandedIn
from symattn.exercises.roster import table
from symattn.parse import document
from symattn.parse.messages import quoted


def marked_class(key: Mapping[str, KeyVariant], papers: Iterable[HandedIn], share: Fraction) -> list[Paper]:
    """Every paper marked, in the order of the file."""
    return [marked(key[paper.code], paper.student, paper.answers, share) for paper in papers]


def share(text: str) -> Fraction:
    """A part of the points, from 0 to 1."""
    found = given(text)
    number = found.decimal
    if number is None and found.exact is not None:
        above, below = found.exact.fraction()
        number = Fraction(str(above / below))
    if number is None or not 0 <= number <= 1:
        raise SpecError(f"{quoted(text)} is no share", mend="write a number from 0 to 1", where=Where("--follow"))
    return number


def overridden(papers: Sequence[Paper], path: Path) -> list[Paper]:
    """The papers with a teacher's own marks: a CSV file with the columns id (and code), blank, points and note.

    Raises:
        SpecError: A line names nobody, no blank, or points that cannot be given.
    """
    try:
        found = list(papers)
        for number, row in table(document.text(path)):
            student, code = row.get("id", ""), row.get("code", "")
            places = [i for i, paper in enumerate(found) if paper.student == student and code in ("", paper.code)]
            if not places:
                raise SpecError(f"nobody is called {quoted(student)}", mend="check the id", where=Where(line=number))
            if len(places) > 1:
                raise SpecError(
                    f"{quoted(student)} has {len(places)} papers", mend="add a column code", where=Where(line=number)
                )
            found[places[0]] = _changed(found[places[0]], row, number)
        return found
    except SymattnError as error:
        raise error.located(file=str(path)) from None


def _changed(paper: Paper, row: Mapping[str, str], number: int) -> Paper:
    blank, points = row.get("blank", ""), given(row.get("points", "")).decimal
    where = Where(line=number)
    places = [place for place, mark in enumerate(paper.marks) if mark.blank == blank]
    if not places:
        names = ", ".join(mark.blank for mark in paper.marks[:3])
        raise SpecError(f"there is no blank {quoted(blank)}", mend=f"blanks are {names}, ...", where=where)
    if points is None or points < 0:
        raise SpecError("points are a number that is not negative", mend="write how many", where=where)
    marks = list(paper.marks)
    marks[places[0]] = replace(marks[places[0]], points=points, note=row.get("note", "") or "by hand")
    return replace(paper, marks=tuple(marks))


def tally(papers: Iterable[Paper]) -> Counter[str]:
    """How many papers each mistake explains."""
    return Counter(mistake for paper in papers for mistake in paper.mistakes)
