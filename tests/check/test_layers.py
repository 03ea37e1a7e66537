"""Pages on several layers: each layer is judged by what the one before it gives, exactly, whoever wrote the page.

Right numbers are those of the reference evaluator; pages by hand are in other words than ours.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from symattn import Problem
from symattn.check.fix import fixed
from symattn.check.page import check
from symattn.check.propose import proposal
from symattn.check.report import Report
from symattn.errors import SpecError
from symattn.parse import problem as parse
from tests.check.faults import DECLARED, GALLERY, errata
from tests.reference import printed_layers

PROBLEM: dict[str, Any] = {
    "X": [[1, 0, 2, -1], [0, 1, 1, 0], [-1, 2, 0, 1]],
    "attention": {"causal": True},
    "layers": [
        {
            "W_Q": [[1, 0], [0, 1], [1, 0], [0, -1]],
            "W_K": [[0, 1], [1, 0], [0, 1], [1, 1]],
            "W_V": [[1, 0, 0, 1], [0, 2, 0, 0], [1, 0, 1, 0], [0, 0, 0, -1]],
            "residual": True,
        },
        {
            "W_Q": [[1, 0, 0, 0, 1], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]],
            "W_K": [[0, 0, 0, 1, 0], [1, 0, 0, 0, 0], [0, -1, 0, 0, 0], [0, 0, 1, 0, 1]],
            "W_V": [[1, 2], [0, 1], [-1, 0], [1, 1]],
        },
    ],
    "page": {"decimals": 3, "rounding": "nearest"},
}
RIGHT = printed_layers(PROBLEM)


def matrix(rows: list[list[Any]]) -> str:
    lines = r" \\ ".join(" & ".join(str(entry).replace("-oo", r"-\infty") for entry in row) for row in rows)
    return rf"\begin{{bmatrix}}{lines}\end{{bmatrix}}"


def page(right: list[dict[str, Any]] = RIGHT, tokens: list[list[Any]] | None = None, between: str = "") -> str:
    """The problem as somebody else might set it: arrays by their letters, the layer's number above them."""
    parts = ["# A tiny decoder\n\nNo token attends to later ones: causal attention, scaled by $\\sqrt{d_k}$.\n"]
    for index, (layer, own) in enumerate(zip(PROBLEM["layers"], right, strict=True)):
        above = f"^{{({index + 1})}}"
        (head,) = own["heads"]
        given = PROBLEM["X"] if index == 0 else tokens or right[index - 1]["whole"]
        parts.append(f"## Layer {index + 1}\n\n{between if index else ''}")
        arrays = {"X": given} | {name: layer[name] for name in ("W_Q", "W_K", "W_V")}
        arrays |= {"S": head["scores"], "A": head["weights"], "Z": head["output"]}
        parts += [f"$$\n{name}{above} = {matrix(rows)}\n$$\n" for name, rows in arrays.items()]
        if layer.get("residual"):
            parts.append(f"After the residual connection:\n\n$$\nX'{above} = {matrix(own['whole'])}\n$$\n")
    return "\n".join(parts)


def judged(text: str, **options: Any) -> Report:
    report = check("page.md", text, **options)
    assert report.missing == ()
    return report


def test_a_page_by_hand_is_read_layer_by_layer_and_clean():
    report = judged(page())
    assert {finding.verdict for finding in report.findings} == {"correct"}
    found = {(finding.quantity, finding.row, finding.col) for finding in report.findings}
    assert {(name, 2, 1) for name in ("X", "scores", "weights", "output", "residual")} <= found
    assert report.unread == ()


def test_what_a_page_says_is_proposed_as_a_file_of_layers():
    (data,) = judged(page()).proposed
    proposed = parse.loads(proposal(data), "toml")
    asked = Problem(**PROBLEM)
    assert (proposed.X, len(proposed.layers)) == (asked.X, 2)
    assert [layer.W_K for layer in proposed.layers] == [layer.W_K for layer in asked.layers]
    assert [layer.attention.residual for layer in proposed.layers] == [True, False]


