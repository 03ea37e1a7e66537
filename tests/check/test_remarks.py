"""What sentences say that other numbers of the page say too: what stands against those is told, and nothing else."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from tests.check.faults import DECLARED, GALLERY, errata
from tests.check.test_page import WHOLE

CHAPTER = DECLARED.sub("", (GALLERY / "chapter.md").read_text())
SINK = DECLARED.sub("", (GALLERY / "option-sink.md").read_text())


@pytest.mark.parametrize(
    ("page", "old", "new"),
    [
        (CHAPTER, "the numbers 10, 20, 30", "the numbers 10, 21, 30"),
        (CHAPTER, "the weights $\\frac{1}{2}$", "the weights $\\frac{1}{3}$"),
        (CHAPTER, "looking at itself, with 2;", "looking at itself, with 3;"),
        (CHAPTER, "looking at *was*, with 0", "looking at *was*, with 1"),
        (CHAPTER, "of *it* on *was*, is 0.198", "of *it* on *was*, is 0.199"),
        (CHAPTER, "*it* takes 0.198 even", "*it* takes 0.205 even"),
        (CHAPTER, "| 16 | 4 | 0.982 | 0.0177 |", "| 16 | 4 | 0.983 | 0.0177 |"),
        (CHAPTER, "| 16 | 4 | 0.982 | 0.0177 |", "| 16 | 5 | 0.982 | 0.0177 |"),
        (CHAPTER, "1.13\\cdot 10^{-7}", "1.13\\cdot 11^{-7}"),
        (CHAPTER, "0.731 at 1, 0.881 at 4", "0.731 at 1, 0.882 at 4"),
        (CHAPTER, "0.731 at 16, 0.731 at 64", "0.731 at 23, 0.731 at 64"),
        (CHAPTER, "the larger weight is 0.731", "the larger weight is 0.738"),
        (CHAPTER, "eight heads of 64:", "eight heads of 65:"),
        (CHAPTER, "each product has mean 0 and variance 1", "each product has mean 0 and variance 8"),
        (CHAPTER, "each with mean 0 and variance 1", "each with mean 7 and variance 1"),
        (CHAPTER, "before rounding every row adds to 1".capitalize(), "Before rounding every row adds to 2"),
        (CHAPTER, "Vaswani and others (2017)", "Vaswani and others (2018)"),
        (CHAPTER, "takes 512 multiplications", "takes 513 multiplications"),
        (CHAPTER, "the table says 1.000", "the table says 1.001"),
        (CHAPTER, "once it is near 0,", "once it is near 1,"),
        (CHAPTER, "scores have standard deviation 1", "scores have standard deviation 2"),
        (CHAPTER, "keys lie 1 apart", "keys lie 2 apart"),
        (CHAPTER, "queries of 64 numbers", "queries of 65 numbers"),
        (SINK, "$e^{-\\frac{1}{\\sqrt{2}} + 1}$", "$e^{-\\frac{1}{\\sqrt{2}} + 2}$"),
    ],
)
def test_what_stands_against_the_rest_of_the_page_is_told(page, old, new):
    at = page.index(old)
    found = errata(check("page.md", page[:at] + new + page[at + len(old) :]))
    assert found
    line = page.rfind("\n", 0, at), page.index("\n", at + len(old)) + 2
    assert all(line[0] <= start < line[1] for start in found)


@pytest.mark.parametrize(
    "more",
    [
        "*it* stands 2 places before *was*, and *it* is 3 times as long as *was*.",
        "| n | x |\n|---|---|\n| 1 | 1 |\n| 4 | 2 |\n| 9 | 3 |\n| 10 | 4 |\n",
        "| n | x |\n|---|---|\n| 1 | 1 |\n| 2 | 1 |\n| 3 | 2 |\n| 4 | 2 |\n| 5 | 3 |\n",
        "It was 3 at 1, 4 at 2 and 5 at 3 o'clock; the day before 3 at 1, 4 at 2 and 7 at 3 o'clock.",
        "The least exponential is that of *it* looking at *was*, with 1; the largest of *tired* looking at itself.",
        "With 30 tokens there are eight heads of 64: $8 \\cdot 64 = 512$.",
        "Let each have mean 2 and variance 3. Then a product has mean 4 and variance 33.",
        "Vaswani et al., 2017, Vaswani et al. (2018) and Vaswani and others (2021). The scores have variance 64.",
        "With eight heads of 64, $8 \\cdot 64 = 512$; a token takes 3 multiplications in two such heads.",
        "Take the numbers 1, 2 with the weights 0.5, 0.5 as before:\n\n$$0.25 \\cdot 3 + 0.75 \\cdot 4 = 3.75$$\n",
    ],
)
def test_honest_remarks_are_left_alone(more):
    """33 = (3 + 4)^2 - 16."""
    assert errata(check("page.md", f"{WHOLE}\n{more}\n")) == []
    assert errata(check("page.md", f"{CHAPTER}\n{more}\n")) == []


@pytest.mark.parametrize("page", [WHOLE, CHAPTER], ids=["whole", "chapter"])
def test_what_a_table_of_another_size_says_may_be_said_again(page):
    table = "| n | a | x |\n|---|---|---|\n| 4 | 2 | 0.250 |\n| 9 | 3 | 0.125 |\n"
    said = "Here the table says 0.13: 0.125 for queries of 3 numbers."
    assert errata(check("page.md", f"{page}\n{table}\n{said}\n")) == []
    narrow = "| n | x |\n|---|---|\n| 4 | 0.250 |\n| 9 | 0.125 |\n"
    assert errata(check("page.md", f"{page}\n{narrow}\n")) == []


def test_scores_of_another_variance_are_left_alone():
    """Of entries with mean 0 and variance 2 a product has variance 4, and so have scores over the root of d_k."""
    said = "Let entries have mean 0 and variance 2. Divided by $\\sqrt{d_k}$, scores have variance 4 whatever $d_k$ is."
    assert [one.printed for one in check("page.md", f"{WHOLE}\n{said}\n").findings if one.quantity == "text"] == []
