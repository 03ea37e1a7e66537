"""One problem that a page works: from the definitions that go together, with the options that fit its numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

from symattn.check.blocks import Block
from symattn.check.given import options
from symattn.check.given.data import data_of, heads_of, named_of, shape_of, used_of
from symattn.check.given.fit import Attempt, agreement, attempts, is_near, known_of, looks_masked, unsaid
from symattn.check.given.groups import FILE, STARTS, Group, Text
from symattn.check.given.restated import disagreeing
from symattn.check.given.scale import inferred_width, said_factors, said_width, scales
from symattn.check.given.stated import Wrong, contradictions, further
from symattn.check.quantities import Array, Known
from symattn.check.reading import labels
from symattn.check.reading.page import PageText, Parts


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One problem that a page works, and the part of the page that it rules.

    Attributes:
        known: Its quantities.
        data: The problem as data, for a file.
        parts: Where on the page it rules, each from a place to another.
        around: Where only sentences on such a problem are held to it.
        taken: What was taken as given, each with its line and what it is: ``("Q", 12)``; line 0 for what no line says.
        start_at: The quantity that the page starts from, where it gives no queries and keys.
        rounded: What the page starts from is said or shown to be rounded.
        given: The blocks that were taken as given.
        declared: The page, or a problem file, says what its policy is.
        wrong: Given numbers that stand against what is said of how they were made, and what should stand there.
        more: Arrays that the page gives besides.
        digits: How many digits the page says that it keeps, where it counts these; 0 where it does not.
    """

    known: Known
    data: Mapping[str, Any]
    parts: Parts
    taken: tuple[tuple[str, int], ...] = ()
    start_at: str = ""
    rounded: bool = False
    given: frozenset[int] = frozenset()
    declared: bool = False
    digits: int = 0
    wrong: tuple[Wrong, ...] = ()
    more: tuple[Array, ...] = ()
    around: Parts = ()

    @property
    def reach(self) -> tuple[int, int]:
        """From where its first part starts to where the last one ends."""
        return self.parts[0][0], self.parts[-1][1]

    @property
    def wider(self) -> Known:
        """Its quantities, with the arrays that the page gives besides."""
        there = {array.quantity for array in self.known.arrays}
        more = (array for array in self.more if array.quantity not in there)
        return Known(self.known.worked, (*self.known.arrays, *more), self.known.has_values)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An option that a page speaks of and that its words do not settle: without it its numbers are not judged."""

    option: str
    data: Mapping[str, Any]


_NAMED: Final = re.compile(r"\battention\b", re.IGNORECASE)
_MIXED: Final = re.compile(
    r"\b(?:mixed|multiplied|projected)\s+(?:by|with|through)\s+(?:the|a|one)\s+(?:last|final|output|more|further)\b"
    r"[^.\n]{0,40}\b(?:table|matrix|projection)",
    re.IGNORECASE,
)
"""What is said of a table behind the heads."""


def _is_about_another(page: PageText, group: Group, best: Attempt, blocks: list[Block], *, in_words: bool) -> bool:
    """Whether what is called scores is no beginning of attention: little or nothing else on the page fits them."""
    if group.is_attention():
        return False
    if in_words:
        return best.good * 2 < best.count or not best.good
    return not _NAMED.search(page.text) and not is_near(best.known, blocks)


def example_of(
    page: PageText, group: Group, found: list[Block], end: int, *, in_words: bool
) -> Example | Refusal | None:
    """The problem of a group, ruling from its start to ``end``; what its words leave open, or None where it is none."""
    words, blocks = page.text[group.start : end], [block for block in found if group.start <= block.start < end]
    fit = fitted(page, group, words, blocks)
    if fit is None or _is_about_another(page, group, fit.best, blocks, in_words=in_words):
        return None
    best = fit.best
    if "W_O" not in best.data and _MIXED.search(words):
        best = replace(best, known=best.known.without("final", "concat"))
    option = unsaid(words, best)
    if option is not None:
        return Refusal(option, best.data)
    used = used_of(fit.data, group) | {name for name, _ in best.taken}
    kept = {key: prints for key, prints in group.blocks.items() if key[0] in used}
    return Example(
        best.known,
        best.data,
        ((group.start, end),),
        (*taken_from(page, kept), *options_taken(page, best)),
        fit.data.get("start", ""),
        _is_rounded(kept),
        given_by(kept),
        digits=digits_of(page.text),
        more=tuple(further(words, blocks)),
        wrong=(
            *contradictions(words, group.start, blocks),
            *disagreeing(words, group.start, best.data.get("attention", {}), best.known),
        ),
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """Of all that a page may be about, what its numbers agree with most; ``data`` is that without any options."""

    best: Attempt
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LayerFit:
    """Of a layer X and its tables, as data, and how these are worked with options: exactly, behind those before it."""

    learned: Mapping[str, Text]
    known: Callable[[Mapping[str, Any]], Known | None]


def fitted(page: PageText, group: Group, words: str, blocks: list[Block], layer: LayerFit | None = None) -> Fit | None:
    """The problem of a group under those options of its words that its numbers fit; None where it is no problem.

    Args:
        page: The page.
        group: What its words define.
        words: The part of the page.
        blocks: The arrays there.
        layer: For a layer, what it reads and learned, and how it is worked behind those before it.
    """
    heads = heads_of(group, page, words)
    inferred = inferred_width(group)
    if layer is None:
        data, has_values = data_of(group, said_width(group, words) or inferred, heads)
    else:
        data, has_values = {**layer.learned, **({"attention": {"num_heads": heads}} if heads > 1 else {})}, True
    if data is None or shape_of(data) == (1, 1):
        return None
    data = {**data, **named_of(group), **({"page": {"vectors": "columns"}} if options.are_columns(words) else {})}
    masked = labels.is_masked_anywhere(words) or looks_masked(blocks)
    readings = list(options.readings(words, group.start))
    factors = said_factors(page, group.start, group.start + len(words))
    best: Attempt | None = None
    for (scale, said), read in product(scales(group, words, data, inferred, factors), readings):
        for attempt, told in attempts(group, data, scale, masked, words, blocks, read):
            made = known_of(attempt, has_values, data.get("start", "")) if layer is None else layer.known(attempt)
            if made is not None:
                one = Attempt(*agreement(made, blocks), made, attempt, ((said, 0), *told))
                if best is None or one.rank > best.rank:
                    best = one
    return None if best is None else Fit(best, data)


Prints = Mapping[tuple[str, "int | None"], list[Block]]
"""Blocks by name and head."""


def taken_from(page: PageText, kept: Prints) -> list[tuple[str, int]]:
    """What was taken as given from these blocks, each with its line."""
    return [
        (
            FILE.get(name, name) if head is None else f"{FILE.get(name, name)} of head {head + 1}",
            page.place(prints[0].start)[0],
        )
        for (name, head), prints in sorted(kept.items(), key=lambda item: item[1][0].start if item[1] else 0)
        if prints
    ]


def options_taken(page: PageText, best: Attempt) -> list[tuple[str, int]]:
    """The options that were taken as given, each with its line."""
    return [(name, page.place(start)[0] if start else 0) for name, start in best.taken if name != "bias"]


def given_by(kept: Prints) -> frozenset[int]:
    """What these blocks are known by."""
    return frozenset(id(block) for prints in kept.values() for block in prints)


_WORDS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DIGITS: Final = re.compile(
    rf"\bto ({'|'.join(_WORDS)}|\d{{1,2}}) (?:digits?|(?:significant|sig\.?) (?:digits?|figures?|figs?))\b",
    re.IGNORECASE,
)


def digits_of(words: str) -> int:
    """How many digits words say that numbers are rounded to; 0 where they count decimals, or say nothing."""
    found = _DIGITS.search(words)
    if found is None:
        return 0
    text = found[1].lower()
    return _WORDS.index(text) + 1 if text in _WORDS else int(text)


_ROUNDED: Final = re.compile(r"\brounded\b|\bapprox\w*|≈|\babout\b", re.I)


def _is_rounded(given: Prints) -> bool:
    """Whether what a page starts from stands behind a sign or a word for rounded."""
    for (name, _), kept in given.items():
        if name in STARTS:
            for block in kept:
                members = block.statement.members if block.statement is not None else ()
                if any(member.relation == "~" for member in members) or _ROUNDED.search(block.said.words):
                    return True
    return False
