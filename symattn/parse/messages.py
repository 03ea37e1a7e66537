"""What messages say of names and values that the user gave: short, on one line, never a whole array."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

_SHOWN: Final = 40
_BARE: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")


def quoted(text: str) -> str:
    """The text in quotes, shortened, with everything that does not print as an escape."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def child(path: str, key: str | int) -> str:
    """The path of something inside: ``page.decimals``, ``W_V[1]``; a key that is no plain word stands in quotes."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    name = key if _BARE.fullmatch(key) else quoted(key)
    return f"{path}.{name}" if path else name


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that the user may have meant; small and capital letters count as the same."""
    lower = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word[:_SHOWN].lower(), lower, n=1)
    return lower[found[0]] if found else None


def kind(value: Any) -> str:
    """What a value is, in a word or two."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None:
        return "null"
    if isinstance(value, int) and abs(value) < 10**20:
        return str(value)
    if isinstance(value, int | float | Decimal):
        return "this number"
    return f"a {type(value).__name__}"
