"""Entries written out one by one: false factors and false indices are told, though the line is true with them."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from tests.check.faults import DECLARED, GALLERY, errata

FULL = DECLARED.sub("", (GALLERY / "napkin-full.md").read_text())
LEARNED = DECLARED.sub("", (GALLERY / "learned.md").read_text())
CONTEXT = DECLARED.sub("", (GALLERY / "option-context.md").read_text())


@pytest.mark.parametrize(
    ("page", "line", "spoiled"),
    [
        (FULL, "S_{1,2} &= 1 \\cdot 0 + 0 \\cdot 1 = 0", "S_{1,2} &= 8 \\cdot 0 + 0 \\cdot 1 = 0"),
        (FULL, "S_{1,2} &= 1 \\cdot 0 + 0 \\cdot 1 = 0", "S_{1,9} &= 1 \\cdot 0 + 0 \\cdot 1 = 0"),
        (FULL, "S_{3,3} &= 1 \\cdot 1 + 1 \\cdot 1 = 2", "S_{2,3} &= 1 \\cdot 1 + 1 \\cdot 1 = 2"),
        (CONTEXT, "+ 0.198 \\cdot 0 + 0.401 \\cdot 1 = 0.802", "+ 0.199 \\cdot 0 + 0.401 \\cdot 1 = 0.802"),
        (CONTEXT, "Z_{1,2} &= 0.401", "Z_{1,3} &= 0.401"),
        (FULL, "V_{1,1} &= 1 \\cdot 2 + 0 \\cdot 0", "V_{1,1} &= 1 \\cdot 2 + 7 \\cdot 0"),
        (CONTEXT, "1 \\cdot 1 + 1 \\cdot 0 + 0 = 1", "1 \\cdot 1 + 8 \\cdot 0 + 0 = 1"),
        (FULL, "S'_{2,1} &= \\frac{0}", "S'_{2,1} &= \\frac{7}"),
        (FULL, "S'_{3,3} &= \\frac{2}", "S'_{4,0} &= \\frac{2}"),
        (FULL, "E_{1,2} &= e^{0}", "E_{1,9} &= e^{0}"),
        (FULL, "\\frac{2.028}{2.028 + 1 + 2.028} \\approx 0.401", "\\frac{2.028}{2.028 + 1 + 2.029} \\approx 0.401"),
        (FULL, "Z_{3,1} &= 0.248255", "Z_{3,1} &= 0.248256"),
        (LEARNED, "- 0.060 \\cdot 0.920 + 0.580", "- 0.060 \\cdot 0.927 + 0.580"),
        (LEARNED, "- 0.100 \\cdot (-0.120)", "- 0.101 \\cdot (-0.120)"),
    ],
)
def test_what_is_multiplied_by_0_and_what_an_index_names_is_held_to_the_entry(page, line, spoiled):
    """Queries [1, 0], keys [0, 1]; the row of it is 0.401, 0.198, 0.401."""
    at = page.index(line)
    found = errata(check("page.md", page[:at] + spoiled + page[at + len(line) :]))
    assert found
    end = page.index("\n", at)
    assert all(at <= start < end for start in found)


@pytest.mark.parametrize(
    "line",
    [
        "Z_{0,0} = 0.401 \\cdot 1 + 0.198 \\cdot 0$$\n\n$$Z_{1,0} = 0.198 \\cdot 1 + 0.401 \\cdot 0",
        "T_{7,7} = 3 \\cdot 4 = 12",
        "V_{1,2} = 1.500",
    ],
)
def test_entries_counted_from_0_and_letters_of_something_else_are_left_alone(line):
    assert errata(check("page.md", f"{CONTEXT}\n\n$${line}$$\n")) == []
