"""No printed line is false: computed again from its printed texts, by fractions and mpmath alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.derive.lines import scaled_line, true_line, true_lines, without_zeros
from symattn.derive.worked import entry_step, final_derivation, head_derivation
from symattn.errors import SpecError
from symattn.exact import numbers
from symattn.exact.balls import precision
from symattn.exact.sympy_forms import expression
from symattn.exact.values import Plain, Value
from symattn.problem import Page
from symattn.steps import Add, Derivation, Div, Exp, Formula, Mul, Num, Printed
from tests.exact.common import near, solved, steady
from tests.reference import Irrational
from tests.reference import fraction as from_mpf
from tests.reference import nearest as reference_nearest
from tests.reference import nearest_significant as reference_significant
from tests.strategies import log_problems, problems, surd_problems

Worth = Fraction | mpmath.mpf


def fraction(value: Value) -> Fraction:
    above, below = value.fraction()
    return numbers.rational(above) / numbers.rational(below)


def worth(formula: Formula) -> Worth:
    """What the printed numbers give: a Fraction, or with an exponential in it an irrational number to 60 digits."""
    match formula:
        case Num(value, text):
            return fraction(value) if text is None else Fraction(text)
        case Add(terms):
            return sum(map(worth, terms), Fraction(0))
        case Mul(factors):
            found = Fraction(1)
            for factor in factors:
                found *= worth(factor)
            return found
        case Div(numerator, denominator):
            return worth(numerator) / worth(denominator)
        case Exp(Num(_, "-oo")):
            return Fraction(0)
        case Exp(exponent):
            power = worth(exponent)
            return Fraction(1) if power == 0 else Irrational.near(mpmath.exp(near(power)))
    raise AssertionError(formula)


def said(formula: Formula, page: Page) -> str | None:
    """The text of what the printed numbers give; None where they divide by a printed 0."""
    try:
        return text_of(worth(formula), page, page.decimals)
    except ZeroDivisionError:
        return None


def text_of(value: Worth, page: Page, decimals: int) -> str:
    write = reference_significant if page.digits == "significant" else reference_nearest
    return write(value, decimals, page.ties)


def more_digits(formula: Formula, guard: int, page: Page) -> Formula:
    """Every number to more digits, rounded by the reference from its exact value."""
    match formula:
        case Num(value, text):
            if text == "-oo" or guard == 0:
                return formula
            return Num(value, text_of(known(value), page, page.decimals + guard))
        case Add(terms):
            return Add(tuple(more_digits(term, guard, page) for term in terms))
        case Mul(factors):
            return Mul(tuple(more_digits(factor, guard, page) for factor in factors))
        case Div(numerator, denominator):
            return Div(more_digits(numerator, guard, page), more_digits(denominator, guard, page))
        case Exp(exponent):
            return Exp(more_digits(exponent, guard, page))
    raise AssertionError(formula)


def known(value: Value) -> Worth:
    """A Fraction where the value is proved to be that, else an irrational number to 80 digits."""
    with precision(400):
        number = mpmath.mpf(value.ball().str(90, radius=False))
    guess = from_mpf(number).limit_denominator(10**9)
    return guess if value.equals(numbers.from_fraction(guess)) else Irrational.near(number)


def texts(formula: Formula) -> list[str | None]:
    match formula:
        case Num(_, text):
            return [text]
        case Add(parts) | Mul(parts):
            return [text for part in parts for text in texts(part)]
        case Div(numerator, denominator):
            return texts(numerator) + texts(denominator)
        case Exp(exponent):
            return texts(exponent)
    raise AssertionError(formula)


def derivations(problem: dict[str, Any]) -> list[Derivation]:
    found = solved(problem)
    result, shown = found.sections[0].result, found.shown(found.sections[0])
    heads = [head_derivation(found.problem, result, shown, index) for index in range(len(result.heads))]
    last = final_derivation(found.problem, result, shown)
    return heads if last is None else [*heads, last]


KINDS = {"rational": problems, "surds": surd_problems, "logs": log_problems}


@pytest.mark.parametrize("digits", ["places", "significant"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_line_is_true_as_printed_with_the_fewest_guard_digits(kind, digits):
    told = {"as printed": 0, "guarded": 0, "fractions": 0, "none": 0}

    @steady(40)
    @given(KINDS[kind]())
    def law(problem):
        page_options = problem["page"] | ({"digits": digits, "row_sums": "as-is"} if digits == "significant" else {})
        try:
            asked = derivations(problem | {"page": page_options})
            page = solved(problem | {"page": page_options}).problem.page
        except SpecError:
            return  # carried rounding with too few decimals
        with mpmath.workdps(80):
            for derivation in asked:
                for step in derivation.steps:
                    if step.formula is None or step.lhs in ("scaled", "logits"):
                        continue
                    for i, j in list(step.exact.places())[:6]:
                        told[check(entry_step(derivation, step.lhs, i, j), page)] += 1

    law()
    assert told["as printed"] > 100
    assert told["guarded"] > 0


def check(step: Any, page: Page) -> str:
    """What kind of line it is; the line is true, says the page's number, and no shorter one does."""
    (target,) = step.printed[0]
    left = without_zeros(step.substituted)
    line = true_line(left, target, page)
    if target is None or None in texts(left):  # an exponential too long to be read is not printed
        assert line is None
        return "none"
    if line is None:
        assert all(said(more_digits(left, guard, page), page) != target.text for guard in range(13))
        return "none"
    (formula,) = line.left
    assert line.right == (target.text,)
    value = worth(formula)
    assert text_of(value, page, page.decimals) == target.text
    assert line.exact == (value == Fraction(target.text))
    if texts(formula) == texts(left):
        return "as printed"
    assert said(left, page) != target.text, "the printed numbers would have done"
    if None in texts(formula):
        assert target.exact
        assert value == Fraction(target.text)
        return "fractions"
    guard = next(g for g in range(1, 13) if same(formula, more_digits(left, g, page)))
    for fewer in range(1, guard):
        assert said(more_digits(left, fewer, page), page) != target.text
    return "guarded"


