"""Pages that were not made to be checked: nothing fails, nothing is called wrong, and time grows as their length."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from symattn.parse.problem import problem

GIVEN = "Q=[[1,0],[0,1]]\nK=[[1,0],[0,1]]\nV=[[1,0],[0,1]]\n\n"
N = 1000
HOSTILE = {
    "round brackets": "(" * N,
    "nested brackets": "[" * N + "]" * N,
    "brackets that hold nonsense": "(" * 60 + "?" + ")" * 60,
    "a sum without end": "1+" * N,
    "an equation without end": "1=" * N,
    "environments": "\\begin{bmatrix}" * (N // 10) + "\\end{bmatrix}" * (N // 10),
    "fractions": "\\frac{" * N,
    "bars": "|a\n" * N,
    "bars in a line": "|" * N,
    "emphasis": "**a" * N,
    "powers": "e^" * N,
    "subscripts": "a_" * N,
    "roots": "√" * N,
    "minus signs": "-" * N,
    "digits": "9" * N,
    "numbers": "0.123 " * N,
    "columns": "0.1 0.2 0.3\n" * N,
    "a list": "0.1, " * N,
    "words": "attention weights row 1 of the head 2 " * (N // 10),
    "rows that are no rows": "0.25 3.5 row 0.25 row queries keys 12 and 0.25 row 0 keys = [1, 2] " * (N // 10),
    "backslashes": "\\" * N,
    "comments": "<!--" * N,
    "tags": "<a " * N,
    "strange characters": "\x00\x02\x03\x1c\x1d\x1f\u2028\ufeff\U0001d400" * 20,
    "not about attention": "A cake: 250 g flour, 3 eggs, 0.5 l milk; 20 min. [[1, 2], [3, 4]] + [[1, 1], [1, 1]]\n"
    * 50,
}


TORN = {  # tables and rows that lost a part, or got a number that is none
    "a row without numbers": r"""
| token | $X$: its numbers | query (what it looks for) | key (what it answers to) | value (what it gives) |
| **tired** | $[1,\ 1]$ | $[1,\ 1]$ | $[1,\ 1]$ | $[2,\ 2]$ |

| **was** | $\frac{1}{1 + 2u},\ \frac{u}{1 + 2u}$ | $\left[\frac{2 + 2u}{1 + 2u},\ \frac{4u}{1 + 2u}\right]$ |
| **tired** | 1 | 1 | 2 |
""",
    "rows of several lengths": r"""
| token | $X$: its numbers | query (what it looks for) | key (what it answers to) | value (what it gives) |
| **she** | $[1,\ 0]$ | $[1,\ 0]$ | $[1,\ 0]$ | $[2,\ 0]$ |
| **read** | $[0,\ 1]$ | $[0,\ 1]$ | $[0,\ 1]$ | $[0,\ 2]$ |
Turn each scaled score $s$ into $e^{s}$, which is always positive; then divide by the sum of the row.
| $e^{s}$ | 2.028 | 1 | 3.028 |
| **it** | $\displaystyle \frac{1}{2},\ \frac{1}{2},\ 0$ | $[1,\ 1]$ |
""",
    "a score that is no decimal": r"""
scores $S$ = \begin{bmatrix}1 & 0 & 10^{400} \\ 0 & 1 & 1 \\ 1 & 1 & 2\end{bmatrix}

scaled scores $S'$ = \begin{bmatrix}0.707 & 0 & -1 \\ 0 & 0.707 & 7 \\ 0.707 & 0.707 & 1.414\end{bmatrix}
""",
    "a sign too many": r"""
Tokens $X$:
| **the** | 1 | 0.200 | $-0.500$ |
| **cat** | 0.400 | $-1.100$ | 0.700 |

