"""The student's sheet and the key of each variant, in any markup that has templates."""

from __future__ import annotations

import json
from functools import cache, partial
from typing import Any

from symattn.exercises.offer import Offer, Run, digest
from symattn.render.environment import rendered
from symattn.render.page import FORMATS
from symattn.render.words import words


@cache
def frame(folder: str) -> dict[str, Any]:
    """What every page of a markup has."""
    return {
        "markup": f"{folder}/markup.jinja",
        "flavour": "plain",
        "fragment": False,
        "slug": "exercise",
        "words": words(),
        "pictures": {},
    }


def student(format: str, offer: Offer) -> str:
    """A variant as a student gets it; nothing but what stands on it is handed to the template."""
    kind = FORMATS[format]
    view = frame(kind.folder) | offer.sheet(kind.escape).statement()
    return rendered(
        "exercises/student.jinja", view | {"title": offer.run.recipe.title}, kind.escape, offer.run.overrides
    )


def teacher(format: str, offer: Offer) -> str:
    """A variant's key: answers, tolerances, the worked solution, and where it comes from."""
    kind, run, variant = FORMATS[format], offer.run, offer.variant
    sheet = offer.sheet(kind.escape)
    source = {
        "recipe": run.recipe.name,
        "sha256": run.recipe.digest,
        "seed": run.seed,
        "candidate": variant.index,
        "symattn": run.version,
        "data": digest(json.dumps(offer.data(), sort_keys=True)),
    }
    view = frame(kind.folder) | sheet.statement()
    view |= {"answered": sheet.answered(), "solution": sheet.solution(run.judge), "source": source}
    return rendered("exercises/key.jinja", view, kind.escape, run.overrides)


def head(format: str, key: bool, run: Run) -> str:
    """The beginning of a file with all variants."""
    kind = FORMATS[format]
    view = {"title": run.recipe.title, "is_key": key, **frame(kind.folder)}
    return rendered(f"{kind.folder}/exercises_head.jinja", view, kind.escape, run.overrides)


def foot(format: str, run: Run) -> str:
    """The end of such a file."""
    kind = FORMATS[format]
    return rendered(f"{kind.folder}/exercises_foot.jinja", {}, kind.escape, run.overrides)


def pages(format: str) -> dict[str, Any]:
    """The parts of a student's sheet and of a key in a format, as a writer takes them."""
    return {
        "student": partial(student, format),
        "teacher": partial(teacher, format),
        "student_head": partial(head, format, False),
        "teacher_head": partial(head, format, True),
        "foot": partial(foot, format),
    }
