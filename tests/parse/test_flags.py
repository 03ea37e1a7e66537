"""Flags of the command line: an option with one value has one, and its text says what a problem file says."""

from __future__ import annotations

from typing import Any

import click
import pytest

from symattn.cli import flags
from symattn.cli.solve import solve
from symattn.problem import Attention, Page, options

TABLES = {"attention": Attention, "page": Page}
MANY = {"mask", "bias", "sink", "rope", "notation"}
VALUES: dict[str, tuple[str, str, Any]] = {
    "false": ("causal", "false", False),
    "true": ("alibi", "true", True),
    "word": ("causal", "bottom-right", "bottom-right"),
    "convention": ("convention", "torch-mha", "torch-mha"),
    "no such word": ("convention", "pytorch", "pytorch"),
    "integer": ("num_kv_heads", "2", 2),
    "no integer": ("key_lengths", "2.5", "2.5"),
    "too long an integer": ("decimals", "1" * 5000, "1" * 5000),
    "entry": ("softcap", "sqrt(2)", "sqrt(2)"),
    "entry of digits": ("scale", "2", "2"),
    "window": ("window", "2,-1", [2, -1]),
    "window of words": ("window", "2,all", [2, "all"]),
    "window of one": ("window", "2", [2]),
    "lse": ("lse", "true", True),
}
assert VALUES


def test_an_option_with_one_value_has_a_flag_and_no_other_has() -> None:
    expected = {row.name for table in TABLES.values() for row, _ in options(table)} - MANY
    found = {flag.name: flag for flag in solve.params if flag.name in expected | MANY}
    assert set(found) == expected
    assert {flag.opts[0] for flag in found.values() if isinstance(flag, click.Option)} == {
        f"--{name.replace('_', '-')}" for name in expected
    }


@pytest.mark.parametrize(("name", "text", "expected"), VALUES.values(), ids=VALUES)
def test_a_flag_says_what_a_file_says(name: str, text: str, expected: Any) -> None:
    table = next(home for home, kind in TABLES.items() if name in {row.name for row, _ in options(kind)})
    assert flags.overrides({name: text, "pencil": False}) == {table: {name: expected}}
