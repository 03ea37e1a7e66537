"""A commented problem file to start from."""

from __future__ import annotations

import re

from symattn.render.environment import environment
from symattn.render.words import words_for_templates


def starter() -> str:
    """The text of the file."""
    template = environment().get_template("starter/problem.toml.jinja")
    text = template.render(words=words_for_templates(), escape=str)
    return re.sub(r"(#[^\n]*)\n\n(?=\w)", r"\1\n", text)
