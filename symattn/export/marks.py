"""Marks as files: grades as a table, every mark as JSON, a report of the class, and one for each student."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from markupsafe import Markup

from symattn.exercises.classroom import tally
from symattn.exercises.marking import Mark, Paper
from symattn.exercises.roster import is_name
from symattn.export.files import write
from symattn.export.keys.as_csv import row
from symattn.export.sheets.pages import frame
from symattn.render import escape
from symattn.render.environment import rendered
from symattn.render.words import words


def written(papers: Sequence[Paper], folder: Path, name: str) -> list[Path]:
    """The files of a marked class."""
    contents = {
        f"{name}-grades.csv": _grades(papers),
        f"{name}-marks.json": _marks(papers),
        f"{name}-report.md": _report(papers),
    }
    contents |= {f"{name}-reports/{paper.student}.md": _report([paper]) for paper in papers if is_name(paper.student)}
    for file, text in contents.items():
        write(folder / file, text.encode())
    return [folder / file for file in contents if "/" not in file]


def _grades(papers: Sequence[Paper]) -> str:
    lines = (
        (paper.student, paper.code, number(paper.points), str(paper.most), " ".join(paper.mistakes)) for paper in papers
    )
    return "".join(map(row, (("id", "code", "points", "of", "mistakes"), *lines)))


def number(points: Fraction) -> str:
    """Points as a decimal where they have one of up to four places, else as a fraction."""
    whole = points * 10_000
    if whole.denominator != 1:
        return str(points)
    text = f"{whole.numerator // 10_000}.{whole.numerator % 10_000:04d}"
    return text.rstrip("0").rstrip(".")


def _marks(papers: Sequence[Paper]) -> str:
    found = [
        {
            "id": paper.student,
            "code": paper.code,
            "points": number(paper.points),
            "of": paper.most,
            "mistakes": list(paper.mistakes),
            "marks": [_mark(mark) for mark in paper.marks],
        }
        for paper in papers
    ]
    return json.dumps({"students": found}, ensure_ascii=False, indent=1) + "\n"


def _mark(mark: Mark) -> dict[str, Any]:
    found = {
        "blank": mark.blank,
        "given": mark.given,
        "key": mark.key,
        "verdict": mark.verdict.value,
        "points": number(mark.points),
        "of": mark.most,
    }
    return found | ({"note": mark.note} if mark.note else {})


def _report(papers: Sequence[Paper]) -> str:
    def inert(text: str) -> Markup:
        return Markup(escape.markdown(text))  # noqa: S704 - escaped

    view = {
        "told": {key: inert(str(clause)) for key, clause in words()["mistake"].items()},
        "mistakes": [{"key": key, "count": count} for key, count in tally(papers).most_common() if len(papers) > 1],
        "papers": [
            {
                "student": inert(paper.student or paper.code),
                "code": paper.code,
                "points": number(paper.points),
                "most": paper.most,
                "mistakes": list(paper.mistakes),
                "marks": [
                    {
                        "blank": mark.blank,
                        "given": inert(mark.given),
                        "key": mark.key,
                        "verdict": mark.verdict.value,
                        "points": number(mark.points),
                        "note": inert(mark.note),
                    }
                    for mark in paper.marks
                    if mark.verdict != "right" or mark.note
                ],
            }
            for paper in papers
        ],
    }
    return rendered("exercises/report.jinja", frame("markdown") | view, escape.markdown)
