"""The recipes that come with symattn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

from symattn.errors import SpecError
from symattn.exercises.reading import loads
from symattn.parse import document
from symattn.parse.messages import nearest, quoted

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


NAMES: Final = (
    "dot-product",
    "scaling",
    "softmax-row",
    "no-calculator",
    "weights",
    "one-token",
    "one-number",
    "output",
    "causal",
    "padding",
    "bias",
    "context",
    "two-heads",
    "which-row",
    "true-false",
    "find-mistake",
    "closed-form",
)
"""Their names, from a first dot product to the last to be set."""


def text(name: str) -> str:
    """The text of one of them."""
    return (files("symattn.exercises") / "recipes" / f"{name}.toml").read_text(encoding="utf-8")


def shipped() -> Iterator[tuple[str, str]]:
    """Each name with what it is about."""
    for name in NAMES:
        yield name, loads(text(name), name).about


def source(wanted: str) -> tuple[str, str]:
    """The name and the text of a recipe: a file, or one that comes with symattn.

    Raises:
        SymattnError: There is neither, or the file says something unusable.
    """
    path = Path(wanted)
    if wanted in NAMES and not path.is_file():
        return wanted, text(wanted)
    if path.suffix != ".toml" and not path.exists():
        near = nearest(wanted, NAMES)
        mend = f"did you mean {near}?" if near else "name a TOML file, or see: symattn exercises --list"
        raise SpecError(f"there is no recipe {quoted(wanted)}", mend=mend)
    if not _NAME.fullmatch(path.stem):
        raise SpecError(f"{quoted(path.name)} cannot name files", mend="use letters, digits, and _ . - within")
    try:
        found = document.text(path)
        loads(found, path.stem)
    except SpecError as error:
        raise error.located(file=wanted) from None
    return path.stem, found
