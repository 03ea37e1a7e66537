"""The labels of a grid that a picture draws are held to the weights; those of other pictures are left alone."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from tests.check.faults import DECLARED, GALLERY, errata

NAPKIN = DECLARED.sub("", (GALLERY / "napkin.tex").read_text())
PICTURE = NAPKIN.index("\\begin{tikzpicture}")
END = NAPKIN.index("\\end{tikzpicture}")


@pytest.mark.parametrize(("old", "new"), [("0.401", "0.402"), ("0.198", "0.205"), ("0.503", "0.504")])
def test_a_label_that_is_not_the_weight_is_told(old, new):
    at = NAPKIN.rindex(f"${old}$", PICTURE, END) + 1
    assert errata(check("napkin.tex", NAPKIN[:at] + new + NAPKIN[at + len(old) :])) == [at]


def test_a_picture_of_something_else_is_left_alone():
    other = NAPKIN[PICTURE:END].replace("0.401", "0.125").replace("0.198", "0.250")
    assert errata(check("napkin.tex", NAPKIN[:PICTURE] + other + NAPKIN[END:])) == []


def spoiled(page: str, old: str, new: str, after: str = "\\begin{tikzpicture}") -> tuple[str, int]:
    """An undeclared page with the first such text after a mark replaced, and where the number in it stands."""
    text = DECLARED.sub("", (GALLERY / page).read_text())
    at = text.index(old, text.index(after))
    first = next(place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    start = at + first
    while text[start - 1].isdigit() or text[start - 1] in ".-":
        start -= 1
    return text[:at] + new + text[at + len(old) :], start


@pytest.mark.parametrize(
    ("page", "old", "new"),
    [
        ("napkin.tex", "{$0.5$}", "{$0.6$}"),
        ("napkin.tex", "{$1.5$}", "{$2.2$}"),
        ("logarithms.tex", "{9}{$0$}", "{9}{$1$}"),
        ("logarithms.tex", "{$20$}", "{$27$}"),
        ("napkin.tex", "it [$2$, $0$]", "it [$2$, $1$]"),
        ("napkin.tex", "was [$0$, $2$]", "was [$7$, $2$]"),
        ("option-mask.tex", "{55}{$0$}", "{55}{$1$}"),
        ("option-window.tex", "{55}{$1$}", "{55}{$8$}"),
        ("columns.tex", "{65}{$0.140$}", "{65}{$0.141$}"),
        ("option-cache.tex", "{55}{$0.503$}", "{55}{$0.504$}"),
    ],
)
def test_a_number_of_a_picture_that_does_not_agree_with_the_others_is_told(page, old, new):
    text, at = spoiled(page, old, new)
    assert errata(check(page, text)) == [at]


def axis(*labels: str, places: tuple[int, ...] = (10, 20, 30, 40, 50)) -> str:
    nodes = "".join(
        f"\\node at ({place},100) {{${label}$}}; \\draw ({place},90) -- ({place},92);\n"
        for place, label in zip(places, labels, strict=False)
    )
    picture = f"\\begin{{tikzpicture}}\n{nodes}\\end{{tikzpicture}}\n"
    start = NAPKIN.index("\\begin{tikzpicture}")
    return NAPKIN[:start] + picture + NAPKIN[start:]


@pytest.mark.parametrize(
    ("page", "wrong"),
    [
        (axis("1", "10", "100", "1000"), []),
        (axis("1", "10", "101", "1000"), ["101"]),
        (axis("0", "1", "2", "4"), ["4"]),
        (axis("0.05", "0.10", "0.15", "0.20", "0.50"), []),  # a row of weights
        (axis("3", "1", "4", "1", "5"), []),
        (axis("2", "2", "2", "5"), []),
        (axis("0", "1", "2", "4", places=(10, 20, 30, 50)), []),
        (axis("0", "1", "2", "4", places=(10, 10, 10, 10)), []),
        (axis("1", "2", "5"), []),
        (axis("128", "256", "512", "768").replace("--", "rectangle"), []),
    ],
    ids=[
        "factors",
        "off by factors",
        "off by steps",
        "weights",
        "no steps",
        "equal",
        "uneven",
        "one spot",
        "few",
        "bars",
    ],
)
def test_an_axis_has_equal_steps_or_factors(page, wrong):
    assert [page[at:].partition("$")[0] for at in errata(check("napkin.tex", page))] == wrong
