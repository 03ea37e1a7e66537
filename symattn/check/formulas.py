"""Numbers within formulas and sentences, which are no entries of any array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from symattn.check.agreement import stand
from symattn.check.chains import culprit, holds, is_rounding
from symattn.check.counted import miscounted
from symattn.check.drawn import drawn
from symattn.check.entries import wrong_entries
from symattn.check.findings import Findings
from symattn.check.mixes import wrong_values, wrong_weights
from symattn.check.operands import widths, wrong_operands
from symattn.check.premises import moments, of_such_heads, said_again
from symattn.check.reading.page import PageText
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import Num, Sequence, Statement, Table, numbers_in
from symattn.check.remarks import made_from, named_columns, of_pairs, of_tables, restated, told_before
from symattn.check.report import Because, Finding
from symattn.check.ruled import Ruled
from symattn.check.sentences import said
from symattn.check.shares import wrong_shares
from symattn.exact.values import Value

_BEFORE: Final = 12
"""Of the items before a line that may say what it works."""


def sentences(to: Findings, ruled: Ruled) -> None:
    """Numbers of sentences that say what is always so."""
    page, (start, end) = to.page.only(ruled.example.parts), ruled.example.reach
    _always(to, ruled, page, start, end)
    for first, last in ruled.example.around:
        _always(to, ruled, to.page, first, last)
    for number, wanted in ruled.example.wrong:
        to.add(number, "text", None, None, "wrong", value=wanted, because=Because("false_line"))
    for number, other in _remarked(page, ruled, start, end):
        if number.start not in to.found and number.start not in to.given:
            to.add(number, "text", None, None, "wrong", value=other, because=Because("restated"))
    for number, should in miscounted(page, ruled.example.known, start, end):
        value = None if should is None else Fraction(should)
        to.add(number, "text", None, None, "wrong", value=value, because=Because("miscounted"))


def _always(to: Findings, ruled: Ruled, page: PageText, start: int, end: int) -> None:
    """What sentences say that is so on every page on such a problem."""
    for number, wanted in said(page.text[start:end], ruled.example.known):
        at = replace(number, start=start + number.start, end=start + number.end)
        if at.start not in to.found and at.start not in to.given:
            verdict = "correct" if stand(at, wanted) == "correct" else "wrong"
            because = None if verdict == "correct" else Because("law")
            to.add(at, "text", None, None, verdict, value=wanted, because=because)


def _remarked(page: PageText, ruled: Ruled, start: int, end: int) -> Iterator[tuple[Printed, Value | Fraction | None]]:
    """Numbers that other numbers of the page say otherwise."""
    items = [item for item in page.items if start <= item.start < end]
    blamed = [found for item in items if isinstance(item, Table) for found in made_from(item)]
    yield from blamed
    yield from restated(page, start, end, {number.start for number, _ in blamed})
    yield from moments(page.text[start:end], start)
    yield from drawn(page, ruled.example.known, ruled.written, start, end)
    for index, item in enumerate(items):
        if isinstance(item, Table):
            yield from named_columns(page, item, end)
            yield from of_tables(page, item, end)
            continue
        for found in (
            of_pairs(page, ruled.example.known, ruled.written, item),
            told_before(page, item, items[max(0, index - _BEFORE) : index]),
        ):
            if found is not None:
                yield found
        yield from said_again(page, item)
        yield from of_such_heads(page, item)


def operands(to: Findings, ruled: Ruled | None, statement: Statement, known: Mapping[str, Finding]) -> None:
    """Numbers within a formula: sound where it holds, or where they repeat a number of the page."""
    if ruled is None:
        return
    true = holds(statement, ruled.names) if len(statement.members) > 1 else None
    wrong = [
        *wrong_operands(statement, ruled.example.known),
        *wrong_entries(to.page, ruled.example.wider, ruled.written, statement, known),
        *wrong_weights(to, ruled, statement, true),
        *(wrong_values(to, ruled, statement) if true else ()),
        *wrong_shares(to, ruled, statement),
    ]
    for number, wanted in wrong:
        if number.start not in to.given or true:
            to.add(number, "arithmetic", None, None, "wrong", value=wanted, because=Because("false_line"))
    doubtful: set[int] = set()
    for member in statement.members:
        if isinstance(member.node, Num) and len(statement.members) == 1:
            continue
        for number in widths(member.node, ruled.example.known):
            if number.start not in to.found and number.start not in to.given:
                to.add(number, "d_k", None, None, "correct", value=number.value)
        for number in numbers_in(member.node):
            if number.start in to.found or number.start in to.given:
                continue
            same = known.get(number.text)
            if true is False and (same is None or number.is_integer) and not _is_root(number, ruled):
                doubtful.add(number.start)
            if same is not None and not isinstance(member.node, (Num, Sequence)):
                to.repeat(number, same)
            elif true:
                to.add(number, "arithmetic", None, None, "correct", value=number.value)
    told = {number.start for member in statement.members for number in numbers_in(member.node) if number.places > 0}
    excused = not told & doubtful and is_rounding(statement, ruled.names)
    if true is False and not excused and not _is_blamed(to, statement):
        _blame(to, ruled, statement, doubtful)


def _is_root(number: Printed, ruled: Ruled) -> bool:
    """Whether a decimal is the root of d_k or one over it, which needs no print to follow from."""
    roots = (array for array in ruled.example.known.arrays if array.quantity in ("sqrt_dk", "scale"))
    return number.places > 1 and any(stand(number, array.rows[0][0]) == "correct" for array in roots)


def _is_blamed(to: Findings, statement: Statement) -> bool:
    """Whether a number of a statement is wrong already, or follows from a wrong one."""
    numbers = [number.start for member in statement.members for number in numbers_in(member.node)]
    return any(start in to.found and to.found[start].verdict != "correct" for start in numbers)


def _blame(to: Findings, ruled: Ruled, statement: Statement, doubtful: set[int]) -> None:
    """A false statement: the number in it that nothing else on the page supports."""
    found = culprit(statement, ruled.names, doubtful)
    if found is not None:
        number, wanted = found
        to.add(number, "arithmetic", None, None, "wrong", value=wanted, because=Because("false_line"))
