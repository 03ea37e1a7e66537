"""A class: who gets a variant."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Final

from symattn.errors import SpecError, SymattnError, Where
from symattn.parse import document
from symattn.parse.messages import quoted

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
MOST: Final = 100_000


def students(path: Path) -> tuple[str, ...]:
    """The ids of a roster: a CSV file with a column ``id``.

    Raises:
        SpecError: There is no such column, or an id cannot name a file or stands twice.
    """
    try:
        rows = table(document.text(path))
        return _ids(rows)
    except SymattnError as error:
        raise error.located(file=str(path)) from None


def table(text: str) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV text with their lines; the first line names the columns.

    Raises:
        SpecError: It is no table, or has too many rows.
    """
    comma = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    reader = csv.DictReader(io.StringIO(text), delimiter=comma, strict=True)
    found: list[tuple[int, dict[str, str]]] = []
    try:
        for row in reader:
            if len(found) >= MOST:
                raise SpecError(f"more than {MOST} rows", mend="split the file", where=Where(line=reader.line_num))
            if None in row:
                raise SpecError(
                    "more fields than columns",
                    mend="put texts with commas in quotes",
                    where=Where(line=reader.line_num),
                )
            found.append((reader.line_num, {str(key).strip(): (value or "").strip() for key, value in row.items()}))
    except csv.Error as error:
        raise SpecError(f"not a table: {error}", mend="save it as CSV", where=Where(line=reader.line_num)) from None
    return found


def is_name(student: str) -> bool:
    """Whether an id can name a file, on every system."""
    return bool(_ID.fullmatch(student)) and not _RESERVED.fullmatch(student) and not student.endswith(".")


def _ids(rows: list[tuple[int, dict[str, str]]]) -> tuple[str, ...]:
    found: dict[str, int] = {}
    for number, row in rows:
        name = row.get("id")
        where = Where(line=number)
        if name is None:
            raise SpecError(
                "there is no column id", mend="name the column of the students' ids id", where=Where(line=1)
            )
        if not is_name(name):
            raise SpecError(
                f"the id {quoted(name)} cannot name a file", mend="use letters, digits, and _ . @ - within", where=where
            )
        if found.setdefault(name.lower(), number) != number:
            raise SpecError(f"the id {quoted(name)} stands twice", mend="give each student one line", where=where)
    if not found:
        raise SpecError("the roster names nobody", mend="write one id a line below the heading id")
    return tuple(row["id"] for _, row in rows)