def moves(text: str) -> list[tuple[str, str]]:
    """A number of each array that is worked, as it is and moved, in both layers."""
    found = []
    for right in RIGHT:
        (head,) = right["heads"]
        for rows in (head["weights"], head["output"], right["whole"]):
            good = next(entry for row in reversed(rows) for entry in row if "." in entry and text.count(entry) < 3)
            found.append((good, good[:-1] + str((int(good[-1]) + 5) % 10)))
    return found


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(("good", "bad"), moves(page()))
def test_a_moved_number_is_found_at_its_place_in_either_layer(good, bad, declared):
    """The last print of the number: the one before it stands in the layer before."""
    text = page()
    at = text.rindex(good)
    spoiled = text[:at] + bad + text[at + len(good) :]
    found = judged(spoiled, **({"problem": Problem(**PROBLEM), "declares": True, "name": "file"} if declared else {}))
    assert at in errata(found)
    assert all(start >= at for start in errata(found))


def test_a_page_of_layers_is_put_right_by_a_problem_file():
    text = page()
    bad = page().replace(RIGHT[1]["whole"][2][1], "9.999")
    assert bad != text
    mended, _ = fixed(bad, lambda source: check("page.md", source, Problem(**PROBLEM), declares=True, name="file"))
    assert mended == text


def test_what_was_written_by_hand_is_carried_into_the_next_layer():
    """Outputs made of the weights as they are printed: so are the tokens with these added, and what the next reads."""
    (head,), first = RIGHT[0]["heads"], PROBLEM["layers"][0]
    values = [
        [sum(x * w for x, w in zip(row, column, strict=True)) for column in zip(*first["W_V"], strict=True)]
        for row in PROBLEM["X"]
    ]
    mixed = [
        [
            sum(Decimal(weight) * value for weight, value in zip(line, column, strict=True))
            for column in zip(*values, strict=True)
        ]
        for line in head["weights"]
    ]
    output = [[str(entry) for entry in row] for row in mixed]
    whole = [[str(x + entry) for x, entry in zip(*rows, strict=True)] for rows in zip(PROBLEM["X"], mixed, strict=True)]
    by_hand = [{"heads": [head | {"output": output}], "whole": whole}, RIGHT[1]]
    report = judged(page(by_hand))
    assert errata(report) == []
    carried = Counter(finding.quantity for finding in report.findings if finding.verdict == "carried")
    differ = sum(
        Decimal(one) != Decimal(other)
        for rows in zip(whole, RIGHT[0]["whole"], strict=True)
        for one, other in zip(*rows, strict=True)
    )
    assert carried == {"output": differ, "residual": differ, "X": differ}
    assert differ > 2


def test_tokens_of_a_further_layer_may_be_closed_forms():
    """Of the first token the mask leaves one value, so what it gives is whole."""
    tokens = [list(row) for row in RIGHT[0]["whole"]]
    tokens[0] = [rf"\frac{{{2 * int(entry)}}}{{2}}" for entry in tokens[0]]
    report = judged(page(tokens=tokens))
    assert {finding.verdict for finding in report.findings} == {"correct"}


def test_a_problem_of_one_layer_judges_a_page_whose_headings_count_layers():
    """The first layer alone, by its file: the second is none of its numbers, and no heading is wrong."""
    problem = {"X": PROBLEM["X"], "attention": {"causal": True, "residual": True}}
    problem |= {name: PROBLEM["layers"][0][name] for name in ("W_Q", "W_K", "W_V")}
    first = page()[: page().index("## Layer 2")] + "## Layer 2\n\nIt is left to softmax and to the reader.\n"
    report = judged(first, problem=Problem(**problem), name="file")
    assert {finding.verdict for finding in report.findings} == {"correct"}
    assert "residual" in {finding.quantity for finding in report.findings}


