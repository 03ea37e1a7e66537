"""Entries written out one by one: false factors and false indices are told, though the line is true with them."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from tests.check.faults import DECLARED, GALLERY, errata

FULL = DECLARED.sub("", (GALLERY / "napkin-full.md").read_text())
CONTEXT = DECLARED.sub("", (GALLERY / "option-context.md").read_text())


@pytest.mark.parametrize(
    ("page", "line", "spoiled"),
    [
        (FULL, "S_{1,2} &= 1 \\cdot 0 + 0 \\cdot 1 = 0", "S_{1,2} &= 8 \\cdot 0 + 0 \\cdot 1 = 0"),
        (FULL, "S_{1,2} &= 1 \\cdot 0 + 0 \\cdot 1 = 0", "S_{1,9} &= 1 \\cdot 0 + 0 \\cdot 1 = 0"),
        (FULL, "S_{3,3} &= 1 \\cdot 1 + 1 \\cdot 1 = 2", "S_{2,3} &= 1 \\cdot 1 + 1 \\cdot 1 = 2"),
        (CONTEXT, "+ 0.198 \\cdot 0 + 0.401 \\cdot 1 = 0.802", "+ 0.199 \\cdot 0 + 0.401 \\cdot 1 = 0.802"),
        (CONTEXT, "Z_{1,2} &= 0.401", "Z_{1,3} &= 0.401"),
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
    "line", ["Z_{0,0} = 0.401 \\cdot 1 + 0.198 \\cdot 0 + 0.401 \\cdot 1", "T_{7,7} = 3 \\cdot 4 = 12"]
)
def test_entries_counted_from_0_and_letters_of_something_else_are_left_alone(line):
    assert errata(check("page.md", f"{CONTEXT}\n\n$${line}$$\n")) == []