| **the** | 2.100 | $--1$ |
| **cat** | $-0.650$ | $-1.700$ |
W_Q = \begin{bmatrix}0.600 & -0.300 \\ 0.100 & 0.900 \\ -0.700 & 0.200\end{bmatrix}
W_K = \begin{bmatrix}0.500 & 0.700 \\ -0.800 & 0.300 \\ 0.400 & -0.100\end{bmatrix}
W_V = \begin{bmatrix}1.500 & -0.500 \\ 0.500 & 2 \\ -1 & 1\end{bmatrix}
""",
}


@pytest.mark.parametrize("ending", ["md", "tex", "txt"])
@pytest.mark.parametrize("name", TORN)
def test_a_torn_page_is_read_to_its_end(name, ending):
    assert check(f"page.{ending}", TORN[name]).missing is not None


def test_a_row_that_is_not_there_has_no_sum():
    asked = problem({name: [[1, 0], [0, 1]] for name in "QKV"} | {"attention": {"causal": True}})
    text = "A = [[1, 0], [0.330, 0.670]]\n\nThe weights of row 9, as printed, add to 0.999.\n"
    assert len(check("page.md", text, asked).findings) == 5


LARGE = "Q = [[100000, 0], [0, 1]]\nK = [[100000, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n\n"
"""A logit of 10^10/sqrt 2: its exponential has three thousand million digits."""


@pytest.mark.parametrize("said", ["exponentials = [[7.5, 1], [1, 2.028]]", "exponentials = [[7.5..., 1], [1, 2.028]]"])
def test_a_number_that_nobody_could_write_out_is_not_the_one_on_the_page(said):
    report = check("page.md", LARGE + said + "\n\nweights = [[1, 0.000], [0.330, 0.670]]\n")
    assert [finding.printed for finding in report.findings if finding.is_erratum] == ["7.5"]
    assert [finding.wanted for finding in report.findings if finding.is_erratum] == [None]
    assert len(report.findings) == 8


def test_a_number_of_thousands_of_digits_is_wrong_and_not_rewritten():
    given = "Q = [[20000, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n\n"
    report = check("page.md", given + "exponentials = [[7.5, 1], [1, 2.028]]\n")
    assert [(finding.printed, finding.wanted) for finding in report.findings if finding.is_erratum] == [("7.5", None)]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_hostile_page_is_read_to_its_end(name, ending):
    report = check(f"page.{ending}", HOSTILE[name])
    assert not report.is_wrong(strict=True)


@pytest.mark.parametrize("name", ["numbers", "a list", "words", "columns", "not about attention"])
def test_what_stands_beside_a_worked_example_is_not_called_wrong(name):
    assert not check("page.txt", GIVEN + HOSTILE[name]).is_wrong()


STEPS = {
    "numbers": "0.123 ",
    "sums": "1+",
    "brackets": "([",
    "bars": "|a\n",
    "rows of weights": "weights = [0.67, 0.33]\n",
    "dot products": "1*2 + 0*3 = 2\n",
    "written-out products": "[1, 0] · [0, 1] = 1*0 + 0*1 = 0\n",
    "prose": "In 2017 every word could look at every other one, and the weights of each row had to add to 1.\n\n",
    "aligned sums": "&= 1 + 2 \\\\\n&\\quad + 3 \\\\\n",
    "examples": "\nQ=[[1,0],[0,2]]\nK=[[1,0],[0,1]]\n\nQ=[[1,0],[0,1]]\nK=[[1,0],[0,1]]\n\n",
}


@pytest.mark.parametrize("name", STEPS)
def test_work_grows_as_the_length_of_the_page(name):
    """Counted in calls of functions, which no other program on the machine changes."""
    assert calls(GIVEN + STEPS[name] * 400) < 2.6 * calls(GIVEN + STEPS[name] * 200)


@pytest.mark.parametrize("run", [" ", "\n", " \n", "1", "a", "*", "_", "[", "("])
def test_a_long_run_of_one_sign_is_read_to_its_end(run):
    """A pattern that tries each end of the run from each of its signs takes hours here."""
    few = 20_000 if run.isspace() else 5_000
    assert not check("page.md", f"{GIVEN}Some text.{run * few}Some more.\n").is_wrong()


def test_work_beside_a_twin_grows_as_the_length_of_the_page():
    declared = '<!-- {"symattn":{"X":[[1]],"W_Q":[[1]],"W_K":[[1]],"W_V":[[1]]}} -->\n'
    few, many = (declared + "In 2017 there were 0.123 of them.\n" * count for count in (200, 400))
    assert calls(many, beside) < 2.6 * calls(few, beside)


def beside(declared, text):
    return text.replace("0.123", "0.124")


def calls(text, twin=None):
    import sys

    check("page.txt", GIVEN)  # what is loaded at the first check is no work of a page
    total = 0

    def counted(frame, event, argument):
        nonlocal total
        total += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        check("page.txt", text, twin=twin)
    finally:
        sys.setprofile(before)
    return total
