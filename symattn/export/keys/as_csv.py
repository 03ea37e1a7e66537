"""The key as a table, and an empty table to type answers into."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Final

from symattn.exercises.offer import Offer, Run, blank
from symattn.export.formats import Writer

_NUMBER: Final = re.compile(r"-?\d+([.,]\d+)?")
_FORMULA: Final = tuple("=+-@\t\0")
_COLUMNS: Final = ("code", "blank", "key", "tolerance", "points")


def inert(text: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would calculate with; plain numbers stay."""
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def row(fields: Iterable[str]) -> str:
    """One line of a table."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(map(inert, fields))
    return line.getvalue()


def _item(offer: Offer) -> str:
    return "".join(
        row(
            (
                offer.variant.code,
                blank(number, answer.ask, cell.row, cell.column),
                cell.key,
                cell.tolerance,
                str(answer.ask.points),
            )
        )
        for number, answer in enumerate(offer.variant.answers, 1)
        for cell in answer.cells
    )


def _head(_: Run) -> str:
    return row(_COLUMNS)


WRITERS: Final = (Writer("teacher/{name}-key.csv", _item, _head, between=""),)
