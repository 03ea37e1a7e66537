"""Pages rewritten: what is wrong is put right, at its place, and nothing is made worse."""

from __future__ import annotations

import pytest

from symattn.check.fix import fixed
from symattn.check.page import check
from symattn.check.report import Finding, Report

GIVEN = "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n\n"
FORMS = (
    GIVEN
    + r"""Let $u = e^{1/\sqrt{2}}$.

$A = \begin{bmatrix} \frac{u}{1 + u} & \frac{1}{1 + u} \\ \frac{1}{1 + u} & \frac{u}{1 + u} \end{bmatrix}$

$Z = \begin{bmatrix} \frac{2u}{1 + u} & \frac{4}{1 + u} \\ \frac{2}{1 + u} & \frac{4u}{1 + u} \end{bmatrix}$
"""
)


def judged(text):
    return check("page.md", text)


@pytest.mark.parametrize(
    ("good", "bad", "printed"),
    [
        (r"\frac{1}{1 + u} \\", r"\frac{3}{1 + u} \\", "3"),
        (r"\frac{1}{1 + u} \\", r"\frac{1}{12 + u} \\", "12"),
        (r"\frac{2u}{1", r"\frac{7u}{1", "7"),
        (r"\frac{4u}{1", r"\frac{3u}{1", "3"),
    ],
)
def test_a_closed_form_is_put_right_by_the_one_number_that_can(good, bad, printed):
    assert not judged(FORMS).is_wrong()
    spoiled = FORMS.replace(good, bad)
    wrong = [finding for finding in judged(spoiled).findings if finding.is_erratum]
    assert [finding.printed for finding in wrong] == [printed]
    assert fixed(spoiled, judged) == (FORMS, 1)


def test_a_closed_form_that_no_number_puts_right_is_wrong_and_stays():
    spoiled = FORMS.replace(r"\frac{4u}{1 + u}", r"\frac{3u}{2 + u}")
    wrong = [finding for finding in judged(spoiled).findings if finding.is_erratum]
    assert [(finding.printed, finding.wanted) for finding in wrong] == [("3", None), ("2", None)]
    assert fixed(spoiled, judged) == (spoiled, 0)


def test_a_closed_form_that_two_numbers_could_put_right_stays():
    given = "Q = [[0, 0]]\nK = [[0, 0], [0, 0]]\nV = [[2, 0], [0, 4]]\n\n"
    spoiled = given + r"$A = \begin{bmatrix} \frac{1}{2} & \frac{1}{4} \end{bmatrix}$" + "\n"
    wrong = [finding for finding in judged(spoiled).findings if finding.is_erratum]
    assert [(finding.printed, finding.wanted) for finding in wrong] == [("1", None), ("4", None)]
    assert fixed(spoiled, judged) == (spoiled, 0)


def test_a_page_that_does_not_come_to_rest_stays_as_it_is():
    def contrary(text):
        wanted = "2" if text == "1" else "1"
        finding = Finding("page", 1, 1, 0, 1, text, "weights", None, None, None, "wrong", wanted=wanted)
        return Report("page", (finding,), (), ())

    assert fixed("1", contrary) == ("1", 0)
