"""The numbers beside an axis that a picture draws: they grow by equal steps, or by equal factors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from operator import add, mul
from typing import Final

from symattn.check.reading.printed import Printed, printed
from symattn.exact.numbers import from_fraction
from symattn.exact.values import Plain

NUMBER: Final = r"[-−]?\d+(?:(?:\.|,|\{,\})\d+)?"
_PLACE: Final = r"-?\d{1,9}(?:\.\d{1,9})?"
_NODE: Final = re.compile(
    rf"\bat *\((?P<x>{_PLACE}), ?(?P<y>{_PLACE})\) *\{{(?:\\[a-zA-Z]+\{{[^{{}}]*\}}\{{)?"
    rf"\$?(?P<number>{NUMBER})\$?\}}{{1,2}};"
)
_LINE: Final = re.compile(rf"\((?P<x>{_PLACE}),(?P<y>{_PLACE})\) *-- *\((?P<to_x>{_PLACE}),(?P<to_y>{_PLACE})\)")
_FEWEST: Final = 4
_APART: Final = Fraction(1, 20)
"""How far from equal the steps between ticks may be, as they are drawn."""


def out_of_step(source: str, start: int, end: int) -> Iterator[tuple[Printed, Plain]]:
    """The one number beside an axis that is not in step with the others.

    An axis is a line of numbers at equal distances, each with its mark. Numbers in several lines alike are a grid,
    those of one row may add to 1, and bars may have any numbers below them.
    """
    nodes = list(_NODE.finditer(source, start, end))
    strokes = list(_LINE.finditer(source, start, end))
    for along, across in (("x", "y"), ("y", "x")):
        lines: dict[str, list[re.Match[str]]] = {}
        for node in nodes:
            lines.setdefault(node[across], []).append(node)
        axes = [sorted(line, key=lambda node: Fraction(node[along])) for line in lines.values() if len(line) >= _FEWEST]
        if len(axes) != 1:
            continue
        marks = {Fraction(stroke[along]) for stroke in strokes if stroke[along] == stroke[f"to_{along}"]}
        if _is_marked([Fraction(node[along]) for node in axes[0]], marks):
            yield from _odd_one([printed(node["number"], node.start("number")) for node in axes[0]])


def _is_marked(places: Sequence[Fraction], marks: set[Fraction]) -> bool:
    """Whether the places are equally far apart, and each has a mark: all at it, or all as far beside it."""
    steps = [right - left for left, right in pairwise(places)]
    if any(abs(step - steps[0]) >= _APART * steps[0] for step in steps):
        return False
    shifts = (mark - places[0] for mark in marks if 2 * abs(mark - places[0]) < steps[0])
    return any(all(place + shift in marks for place in places) for shift in shifts)


def _odd_one(labels: Sequence[Printed | None]) -> Iterator[tuple[Printed, Plain]]:
    """The one label with which the numbers do not grow by equal steps, or else by equal factors, and without which they
    do.
    """
    kept = [label for label in labels if label is not None]
    values = [label.value for label in kept]
    unit = min(label.unit for label in kept)
    if any(law.holds(values) for law in _LAWS) or (unit < 1 and abs(sum(values, Fraction(0)) - 1) <= len(kept) * unit):
        return
    for law in _LAWS:
        should = [law.missing(values, place) for place in range(len(values))]
        found = [
            (label, Plain(from_fraction(value)))
            for place, (label, value) in enumerate(zip(kept, should, strict=True))
            if value is not None and law.holds([*values[:place], value, *values[place + 1 :]])
        ]
        if found:
            yield from found if len(found) == 1 else ()
            return


@dataclass(frozen=True, slots=True)
class _Law:
    """How the numbers of an axis grow: by equal steps, or by equal factors; ``between`` is the number halfway."""

    step: Callable[[Fraction, Fraction], Fraction]
    add: Callable[[Fraction, Fraction], Fraction]
    between: Callable[[Fraction, Fraction], Fraction | None]
    positive: bool = False

    def holds(self, values: list[Fraction]) -> bool:
        """Whether numbers that are not all the same grow so."""
        if self.positive and min(values) <= 0:
            return False
        return values[0] != values[1] and len({self.step(left, right) for left, right in pairwise(values)}) == 1

    def missing(self, values: list[Fraction], place: int) -> Fraction | None:
        """What one of the numbers would be by two others beside it."""
        if self.positive and min(values[:place] + values[place + 1 :]) <= 0:
            return None
        if 0 < place < len(values) - 1:
            return self.between(values[place - 1], values[place + 1])
        near, far = values[1:3] if place == 0 else values[-2:-4:-1]
        return self.add(near, self.step(far, near))


def _geometric_mean(left: Fraction, right: Fraction) -> Fraction | None:
    """The square root of the product where it is rational."""
    product = left * right
    root = Fraction(isqrt(product.numerator), isqrt(product.denominator))
    return root if root * root == product else None


_LAWS: Final = (
    _Law(lambda left, right: right - left, add, lambda left, right: (left + right) / 2),
    _Law(lambda left, right: right / left, mul, _geometric_mean, positive=True),
)
