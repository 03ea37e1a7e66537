"""What the templates see of one head: its numbers, and the cell, the row and the mix that are worked in full."""

from __future__ import annotations

from markupsafe import Markup

from symattn.derive.story import Story
from symattn.exact.attention import Head
from symattn.exact.numbers import Exact
from symattn.exact.values import MASKED, Exponential
from symattn.policies import add_to_one, exponential_table, grid, one, row_total
from symattn.render import closed_view, latex
from symattn.render.grids import PAGE_WIDTH, width
from symattn.render.safe import tex
from symattn.render.sheet import Sheet, View
from symattn.steps import Table


def head_view(sheet: Sheet, index: int, told: Story) -> View:
    """The main section's head."""
    result, shown = sheet.worked.sections[0].result, sheet.shown[0].heads[index]
    head = result.heads[index]
    teller = sheet.teller(0, index)
    labels = list(sheet.tokens)
    start = [
        sheet.vectors(*pair) for pair in ((head.query, shown.query), (head.key, shown.key), (head.value, shown.value))
    ]
    outputs = sheet.vectors(head.output, shown.output)
    mix = [tex(line) for line in teller.mix(told.row)]
    mixed = [] if mix else [tex(line) for line in teller.mixed_numbers(told.row)]
    others = _others(sheet, index, told)
    return {
        "number": index + 1,
        "index": index,
        "query": start[0],
        "key": start[1],
        "value": start[2],
        "scores": sheet.grid(head.scores, shown.scores),
        "scaled": sheet.grid(head.scaled, shown.scaled),
        "masked": [] if head.allowed is None else sheet.grid(head.logits, shown.logits),
        "rotated": _rotated(sheet, index),
        "stages": _stages(sheet, index),
        "sink": None if head.sink is None else _sink(sheet, head.sink),
        "empty": [row for row, softmax in enumerate(head.rows) if not softmax.exponents],
        "lse": [] if head.lse is None or shown.lse is None else sheet.numbered_grid(head.lse, shown.lse, labels),
        "kv_head": sheet.worked.starts[index].kv_head + 1,
        "weights": sheet.grid(head.weights, shown.weights),
        "output": outputs,
        "output_grid": sheet.numbered_grid(head.output, shown.output, labels),
        "outputs_fit": _fits(sheet, max(map(width, outputs)) + max(map(width, start[2])) + 20),
        "cell": _cell(sheet, index, told.cell),
        "turn": None if told.turn is None else _cell(sheet, index, told.turn, within_text=True),
        "distinct": [] if result.symbolic else _distinct(sheet, index, told),
        "row": _row(sheet, index, told),
        "same": _same(head, told),
        "others": others["grid"],
        "other": others["single"],
        "guess": None if told.guess is None else {"row": told.guess.row, "winners": list(told.guess.winners)},
        "mix": mix,
        "mixed": mixed,
        "mixed_all": len(mixed) == head.output.shape[1],
        "closed": closed_view.closed_rows(sheet, 0, index, closed_view.rows_with_forms(sheet, head)),
        "single": all(len(row.exponents) == 1 for row in head.rows),
    }


def _distinct(sheet: Sheet, index: int, told: Story) -> list[Markup]:
    """A line for each distinct score, scaled; none where one of them has no true line."""
    lines = [sheet.teller(0, index).scaled(*place) for place in told.distinct]
    return [] if None in lines else [tex(line) for line in lines if line is not None]


def _fits(sheet: Sheet, size: int) -> bool:
    """Whether a table with a row a token fits the page, and tokens have rows."""
    return not sheet.style.columns and size <= PAGE_WIDTH


def _rotated(sheet: Sheet, index: int) -> list[View]:
    """Queries and keys after their turn."""
    head, shown = sheet.worked.sections[0].result.heads[index], sheet.shown[0].heads[index]
    if head.rotated is None or shown.rotated is None:
        return []
    labels = (sheet.tokens, sheet.key_tokens)
    return [
        {"name": name, "blocks": sheet.numbered_grid(exact, printed, names)}
        for name, exact, printed, names in zip(("query", "key"), head.rotated, shown.rotated, labels, strict=True)
    ]


