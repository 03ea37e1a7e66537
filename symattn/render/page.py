"""Pages: a worked problem as a text in one format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from symattn.derive.sections import Worked
from symattn.parse.plain import plain
from symattn.render import escape
from symattn.render.environment import rendered
from symattn.render.sheet import Escape
from symattn.render.view import page_view
from symattn.render.words import words


@dataclass(frozen=True, slots=True)
class Format:
    """A markup: where its templates stand, how it escapes, and how its files end."""

    folder: str
    escape: Escape
    ending: str


FORMATS: Final = {"md": Format("markdown", escape.markdown, "md"), "tex": Format("latex", escape.latex, "tex")}
FLAVOURS: Final = ("plain", "github")
DETAILS: Final = ("brief", "full", "worksheet", "key")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of a page beyond the problem: format, flavour of Markdown, how much is told, and templates of
    one's own.
    """

    format: str = "md"
    flavour: str = "plain"
    detail: str = "brief"
    fragment: bool = False
    slug: str = "attention"
    overrides: Path | None = None


def markup(wish: Wish) -> Format:
    """The markup that is wished for; GitHub's Markdown differs in how it escapes."""
    chosen = FORMATS[wish.format]
    return replace(chosen, escape=escape.github) if (wish.format, wish.flavour) == ("md", "github") else chosen


_BODIES: Final = {
    "brief": "base/page.jinja",
    "full": "base/full.jinja",
    "worksheet": "base/worksheet.jinja",
    "key": "base/key.jinja",
}


def page(worked: Worked, wish: Wish) -> str:
    """The page."""
    chosen = markup(wish)
    view = page_view(worked, chosen.escape, wish.slug, wish.detail)
    return filled(f"{chosen.folder}/document.jinja", view | {"body": _BODIES[wish.detail]}, worked, wish)


def filled(template: str, view: Mapping[str, Any], worked: Worked, wish: Wish) -> str:
    """A template filled with a view and with what every page has."""
    chosen = markup(wish)
    frame = {
        "markup": f"{chosen.folder}/markup.jinja",
        "flavour": wish.flavour,
        "fragment": wish.fragment,
        "words": words(),
        "declaration": declaration(worked),
    }
    return rendered(template, {**frame, **view}, chosen.escape, wish.overrides)


def declaration(worked: Worked) -> Markup:
    """The problem in one line of ASCII, for a comment: what a check of the page reads back."""
    text = json.dumps({"symattn": plain(worked.problem)}, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("--", "-\\u002d"))  # noqa: S704 - two hyphens, which end a comment, stand only within texts
