"""Correct rounding: each exact value is rounded once; and rows of weights that add to 1, so printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from symattn.exact import numbers
from symattn.exact.attention import Head, Result
from symattn.exact.balls import precision
from symattn.exact.numbers import Exact
from symattn.exact.values import UNDEFINED, Value
from symattn.policies.printing import Grid, PrintedHead, PrintedResult, Printer, Row, Seen, add_to_one, one
from symattn.problem import Page
from symattn.rounding import Real, Rounded, adding_to_one
from symattn.steps import Printed, Table

_LARGEST_PRINTED_LOGIT: Final = 50


def nearest_result(result: Result, page: Page, *, exponentials: bool = True, seen: Seen | None = None) -> PrintedResult:
    """Every number correctly rounded; ``seen`` keeps those that another result of the page may have too."""
    printer = Printer(page, Seen() if seen is None else seen, symbolic=result.symbolic)
    several = len(result.heads) > 1
    heads = tuple(
        _head(head, page, printer, f"heads[{index}]." if several else "", exponentials=exponentials)
        for index, head in enumerate(result.heads)
    )
    alone = result.output is result.heads[0].output
    output = heads[0].output if alone else printer.grid(result.output, "final")
    return PrintedResult(heads, output, None if result.residual is None else printer.grid(result.residual, "residual"))


def _head(head: Head, page: Page, printer: Printer, path: str, *, exponentials: bool) -> PrintedHead:
    def shown(name: str) -> Grid:
        return printer.grid(getattr(head, name), path + name)

    def wanted(name: str) -> Grid | None:
        return None if getattr(head, name) is None else shown(name)

    turned = None
    if head.rotated is not None:
        names = ("rotated_query", "rotated_key")
        turned = tuple(printer.grid(table, path + name) for table, name in zip(head.rotated, names, strict=True))
    return PrintedHead(
        query=shown("query"),
        key=shown("key"),
        value=shown("value"),
        scores=shown("scores"),
        scaled=shown("scaled"),
        logits=shown("logits"),
        exponentials=_exponentials(head, page, printer) if exponentials else (),
        weights=shown("weights"),
        output=shown("output"),
        rotated=None if turned is None else (turned[0], turned[1]),
        capped=wanted("capped"),
        biased=wanted("biased"),
        lse=wanted("lse"),
    )


def exponential_table(head: Head) -> Table:
    """e^logit of every allowed key, 0 elsewhere."""
    return Table(tuple(row.exponentials() for row in head.rows))


def _exponentials(head: Head, page: Page, printer: Printer) -> Grid:
    """The exponentials correctly rounded; None, for its closed form, where one is too long to be read."""
    table = exponential_table(head)
    is_large = partial(_is_large, symbolic=printer.symbolic)
    with precision(64):
        large = {exponent for row in head.rows for exponent in row.exponents if is_large(exponent)}
    if not large:
        return printer.grid(table)
    return tuple(
        tuple(
            None if group is not None and row.exponents[group] in large else one(value, page)
            for group, value in zip(row.groups, row.exponentials(), strict=True)
        )
        for row in head.rows
    )


def _is_large(logit: Exact, *, symbolic: bool) -> bool:
    return not (symbolic and numbers.symbols(logit)) and bool(numbers.ball(logit) > _LARGEST_PRINTED_LOGIT)


def rows_to_one(result: Result, near: PrintedResult, page: Page) -> PrintedResult:
    """Rows that add to 1, so printed: with a sink none does, and a row with nothing allowed may be 0 or undefined."""
    heads = []
    for head, shown in zip(result.heads, near.heads, strict=True):
        rows = zip(head.weights.rows, shown.weights, strict=True)
        weights = tuple(to_one(exact, row, page) if is_whole(head, exact, row) else row for exact, row in rows)
        heads.append(replace(shown, weights=weights))
    return replace(near, heads=tuple(heads))


def is_whole(head: Head, exact: Sequence[Value], row: Row) -> bool:
    """Whether a row of weights adds to 1, and is printed in decimals."""
    hollow = UNDEFINED in exact or all(entry is not None and entry.text == "0" for entry in row)
    return head.sink is None and None not in row and not hollow


def to_one(quotients: Sequence[Real], row: Row, page: Page) -> Row:
    """The printed row with the units moved that make it add to 1.

    Where the correctly rounded numbers add to 1, none of them a tie, those with a remainder above a half are rounded up
    and are as many as have to be: they have the largest remainders.
    """
    entries = [entry for entry in row if entry is not None]
    if not any(entry.tie for entry in entries) and add_to_one(entry.text for entry in entries):
        return row
    units = adding_to_one(quotients, page.decimals)
    return tuple(_moved(entry, count, page.decimals) for entry, count in zip(row, units, strict=True))


def _moved(entry: Printed | None, units: int, places: int) -> Printed | None:
    moved = Rounded(units, places)
    if entry is None or numbers.from_decimal(entry.text) == moved.number:
        return entry
    return entry._replace(text=moved.text, tie=False, vanishes=units == 0, exact=False)
