"""The same page as HTML, MathML, a notebook and a program; mistakes are named; what cannot be is told."""

from __future__ import annotations

import json

import pytest

from symattn.check.page import check
from symattn.check.reading.sources import kind_of, readable
from symattn.parse.problem import problem

GIVEN = "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n"


def wrong(report):
    return [(one.line, one.column, one.printed) for one in report.findings if one.is_erratum]


def counts(report):
    return {quantity: sum(one.quantity == quantity for one in report.findings) for quantity in ("weights", "output")}


HTML = """<!DOCTYPE html>
<html><head><title>9.9 and 8.8</title><style>p { margin: 0.25em }</style></head><body>
<p>Queries <code>Q = [[1, 0], [0, 1]]</code>, keys <code>K = [[1, 0], [0, 1]]</code>,
values \\(V = \\begin{bmatrix} 2 &amp; 0 \\\\ 0 &amp; 4 \\end{bmatrix}\\).</p>
<script>var x = [[0.1, 0.2]];</script>
<script type="math/tex">A \\approx \\begin{bmatrix} 0.670 & 0.330 \\\\ 0.330 & 0.671 \\end{bmatrix}</script>
<table><tr><th>output</th><th>1</th><th>2</th></tr>
<tr><th>a</th><td>1.340</td><td>1.321</td></tr><tr><th>b</th><td>0.660</td><td>2.779</td></tr></table>
</body></html>
"""


def test_html_with_mathematics_and_a_table():
    report = check("page.html", HTML)
    assert wrong(report) == [(6, 76, "0.671"), (8, 80, "2.779")]
    assert counts(report) == {"weights": 4, "output": 4}


MATHML = """<p>Q = [[1, 0], [0, 1]], K = [[1, 0], [0, 1]], V = [[2, 0], [0, 4]]</p>
<math><mi>A</mi><mo>=</mo><mo>[</mo><mtable>
<mtr><mtd><mn>0.670</mn></mtd><mtd><mn>0.330</mn></mtd></mtr>
<mtr><mtd><mn>0.340</mn></mtd><mtd><mn>0.670</mn></mtd></mtr></mtable><mo>]</mo></math>
<p><math><mfrac><mn>1</mn><msqrt><mn>2</mn></msqrt></mfrac><mo>=</mo><mn>0.707</mn></math></p>
"""


def test_mathml():
    report = check("page.html", MATHML)
    assert wrong(report) == [(4, 15, "0.340")]
    assert [one.verdict for one in report.findings if one.printed == "0.707"] == ["correct"]


PRINTED = ["attn_weights =\n", "[[0.66976155 0.33023845]\n", " [0.33023845 0.6597]]\n"]


def test_a_notebook_has_its_places_in_its_file():
    cells = [
        {"cell_type": "markdown", "source": ["Attention with $\\\\frac{QK^T}{\\\\sqrt{2}}$\n"]},
        {"cell_type": "code", "execution_count": 7, "source": [line + "\n" for line in GIVEN.splitlines()],
         "outputs": [{"output_type": "stream", "text": PRINTED}]},
    ]  # fmt: skip
    text = json.dumps({"cells": cells, "nbformat": 4}, indent=1)
    report = check("page.ipynb", text)
    ((line, column, printed),) = wrong(report)
    assert text.split("\n")[line - 1][column - 1 :].startswith("0.6597")
    assert printed == "0.6597"
    assert counts(report)["weights"] == 4


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("t.py", 'def test():\n    """By hand.\n\n'
         '    Q = [[1, 0], [0, 1]]; K = [[1, 0], [0, 1]]; V = [[2, 0], [0, 4]]\n    """\n'
         "    # weights = [[0.670, 0.330],\n    #            [0.320, 0.670]]\n", (7, 19)),
        ("t.c", "/* Q = {{1, 0}, {0, 1}}, K = {{1, 0}, {0, 1}}, V = {{2, 0}, {0, 4}} */\n"
         "// weights = {{0.670, 0.330}, {0.320, 0.670}}\n", (2, 32)),
        ("t.js", "const Q = [[1, 0], [0, 1]];\nconst K = [[1, 0], [0, 1]];\nconst V = [[2, 0], [0, 4]];\n"
         "const weights = [[0.670, 0.330], [0.320, 0.670]]; // softmax\n", (4, 35)),
    ],
)  # fmt: skip
def test_programs_with_arrays_in_comments_and_tests(name, text, place):
    report = check(name, text)
    assert wrong(report) == [(*place, "0.320")]