def same(one: Formula, other: Formula) -> bool:
    """Whether both hold the same printed numbers; 0.5 and 0.500 are one."""
    return [as_number(text) for text in texts(one)] == [as_number(text) for text in texts(other)]


def as_number(text: str | None) -> Fraction | str | None:
    return text if text in (None, "-oo") else Fraction(text)


@steady(40)
@given(st.one_of(problems(), surd_problems()))
def test_a_vector_shares_its_guard_digits(problem):
    """A row of outputs: each coordinate is true, and with one guard digit less at least one was false."""
    try:
        derivation = derivations(problem)[0]
    except SpecError:
        return
    page = solved(problem).problem.page
    with mpmath.workdps(80):
        outputs = derivation.step("output")
        for row, targets in enumerate(outputs.printed):
            sums = [entry_step(derivation, "output", row, column).substituted for column in range(len(targets))]
            line = true_lines(sums, targets, page)
            if line is None:
                continue
            values = list(map(worth, line.left))
            wanted = [target.text for target in targets]
            assert [text_of(value, page, page.decimals) for value in values] == wanted == list(line.right)
            assert line.exact == all(value == Fraction(text) for value, text in zip(values, wanted, strict=True))
            if None in [text for formula in line.left for text in texts(formula)]:
                assert line.exact
                continue
            shorter = (
                shown
                for shown in ([more_digits(formula, guard, page) for formula in sums] for guard in range(13))
                if not all(map(same, shown, line.left))
            )
            for shown in shorter:
                if not fewer_digits(shown, line.left):
                    break
                assert [said(formula, page) for formula in shown] != wanted


def fewer_digits(one: Sequence[Formula], other: Sequence[Formula]) -> bool:
    """Whether no number of ``one`` is written longer than in ``other``, and some number shorter."""
    pairs = [pair for formulas in zip(one, other, strict=True) for pair in zip(*map(texts, formulas), strict=True)]
    return all(len(a) <= len(b) for a, b in pairs if as_number(a) != as_number(b)) and any(
        len(a) < len(b) for a, b in pairs
    )


