"""The normal form of exact numbers: what is equal is found equal, what is not is not, and what is unusable is said."""

from __future__ import annotations

import time
from fractions import Fraction

import mpmath
import pytest
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from symattn.errors import SpecError, UndecidedError
from symattn.exact import numbers
from symattn.exact.balls import precision
from symattn.exact.sympy_forms import expression
from symattn.exact.values import Plain, Ratio, Total, Weight, softmax
from symattn.parse.grammar import entry
from tests.exact.common import near, steady


def exact(text: str) -> numbers.Exact:
    return numbers.number(entry(text, {"a": "real", "b": "positive"}))


EQUAL = [
    ("sqrt(2)*sqrt(6)", "2*sqrt(3)"),
    ("sqrt(8)", "2*sqrt(2)"),
    ("sqrt(1/2)", "sqrt(2)/2"),
    ("sqrt(12)/sqrt(27)", "2/3"),
    ("sqrt(45/28)", "3*sqrt(35)/14"),
    ("1/(1+sqrt(2))", "sqrt(2)-1"),
    ("1/(sqrt(2)+sqrt(3))", "sqrt(3)-sqrt(2)"),
    ("1/(1+sqrt(2)+sqrt(3))", "(2+sqrt(2)-sqrt(6))/4"),
    ("1/(1+2^(1/3))", "(1-2^(1/3)+4^(1/3))/3"),
    ("(2^(1/3))^3", "2"),
    ("4^(1/3)*2^(1/3)", "2"),
    ("54^(1/3)", "3*2^(1/3)"),
    ("16^(1/4)", "2"),
    ("4^(1/4)", "sqrt(2)"),
    ("2^(1/2)*2^(1/3)", "2^(5/6)"),
    ("(1/2)^(1/3)", "4^(1/3)/2"),
    ("2^(-1/3)", "4^(1/3)/2"),
    ("(1+sqrt(5))^2/4", "(3+sqrt(5))/2"),
    ("((1+sqrt(5))/2)^10", "(123+55*sqrt(5))/2"),
    ("(sqrt(2)-1)^-2", "3+2*sqrt(2)"),
    ("0^(1/2)", "0"),
    ("log(9/8)", "2*log(3)-3*log(2)"),
    ("log(1)", "0"),
    ("log(sqrt(2))", "log(2)/2"),
    ("log(4^(1/3))", "2*log(2)/3"),
    ("log(exp(3/2))", "3/2"),
    ("log(2*exp(sqrt(2)))", "log(2)+sqrt(2)"),
    ("log(6)*log(6)", "log(2)^2+2*log(2)*log(3)+log(3)^2"),
    ("log(4)/log(2)", "2"),
    ("exp(log(3)/2)", "sqrt(3)"),
    ("exp(-log(3)/2)", "sqrt(3)/3"),
    ("exp(2*log(3)-log(2))", "9/2"),
    ("exp(log(5)/3+1)", "5^(1/3)*e"),
    ("exp(log(2)*log(3))", "exp(log(3)*log(2))"),
    ("exp(1)*exp(sqrt(2))", "exp(1+sqrt(2))"),
    ("exp(1/2)^2", "e"),
    ("sqrt(exp(1))", "exp(1/2)"),
    ("e^2", "exp(2)"),
    ("e^sqrt(2)", "exp(sqrt(2))"),
    ("1/exp(2)", "exp(-2)"),
    ("exp(1)-e", "0"),
    ("(e+1)*(e-1)", "e^2-1"),
    ("exp(log(4))*exp(exp(log(2)))/exp(2)", "4"),
    ("sqrt(pi)^2", "pi"),
    ("pi/pi", "1"),
    ("1/pi*pi^2", "pi"),
    ("sqrt(pi^2)", "pi"),
    ("a*b/b", "a"),
    ("sqrt(b)^2", "b"),
    ("exp(a)*exp(-a)", "1"),
    ("(a+b)*(a-b)", "a^2-b^2"),
    ("exp(4096*log(2))", "2^64*2^64*exp(3968*log(2))"),
    ("sqrt(10^38)", "10^19"),
]
assert EQUAL


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal_numbers_have_one_normal_form(left, right):
    one, other = exact(left), exact(right)
    assert one == other
    assert hash(one) == hash(other)
    assert numbers.is_zero(one - other)
    assert Plain(one).equals(Plain(other))


DIFFERENT = [
    ("sqrt(2)+sqrt(3)", "sqrt(5+2*sqrt(6)-1e-40)"),
    ("sqrt(2)", "1.4142135623730950488016887242096980785696718753769"),
    ("2^(1/3)", "2^(1/2)"),
    ("exp(1)", "2.71828182845904523536028747135266249775724709369995"),
    ("exp(sqrt(2))", "exp(1.41421356237309504880168872420969807856967187537695)"),
    ("log(2)", "0.69314718055994530941723212145817656807550013436026"),
    ("exp(1e-60)", "1"),
    ("exp(pi*sqrt(163))", "262537412640768744"),
    ("a", "b"),
]


