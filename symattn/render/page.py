"""Pages: a worked problem as a text in one format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from symattn.derive.pictures import pictures
from symattn.derive.sections import Worked
from symattn.exact.balls import precision
from symattn.parse.plain import plain
from symattn.pictures import Picture
from symattn.problem import Page
from symattn.render import escape
from symattn.render.drawing.labels import Writing
from symattn.render.environment import rendered
from symattn.render.pictures import Paper, picture_views, svg_files
from symattn.render.sheet import Escape
from symattn.render.view import page_view
from symattn.render.words import words_for_templates


@dataclass(frozen=True, slots=True)
class Format:
    """A markup: where its templates stand, how it escapes, and how its files end."""

    folder: str
    escape: Escape
    ending: str


FORMATS: Final = {"md": Format("markdown", escape.markdown, "md"), "tex": Format("latex", escape.latex, "tex")}
FLAVOURS: Final = ("plain", "github")
DETAILS: Final = ("brief", "full", "worksheet", "key", "chapter")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of a page beyond the problem: format, flavour of Markdown, how much is told, templates of one's
    own, whether pictures are drawn, and the name of the page's files.
    """

    format: str = "md"
    flavour: str = "plain"
    detail: str = "brief"
    fragment: bool = False
    slug: str = "attention"
    overrides: Path | None = None
    pictures: bool = True
    name: str | None = None

    @property
    def file(self) -> str:
        """What the names of the page's files begin with."""
        return self.slug if self.name is None else self.name


_ESCAPES: Final = {"github": escape.github, "myst": escape.every_sign, "quarto": escape.every_sign}


def markup_of(format: str, flavour: str) -> Format:
    """The markup of a format; flavours of Markdown differ in how they escape."""
    chosen = FORMATS[format]
    return replace(chosen, escape=_ESCAPES[flavour]) if format == "md" and flavour in _ESCAPES else chosen


def markup(wish: Wish) -> Format:
    """The markup that is wished for."""
    return markup_of(wish.format, wish.flavour)


_BODIES: Final = {
    "brief": "base/page.jinja",
    "full": "base/full.jinja",
    "worksheet": "base/worksheet.jinja",
    "key": "base/key.jinja",
    "chapter": "base/chapter.jinja",
}
_SHORT: Final = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))
_ILLUSTRATED: Final = ("brief", "full", "chapter")


@dataclass(frozen=True, slots=True)
class Made:
    """A page, its pictures, and where they stand."""

    text: str
    pictures: Mapping[str, Picture]
    paper: Paper

    @property
    def files(self) -> dict[str, str]:
        """The SVG files that the page links to, by name; they are drawn when they are asked for."""
        return {} if self.paper.draws else svg_files(self.pictures, self.paper, self.text)


def page(worked: Worked, wish: Wish) -> str:
    """The page's text."""
    return made(worked, wish).text


def made(worked: Worked, wish: Wish) -> Made:
    """The page with its pictures: drawn in LaTeX, in files beside Markdown; worksheets and keys have none."""
    with precision(64):  # what nearly every number is settled at: set once, and not for each
        return _made(worked, wish)


def _made(worked: Worked, wish: Wish) -> Made:
    chosen = markup(wish)
    drawn = illustrations(worked, wish.detail) if wish.pictures else {}
    paper = Paper(
        FORMATS[wish.format].escape, wish.file, wish.format != "md", writing(worked.problem.page), wish.overrides
    )
    view = page_view(worked, chosen.escape, wish.slug, wish.detail)
    view |= {"body": _BODIES[wish.detail], "pictures": picture_views(drawn, paper)}
    text = filled(f"{chosen.folder}/document.jinja", view, worked, wish)
    return Made(text, drawn, paper)


def writing(page: Page) -> Writing:
    """How the numbers in a page's pictures are written."""
    return Writing(page.decimal_mark, ("(", ")") if page.brackets == "round" else ("[", "]"))


def illustrations(worked: Worked, detail: str) -> dict[str, Picture]:
    """The pictures of a page of this detail, by key."""
    found = pictures(worked) if detail in _ILLUSTRATED else {}
    if detail != "chapter":
        return found
    from symattn.derive.chapter import spread_plot

    shown = {
        key: picture
        for key, picture in found.items()
        if key.replace("-mask-", "-weights-") not in found or "-mask-" not in key
    }
    return shown | {"divide": spread_plot(worked.problem.page)}


def filled(template: str, view: Mapping[str, Any], worked: Worked, wish: Wish) -> str:
    """A template filled with a view and with what every page has."""
    chosen = markup(wish)
    frame = {
        "markup": f"{chosen.folder}/markup.jinja",
        "flavour": wish.flavour,
        "fragment": wish.fragment,
        "words": words_for_templates(),
        "declaration": declaration(plain(worked.whole)),
        "pictures": {},
    }
    return rendered(template, {**frame, **view}, chosen.escape, wish.overrides)


def declaration(made_from: Mapping[str, Any]) -> Markup:
    """What a page is made from, in one line of ASCII, for a comment: what a check of the page reads back."""
    text = _SHORT.encode({"symattn": made_from})
    return Markup(text.replace("--", "-\\u002d"))  # noqa: S704 - two hyphens, which end a comment, stand only within texts
