"""Marks as the strings of a TikZ picture, in the same units and with y downwards as well."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final

from symattn.render import latex
from symattn.render.drawing.labels import Label, Run
from symattn.render.drawing.marks import Circle, Drawing, Mark, Path, Place, Text
from symattn.render.drawing.palette import Colour
from symattn.render.drawing.svg import decimal
from symattn.render.escape import latex as escaped

_LETTER: Final = re.compile(r"√([A-Za-z](?:_\w)?)")
_ANCHORS: Final = {"start": "base west", "middle": "base", "end": "base east"}


def tikz_view(drawing: Drawing) -> dict[str, Any]:
    """What LaTeX's markup of a picture prints."""
    return {
        "width": decimal(drawing.width),
        "height": decimal(drawing.height),
        "marks": [_mark(mark) for mark in drawing.marks],
    }


def _mark(mark: Mark) -> dict[str, Any]:
    match mark:
        case Path():
            ends = " -- cycle" if mark.closed else ""
            return {"kind": "path", "options": _options(mark), "path": " -- ".join(map(_place, mark.points)) + ends}
        case Circle():
            return {
                "kind": "path",
                "options": f"fill={_colour(mark.fill)}",
                "path": f"{_place(mark.centre)} circle[radius={decimal(mark.radius)}]",
            }
        case Text():
            colour = "" if mark.colour is None else f",text={_colour(mark.colour)}"
            return {
                "kind": "text",
                "options": f"anchor={_ANCHORS[mark.anchor]}{colour}",
                "place": _place(mark.place),
                "room": decimal(Fraction(int(mark.room))),
                "tex": _tex(mark.label),
            }


def _options(path: Path) -> str:
    found = [] if path.fill is None else [f"fill={_colour(path.fill)}"]
    if path.stroke is not None:
        found += [f"draw={_colour(path.stroke)}", f"line width={decimal(Fraction(path.width, 10))}\\symattnunit"]
    if path.dash:
        lengths = zip(("on", "off") * len(path.dash), path.dash, strict=False)
        found.append("dash pattern=" + " ".join(f"{state} {length}\\symattnunit" for state, length in lengths))
    return ",".join(found)


def _tex(label: Label) -> str:
    return "".join(map(_run, label))


def _run(run: Run) -> str:
    match run.kind:
        case "number":
            mark = "," if "," in run.text else "."
            return f"${latex.decimal(run.text.replace(',', '.'), mark)}$"
        case "letters":
            rooted = _LETTER.sub(r"\\sqrt{\1}", run.text)
            return f"${rooted}$".replace("·", r"\cdot ")
        case "name":
            return escaped(run.text)
        case _:
            return run.text


def _place(place: Place) -> str:
    return f"({decimal(place[0])},{decimal(place[1])})"


def _colour(colour: Colour) -> str:
    return "{{rgb,255:red,{};green,{};blue,{}}}".format(*colour)
