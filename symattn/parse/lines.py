"""The line on which a path stands in the text of a TOML or JSON file.

Neither reader of the standard library tells positions, so the text is walked once more, only when an error is reported.
The reader has accepted the text by then, or has found a name given twice; hence the walk knows brackets, texts,
comments, keys and headers, and nothing else, and gives up where it is lost.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Final

from symattn.parse import limits
from symattn.parse.messages import child

_TOKEN: Final = re.compile(
    r"""
        (?P<comment> \#[^\n]* )
      | (?P<text>    "{3} (?:\\.|[^\\])*? "{3,5} | '{3} .*? '{3,5} | "(?:\\.|[^"\\\n])*" | '[^'\n]*' )
      | (?P<sign>    [\[\]{},=:] )
      | (?P<bare>    \d{4}-\d\d-\d\d[ ]\d[^\s,\]}]* | [^\s\[\]{},=:\#"'][^\s\[\]{},=\#"']* )
    """,
    re.VERBOSE | re.DOTALL,
)


class Lines:
    """The first line of each path, and the first path that is given twice (JSON alone allows that).

    Example:
        >>> Lines('title = "two"\\nX = [[1, 0],\\n     [0, 1]]').of("X[1]")
        3
    """

    def __init__(self, text: str) -> None:
        self.repeated: tuple[str, int] | None = None
        self._found: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._tokens = _tokens(text)
        self._next, self._line = next(self._tokens, ("", 0))
        if len(text) <= limits.SCANNED:
            self._walk()

    def of(self, path: str) -> int | None:
        """The line of a path, or of the nearest thing around it that stands in the file; None if there is none."""
        while path:
            if path in self._found:
                return self._found[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return None

    def _walk(self) -> None:
        try:
            if self._next == "{":
                self._value("")
            table = ""
            while self._next:
                if self._next == "[":
                    table = self._header()
                else:
                    self._pair(table)
        except RecursionError:
            self._found.clear()
        except (EOFError, ValueError):
            return

    def _take(self) -> str:
        if not self._next:
            raise EOFError
        taken = self._next
        self._next, self._line = next(self._tokens, ("", 0))
        return taken

    def _header(self) -> str:
        """``[page]`` or ``[[also]]``: the path in which the pairs below it stand."""
        self._take()
        many = self._next == "["
        if many:
            self._take()
        *outer, name = self._key("]")
        line = self._line
        path = ""
        for part in outer:
            path = self._inside(child(path, part), line)
        path = child(path, name)
        if many:
            self._last[path] = self._last.get(path, -1) + 1
        path = self._inside(path, line)
        self._take()
        if many:
            self._take()
        return path

    def _inside(self, path: str, line: int) -> str:
        """The path, or that of its last table so far where it is a list of tables."""
        self._found.setdefault(path, line)
        if path not in self._last:
            return path
        last = child(path, self._last[path])
        self._found.setdefault(last, line)
        return last

    def _pair(self, table: str) -> None:
        """``key = value`` or ``"key": value``; a dotted key stands in a table of that name."""
        line, path, again = self._line, table, False
        for part in self._key("=:"):
            path = child(path, part)
            again = path in self._found
            self._found.setdefault(path, line)
        if again and self.repeated is None:
            self.repeated = path, line
        self._take()
        self._value(path)

    def _key(self, ends: str) -> list[str]:
        parts: list[str] = []
        while self._next not in ends:
            token = self._take()
            parts += [_unquoted(token)] if token[0] in "\"'" else [part for part in token.split(".") if part]
        return parts

    def _value(self, path: str) -> None:
        opened = self._take()
        if opened == "{":
            while self._next != "}":
                self._pair(path)
                self._comma()
            self._take()
        elif opened == "[":
            index = 0
            while self._next != "]":
                place = child(path, index)
                self._found.setdefault(place, self._line)
                self._value(place)
                self._comma()
                index += 1
            self._take()

    def _comma(self) -> None:
        if self._next == ",":
            self._take()


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Each token with its line, comments left out."""
    line, position = 1, 0
    for found in _TOKEN.finditer(text):
        line += text.count("\n", position, found.start())
        position = found.start()
        if found.lastgroup != "comment":
            yield found[0], line


def _unquoted(token: str) -> str:
    """A quoted key; TOML has an escape that JSON has not."""
    try:
        return str(json.loads(token))
    except ValueError:
        return str(tomllib.loads(f"key = {token}")["key"])
