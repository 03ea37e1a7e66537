"""A generated page made anew from what it declares, for a check to lay beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from symattn.errors import SpecError

if TYPE_CHECKING:
    from symattn.parse.derived import Derived
    from symattn.problem import Problem
    from symattn.render.page import Wish

_LABEL: Final = re.compile(r"\\label\{([A-Za-z0-9-]{1,100}):")
_HEADING: Final = re.compile(r"^#{1,3} (.{1,100})$|^\\(?:chapter|(?:sub)?section)\*?\{([^{}\n]{1,100})\}", re.MULTILINE)
_PICTURE: Final = re.compile(r"\]\(([^()\s]{1,200}?)-(?:(?:also|layer)-\d+-)?[A-Za-z_]+(?:-\d+)?\.svg\)")


def twin(name: str) -> Callable[[Problem | Derived, str], str | None]:
    """Makes a declared page anew, in the format, flavour and detail that are most like the page.

    Args:
        name: The page's file name.
    """

    def anew(declared: Problem | Derived, text: str) -> str | None:
        from symattn.check.reading.sources import kind_of
        from symattn.check.twin import likeness
        from symattn.parse.derived import Derived

        ending = {"latex": "tex", "markdown": "md"}.get(kind_of(name, text))
        if ending is None:
            return None
        lines = text.count("\n") + 1
        best, most = None, -1
        for wish in _wishes(name, ending, text, details=not isinstance(declared, Derived)):
            try:
                made = _derived(declared, wish) if isinstance(declared, Derived) else _worked(declared, wish)
            except SpecError:
                continue  # a page that this problem does not have
            if made is None:
                return None
            alike = likeness(text, made)
            if alike > lines:
                return made
            if alike > most:
                best, most = made, alike
        return best

    return anew


def titled(text: str) -> Derived | None:
    """The derivation that a page has the title of."""
    from symattn.derive.topics import TOPICS
    from symattn.parse.derived import Derived
    from symattn.render.words import words

    headings = {found[1] or found[2] for found in _HEADING.finditer(text)}
    topic = next((name for name in TOPICS if words()["topic"][name]["title"] in headings), None)
    return None if topic is None else Derived(topic)


def _wishes(name: str, ending: str, text: str, *, details: bool) -> Iterator[Wish]:
    """What may have been wished for, the likeliest first; a derivation has no ``details``."""
    from symattn.render.page import DETAILS, FLAVOURS, Wish

    label, picture = _LABEL.search(text), _PICTURE.search(text)
    drawn = picture is not None or "tikzpicture" in text
    whole = ending == "md" or "\\documentclass" in text
    for flavour in FLAVOURS if ending == "md" else FLAVOURS[:1]:
        for detail in DETAILS if details else DETAILS[:1]:
            yield Wish(
                format=ending,
                flavour=flavour,
                detail=detail,
                fragment=not whole,
                slug=label[1] if label else Path(name).stem,
                pictures=drawn,
                name=picture[1] if picture else Path(name).stem,
            )


def _worked(problem: Problem, wish: Wish) -> str:
    from symattn.derive.chapter import completed
    from symattn.derive.sections import worked
    from symattn.render.page import made

    return made(worked(completed(problem) if wish.detail == "chapter" else problem), wish).text


def _derived(declared: Derived, wish: Wish) -> str | None:
    """A derivation's page; None where there is no such topic."""
    from dataclasses import replace

    from symattn.derive.topics import OF_A_PROBLEM, TOPICS, derived
    from symattn.derive.with_numbers import checked, with_numbers
    from symattn.render.derivation import derivation_page

    if declared.topic not in (TOPICS if declared.problem is None else OF_A_PROBLEM):
        return None
    proof = derived(declared.topic, declared.seed, declared.problem)
    numbered = tuple(with_numbers(proof, checked(proof, dict(declared.numbers))))
    return derivation_page(proof, replace(wish, slug=declared.topic), declared, numbered).text
