"""What a page says of options, in words, formulas and tables: masks, caps, temperatures, sinks, turns and heads.

Nothing is taken that the page does not say, and what is taken has to agree with the numbers that it prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from symattn.check.blocks import Block
from symattn.check.given import restated
from symattn.check.reading.tree import entry

_VECTOR: Final = r"\\?[\[(]([^\])\n]{1,200}?)\\?[\])](?:\s*+\$)?"
_ADDED: Final = (
    ("b_O", re.compile(rf"{_VECTOR}\s+is added in each row", re.I)),
    ("b_V", re.compile(rf"\bvalues are [^.\n]{{1,80}}? plus \$?\s*{_VECTOR}\s+in each row", re.I)),
)
_ENTRY: Final = re.compile(
    r"(?P<minus>-?)\s*(?:\\[dt]?frac\{(?P<above>\d+)\}\{(?P<below>\d+)\}|(?P<plain>\d+(?:\.\d+)?))"
)

_MOST_VALUES: Final = 3
Rows = list[list[bool]]


@dataclass(frozen=True, slots=True)
class Option:
    """An option as the page says it: its name for the report, where it is said, and its value for a problem file."""

    name: str
    start: int
    value: Any


_NUMBER: Final = r"\$?\s*(-?\d+(?:\.\d+)?(?:\s*/\s*\d+)?)"
_COUNTS: Final = {"one": 1, "a single": 1, "two": 2, "three": 3, "four": 4, "eight": 8}
_SAID: Final = (
    (
        "temperature",
        re.compile(rf"\btemperature\s+(?:of\s+|is\s+|=\s*)?(?:\$?\s*\\?[Tτ](?:au)?\s*=\s*)?{_NUMBER}", re.I),
    ),
    (
        "softcap",
        re.compile(r"(?<![\d.])(-?\d++(?:\.\d++)?(?:\s*+/\s*+\d++)?)\s*+(?:(?:\\,|\\cdot|[·*×])\s*+)?\\?tanh\b", re.I),
    ),
    ("softcap", re.compile(rf"\bsoft-?cap(?:s|ped|ping)?\s+(?:of|at|to|=|is)\s*{_NUMBER}", re.I)),
    ("sink", re.compile(rf"\bsink\b[^.\n]{{0,60}}?\be\s*\^\s*\{{?{_NUMBER}", re.I)),
    ("sink", re.compile(rf"\bsink(?:\s+(?:logit|score))?\s+(?:of|is|=)\s*{_NUMBER}", re.I)),
)
_NAMED: Final[tuple[tuple[str, re.Pattern[str], Any], ...]] = (
    ("rope", re.compile(r"\brotary\b|\brope\b|\bturned by (?:its|their) position", re.I), {"base": 10000}),
    ("alibi", re.compile(r"\balibi\b|\bbias that grows with the distance", re.I), True),
    (
        "residual",
        re.compile(r"\bresidual\b|\bskip connections?\b|\boutput of each token is added to the token\b", re.I),
        True,
    ),
    ("lse", re.compile(r"\blog[-\s]*sum[-\s]*exp|\blse\b", re.I), True),
)
_SHARED: Final = re.compile(
    r"\bkeys and values have only (?P<have>one|two|three|four|\d{1,2}) heads?\b"
    r"|\bnum_kv_heads\s*=\s*(?P<set>\d{1,2})"
    r"|\b(?P<said>one|a single|two|three|four|\d{1,2}) (?:shared )?key(?:[-/ ]value| and value)? heads?\b",
    re.I,
)
_BY_COLUMN: Final = re.compile(
    r"\b(?:one|each|a) column (?:a|per|for each|is (?:one|a)) token|\btokens (?:are|as|in) columns\b", re.I
)


def are_columns(words: str) -> bool:
    """Whether a page lays out its matrices with one column a token."""
    return bool(_BY_COLUMN.search(words))


def options(words: str, start: int) -> list[Option]:
    """The options that words say with their values, each once.

    Args:
        words: A part of a page.
        start: Where on the page it begins.
    """
    found: dict[str, Option] = {}
    for name, pattern in _SAID:
        said = pattern.search(words)
        if said is not None and name not in found:
            value = said[1].replace(" ", "")
            found[name] = Option(f"{name} {value}", start + said.start(1), value)
    for name, pattern, value in _NAMED:
        said = pattern.search(words)
        if said is not None:
            found[name] = Option(name, start + said.start(), value)
    said = _SHARED.search(words)
    if said is not None:
        text = (said["have"] or said["set"] or said["said"]).lower()
        count = _COUNTS.get(text) or int(text)
        found["num_kv_heads"] = Option(f"num_kv_heads {count}", start + said.start(), count)
    return list(found.values())


def readings(words: str, start: int) -> Iterator[list[Option]]:
    """The options that words say, first as they are read, then with each other value that some formula gives."""
    said = options(words, start)
    yield [one for one in said if one.name != "residual"]
    if any(one.name == "residual" for one in said):
        yield said
    for name, found in restated.values(words, start).items():
        for index, one in enumerate(said):
            for value in found[:_MOST_VALUES]:
                if one.name.split()[0] == name and value != str(one.value):
                    yield [*said[:index], Option(f"{name} {value}", one.start, value), *said[index + 1 :]]


def as_data(said: list[Option]) -> dict[str, Any]:
    """Options as a problem file has them."""
    return {one.name.split()[0]: one.value for one in said}


def added(words: str, data: Mapping[str, Any]) -> dict[str, list[str]]:
    """The vectors that words say are added to each row, where the problem has the table that they follow."""
    found: dict[str, list[str]] = {}
    for name, pattern in _ADDED:
        said = pattern.search(words) if name.replace("b", "W") in data else None
        parts = [_ENTRY.search(part) for part in said[1].split(",")] if said is not None else []
        if parts and all(parts):
            found[name] = [
                part["minus"] + (part["plain"] or f"{part['above']}/{part['below']}") for part in parts if part
            ]
    return found


def shown_masks(blocks: list[Block], shape: tuple[int, int]) -> Iterator[tuple[Rows, int]]:
    """Each mask that a matrix of scores with -oo in it shows, with its place; those that differ, in reading order."""
    seen: list[Rows] = []
    for block in blocks:
        if block.shape != shape or not block.told:
            continue
        entries = [[entry(node) for node in row] for row in block.rows]
        if any(number is None for row in entries for number in row) or {len(row) for row in entries} != {shape[1]}:
            continue
        mask = [[number is not None and number.special != "-oo" for number in row] for row in entries]
        if all(map(all, mask)) or mask in seen:
            continue
        seen.append(mask)
        yield mask, block.start


def with_mask(data: Mapping[str, Any], mask: Rows) -> Iterator[dict[str, Any]]:
    """A problem under a mask: from the start, or in a part of its own; with each way to treat an empty row."""
    kept = {name: value for name, value in data.items() if name != "also"}
    attention = data.get("attention", {})
    for more in ({"on_masked_row": word} for word in ("zero", "uniform", "nan")) if not all(map(any, mask)) else ({},):
        yield {**kept, "attention": {**attention, "mask": mask, **more}}
        yield {**kept, "also": [{"mask": mask, **more}]}
