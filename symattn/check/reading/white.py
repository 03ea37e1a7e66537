"""What is no content, made white."""

from __future__ import annotations

import re


def blank(text: str) -> str:
    """White space of the same length, with the ends of lines kept."""
    return "\n".join(" " * len(line) for line in text.split("\n"))


def blanked(text: str, *patterns: re.Pattern[str]) -> str:
    """A text in which whatever one of the patterns finds is white."""
    for pattern in patterns:
        text = pattern.sub(lambda found: blank(found.group()), text)
    return text
