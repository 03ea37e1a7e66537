"""The derivation of one head, step by step: given arrays, projections, and the four steps of attention.

Whole-array steps carry index formulas; the step of a single entry is made on demand by ``entry_step``, since 64^3 of
them would not be read by anyone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from symattn.exact.attention import Head, Result, table
from symattn.exact.matrix import Matrix, columns, matrix
from symattn.exact.numbers import number
from symattn.exact.values import MASKED, Plain
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
    Tanh,
    Where,
)

SCALED: Final = Mul((Entry("scores", "i", "j"), Name("scale")))
CAPPED: Final = Mul((Name("cap"), Tanh(Div(Entry("scaled", "i", "j"), Name("cap")))))
EXPONENTIALS: Final = Exp(Entry("logits", "i", "j"))
ROW_SUM: Final = Sum("k", "n_k", Entry("exponentials", "i", "k"))
OUTPUT: Final = Sum("k", "n_k", Mul((Entry("weights", "i", "k"), Entry("value", "k", "j"))))
FINAL: Final = Sum("k", "width", Mul((Entry("concat", "i", "k"), Entry("W_O", "k", "j"))))

_PROJECTIONS: Final = (("query", "W_Q"), ("key", "W_K"), ("value", "W_V"))


def head_derivation(
    problem: Problem, result: Result, printed: PrintedResult, index: int = 0, tokens: Grid | None = None
) -> Derivation:
    """All steps of one head, in reading order; ``tokens`` is how X is printed where an earlier layer has printed it."""
    head, text = result.heads[index], printed.heads[index]
    given = tuple(_given(problem, index, tokens))
    steps = (*given, *_projected(problem, head, text), *_worked(problem, head, text, result))
    sizes = {
        "n_q": head.scores.shape[0],
        "n_k": head.scores.shape[1],
        "d_k": head.query.shape[1],
        "d_v": head.value.shape[1],
        "d_model": len(problem.X[0]) if problem.X else head.query.shape[1],
    }
    named = {"scale": result.scale, "cap": result.softcap, "temperature": result.temperature, "sink": head.sink}
    numbers = tuple((name, Plain(number)) for name, number in named.items() if number is not None)
    return Derivation(steps, tuple(sizes.items()), numbers, head.allowed, result.masked_row, result.rope, result.past)


def _given(problem: Problem, index: int, tokens: Grid | None) -> Iterator[Step]:
    """X, the context, and this head's block of each learned table and bias."""
    if problem.X is None:
        return
    exact = table(matrix(problem.X))
    if tokens is None:
        yield given_step("X", exact, problem)
    else:
        yield Step("X", "X", None, None, exact, tokens, Reason.GIVEN)
    if problem.context is not None:
        yield given_step("context", table(matrix(problem.context)), problem)
    for array, learned in _PROJECTIONS:
        weight, bias = getattr(problem, learned), getattr(problem, f"b_{learned[-1]}")
        if weight != "identity":
            yield given_step(learned, table(_block(problem, matrix(weight), array, index)), problem)
        if bias is not None:
            rows = (tuple(map(number, bias)),)
            yield given_step(f"b_{learned[-1]}", table(_block(problem, rows, array, index)), problem)


def _block(problem: Problem, rows: Matrix, array: str, index: int) -> Matrix:
    """The columns of one head; keys and values are read by several heads where there are fewer key heads."""
    heads, read = problem.attention.num_heads, index
    if array != "query":
        heads, read = problem.attention.kv_heads, index * problem.attention.kv_heads // problem.attention.num_heads
    width = len(rows[0]) // heads
    return columns(rows, read * width, (read + 1) * width)


def given_step(name: str, exact: Table, problem: Problem) -> Step:
    """An array that the problem gives."""
    return Step(name, name, None, None, exact, grid(exact, problem.page, symbolic=bool(problem.symbols)), Reason.GIVEN)


def _projected(problem: Problem, head: Head, text: PrintedHead) -> Iterator[Step]:
    for array, learned in _PROJECTIONS:
        exact, shown = getattr(head, array), getattr(text, array)
        source = "context" if problem.context is not None and array != "query" else "X"
        cached = array != "query" and problem.past > 0
        if problem.X is None or cached:
            yield Step(array, array, None, None, exact, shown, Reason.GIVEN)
            continue
        formula, uses = _projection(problem, learned, source)
        yield Step(array, array, formula, None, exact, shown, Reason.PROJECTION, uses)


def _projection(problem: Problem, learned: str, source: str) -> tuple[Formula | None, tuple[str, ...]]:
    """The formula of queries, keys or values, and what it uses; none for a block of a plain copy."""
    bias = f"b_{learned[-1]}"
    if getattr(problem, learned) == "identity":
        if problem.attention.num_heads > 1:
            return None, (source,)
        formula: Formula = Entry(source, "i", "j")
        uses: tuple[str, ...] = (source,)
    else:
        formula = Sum("k", "d_model", Mul((Entry(source, "i", "k"), Entry(learned, "k", "j"))))
        uses = (source, learned)
    if getattr(problem, bias) is None:
        return formula, uses
    return Add((formula, Entry(bias, 0, "j"))), (*uses, bias)


