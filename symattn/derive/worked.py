"""The derivation of one head, step by step: given arrays, projections, and the four steps of attention.

Whole-array steps carry index formulas; the step of a single entry is made on demand by ``entry_step``, since 64^3 of
them would not be read by anyone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from symattn.exact.attention import Head, Result, table
from symattn.exact.matrix import matrix
from symattn.exact.values import MASKED, Plain, Value
from symattn.policies import Grid, PrintedHead, PrintedResult, exponential_table, grid
from symattn.problem import Problem
from symattn.steps import (
    Add,
    Derivation,
    Div,
    Entry,
    Exp,
    Formula,
    Mul,
    Name,
    Num,
    Reason,
    Step,
    Sum,
    Table,
    Where,
)

SCORES: Final = Sum("k", "d_k", Mul((Entry("query", "i", "k"), Entry("key", "j", "k"))))
SCALED: Final = Mul((Entry("scores", "i", "j"), Name("scale")))
LOGITS: Final = Where("i", "j", Entry("scaled", "i", "j"))
EXPONENTIALS: Final = Exp(Entry("logits", "i", "j"))
WEIGHTS: Final = Div(Entry("exponentials", "i", "j"), Sum("k", "n_k", Entry("exponentials", "i", "k")))
OUTPUT: Final = Sum("k", "n_k", Mul((Entry("weights", "i", "k"), Entry("value", "k", "j"))))
FINAL: Final = Sum("k", "width", Mul((Entry("concat", "i", "k"), Entry("W_O", "k", "j"))))

_PROJECTIONS: Final = (("query", "W_Q"), ("key", "W_K"), ("value", "W_V"))


def head_derivation(problem: Problem, result: Result, printed: PrintedResult, index: int = 0) -> Derivation:
    """All steps of one head, in reading order."""
    head, text = result.heads[index], printed.heads[index]
    given = tuple(_given(problem, result, index))
    steps = (*given, *_projected(problem, head, text), *_worked(head, text))
    sizes = {
        "n_q": head.scores.shape[0],
        "n_k": head.scores.shape[1],
        "d_k": head.query.shape[1],
        "d_v": head.value.shape[1],
        "d_model": len(problem.X[0]) if problem.X else head.query.shape[1],
    }
    return Derivation(steps, tuple(sizes.items()), (("scale", Plain(result.scale)),), result.allowed)


def _given(problem: Problem, result: Result, index: int) -> Iterator[Step]:
    if problem.X is None:
        return
    yield given_step("X", table(matrix(problem.X)), problem)
    for array, learned in _PROJECTIONS:
        weight = getattr(problem, learned)
        if weight != "identity":
            width = (result.heads[index].value if array == "value" else result.heads[index].query).shape[1]
            rows = matrix(weight)
            block = tuple(row[index * width : (index + 1) * width] for row in rows)
            yield given_step(learned, table(block), problem)


def given_step(name: str, exact: Table, problem: Problem) -> Step:
    """An array that the problem gives."""
    return Step(name, name, None, None, exact, grid(exact, problem.page, symbolic=True), Reason.GIVEN)


def _projected(problem: Problem, head: Head, text: PrintedHead) -> Iterator[Step]:
    for array, learned in _PROJECTIONS:
        exact, shown = getattr(head, array), getattr(text, array)
        if problem.X is None:
            yield Step(array, array, None, None, exact, shown, Reason.GIVEN)
        elif getattr(problem, learned) == "identity" and problem.attention.num_heads == 1:
            yield Step(array, array, Entry("X", "i", "j"), None, exact, shown, Reason.PROJECTION, ("X",))
        elif getattr(problem, learned) == "identity":
            yield Step(array, array, None, None, exact, shown, Reason.PROJECTION, ("X",))
        else:
            formula = Sum("k", "d_model", Mul((Entry("X", "i", "k"), Entry(learned, "k", "j"))))
            yield Step(array, array, formula, None, exact, shown, Reason.PROJECTION, ("X", learned))


def _worked(head: Head, text: PrintedHead) -> Iterator[Step]:
    yield Step("scores", "scores", SCORES, None, head.scores, text.scores, Reason.DOT_PRODUCT, ("query", "key"))
    yield Step("scaled", "scaled", SCALED, None, head.scaled, text.scaled, Reason.SCALING, ("scores",))
    yield Step("logits", "logits", LOGITS, None, head.logits, text.logits, Reason.MASKING, ("scaled",))
    yield Step(
        "exponentials",
        "exponentials",
        EXPONENTIALS,
        None,
        exponential_table(head),
        text.exponentials,
        Reason.EXPONENTIAL,
        ("logits",),
    )
    yield Step("weights", "weights", WEIGHTS, None, head.weights, text.weights, Reason.SOFTMAX, ("exponentials",))
    yield Step("output", "output", OUTPUT, None, head.output, text.output, Reason.WEIGHTED_MEAN, ("weights", "value"))


def final_derivation(problem: Problem, result: Result, printed: PrintedResult) -> Derivation | None:
    """The heads side by side, and W_O after them; None for a single head without W_O."""
    if problem.W_O is None and len(result.heads) == 1:
        return None
    concat = Table(tuple(tuple(v for head in result.heads for v in head.output.rows[i]) for i in range(problem.n_q)))
    shown: Grid = tuple(tuple(p for head in printed.heads for p in head.output[i]) for i in range(problem.n_q))
    steps = [Step("concat", "concat", None, None, concat, shown, Reason.CONCATENATION)]
    if problem.W_O is not None:
        if problem.W_O == "identity":
            steps.append(
                Step(
                    "final",
                    "final",
                    Entry("concat", "i", "j"),
                    None,
                    result.output,
                    printed.output,
                    Reason.OUTPUT_PROJECTION,
                    ("concat",),
                )
            )
        else:
            steps.append(given_step("W_O", table(matrix(problem.W_O)), problem))
            steps.append(
                Step(
                    "final",
                    "final",
                    FINAL,
                    None,
                    result.output,
                    printed.output,
                    Reason.OUTPUT_PROJECTION,
                    ("concat", "W_O"),
                )
            )
    return Derivation(tuple(steps), (("width", concat.shape[1]),))


def entry_step(derivation: Derivation, array: str, row: int, column: int) -> Step:
    """The step of one entry, with the numbers of the earlier steps put into its formula."""
    whole = derivation.step(array)
    assert whole.formula is not None, f"{array} has no formula"  # noqa: S101 - a given array has no entry steps
    return Step(
        name=f"{array}[{row}][{column}]",
        lhs=array,
        formula=whole.formula,
        substituted=substituted(whole.formula, {"i": row, "j": column}, derivation),
        exact=Table(((whole.exact[row, column],),)),
        printed=((whole.printed[row][column],),),
        reason=whole.reason,
        uses=whole.uses,
        place=(row, column),
    )


def substituted(formula: Formula, indices: dict[str, int], derivation: Derivation) -> Formula:
    """The formula with every index bound, sums written out, and entries replaced by their numbers."""
    match formula:
        case Entry(array, row, column):
            step = derivation.step(array)
            i, j = (index if isinstance(index, int) else indices[index] for index in (row, column))
            shown = step.printed[i][j] if step.printed else None
            return Num(step.exact[i, j], None if shown is None else shown.text)
        case Name(name):
            return Name(name)
        case Num():
            return formula
        case Exp(exponent):
            return Exp(substituted(exponent, indices, derivation))
        case Div(numerator, denominator):
            return Div(substituted(numerator, indices, derivation), substituted(denominator, indices, derivation))
        case Mul(factors):
            return Mul(tuple(substituted(factor, indices, derivation) for factor in factors))
        case Add(terms):
            return Add(tuple(substituted(term, indices, derivation) for term in terms))
        case Sum(index, size, body):
            count = dict(derivation.sizes)[size]
            terms = tuple(substituted(body, {**indices, index: number}, derivation) for number in range(count))
            return Add(terms) if len(terms) > 1 else terms[0]
        case Where(row, column, then):
            i, j = (index if isinstance(index, int) else indices[index] for index in (row, column))
            if derivation.allowed is None or derivation.allowed[i][j]:
                return substituted(then, indices, derivation)
            return Num(MASKED, "-oo")


def number_named(derivation: Derivation, name: str) -> Value:
    """A number with a name of its own."""
    found: Value = dict(derivation.numbers)[name]
    return found
