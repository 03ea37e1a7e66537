"""Questions with choices, put to simulated students: who works carefully finds what is right, and what is wrong."""

from __future__ import annotations

import pytest

from symattn.exercises.offer import Run
from tests.exercises.recipes import ALL
from tests.exercises.soak import choose, variants

COUNT = 20
ASKED = {"find-mistake": "output", "true-false": "output", "choice": "output[1]", "most": "weights[1]"}


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("name", ["weights", "causal", "direct", "logarithms"])
def test_students_choose_as_the_key_says(name, kind):
    """Every number that is shown is that of the mistake told; the wrong step is the first that differs."""
    asked = ASKED[kind].replace("[1]", "[0]" if name == "logarithms" else "[1]")
    source = ALL[name].partition("[[ask]]")[0] + f'[[ask]]\nwhat = "{asked}"\nkind = "{kind}"\nchoices = 3\n'
    data, _ = variants(Run(source, name, 5, ""), COUNT)
    assert data["variants"]
    looked = [0, 0, 0]
    for variant in data["variants"]:
        (question,) = variant["questions"]
        choose(data, variant, question, 3, looked)
    assert sum(looked) >= len(data["variants"])
