"""What a chapter on attention shows beside a worked problem: an average, what the divide does, what heads cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, Final

from flint import fmpq

from symattn.errors import SpecError, Where
from symattn.exact import numbers
from symattn.exact.attention import Head
from symattn.exact.values import MASKED, Plain, Value, Weight, softmax
from symattn.pictures import Plot, Point, Series
from symattn.policies import one
from symattn.problem import Also, Page, Problem
from symattn.steps import Printed

AVERAGED: Final = ((Fraction(1, 2), 10), (Fraction(1, 2), 20), (Fraction(0), 30))
"""Weights with the numbers that they mix."""

HEADS: Final = (8, 64)
"""Heads and the width of each. Source: Vaswani et al. 2017, section 3.2.2."""

SIZES: Final = (1, 4, 16, 64, 256)


@dataclass(frozen=True, slots=True)
class Spread:
    """Two keys whose scores lie one standard deviation apart, which is ``gap`` = sqrt(d_k): the larger weight, and its
    slope p(1 - p), the rate at which it still answers to its score. ``divided`` and ``divided_slope`` are the same
    after a division by sqrt(d_k).
    """

    d_k: int
    gap: Value
    weight: Value
    slope: Value
    divided: Value
    divided_slope: Value


def average() -> Fraction:
    """The weighted average of ``AVERAGED``."""
    return sum((weight * number for weight, number in AVERAGED), Fraction(0))


def completed(problem: Problem) -> Problem:
    """The problem with a section in which no token looks ahead, if nothing on its page hides anything yet.

    Only where each query is a key too: without that there is no ahead.

    Raises:
        SpecError: A chapter is about one layer.
    """
    if problem.layers:
        raise SpecError("a chapter is about one layer", mend="leave layers out, or the chapter", where=Where("layers"))
    options = (problem.attention, *(also.attention for also in problem.also))
    hides = any(row.causal is not False or row.mask or row.key_lengths or row.window for row in options)
    if hides or problem.context is not None or problem.n_q != problem.n_k or problem.n_q == 1:
        return problem
    return replace(problem, also=(*problem.also, Also(replace(problem.attention, causal=True), ("causal",))))


def spreads() -> tuple[Spread, ...]:
    """One for each of ``SIZES``."""
    return tuple(map(_spread, SIZES))


def _spread(d_k: int) -> Spread:
    gap = numbers.root(d_k)
    before, after = softmax([gap, numbers.ZERO]), softmax([gap * numbers.inverse(gap), numbers.ZERO])
    (weight, other), (divided, rest) = ([Weight(row, key) for key in (0, 1)] for row in (before, after))
    return Spread(d_k, Plain(gap), weight, weight * other, divided, divided * rest)


def spread_plot(page: Page) -> Plot:
    """The larger weight of ``spreads`` against d_k, with and without the divide."""

    def points(values: list[Value]) -> tuple[Point, ...]:
        return tuple(
            Point(Plain(fmpq(d_k)), value, (str(d_k), _text(one(value, page))))
            for d_k, value in zip(SIZES, values, strict=True)
        )

    found = spreads()
    plain, divided = points([row.weight for row in found]), points([row.divided for row in found])
    return Plot("divide", (Series("plain", plain), Series("divided", divided)), x_scale="log")


def _text(printed: Printed | None) -> str:
    return "" if printed is None else printed.text


@dataclass(frozen=True, slots=True)
class Extreme:
    """A largest or smallest entry; ``alone`` where no other place holds the same number."""

    place: tuple[int, int]
    alone: bool


def extremes(head: Head) -> tuple[Extreme, Extreme] | None:
    """The largest and the smallest score, the first of each; None where symbols are left or all are equal."""
    places = list(head.scores.places())
    if any(head.scores[place].symbols() for place in places):
        return None

    def compare(one: tuple[int, int], other: tuple[int, int]) -> int:
        return numbers.sign(head.scores[one].number - head.scores[other].number)

    order = sorted(places, key=cmp_to_key(compare))
    if compare(order[0], order[-1]) == 0:
        return None
    high = [place for place in places if compare(place, order[-1]) == 0]
    low = [place for place in places if compare(place, order[0]) == 0]
    return Extreme(high[0], len(high) == 1), Extreme(low[0], len(low) == 1)


def least_weight(head: Head) -> tuple[int, int] | None:
    """The place of the smallest weight of a key that may be seen; None where symbols are left."""
    seen = [place for place in head.weights.places() if head.logits[place] is not MASKED]
    if not seen or any(head.weights[place].symbols() for place in seen):
        return None

    def compare(one: tuple[int, int], other: tuple[int, int]) -> int:
        (above, below), (over, under) = (_fraction(head.weights[place]) for place in (one, other))
        return numbers.sign(above * under - over * below)

    return min(seen, key=cmp_to_key(compare))


def _fraction(weight: Any) -> tuple[Any, Any]:
    """Numerator and denominator, both positive."""
    numerator, denominator = weight.fraction()
    return numerator, denominator