@pytest.mark.parametrize(
    "tokens",
    [
        [["0.5", "-1.5", "0.5", "0.5"], ["1.2", "-1.1", "0.3", "-0.4"], ["-1.7", "0.6", "0.6", "0.5"]],
        [["7", "8", "9", "7"], ["8", "7", "9", "9"], ["7", "7", "8", "8"]],
    ],
)
def test_layers_that_are_not_chained_are_named_as_missing_and_not_judged(tokens):
    """As where a normalization, or the rest of a layer, stands between them."""
    report = check("page.md", page(tokens=tokens, between="Each row is normalized first.\n\n"))
    assert (report.missing, errata(report)) == (("layers",), [])


@pytest.mark.parametrize(
    ("good", "bad", "wanted"),
    [
        ("## Layer 2", "## Layer 7", "2"),
        ("A^{(2)}", "A^{(9)}", "2"),
        ("W_K^{(1)}", "W_K^{(5)}", "1"),
    ],
)
def test_a_number_of_a_layer_that_is_not_there_is_found(good, bad, wanted):
    text = page()
    found = judged(text.replace(good, bad)).findings
    (wrong,) = [finding for finding in found if finding.is_erratum]
    assert (wrong.printed, str(wrong.value)) == (bad.strip("#{}()^ ")[-1:], wanted)


def test_a_page_with_one_layer_of_attention_among_others_is_read_as_before():
    """Embedding, attention and a projection under headings of their own are no layers of attention in a row."""
    whole = page()
    work = whole[whole.index("$$\nX^{(1)}") : whole.index("After the residual")].replace("^{(1)}", "")
    text = f"# A model\n\n## Layer 1: embedding\n\nTokens become rows.\n\n## Layer 2: causal attention\n\n{work}\n"
    text += "## Layer 3: projection\n\nA table mixes them.\n"
    report = judged(text)
    assert {finding.verdict for finding in report.findings} == {"correct"}
    assert {"scores", "weights", "output"} <= {finding.quantity for finding in report.findings}


def test_the_sum_of_tokens_and_output_of_a_single_layer_is_read():
    text = page()[: page().index("## Layer 2")].replace("## Layer 1\n\n", "").replace("^{(1)}", "")
    report = judged(text)
    assert {finding.verdict for finding in report.findings} == {"correct"}
    assert "residual" in {taken.name for taken in report.given}
    (moved,) = [
        finding for finding in report.findings if (finding.quantity, finding.row, finding.col) == ("residual", 2, 3)
    ]
    bad = text[: moved.start] + str(int(float(moved.printed)) + 7) + text[moved.end :]
    assert errata(check("page.md", bad)) == [moved.start]


def test_layers_of_a_file_that_the_page_does_not_head_are_refused():
    with pytest.raises(SpecError, match="has 2 layers, and the page has not one heading for each"):
        check("page.md", page().replace("## Layer 2", "## More"), Problem(**PROBLEM), name="file")


@pytest.mark.parametrize("ending", ["md", "tex"])
def test_a_generated_page_of_layers_is_read_without_its_declaration(ending):
    path = GALLERY / f"option-layers.{ending}"
    assert [taken.name for taken in check(path.name, path.read_text()).given] == ["declaration"]
    report = check(path.name, DECLARED.sub("", path.read_text()))
    assert report.missing == ()
    assert {finding.verdict for finding in report.findings} == {"correct"}
    assert len(report.findings) > 300
    assert {"residual of layer 2", "W_K of layer 2"} <= {taken.name for taken in report.given}


def test_a_value_that_rounding_hides_in_a_mix_is_told():
    """0.3485 * 0.6612 is 0.2304 as 0.3485 * 0.6605 is 0.2302: the line stays true."""
    text = DECLARED.sub("", (GALLERY / "option-layers.md").read_text())
    at = text.index("0.6605,\\ 1.3395] \\approx")
    assert errata(check("page.md", text[:at] + "0.6612" + text[at + 6 :])) == [at]