def _stages(sheet: Sheet, index: int) -> list[View]:
    """What happens to the scaled scores before softmax, mask and all: each stage with its numbers."""
    result, shown = sheet.worked.sections[0].result, sheet.shown[0].heads[index]
    head = result.heads[index]
    found: list[View] = []
    if head.capped is not None and shown.capped is not None:
        found.append({"name": "capped", "blocks": sheet.grid(head.capped, shown.capped)})
    if head.bias is not None and head.biased is not None and shown.biased is not None:
        bias = sheet.grid(head.bias, grid(head.bias, sheet.problem.page, symbolic=result.symbolic))
        found.append({"name": "biased", "bias": bias, "blocks": sheet.grid(head.biased, shown.biased)})
    if head.allowed is not None or result.temperature is not None:
        found.append({"name": "logits", "blocks": sheet.grid(head.logits, shown.logits)})
    return found


def _sink(sheet: Sheet, sink: Exact) -> View:
    """The sink's exponent, and its exponential."""
    power = Exponential(sink)
    shown = one(power, sheet.problem.page)
    value = tex(sheet.forms[0].tex(power)) if shown is None else sheet.number(shown.text)
    exponent = tex(latex.exact(sink, sheet.style))
    return {
        "exponent": exponent,
        "power": tex(sheet.style.power(exponent)),
        "exponential": value,
        "exact": shown is not None and shown.exact,
    }


def _cell(sheet: Sheet, index: int, place: tuple[int, int], *, within_text: bool = False) -> View:
    line = sheet.teller(0, index).dot_product("scores", *place, within_text=within_text)
    shown = sheet.shown[0].heads[index].scores[place[0]][place[1]]
    exact = sheet.worked.sections[0].result.heads[index].scores[place]
    return {
        "row": place[0],
        "column": place[1],
        "line": None if line is None else tex(line),
        "value": tex(sheet.forms[0].tex(exact)) if shown is None else sheet.number(shown.text),
    }


def _row(sheet: Sheet, index: int, told: Story) -> View:
    """The row worked in full: each allowed key with its scaled score, exponential and weight; and the sum of the
    exponentials.
    """
    head, shown = sheet.worked.sections[0].result.heads[index], sheet.shown[0].heads[index]
    allowed = [key for key, logit in enumerate(head.logits.rows[told.row]) if logit is not MASKED]
    tables = ((head.logits, shown.logits), (exponential_table(head), shown.exponentials), (head.weights, shown.weights))
    rows = [sheet.cells(*table, rows=[told.row])[0] for table in tables]
    total = None if sheet.worked.sections[0].result.symbolic else row_total(head, shown, told.row, sheet.problem.page)
    keys = [
        {"key": key, "scaled": rows[0][key], "exponential": rows[1][key], "weight": rows[2][key]} for key in allowed
    ]
    across = _fits(sheet, sum(max(width(cell[key]) for cell in rows) + 3 for key in allowed) + 40)
    texts = [entry.text for key in allowed if (entry := shown.weights[told.row][key]) is not None]
    return {
        "row": told.row,
        "seen": keys,
        "sum": "" if total is None else sheet.number(total),
        "adds_to_one": head.sink is None and add_to_one(texts),
        "across": across,
        "columns": len(keys) + 2 + (head.sink is not None),
        "masked": len(allowed) < len(head.logits.rows[told.row]),
        "sink": None if head.sink is None else _sink(sheet, head.sink),
    }


def _same(head: Head, told: Story) -> list[View]:
    """Rows that hold an earlier row's scores."""
    return [
        {"row": row, "other": earlier, "reordered": reordered(head, row, earlier)}
        for row, earlier in enumerate(told.repeats)
        if earlier is not None
    ]


def reordered(head: Head, row: int, other: int) -> bool:
    """Whether two rows with the same logits hold them in different orders."""
    return not Table((head.logits.rows[row],)).equals(Table((head.logits.rows[other],)))


def _others(sheet: Sheet, index: int, told: Story) -> View:
    """The exponentials of the rows that are neither worked in full nor repeat an earlier one; a single row with its
    sum.
    """
    result, shown = sheet.worked.sections[0].result, sheet.shown[0].heads[index]
    head = result.heads[index]
    rows = [row for row, earlier in enumerate(told.repeats) if earlier is None and row != told.row]
    rows = [row for row in rows if len(head.rows[row].exponents) > 1]
    if not rows or result.symbolic:
        return {"grid": [], "single": None}
    exact = exponential_table(head)
    if len(rows) > 1:
        return {"grid": sheet.grid(exact, shown.exponentials, rows=rows), "single": None}
    cells = sheet.cells(exact, shown.exponentials, rows=rows)[0]
    kept = [cell for cell, logit in zip(cells, head.logits.rows[rows[0]], strict=True) if logit is not MASKED]
    total = sheet.number(row_total(head, shown, rows[0], sheet.problem.page))
    return {"grid": [], "single": {"row": rows[0], "cells": kept, "sum": total}}
