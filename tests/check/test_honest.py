"""Honest pages of random problems: nothing on them is called wrong, with the declaration and from their words alone.

They are generated and so correctly rounded, which other tests prove against the reference evaluator; entries are such
as stand on a page with all their digits. Fixed cases are pages that were accused once.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.check.blocks import blocks
from symattn.check.page import check
from symattn.check.reading.page import page_text
from symattn.check.report import Report
from symattn.derive.sections import worked
from symattn.parse.problem import problem as parsed
from symattn.render.page import Wish, made
from tests.check.faults import DECLARED, errata
from tests.check.test_layers import matrix
from tests.exact.common import steady
from tests.reference import printed
from tests.strategies import matrices

NAMES = ("it", "cat", "tired", "dog", "river", "bank")
SHORT = st.one_of(st.integers(-3, 3), st.sampled_from(["0.5", "-0.5", "1.5", "-2.5"]))
SCALES = ("1/3", "1/2", "2", "sqrt(2)", "0.3", "sqrt(3)/2")


@st.composite
def honest(draw: st.DrawFn) -> dict[str, Any]:
    """A problem whose sizes are all different, none of them 1."""
    n, d_model, d_k, d_v, wide = draw(st.permutations([2, 3, 4, 5, 6]))
    heads = draw(st.sampled_from([1, 1, 2]))
    problem: dict[str, Any] = {"tokens": list(NAMES[:n]), "X": draw(matrices(n, d_model, SHORT))}
    for name, columns in (("W_Q", heads * d_k), ("W_K", heads * d_k), ("W_V", heads * d_v)):
        problem[name] = draw(matrices(d_model, columns, st.integers(-1, 1)))
    if draw(st.booleans()):
        problem["W_O"] = draw(matrices(heads * d_v, wide, st.integers(-2, 2)))
    attention: dict[str, Any] = {"num_heads": heads}
    attention |= draw(st.sampled_from([{}, {"causal": True}])) | draw(
        st.sampled_from([{}, {}, *({"scale": scale} for scale in SCALES)])
    )
    page = {"decimals": draw(st.integers(2, 5)), "row_sums": draw(st.sampled_from(["as-is", "one"]))}
    page["ties"] = draw(st.sampled_from(["half-up", "half-even"]))
    return problem | {"attention": attention, "page": page}


def read(text: str, *, declared: bool, ending: str = "md") -> Report:
    """The page by reading and working alone, without the page made anew."""
    return check(f"page.{ending}", text if declared else DECLARED.sub("", text))


def accused(report: Report, text: str) -> list[tuple[str, str]]:
    lines = text.split("\n")
    return [(finding.printed, lines[finding.line - 1]) for finding in report.findings if finding.is_erratum]


@pytest.mark.parametrize("ending", ["md", "tex"])
@pytest.mark.parametrize("declared", [True, False])
@steady(20)
@given(honest())
def test_no_number_of_a_random_page_is_called_wrong(ending, declared, problem):
    """Undeclared, rows are as they are: of a row made to add to 1 only one weight may be ``adjusted``."""
    if not declared:
        problem["page"]["row_sums"] = "as-is"
    text = made(worked(parsed(problem)), Wish(format=ending)).text
    report = read(text, declared=declared, ending=ending)
    assert accused(report, text) == []
    assert report.missing == ()
    assert len(report.findings) > len(report.unread)


@st.composite
def honest_layers(draw: st.DrawFn) -> dict[str, Any]:
    """Two layers of one width, each with heads, a mask and a factor of its own."""
    n, width = draw(st.permutations([2, 3, 4, 5]))[:2]
    layers: list[dict[str, Any]] = []
    for _ in range(2):
        heads, d_k = draw(st.sampled_from([1, 1, 2])), draw(st.integers(2, 4))
        d_v = width if heads == 1 else draw(st.integers(2, 3))
        sizes = {"W_Q": heads * d_k, "W_K": heads * d_k, "W_V": heads * d_v}
        layer: dict[str, Any] = {"num_heads": heads, "residual": draw(st.booleans()), "causal": draw(st.booleans())}
        layer |= {name: draw(matrices(width, columns, st.integers(-1, 1))) for name, columns in sizes.items()}
        if heads > 1:
            layer["W_O"] = draw(matrices(heads * d_v, width, st.integers(-1, 1)))
        layers.append(layer | draw(st.sampled_from([{}, {}, {"scale": "1/3"}])))
    found: dict[str, Any] = {"tokens": list(NAMES[:n]), "X": draw(matrices(n, width, SHORT)), "layers": layers}
    return found | {"page": {"decimals": draw(st.integers(2, 5))}}


@pytest.mark.parametrize("declared", [True, False])
@steady(20)
@given(honest_layers())
def test_no_number_of_a_random_page_of_layers_is_called_wrong(declared, problem):
    text = made(worked(parsed(problem)), Wish()).text
    report = read(text, declared=declared)
    assert accused(report, text) == []
    assert report.missing == ()
    assert len(report.findings) > len(report.unread)


Q, K, V = [[1, 2], [-1, 1], [0, 3]], [[2, 1], [1, -1]], [[1, 0, 2], [3, -1, 0]]


def by_hand(scale: str, said: str) -> str:
    """A page in other words than ours, with the numbers of the reference evaluator."""
    right = printed({"Q": Q, "K": K, "V": V, "attention": {"scale": scale}, "page": {"decimals": 4}})
    (head,) = right["heads"]
    arrays = {"Q": Q, "K": K, "V": V, "S": head["scores"], "A": head["weights"], "Z": head["output"]}
    lines = [f"$$\n{name} = {matrix(rows)}\n$$\n" for name, rows in arrays.items()]
    return "\n".join(["# Attention with another factor\n", *lines[:4], f"{said}\n", *lines[4:]])


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ("1/3", "Then every score is divided by 3, and softmax gives the weights."),
        ("1/3", "We divide the scores by $3$ before softmax."),
        ("5/2", r"The dot products are multiplied by $\frac{5}{2}$."),
        ("1/sqrt(7)", r"Scores are now divided by $\sqrt{7}$."),
        ("1/(2*sqrt(3))", r"Each score gets divided by $2\sqrt{3}$."),
    ],
)
def test_a_factor_that_words_put_on_scores_is_taken(scale, said):
    text = by_hand(scale, said)
    report = check("page.md", text)
    assert accused(report, text) == []
    assert any(taken.name.startswith("scale ") for taken in report.given)
    weights = [finding for finding in report.findings if finding.quantity == "weights"]
    assert {finding.verdict for finding in weights} == {"correct"}
    moved = text.replace(weights[0].printed, f"0.{(int(weights[0].printed[2:]) + 7) % 10**4:04d}", 1)
    assert weights[0].start in errata(check("page.md", moved))


def test_a_factor_that_the_numbers_do_not_fit_is_not_taken():
    """The words say 3, the numbers are made with the root of 2."""
    text = by_hand("1/sqrt(2)", "Somebody else might have divided the scores by 3.")
    report = check("page.md", text)
    assert accused(report, text) == []
    assert "scale 1/sqrt(2)" in {taken.name for taken in report.given}


@pytest.mark.parametrize("label", ["Z^{(1)}_{2,3}", "Z_{2,3}^{(1)}"])
def test_an_entry_of_a_head_has_its_row_and_column(label):
    (block,) = blocks(page_text(text := f"$$\n{label} = 4.51\n$$\n", text))
    assert [(own.quantity, own.head, own.row, own.column) for own in block.own] == [("output", 0, 1, 2)]


def test_digits_before_an_ellipsis_are_of_the_exact_number_whatever_the_policy():
    """e^(7/(2 sqrt 5)) = 4.78385..., though a pencil worker who writes 1.56525 for its exponent has 4.78388."""
    rows = {"Q": [["3.5", 0, 0, 0, 0], [0, 0, 0, 0, 0]], "K": [[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]], "V": [[1, 2], [3, 4]]}
    text = made(worked(parsed(rows | {"page": {"decimals": 5, "rounding": "carried"}})), Wish()).text
    assert "4.78385\\ldots" in text
    assert accused(read(text, declared=True), text) == []


def test_a_page_with_few_decimals_is_read_to_its_end():
    """At one decimal a pencil worker has a row of zeros only: nobody goes on from there."""
    rows = {"tokens": ["it", "cat"], "Q": [[8, 0], [1, 2]], "K": [[-1, 0], [-1, 1]], "V": [[1, 2], [0, 1]]}
    text = made(worked(parsed(rows)), Wish()).text + (
        "\n|  | exactly | from rounded numbers |\n|---|---|---|\n| weight of *it* on *cat* | $0.5\\ldots$ | 0.5 |\n"
    )
    assert accused(read(text, declared=False), text) == []


def test_vectors_that_are_named_one_after_the_other_are_of_one_array():
    """In the words of the picture the value of *cat* is 1.50, -0.50, and its output is 1.49, -0.50."""
    rows = {"tokens": ["it", "cat", "tired", "dog"], "X": [["-0.5", "0.5"], ["1.5", 2], ["0.5", 0], ["0.5", -2]]}
    rows |= {"W_Q": [[1, -1, -1], [0, 0, 1]], "W_K": [[1, -1, -1], [1, -1, 1]], "W_V": [[1, 1], [0, -1]]}
    text = made(worked(parsed(rows | {"page": {"decimals": 2}})), Wish()).text
    assert "cat \\[1.50, −0.50\\] and" in text
    assert accused(read(text, declared=False), text) == []


def test_an_entry_written_out_may_keep_the_term_that_is_hidden():
    """Its row and the next print the same: 0.00, 1.00, and 0 for a key that is hidden in one of them."""
    rows = {"Q": [[1], [1], [1]], "K": [[0], [8], [-1]], "V": [[1, 2], [3, 4], [5, 6]]}
    text = made(worked(parsed(rows | {"attention": {"causal": True}, "page": {"decimals": 2}})), Wish()).text
    line = "\n$$\nZ_{2,1} = 0.00 \\cdot 1 + 1.00 \\cdot 3 + 0 \\cdot 5 = 3.00\n$$\n"
    assert accused(read(text + line, declared=False), text + line) == []


def test_a_mask_is_taken_from_what_is_hidden_where_no_other_number_tells():
    """Both keys are the same, and of a row 1, 0 the digits are no closer to one than to 0.5."""
    arrays = {"Q": [[1, 2], [1, 2]], "K": [[3, 1], [3, 1]], "V": [[1, 0, 2], [1, 0, 2]], "S": [[5, 5], [5, 5]]}
    arrays |= {"M": [["3.536", "-\\infty"], ["3.536", "3.536"]], "A": [[1, 0], ["0.500", "0.500"]]}
    parts = [f"$$\n{name} = {matrix(rows)}\n$$\n" for name, rows in arrays.items()]
    parts[4] = f"Scaled, with a causal mask:\n\n{parts[4]}"
    text = "\n".join(["# Attention\n", *parts])
    report = check("page.md", text)
    assert accused(report, text) == []
    assert {name for name in ("mask", "mask as shown") if name in {taken.name for taken in report.given}}