@pytest.mark.parametrize(("left", "right"), [pair for pair in DIFFERENT if "sqrt(6)" not in pair[1]])
def test_different_numbers_are_told_apart(left, right):
    one, other = exact(left), exact(right)
    assert one != other
    assert not Plain(one).equals(Plain(other))
    if not numbers.symbols(one - other):
        assert numbers.sign(one - other) in (1, -1)


def test_ramanujans_near_integer_lies_below_it():
    """e^(pi sqrt 163) = 262537412640768743.99999999999925...: known, and outside the theorem."""
    assert numbers.sign(exact("exp(pi*sqrt(163))-262537412640768744")) == -1


ERRORS = [
    ("sqrt(-1)", "root of a negative number"),
    ("sqrt(-2)*sqrt(-2)", "root of a negative number"),
    ("(-8)^(1/3)", "root of a negative number"),
    ("log(0)", "logarithm of 0"),
    ("log(1-1)", "logarithm of 0"),
    ("log(sqrt(2)-sqrt(2))", "logarithm of 0"),
    ("log(-1)", "logarithm of a negative number"),
    ("1/(sqrt(2)-sqrt(2))", "a division by 0"),
    ("1/(exp(1)-e)", "a division by 0"),
    ("1/(sqrt(6)-sqrt(2)*sqrt(3))", "a division by 0"),
    ("1/(1+log(2))", "no short exact form"),
    ("1/(1+e)", "no short exact form"),
    ("1/(1+pi)", "no short exact form"),
    ("1/a", "a symbol that may be 0"),
    ("sqrt(a)", "no short exact form"),
    ("sqrt(1+sqrt(2))", "no short exact form"),
    ("log(1+sqrt(2))", "no short exact form"),
    ("log(pi)", "no short exact form"),
    ("2^sqrt(2)", "an exponent that is not rational"),
    ("sqrt(1000000000000000000000000000057)", "too long to be split into primes"),
    ("log(123456789012345678901234567891/7)", "too long to be split into primes"),
    ("1/(2^(1/64)+3^(1/64))", "too many different roots"),
]
assert ERRORS


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_what_is_no_number_here_is_said_at_once(text, message):
    started = time.perf_counter()
    with pytest.raises(SpecError, match=message):
        exact(text)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("text", ["1/0", "0^-1", "1/(1/2-1/2)"])
def test_a_rational_division_by_zero_is_refused_by_the_reader(text):
    with pytest.raises(SpecError, match="division by zero"):
        exact(text)


# ---------------------------------------------------------------------------------------------- against mpmath

LEAVES = st.one_of(
    st.integers(-6, 6).map(str),
    st.sampled_from(
        ["1/2", "-2/3", "0.25", "sqrt(2)", "sqrt(3)", "sqrt(6)", "2^(1/3)", "log(2)", "log(3/2)", "e", "pi"]
    ),
)
SUMS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
        inner.map(lambda text: f"(-{text})"),
        inner.map(lambda text: f"({text})^2"),
        inner.map(lambda text: f"exp({text})"),
    ),
    max_leaves=5,
)
NAMES = {"sqrt": mpmath.sqrt, "exp": mpmath.exp, "log": mpmath.log}


def by_mpmath(text: str) -> mpmath.mpf:
    """The text read as Python over mpmath: our own generated texts, with every literal made an mpf."""
    import re

    code = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)", r"mpf('\1')", text).replace("^", "**")
    return eval(code, {**NAMES, "mpf": mpmath.mpf, "e": +mpmath.e, "pi": +mpmath.pi})  # noqa: S307


def moderate(text: str) -> bool:
    with mpmath.workdps(30):
        try:
            return abs(by_mpmath(text)) < mpmath.mpf(10) ** 30
        except OverflowError:
            return False


@steady(250)
@given(SUMS)
def test_random_numbers_agree_with_mpmath(text):
    assume(moderate(text))
    number = exact(text)
    with mpmath.workdps(80):
        wanted = by_mpmath(text)
        with precision(400):
            found = mpmath.mpf(numbers.ball(number).str(60, radius=False))
        assert abs(found - wanted) <= mpmath.mpf(10) ** -45 * max(1, abs(wanted))
        assert abs(near(expression(number)) - wanted) <= mpmath.mpf(10) ** -45 * max(1, abs(wanted))
        if abs(wanted) > mpmath.mpf(10) ** -40:
            assert numbers.sign(number) == mpmath.sign(wanted)


@steady(150)
@given(SUMS, SUMS, SUMS)
def test_the_laws_of_a_ring(one, two, three):
    assume(all(map(moderate, (one, two, three))))
    a, b, c = exact(one), exact(two), exact(three)
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert a * (b + c) == a * b + a * c
    assert numbers.is_zero(a - a)
    assert hash(a * (b + c)) == hash(a * b + a * c)


