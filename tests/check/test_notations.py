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
    "what stands before is divided": (
        "t.md",
        "Scores [[1, 0], [0, 1]]\n\n/√2 → [[0.707, 0], [0, «0.717»]], times V → [[1.340, 1.321], [«0.670», 2.679]]",
    ),
    "a list with dashes": (
        "t.md",
        "- softmax(0.707, 0) = (0.670, «0.340»)\n- exp(0.707) = 2.028\n- $e^{0.707} \\approx «2.038»$\n",
    ),
    "a list with stars": ("t.md", "* softmax(0.707, 0) = (0.670, 0.330)\n* exp(0.707) = «2.058»\n"),
    "a power of a letter of MathML": (
        "t.html",
        "<p>The scores</p><math><mi>Q</mi><msup><mi>K</mi><mi>T</mi></msup><mo>=</mo><mrow><mo>[</mo><mtable>"
        "<mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>«2»</mn></mtd><mtd><mn>1</mn></mtd></mtr>"
        "</mtable><mo>]</mo></mrow></math><p>and divided</p><math><mfrac><mrow><mi>Q</mi><msup><mi>K</mi><mi>T</mi>"
        "</msup></mrow><msqrt><mn>2</mn></msqrt></mfrac><mo>=</mo><mrow><mo>[</mo><mtable><mtr><mtd><mn>0.707</mn>"
        "</mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>0.707</mn></mtd></mtr></mtable><mo>]</mo>"
        "</mrow></math>",
    ),
    "exponentials line by line": (
        "t.md",
        "scaled = [[0.707, 0], [0, 0.707]]\n\nRow 1:\n  exp(0.707) = 2.028\n  exp(0) = 1\n  sum = 3.028\n"
        "  weights = [0.670, 0.330]\n\nRow 2:\n  exp(0) = 1\n  exp(«0.777») = 2.028\n  sum = «3.058»\n",
    ),
    "sums of exponentials that are carried": (
        "t.md", "scaled = [[0.7, 0], [0, 0.7]]\n\nRow 1:\n  exp(0.7) = 2.014\n  exp(0) = 1\n  sum = 3.014\n"
    ),
    "arrays of a test": (
        "t.py",
        "expected_weights = np.array([[0.6698, 0.3302],  # the first token\n"
        "                             [0.3302, «0.6658»]]) # the second, not 0.9\n"
        "out_expected = [[1.340, 1.321], [«0.760», 2.679]]",
    ),
    "a declaration of C": (
        "t.cpp",
        "// weights, by hand\nstatic const float expected_weights[2][2] = {  // P\n    {0.670f, 0.330f},  // row 0\n"
        "    {«0.350f», 0.670f},\n};\nfloat output[][2] = {{1.34f, 1.32f}, {0.66f, 2.68f}};\n",
    ),
    "declarations of Java, Go and Rust": (
        "t.rs",
        "double[][] weights = new double[][] {{0.670, 0.330}, {0.330, «0.680»}};\n"
        "weights := [][]float64{{0.670, 0.330}, {«0.340», 0.670}}\n"
        "let output: [[f32; 2]; 2] = [[1.34_f32, 1.32f32], [0.66, «2.78»]];\n"
        "let weights = vec![vec![«0.77», 0.33], vec![0.33, 0.67]];\n",
    ),
    "what code calls a print": (
        "t.md",
        ">>> attention = F.softmax(scores / math.sqrt(d_k), dim=-1)\n>>> print(attention.round(decimals))\n"
        "[[«0.731» «0.269»]\n [«0.269» «0.731»]]\n",
    ),
    "digits behind a command, and entries by two digits": (
        "t.md",
        r"$A_{11}\approx0.670$, $A_{1,2}\approx«0.350»$, $e^{1/\sqrt2}\approx«2.128»$, $\alpha_{21} \approx.330$",
    ),
    "halves without braces": ("t.md", r"The scores times $\frac1{\sqrt2}$, and $\frac1{\sqrt2}\approx«.717»$."),
    "exponential over sum": (
        "t.md", r"$a_{11} = \frac{2.028}{«2.058»+1} \approx 0.670$ and $a_{12} = \frac{1}{3.028} \approx 0.330$"
    ),
    "dot products with a full stop": (
        "t.txt", "q1.k1 = 1*1 + 0*0 = 1 and q1.k2 = 1*0 + 0*1 = «2», so q2.k2 = 1."
    ),
    "rows one after the other in a sentence": (
        "t.txt",
        "Divide by sqrt(2) = 1.414: (0.707, 0) and («0.100», 0.707). Softmax gives weights (0.670, 0.330) for word 1 "
        "and (0.330, «0.770») for word 2.\n\n"
        "The weights once more. First row: (0.67, 0.33), second row: («0.36», 0.67).",
    ),
    "a sum that does not show in the weight": (
        "t.md", r"Weights: $2.028/3.028 \approx 0.670$ and $1/«3.032» \approx 0.330$, or $1/«3.037» \approx 0.330$."
    ),
    "numbers below and above the line of HTML": (
        "t.html",
        "<p>a<sub>1</sub> = (0.670, «0.350»), e<sup>0.707</sup> &asymp; 2.028 and "
        "e<sup>0</sup> = 1.<sup><a>7</a></sup></p>",
    ),
    "vectors set upright": (
        "t.md",
        r"$q_1^\top k_1 = 1$, $q_1^\top k_2 = 0$, $q_2^\top k_1 = «3»$; "
        r"$z_1 = \begin{bmatrix} 1.340 \\ «1.331» \end{bmatrix}$",
    ),
    "places in brackets, and counted words": (
        "t.txt",
        "score(1,1) = (1)(1) + (0)(0) = 1\nscore(1,2) = (1)(0) + (0)(1) = «2»\n\nOutput 1 = [1.340, 1.321]\nOutput 2 = "
        "[«0.690», 2.679]",
    ),
    "a step over a rounded root": (
        "t.txt",
        "Scaled = [[1/«1.417», 0/1.414],\n          [0/1.414, 1/1.414]]\n"
        "       = [[0.707, 0.000],\n          [0.000, 0.707]]\n",
    ),
    "indices from 1": (
        "t.md", "Output[1] = 0.670×[2, 0] + 0.330×[0, 4] = [1.340, 1.320]\n"
        "Output[2] = 0.330×[2, 0] + 0.670×[0, 4] = [0.660, «2.690»]\n",
    ),
    "rows that only their numbers tell": (
        "t.md",
        "For row 1: [0.707, 0]\n- e^0.707 ≈ 2.028\n- Sum ≈ 3.028\n- Softmax ≈ [0.670, 0.330]\n\n"
        "For row 2: [0.000, «0.717»]\n",
    ),
    "a slip in what is added": ("t.md", "e^0.707 = 2.028, e^0 = 1.000\n\n«2.035» + 1.000 = 3.028"),
    "a row a key, numbered": (
        "t.md",
        "For query 1:\n\n| key | q·k | scaled | exp | weight |\n|---|---|---|---|---|\n"
        "| k1 | 1 | 0.707 | 2.028 | 0.670 |\n"
        "| k2 | 0 | 0 | 1 | «0.340» |\n| sum | | | «3.128» | 1 |\n",
    ),
    "arrays that a test compares": (
        "t.py",
        "torch.testing.assert_close(out, torch.tensor([[1.3395, 1.3210], [0.6605, «2.7790»]]))\n"
        "self.assertTrue(np.allclose(w, [[0.6698, 0.3302], [«0.3502», 0.6698]]))\n"
        "assert weights.tolist() == [[«0.6798», 0.3302], [0.3302, 0.6698]]\n",
    ),
    "brackets over several lines": ("t.txt", "weights:\n\n⎡0.670  0.330⎤\n⎢            ⎥\n⎣«0.340»  0.670⎦\n"),
    "rows that are named behind them": (
        "t.md", "So the output is [1.34, 1.32] for the first token and [0.66, «2.66»] for the second.",
    ),
    "a chain of rounded steps": (
        "t.md", "a_1 = exp(0.707)/(exp(0.707)+exp(0)) = 2.028/(2.028+1) = 2.028/3.028 = 0.670, weights[1][1] = «0.69»",
    ),
    "columns below an equals sign": ("t.m", "weights =\n\n   0.6698   0.3302\n   «0.3502»   0.6698\n"),
}  # fmt: skip
OWN = {
    "letters as titles, and no scale": (
        "For simplicity we don't scale.\n\n| | $q$ | $\\mathbf{k}_i$ | v |\n|---|---|---|---|\n"
        "| I | (1, 0) | (1, 0) | (2, 0) |\n"
        "| am | (0, 1) | (0, 1) | (0, 4) |\n\nFor **I**: softmax -> (0.731, «0.279»), output -> (1.462, 1.076)."
    ),
    "scores that words name": (
        "The scaled attention scores of two tokens are\n\n$$\n\\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}\n$$\n\n"
        "Softmax gives the weights $\\begin{bmatrix} 0.731 & 0.269 \\\\ 0.269 & «0.741» \\end{bmatrix}$."
    ),
    "scores one by one": (
        "Attention of one word: q1·k1 = 24 and q1·k2 = 18. Divide the scores by 3: scaled they are 8 and 6. The "
        "softmax of these is 0.88 and «0.13»."
    ),
    "scaling left out": ("The scaling is left out.\n\n" + GIVEN + "weights = [[0.731, 0.269], [«0.369», 0.731]]"),
}
"""Pages of their own: e^2 / (e^2 + 1) = 0.88079708;
e^1 / (e^1 + 1) = 0.73105858, and 2 * 0.73105858 = 1.46211716, 4 * 0.26894142 = 1.07576568."""


