"""Pages as people write them: what is read, what is taken as given, and what is said of each number."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.check.page import check

PAGES = Path(__file__).parent / "pages"


def verdicts(report):
    return [
        (finding.line, finding.printed, finding.verdict) for finding in report.findings if finding.verdict != "correct"
    ]


def test_a_page_by_hand_with_no_problem_file():
    report = check("by_hand.txt", (PAGES / "by_hand.txt").read_text())
    assert verdicts(report) == [
        (61, "0.504", "adjusted"),
        (74, "1.504", "carried"),
        (74, "1.504", "carried"),
        (87, "0.504", "adjusted"),
    ]
    counts = report.counts()
    assert counts["correct"] >= 60
    assert not report.is_wrong(strict=False)
    assert report.is_wrong(strict=True)


def test_what_was_taken_as_given_opens_the_report():
    report = check("by_hand.txt", (PAGES / "by_hand.txt").read_text())
    assert [taken.name for taken in report.given] == ["Q", "K", "V", "scale 1/sqrt(2)", "mask"]


WHOLE = "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n\n"
"""weights 0.66976154932665692, 0.33023845067334308 and back; outputs 1.3395230986, 1.3209538027."""


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (r"$A \approx \begin{bmatrix} 0.670 & 0.330 \\ 0.330 & 0.670 \end{bmatrix}$", 4),
        (r"$A \approx \begin{pmatrix} 0.670 & 0.330 \cr 0.330 & 0.670 \end{pmatrix}$", 4),
        (r"$A = \left[\begin{array}{cc} 0.670 & 0.330 \\ 0.330 & 0.670 \end{array}\right]$", 4),
        (r"$A = \left(\begin{smallmatrix} 0.670 & 0.330 \\ 0.330 & 0.670 \end{smallmatrix}\right)$", 4),
        ("[\nA=\\begin{bmatrix}0.670&0.330\\0.330&0.670\\end{bmatrix}\n]", 4),
        ("weights = [[0.670, 0.330], [0.330, 0.670]]", 4),
        ("weights = tensor([[0.6698, 0.3302],\n        [0.3302, 0.6698]], dtype=torch.float64)", 4),
        ("attn_weights:\n[[0.66976155 0.33023845]\n [0.33023845 0.66976155]]", 4),
        ("A = np.array([[0.67, 0.33],\n              [0.33, 0.67]])", 4),
        ("P = {{0.670, 0.330}, {0.330, 0.670}}", 4),
        ("A = [0.670 0.330; 0.330 0.670]", 4),
        ("weights\n0.670 0.330\n0.330 0.670\n", 4),
        ("| weights | a | b |\n|---|---|---|\n| a | 0.670 | 0.330 |\n| b | 0.330 | 0.670 |\n", 4),
        ("| weights | a | b |\n|---|---|---|\n| a | 67.0% | 33.0% |\n| b | 33.0% | 67.0% |\n", 4),
        (
            "\\begin{tabular}{lcc}\n\\toprule\nweights & a & b \\\\\n\\midrule\na & $0.670$ & $0.330$ \\\\\n"
            "b & $0.330$ & $0.670$ \\\\\n\\bottomrule\n\\end{tabular}\n",
            4,
        ),
        ("The attention weights in row 1 are 0.670 and 0.330.", 2),
        ("Row 2 of the weights is (0.330, 0.670).", 2),
        ("softmax([0.707, 0]) = [0.670, 0.330]", 4),
        ("softmax(0.707, 0) ≈ (0.670, 0.330)", 4),
        ("weights[1] = [0.330, 0.670]", 2),
        ("e^{0.707} ≈ 2.028", 2),
        ("exp(0.707) / (exp(0.707) + 1) = 0.670", 4),
        ("1/√2 ≈ 0.707", 3),
        ("[1, 0] · [1, 0] = 1*1 + 0*0 = 1", 9),
    ],
)
def test_numbers_are_read(shown, printed):
    report = check("page.md", WHOLE + shown + "\n")
    assert verdicts(report) == []
    assert len(report.findings) == printed
    assert report.unread == ()


@pytest.mark.parametrize(
    ("shown", "column"),
    [
        (r"$A \approx \begin{bmatrix} 0.671 & 0.330 \\ 0.330 & 0.670 \end{bmatrix}$", 28),
        ("weights = [[0.670, 0.330], [0.230, 0.670]]", 29),
        ("attn_weights: [[0.66976155 0.33023855] [0.33023845 0.66976155]]", 28),
        ("The attention weights in row 1 are 0.670 and 0.430.", 46),
        ("softmax([0.707, 0]) = [0.670, 0.340]", 31),
        ("e^{0.707} ≈ 2.128", 13),
        ("[1, 0] · [1, 0] = 1*1 + 0*0 = 2", 31),
        ("output = [[1.340, 1.321], [-0.660, 2.679]]", 28),
    ],
)
def test_a_wrong_number_is_found_at_its_place(shown, column):
    report = check("page.md", WHOLE + shown + "\n")
    assert [(finding.line, finding.column) for finding in report.findings if finding.is_erratum] == [(5, column)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing about it: 12 apples and 7 pears cost 3.50.",
        "Q = [[1, 0], [0, 1]]\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "1*2 + 0*3 = 5",
        "\\begin{bmatrix} 1 & 2",
        "$$ \\frac{1}{",
        "[[[[[[",
        "weights = [0.2, 0.9]",
    ],
)
def test_what_is_not_about_attention_is_not_called_wrong(text):
    report = check("page.md", text)
    assert report.findings == ()
    assert not report.is_wrong(strict=True)


def test_several_examples_on_one_page():
    page = (
        "# First\n\n$Q = [[1, 0]]$, $K = [[1, 0], [0, 1]]$, $V = [[2], [4]]$\n\n$A = [[0.670, 0.330]]$\n\n"
        "# Second\n\n$Q = [[2, 0]]$, $K = [[2, 0], [0, 1]]$, $V = [[1], [3]]$\n\n$A = [[0.944, 0.056]]$\n"
    )
    report = check("page.md", page)
    assert verdicts(report) == []
    assert [finding.printed for finding in report.findings if finding.quantity == "weights"] == [
        "0.670",
        "0.330",
        "0.944",
        "0.056",
    ]


def test_weights_that_are_called_scores_are_judged_as_weights_with_a_warning():
    report = check("page.md", WHOLE + "scores = [[0.670, 0.330], [0.330, 0.780]]\n")
    assert {(finding.quantity, finding.verdict) for finding in report.findings} == {("scores", "wrong")}
    report = check("page.md", WHOLE + "scores = [[0.670, 0.330], [0.330, 0.670]]\n")
    assert {(finding.quantity, finding.verdict) for finding in report.findings} == {("weights", "correct")}
    assert [finding.because.key for finding in report.findings if finding.because] == ["misnamed"]
    right = check("page.md", WHOLE + "scores = [[1, 0], [0, 1]]\n")
    assert {(finding.quantity, finding.because) for finding in right.findings} == {("scores", None)}


ROUNDED = "scaled scores ≈ [[1.2, 0.3]]\nV = [[2], [10]]\n\n"
"""The weights of 0.9 between the two are 0.710950 and 0.289050, those of 0.98 are 0.727108 and 0.272892 (mpmath)."""


@pytest.mark.parametrize(
    ("shown", "verdicts_of"),
    [
        ("weights = [[0.727, 0.273]]\noutput = [[4.183]]", ["input_rounding", "input_rounding", "input_rounding"]),
        ("weights = [[0.711, 0.289]]\noutput = [[4.312]]", ["correct", "correct", "correct"]),
        ("output = [[4.183]]", ["input_rounding"]),
        ("output = [[4.150]]", ["wrong"]),
        ("output = [[4.482]]", ["wrong"]),
    ],
)
def test_what_rounded_inputs_may_give_is_no_erratum(shown, verdicts_of):
    """Inputs within half a unit give differences from 0.8 to 1.0, and so outputs from 4.1515 to 4.4802."""
    found = [finding for finding in check("page.md", ROUNDED + shown + "\n").findings if finding.line > 3]
    assert [finding.verdict for finding in found] == verdicts_of


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ("| **a** | 0.670 | 0.250 |\n| **b** | 0.330 | 0.750 |\n", 0),
        ("| **a** | 0.670 | 0.330 |\n| **b** | 0 | 0 |\n", 0),
        ("| **a** | 0.670 | 0.230 |\n| **b** | 0.330 | 0.670 |\n", 1),
        ("| **a** | 1.670 | 0.330 |\n| **b** | 0.330 | 0.670 |\n", 1),
    ],
    ids=["one column a token", "a row that sees nothing", "a row that adds to less", "above 1"],
)
def test_weights_that_no_inputs_give_are_told_whatever_the_page_is_about(rows, wrong):
    report = check("page.md", "Attention.\n\n| weights | a | b |\n|---|---|---|\n" + rows)
    assert len([finding for finding in report.findings if finding.is_erratum]) == wrong


def test_a_number_that_is_right_although_an_earlier_one_is_wrong_is_told():
    """0.680 * 2 = 1.360, where 1.340 stands; 0.330 * 4 = 1.320 is a rounding away from 1.321, whatever 0.680 is."""
    text = "weights = [[0.680, 0.330], [0.330, 0.670]]\noutput = [[1.340, 1.321], [0.660, 2.679]]\n"
    report = check("page.md", WHOLE + text)
    told = [(one.printed, one.verdict, one.because.key, one.because.parts) for one in report.findings if one.because]
    assert told == [("0.680", "wrong", "wrong", ()), ("1.340", "correct", "although", ("0.680",))]
    follows = check("page.md", WHOLE + text.replace("1.340", "1.360"))
    assert [(one.printed, one.verdict) for one in follows.findings if one.because] == [
        ("0.680", "wrong"), ("1.360", "propagated"),
    ]  # fmt: skip
