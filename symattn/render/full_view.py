"""The whole working of a head: for every array its statement in symbols, then every entry with its numbers put in."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from symattn.derive.worked import final_derivation
from symattn.render import latex
from symattn.render.line_view import Teller
from symattn.render.safe import tex
from symattn.render.sheet import Sheet, View
from symattn.steps import Add, Entry, Exp, Reason, Step

_SQUARE: Final = ("scores", "scaled", "capped", "biased", "logits", "exponentials", "weights")


def working(paper: Sheet, index: int) -> list[View]:
    """Each array that is computed, in reading order."""
    teller = paper.teller(0, index)
    steps = (
        step
        for step in teller.derivation.steps
        if step.formula is not None and (step.name != "logits" or _changes(step, teller))
    )
    return [_array(paper, teller, step) for step in steps if not _is_copy(step)]


def final_working(paper: Sheet) -> list[View]:
    """The heads joined, and W_O after them; nothing for a single head without W_O."""
    teller = final_teller(paper)
    if teller is None:
        return []
    joined = teller.derivation.steps[:1] if len(paper.worked.starts) > 1 else ()
    mixed = [step for step in teller.derivation.steps if step.lhs == "final"]
    return [_joined(paper, step) for step in joined] + [_array(paper, teller, step) for step in mixed]


def residual_working(paper: Sheet) -> View | None:
    """The tokens added to the output; None where they are not."""
    teller = final_teller(paper)
    steps = () if teller is None else teller.derivation.steps
    return next((_array(paper, teller, step) for step in steps if teller and step.lhs == "residual"), None)


def final_teller(paper: Sheet) -> Teller | None:
    """The teller of what comes after the heads; None for a single head that nothing comes after."""
    result = paper.worked.sections[0].result
    derivation = final_derivation(paper.problem, result, paper.shown[0], paper.worked.tokens)
    if derivation is None:
        return None
    notation = paper.notation
    if len(result.heads) == 1:
        letters = {**notation.letters, "concat": notation.letters["output"]}
        notation = replace(notation, letters=letters)
    return Teller(derivation, paper.problem.page, notation)


def _joined(paper: Sheet, step: Step) -> View:
    """The outputs of the heads as one array."""
    grid = paper.numbered_grid(step.exact, step.printed, paper.tokens)
    return {"name": step.lhs, "statement": "", "rows": [], "grid": grid}


def _changes(logits: Step, teller: Teller) -> bool:
    """Whether mask or temperature change the scores at all."""
    return teller.derivation.allowed is not None or logits.reason is Reason.TEMPERATURE


def _is_copy(step: Step) -> bool:
    return step.lhs in ("query", "key", "value") and len(step.uses) == 1


def _array(paper: Sheet, teller: Teller, step: Step) -> View:
    square = step.lhs in _SQUARE
    labels = paper.key_tokens if step.lhs in ("key", "value") else paper.tokens
    grid = paper.grid(step.exact, step.printed) if square else paper.numbered_grid(step.exact, step.printed, labels)
    rows = [
        {
            "label": labels[row],
            "lines": [
                tex(line) for column in range(step.exact.shape[1]) for line in teller.entry_lines(step.lhs, row, column)
            ],
        }
        for row in range(step.exact.shape[0])
    ]
    added = step.formula.terms if step.reason is Reason.PROJECTION and isinstance(step.formula, Add) else ()
    return {
        "name": step.lhs,
        "square": square,
        "copied": bool(added) and isinstance(added[0], Entry),
        "bias": bool(added),
        "statement": tex(statement(teller, step)),
        "rows": [] if step.lhs == "logits" else rows,
        "grid": grid,
    }


def statement(teller: Teller, step: Step) -> str:
    """The step before numbers: S_{i,j} = sum over k of Q_{i,k} K_{j,k}."""
    assert step.formula is not None  # noqa: S101 - working() takes only steps with formulas
    named = {**teller.notation.numbers, "cap": "c", "temperature": r"\tau", "sink": "b"}
    left = latex.entry(step.lhs, "i", "j", teller.notation)
    formula = step.formula
    if step.lhs == "exponentials" and not _changes(teller.derivation.step("logits"), teller):
        formula = Exp(Entry(teller.derivation.step("logits").uses[0], "i", "j"))
    columns = teller.notation.style.columns
    right = latex.formula(latex.turned(formula) if columns else formula, replace(teller.notation, numbers=named))
    if step.lhs == "logits":
        query, key = "ji" if columns else "ij"
        cases = rf"{right} & \text{{if }} {key} \text{{ is seen by }} {query} \\ -\infty & \text{{if not}}"
        return rf"{left} = \begin{{cases}} {cases} \end{{cases}}"
    return f"{left} = {right}"