@pytest.mark.parametrize("name", ["a.md", "a.tex", "a.html", "a.ipynb", "a.py", "a.txt"])
@pytest.mark.parametrize(
    "text", ["", "{[(<%&\\", "<td>1<!-- 2", '{"source": ["a\\u2212', "é ∞ 𝐐 <p>&amp;&#8722;&#x110000;", "\r\n1\r\n"]
)
def test_what_is_read_has_the_length_of_the_file(name, text):
    assert len(readable(text, kind_of(name, text))) == len(text)


def test_decimal_commas_minus_signs_and_thin_spaces():
    text = (
        "$Q = \\begin{pmatrix} 1 & 0 \\\\ 0 & -1 \\end{pmatrix}$, "
        "$K = \\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix}$, "
        "$V = \\begin{pmatrix} 2 & 0 \\\\ 0 & 4 \\end{pmatrix}$\n\n"
        "$A \\approx \\begin{pmatrix} 0{,}670 & 0{,}330 \\\\ 0{,}670 & 0{,}340 \\end{pmatrix}$, scaled scores "
        "$\\begin{pmatrix} 0,707 & 0 \\\\ 0 & −0,707 \\end{pmatrix}$\n"
    )
    report = check("page.md", text)
    assert [one[2] for one in wrong(report)] == ["0{,}340"]
    assert next(one for one in report.findings if one.printed == "−0,707").verdict == "correct"


ROWS = {
    "unscaled": [["0.731", "0.269"], ["0.269", "0.731"]],
    "scaled_by_d_k": [["0.622", "0.378"], ["0.378", "0.622"]],
    "scaled_twice": [["0.622", "0.378"], ["0.378", "0.622"]],
}


@pytest.mark.parametrize("key", ["unscaled", "scaled_by_d_k"])
def test_a_mistake_is_named(key):
    rows = ROWS[key]
    text = f"weights = [[{', '.join(rows[0])}], [{', '.join(rows[1])}]]\n"
    given = problem({"Q": [[1, 0], [0, 1]], "K": [[1, 0], [0, 1]], "V": [[2, 0], [0, 4]]})
    report = check("page.md", text, given)
    assert {one.mistake for one in report.findings} == {key}
    assert {one.verdict for one in report.findings} == {"wrong"}


def test_exact_claims_are_decided_exactly():
    text = (
        GIVEN
        + "u = e^{1/\\sqrt{2}}\n\n"
        + "weights = [[\\frac{u}{1 + u}, \\frac{1}{1 + u}], [\\frac{1}{1 + u}, \\frac{u}{1 + 2u}]]\n"
    )
    report = check("page.md", text)
    assert [one.printed for one in report.findings if one.verdict == "wrong"] == ["2"]
    assert [one.wanted for one in report.findings if one.verdict == "wrong"] == ["1"]


@pytest.mark.parametrize(
    ("row", "found"),
    [("0.5, -0.02, 0.52", ["-0.02"]), ("0.2, 1.20", ["1.20"]), ("0.5, nan", ["nan"]), ("0.30, 0.30, 0.30", ["0.30"]),
     ("0.33, 0.33, 0.33", []), ("0.2, 0.8", [])],
)  # fmt: skip
def test_what_no_inputs_give_is_told(row, found):
    report = check("page.md", f"Attention by example.\n\nweights = [{row}]\n")
    assert [one.printed for one in report.findings] == found


def test_a_print_with_rows_left_out():
    n = 8
    rows = ", ".join("[" + ", ".join(str(int(i == j)) for j in range(n)) + "]" for i in range(n))
    data = {
        "Q": json.loads(f"[{rows}]"),
        "K": json.loads(f"[{rows}]"),
        "V": [[k] for k in range(n)],
        "attention": {"scale": 1},
    }
    text = "weights =\n[[0.27971 0.1029 ... 0.1029 ]\n ...\n [0.1029  0.1029 ... 0.27979]]\n"
    report = check("page.txt", text, problem(data))
    assert [(one.row, one.col, one.verdict) for one in report.findings] == [
        (0, 0, "correct"), (0, 1, "correct"), (0, 7, "correct"), (7, 0, "correct"), (7, 1, "correct"), (7, 7, "wrong"),
    ]  # fmt: skip
