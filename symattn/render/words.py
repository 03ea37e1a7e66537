"""The words of a language, by key."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from symattn.render.environment import template_root
from symattn.render.safe import Safe


@cache
def words(language: str = "en") -> dict[str, Any]:
    """The table of words in ``templates/words``."""
    return tomllib.loads((template_root() / "words" / f"{language}.toml").read_text(encoding="utf-8"))


@cache
def words_for_templates(language: str = "en") -> dict[str, Any]:
    """The same for templates, in which no format escapes them: they are ours, and without letters of other alphabets.

    Not for ``format``, which would escape what it is given as HTML.
    """
    return {key: _trusted(entry) for key, entry in words(language).items()}


def _trusted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _trusted(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_trusted(entry) for entry in value]
    return Safe(value) if isinstance(value, str) else value
