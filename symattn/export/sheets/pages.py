"""The student's sheet and the key of each variant, in any markup that has templates."""

from __future__ import annotations

import json
from functools import cache, partial
from typing import Any

from symattn.exercises.offer import Offer, Run, digest
from symattn.render.environment import rendered
from symattn.render.page import markup_of
from symattn.render.words import words_for_templates


@cache
def frame(folder: str, flavour: str = "plain") -> dict[str, Any]:
    """What every page of a markup has."""
    return {
        "markup": f"{folder}/markup.jinja",
        "flavour": flavour,
        "fragment": False,
        "slug": "exercise",
        "words": words_for_templates(),
        "pictures": {},
    }


def student(format: str, offer: Offer) -> str:
    """A variant as a student gets it; nothing but what stands on it is handed to the template."""
    run, kind = offer.run, markup_of(format, offer.run.flavour)
    view = frame(kind.folder, run.flavour) | offer.sheet(kind.escape).statement() | {"title": run.recipe.title}
    return rendered("exercises/student.jinja", view, kind.escape, run.overrides)


def teacher(format: str, offer: Offer) -> str:
    """A variant's key: answers, tolerances, the worked solution, and where it comes from."""
    run, kind = offer.run, markup_of(format, offer.run.flavour)
    sheet = offer.sheet(kind.escape)
    view = frame(kind.folder, run.flavour) | sheet.statement()
    view |= {"answered": sheet.answered(), "solution": sheet.solution(run.judge), "source": source(offer)}
    return rendered("exercises/key.jinja", view, kind.escape, run.overrides)


def source(offer: Offer) -> dict[str, Any]:
    """Where a variant comes from."""
    run = offer.run
    return {
        "recipe": run.recipe.name,
        "sha256": run.recipe.digest,
        "seed": run.seed,
        "candidate": offer.variant.index,
        "symattn": run.version,
        "data": digest(json.dumps(offer.data(), sort_keys=True)),
    }


def head(format: str, key: bool, run: Run) -> str:
    """The beginning of a file with all variants."""
    kind = markup_of(format, run.flavour)
    view = {"title": run.recipe.title, "is_key": key, **frame(kind.folder, run.flavour)}
    return rendered(f"{kind.folder}/exercises_head.jinja", view, kind.escape, run.overrides)


def foot(format: str, run: Run) -> str:
    """The end of such a file."""
    kind = markup_of(format, run.flavour)
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
