"""The factors on scores that a page may have used: what it says, and what its numbers show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from symattn.check.given.groups import Group, entry_text, rational_of
from symattn.check.reading.page import PageText
from symattn.check.reading.tree import Num, Statement

_ROOTS: Final = re.compile(r"(?:\\sqrt\s*\{?|√\s*\(?|sqrt\s*\(?\s*)\s*(\d{1,4})(?!\d*\.)")

_DIVISORS: Final = re.compile(r"\bdivid\w+(?: [a-z]+){0,3} by \$?\s*(\d{1,3})(?![\d.]*\d|\s*[/^])", re.IGNORECASE)
"""A number that scores are said to be divided by, where a page starts at them: ``divide the scores by 8``."""

_NO_SCALE: Final = re.compile(
    r"\b(?:(?:no|without|not|never|\w+n['’]t|skip\w*|omit\w*|ignor\w*|drop\w*|leav\w+ (?:out|away)|un)[- ]?"
    r"(?:any |the |apply(?:ing)? (?:any |the )?|using (?:the )?)?(?:scal\w+|divi\w+|\$?\\?(?:sqrt|√))"
    r"|(?:scal\w+|division) (?:factor )?(?:is|was|has been) (?:omitted|skipped|ignored|dropped|left (?:out|away)))",
    re.IGNORECASE,
)

_SCALES: Final = re.compile(r"sqrt|√|scal\w+|divid\w+|d_k|d_\{k\}|\*\*\s*-?0?\.5|\^\s*-?0?\.5", re.IGNORECASE)


_BY: Final = re.compile(
    r"(?:\bscores?\b|\bdot[- ]products?\b|\bQ\s*K)[^.\n]{0,60}?\b(?P<verb>divid|multipl)\w+(?: [a-z]+){0,3} by[\s$*]*$"
    r"|\b(?P<first>divid|multipl)\w+(?: [a-z]+){0,3} (?:scores?|dot[- ]products?) by[\s$*]*$",
    re.IGNORECASE,
)
"""What is said before a number that scores are divided or multiplied by."""
_REACH: Final = 140
_MOST_FACTORS: Final = 6


def said_factors(page: PageText, start: int, end: int) -> list[str]:
    """The factors on scores that words of a part of a page say, as a problem file writes them: ``divided by 3``."""
    found: list[str] = []
    for item in page.items:
        if isinstance(item, Statement) and start <= item.start < end:
            said = _BY.search(page.text, max(start, item.start - _REACH), item.start)
            text = entry_text(item.members[0].node) if said is not None else ""
            if said is not None and text:
                verb = (said["verb"] or said["first"]).lower()
                found.append(text if verb == "multipl" else f"1/{_closed(text)}")
    return list(dict.fromkeys(found))[:_MOST_FACTORS]


def _closed(text: str) -> str:
    """A closed form as what something is divided by."""
    return text if text.isdigit() or re.fullmatch(r"sqrt\([^()]*\)", text) else f"({text})"


def scales(
    group: Group, words: str, data: Mapping[str, Any], inferred: int | None, factors: list[str]
) -> Iterator[tuple[str | None, str]]:
    """The factors that a page may have used, what it says first; ``factors`` are those that it puts in words."""
    if not group.is_attention() and data.get("start") != "scores":
        yield "1", "scale none"
        return
    width = _width(data)
    if inferred is not None and data.get("start") == "scores":
        yield f"1/sqrt({inferred})", f"scale 1/sqrt({inferred})"
    if _NO_SCALE.search(words):
        yield "1", "scale 1"
    said = said_width(group, words)
    if said is not None and (said != width or not group.is_attention()):
        yield f"1/sqrt({said})", f"scale 1/sqrt({said})"
    if group.is_attention():
        yield None, f"scale 1/sqrt({width})"
        for root in dict.fromkeys(_ROOTS.findall(words)):
            if int(root) not in (width, said, 0):
                yield f"1/sqrt({root})", f"scale 1/sqrt({root})"
        for factor in factors:
            yield factor, f"scale {factor}"
    for divisor in () if group.is_attention() else dict.fromkeys(_DIVISORS.findall(words)):
        if int(divisor) > 1:
            yield f"1/{divisor}", f"scale 1/{divisor}"
    if not _SCALES.search(words) or (not group.is_attention() and said is None):
        yield "1", "scale 1"


def _width(data: Mapping[str, Any]) -> int:
    heads = data.get("attention", {}).get("num_heads", 1)
    return len(data["Q" if "Q" in data else "W_Q"][0]) // int(heads)


_WIDTH: Final = re.compile(r"d_\{?k\}?\s*\$?\s*=\s*\$?\s*(\d{1,5})|\bdk\s*=\s*(\d{1,5})|\bhead_dim\s*=\s*(\d{1,5})")


def said_width(group: Group, words: str) -> int | None:
    """d_k as words say it; by the root that is spoken of, where a page starts at scores."""
    found = _WIDTH.search(words)
    if found is not None:
        return int(found[1] or found[2] or found[3]) or None
    if not group.is_attention():
        root = _ROOTS.search(words)
        return int(root[1]) or None if root else None
    return None


_WIDEST: Final = 1024


def inferred_width(group: Group) -> int | None:
    """d_k, where a page prints both scores and scaled scores: the least whose root leads from one to the other."""
    scores = next((value for (name, _), value in group.arrays.items() if name == "scores"), None)
    blocks = next((kept for (name, _), kept in group.blocks.items() if name == "scaled"), None)
    if scores is None or not blocks or blocks[0].shape != (len(scores), len(scores[0])):
        return None
    pairs = [
        (score, node.printed)
        for row, line in zip(scores, blocks[0].rows, strict=True)
        for score, node in zip(map(rational_of, row), line, strict=False)
        if score and isinstance(node, Num) and not node.printed.special
    ]
    for width in range(1, _WIDEST if pairs else 1):
        if all(_over_root(score, printed, width) for score, printed in pairs):
            return width
    return None


def _over_root(score: Fraction, printed: Any, width: int) -> bool:
    """Whether a printed number is within half a unit of score / sqrt(width), by squares."""
    half = printed.unit / 2
    low, high = sorted((abs(printed.value - half), abs(printed.value + half)))
    return bool((printed.value >= 0) == (score >= 0) and low * low * width <= score * score <= high * high * width)
