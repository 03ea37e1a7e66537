"""Colours that can be told apart in grey print, each with enough contrast to what it lies on.

Shades go from white to a middle blue on which black is read with a contrast of more than 7 to 1, so numbers are black
on every shade. Series differ in dash and marker as well as in colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from symattn.exact.numbers import from_fraction
from symattn.exact.values import Plain, Value
from symattn.rounding import nearest
from symattn.rounding.position import position

Colour: TypeAlias = tuple[int, int, int]

WHITE: Final[Colour] = (255, 255, 255)
INK: Final[Colour] = (0, 0, 0)
GREY: Final[Colour] = (89, 89, 89)
"""Words beside the numbers: 7 to 1 on white."""
LINE: Final[Colour] = (140, 140, 140)
FAINT: Final[Colour] = (217, 217, 217)
DEEPEST: Final[Colour] = (105, 155, 215)
AREA: Final[Colour] = (234, 241, 250)
MIXED: Final[Colour] = (160, 45, 20)


@dataclass(frozen=True, slots=True)
class Style:
    """How one series is drawn."""

    colour: Colour
    dash: tuple[int, ...]
    marker: str


SERIES: Final = (
    Style((20, 70, 140), (), "circle"),
    Style((160, 45, 20), (7, 4), "square"),
    Style((30, 95, 50), (2, 3), "triangle"),
    Style((90, 60, 130), (9, 3, 2, 3), "diamond"),
)


def shade(value: Value) -> Colour:
    """White for 0, the deepest shade for 1."""
    share = position(value, Fraction(0), Fraction(1), Fraction(1))
    red, green, blue = (_mixed(light, deep, share) for light, deep in zip(WHITE, DEEPEST, strict=True))
    return red, green, blue


def _mixed(light: int, deep: int, share: Fraction) -> int:
    return nearest(Plain(from_fraction(light + (deep - light) * share)), 0).units
