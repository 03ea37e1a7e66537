"""What an SVG picture shows, read back with an XML parser: its words, labels, dots and squares, and its axes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
KNOWN = {"svg", "title", "desc", "rect", "g", "path", "circle", "text", "tspan"}
"""The elements that a picture is made of: none of them runs, links or loads anything."""
_POINT = re.compile(r"(-?[\d.]+) (-?[\d.]+)")


@dataclass(frozen=True, slots=True)
class Label:
    """A text with its place."""

    x: Fraction
    y: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture read back. ``boxes`` are closed rectangles: left, top, right, bottom and fill."""

    title: str
    said: str
    labels: tuple[Label, ...]
    dots: tuple[tuple[Fraction, Fraction], ...]
    boxes: tuple[tuple[Fraction, Fraction, Fraction, Fraction, str], ...]
    lines: tuple[tuple[tuple[Fraction, Fraction], ...], ...]

    def texts(self) -> list[str]:
        """The labels' texts, row by row."""
        return [label.text for label in sorted(self.labels, key=lambda label: (label.y, label.x))]


def shown(source: str | bytes) -> Shown:
    """The picture; every element must be of those that a picture is made of."""
    root = ElementTree.fromstring(source)  # noqa: S314 - our own file
    names = {element.tag.removeprefix(_SVG) for element in root.iter()}
    assert names <= KNOWN, names - KNOWN
    for element in root.iter():
        loud = [
            key for key in element.attrib if key.startswith("on") or key.endswith("href") or key in ("style", "src")
        ]
        assert loud == []
    assert root.get("role") == "img"
    named = {element.get("id"): element.text for element in root if element.get("id")}
    title, said = (named[name] for name in root.get("aria-labelledby", "").split())
    assert [Fraction(part) for part in root.get("viewBox", "").split()] == [
        0,
        0,
        Fraction(root.get("width", "")),
        Fraction(root.get("height", "")),
    ]
    labels = [
        Label(Fraction(text.get("x", "")), Fraction(text.get("y", "")), "".join(text.itertext()))
        for text in root.iter(f"{_SVG}text")
    ]
    dots = [(Fraction(dot.get("cx", "")), Fraction(dot.get("cy", ""))) for dot in root.iter(f"{_SVG}circle")]
    boxes, lines = [], []
    for path in root.iter(f"{_SVG}path"):
        points = tuple((Fraction(x), Fraction(y)) for x, y in _POINT.findall(path.get("d", "")))
        if path.get("d", "").endswith("Z") and len(points) == 4 and len({x for x, _ in points}) == 2:
            boxes.append((*points[0], *points[2], path.get("fill", "")))
        else:
            lines.append(points)
    return Shown(str(title), str(said), tuple(labels), tuple(dots), tuple(boxes), tuple(lines))
