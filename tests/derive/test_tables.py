"""The tables of every topic, worked anew from what they are about, with mpmath: no formula of a topic is used."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from mpmath import mp

from symattn.derive.topics import TOPICS, derived
from symattn.render.proof_view import DIGITS
from symattn.rounding import significant
from tests import reference

TABLES: dict[tuple[str, str], Callable[[], list[list[Any]]]] = {}
SHOWN = [(topic, table.name) for topic in TOPICS for table in derived(topic).tables]


def table(topic: str, name: str) -> Callable[[Callable[[], list[list[Any]]]], Callable[[], list[list[Any]]]]:
    def kept(rows: Callable[[], list[list[Any]]]) -> Callable[[], list[list[Any]]]:
        TABLES[topic, name] = rows
        return rows

    return kept


def softmax(row: list[Any]) -> list[Any]:
    powers = [mp.exp(entry) for entry in row]
    return [power / sum(powers) for power in powers]


def moments(entries: tuple[int, ...], width: int) -> tuple[Fraction, Fraction]:
    """Variance and excess kurtosis of a dot product, over all combinations of entries written out."""
    pairs = [q * k for q, k in product(entries, repeat=2)]
    scores = [sum(combination) for combination in product(pairs, repeat=width)]
    square, fourth = (Fraction(sum(score**power for score in scores), len(scores)) for power in (2, 4))
    assert sum(scores) == 0
    return square, fourth / square**2 - 3


@table("dot-product-variance", "signs")
def signs() -> list[list[Any]]:
    return [[width, *moments((-1, 1), width)] for width in range(1, 7)]


@table("dot-product-variance", "three")
def three() -> list[list[Any]]:
    """Written out up to five numbers; the sixth row from the fifth, by one more independent number."""
    rows = [[width, *moments((-1, 0, 1), width)] for width in range(1, 6)]
    square, fourth = Fraction(4, 9), Fraction(4, 9)
    return [*rows, [6, 6 * square, (6 * fourth + 3 * 6 * 5 * square**2) / (6 * square) ** 2 - 3]]


@table("dot-product-variance", "normal")
def normal() -> list[list[Any]]:
    """The fourth moment of a normal number, by integration."""
    with mp.workdps(40):
        fourth = mp.quad(lambda x: x**4 * mp.npdf(x), [-mp.inf, 0, mp.inf])
        return [[width, (fourth**2 - 3) / width] for width in (1, 2, 4, 8, 64, 512)]


@table("softmax-jacobian", "slopes")
def slopes() -> list[list[Any]]:
    """By differences of a row of four scores."""
    rows = []
    for gap in (0, 1, 2, 4, 8, 16, 32):
        row = [mp.mpf(gap), mp.mpf(0), mp.mpf(0), mp.mpf(0)]

        def moved(i: int, j: int, row: list[Any] = row) -> Any:
            return mp.diff(lambda x: softmax([*row[:j], x, *row[j + 1 :]])[i], row[j])

        squares = sum(moved(i, j) ** 2 for i in range(4) for j in range(4))
        rows.append([gap, softmax(row)[0], moved(0, 0), squares])
    return rows


@table("saturation", "gaps")
def gaps() -> list[list[Any]]:
    rows = []
    for gap in (0, 1, 2, 4, 8, 16, 32):
        weights = softmax([gap, 0, 0, 0])
        rows.append([gap, weights[0], -sum(weight * mp.log(weight) for weight in weights)])
    return rows


@table("saturation", "divided")
def divided() -> list[list[Any]]:
    rows = []
    for width in (1, 4, 16, 64, 256):
        plain, scaled = softmax([8, 0]), softmax([8 / mp.sqrt(width), 0])
        rows.append([width, plain[0] / plain[1], scaled[0] / scaled[1]])
    return rows


def test_every_table_has_its_true_values_here():
    assert set(TABLES) == set(SHOWN)


@pytest.mark.parametrize(("topic", "name"), SHOWN)
def test_a_table_holds_its_true_values(topic, name):
    """Every cell, and the digits that are printed of it."""
    found = next(table for table in derived(topic).tables if table.name == name)
    with mp.workdps(80):
        expected = TABLES[topic, name]()
        assert [len(row) for row in expected] == [len(row) for row in found.cells]
        for row, cells in zip(expected, found.cells, strict=True):
            for value, cell in zip(row, cells, strict=True):
                exact = mp.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mp.mpf(value)
                shown = significant(cell.value, 30)
                assert abs(Fraction(shown.fraction) - reference.fraction(exact)) <= abs(shown.fraction) / 10**25
                printed = significant(cell.value, DIGITS).text
                assert (
                    abs(Fraction(printed) - reference.fraction(exact))
                    <= abs(Fraction(printed)) / 10 ** (DIGITS - 1) / 2
                )
