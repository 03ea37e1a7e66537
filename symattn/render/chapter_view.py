"""What the templates of a chapter see beside the page's view."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from markupsafe import Markup

from symattn.derive import chapter
from symattn.exact.attention import Head
from symattn.exact.numbers import from_fraction
from symattn.policies import Grid, one
from symattn.render import latex
from symattn.render.safe import tex
from symattn.render.sheet import Sheet, View

_MOST_COLUMNS: Final = 9
"""Of three matrices side by side."""
_APPROX: Final = r"\approx"
_RECALLED: Final = ("recall", "tables", "long", "pointer")
"""The chapter's own questions, after those about its numbers."""


def chapter_view(paper: Sheet, view: View) -> View:
    """The page's view with what the chapter adds to it."""
    head = paper.worked.sections[0].result.heads[0]
    spreads = [_spread(paper, row) for row in chapter.spreads()]
    asked = [
        *view["questions"],
        *({"kind": kind} for kind in _RECALLED if kind != "pointer" or _least(paper, head) is not None),
    ]
    return view | {
        "questions": asked,
        "chapter": {
            "average": _average(),
            "stacked": _stacked(paper, head),
            "spreads": spreads,
            "rounds_to_one": next((row["weight"] for row in spreads if row["full"]), ""),
            "extremes": _extremes(paper, head),
            "least": _least(paper, head),
            "cost": _cost(),
        },
    }


def _average() -> View:
    weights = [latex.exact(from_fraction(weight)) for weight, _ in chapter.AVERAGED]
    terms = (rf"{weight} \cdot {number}" for weight, (_, number) in zip(weights, chapter.AVERAGED, strict=True))
    return {
        "numbers": [str(number) for _, number in chapter.AVERAGED],
        "weights": [tex(weight) for weight in weights],
        "line": tex(f"{' + '.join(terms)} = {latex.exact(from_fraction(chapter.average()))}"),
    }


def _stacked(paper: Sheet, head: Head) -> Markup | None:
    """Queries, keys and values as matrices, where they fit side by side."""
    if len(paper.worked.sections[0].result.heads) > 1:
        return None
    shown, letters = paper.shown[0].heads[0], paper.notation.letters
    found = [
        rf"{letters[name]} {'=' if _is_exact(text) else _APPROX} {paper.style.matrix(paper.cells(exact, text))}"
        for name, exact, text in (
            ("query", head.query, shown.query),
            ("key", head.key, shown.key),
            ("value", head.value, shown.value),
        )
    ]
    columns = sum(table.shape[1] for table in (head.query, head.key, head.value))
    return tex(r",\qquad ".join(found)) if columns <= _MOST_COLUMNS else None


def _is_exact(text: Grid) -> bool:
    return all(entry is None or entry.exact for row in text for entry in row)


def _spread(paper: Sheet, row: chapter.Spread) -> View:
    values = {"gap": row.gap, "weight": row.weight, "slope": row.slope, "divided": row.divided}
    values["divided_slope"] = row.divided_slope
    shown = {name: one(value, paper.problem.page) for name, value in values.items()}
    digits = replace(paper.problem.page, digits="significant")
    shown |= {name: one(values[name], digits) for name in ("slope", "divided_slope")}
    weight = shown["weight"]
    return {
        "d_k": str(row.d_k),
        "full": weight is not None and weight.text != "1" and Fraction(weight.text) == 1,
        **{name: paper.number("" if printed is None else printed.text) for name, printed in shown.items()},
    }


def _extremes(paper: Sheet, head: Head) -> View | None:
    """The best and the poorest match, with their scores as they are printed."""
    found = chapter.extremes(head)
    if found is None:
        return None
    cells = paper.cells(head.scores, paper.shown[0].heads[0].scores)
    high, low = (
        {"row": one.place[0], "column": one.place[1], "alone": one.alone, "score": cells[one.place[0]][one.place[1]]}
        for one in found
    )
    return {"high": high, "low": low}


def _least(paper: Sheet, head: Head) -> View | None:
    """The smallest weight of what may be seen, if it does not print as zero."""
    place = chapter.least_weight(head)
    shown = None if place is None else paper.shown[0].heads[0].weights[place[0]][place[1]]
    if place is None or shown is None or shown.vanishes or Fraction(shown.text) == 0:
        return None
    return {"row": place[0], "column": place[1], "weight": paper.number(shown.text)}


def _cost() -> View:
    """Numbers in the tables of several narrow heads, and of one as wide as all of them."""
    heads, narrow = chapter.HEADS
    wide = heads * narrow
    return {
        "heads": heads,
        "width": str(narrow),
        "model": str(wide),
        "product": tex(rf"{heads} \cdot {narrow} = {wide}"),
        "tables": tex(
            rf"{heads} \cdot 3 \cdot {wide} \cdot {narrow} = 3 \cdot {wide} \cdot {wide} = {3 * wide * wide}"
        ),
    }
