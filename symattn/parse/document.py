"""The text of a TOML or JSON file as plain data, every number exact.

Decimals arrive as ``Decimal`` from their text, never as a binary float; what is no finite number, or is too long, still
arrives, so that it is refused where its path is known.
"""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, Literal

from symattn.errors import SpecError, Where
from symattn.parse import limits
from symattn.parse.lines import Lines
from symattn.parse.messages import child, kind, quoted

Format = Literal["toml", "json"]

_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_VALUES: Final = "numbers stand bare, texts in quotes, rows in square brackets"
_PLAIN: Final = {
    "Cannot overwrite a value": ("a name is given twice", "keep one of them"),
    "Cannot declare": ("a table is given twice, or has a name that is taken", "keep one of them"),
    "Invalid value": ("no value can be read here", _VALUES),
    "Unclosed array": ("a square bracket before this place is not closed", _VALUES),
    "Unclosed inline table": ("a curly bracket is not closed", "write such a table on one line"),
    "Expecting value": ("no value can be read here", _VALUES),
    "Expecting property name": ("a name in double quotes is missing", "no comma stands after the last one"),
    "Illegal trailing comma": ("a comma stands before a closing bracket", "remove it"),
    "Extra data": ("something follows the end", "remove it"),
    "Unterminated string": ("a text is not closed", "texts stand in double quotes"),
}
"""How the readers' messages begin, with plain words for each, and how to mend it."""


def text(path: Path, most: int = limits.BYTES) -> str:
    """The text of a problem file, or of another of at most so many bytes.

    Raises:
        SpecError: There is no such file, it cannot be read, is too large, or is not UTF-8.
    """
    try:
        if path.is_dir():
            raise SpecError("this is a folder", mend="name a problem file in it")
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError(f"the file cannot be read: {reason.lower()}", mend="check its name and place") from None
    if len(raw) > most:
        raise SpecError("the file is too large", mend=f"at most {most // 10**6} MB can be read")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SpecError("the file is not UTF-8 text", mend="save it as UTF-8", where=Where(line=line)) from None


def format_of(path: Path) -> Format:
    """The format that the end of a file's name says."""
    match path.suffix.lower():
        case ".toml":
            return "toml"
        case ".json":
            return "json"
        case other:
            ending = f"names that end in {quoted(other)}" if other else "names without an ending"
            raise SpecError(f"{ending} say no format", mend="name the file .toml or .json")


def data(text: str, format: Format) -> dict[str, Any]:
    """The plain data that a text says.

    Raises:
        SpecError: The text is not in the format; the place names the line where it is known.
    """
    try:
        return _toml(text) if format == "toml" else _json(text)
    except RecursionError:
        raise SpecError("brackets are nested too deeply", mend="a matrix needs two levels") from None


def line(text: str, path: str) -> int | None:
    """The line of a path in a text that has been read, or None where it is not known for sure."""
    return Lines(text).of(path)


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=_decimal)
    except tomllib.TOMLDecodeError as error:
        what = str(error)
        found = _PLACE.search(what)
        number = text.count("\n") + 1
        column = ""
        if found:
            what = what[: found.start()]
        if found and found[1]:
            number, column = int(found[1]), found[2]
        raise _unreadable("TOML", what, number, column) from None
    except ValueError:
        long = re.search(r"[0-9][0-9_]{4000}", text)
        where = Where(line=text.count("\n", 0, long.start()) + 1 if long else None)
        raise SpecError("an integer has too many digits", mend=f"{limits.DIGITS} is the most", where=where) from None


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(
            text, parse_float=_decimal, parse_int=_integer, parse_constant=Decimal, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        raise _unreadable("JSON", error.msg, error.lineno, str(error.colno)) from None
    except _RepeatedError as error:
        path, number = Lines(text).repeated or (child("", error.name), None)
        raise SpecError("this name is given twice", mend="keep one of them", where=Where(path, number)) from None
    if not isinstance(found, dict):
        raise SpecError(f"{kind(found)} is not a problem", mend="write names and values in curly brackets")
    return found


def _unreadable(language: str, what: str, number: int, column: str) -> SpecError:
    known = (words for start, words in _PLAIN.items() if what.startswith(start))
    plain, mend = next(known, (what[:1].lower() + what[1:], _VALUES))
    place = f" (column {column})" if column else ""
    return SpecError(f"not valid {language}: {plain}{place}", mend=mend, where=Where(line=number))


class _RepeatedError(Exception):
    """A name that an object of JSON has twice."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _RepeatedError(name)
        found[name] = value
    return found


def _decimal(text: str) -> Decimal:
    """A number from its text; one that no Decimal can hold as one that is far beyond the bounds too."""
    try:
        return Decimal(text.replace("_", ""))
    except InvalidOperation:
        return Decimal("1e1000000")


def _integer(text: str) -> int | Decimal:
    """A sign, digits and zeros are an int; longer texts would be slow as one, or raise."""
    return int(text) if len(text) <= 1 + limits.DIGITS + limits.EXPONENT else Decimal(text)
