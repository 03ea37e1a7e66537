"""A chapter holds the whole worked page and the prose around it; each piece can be replaced; its numbers are right."""

from __future__ import annotations

import re
from fractions import Fraction

import mpmath
import pytest

from symattn.derive.chapter import completed, extremes, least_weight
from symattn.derive.sections import worked
from symattn.errors import SymattnError
from symattn.parse.problem import problem
from symattn.render.page import Wish, made, page
from tests import reference
from tests.render.sample import Case, cases, gallery_cases
from tests.render.svg import shown

BLOCKS = {
    "why_look": "The cat slept because it was tired",
    "weighted_average": "One thing to know first",
    "stacked": r"V = \begin{bmatrix}2 & 0",
    "library": "Think of a library",
    "split": "Why not one list of numbers",
    "caption_prose": "Read it from the inside",
    "mask_meaning": "So a triangle of crosses",
    "chapter_last_digit": "If your last digit differs",
    "many_heads": "Many heads",
    "divide": "Why divide?",
    "limits": "What attention is not",
    "limits_list": "It is no pointer",
    "caption": "The four steps in one line",
    "exact": "without rounding",
    "questions": "Check yourself",
}
"""Each block of a chapter, and words that stand in it alone."""
HEAD_BLOCKS = {
    "compare_prose": "point the same way",
    "why_divide": "All of them in their places",
    "normalize_prose": "A row says how large a share",
    "combine_prose": "information has moved",
}


def napkin() -> Case:
    return next(case for case in gallery_cases() if case.name == "napkin")


@pytest.mark.parametrize("format", ["md", "tex"])
def test_every_piece_is_there_in_order(format):
    text = napkin().page(detail="chapter", format=format)
    told = {**BLOCKS, **HEAD_BLOCKS}
    assert [words for words in told.values() if text.count(words) < 1] == []
    order = ["why_look", "weighted_average", "library", "caption", "mask_meaning", "many_heads", "divide", "limits"]
    places = [text.index(BLOCKS[name]) for name in order if name != "divide"]
    assert places == sorted(places)
    assert text.rindex("Why divide?") < text.index(BLOCKS["limits"])


def test_a_chapter_holds_every_number_of_its_page():
    brief, text = napkin().page(), napkin().page(detail="chapter")
    tables = [line for line in brief.splitlines() if line.startswith("|")]
    assert len(tables) > 20
    assert [line for line in tables if line not in text] == []


@pytest.mark.parametrize(
    ("template", "block", "words"),
    [("chapter", *pair) for pair in BLOCKS.items()] + [("chapter_head", *pair) for pair in HEAD_BLOCKS.items()],
)
def test_each_piece_can_be_switched_off_and_replaced(tmp_path, template, block, words):
    (tmp_path / "base").mkdir()
    for mine in ("", "Mine instead."):
        text = f'<% extends "builtin/base/{template}.jinja" %>\n<% block {block} %>{mine}<% endblock %>\n'
        (tmp_path / "base" / f"{template}.jinja").write_text(text, encoding="utf-8")
        found = napkin().page(detail="chapter", overrides=tmp_path)
        assert found.count(words) < napkin().page(detail="chapter").count(words)
        assert (mine in found, "0.503" in found) == (True, True)


def test_what_the_divide_does_is_right():
    """The table and the plot against e^x by mpmath: rounded to three decimals, slopes to three digits."""
    text = napkin().page(detail="chapter")
    table = text[text.index("| $d_k$ | scores apart") :].split("\n\n")[0].splitlines()[2:]
    found = [[cell.strip().strip("$") for cell in line.strip("|").split("|")] for line in table]
    assert [row[0] for row in found] == ["1", "4", "16", "64", "256"]
    with mpmath.workdps(40):
        for d_k, gap, weight, slope in found:
            root = mpmath.sqrt(int(d_k))
            larger = 1 / (1 + mpmath.exp(-root))
            assert int(gap) == root
            assert abs(mpmath.mpf(weight) - larger) <= mpmath.mpf("0.0005")
            mantissa, _, power = slope.partition(r"\cdot 10^{")
            read = mpmath.mpf(mantissa) * mpmath.mpf(10) ** int(power.rstrip("}") or 0)
            assert abs(read / (larger * (1 - larger)) - 1) <= mpmath.mpf("0.005")
    said = shown(made(napkin().worked, Wish(slug="p", detail="chapter")).files["p-divide.svg"]).said
    assert re.findall(r"(\d\.\d{3}) at (\d+)", said)[:5] == [(row[2], row[0]) for row in found]


def test_the_numbers_of_many_heads_are_right():
    text = napkin().page(detail="chapter")
    assert r"$8 \cdot 64 = 512$" in text
    assert 8 * 3 * 512 * 64 == 3 * 512 * 512 == 786432
    assert r"8 \cdot 3 \cdot 512 \cdot 64 = 3 \cdot 512 \cdot 512 = 786432" in text


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_best_and_poorest_match_and_least_weight_are_those_of_the_reference(case):
    head = case.worked.sections[0].result.heads[0]
    told = reference.evaluate(next(iter(reference.sections(case.problem))))["heads"][0]
    found = extremes(head)
    scores = [_number(entry) for row in told["scores"] for entry in row]
    if found is None:
        assert max(scores) - min(scores) < mpmath.mpf(10) ** -40
    else:
        high, low = (_number(told["scores"][one.place[0]][one.place[1]]) for one in found)
        assert abs(high - max(scores)) + abs(low - min(scores)) < mpmath.mpf(10) ** -40
        equal = [sum(abs(score - end) < mpmath.mpf(10) ** -40 for score in scores) for end in (high, low)]
        assert [one.alone for one in found] == [count == 1 for count in equal]
    row, column = least_weight(head)
    seen = [
        _number(entry)
        for i, entries in enumerate(told["weights"])
        for j, entry in enumerate(entries)
        if head.allowed is None or head.allowed[i][j]
    ]
    assert abs(_number(told["weights"][row][column]) - min(seen)) < mpmath.mpf(10) ** -40


def _number(entry: object) -> mpmath.mpf:
    return mpmath.mpf(entry.numerator) / entry.denominator if isinstance(entry, Fraction | int) else entry


BARE = {"X": [[1, 0], [0, 1]], "W_Q": "identity", "W_K": "identity", "W_V": "identity"}


@pytest.mark.parametrize(
    ("more", "added"),
    [
        ({}, True),
        ({"attention": {"temperature": 2}}, True),
        ({"attention": {"causal": True}}, False),
        ({"also": [{"causal": True}]}, False),
        ({"attention": {"window": [1, 0]}}, False),
        ({"context": [[1, 1], [2, 0]]}, False),
        ({"X": [[1, 0]]}, False),
    ],
)
def test_a_mask_is_added_where_there_is_none_and_may_be_one(more, added):
    asked = problem(BARE | more)
    found = completed(asked)
    assert (len(found.also) > len(asked.also)) is added
    if added:
        assert found.also[-1].attention.causal is True
        assert "So a triangle of crosses" in page(worked(found), Wish(detail="chapter"))
    else:
        assert found is asked


def test_pencil_work_has_a_chapter_too():
    text = page(worked(problem(BARE | {"page": {"rounding": "carried", "row_sums": "one"}})), Wish(detail="chapter"))
    assert "with a pencil" in text


def test_an_unknown_block_is_no_crash(tmp_path):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "chapter.jinja").write_text("<% block x %><%= nothing_here %><% endblock %>", encoding="utf-8")
    with pytest.raises(SymattnError):
        napkin().page(detail="chapter", overrides=tmp_path)
