"""Closed forms for a page, and what their letter stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from flint import fmpq
from markupsafe import Markup

from symattn.exact import numbers
from symattn.exact.attention import Head
from symattn.exact.closed import ClosedForm
from symattn.exact.layers import written
from symattn.exact.numbers import Exact
from symattn.exact.values import UNDEFINED, Plain, Softmax, Value, Weight
from symattn.render import latex
from symattn.render.forms import Forms
from symattn.render.grids import TABLE_WIDTH, width
from symattn.render.safe import tex
from symattn.render.sheet import Sheet, View
from symattn.rounding import truncated

_LONGEST: Final = fmpq(30)
_ROOM: Final = TABLE_WIDTH - 16
"""For a row's closed forms, beside its name."""


def definition(paper: Sheet, way: Forms) -> View | None:
    """What the letter stands for: its power of e, its first decimals, and its name."""
    if way.by is None:
        return None
    number = numbers.exp(way.by.exponent)
    begins = "" if numbers.symbols(number) or _is_long(way.by.exponent) else paper.number(truncated(Plain(number), 5))
    return {
        "letter": tex(way.letter),
        "power": tex(latex.power_of_e(way.by.exponent, way.style)),
        "begins": begins,
        "rational": not isinstance(number, numbers.Number),
    }


def _is_long(exponent: Exact) -> bool:
    """Whether e to this power has more digits than anyone reads."""
    return numbers.sign(exponent - _LONGEST) > 0


def closed_rows(paper: Sheet, index: int, head: int, rows: list[int]) -> View:
    """The closed forms of some rows: as a table where they fit, else the numbers to which each row's weights are in
    proportion.
    """
    tables, way = paper.worked.sections[index].result.heads[head], paper.forms[index]
    shortest = _written if paper.worked.index else _as_it_is
    exact = [[shortest(value) for value in tables.weights.rows[row]] for row in rows]
    weights: list[list[str]] = []
    outputs: list[list[str]] = []
    size = 0
    for row, values in zip(rows, exact, strict=True):
        weights.append([way.tex(value) for value in values])
        outputs.append([way.tex(shortest(value)) for value in tables.output.rows[row]])
        size = max(size, width(", ".join(weights[-1])) + width(", ".join(outputs[-1])))
        if size > _ROOM:
            break
    fits = size <= _ROOM
    labels = [paper.tokens[row] for row in rows]
    return {
        "empty": not rows,
        "fits": fits,
        "size": size,
        "fractions": all(value is not UNDEFINED and _is_fraction(way.form(value)) for row in exact for value in row),
        "rows": [
            {"label": label, "weights": tex(way.style.listed(a)), "output": tex(way.style.vector(b))}
            for label, a, b in zip(labels, weights, outputs, strict=True)
        ]
        if fits
        else [],
        "grids": _grids(paper, labels, weights, outputs) if fits and way.style.columns else [],
        "sink": tables.sink is not None,
        "shares": [] if fits else _share_blocks(paper, tables, rows, way),
    }


def rows_with_forms(paper: Sheet, head: Head) -> list[int]:
    """The rows with a closed form: all, or of a later layer those in which every number has one."""
    rows = range(len(head.rows))
    if not paper.worked.index:
        return list(rows)
    return [row for row in rows if None not in map(written, (*head.weights.rows[row], *head.output.rows[row]))]


def _as_it_is(value: Value) -> Value:
    return value


def _written(value: Value) -> Value:
    """A value that has a closed form, as the plain number that it is if it is one."""
    found = written(value)
    assert found is not None  # noqa: S101 - of rows_with_forms alone
    return found


def _grids(paper: Sheet, labels: list[Markup], weights: list[list[str]], outputs: list[list[str]]) -> list[View]:
    """Weights and outputs as tables with a column a token."""
    cells = {"weights": weights, "output": outputs}
    shown = {name: [[tex(entry) for entry in row] for row in rows] for name, rows in cells.items()}
    return [
        {"name": "weights", "blocks": paper.blocks(paper.key_tokens, labels, shown["weights"])},
        {"name": "output", "blocks": paper.numbered(shown["output"], labels)},
    ]


def _is_fraction(form: ClosedForm) -> bool:
    """Whether a weight is a rational number."""
    return all(
        isinstance(power, int | fmpq) and power == 0 and isinstance(factor, int | fmpq)
        for factor, power in (*form.numerator, *form.denominator)
    )


def _share_blocks(paper: Sheet, tables: Head, rows: list[int], way: Forms) -> list[View]:
    """The shares of some rows, that of a sink in a column of its own."""
    header = list(paper.key_tokens)
    shares = [tables.rows[row] for row in rows]
    if tables.sink is not None:
        header.append(tex("sink"))
        shares = [replace(row, groups=(*row.groups, row.exponents.index(tables.sink)), cache={}) for row in shares]
    return paper.blocks(header, [paper.tokens[row] for row in rows], [_shares(row, way) for row in shares])


def _shares(row: Softmax, way: Forms) -> list[Markup]:
    """e^(exponent - smallest) for each key, 0 where it is masked: a row of weights is these, divided by their sum."""
    if len(row.exponents) <= 1:
        return [tex("0" if group is None else "1") for group in row.groups]
    forms = [way.form(Weight(row, key)) for key in range(len(row.groups))]
    return [tex(latex.side(form.numerator, form, way.letter, way.style) if form.numerator else "0") for form in forms]
