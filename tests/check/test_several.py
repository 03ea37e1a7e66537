"""Several examples on one page: each number is judged by what its own example gives."""

from __future__ import annotations

import pytest

from symattn.check.page import check

GIVEN = """Queries $Q$:

| | 1 | 2 |
|---|---|---|
| **a** | {} | 0 |
| **b** | {} | 0 |

Keys $K$:

| | 1 | 2 |
|---|---|---|
| **a** | 1 | 0 |
| **b** | {} | 0 |

"""
TABLE = """{}

| {} | a | b |
|---|---|---|
| **a** | {} | {} |
| **b** | {} | {} |

"""
SCORES = ("The scores: the dot product of each query with each key.", "$S$")
WEIGHTS = ("The weights $A$:", "$A$")

FIRST = (
    GIVEN.format(1, 2, 2),
    TABLE.format(*SCORES, 1, 2, 2, 4),
    TABLE.format(*WEIGHTS, "0.330", "0.670", "0.196", "0.804"),
)
SECOND = (
    GIVEN.format(-1, 3, 2),
    TABLE.format(*SCORES, -1, -2, 3, 6),
    TABLE.format(*WEIGHTS, "0.670", "0.330", "0.107", "0.893"),
)
"""By hand, with u = e^(1/sqrt 2) = 2.0281, u^2 = 4.1133, u^3 = 8.3421: scores 1 apart give 1/(1 + u) = 0.330, 2 apart
1/(1 + u^2) = 0.196, 3 apart 1/(1 + u^3) = 0.107.
"""


def wrong(text):
    report = check("page.md", text)
    assert report.missing == ()
    return [finding.printed for finding in report.findings if finding.is_erratum]


def test_a_table_of_dot_products_is_made_of_what_it_names_and_gives_nothing():
    text = "".join((*FIRST, *SECOND))
    assert wrong(text) == []
    assert wrong(text.replace("| -2 |", "| -3 |")) == ["-3"]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (2, 1, 0)])
def test_an_answer_may_stand_under_its_heading_before_what_it_is_made_from(order):
    parts = ("## Key one\n\n", *(FIRST[at] for at in order), "## Key two\n\n", *(SECOND[at] for at in order))
    text = "".join(("# Keys\n\n", *parts))
    assert wrong(text) == []
    assert wrong(text.replace("0.893", "0.897")) == ["0.897"]


def test_a_heading_between_what_is_given_and_its_results_begins_no_example():
    text = "".join(("# Page\n\n", FIRST[0], "## Results\n\n", *FIRST[1:], *SECOND))
    assert wrong(text) == []


def in_latex(text):
    """The same tables in LaTeX, each behind commands of a layout of its own."""
    found = []
    for part in text.strip().split("\n\n"):
        rows = [line[1:-1].split("|") for line in part.splitlines() if "---" not in line]
        if not part.startswith("|"):
            found.append(part)
            continue
        lines = "\n".join(" & ".join(cell.strip(" *") for cell in row) + r" \\" for row in rows)
        frame = "\\par\\nopagebreak\\smallskip\n{\\centering\\leavevmode%\n\\fit{\\begin{tabular}{@{}lcc@{}}\n"
        found.append(f"{frame}{lines}\n\\end{{tabular}}}}\\par}}\n\\smallskip")
    return "\n\n".join(found)


def test_words_are_read_behind_the_commands_of_a_layout():
    report = check("page.tex", in_latex("".join((*FIRST, *SECOND))))
    assert report.missing == ()
    assert [finding.printed for finding in report.findings if finding.is_erratum] == []
    assert len(report.findings) == 16
