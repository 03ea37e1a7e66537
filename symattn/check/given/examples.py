"""What a page says is given: the problems that its numbers belong to, or what is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from symattn.check.blocks import Block
from symattn.check.given import options
from symattn.check.given.example import Example, Refusal, example_of
from symattn.check.given.groups import aliases_of, by_entries, groups_of, missing_of, partial_of
from symattn.check.given.layers import in_layers
from symattn.check.quantities import solved
from symattn.check.reading.layers import Layers
from symattn.check.reading.page import PageText
from symattn.parse.plain import plain
from symattn.problem import Problem


@dataclass(frozen=True, slots=True)
class Given:
    """The problems that a page itself says; where it says too little, the names of what is missing, and what it does
    say.
    """

    examples: list[Example]
    missing: tuple[str, ...] = ()
    partial: Mapping[str, Any] = field(default_factory=dict)


def examples(page: PageText, found: list[Block], layers: Layers) -> Given:
    """The problems that a page itself says, one after the other, or of its layers."""
    made = in_layers(page, found, layers) if layers.parts else _one_by_one(page, found)
    if isinstance(made, Refusal):
        return Given([], (made.option,), made.data)
    return made if isinstance(made, Given) else Given(made)


def _one_by_one(page: PageText, found: list[Block]) -> Given | Refusal:
    aliases, by_column = aliases_of(page, 0, len(page.text)), options.are_columns(page.text)
    groups = groups_of(found, aliases, by_column=by_column, headings=page.headings)
    whole = [group for group in groups if group.is_complete()]
    in_words = not whole
    if not whole and _ABOUT.search(page.text):
        whole = [
            group
            for group in groups_of(found, aliases, by_column=by_column, headings=page.headings, starts_in_words=True)
            if group.is_complete()
        ]
        single = by_entries(found) if not whole else None
        whole = whole if single is None else [single]
    if not whole:
        return Given([], missing_of(groups), partial_of(groups))
    made: list[Example] = []
    for index, group in enumerate(whole):
        end = whole[index + 1].start if index + 1 < len(whole) else len(page.text)
        example = example_of(page, group, found, end, in_words=in_words)
        if isinstance(example, Refusal):
            return example
        if example is not None:
            made.append(example)
    return Given(made) if made else Given([], missing_of(groups), partial_of(groups))


_ABOUT: Final = re.compile(r"\battention\b|\bsoftmax\b", re.IGNORECASE)


def declared_examples(problem: Problem, page: PageText, layers: Layers, *, declared: bool, name: str) -> list[Example]:
    """The example of a problem file, or of a page's own declaration: it rules the whole page. Of several layers one for
    each, in its own parts; none where the page has not as many.
    """
    known, data = solved(problem), plain(problem)
    parts = layers.parts if problem.layers else (((0, len(page.text)),),)
    if len(parts) != len(known):
        return []
    around = layers.rest if problem.layers else ()
    first, *further = (Example(one, {}, ruled, declared=declared) for one, ruled in zip(known, parts, strict=True))
    return [replace(first, data=data, taken=((name, 0),), around=around), *further]
