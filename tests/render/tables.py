"""The tables of a Markdown page, as a real parser sees them, and their cells as the texts of printed numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

POWER = re.compile(r"\\cdot 10\^\{(-?\d+)\}$")
BLANK = "______"
SPAN = {"<span>", "</span>"}
"""Round a dollar on GitHub, which is then no sign of mathematics."""


@dataclass(frozen=True)
class Grid:
    """A table under its headings: every cell as its text, formulas as their TeX."""

    headings: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def corner(self) -> str:
        """The first cell of the header."""
        return self.header[0]

    @property
    def labels(self) -> tuple[str, ...]:
        """The first cell of each row."""
        return tuple(row[0] for row in self.rows)

    @property
    def numbers(self) -> list[list[str]]:
        """The other cells, as printed numbers."""
        return [[number(cell) for cell in row[1:]] for row in self.rows]


def number(cell: str) -> str:
    """A cell's formula as the text of a printed number: ``-oo``, ``0.50``, ``2.58e-869``."""
    text = cell.replace(r"-\infty", "-oo").replace("{,}", ".")
    return POWER.sub(r"e\1", text)


def vector(cell: str) -> list[str]:
    """A cell that holds a row of numbers in brackets."""
    assert cell.startswith("["), cell
    assert cell.endswith("]"), cell
    return [number(part) for part in cell[1:-1].split(r",\ ")]


def blocks(text: str, dollars: bool = True) -> list[Token]:
    """The page's tokens; without ``dollars`` these are no signs of mathematics, as between the tags of a span."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    if dollars:
        parser.use(dollarmath_plugin, allow_space=False, allow_digits=False)
    return parser.parse(text)


def shown(inline: Token) -> str:
    """What a reader sees of a line; no raw HTML may be in it."""
    found = ""
    for token in inline.children or ():
        assert token.type != "html_inline" or token.content in SPAN, token.content
        if token.type in {"text", "code_inline", "math_inline", "text_special"}:
            found += token.content
        elif token.type in {"softbreak", "hardbreak"}:
            found += "\n"
        elif token.type == "image":
            found += f"image {token.content}"
    return found


def headings(text: str, level: str = "h1", dollars: bool = True) -> list[str]:
    """The headings of a level."""
    stream = blocks(text, dollars)
    return [
        shown(stream[at + 1]) for at, token in enumerate(stream) if token.type == "heading_open" and token.tag == level
    ]


def grids(text: str, dollars: bool = True) -> list[Grid]:
    """The tables of a page, in reading order."""
    return [Grid(under, cells[0], tuple(cells[1:])) for under, cells in _tables(blocks(text, dollars))]


def _tables(stream: list[Token]) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    under: dict[str, str] = {}
    rows: list[list[str]] = []
    for token, after in zip(stream, [*stream[1:], None], strict=True):
        match token.type:
            case "heading_open" if after is not None:
                under = {tag: title for tag, title in under.items() if tag < token.tag} | {token.tag: shown(after)}
            case "table_open":
                rows = []
            case "tr_open":
                rows.append([])
            case "th_open" | "td_open" if after is not None:
                rows[-1].append(shown(after))
            case "table_close":
                yield tuple(under.values()), [tuple(row) for row in rows]


def joined(found: list[Grid], columns: int) -> list[Grid]:
    """Blocks of one table, which stand one below the other where it is too wide, side by side again."""
    whole: list[Grid] = []
    for grid in found:
        last = whole[-1] if whole else None
        if (
            last is not None
            and (last.headings, last.corner, last.labels) == (grid.headings, grid.corner, grid.labels)
            and len(last.header) + len(grid.header) - 1 <= columns + 1
        ):
            rows = tuple((*one, *other[1:]) for one, other in zip(last.rows, grid.rows, strict=True))
            whole[-1] = Grid(last.headings, last.header + grid.header[1:], rows)
        else:
            whole.append(grid)
    return whole
