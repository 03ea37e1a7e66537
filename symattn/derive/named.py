"""The arrays of a head by the names that files, JSON and Python share."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from symattn.exact.attention import Head
from symattn.exact.values import MASKED
from symattn.policies import MASKED_TEXT, Grid, PrintedHead
from symattn.problem import Mask
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
    if exact is None or shown is None:
        return None
    if name == "biased" and head.barred is not None:
        return Table(_hidden(exact.rows, head.barred, MASKED)), _hidden(shown, head.barred, MASKED_TEXT)
    return exact, shown


def _hidden(rows: tuple[tuple[Any, ...], ...], barred: Mask, by: Any) -> tuple[tuple[Any, ...], ...]:
    """The rows with ``by`` where a bias of -oo is added."""
    return tuple(
        tuple(by if bars else entry for entry, bars in zip(*pair, strict=True))
        for pair in zip(rows, barred, strict=True)
    )
