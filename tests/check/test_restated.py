"""What a page says of an option again and again is one value: the one that its numbers are made with."""

from __future__ import annotations

import pytest

from symattn.check.page import check
from tests.check.faults import DECLARED, GALLERY, errata

NAMES = ("option-softcap", "option-temperature", "option-alibi", "option-rotary")
PAGES = {name: DECLARED.sub("", (GALLERY / f"{name}.md").read_text()) for name in NAMES}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("softcap", "becomes $2 \\tanh(s / 2)$", "becomes $9 \\tanh(s / 2)$"),
        ("softcap", "becomes $2 \\tanh(s / 2)$", "becomes $2 \\tanh(s / 3)$"),
        ("softcap", "stays between $-2$", "stays between $5$"),
        ("softcap", "and $2$.", "and $3$."),
        ("softcap", "\\left(\\frac{1}{2}\\,", "\\left(\\frac{1}{9}\\,"),
        ("temperature", "by the temperature $2$", "by the temperature $3$"),
        ("temperature", "\\left(\\frac{1}{2}\\left(", "\\left(\\frac{8}{2}\\left("),
        ("alibi", "minus $\\frac{1}{256}$", "minus $\\frac{1}{257}$"),
        ("rotary", "counted from 0", "counted from 1"),
        ("rotary", "numbers 1 and 2 by", "numbers 1 and 3 by"),
    ],
)
def test_the_one_number_that_says_otherwise_is_told(name, old, new):
    page = PAGES[f"option-{name}"]
    at = page.index(old)
    assert errata(check("page.md", page)) == []
    found = errata(check("page.md", page[:at] + new + page[at + len(old) :]))
    assert len(found) == 1
    assert at <= found[0] < at + len(new)


def test_what_others_cap_at_is_no_contradiction():
    others = "Gemma caps its scores with $30 \\tanh(s / 30)$, which stays between $-30$ and $30$."
    assert errata(check("page.md", f"{PAGES['option-softcap']}\n{others}\n")) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("option-cache", "\\textbf{it} & $1$ & $1$ \\\\", "\\textbf{it} & $8$ & $1$ \\\\"),
        ("option-cache", " & 1 & 2 \\\\\n\\midrule\n\\textbf{it}", " & 1 & 9 \\\\\n\\midrule\n\\textbf{it}"),
        ("option-cache", "values are $X$ times $2$", "values are $X$ times $3$"),
        ("option-context", "1 & 0 & 2 \\\\ 0 & 1 & 1", "1 & 0 & 2 \\\\ 0 & 8 & 1"),
        ("option-context", "\\textbf{reads} & $0$ & $2$", "\\textbf{reads} & $0$ & $9$"),
        ("logarithms", "which add to $14$", "which add to $15$"),
        ("logarithms", "exponentials $1$, $4$, $9$, which", "exponentials $1$, $4$, $8$, which"),
    ],
)
def test_in_latex_what_stands_before_the_commands_of_a_layout_names_a_table(name, old, new):
    page = DECLARED.sub("", (GALLERY / f"{name}.tex").read_text())
    assert errata(check("page.tex", page)) == []
    assert errata(check("page.tex", page.replace(old, new, 1)))
    assert old in page
