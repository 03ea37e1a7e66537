"""Drawings: plots, places of labels, colours that can be read, and text that XML may hold."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.exact.numbers import root
from symattn.exact.values import Plain, Weight, softmax
from symattn.pictures import Plot, Point, Series
from symattn.render import pictures as render
from symattn.render.drawing import drawing, palette
from symattn.render.drawing.axes import linear, logarithmic
from symattn.render.drawing.labels import fitted, width, words_label
from symattn.render.drawing.placing import Box, around, placed
from symattn.render.drawing.tikz import tikz_view
from symattn.render.escape import xml
from symattn.rounding.position import position
from tests.pages.tex import compile_tex
from tests.pages.tools import needs
from tests.render.svg import shown

WORDS = {
    "title": "How far scores spread",
    "x": "$d_k$, the numbers in a query",
    "y": "standard deviation",
    "plain": "$q·k$ as it is",
    "divided": "$q·k$ divided by $√d_k$",
}
SIZES = (1, 4, 16, 64, 256)


def plot(**scales: str) -> Plot:
    """The root of d and 1, for five sizes of d."""
    plain = tuple(Point(Plain(fmpq(d)), Plain(root(d)), (str(d), str(int(d**0.5)))) for d in SIZES)
    divided = tuple(Point(Plain(fmpq(d)), Plain(fmpq(1)), (str(d), "1")) for d in SIZES)
    return Plot("spread", (Series("plain", plain), Series("divided", divided)), **scales)


@pytest.fixture(autouse=True)
def told(monkeypatch):
    """The words of one plot beside the others."""
    found = render.words_for_templates()
    monkeypatch.setattr(render, "words_for_templates", lambda: {**found, "plot": {**found["plot"], "spread": WORDS}})


def curve(source: str, number: int) -> list[tuple[Fraction, Fraction]]:
    """The points of the plot's first or second series."""
    return [list(line) for line in shown(source).lines if len(line) == len(SIZES)][number]


def test_powers_are_evenly_spaced_on_logarithmic_axes():
    places = curve(render.svg(plot(x_scale="log", y_scale="log"), "p"), 0)
    steps = {(x - a, y - b) for (a, b), (x, y) in pairwise(places)}
    assert len(steps) == 1
    (step,) = steps
    assert step[0] > 0 > step[1]


def test_a_linear_axis_is_in_proportion():
    places = curve(render.svg(plot(), "p"), 0)
    across, down = [x - places[0][0] for x, _ in places], [places[0][1] - y for _, y in places]
    assert all(abs(x * 255 - (d - 1) * across[-1]) <= Fraction(255, 50) for x, d in zip(across, SIZES, strict=True))
    assert all(
        abs(y * 15 - (r - 1) * down[-1]) <= Fraction(15, 50) for y, r in zip(down, (1, 2, 4, 8, 16), strict=True)
    )


def test_a_plot_says_its_numbers_and_its_letters():
    picture = shown(render.svg(plot(x_scale="log"), "p"))
    assert picture.title == WORDS["title"]
    assert "Line 1 (q·k as it is): 1 at 1, 2 at 4, 4 at 16, 8 at 64, 16 at 256." in picture.said
    assert "Line 2 (q·k divided by √d_k): 1 at 1, 1 at 4, 1 at 16, 1 at 64, 1 at 256." in picture.said
    assert {"dk, the numbers in a query", "q·k divided by √dk", "1", "4", "16", "64", "256"} <= set(picture.texts())


def test_series_differ_without_colour():
    styles = [(style.dash, style.marker) for style in palette.SERIES]
    assert all(one[0] != other[0] and one[1] != other[1] for one, other in combinations(styles, 2))


def test_a_plot_in_latex_has_the_same_places_and_its_formulas():
    view = tikz_view(drawing(plot(x_scale="log"), WORDS))
    paths = [mark["path"] for mark in view["marks"] if mark["kind"] == "path"]
    lines = [path for path in paths if path.count("--") == 4 and "cycle" not in path]
    assert f"({_text(curve(render.svg(plot(x_scale='log'), 'p'), 0)[1])})" in lines[0]
    labels = [mark["tex"] for mark in view["marks"] if mark["kind"] == "text"]
    assert {r"$d_k$, the numbers in a query", r"$q\cdot k$ divided by $\sqrt{d_k}$", "$256$"} <= set(labels)


def _text(place: tuple[Fraction, Fraction]) -> str:
    return ",".join(f"{float(part):.2f}".rstrip("0").rstrip(".") for part in place)


@needs("pdflatex", "lualatex", "pdftotext")
def test_a_plot_compiles():
    view = tikz_view(drawing(plot(x_scale="log"), WORDS))
    marks = "".join(
        rf"\path[{mark['options']}] {mark['path']};"
        if mark["kind"] == "path"
        else rf"\node[{mark['options']}] at {mark['place']} {{{mark['tex']}}};"
        for mark in view["marks"]
    )
    text = r"\documentclass{standalone}\usepackage{tikz}\newdimen\symattnunit\symattnunit=0.7pt\begin{document}"
    text += r"\begin{tikzpicture}[x=\symattnunit,y=-\symattnunit]" + marks + r"\end{tikzpicture}\end{document}"
    assert compile_tex(text, "pdflatex").complaints == []


