"""A flag for each row of the problem's options that holds one value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import click

from symattn import problem

Command = TypeVar("Command", bound=Callable[..., Any])

TABLES: Final = {"attention": problem.Attention, "page": problem.Page}
_FLAGS: Final = {"choice": "", "integer": "INTEGER", "entry": "ENTRY", "window": "LEFT,RIGHT"}
"""The kinds of options that hold one value, with how it looks where there are no words for it."""
_INTEGER: Final = re.compile("-?[0-9]{1,9}")


def option_flags(command: Command) -> Command:
    """A flag for each row of the problem's options that holds one value."""
    for kind in reversed(TABLES.values()):
        for row, option in reversed(list(problem.options(kind))):
            if option.kind not in _FLAGS:
                continue
            shape = "|".join(str(choice).lower() for choice in option.choices) or _FLAGS[option.kind]
            flag = f"--{row.name.replace('_', '-')}"
            command = click.option(flag, row.name, metavar=shape, help="As in the problem file.")(command)
    return command


def overrides(wishes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The options that were given as flags, by table."""
    found: dict[str, dict[str, Any]] = {}
    for table, kind in TABLES.items():
        for row, option in problem.options(kind):
            text = wishes.get(row.name)
            if text is not None:
                found.setdefault(table, {})[row.name] = _flag_value(text, option)
    if wishes["pencil"]:
        found.setdefault("page", {}).update(rounding="carried", row_sums="one")
    return found


def _flag_value(text: str, option: problem.Option) -> Any:
    if option.kind == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if option.kind == "window":
        return [int(part) if _INTEGER.fullmatch(part) else part for part in text.split(",")]
    named = {str(choice).lower(): choice for choice in option.choices}
    return named.get(text, text)
