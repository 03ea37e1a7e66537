"""Definitions that go together as a problem file has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from symattn.check.given.groups import DIRECT, STARTS, TABLES, Group, Text, decimal_text
from symattn.check.reading import labels
from symattn.check.reading.page import PageText

BY_HEAD: Final = ("query", "key", "W_Q", "W_K", *STARTS)
"""What is given head by head, where anything is."""


def shape_of(data: Mapping[str, Any]) -> tuple[int, int]:
    """(queries, keys) of a problem."""
    return len(data["Q" if "Q" in data else "X"]), len(data["K" if "K" in data else "X"])


def named_of(group: Group) -> dict[str, list[str]]:
    """The names of tokens, and those of keys where these are others."""
    names, others = _row_names(group, ("X", "query", *STARTS)), _row_names(group, ("key", "value"))
    return {
        **({"tokens": names} if names else {}),
        **({"context_tokens": others} if others and others != names else {}),
    }


def _row_names(group: Group, wanted: tuple[str, ...]) -> list[str]:
    """The names of tokens, where a table names the rows of what is given, or the columns that hold one token each."""
    for key in wanted:
        for (name, _), kept in group.blocks.items():
            for block in kept:
                count = len(group.arrays[key, None]) if (key, None) in group.arrays else len(block.rows)
                for found in (block.row_names, block.column_names):
                    names = [text for text in found if text]
                    if (
                        name == key
                        and len(names) == count
                        and len(set(names)) == len(names)
                        and not _are_numbers(names)
                    ):
                        return names
    return []


def _are_numbers(names: list[str]) -> bool:
    return all(name.isdigit() for name in names)


_NUMBERS: Final = {"two": 2, "three": 3, "four": 4, "six": 6, "eight": 8, "twelve": 12, "sixteen": 16}

_HEADS: Final = re.compile(
    r"\b(?:num_heads|n_heads?|heads)\s*=\s*(\d{1,2})|\b(\d{1,2}|" + "|".join(_NUMBERS) + r")\s+heads\b", re.IGNORECASE
)


def heads_of(group: Group, page: PageText, words: str) -> int:
    """How many heads there are where tables are given for all of them together; ``words`` are the group's own."""
    if any(head is not None and name in BY_HEAD for name, head in group.arrays):
        return 1
    own = (heading for heading in page.headings if group.start <= heading.start < group.start + len(words))
    spoken = {head for heading in own if (head := labels.head_of(heading.text)) is not None}
    said = heads_said(words)
    if len(spoken) > 1:
        return said if said is not None and 1 < said < len(spoken) else len(spoken)
    return (said or 1) if spoken else 1


def heads_said(words: str) -> int | None:
    """How many heads words say that there are; None where they do not."""
    found = _HEADS.search(words)
    if found is None:
        return None
    return int(found[1] or 0) or _NUMBERS.get((found[2] or "").lower(), 0) or int(found[2] or 1)


def used_of(data: Mapping[str, Any], group: Group) -> set[str]:
    """The names that a problem was made from."""
    if "X" in data:
        return {"X", *TABLES}
    if not group.is_attention():
        return {data["start"], "value"}
    found = {"W_O"}
    for name, table in (("query", "W_Q"), ("key", "W_K"), ("value", "W_V")):
        found |= {"X", table} if group.has("X", table) else {name}
    return found


def data_of(group: Group, width: int | None, several: int) -> tuple[dict[str, Any] | None, bool]:
    """The problem of a group as data, and whether its values are known."""
    heads = sorted({head for name, head in group.arrays if head is not None and name in BY_HEAD})
    if len(heads) > 1:
        return _several(group, heads)
    arrays = {
        name: value for (name, head), value in group.arrays.items() if (name, None) not in group.arrays or head is None
    }
    data, has_values = _single(arrays, "W_O" in arrays, width is not None)
    if data is not None and several > 1 and "start" not in data:
        data = {**data, "attention": {**data.get("attention", {}), "num_heads": several}}
    return data, has_values


def _several(group: Group, heads: list[int]) -> tuple[dict[str, Any] | None, bool]:
    """Heads given one by one: their columns side by side."""
    arrays: dict[str, Text] = {}
    for name in {name for name, _ in group.arrays}:
        shared = group.arrays.get((name, None))
        parts = [group.arrays.get((name, head), shared) for head in heads]
        if name in ("X", "W_O"):
            arrays[name] = next((part for part in (shared, *parts) if part is not None), [])
        elif all(part is not None for part in parts):
            kept = [part for part in parts if part is not None]
            if len({len(part) for part in kept}) != 1:
                continue
            arrays[name] = [[entry for part in kept for entry in part[row]] for row in range(len(kept[0]))]
    data, has_values = _single(arrays, "W_O" in arrays, False)
    if data is None:
        return None, False
    return {**data, "attention": {**data.get("attention", {}), "num_heads": len(heads)}}, has_values


def _single(arrays: Mapping[str, Text], has_mixing: bool, knows_width: bool) -> tuple[dict[str, Any] | None, bool]:
    data: dict[str, Any] = {}
    if all(name in arrays for name in ("X", "W_Q", "W_K", "W_V")):
        data = {name: arrays[name] for name in ("X", "W_Q", "W_K", "W_V")}
        return (_mixed(data, arrays) if has_mixing else data), True
    found = {name: _direct(arrays, name) for name in DIRECT}
    query, key, value = found["query"], found["key"], found["value"]
    if query is not None and key is not None:
        if None in (entry for row in (*query, *key) for entry in row):
            return None, False
        data = {"Q": query, "K": key, "V": value if value is not None else [["0"]] * len(key)}
        return (_mixed(data, arrays) if has_mixing and value is not None else data), value is not None
    order = ("scores", "scaled", "logits") if knows_width else ("scaled", "logits", "scores")
    name = next((name for name in order if name in arrays), None)
    if name is None:
        return None, False
    scores = arrays[name]
    width = len(scores[0])
    identity = [[str(int(i == j)) for j in range(width)] for i in range(width)]
    data = {
        "Q": [["0" if entry is None else entry for entry in row] for row in scores],
        "K": identity,
        "V": value if value is not None else [["0"]] * width,
        "start": name,
    }
    if any(entry is None for row in scores for entry in row):
        data["attention"] = {"mask": [[entry is not None for entry in row] for row in scores]}
    return data, value is not None


def _mixed(data: dict[str, Any], arrays: Mapping[str, Text]) -> dict[str, Any]:
    return {**data, "W_O": arrays["W_O"]}


def _direct(arrays: Mapping[str, Text], name: str) -> Text | None:
    """Q, K or V: X times its table where both are given, else as it is given."""
    table = {"query": "W_Q", "key": "W_K", "value": "W_V"}[name]
    if "X" in arrays and table in arrays:
        product = _product(arrays["X"], arrays[table])
        if product is not None and len(product) >= len(arrays.get(name, product)):
            return product
    return arrays.get(name)


def _product(left: Text, right: Text) -> Text | None:
    try:
        a = [[Fraction(entry or "x") for entry in row] for row in left]
        b = [[Fraction(entry or "x") for entry in row] for row in right]
    except ValueError:
        return None
    if len(a[0]) != len(b):
        return None
    return [
        [
            decimal_text(sum((x * y for x, y in zip(row, column, strict=True)), Fraction(0)))
            for column in zip(*b, strict=True)
        ]
        for row in a
    ]
