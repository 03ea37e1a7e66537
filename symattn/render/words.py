"""The words of a language, by key."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from markupsafe import Markup

from symattn.render.environment import template_root


@cache
def words(language: str = "en") -> dict[str, Any]:
    """The table of words in ``templates/words``, which no format escapes: letters of other alphabets do not occur."""
    text = (template_root() / "words" / f"{language}.toml").read_text(encoding="utf-8")
    return {key: _trusted(entry) for key, entry in tomllib.loads(text).items()}


def _trusted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _trusted(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_trusted(entry) for entry in value]
    return Markup(value) if isinstance(value, str) else value  # noqa: S704 - our own words
