"""Pictures say what their problem's numbers say: as SVG, in LaTeX and in words; and no label lies on another."""

from __future__ import annotations

import re
import subprocess
import zlib
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import mpmath
import pytest
from markdown_it import MarkdownIt

from symattn.derive.pictures import pictures
from symattn.derive.sections import worked
from symattn.exact.numbers import sign
from symattn.parse.problem import problem
from symattn.pictures import Hull
from symattn.render.page import Made, Wish, made
from symattn.render.pictures import alternative
from tests import reference
from tests.pages.tex import compile_tex
from tests.pages.tools import ROOT, needs, program
from tests.render.reading import WIDEST
from tests.render.sample import Case, cases, gallery_cases
from tests.render.svg import Shown, shown

GALLERY = sorted((ROOT / "output" / "gallery").glob("*.svg"))
assert len(GALLERY) > 20, "the gallery holds no pictures"
HARD = ["a<b", "$5", "metal_50%&#1", "שלום", "😀 a rather long name, cut & dried"]
"""Names that XML, Markdown or TeX could misread, one of them written from right to left, one too long for its place."""
LABEL = re.compile(r"\\node\[.*?\] at \(.*?\) \{\\symattnlabel\{\d+\}\{(.*)\}\};")


def numbers(texts: list[str]) -> list[str]:
    """Those texts that are printed numbers, with a plain minus."""
    plain = [text.replace("−", "-") for text in texts]
    return [text for text in plain if re.fullmatch(r"-?\d+(\.\d+)?", text)]


def by_files(case: Case, **wish: object) -> dict[str, Shown]:
    page = made(case.worked, Wish(**{"slug": "p", **wish}))
    return {name.removeprefix("p-").removesuffix(".svg"): shown(text) for name, text in page.files.items()}


@lru_cache(maxsize=1)
def hard() -> Case:
    asked = {
        "title": "Hard names",
        "tokens": HARD,
        "X": [[row % 3, 1, row] for row in range(5)],
        "W_Q": [[1, 0], [0, 1], [0, "1/2"]],
        "W_K": [[0, 1], [1, 0], ["1/2", 0]],
        "W_V": [[2, 0], [0, 2], [1, "1/3"]],
        "also": [{"causal": True}],
    }
    return Case("hard", asked, worked(problem(asked)))


# ------------------------------------------------------------------------------------------------------ what is shown


@pytest.mark.parametrize("case", gallery_cases(), ids=lambda case: case.name)
def test_a_grid_holds_the_weights_row_by_row(case):
    section = next(case.sections())
    found = by_files(case)
    for number, head in enumerate(section["heads"], start=1):
        grid = found[f"weights-{number}"]
        turned = case.worked.problem.page.vectors == "columns"
        lines = zip(*head["weights"], strict=True) if turned else head["weights"]
        assert numbers(grid.texts()) == [text for line in lines for text in line]
        assert [text for text in grid.texts() if text in case.worked.problem.tokens] != []


def test_every_small_problem_of_numbers_has_its_grids():
    drawn = [case for case in cases() if not case.worked.sections[0].result.symbolic]
    for case in drawn:
        heads = len(case.worked.sections[0].result.heads)
        assert {f"weights-{number}" for number in range(1, heads + 1)} <= pictures(case.worked).keys()
    assert len(drawn) > 30


@pytest.mark.parametrize(
    "options", [{"X": [[row, 1] for row in range(9)]}, {"X": [["a", 1], [1, 2]], "symbols": {"a": "real"}}]
)
def test_large_problems_and_letters_have_none(options):
    asked = {"W_Q": "identity", "W_K": "identity", "W_V": "identity", **options}
    assert pictures(worked(problem(asked))) == {}


def axis(picture: Shown, horizontal: bool) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The slope and the start of the line from numbers to places that two ticks say."""
    ticks = [label for label in picture.labels if re.fullmatch(r"−?\d+(\.\d+)?", label.text)]
    if horizontal:
        base = max(label.y for label in ticks)
        chosen = [(label.text, label.x) for label in ticks if label.y == base]
    else:
        left = min(label.x for label in ticks)
        chosen = [(label.text, label.y - 5) for label in ticks if label.x == left]
    (one, first), (other, last) = chosen[0], chosen[-1]
    low, high = (Fraction(text.replace("−", "-")) for text in (one, other))
    slope = (last - first) / (high - low)
    return slope, first - slope * low


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_values_and_outputs_lie_where_the_reference_says(case):
    """Each within half of 1/100 of a unit, on the axes that the ticks' numbers say."""
    drawn = [key for key in pictures(case.worked) if key.startswith("outputs")]
    if not drawn:
        return
    heads = reference.evaluate(next(iter(reference.sections(case.problem))))["heads"]
    for key, picture in ((key, by_files(case)[key]) for key in drawn):
        head = heads[int(key.rpartition("-")[2]) - 1]
        scales = axis(picture, True), axis(picture, False)
        dots = picture.dots[:-1]  # the last one stands in the legend
        squares = [((a + c) / 2, (b + d) / 2) for a, b, c, d, fill in picture.boxes if c - a == 8][:-1]
        for table, places in ((head["output"], dots), (head["value"], squares)):
            wanted = [
                tuple(slope * _mp(entry) + start for entry, (slope, start) in zip(row, scales, strict=True))
                for row in table
            ]
            near = [[_is_near(place, goal) for goal in wanted] for place in places]
            assert all(map(any, near)), (key, places, wanted)
            assert all(any(row[index] for row in near) for index in range(len(wanted))), key


