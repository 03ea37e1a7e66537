"""The words of a language, by key."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from symattn.render.environment import template_root


@cache
def words(language: str = "en") -> dict[str, Any]:
    """The table of words in ``templates/words``."""
    return tomllib.loads((template_root() / "words" / f"{language}.toml").read_text(encoding="utf-8"))
