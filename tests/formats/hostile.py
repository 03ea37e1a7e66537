"""A recipe whose title, names and words are written against every format."""

from __future__ import annotations

import json
from typing import Final

from tests.exercises.recipes import WEIGHTS

TITLE: Final = "]]> ~#}{$x$ <script>alert(1)</script> & \\(y\\) `a` {{b}} @c ::: \U0001f600 \u05d0\u05d1"
TOKENS: Final = ("<b>&amp;", "=cmd()|{1:SA:=x}", "% $z$ -- 'q' \"r\"", "*e* _f_ \\g [h](i) #1 ^2 ~3~")
INTRO: Final = "(a)= % not a comment: {math}`x^2`, @@PLUGINFILE@@, http://example.org."


def recipe() -> str:
    names = ", ".join(json.dumps(name, ensure_ascii=False) for name in TOKENS)
    head, _, rest = WEIGHTS.partition("tokens = [")
    text = f"{head}tokens = [{names}]{rest.partition(']')[2]}".replace("tokens = 3\n", "tokens = 4\n")
    found = text.replace(
        'title = "Weights"',
        f"title = {json.dumps(TITLE, ensure_ascii=False)}\nintro = {json.dumps(INTRO, ensure_ascii=False)}",
    )
    assert found.count("intro") == 1
    return found


def missing(shown: str) -> list[str]:
    """What of all this does not come back as the same text; white space counts as one space."""
    plain = " ".join(shown.split())
    return [text for text in (TITLE, INTRO, *TOKENS) if " ".join(text.split()) not in plain]
