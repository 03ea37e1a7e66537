"""Marks as the strings of an SVG file."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final

from symattn.render.drawing.labels import Label, Run
from symattn.render.drawing.marks import Circle, Drawing, Length, Mark, Path, Place, Text
from symattn.render.drawing.palette import INK, Colour

_LETTER: Final = re.compile(r"(√?)([A-Za-z])(?:_(\w))?|([^A-Za-z_√]+)")
_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SPECIAL: Final = {"-oo": "−∞", "nan": "–"}


def svg_view(drawing: Drawing) -> dict[str, Any]:
    """What the template of SVG files prints."""
    return {
        "width": decimal(drawing.width),
        "height": decimal(drawing.height),
        "marks": [_mark(mark) for mark in drawing.marks],
    }


def decimal(length: Length) -> str:
    """A length of at most two decimals, without idle zeros."""
    hundredths = Fraction(length) * 100
    assert hundredths.denominator == 1, length  # noqa: S101 - layouts round nothing, and positions are hundredths
    whole, rest = divmod(abs(hundredths.numerator), 100)
    text = f"{whole}.{rest:02d}".rstrip("0").rstrip(".")
    return f"-{text}" if hundredths < 0 else text


def number(text: str) -> str:
    """A number with a real minus, and small raised digits for a power of ten."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    mantissa, _, exponent = text.partition("e")
    power = f"·10{exponent.translate(_SUPERSCRIPTS)}" if exponent else ""
    return mantissa.replace("-", "−") + power


def _mark(mark: Mark) -> dict[str, Any]:
    match mark:
        case Path():
            return {
                "kind": "path",
                "d": "M" + "L".join(map(_place, mark.points)) + ("Z" if mark.closed else ""),
                "fill": _colour(mark.fill),
                "stroke": _colour(mark.stroke),
                "width": decimal(Fraction(mark.width, 10)),
                "dash": " ".join(map(str, mark.dash)),
            }
        case Circle():
            x, y = map(decimal, mark.centre)
            return {
                "kind": "circle",
                "x": x,
                "y": y,
                "radius": decimal(mark.radius),
                "fill": _colour(mark.fill),
            }
        case Text():
            return _text(mark)


def _text(mark: Text) -> dict[str, Any]:
    x, y = map(decimal, mark.place)
    return {
        "kind": "text",
        "x": x,
        "y": y,
        "anchor": mark.anchor,
        "fill": _colour(mark.colour or INK),
        "runs": _runs(mark.label),
    }


def _runs(label: Label) -> list[dict[str, str]]:
    """The label's runs as pieces that are upright, slanted or lowered; ``shift`` brings the base line down or back."""
    pieces = [piece for run in label for piece in _pieces(run)]
    for before, piece in zip([{"style": "upright"}, *pieces], pieces, strict=False):
        down, was_down = piece["style"] == "lowered", before["style"] == "lowered"
        piece["shift"] = "" if down == was_down else "4" if down else "-4"
    return pieces


def _pieces(run: Run) -> list[dict[str, str]]:
    if run.kind == "number":
        return [{"style": "upright", "text": number(run.text)}]
    if run.kind != "letters":
        return [{"style": "upright", "text": run.text}]
    pieces = []
    for root, letter, index, other in _LETTER.findall(run.text):
        pieces += [{"style": "upright", "text": root + other}] if root or other else []
        pieces += [{"style": "slanted", "text": letter}] if letter else []
        pieces += [{"style": "lowered", "text": index}] if index else []
    return pieces


def _place(place: Place) -> str:
    return f"{decimal(place[0])} {decimal(place[1])}"


def _colour(colour: Colour | None) -> str:
    return "none" if colour is None else "#{:02x}{:02x}{:02x}".format(*colour)