def _mp(entry: object) -> mpmath.mpf:
    return mpmath.mpf(entry.numerator) / entry.denominator if isinstance(entry, Fraction | int) else entry


def _is_near(place: tuple[Fraction, Fraction], goal: tuple[mpmath.mpf, mpmath.mpf]) -> bool:
    return all(
        abs(mpmath.mpf(one.numerator) / one.denominator - other) <= mpmath.mpf("0.005000001")
        for one, other in zip(place, goal, strict=True)
    )


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_the_hull_holds_every_value_and_output(case):
    """Decided exactly: no point lies to the right of an edge, seen from one corner to the next."""
    for picture in pictures(case.worked).values():
        if not isinstance(picture, Hull) or len(picture.corners) < 3:
            continue
        corners = [picture.values[corner] for corner in picture.corners]
        for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
            for spot in (*picture.values, *picture.outputs):
                assert _turn(one, other, spot) >= 0, (one.names, other.names, spot.names)


def _turn(one, other, spot):
    (x, x_under), (y, y_under) = spot.x.fraction(), spot.y.fraction()
    across, along = other.x.number - one.x.number, other.y.number - one.y.number
    left = across * (y - one.y.number * y_under) * x_under - along * (x - one.x.number * x_under) * y_under
    return sign(left) * sign(x_under) * sign(y_under)


def test_a_mask_is_crossed_out_where_nothing_may_be_seen():
    (picture,) = [picture for key, picture in by_files(gallery_cases_by_name("napkin")).items() if "mask" in key]
    fills = [fill for *_, fill in picture.boxes]
    assert [fill == "#ffffff" for fill in fills] == [False, True, True, False, False, True, False, False, False]
    assert len(picture.lines) == 2 * 3


def gallery_cases_by_name(name: str) -> Case:
    return next(case for case in gallery_cases() if case.name == name)


# ------------------------------------------------------------------------------------------------------------ formats


@pytest.mark.parametrize("case", [*gallery_cases(), hard()], ids=lambda case: case.name)
def test_latex_and_svg_hold_the_same_numbers(case):
    """Picture by picture, in the same order."""
    text = case.page(format="tex")
    drawn = text.split(r"\begin{tikzpicture}")[1:]
    inside = [LABEL.findall(part) for part in drawn]
    order = re.findall(r"\(p-(.*)\.svg\)", made(case.worked, Wish(slug="p")).text)
    files = by_files(case)
    assert len(inside) == len(order) == len(files) > 0
    for key, labels in zip(order, inside, strict=True):
        plain = [label.replace("$", "") for label in labels]
        assert numbers(plain) == numbers([label.text for label in files[key].labels])


def test_each_link_says_what_its_picture_says():
    """A reader of the page, and one of the file alone, are told the same."""
    for case in (*gallery_cases(), hard()):
        page: Made = made(case.worked, Wish(slug="p"))
        images = [
            token
            for block in MarkdownIt("commonmark").parse(page.text)
            for token in block.children or ()
            if token.type == "image"
        ]
        assert {image.attrs["src"] for image in images} == page.files.keys()
        for image in images:
            told = "".join(child.content for child in image.children or ())
            assert told == shown(page.files[str(image.attrs["src"])]).said


@pytest.mark.parametrize("case", gallery_cases(), ids=lambda case: case.name)
def test_the_words_hold_every_number(case):
    section = next(case.sections())
    for key, picture in by_files(case).items():
        head = section["heads"][int(key.rpartition("-")[2]) - 1]
        told = re.findall(r"-?\d+(?:\.\d+)?", picture.said.replace("−", "-"))
        if key.startswith("weights"):
            assert told == [text for row in head["weights"] for text in row]
        elif key.startswith("outputs"):
            assert {text for row in head["output"] for text in row} <= set(told)


def test_names_come_back_whole_from_the_words_and_cut_from_the_labels():
    files = by_files(hard())
    grid = files["weights-1"]
    for name in HARD:
        assert name in grid.said
        assert any(text == name or (text.endswith("…") and name.startswith(text[:-1])) for text in grid.texts())
    assert HARD[-1] not in grid.texts()


