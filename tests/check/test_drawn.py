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
