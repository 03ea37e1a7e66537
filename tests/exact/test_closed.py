"""Closed forms: the same number in fewer signs, and in lowest terms where that is promised."""

from __future__ import annotations

import time
from typing import Any

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symattn.exact import numbers
from symattn.exact.closed import closed_form, generator
from symattn.exact.values import Blend, Mixed, Ratio, Value, Values, Weight, softmax
from symattn.parse.grammar import entry
from tests.exact.common import solved, steady
from tests.strategies import log_problems, problems, surd_problems

KINDS = st.one_of(problems(), surd_problems(), log_problems())


def exact(text: Any) -> numbers.Exact:
    return numbers.number(entry(str(text), {}))


def row(*logits: Any) -> Any:
    return softmax(map(exact, logits))


def mixed(logits: list[Any], values: list[Any]) -> Value:
    return Mixed(Blend(row(*logits), Values(tuple((exact(value),) for value in values))), 0)


def as_ratio(form: Any) -> Value:
    """The number that a form says, put together again from its terms."""
    above, below = form.exponential_terms()
    sides = [
        sum((factor * numbers.exp(exact(0) + power) for factor, power in side), exact(0)) for side in (above, below)
    ]
    return Ratio(*sides)


@steady(100)
@given(KINDS)
def test_a_closed_form_is_the_number_itself(problem):
    """By decided equality, for every array of random problems."""
    section = solved(problem).sections[0]
    by = section.generator()
    tables = [table for head in section.result.heads for table in (head.weights, head.output)]
    for table in (*tables, section.result.output):
        for place in table.places():
            assert as_ratio(closed_form(table[place], by)).equals(table[place])
            assert as_ratio(closed_form(table[place], None)).equals(table[place])


@steady(60)
@given(problems(heads=st.just(1)))
def test_rational_forms_are_in_lowest_terms(problem):
    """SymPy finds no common factor of the two polynomials, and integer coefficients without a common divisor."""
    section = solved(problem).sections[0]
    by, u = section.generator(), sympy.Symbol("u")
    for table in (section.result.heads[0].weights, section.result.heads[0].output):
        for place in table.places():
            form = closed_form(table[place], by)
            if by is None or not form.numerator:
                continue
            degree = max(power for side in (form.numerator, form.denominator) for _, power in side)
            if degree > 60:  # SymPy's gcd takes long
                continue
            assert form.reduced
            sides = [sympy.Poly(dict_of(side), u) for side in (form.numerator, form.denominator)]
            assert sympy.gcd(*sides).degree() <= 0
            coefficients = [c for side in sides for c in side.all_coeffs()]
            assert sympy.igcd(*coefficients) == 1
            assert min(power for side in (form.numerator, form.denominator) for _, power in side) == 0
            assert form.denominator[-1][0] > 0


def dict_of(side: Any) -> dict[tuple[int], int]:
    return {(power,): int(factor) for factor, power in side}


GENERATORS = [  # rows of logits, the generator's exponent or None
    ([[0, 1]], "1"),
    ([[0, 2, 4]], "2"),
    ([["1/2", "1/3"]], "1/6"),
    ([[0, "1/4"], [0, "1/6"]], "1/12"),
    ([["sqrt(2)", "3*sqrt(2)/2"]], "sqrt(2)/2"),
    ([["1+sqrt(2)", "3+2*sqrt(2)"], [0, "3+2*sqrt(2)"]], None),
    ([["1+sqrt(2)", "2+2*sqrt(2)"], [0, "2+2*sqrt(2)"]], "1+sqrt(2)"),
    ([[5, 5, 5]], None),
    ([[0, 1, "sqrt(2)"]], None),
    ([[0, -3], ["sqrt(2)", "sqrt(2)-2"]], "1"),
    ([["-sqrt(3)", 0]], "sqrt(3)"),
    ([["log(2)", "log(4)"]], None),
    ([[0, "1+log(2)"]], None),
]
assert GENERATORS


@pytest.mark.parametrize(("logits", "exponent"), GENERATORS)
def test_the_generator_of_rows(logits, exponent):
    found = generator(row(*line) for line in logits)
    assert (found and found.exponent) == (exponent and exact(exponent))


