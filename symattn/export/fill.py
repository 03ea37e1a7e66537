r"""Pages with places that are filled from a problem, and refreshed whenever it changes.

In Markdown a place is ``<!-- symattn: FILE weights -->`` ... ``<!-- /symattn -->``, in LaTeX ``% symattn: FILE
weights`` at the end of a line, ... and ``% /symattn``. What stands between is replaced: an array, a row, or one number
within a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from symattn.errors import SpecError, SymattnError, Where

Content = Callable[[str, str], str]
"""What belongs in a place: of a problem's file name and of what is wanted of it."""

_MARKS: Final = {
    "md": re.compile(r"<!--[ \t]*(?P<close>/)?[ \t]*symattn[ \t]*(?P<open>:[^\n]*?)?[ \t]*-->", re.IGNORECASE),
    "tex": re.compile(
        r"(?<!\\)%[ \t]*(?P<close>/)?[ \t]*symattn[ \t]*(?P<open>:[^\n]*?)?[ \t]*(?=\r?$)", re.MULTILINE | re.IGNORECASE
    ),
}

_SHOWN: Final = {
    "md": re.compile(
        r"^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)|\Z)"
        r"|(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`)",
        re.M | re.S,
    ),
    "tex": re.compile(r"\\begin\{(?P<name>verbatim\*?|lstlisting|minted)\}.*?(?:\\end\{(?P=name)\}|\Z)", re.S),
}
"""Code, in which a mark is an example."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place on a page: its problem's file, what is wanted of it, its line, and where its contents begin and end."""

    file: str
    wanted: str
    line: int
    start: int
    end: int


def places(text: str, kind: str) -> tuple[Place, ...]:
    """The places of a page, ``kind`` being ``md`` or ``tex``.

    Raises:
        SpecError: A place is not closed, closed twice, stands in another, or does not say what belongs in it.
    """
    found: list[Place] = []
    opened: re.Match[str] | None = None
    shown = [found.span() for found in _SHOWN[kind].finditer(text)]
    for mark in _MARKS[kind].finditer(text):
        if any(start <= mark.start() < end for start, end in shown):
            continue
        line = text.count("\n", 0, mark.start()) + 1
        if mark["close"] and opened is None:
            raise SpecError("nothing is open here", mend="remove this mark, or open a place", where=Where(line=line))
        if not mark["close"] and mark["open"] is None:
            raise SpecError("the mark says no file", mend="write symattn: FILE weights", where=Where(line=line))
        if not mark["close"] and opened is not None:
            raise SpecError("the place before is still open", mend="close it with /symattn", where=Where(line=line))
        if opened is None:
            opened = mark
            continue
        found.append(_place(text, opened, mark))
        opened = None
    if opened is not None:
        line = text.count("\n", 0, opened.start()) + 1
        raise SpecError("the place is not closed", mend="close it with /symattn", where=Where(line=line))
    return tuple(found)


def _place(text: str, opened: re.Match[str], closed: re.Match[str]) -> Place:
    line = text.count("\n", 0, opened.start()) + 1
    file, _, wanted = (opened["open"] or ":")[1:].strip().partition(" ")
    if not file or not wanted.strip():
        raise SpecError("the mark says no file, or nothing of it", mend="write FILE weights", where=Where(line=line))
    return Place(file, wanted.strip(), line, opened.end(), closed.start())


def filled(text: str, kind: str, content: Content) -> tuple[str, tuple[Place, ...]]:
    """The page with every place filled, and the places whose contents changed.

    A place that is opened and closed in one line, and in LaTeX one that is closed at the end of the line below, keeps
    its contents within the sentence; any other has them on lines of their own.

    Raises:
        SymattnError: What belongs in a place cannot be made; the place names the line.
    """
    parts: list[str] = []
    changed: list[Place] = []
    at = 0
    for place in places(text, kind):
        try:
            made = content(place.file, place.wanted).strip("\n")
        except SymattnError as error:
            raise error.located(line=place.line) if not error.where.file else error from None
        before = text[place.start : place.end]
        shown = _set(before, made, kind)
        if shown != before:
            changed.append(place)
        parts += [text[at : place.start], shown]
        at = place.end
    return "".join((*parts, text[at:])), tuple(changed)


def _set(before: str, made: str, kind: str) -> str:
    """The contents in the manner of what stood there: within a line, or on lines of their own."""
    end = "\r\n" if "\r\n" in before else "\n"
    made = made.replace("\n", end)
    if kind == "tex" and before.startswith(end) and not before.endswith("\n") and "\n" not in made:
        return f"{end}{made}"
    if "\n" in before or "\n" in made:
        return f"{end}{made}{end}"
    return made
