"""The tables of every topic, worked anew from what they are about, with mpmath: no formula of a topic is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any

import pytest
from mpmath import mp

from symattn.derive.topics import TOPICS, derived
from symattn.render.proof_view import DIGITS, cell_text
from symattn.rounding import significant
from tests import reference

TABLES: dict[tuple[str, str], Callable[[], list[list[Any]]]] = {}
SHOWN = [(topic, table.name) for topic in TOPICS for table in derived(topic).tables]


def table(topic: str, name: str) -> Callable[[Callable[[], list[list[Any]]]], Callable[[], list[list[Any]]]]:
    def kept(rows: Callable[[], list[list[Any]]]) -> Callable[[], list[list[Any]]]:
        TABLES[topic, name] = rows
        return rows

    return kept


def read(cell: str) -> Fraction:
    """A printed cell, which may have a power of ten."""
    return Fraction(cell.replace(r"\cdot 10^{", "e").rstrip("}"))


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


@table("dot-product-variance", "spread")
def spread() -> list[list[Any]]:
    """A walk of independent steps of one unit, and the same with steps of one over the root of their number."""
    rows = []
    for width in (1, 4, 16, 64, 256):
        chances = [(math.comb(width, ups), 2 * ups - width) for ups in range(width + 1)]
        square = sum(count * score**2 for count, score in chances) / mp.mpf(2) ** width
        rows.append([width, mp.sqrt(square), mp.sqrt(square / width)])
    return rows


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
    for gap in (0, 1, 2, 3, 4, 6, 8, 12):
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


@table("saturation", "widths")
def widths() -> list[list[Any]]:
    rows = []
    for width in (1, 4, 16, 64, 256):
        plain, scaled = (softmax([gap, *[0] * 7])[0] for gap in (mp.sqrt(width), 1))
        rows.append([width, plain, scaled])
    return rows


@table("closed-form", "degrees")
def closed_forms() -> list[list[Any]]:
    """The weights of the napkin's first and third row."""
    rows = []
    for heat in (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(8)):
        by = mp.sqrt(2) * heat.numerator / heat.denominator
        first, third = (softmax([score / by for score in scores]) for scores in ((1, 0, 1), (1, 1, 2)))
        rows.append([heat, first[0], first[1], third[0], third[2]])
    return rows


@table("saturation", "divided")
def divided() -> list[list[Any]]:
    rows = []
    for width in (1, 4, 16, 64, 256):
        plain, scaled = softmax([8, 0]), softmax([8 / mp.sqrt(width), 0])
        rows.append([width, plain[0] / plain[1], scaled[0] / scaled[1]])
    return rows


@table("weighted-average", "mixes")
def mixes() -> list[list[Any]]:
    rows = []
    for shares in ("1/2 1/2 0", "1/3 1/3 1/3", "0 1/10 9/10", "0 0 1"):
        weights = [Fraction(share) for share in shares.split()]
        rows.append([*weights, weights[0] * 10 + weights[1] * 20 + weights[2] * 30])
    return rows


WIDTHS = (1, 4, 16, 64, 256, 1024, 4096)


@table("why-not-d", "variances")
def variances() -> list[list[Any]]:
    """A score of independent signs has the variance of a walk of so many steps."""
    found = []
    for width in WIDTHS:
        chances = [Fraction(math.comb(width, ups), 2**width) for ups in range(width + 1)] if width <= 256 else None
        square = sum(p * (2 * ups - width) ** 2 for ups, p in enumerate(chances)) if chances else Fraction(width)
        found.append([width, square, square / width, square / width**2])
    return found


@table("why-not-d", "odds")
def odds() -> list[list[Any]]:
    rows = []
    for width in WIDTHS:
        apart = mp.sqrt(width)
        pairs = [softmax([apart / divisor, 0]) for divisor in (1, mp.sqrt(width), width)]
        rows.append([width, *(first / second for first, second in pairs)])
    return rows