def _worked(problem: Problem, head: Head, text: PrintedHead, result: Result) -> Iterator[Step]:
    query, key = "query", "key"
    if head.rotated is not None and text.rotated is not None:
        query, key = "rotated_query", "rotated_key"
        for name, source, exact, shown in zip((query, key), ("query", "key"), head.rotated, text.rotated, strict=True):
            yield Step(name, name, None, None, exact, shown, Reason.ROTATION, (source,))
    dot = Sum("k", "d_k", Mul((Entry(query, "i", "k"), Entry(key, "j", "k"))))
    yield Step("scores", "scores", dot, None, head.scores, text.scores, Reason.DOT_PRODUCT, (query, key))
    yield Step("scaled", "scaled", SCALED, None, head.scaled, text.scaled, Reason.SCALING, ("scores",))
    last = "scaled"
    if head.capped is not None and text.capped is not None:
        yield Step("capped", "capped", CAPPED, None, head.capped, text.capped, Reason.CAPPING, (last,))
        last = "capped"
    if head.bias is not None and head.biased is not None and text.biased is not None:
        yield given_step("bias", head.bias, problem)
        sums = Add((Entry(last, "i", "j"), Entry("bias", "i", "j")))
        yield Step("biased", "biased", sums, None, head.biased, text.biased, Reason.BIASING, (last, "bias"))
        last = "biased"
    whole: Formula = Entry(last, "i", "j")
    cooled = whole if result.temperature is None else Div(whole, Name("temperature"))
    reason = Reason.MASKING if result.temperature is None else Reason.TEMPERATURE
    yield Step("logits", "logits", Where("i", "j", cooled), None, head.logits, text.logits, reason, (last,))
    powers = exponential_table(head)
    yield Step(
        "exponentials", "exponentials", EXPONENTIALS, None, powers, text.exponentials, Reason.EXPONENTIAL, ("logits",)
    )
    total: Formula = ROW_SUM if head.sink is None else Add((ROW_SUM, Exp(Name("sink"))))
    weights = Div(Entry("exponentials", "i", "j"), total)
    yield Step("weights", "weights", weights, None, head.weights, text.weights, Reason.SOFTMAX, ("exponentials",))
    yield Step("output", "output", OUTPUT, None, head.output, text.output, Reason.WEIGHTED_MEAN, ("weights", "value"))


def final_derivation(
    problem: Problem, result: Result, printed: PrintedResult, tokens: Grid | None = None
) -> Derivation | None:
    """The heads side by side, W_O after them, and the tokens added; None for a single head with none of these."""
    if problem.W_O is None and len(result.heads) == 1 and result.residual is None:
        return None
    concat = Table(tuple(tuple(v for head in result.heads for v in head.output.rows[i]) for i in range(problem.n_q)))
    shown: Grid = tuple(tuple(p for head in printed.heads for p in head.output[i]) for i in range(problem.n_q))
    steps = [Step("concat", "concat", None, None, concat, shown, Reason.CONCATENATION)]
    if problem.W_O is not None:
        formula: Formula = Entry("concat", "i", "j") if problem.W_O == "identity" else FINAL
        given = {} if problem.W_O == "identity" else {"W_O": table(matrix(problem.W_O))}
        if problem.b_O is not None:
            formula = Add((formula, Entry("b_O", 0, "j")))
            given["b_O"] = table((tuple(map(number, problem.b_O)),))
        steps += [given_step(name, exact, problem) for name, exact in given.items()]
        uses = ("concat", *given)
        exact, text = result.output, printed.output
        steps.append(Step("final", "final", formula, None, exact, text, Reason.OUTPUT_PROJECTION, uses))
    if result.residual is not None and printed.residual is not None:
        steps.append(next(_given(problem, 0, tokens)))
        last = "concat" if problem.W_O is None else "final"
        sums = Add((Entry("X", "i", "j"), Entry(last, "i", "j")))
        exact, text = result.residual, printed.residual
        steps.append(Step("residual", "residual", sums, None, exact, text, Reason.RESIDUAL, ("X", last)))
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
            i, j = [index if isinstance(index, int) else indices[index] for index in (row, column)]
            shown = step.printed[i][j] if step.printed else None
            return Num(step.exact[i, j], None if shown is None else shown.text)
        case Name(name):
            return Name(name)
        case Num():
            return formula
        case Exp(exponent):
            return Exp(substituted(exponent, indices, derivation))
        case Tanh(argument):
            return Tanh(substituted(argument, indices, derivation))
        case Div(numerator, denominator):
            return Div(substituted(numerator, indices, derivation), substituted(denominator, indices, derivation))
        case Mul(factors):
            return Mul(tuple([substituted(factor, indices, derivation) for factor in factors]))
        case Add(terms):
            return Add(tuple(substituted(term, indices, derivation) for term in terms))
        case Sum(index, size, body):
            count = dict(derivation.sizes)[size]
            terms = tuple(substituted(body, {**indices, index: number}, derivation) for number in range(count))
            return Add(terms) if len(terms) > 1 else terms[0]
        case Where(row, column, then):
            i, j = [index if isinstance(index, int) else indices[index] for index in (row, column)]
            if derivation.allowed is None or derivation.allowed[i][j]:
                return substituted(then, indices, derivation)
            return Num(MASKED, "-oo")