FORMS = [  # logits, values, the form by hand, in SymPy syntax
    (["1/sqrt(2)", 0, "1/sqrt(2)"], [1, 0, 0], "exp(sqrt(2)/2)/(1 + 2*exp(sqrt(2)/2))"),
    (["1/sqrt(2)", 0, "1/sqrt(2)"], [2, 0, 2], "4*exp(sqrt(2)/2)/(1 + 2*exp(sqrt(2)/2))"),
    ([0, 1, 2], [0, 1, 1], "(exp(1) + exp(2))/(1 + exp(1) + exp(2))"),
    ([0, 1], [1, 1], "1"),
    ([0, 0], [1, 2], "3/2"),
    ([7, 9], ["1/3", 0], "1/(3 + 3*exp(2))"),
    ([0, 1, 2], [1, "3/2", 2], None),
    ([0, 2, 4], [0, 0, 0], "0"),
]


@pytest.mark.parametrize(("logits", "values", "wanted"), [form for form in FORMS if form[2]])
def test_forms_by_hand(logits, values, wanted):
    found = mixed(logits, values).to_sympy()
    assert sympy.simplify(found - sympy.sympify(wanted)) == 0
    assert sympy.count_ops(found) <= sympy.count_ops(sympy.sympify(wanted))


def test_a_common_factor_is_taken_out():
    """(1 + u)(2 + u) over (1 + u)(1 + u): values 2, 3, 1 over weights 1, 2, 1 of u = e."""
    value = mixed([0, 1, 1, 2], [2, "3/2", "3/2", 1])
    form = closed_form(value, generator([value.blend.row]))
    assert [list(map(int, term)) for term in form.numerator] == [[2, 0], [1, 1]]
    assert [list(map(int, term)) for term in form.denominator] == [[1, 0], [1, 1]]


def test_large_degrees_are_left_unreduced_and_said_to_be():
    value = mixed([0, 1, 2001], [1, 1, 0])
    assert not closed_form(value, generator([value.blend.row])).reduced
    assert closed_form(mixed([0, 1, 2000], [1, 1, 0]), generator([row(0, 1, 2000)])).reduced


def test_a_form_of_a_hundred_thousandth_degree_is_made_at_once():
    value = mixed([0, 1, 100_000], [1, 2, 3])
    form = closed_form(value, generator([value.blend.row]))
    assert [int(power) for _, power in form.denominator] == [0, 1, 100_000]


@pytest.mark.parametrize("logits", [["sqrt(2)", "sqrt(3)", 0], [1, "sqrt(2)"], ["log(2)+1", "sqrt(5)"]])
def test_several_generators_keep_their_exponents(logits):
    weight = Weight(row(*logits), 0)
    form = closed_form(weight, generator([weight.row]))
    assert form.generator is None or len(logits) == 2
    with mpmath.workdps(40):
        powers = [mpmath.exp(mpmath.mpf(str(sympy.sympify(text).evalf(45)))) for text in logits]
        found = mpmath.mpf(str(weight.to_sympy().evalf(40)))
        assert abs(found - powers[0] / mpmath.fsum(powers)) < mpmath.mpf(10) ** -35


LOGARITHMS = [  # logits, the first weight by hand
    ([0, "log(2)", "log(3)"], "1/6"),
    (["log(3/2)", "log(5/2)"], "3/8"),
    ([0, "log(2)/2"], "sqrt(2)-1"),
    (["log(2)/2", "log(3)/2"], "sqrt(6)-2"),
    ([0, "1+log(2)"], "1/(1+2*exp(1))"),
    ([0, "2/7*log(3)", "2/7*log(5/2)"], "1/(1+3**(2/7)+(5/2)**(2/7))"),
    (["log(2)/5", "log(3)/5", "log(7)/5", 0], "2**(1/5)/(1+2**(1/5)+3**(1/5)+7**(1/5))"),
]
assert LOGARITHMS


@pytest.mark.parametrize(("logits", "wanted"), LOGARITHMS)
def test_logarithms_are_folded_and_long_denominators_left(logits, wanted):
    """At once: roots are divided out only where the quotient is about as short."""
    started = time.perf_counter()
    weight = Weight(row(*logits), 0)
    found = weight.to_sympy()
    assert time.perf_counter() - started < 1
    wanted = sympy.sympify(wanted, rational=True)
    assert abs(sympy.N(found - wanted, 50, maxn=200)) < sympy.Float("1e-45")
    assert sympy.count_ops(found) <= sympy.count_ops(wanted) + 4
