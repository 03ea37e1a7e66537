"""One matrix, row or number of a worked problem, to paste into a chapter."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from symattn.derive.named import ARRAYS, SQUARE, named
from symattn.derive.sections import Worked
from symattn.errors import SpecError, Where
from symattn.exact.attention import table
from symattn.exact.matrix import matrix
from symattn.exact.text_forms import Writer
from symattn.parse.messages import quoted
from symattn.policies import Grid, grid
from symattn.render.json_view import array
from symattn.render.page import Wish, filled, markup
from symattn.render.safe import tex
from symattn.render.sheet import Sheet, sheet
from symattn.steps import Table
from symattn.symbols import SYMBOLS

NAMES: Final = (*ARRAYS, "final", "residual", "X")
_LAYER: Final = re.compile(r"layers\[(\d{1,3})\]\.")
_FORM: Final = re.compile(r"(?:also\[(\d{1,3})\]\.)?(?:heads\[(\d{1,3})\]\.)?(\w+'?)((?:\[[^\]]*\])*)")
_KEYED: Final = ("key", "rotated_key", "value")
"""Arrays with a row a key."""
_SUBSCRIPT: Final = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An array of one section and head, and the row and column that are wanted of it, counted from 0."""

    name: str
    section: int
    head: int
    row: int | None = None
    column: int | None = None


def wanted(text: str, worked: Worked) -> Wanted:
    """What ``weights``, ``weights[tired]``, ``weights[2][0]``, ``heads[1].output`` or ``also[0].weights`` name.

    Raises:
        SpecError: There is no such array, row or column.
    """
    where = Where("--only")
    form = _FORM.fullmatch(text.strip())
    name = "" if form is None else _letters(worked).get(form[3], form[3])
    if form is None or name not in NAMES:
        near = difflib.get_close_matches(form[3] if form else text, NAMES, 1)
        mend = f'did you mean "{near[0]}"?' if near else "name one of " + ", ".join(NAMES)
        raise SpecError(f"{quoted(text)} names no array", mend=mend, where=where)
    section = 0 if form[1] is None else int(form[1]) + 1
    head = int(form[2] or 0)
    if section >= len(worked.sections) or head >= len(worked.sections[0].result.heads):
        raise SpecError(
            f"{quoted(text)} names no section or head of this problem", mend="they count from 0", where=where
        )
    places = _SUBSCRIPT.findall(form[4])
    if len(places) > 2:
        raise SpecError(f"{quoted(text)} has too many places", mend="name a row and a column", where=where)
    found = Wanted(name, section, head)
    exact, _ = _tables(worked, found)
    rows, columns = _row_names(worked, found.name), _column_names(worked, found.name)
    row = _place(places[0], rows, exact.shape[0], "row") if places else None
    column = _place(places[1], columns, exact.shape[1], "column") if len(places) > 1 else None
    return Wanted(name, section, head, row, column)


def _letters(worked: Worked) -> dict[str, str]:
    """The arrays by the letters that the page gives them, such as Q for the queries."""
    letters = {name: symbol.letter for name, symbol in SYMBOLS.items()} | dict(worked.problem.page.notation)
    return {letters[name]: name for name in NAMES if name in letters}


def _row_names(worked: Worked, name: str) -> Sequence[str]:
    keyed = name in _KEYED and worked.problem.context_tokens
    return worked.problem.context_tokens if keyed else worked.problem.tokens


def _column_names(worked: Worked, name: str) -> Sequence[str]:
    if name in SQUARE:
        return worked.problem.context_tokens or worked.problem.tokens
    return ()


def _place(text: str, names: Sequence[str], size: int, kind: str) -> int:
    if text in names:
        return names.index(text)
    if text.isascii() and text.isdigit() and len(text) < 5 and int(text) < size:
        return int(text)
    known = f" or one of {', '.join(names)}" if names else ""
    raise SpecError(
        f"there is no {kind} {quoted(text)}", mend=f"write a number from 0 to {size - 1}{known}", where=Where("--only")
    )


def _tables(worked: Worked, found: Wanted) -> tuple[Table, Grid]:
    section = worked.sections[found.section]
    text = worked.shown(section, exponentials=False)
    if found.name == "X":
        if worked.problem.X is None:
            raise SpecError("this problem has no X", mend="name query, key or value", where=Where("--only"))
        exact = table(matrix(worked.problem.X))
        return exact, worked.tokens or grid(exact, worked.problem.page, symbolic=True)
    if found.name == "final":
        return section.result.output, text.output
    if found.name == "residual":
        if section.result.residual is None or text.residual is None:
            raise SpecError("the tokens are not added here", mend="name final", where=Where("--only"))
        return section.result.residual, text.residual
    there = named(section.result.heads[found.head], text.heads[found.head])
    if found.name not in there:
        where = Where("--only")
        raise SpecError(f"this problem has no {found.name}", mend=f"name one of {', '.join(there)}", where=where)
    return there[found.name]


def only(worked: Worked, text: str, wish: Wish) -> str:
    """The array, row or number, in the format wished for; ``layers[1].weights`` names one of a further layer."""
    worked, text = _of_layer(worked, text.strip())
    found = wanted(text, worked)
    if wish.format == "json":
        return _as_json(worked, found)
    paper = sheet(worked, markup(wish).escape)
    exact, shown = _tables(worked, found)
    cells = paper.cells(exact, shown, found.section)
    if found.column is not None and found.row is not None:
        return _filled("number", worked, wish, tex=cells[found.row][found.column])
    if found.row is not None:
        return _filled("row", worked, wish, tex=tex(paper.style.vector(cells[found.row])))
    if wish.format == "tex":
        return _filled("matrix", worked, wish, tex=tex(paper.style.matrix(cells)))
    return _as_table(paper, found, exact, shown, worked, wish)


def _of_layer(worked: Worked, text: str) -> tuple[Worked, str]:
    """The layer that a text names first, and the rest of the text; without layers both as they are."""
    named = _LAYER.match(text)
    if named is None and worked.asked is None:
        return worked, text
    count = len(worked.layers) if worked.asked is not None else 0
    if named is None or int(named[1]) >= count:
        mend = f"write layers[0] to layers[{count - 1}] and a point before it" if count else "leave it out"
        what = f"{quoted(text)} names no layer" if count else "this problem has no layers"
        raise SpecError(what, mend=mend, where=Where("--only"))
    return worked.layers[int(named[1])], text[named.end() :]


def _filled(kind: str, worked: Worked, wish: Wish, **view: Any) -> str:
    return filled("base/only.jinja", {"kind": kind, "slug": wish.slug, **view}, worked, wish)


def _as_table(paper: Sheet, found: Wanted, exact: Table, shown: Grid, worked: Worked, wish: Wish) -> str:
    if _column_names(worked, found.name):
        blocks = paper.grid(exact, shown, found.section)
    else:
        keyed = found.name in _KEYED
        blocks = paper.numbered_grid(exact, shown, paper.key_tokens if keyed else paper.tokens, found.section)
    return _filled("table", worked, wish, blocks=blocks, corner=tex(""))


def _as_json(worked: Worked, found: Wanted) -> str:
    exact, texts = _tables(worked, found)
    rows = range(exact.shape[0]) if found.row is None else (found.row,)
    columns = range(exact.shape[1]) if found.column is None else (found.column,)
    part = Table(tuple(tuple(exact[i, j] for j in columns) for i in rows))
    printed = tuple(tuple(texts[i][j] for j in columns) for i in rows)
    view = array(part, printed, Writer(worked.sections[found.section].generator(), later=worked.index > 0))
    return json.dumps(view, indent=1, ensure_ascii=False) + "\n"