def told(name, text, given=None):
    """Where something is marked, what is told, and what is unread."""
    plain = re.sub("[«»]", "", text)
    report = check(name, plain, given)
    marked = [found.start() - 2 * index for index, found in enumerate(re.finditer("«", text))]
    wrong = [one.start for one in report.findings if one.is_erratum]
    return [plain[at : at + 8] for at in marked], [plain[at : at + 8] for at in wrong], report


def unread(report):
    """Numbers that match nothing, but for those beside a wrong one: what a false line says is not known."""
    false = {one.line + below for one in report.findings if one.is_erratum for below in (0, 1)}
    return [one.printed for one in report.unread if one.line not in false]


@pytest.mark.parametrize("declared", [False, True], ids=["alone", "with its problem"])
@pytest.mark.parametrize("case", CASES)
def test_every_number_is_read_and_the_wrong_one_told(case, declared):
    name, text = CASES[case]
    marked, wrong, report = told(name, GIVEN + text, problem(DATA) if declared else None)
    assert wrong == marked
    assert unread(report) == []


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_a_page_of_its_own(text):
    marked, wrong, report = told("t.md", text)
    assert wrong == marked
    assert unread(report) == []


@pytest.mark.parametrize(
    "text",
    ["// attention\nfloat w[4] = {0.67f, 0.33f, 0.33f, 0.67f};\n"
     "std::vector<float> weights = {0.67f, 0.33f, 0.33f, 0.67f};\n",
     "attention\nstd::vector<float> Q = {1.f, 2.f, 0.f, 1.f}, K = {2.f, 1.f, 1.f, 0.f};\n"
     "auto out = {0.5f, 0.5f, 0.1f, 0.2f};"],
)  # fmt: skip
def test_rows_in_one_line_are_not_accused(text):
    assert told("t.cpp", text)[1] == []


