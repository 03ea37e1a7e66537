"""Pictures on a page: the file beside Markdown, the drawing in LaTeX, and the words that say what a picture says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from markupsafe import Markup

from symattn.pictures import Grid, Hull, Mask, Picture, Plot, Spot
from symattn.render.drawing import drawing
from symattn.render.drawing.labels import PLAIN, Words, Writing
from symattn.render.drawing.svg import number, svg_view
from symattn.render.drawing.tikz import tikz_view
from symattn.render.environment import rendered, said
from symattn.render.escape import xml
from symattn.render.safe import tex
from symattn.render.sheet import Escape, View
from symattn.render.words import words_for_templates


@dataclass(frozen=True, slots=True)
class Paper:
    """The page that pictures stand on: how it escapes text, how its files are called, whether it draws pictures itself
    rather than link to files, and how it writes numbers.
    """

    escape: Escape
    name: str
    draws: bool
    writing: Writing = PLAIN
    overrides: Path | None = None


def picture_words(picture: Picture) -> Words:
    """The words of a picture's kind; those of a plot by its name."""
    found: Words = (
        words_for_templates()["plot"][picture.name] if isinstance(picture, Plot) else words_for_templates()["picture"]
    )
    return found


def title(picture: Picture) -> str:
    """What a picture shows, in a word or two."""
    told = picture_words(picture)
    return str(told["title"] if isinstance(picture, Plot) else told[f"title_{type(picture).__name__.lower()}"])


def alternative(picture: Picture, writing: Writing = PLAIN, overrides: Path | None = None) -> str:
    """What a picture says, as plain text on one line."""
    told = {"picture": _said(picture, writing), "words": words_for_templates()}
    return " ".join(said("base/alt.jinja", "alternative", told, overrides).split())


def picture_view(picture: Picture, file: str, page: Paper) -> View:
    """What ``f.picture`` prints: ``file`` and ``alt`` for a link; or ``said``, ``hex`` and ``drawing`` for LaTeX."""
    text = alternative(picture, page.writing, page.overrides)
    if not page.draws:
        return {"file": Markup(quote(file)), "alt": Markup(page.escape(text))}  # noqa: S704 - escaped already
    return {
        "said": text,
        "hex": ("\ufeff" + text).encode("utf-16-be").hex().upper(),
        "drawing": tikz_view(drawing(picture, picture_words(picture), page.writing)),
    }


def picture_views(pictures: Mapping[str, Picture], page: Paper) -> dict[str, View]:
    """What templates see of each picture, by its key."""
    return {key: picture_view(picture, f"{page.name}-{key}.svg", page) for key, picture in pictures.items()}


def svg(picture: Picture, key: str, writing: Writing = PLAIN, overrides: Path | None = None) -> str:
    """The picture as an SVG file: no script, no link, the same bytes each time."""
    view = {
        "id": key,
        "title": title(picture),
        "alt": alternative(picture, writing, overrides),
        "drawing": svg_view(drawing(picture, picture_words(picture), writing)),
    }
    return rendered("svg/picture.jinja", view, xml, overrides)


def svg_files(pictures: Mapping[str, Picture], page: Paper, text: str) -> dict[str, str]:
    """The SVG files that a page of Markdown links to, by name."""
    named = {f"{page.name}-{key}.svg": (key, picture) for key, picture in pictures.items()}
    return {
        file: svg(picture, key, page.writing, page.overrides)
        for file, (key, picture) in named.items()
        if f"({quote(file)})" in text
    }


Names: TypeAlias = tuple[str, ...]
Lines: TypeAlias = tuple[tuple[Any, ...], ...]


def _said(picture: Picture, writing: Writing) -> View:
    """What the words of the alternative text name; as it is plain text, nothing in it is escaped."""

    def shown(text: str) -> Markup:
        return tex(number(text.replace(".", writing.decimal_mark)))

    def spot(one: Spot) -> View:
        left, right = writing.brackets
        numbers = f"{writing.comma} ".join(map(shown, one.texts))
        return {"names": list(map(tex, one.names)), "vector": tex(f"{left}{numbers}{right}")}

    match picture:
        case Grid():
            rows, columns, cells = _by_query(picture.rows, picture.columns, picture.cells, picture.turned)
            lines = [
                {
                    "name": tex(name),
                    "cells": [
                        {"name": tex(column), "number": shown(cell.text), "seen": cell.seen}
                        for column, cell in zip(columns, line, strict=True)
                    ],
                }
                for name, line in zip(rows, cells, strict=True)
            ]
            return {"kind": "grid", "turned": picture.turned, "rows": lines}
        case Mask():
            rows, columns, seen = _by_query(picture.rows, picture.columns, picture.seen, picture.turned)
            lines = [
                {"name": tex(name), "seen": list(map(tex, compress(columns, line)))}
                for name, line in zip(rows, seen, strict=True)
            ]
            return {"kind": "mask", "turned": picture.turned, "rows": lines}
        case Hull():
            return {
                "kind": "hull",
                "corners": [spot(picture.values[corner]) for corner in sorted(picture.corners)],
                "others": [spot(one) for place, one in enumerate(picture.values) if place not in picture.corners],
                "outputs": [spot(one) for one in picture.outputs],
            }
        case _:
            told = {key: str(text).replace("$", "") for key, text in picture_words(picture).items()}
            series = [
                {
                    "name": told[line.name],
                    "points": [{"x": shown(point.texts[0]), "y": shown(point.texts[1])} for point in line.points],
                }
                for line in picture.series
            ]
            return {"kind": "plot", "x": told["x"], "y": told["y"], "series": series}


def _by_query(rows: Names, columns: Names, cells: Lines, turned: bool) -> tuple[Names, Names, Lines]:
    """The names of queries and keys, and the cells with a line a query."""
    return (columns, rows, tuple(zip(*cells, strict=True))) if turned else (rows, columns, cells)
