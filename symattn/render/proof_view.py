"""A derivation as what its template shows: texts, numbers, lists and dictionaries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from symattn.derive.with_numbers import Numbered
from symattn.exact import numbers
from symattn.exact.closed import closed_form
from symattn.exact.values import Plain, Value
from symattn.render import latex
from symattn.render.terms import RELATIONS, number, tex
from symattn.rounding import significant
from symattn.statements.proof import Assumption, Instance, Line, Proof, Question, Tabulated
from symattn.statements.terms import Add, Array, Chance, Item, Letter, Sum, Term, substituted, walk

View: TypeAlias = dict[str, Any]
_WIDE: Final = 62
"""Signs of a formula that fit one line of a page."""
_NUMBER: Final = re.compile("-?[0-9]+")
DIGITS: Final = 5
"""Significant digits of what is no fraction."""


def proof_view(proof: Proof, words: Mapping[str, Any], numbered: Sequence[Numbered] = ()) -> View:
    """What the template of a derivation shows; ``numbered`` are its results with numbers put in."""
    told = words["topic"][proof.topic]
    named = {letter.name: letter.tex for letter in _letters(proof)} | {
        name: tree.tex if isinstance(tree, Array) else tex(tree) for name, tree in proof.terms
    }
    places = {line.name: str(number + 1) for number, line in enumerate(proof.lines)}
    places |= {one.name: f"A{number + 1}" for number, one in enumerate(proof.assumptions)}

    def said(text: str) -> list[View]:
        return _parts(text, named)

    return {
        "title": Markup(told["title"]),  # noqa: S704 - our own words
        "intro": said(told["intro"]),
        "assumptions": [_assumption(one, told, proof, places, said) for one in proof.assumptions],
        "lines": [_line(line, told, places, said) for line in proof.lines],
        "tables": [_table(table, told, said) for table in proof.tables],
        "rounded": any(_rational(cell.value) is None for table in proof.tables for row in table.cells for cell in row),
        "instances": [
            {"said": said(told["instance"][name]), "tex": Markup(_instance(one))}  # noqa: S704 - LaTeX of our own
            for name, one in proof.instances
        ],
        "numbered": [_numbered(one) for one in numbered],
        "questions": [_question(question, told, named) for question in proof.questions],
        "after": said(told["after"]) if "after" in told else [],
    }


def _letters(proof: Proof) -> list[Letter]:
    sides = [side for line in proof.lines for side in (line.left, line.right)]
    sides += [side for one in proof.assumptions for pair in one.equal for side in pair]
    sides += [column for table in proof.tables for column in table.columns]
    return [part for side in sides for part in walk(side) if isinstance(part, Letter)]


def _parts(text: str, named: Mapping[str, str]) -> list[View]:
    """A sentence cut at its back quotes: words, and formulas by their names."""
    found: list[View] = []
    for place, piece in enumerate(text.split("`")):
        kind, shown = (
            ("text", piece) if place % 2 == 0 else ("tex", piece if _NUMBER.fullmatch(piece) else named[piece])
        )
        if shown:
            found.append({"kind": kind, "shown": Markup(shown)})  # noqa: S704 - our own words and LaTeX
    return found


def _assumption(one: Assumption, told: Mapping[str, Any], proof: Proof, places: Mapping[str, str], said: Any) -> View:
    example = next((example for example in proof.counterexamples if example.without == one.name), None)
    without = None
    if example is not None:
        without = {
            "said": said(told["without"][one.name]),
            "found": Markup(tex(example.found.term)),  # noqa: S704 - LaTeX of our own
            "value": Markup(_exactly(example.found.value)),  # noqa: S704
            "relation": proof.line(example.line).relation,
            "claimed": Markup(_exactly(example.claimed.value)),  # noqa: S704
            "line": places[example.line],
        }
    return {
        "place": places[one.name],
        "said": said(told["assumption"][one.name]),
        "within": _within(one),
        "equations": [
            {"left": Markup(tex(left)), "right": Markup(tex(right)), "whole": Markup(f"{tex(left)} = {tex(right)}")}  # noqa: S704
            for left, right in one.equal
        ]
        + [{"whole": Markup(rf"{tex(tree)} \ge 0")} for tree in one.at_least_zero],  # noqa: S704
        "lines": [places[line.name] for line in proof.lines if one.name in line.uses],
        "without": without,
    }


def _within(one: Assumption) -> View | None:
    if one.within is None:
        return None
    index, low, high = one.within
    return {"index": index, "low": Markup(tex(low)), "high": Markup(tex(high))}  # noqa: S704 - LaTeX of our own


def _line(line: Line, told: Mapping[str, Any], places: Mapping[str, str], said: Any) -> View:
    own = told.get("line", {}).get(line.name.partition(":")[0])
    return {
        "place": places[line.name],
        "result": line.result,
        "said": said(own[0].upper() + own[1:]) if own else [],
        "law": line.law.value,
        "uses": [places[name] for name in line.uses],
        "rows": rows(line),
    }


def rows(line: Line) -> list[Markup]:
    """The equation in one row, or in two where it is wide and its right side is a sum."""
    left, right = tex(line.left), tex(line.right)
    whole = f"{left} {RELATIONS[line.relation]} {right}"
    if _width(whole) <= _WIDE:
        return [Markup(whole)]  # noqa: S704 - LaTeX of our own
    first = f"{left} &{RELATIONS[line.relation]} "
    if not isinstance(line.right, Add):
        return [Markup(first + right)]  # noqa: S704
    shown: list[str] = []
    for terms in _cut(line.right.terms):
        text = tex(Add(terms)) if len(terms) > 1 else tex(terms[0])
        sign = "" if not shown or text.startswith("-") else "+ "
        shown.append((first if not shown else r"&\quad ") + sign + text)
    return [Markup(row) for row in shown]  # noqa: S704


def _cut(terms: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    """Terms in groups that fit a line."""
    found: list[list[Term]] = [[]]
    for part in terms:
        if found[-1] and _width("".join(map(tex, (*found[-1], part)))) > _WIDE - 12:
            found.append([])
        found[-1].append(part)
    return [tuple(group) for group in found]


def _width(text: str) -> int:
    """About how many signs wide a formula is."""
    plain = re.sub(r"\\(?:mathrm|left|right|,|frac|sum|sqrt|partial)", "", text)
    return len(re.sub(r"[{}^_&\s]|\\[a-z]+", "", plain))


def _table(table: Tabulated, told: Mapping[str, Any], said: Any) -> View:
    return {
        "said": said(told["table"][table.name]),
        "columns": len(table.columns),
        "header": [Markup(tex(column)) for column in table.heads],  # noqa: S704
        "rows": [[Markup(cell_text(cell.value)) for cell in row] for row in table.cells],  # noqa: S704
    }


def cell_text(value: Value) -> str:
    """A number of a table: a fraction, or a decimal."""
    found = _rational(value)
    if found is not None:
        return str(found)
    return decimal(value)


def decimal(value: Value) -> str:
    """A decimal of five digits; with a power of ten where its last digit would stand left of the point."""
    found = significant(value, DIGITS)
    text = found.text
    if not found.exact and text.lstrip("-").isdigit():
        sign, digits = "-" if text.startswith("-") else "", text.lstrip("-")
        text = f"{sign}{digits[0]}.{digits[1:DIGITS]}e{len(digits) - 1}"
    return latex.decimal(text)


def _rational(value: Value) -> Fraction | None:
    return numbers.rational(value.number) if isinstance(value, Plain) else None


def _instance(one: Instance) -> str:
    """The term, the same with numbers put in where that can be written, and its value."""
    values = {name: value for name, value in one.at.values if not isinstance(value, tuple)}
    put_in = substituted(one.term, values)
    written = not any(isinstance(part, Letter | Item | Sum | Chance) for part in walk(put_in))
    return " = ".join([tex(one.term), *([tex(put_in)] if written else []), worth(one.value)])


def worth(value: Value) -> str:
    """A value exactly, and its decimal where it is no fraction."""
    if _rational(value) is not None:
        return _exactly(value)
    return rf"{_exactly(value)} \approx {decimal(value)}"


def _exactly(value: Value) -> str:
    found = _rational(value)
    if found is not None:
        return number(found)
    return latex.exact(value.number) if isinstance(value, Plain) else latex.closed(closed_form(value, None), "u")


def _numbered(one: Numbered) -> list[Markup]:
    if one.value is None:
        return rows(one.line)
    relation = RELATIONS[one.line.relation]
    return [Markup(f"{tex(one.line.left)} {relation} {worth(one.value.value)}")]  # noqa: S704


def _numbers(value: Any) -> str:
    return r",\ ".join(map(_numbers, value)) if isinstance(value, tuple) else tex(value)


def _question(question: Question, told: Mapping[str, Any], named: Mapping[str, str]) -> View:
    numbers_of = {f"{name}!": _numbers(value) for name, value in question.at.values}
    answer = told.get("answer", {}).get(question.name)
    return {
        "said": _parts(told["question"][question.name], {**named, **numbers_of}),
        "answer": _parts(answer, {**named, **numbers_of}) if answer else [],
        "value": Markup(worth(question.answer.value)) if question.answer is not None else "",  # noqa: S704
    }
