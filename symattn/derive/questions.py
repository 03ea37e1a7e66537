"""Four to six questions with their answers, each true for the problem it is asked of.

A question is data: which one, and the places and numbers that its words name. A friend's mistake is asked only where it
shows: the mistaken row must differ from the right one as printed, and no other catalogued mistake may print the same
row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from symattn.derive.story import Story
from symattn.exact.attention import Result
from symattn.exact.numbers import ZERO, from_decimal
from symattn.exact.values import Value
from symattn.mistakes.rows import ROWS, RowMistake, scaled_alike
from symattn.policies import PrintedResult, certified
from symattn.problem import Page
from symattn.rounding import truncated
from symattn.steps import Printed

_MISTAKES = ("unscaled", "softmax_over_queries")
_MASK_MISTAKES = ("mask_after_softmax", "mask_ignored")
_MOST, _LEAST = 6, 4


@dataclass(frozen=True, slots=True)
class Question:
    """``kind`` names its words; ``row`` and ``other`` are queries, ``numbers`` a printed row, ``total`` its sum."""

    kind: str
    row: int = 0
    other: int = 0
    numbers: tuple[str, ...] = ()
    total: str = ""
    section: int | None = None
    column: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """One head under one set of options: None for the main section, else the number of the further one."""

    section: int | None
    result: Result
    shown: PrintedResult
    rows: dict[tuple[str, int], Iterator[Value]] = field(default_factory=dict, repr=False, compare=False)
    texts: dict[tuple[str, int], list[str]] = field(default_factory=dict, repr=False, compare=False)


def questions(story: Story, sections: tuple[Asked, ...], page: Page) -> tuple[Question, ...]:
    """The questions of a page, about the first head of each section."""
    main = sections[0].result
    friends = () if main.symbolic or not main.is_plain else _friends(sections, page)
    averaging = all(asked.result.rows_add_to_one for asked in sections)
    unchanged = main.softcap is None and main.temperature is None and all(head.sink is None for head in main.heads)
    shift = [Question("shift", row=story.row)] if unchanged else []
    found = [*_symmetry(story, sections[0]), *friends, *shift, *_first_row(sections)]
    found = list({question.kind: question for question in found}.values())
    fillers = [Question("average", column=0), Question("row_sum", row=story.row)] if averaging else []
    fillers += [Question(kind) for kind in _always(main)]
    while len(found) < _LEAST and fillers:
        found.append(fillers.pop(0))
    return tuple(found[:_MOST])


def _always(main: Result) -> tuple[str, ...]:
    """What holds whatever the options; a row that sees nothing may have weights of its own, or none."""
    empty = any(not row.exponents for head in main.heads for row in head.rows)
    rule = main.masked_row if empty else "zero"
    doubled, positive = rule != "nan", rule not in ("nan", "uniform")
    kinds = (("values_doubled", doubled), ("not_negative", positive), ("what_weights_see", True))
    return tuple(kind for kind, holds in kinds if holds)


def _symmetry(story: Story, asked: Asked) -> Iterator[Question]:
    for row, earlier in enumerate(story.repeats):
        if earlier is not None and len(asked.result.heads[0].rows[row].exponents) > 1:
            yield Question("same_scores", row=earlier, other=row)
            return
    placeless = asked.result.allowed is None and asked.result.is_plain and asked.result.rope is None
    if placeless and not asked.result.past and asked.result.heads[0].scores.shape[0] > 1:
        yield Question("reorder", row=0, other=1)


def _friends(sections: tuple[Asked, ...], page: Page) -> Iterator[Question]:
    """At most two mistakes: one of a step, and one of the mask."""
    yield from _first_shown(_MISTAKES, sections[:1], page)
    masked = [asked for asked in sections if asked.result.allowed is not None]
    yield from _first_shown(_MASK_MISTAKES, masked, page)
    if not masked:
        yield from list(_first_shown(("softmax_over_queries",), sections[:1], page))


def _first_shown(keys: tuple[str, ...], sections: tuple[Asked, ...] | list[Asked], page: Page) -> Iterator[Question]:
    for asked in sections:
        for key in keys:
            for row in _rows_told(ROWS[key], asked):
                numbers = _telling(key, row, asked, page)
                if numbers:
                    yield Question(key, row=row, numbers=numbers, total=_total(numbers), section=asked.section)
                    return


def _rows_told(mistake: RowMistake, asked: Asked) -> Iterator[int]:
    """The last row first; a mistake of the mask shows only where it hides a key."""
    allowed = asked.result.allowed
    for row in reversed(range(len(asked.result.heads[0].rows))):
        if not mistake.needs_mask or allowed is None or not all(allowed[row]):
            yield row


def _telling(key: str, row: int, asked: Asked, page: Page) -> tuple[str, ...]:
    """The row as the mistake prints it, if it differs from the right one in two places or more and no other mistake
    prints it.
    """
    made = tuple(_made(key, row, asked, page))
    right = _texts(asked.shown.heads[0].weights[row])
    if sum(_differ(a, b) for a, b in zip(made, right, strict=True)) < min(2, len(made)):
        return ()
    masked = asked.result.allowed is not None
    passed = {key, "scaled_twice"} if scaled_alike(asked.result) else {key}
    others = (other for other, mistake in ROWS.items() if other not in passed and (masked or not mistake.needs_mask))
    return () if any(_is_made_by(other, row, made, asked, page) for other in others) else made


def _differ(one: str, other: str) -> bool:
    """Whether two texts are two numbers: 0.000 and 0 are one."""
    return one != other and _short(one) != _short(other)


def _short(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _is_made_by(key: str, row: int, texts: tuple[str, ...], asked: Asked, page: Page) -> bool:
    """Whether the mistake prints these texts; the first that differs settles it."""
    return all(a == b for a, b in zip(_made(key, row, asked, page), texts, strict=True))


def _made(key: str, row: int, asked: Asked, page: Page) -> Iterator[str]:
    """The row as the mistake prints it: each number is worked when it is asked for, and once."""
    place = key, row
    if place not in asked.rows:
        asked.rows[place], asked.texts[place] = ROWS[key].row(asked.result.heads[0], asked.result, row), []
    yield from asked.texts[place]
    for value in asked.rows[place]:
        asked.texts[place].append(certified(value, page).text)
        yield asked.texts[place][-1]


def _texts(row: tuple[Printed | None, ...]) -> tuple[str, ...]:
    return tuple("" if entry is None else entry.text for entry in row)


def _total(numbers: tuple[str, ...]) -> str:
    total = sum(map(from_decimal, numbers), ZERO)
    places = max((len(text.partition(".")[2]) for text in numbers if "e" not in text), default=0)
    return str(total) if total.q == 1 else truncated(total, places)


def _first_row(sections: tuple[Asked, ...]) -> Iterator[Question]:
    """Why the first masked output is exactly the first value: where the first query sees one key only."""
    for asked in sections:
        allowed = asked.result.allowed
        if (
            asked.result.heads[0].sink is None
            and allowed is not None
            and sum(allowed[0]) == 1
            and allowed[0][0]
            and len(allowed[0]) > 1
        ):
            yield Question("first_row", row=0, section=asked.section)
            return