ROOTS = st.lists(
    st.tuples(st.integers(-5, 5).filter(bool), st.sampled_from(["1", "sqrt(2)", "sqrt(3)", "sqrt(6)", "3^(1/3)"])),
    min_size=1,
    max_size=4,
).map(lambda terms: "+".join(f"({factor})*{root}" for factor, root in terms))


@steady(100)
@given(ROOTS)
def test_an_inverse_is_one(text):
    number = exact(text)
    assume(not numbers.is_zero(number))
    assert number * numbers.inverse(number) == fmpq(1)
    assert 1 / number * number == fmpq(1) if isinstance(number, numbers.Number) else True


# ---------------------------------------------------------------------------------------------- several softmaxes


def weight(*logits: str) -> Weight:
    return Weight(softmax(exact(logit) for logit in logits), 0)


def test_two_heads_whose_weights_add_to_1():
    """s(1) + s(-1) = 1, though each is transcendental."""
    total = Total((weight("1", "0"), weight("-1", "0")))
    assert total.equals(1)
    assert not total.equals(fmpq(999999, 1000000))
    assert not weight("1", "0").equals(weight("2", "0"))
    assert not Total((weight("1", "0"), weight("-1", "1e-50"))).equals(1)


@steady(60)
@given(st.lists(st.sampled_from(["0", "1", "-2", "1/3", "sqrt(2)", "log(3)", "sqrt(3)-1"]), min_size=1, max_size=5))
def test_a_row_of_weights_adds_to_1_by_decided_equality(logits):
    row = softmax(map(exact, logits))
    assert Total(tuple(Weight(row, key) for key in range(len(logits)))).equals(1)


@steady(60)
@given(st.lists(st.sampled_from(["0", "1", "-2", "1/3", "sqrt(2)", "log(3)"]), min_size=2, max_size=4))
def test_odds_of_two_weights_are_the_exponential_of_their_difference(logits):
    row = softmax(map(exact, logits))
    odds = Weight(row, 0) / Weight(row, 1)
    assert odds.equals(Plain(numbers.exp(exact(logits[0]) - exact(logits[1]))))


# ---------------------------------------------------------------------------------------------- folding, undecided


def test_logarithms_are_folded_up_to_a_limit():
    """2^4096 is worked out; e^(4097 log 2) keeps its exponent, and still compares where the forms agree."""
    assert numbers.rational(exact("exp(4096*log(2))")) == Fraction(2) ** 4096
    assert numbers.rational(exact("exp(4097*log(2))")) is None
    assert exact("exp(4097*log(2))") == exact("exp(2000*log(2)+2097*log(2))")
    assert numbers.sign(exact("exp(4097*log(2))") - exact("exp(4096*log(2))")) == 1


def test_an_equality_that_is_not_shown_is_undecided_soon_and_not_guessed():
    hidden = exact("exp(5001*log(2))") - 2 * exact("exp(5000*log(2))")
    started = time.perf_counter()
    with pytest.raises(UndecidedError, match="undecided at 65536 bits"):
        numbers.sign(hidden)
    with pytest.raises(UndecidedError):
        numbers.vanishes(hidden)
    with pytest.raises(UndecidedError):
        Ratio(exact("exp(5001*log(2))"), exact("exp(5000*log(2))")).equals(2)
    assert time.perf_counter() - started < 5


OUTSIDE = ["pi", "exp(pi)", "pi^2-exp(1)", "exp(exp(1))", "log(2)*log(3)", "exp(log(2)*log(3))", "exp(sqrt(2)*log(3))"]


@pytest.mark.parametrize("text", OUTSIDE)
def test_numbers_outside_the_theorem_are_known_to_be_outside(text):
    assert not numbers.is_algebraic_exponential(exact(text))
    assert numbers.sign(exact(text)) == 1


@pytest.mark.parametrize("text", ["3", "sqrt(2)+1/3", "exp(sqrt(2))", "sqrt(3)*exp(2^(1/3)-1)+exp(log(5)/2)"])
def test_numbers_inside_the_theorem_are_known_to_be_inside(text):
    assert numbers.is_algebraic_exponential(exact(text))


def test_the_logarithm_of_a_sum_stands_for_itself():
    """ln(1 + 3 e^-2) beside mpmath; equal ones are found equal, and a product is taken apart as before."""
    whole = numbers.ONE + 3 * numbers.exp(fmpq(-2))
    found = numbers.logarithm(whole)
    with mpmath.workdps(50):
        assert abs(near(expression(found)) - mpmath.log(1 + 3 * mpmath.exp(-2))) < mpmath.mpf("1e-45")
    with precision(200):
        assert Plain(found).ball().overlaps(numbers.ball(whole).log())
    assert found == numbers.logarithm(3 * numbers.exp(fmpq(-2)) + numbers.ONE)
    assert numbers.logarithm(numbers.exp(fmpq(3)) * 8) == 3 * numbers.log(fmpq(2)) + 3
    assert str(expression(found)) == "log(3*exp(-2) + 1)"
    with pytest.raises(SpecError, match="negative number"):
        numbers.logarithm(numbers.ONE - numbers.exp(fmpq(1)))