def test_a_decimal_comma_stands_in_pictures_too():
    asked = hard().problem | {"page": {"decimal_mark": ","}}
    found = by_files(Case("comma", asked, worked(problem(asked))))
    assert re.findall(r"\d\.\d", " ".join([*found["weights-1"].texts(), found["weights-1"].said])) == []
    assert re.search(r"\[[\d,−]+; [\d,−]+\]", found["outputs-1"].said)


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_hard_names_are_drawn_in_latex_and_said_in_its_pdf(engine):
    done = compile_tex(hard().page(format="tex"), engine)
    assert (done.errors, done.missing) == ((), ())
    assert max(done.overfull, default=0) <= WIDEST, done.boxes
    streams = b" ".join(map(_inflated, re.findall(rb"stream\r?\n(.*?)\r?\nendstream", done.pdf, re.DOTALL)))
    drawn = by_files(hard())
    assert len(drawn) == 3
    for picture in (picture for key, picture in pictures(hard().worked).items() if key in drawn):
        said = ("\ufeff" + alternative(picture)).encode("utf-16-be").hex().upper().encode()
        assert said in streams


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


def test_a_page_of_columns_has_pictures_of_columns():
    """The grid as the matrix of the page stands: keys down, queries across; said query by query all the same."""
    plain = gallery_cases_by_name("napkin")
    wishes = {"page": {"vectors": "columns", "brackets": "round"}, "attention": {"causal": True}, "also": []}
    asked = plain.problem | wishes
    found = by_files(Case("columns", asked, worked(problem(asked))))
    weights = next(iter(plain.sections()))["heads"][0]["weights"]
    masked = [[weights[2][key] if query == 2 else None for query in range(3)] for key in range(3)]
    grid = numbers(found["weights-1"].texts())
    assert [row[2] for row in masked] == grid[2::3]
    assert grid[0::3] == ["1", "0", "0"]
    assert {"at whom ↓", "who looks →"} <= set(found["weights-1"].texts())
    assert "Column it: 1 for it, hidden: was, hidden: tired. Column was: 0.330 for it" in found["weights-1"].said
    fills = [fill == "#ffffff" for *_, fill in found["mask-1"].boxes]
    assert fills == [False, False, False, True, False, False, True, True, False]
    assert "Column was sees it and was." in found["mask-1"].said
    assert "it (2, 0)" in found["outputs-1"].texts()
    assert "it (2, 0), was (0, 2)" in found["outputs-1"].said


# ------------------------------------------------------------------------------------------------------------- layout

BOX = re.compile(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>')
PAGE = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', re.DOTALL)


def measured(pdf: bytes) -> list[tuple[float, float, list[tuple[float, float, float, float, str]]]]:
    """Each page's size, and its words with the boxes that they take."""
    command = [program("pdftotext"), "-bbox", "-", "-"]
    text = subprocess.run(command, input=pdf, capture_output=True, timeout=60, check=True).stdout.decode()
    return [
        (float(width), float(height), [(*map(float, box[:4]), box[4]) for box in BOX.findall(inside)])
        for width, height, inside in PAGE.findall(text)
    ]


def clashes(pages) -> list[tuple[int, str, str]]:
    """Words that lie on one another, or outside their page, by more than a hair."""
    found = []
    for number, (width, height, words) in enumerate(pages):
        for left, top, right, bottom, text in words:
            if left < -0.5 or top < -3 or right > width + 0.5 or bottom > height + 3:
                found.append((number, text, "the page's edge"))
        for one, other in combinations(words, 2):
            across = min(one[2], other[2]) - max(one[0], other[0])
            down = min(one[3], other[3]) - max(one[1], other[1])
            if across > 0.5 and down > 4:
                found.append((number, one[4], other[4]))
    return found


@needs("pandoc")
@pytest.mark.parametrize("flavour", ["plain", "github"])
def test_pandoc_prints_no_alternative_text_below_a_picture(flavour):
    page = made(hard().worked, Wish(flavour=flavour))
    command = [program("pandoc"), "-f", "markdown", "-t", "html"]
    html = subprocess.run(command, input=page.text, capture_output=True, text=True, check=True, timeout=60).stdout
    assert html.count("<img") == len(page.files) > 1
    assert "<figcaption" not in html


@needs("rsvg-convert", "pdftotext")
def test_no_label_lies_on_another_or_is_cut_off(tmp_path):
    for name, text in made(hard().worked, Wish(slug="hard")).files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [*map(str, GALLERY), *map(str, sorted(tmp_path.glob("*.svg")))]
    command = [program("rsvg-convert"), "-f", "pdf", *files]
    pages = measured(subprocess.run(command, capture_output=True, timeout=120, check=True).stdout)
    assert len(pages) == len(files)
    assert all(len(words) > 5 for *_, words in pages)
    assert [(files[page], *pair) for page, *pair in clashes(pages)] == []


def test_a_clash_would_be_found():
    words = [(0.0, 0.0, 20.0, 10.0, "one"), (18.0, 2.0, 40.0, 12.0, "two"), (90.0, 0.0, 130.0, 10.0, "three")]
    assert clashes([(100.0, 50.0, words)]) == [(0, "three", "the page's edge"), (0, "one", "two")]
