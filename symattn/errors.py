"""Every error raised on purpose.

An error of this family is a fact about what the user gave: its message says what is wrong, where, and how to mend it.
Any other exception is a fault of symattn itself. Only the command line turns errors into exit codes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_SUBSCRIPTS = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Where:
    """A place in what the user gave: a file, a line counted from 1, and a path such as ``W_V[1][0]`` counted from 0."""

    path: str = ""
    line: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        if self.file is None:
            place = f"line {self.line}" if self.line else ""
        else:
            place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, _counted_from_one(self.path)) if part)


def _counted_from_one(path: str) -> str:
    """The path with its row and column also as people count them, from 1."""
    last = _SUBSCRIPTS.findall(path.rpartition(".")[2]) or _SUBSCRIPTS.findall(path)
    numbers = [int(found) + 1 for found in last]
    match numbers:
        case [row, column]:
            return f"{path} (row {row}, column {column})"
        case [row]:
            return f"{path} (number {row})"
        case _:
            return path


class SymattnError(Exception):
    """What is wrong, where, and how to mend it."""

    def __init__(self, what: str, *, mend: str = "", where: Where | None = None) -> None:
        self.what = what
        self.mend = mend
        self.where = where or Where()
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """One line: where, what, how to mend it."""
        place = str(self.where)
        text = f"{place}: {self.what}" if place else self.what
        return f"{text}; {self.mend}" if self.mend else text

    def located(self, *, path: str | None = None, line: int | None = None, file: str | None = None) -> SymattnError:
        """The same error with the parts of its place that were not known where it was raised."""
        where = replace(
            self.where,
            path=self.where.path or path or "",
            line=self.where.line or line,
            file=self.where.file or file,
        )
        return type(self)(self.what, mend=self.mend, where=where)

    def within(self, path: str) -> SymattnError:
        """The same error with its place inside of another."""
        inner = f"{path}.{self.where.path}" if self.where.path else path
        return type(self)(self.what, mend=self.mend, where=replace(self.where, path=inner))


class SpecError(SymattnError):
    """A problem file, an entry, an option or a call that says something unusable."""


class LongError(SpecError):
    """A number with more digits than can be written out."""


class PlaceError(SpecError, IndexError):
    """An entry or a head that a solution does not have."""


class AbsentError(SpecError, AttributeError):
    """An array that a solution does not have."""


class ShapeError(SymattnError):
    """Arrays whose sizes do not go together."""


class UndecidedError(SymattnError):
    """A decimal that could not be proved within the stated precision; it is never guessed."""


class MissingProgramError(SymattnError):
    """A program that is needed is not on this machine."""
