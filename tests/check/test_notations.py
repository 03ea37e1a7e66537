"""Ways in which people write the same few numbers: all are read, and the one that is wrong, between «», is told."""

from __future__ import annotations

import re

import pytest

from symattn.check.page import check
from symattn.parse.problem import problem

DATA = {"Q": [[1, 0], [0, 1]], "K": [[1, 0], [0, 1]], "V": [[2, 0], [0, 4]]}
GIVEN = "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n\n"
"""Scaled 0.70710678; e^0.70710678 = 2.02811498; weights 0.66976155 and 0.33023845; outputs 1.33952310, 1.32095380 and
0.66047690, 2.67904620.
"""
CASES = {
    "numbered letters": (
        "t.md",
        r"$z_1 = (1.340, «1.331»)$ and $z_2 = (0.660, 2.679)$, with $\mathbf{a}_2 = (0.330, 0.670)$.",
    ),
}


def told(name, text, given=None):
    """Where something is marked, what is told, and what is unread."""
    plain = re.sub("[«»]", "", text)
    report = check(name, plain, given)
    marked = [found.start() - 2 * index for index, found in enumerate(re.finditer("«", text))]
    wrong = [one.start for one in report.findings if one.is_erratum]
    return [plain[at : at + 8] for at in marked], [plain[at : at + 8] for at in wrong], report


@pytest.mark.parametrize("declared", [False, True], ids=["alone", "with its problem"])
@pytest.mark.parametrize("case", CASES)
def test_every_number_is_read_and_the_wrong_one_told(case, declared):
    name, text = CASES[case]
    marked, wrong, report = told(name, GIVEN + text, problem(DATA) if declared else None)
    assert wrong == marked
    assert [one.printed for one in report.unread] == []
