"""Derivations as pages, and as data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from symattn.derive.with_numbers import Numbered, settable
from symattn.parse.derived import Derived
from symattn.pictures import Picture, Plot, Point, Series
from symattn.render.environment import rendered
from symattn.render.page import FORMATS, Made, Wish, declaration, markup
from symattn.render.pictures import Paper, picture_views
from symattn.render.proof_view import DIGITS, proof_view
from symattn.render.term_text import text
from symattn.render.terms import number
from symattn.render.words import words_for_templates
from symattn.rounding import significant
from symattn.statements.proof import Assumption, Curves, Instance, Line, Proof


def derivation_page(proof: Proof, wish: Wish, declared: Derived, numbered: Sequence[Numbered]) -> Made:
    """The page of a derivation with its plots, and with its results also for the numbers that it declares."""
    chosen = markup(wish)
    known = settable(proof)
    drawn: dict[str, Picture] = {curves.name: plot(proof, curves) for curves in proof.plots} if wish.pictures else {}
    paper = Paper(FORMATS[wish.format].escape, wish.file, wish.format != "md", overrides=wish.overrides)
    view = proof_view(proof, words_for_templates(), numbered) | {
        "set": [Markup(f"{known[name].tex} = {number(value)}") for name, value in declared.numbers],  # noqa: S704
        "plots": [curves.name for curves in proof.plots],
        "pictures": picture_views(drawn, paper),
        "markup": f"{chosen.folder}/markup.jinja",
        "body": "base/derivation.jinja",
        "flavour": wish.flavour,
        "fragment": wish.fragment,
        "slug": wish.slug,
        "words": words_for_templates(),
        "declaration": declaration(declared.plain()),
    }
    text = rendered(f"{chosen.folder}/document.jinja", view, chosen.escape, wish.overrides)
    return Made(text, drawn, paper)


def plot(proof: Proof, curves: Curves) -> Plot:
    """The picture of a table's numbers."""
    table = next(table for table in proof.tables if table.name == curves.table)

    def point(row: tuple[Instance, ...], column: int) -> Point:
        x, y = row[curves.along].value, row[column].value
        return Point(x, y, (significant(x, DIGITS).text, significant(y, DIGITS).text))

    series = tuple(Series(name, tuple(point(row, column) for row in table.cells)) for name, column in curves.up)
    return Plot(curves.name, series, curves.x_scale, curves.y_scale)


def derivation_json(proof: Proof, version: str, numbered: Sequence[Numbered]) -> dict[str, Any]:
    """The machine's view: terms in SymPy syntax, with E, Var and K4 for mean, variance and fourth cumulant."""
    return {
        "symattn": version,
        "topic": proof.topic,
        "assumptions": [_assumption(one) for one in proof.assumptions],
        "lines": [
            _line(line) | {"law": line.law, "uses": list(line.uses), "result": line.result} for line in proof.lines
        ],
        "counterexamples": [
            {"without": one.without, "line": one.line, "found": _value(one.found), "claimed": _value(one.claimed)}
            for one in proof.counterexamples
        ],
        "tables": [
            {
                "name": table.name,
                "columns": [text(column) for column in table.columns],
                "rows": [[_value(cell) for cell in row] for row in table.cells],
            }
            for table in proof.tables
        ],
        "instances": [{"name": name, "term": text(one.term), "value": _value(one)} for name, one in proof.instances],
        "questions": [
            {"name": one.name, "answer": _value(one.answer) if one.answer else None} for one in proof.questions
        ],
        "numbered": [_line(one.line) | {"value": _value(one.value) if one.value else None} for one in numbered],
    }


def _assumption(one: Assumption) -> dict[str, Any]:
    return {
        "name": one.name,
        "equal": [[text(left), text(right)] for left, right in one.equal],
        "within": [one.within[0], *map(text, one.within[1:])] if one.within else None,
        "at_least_zero": [text(tree) for tree in one.at_least_zero],
        "positive": list(one.positive),
        "independent": list(one.independent),
        "rearranges": list(one.rearranges),
        "gradients": [list(pair) for pair in one.gradients],
    }


def _line(line: Line) -> dict[str, Any]:
    return {"name": line.name, "left": text(line.left), "relation": line.relation, "right": text(line.right)}


def _value(one: Instance) -> str:
    return str(one.value.to_sympy())
