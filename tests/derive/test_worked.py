"""The step of one entry: its formula with the numbers put in, and which number stands where."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symattn.derive.worked import entry_step, final_derivation, head_derivation
from symattn.steps import Add, Derivation, Div, Exp, Mul, Name, Num, Reason
from tests.exact.common import near, solved, steady
from tests.reference import evaluate
from tests.strategies import log_problems, problems, surd_problems

NEAREST = ("nearest",)


def derivation(problem: dict[str, Any], head: int = 0) -> Derivation:
    found = solved(problem)
    return head_derivation(found.problem, found.sections[0].result, found.shown(found.sections[0]), head)


def worth(formula: Any, scale: mpmath.mpf) -> mpmath.mpf:
    """The formula's value from the exact numbers that stand in it; a masked logit's exponential is 0."""
    match formula:
        case Num(value, text):
            return mpmath.mpf("-inf") if text == "-oo" else near(value.to_sympy())
        case Name("scale"):
            return scale
        case Add(terms):
            return mpmath.fsum(worth(term, scale) for term in terms)
        case Mul(factors):
            return mpmath.fprod(worth(factor, scale) for factor in factors)
        case Div(numerator, denominator):
            return worth(numerator, scale) / worth(denominator, scale)
        case Exp(exponent):
            return mpmath.exp(worth(exponent, scale))
    raise AssertionError(formula)


ENTRIES = ("query", "key", "value", "scores", "scaled", "logits", "weights", "output")


@pytest.mark.parametrize("kind", [problems, surd_problems, log_problems])
def test_the_numbers_put_in_give_the_references_value(kind):
    @steady(20)
    @given(kind(policies=NEAREST))
    def law(problem):
        asked, wanted = derivation(problem), evaluate(problem, 60)["heads"][0]
        with mpmath.workdps(50):
            scale = near(dict(asked.numbers)["scale"].to_sympy())
            for step in asked.steps:
                if step.lhs not in ENTRIES or step.formula is None:
                    continue
                for i, j in step.exact.places():
                    one = entry_step(asked, step.lhs, i, j)
                    if wanted[step.lhs][i][j] is None:
                        assert one.substituted.text == "-oo"
                        continue
                    expected = near(wanted[step.lhs][i][j])
                    found = worth(one.substituted, scale)
                    assert abs(found - expected) <= mpmath.mpf(10) ** -40 * max(1, abs(expected))

    law()


@steady(25)
@given(problems(policies=NEAREST))
def test_an_entry_keeps_its_place_its_text_and_its_reason(problem):
    asked = derivation(problem)
    for array in ("scores", "weights", "output"):
        whole = asked.step(array)
        for i, j in whole.exact.places():
            one = entry_step(asked, array, i, j)
            assert (one.name, one.lhs, one.place) == (f"{array}[{i}][{j}]", array, (i, j))
            assert one.printed == ((whole.printed[i][j],),)
            assert one.exact[0, 0].equals(whole.exact[i, j])
            assert (one.reason, one.uses, one.formula) == (whole.reason, whole.uses, whole.formula)


def test_a_dot_product_by_hand():
    """q = (1, -2), k = (-3, 4): 1 (-3) + (-2) 4."""
    asked = derivation({"Q": [["1", "-2"]], "K": [["-3", "4"]], "V": [["1"]]})
    formula = entry_step(asked, "scores", 0, 0).substituted
    texts = [[factor.text for factor in term.factors] for term in formula.terms]
    assert texts == [["1", "-3"], ["-2", "4"]]


def test_steps_stand_in_reading_order_and_use_what_was_before():
    for problem in (
        {"X": [["1"], ["2"]], "W_Q": [["1", "2"]], "W_K": [["3", "1"]], "W_V": [["1", "2", "3"]]},
        {"X": [["1"], ["2"]], **dict.fromkeys(("W_Q", "W_K", "W_V"), "identity")},
        {"Q": [["1"]], "K": [["1"], ["2"]], "V": [["1"], ["2"]]},
    ):
        steps = derivation(problem).steps
        names = [step.name for step in steps]
        assert len(set(names)) == len(names)
        for index, step in enumerate(steps):
            assert set(step.uses) <= set(names[:index])
            assert (step.reason is Reason.GIVEN) == (not step.uses)
        assert names[-6:] == ["scores", "scaled", "logits", "exponentials", "weights", "output"]


@steady(25)
@given(st.one_of(problems(heads=st.sampled_from([2, 3]), policies=NEAREST), problems(policies=NEAREST)))
def test_the_last_steps_join_the_heads_and_mix_them(problem):
    found = solved(problem)
    result, shown = found.sections[0].result, found.shown(found.sections[0])
    last = final_derivation(found.problem, result, shown)
    several = problem["attention"]["num_heads"] > 1
    assert (last is None) == (not several and "W_O" not in problem)
    assume(last is not None)
    assert [step.name for step in last.steps] == ["concat", "W_O", "final"][: 3 if "W_O" in problem else 1]
    wanted = evaluate(problem, 60)
    joined = [[value for head in wanted["heads"] for value in head["output"][i]] for i in range(found.problem.n_q)]
    with mpmath.workdps(50):
        for i, row in enumerate(joined):
            for j, value in enumerate(row):
                assert abs(near(last.step("concat").exact[i, j].to_sympy()) - near(value)) < mpmath.mpf(10) ** -40
        if "W_O" in problem:
            for i, row in enumerate(wanted["output"]):
                for j, value in enumerate(row):
                    one = entry_step(last, "final", i, j)
                    assert abs(worth(one.substituted, mpmath.mpf(1)) - near(value)) < mpmath.mpf(10) ** -40


def test_the_scale_is_the_exact_one():
    for attention, scale in (({}, Fraction(1, 2)), ({"scale": "2/3"}, Fraction(2, 3))):
        asked = derivation({"Q": [["1"] * 4], "K": [["1"] * 4], "V": [["1"]], "attention": attention})
        assert Fraction(str(dict(asked.numbers)["scale"].to_sympy())) == scale
