"""The arrays of a head by the names that files, JSON and Python share."""

from __future__ import annotations

from typing import Final, TypeAlias

from symattn.exact.attention import Head
from symattn.policies import Grid, PrintedHead
from symattn.steps import Table

Named: TypeAlias = tuple[Table, Grid]
"""The exact values of an array, and what is printed of them."""

ALWAYS: Final = ("query", "key", "value", "scores", "scaled", "logits", "weights", "output")
SOMETIMES: Final = ("rotated_query", "rotated_key", "capped", "biased", "lse")
"""Those that are there where an option asks for them."""
ARRAYS: Final = (
    "query",
    "key",
    "value",
    "rotated_query",
    "rotated_key",
    "scores",
    "scaled",
    "capped",
    "biased",
    "logits",
    "weights",
    "lse",
    "output",
)
"""All of them, in reading order."""
_TURNED: Final = ("rotated_query", "rotated_key")
SQUARE: Final = ("scores", "scaled", "capped", "biased", "logits", "weights")
"""Those with a column a key."""


def named(head: Head, text: PrintedHead) -> dict[str, Named]:
    """The arrays that there are, in reading order."""
    return {name: pair for name in ARRAYS if (pair := _pair(name, head, text)) is not None}


def _pair(name: str, head: Head, text: PrintedHead) -> Named | None:
    if name in _TURNED:
        place = _TURNED.index(name)
        return head.rotated and text.rotated and (head.rotated[place], text.rotated[place])
    exact, shown = getattr(head, name), getattr(text, name)
    return None if exact is None or shown is None else (exact, shown)