OTHERS = {
    "t.md": "Inputs X = [[1, 2], [3, 4]], weights w = [0.5, -0.25]. The scores are [0, 0.5] and the probabilities "
    "[0.5, 0.62]. The softmax of (1, 2, 3) is (0.09, 0.24, 0.67).\n\n- 5 = 2 + 3\n- 3 times 4 = 12\n* 1 = 1\n",
    "t.js": "const scores = [[10, 20], [30, 40]]; // of players\nconst weights = [[0.5, 0.5], [0.2, 0.8]];\n"
    "expect(output).toEqual([[1, 2], [3, 5]]);\n",
    "t.py": "weights = softmax(Q @ K.T / 8 ** 0.5)\nprint(weights)\n# [[0.1 0.2 0.3 0.4]\n#  [0.7 0.1 0.1 0.1]]\n",
}


@pytest.mark.parametrize("text", ["w(1,2) = 0.33", "f(1, 2) = 0.5", "-ln 0.67 = 0.40 and exp 0.707 = 2.028"])
def test_arguments_are_no_claims(text):
    assert told("t.md", GIVEN + text)[1] == []


def test_what_softmax_is_taken_of_is_not_taken_for_weights():
    text = GIVEN + "The weights of row 2 are 0.33 and 0.67.\n\nThe softmax turns 0.707 and 0 into weights.\n"
    assert told("t.md", text)[1] == []


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_about_something_else_is_not_accused(name):
    assert told(name, OTHERS[name])[1] == []