@table("softmax-shift", "moved")
def moved() -> list[list[Any]]:
    rows = []
    for shift in (0, -13, 7):
        powers = [mp.exp(score + shift) for score in (10, 11, 13)]
        rows.append([shift, powers[0], sum(powers), powers[0] / sum(powers)])
    return rows


@table("temperature", "degrees")
def degrees() -> list[list[Any]]:
    rows = []
    for warmth in map(Fraction, ("1/20", "1/8", "1/4", "1/2", 1, 2, 4, 8, 20, 100, 1000)):
        weights = softmax([mp.mpf(score) * warmth.denominator / warmth.numerator for score in (0, 0, -1, -2)])
        output = sum(weight * value for weight, value in zip(weights, (1, 2, 5, 8), strict=True))
        rows.append([Fraction(warmth), weights[0], output])
    return rows


@table("bilinear", "ranks")
def ranks() -> list[list[Any]]:
    """By singular values."""
    tokens = mp.matrix([[1, 0, 2], [0, 1, 1], [1, 1, 0], [2, -1, 1]])
    query, key = mp.matrix([[1, 2, 0], [0, 1, 1], [1, 0, 3]]), mp.matrix([[2, 0, 1], [1, 1, 0], [0, 1, 1]])
    rows = []
    for width in (1, 2, 3):
        scores = tokens * query[:, :width] * (tokens * key[:, :width]).T
        rows.append([width, sum(value > mp.mpf("1e-30") for value in mp.svd_r(scores)[1])])
    return rows