@pytest.mark.parametrize("values", [[1], [-3, 5], [Fraction(1, 3), Fraction(2, 3)], [0, 1000], [999, 1000]])
def test_a_linear_axis_holds_its_values_between_few_even_ticks(values):
    axis = linear([Plain(fmpq(Fraction(v).numerator, Fraction(v).denominator)) for v in values], 100)
    assert axis.low <= min(values) <= max(values) <= axis.high
    assert len({after - before for before, after in pairwise(axis.ticks)}) == 1
    assert 2 <= len(axis.ticks) <= 8


@pytest.mark.parametrize("values", [[1], [1, 4096], [3, 700], [Fraction(1, 1000), 2], [8, 8]])
def test_a_logarithmic_axis_holds_its_values_between_few_powers(values):
    axis = logarithmic([Plain(fmpq(Fraction(v).numerator, Fraction(v).denominator)) for v in values], 100)
    assert axis.low <= min(values) <= max(values) <= axis.high
    assert len({after / before for before, after in pairwise(axis.ticks)}) == 1
    assert 2 <= len(axis.ticks) <= 8


def test_a_place_is_rounded_once_and_a_tie_is_known():
    half = Weight(softmax([fmpq(1), fmpq(1)]), 0)
    assert position(half, Fraction(0), Fraction(1), Fraction(1, 100)) == Fraction(1, 100)
    assert position(half, Fraction(0), Fraction(1), Fraction(1, 100) - Fraction(1, 10**30)) == 0
    tiny = Weight(softmax([fmpq(0), fmpq(10**9)]), 0)
    assert position(tiny, Fraction(0), Fraction(1), Fraction(100)) == 0


# ------------------------------------------------------------------------------------------------------------ reading


def luminance(colour: palette.Colour) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: palette.Colour, other: palette.Colour) -> float:
    """Contrast ratio, WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_numbers_can_be_read_on_every_shade_and_shades_told_apart_in_grey():
    shades = [palette.shade(Plain(fmpq(share, 20))) for share in range(21)]
    assert min(contrast(palette.INK, shade) for shade in shades) > 7
    assert [luminance(shade) for shade in shades] == sorted(map(luminance, shades), reverse=True)
    assert len(set(shades)) == len(shades)
    assert contrast(palette.WHITE, palette.DEEPEST) > 2.5


def test_words_and_lines_can_be_read_on_white():
    assert contrast(palette.GREY, palette.WHITE) > 7
    assert min(contrast(style.colour, palette.WHITE) for style in palette.SERIES) > 4.5
    assert min(contrast(palette.MIXED, ground) for ground in (palette.WHITE, palette.AREA)) > 4.5
    assert contrast(palette.LINE, palette.WHITE) > 3


NASTY = "a<b>&\"'\x00\x0b\ufffe\ud83d]]>&#1;😀 \u200f"


def test_text_that_xml_may_not_hold_is_replaced():
    read = ElementTree.fromstring(f"<t a='{xml(NASTY)}'>{xml(NASTY)}</t>").text  # noqa: S314 - our own text
    assert read == "a<b>&\"'����]]>&#1;😀 \u200f"


@pytest.mark.parametrize("name", ["👩‍💻👩‍💻👩‍💻👩‍💻", "e\u0301" * 30, "你好" * 20, "W" * 40])
def test_a_long_name_is_cut_between_whole_characters(name):
    short = fitted(name, 70)
    assert short.endswith("…")
    assert name.startswith(short[:-1])
    assert short[:-1] == "" or name[len(short) - 1] not in "\u200d\u0301"
    assert short[-2] != "\u200d"
    assert width(words_label(short)) <= 70
    assert fitted("short", 70) == "short"


# ------------------------------------------------------------------------------------------------------------- labels

FRAME = Box(-9000, -3600, 31000, 25600)
SPOTS = st.lists(
    st.tuples(st.integers(0, 22000), st.integers(0, 22000), st.integers(1000, 18000)), min_size=1, max_size=16
)


@settings(max_examples=60, deadline=None)
@given(SPOTS)
def test_no_label_meets_another_or_a_point(spots):
    points, widths = [spot[:2] for spot in spots], [2 * (spot[2] // 2) for spot in spots]
    found = placed(points, widths, [], FRAME)
    assert len(found) == len(points)
    for one, other in combinations(found, 2):
        assert not one.box.meets(other.box)
    for place, length in zip(found, widths, strict=True):
        assert place.box.right - place.box.left == length
        assert not any(place.box.meets(around(point)) for point in points)
        assert FRAME.holds(place.box) or place.box.left > FRAME.right


def test_a_segment_that_touches_a_box_does_not_cross_it():
    box = Box(0, 0, 10, 10)
    assert not box.is_crossed(((0, 0), (10, 0)))
    assert not box.is_crossed(((-5, 5), (5, -5)))
    assert box.is_crossed(((-5, 6), (6, -5)))
    assert box.is_crossed(((5, 5), (5, 5 + 1)))
    assert box.is_crossed(((-1, 5), (11, 5)))
    assert not box.is_crossed(((11, 5), (20, 5)))
