"""Numbers that count: what breaks a series or names what is not there is told, what leaves some out is not."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from tests.check.faults import DECLARED, GALLERY, errata
from tests.check.test_page import WHOLE

HEADS = DECLARED.sub("", (GALLERY / "heads.md").read_text())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## Head 1\n", "## Head 8\n"),
        ("**Head 2**:", "**Head 3**:"),
        ("**Head 1**:", "**Head 2**:"),
        ("### Step 2. Scale", "### Step 3. Scale"),
        ("### Step 4. Combine", "### Step 11. Combine"),
        ("| final output | 1 | 2 | 3 |", "| final output | 1 | 9 | 3 |"),
        ("So before step 3, cross", "So before step 10, cross"),
        ("in the row of *swims* in head 1", "in the row of *swims* in head 8"),
        ("head 1, output of *fish*, number 1", "head 1, output of *fish*, number 7"),
        ("\n3. Another has", "\n4. Another has"),
        ("\n1. Nothing but their order", "\n2. Nothing but their order"),
    ],
)
def test_a_number_against_its_series_is_told(old, new):
    """Two heads, four steps in each, three columns of the final output, five questions: all count from 1."""
    at = HEADS.index(old)
    found = errata(check("heads.md", HEADS[:at] + new + HEADS[at + len(old) :]))
    assert [at <= start < at + len(new) for start in found] == [True]


PAGES = {
    name: DECLARED.sub("", (GALLERY / f"{name}.md").read_text())
    for name in (
        "columns",
        "option-context",
        "option-cache",
        "option-mask",
        "option-grouped",
        "option-alibi",
        "heads",
        "napkin-full",
    )
}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "napkin-full",
            "|  | 1 | 2 |\n|---|---|---|\n| **it** | 1.604",
            "|  | 1 | 9 |\n|---|---|---|\n| **it** | 1.604",
        ),
        ("napkin-full", "\\frac{1}{\\sqrt{2}}", "\\frac{1}{\\sqrt{3}}"),
        ("napkin-full", "\\sum_{k=1}^{d_k}", "\\sum_{k=8}^{d_k}"),
        ("columns", "| **2** | 1.198 | 1.503 | 1.432 |", "| **9** | 1.198 | 1.503 | 1.432 |"),
        ("option-context", "Context $C$:\n\n|  | 1 | 2 |", "Context $C$:\n\n|  | 1 | 9 |"),
        ("option-cache", "values are $X$ times $2$", "values are $X$ times $3$"),
        ("option-cache", "| **it** | 1 | 1 |", "| **it** | 1 | 2 |"),
        ("option-cache", "The values she \\[2, 0\\]", "The values she \\[3, 0\\]"),
        ("option-context", "\\begin{bmatrix}1 & 0 & 2", "\\begin{bmatrix}1 & 1 & 2"),
        ("option-context", "\\frac{1}{2},\\ 0", "\\frac{1}{2},\\ 7"),
        ("option-mask", "$[1,\\ 1]$ | $[1,\\ 1]$ | $[1,\\ 1]$", "$[1,\\ 1]$ | $[2,\\ 1]$ | $[1,\\ 1]$"),
        ("option-grouped", "in head 2 to 1.001", "in head 2 to 1.002"),
        ("option-alibi", "so that it adds to 1,", "so that it adds to 2,"),
        ("columns", "exactly $(2,\\ 0,\\ 1)", "exactly $(2,\\ 1,\\ 1)"),
        ("heads", "exactly $[3,\\ 1]$", "exactly $[3,\\ 2]$"),
    ],
)
def test_what_is_said_of_what_is_printed_is_held_to_it(name, old, new):
    page = PAGES[name]
    at = page.index(old)
    assert errata(check("page.md", page)) == []
    found = errata(check("page.md", page[:at] + new + page[at + len(old) :]))
    assert found
    assert at <= found[0] < at + len(new)


@pytest.mark.parametrize(
    "more",
    [
        "1. One.\n1. Two.\n1. Three.\n",
        "3. Three.\n4. Four.\n",
        "# Step 1\n\nThis.\n\n# Step 3\n\nThat.\n\n# Step 4\n\nThose.\n\n# Step 6\n\nThese.\n",
        "# Head 1\n\nThis.\n\n# Head 5\n\nThat.\n",
        "1. & 0.5\n0. & 0.3\n1. & 0.2\n",
        "Others look at head 12 of layer 3.\n",
        "| temperature | 1 | 4 |\n|---|---|---|\n| all | 0.5 | 0.6 |\n",
        "1. One.\n2. Two.\n\nNow again, from where we were.\n\n7. Seven.\n",
    ],
)
def test_a_series_that_leaves_some_out_says_nothing(more):
    assert errata(check("page.md", WHOLE + "\n" + more)) == []