@steady(60)
@given(st.one_of(problems(), surd_problems()))
def test_a_scaled_score_is_the_printed_one_times_the_exact_scale(problem):
    """From the printed score where that gives the printed digits, else from the exact one in closed form."""
    try:
        derivation = derivations(problem)[0]
    except SpecError:
        return
    page = solved(problem).problem.page
    scores, scaled = derivation.step("scores"), derivation.step("scaled")
    scale = dict(derivation.numbers)["scale"].number
    with mpmath.workdps(80):
        factor = expression(scale)
        for i, j in scores.exact.places():
            printed, target = scores.printed[i][j], scaled.printed[i][j]
            line = scaled_line(printed, scores.exact[i, j], scale, target, page)
            by_hand = expression(numbers.from_fraction(Fraction(printed.text))) * factor
            true = scores.exact[i, j].to_sympy() * factor
            told = expression(line.value)
            assert line.right == target.text
            assert text_of(sympy_worth(told), page, page.decimals) == target.text
            does = text_of(sympy_worth(by_hand), page, page.decimals) == target.text
            assert (line.score == printed.text) == does
            assert abs(near(told - (by_hand if does else true))) < mpmath.mpf(10) ** -60
            assert line.exact == (told.is_Rational and Fraction(str(told)) == Fraction(target.text))


def sympy_worth(number: Any) -> Worth:
    return Fraction(str(number)) if number.is_Rational else Irrational.near(near(number))


def test_the_textbook_line_that_would_be_false():
    """0.248 * 2 + 0.503 * 2 is 1.502, not the printed 1.503; by hand, three more digits are the fewest."""
    problem = {"X": [["1", "0"], ["0", "1"], ["1", "1"]], "W_Q": "identity", "W_K": "identity"}
    problem |= {"W_V": [["2", "0"], ["0", "2"]]}
    (derivation,) = derivations(problem)
    step = entry_step(derivation, "output", 2, 0)
    line = true_line(step.substituted, step.printed[0][0], Page())
    assert (line.right, line.exact) == (("1.503",), False)
    assert texts(line.left[0]) == ["0.248255", "2", "0.248255", "0", "0.503490", "2"]
    for weight, other in (("0.248", "0.503"), ("0.2483", "0.5035"), ("0.24826", "0.50349")):
        assert reference_nearest(2 * Fraction(weight) + 2 * Fraction(other), 3) in ("1.502", "1.504")
    pencil = problem | {"page": {"rounding": "carried", "row_sums": "one"}}
    step = entry_step(derivations(pencil)[0], "output", 2, 0)
    line = true_line(step.substituted, step.printed[0][0], Page(rounding="carried", row_sums="one"))
    assert (texts(line.left[0]), line.right) == (["0.248", "2", "0.248", "0", "0.504", "2"], ("1.504",))
    assert line.exact


def test_a_printed_sum_of_0_is_not_divided_by():
    """e^-4 prints as 0.0 at one decimal: 0.0/0.0 is no line, 0.02/0.02 is one."""
    (derivation,) = derivations({"Q": [["2"]], "K": [["-2"]], "V": [["1"]], "page": {"decimals": 1}})
    step = entry_step(derivation, "weights", 0, 0)
    line = true_line(step.substituted, step.printed[0][0], Page(decimals=1))
    assert (texts(line.left[0]), line.right, line.exact) == (["0.02", "0.02"], ("1",), True)


def test_masked_keys_may_be_left_out_of_a_sum():
    terms = (Num(Plain(numbers.ONE), "1"), Num(Plain(numbers.ZERO), "0"))
    assert without_zeros(Add(terms)) == terms[0]
    assert without_zeros(Div(terms[0], Add((*terms, terms[0])))) == Div(terms[0], Add((terms[0], terms[0])))


def test_no_line_without_printed_numbers():
    number = Num(Plain(numbers.ONE), "1")
    printed = Printed("1", "1", exact=True)
    assert true_line(None, printed, Page()) is None
    assert true_line(number, None, Page()) is None
    assert true_line(Num(Plain(numbers.symbol("a"))), printed, Page()) is None
    assert true_line(number, printed, Page()).exact
    assert true_line(number, Printed("2", "2", exact=True), Page()) is None