def parameters(width: int, heads: int) -> int:
    """Numbers in the tables of all heads and in the one that mixes them, counted table by table."""
    tables = [(width, width // heads)] * (3 * heads) + [(width, width)]
    return sum(height * columns for height, columns in tables)


@table("multi-head-cost", "heads")
def heads() -> list[list[Any]]:
    return [[count, 512 // count, parameters(512, count)] for count in (1, 2, 4, 8, 16, 32)]


@table("multi-head-cost", "kept")
def kept_in_the_cache() -> list[list[Any]]:
    return [[count, sum(len(range(64)) for _ in range(2 * count))] for count in (8, 4, 2, 1)]


def mixed(scores: Sequence[Any], values: Sequence[Any]) -> Any:
    """One output."""
    return sum(weight * value for weight, value in zip(softmax(list(scores)), values, strict=True))


@table("online-softmax", "blocks")
def blocks() -> list[list[Any]]:
    """From all keys read so far at once, and not block by block."""
    scores, values = (1, 0, 3, 2, 4), (10, 0, 4, 6, 8)
    rows = []
    for block, (start, end) in enumerate(pairwise((0, 2, 4, 5))):
        read, top = scores[:end], max(scores[:end])
        powers = [mp.exp(score - top) for score in read]
        mix = sum(power * value for power, value in zip(powers, values, strict=False))
        rows.append([block + 1, end, max(scores[start:end]), top, sum(powers), mix, mixed(read, values[:end])])
    return rows


@table("causal-prefix", "rows")
def prefixes() -> list[list[Any]]:
    scores, values = ((1,), (0, 2), (1, 1, 1), (0, 1, 2, 3)), (4, 8, 0, 2)
    found = [mixed(row, values[: len(row)]) for row in scores]
    return [[place + 1, output, output] for place, output in enumerate(found)]


@table("permutation", "three")
def three_moved() -> list[list[Any]]:
    """From the queries and keys 10, 01, 11 themselves, moved before anything is worked."""
    tokens, values = ((1, 0), (0, 1), (1, 1)), (6, 0, 3)
    order = (2, 3, 1)
    moved_tokens, moved_values = [tokens[at - 1] for at in order], [values[at - 1] for at in order]
    rows = []
    for place, (token, at) in enumerate(zip(moved_tokens, order, strict=True)):
        scores = [sum(q * k for q, k in zip(token, other, strict=True)) for other in moved_tokens]
        rows.append([place + 1, at, mixed(scores, moved_values), mixed(scores, moved_values)])
    return rows


@table("positions", "places")
def positions() -> list[list[Any]]:
    """With complex numbers: a pair turned by an angle is its product with e^(i angle)."""
    pairs = ((1, 0, 1, 2), (2, 1, 1, 0))
    rows = []
    for a, b in ((3, 1), (7, 5), (1002, 1000), (3, 3), (3, 0)):
        waves = [(mp.expj(a * speed), mp.expj(b * speed)) for speed in (mp.mpf(1), mp.mpf(1) / 10)]
        dot = sum((one * mp.conj(other)).real for one, other in waves)
        score = 0
        for (q, p, k, r), (one, other) in zip(pairs, waves, strict=True):
            score += (mp.mpc(q, p) * one * mp.conj(mp.mpc(k, r) * other)).real
        rows.append([a, b, dot, score])
    return rows


@table("positions", "waves")
def waves() -> list[list[Any]]:
    """The real part of one over the other, for each speed."""
    return [
        [a, sum((mp.expj(a * speed)).real for speed in (mp.mpf(1) / 2**k for k in (1, 2, 3, 4)))] for a in range(17)
    ]


@table("linear-attention", "peaks")
def peaks() -> list[list[Any]]:
    return [[x, softmax([x, 0])[0], Fraction(1 + x, 2 + x)] for x in (1, 2, 4, 8, 16)]


@table("linear-attention", "costs")
def costs() -> list[list[Any]]:
    """Multiplications counted matrix by matrix: (n, d)(d, n) and (n, n)(n, d), or (d, n)(n, d) and (n, d)(d, d)."""
    return [[n, n * 64 * n + n * n * 64, 64 * n * 64 + n * 64 * 64] for n in (16, 64, 1024, 65536)]


def loss(arrays: dict[str, list[list[Any]]]) -> Any:
    """The outputs of three tokens times their gradients, added."""
    slopes = ((1, 0), (0, 2), (-1, 1))
    scores = arrays.get("T") or [
        [sum(q * k for q, k in zip(query, key, strict=True)) / mp.sqrt(2) for key in arrays["K"]]
        for query in arrays["Q"]
    ]
    weights = arrays.get("A") or [softmax(row) for row in scores]
    outputs = [
        [sum(w * value[c] for w, value in zip(row, arrays["V"], strict=True)) for c in (0, 1)] for row in weights
    ]
    return sum(s * z for line, row in zip(slopes, outputs, strict=True) for s, z in zip(line, row, strict=True))


def backward(name: str) -> list[list[Any]]:
    """A gradient by differences of the loss, with enough digits for all that is compared."""
    tokens = [[mp.mpf(x) for x in token] for token in ((1, 0), (0, 1), (1, 1))]
    arrays = {"Q": tokens, "K": tokens, "V": [[2 * x for x in token] for token in tokens]}
    scores = [[sum(q * k for q, k in zip(query, key, strict=True)) / mp.sqrt(2) for key in tokens] for query in tokens]
    arrays |= {"T": scores} if name == "T" else {"A": [softmax(row) for row in scores]} if name == "A" else {}

    def moved(i: int, j: int, x: Any) -> dict[str, list[list[Any]]]:
        rows = [list(row) for row in arrays[name]]
        rows[i][j] = x
        return {**arrays, name: rows}

    with mp.workdps(160):
        return [
            [i + 1, *(mp.diff(lambda x, i=i, j=j: loss(moved(i, j, x)), row[j]) for j in range(len(row)))]
            for i, row in enumerate(arrays[name])
        ]


for _name in "QKVTA":
    TABLES["attention-backward", f"d{_name}"] = partial(backward, _name)


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
                true = reference.fraction(exact)
                shown = Fraction(str(significant(cell.value, 30).number))
                assert abs(shown - true) <= abs(shown) / 10**25
                printed = read(cell_text(cell.value))
                assert abs(printed - true) <= abs(printed) / 10 ** (DIGITS - 1) / 2
