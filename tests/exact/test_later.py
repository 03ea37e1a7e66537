"""Numbers that are worked out only as far as they are asked for are the numbers they stand for."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.exact import numbers
from symattn.exact.balls import precision
from symattn.exact.numbers import ONE, ZERO
from symattn.exact.values import Denominator, Exponential, Multiple, Plain, Weight, softmax
from symattn.policies.nearest import to_one
from symattn.policies.printing import as_printed
from symattn.problem import Page
from symattn.rounding import adding_to_one, nearest, significant
from tests.exact.common import steady

RATIONALS = [fmpq(0), fmpq(1), fmpq(-3, 2), fmpq(707, 500)]
LOGARITHMS = [numbers.log(fmpq(2)), numbers.log(fmpq(1, 8)), numbers.log(fmpq(3)) * fmpq(1, 2)]
EXPONENTS = [*RATIONALS, numbers.root(2), numbers.root(3) * fmpq(-1, 3), *LOGARITHMS, LOGARITHMS[0] + ONE]


def ways(value):
    """What every way to round says: places from none to six, both ties, and significant digits."""
    found = [nearest(value, places, ties) for places in range(7) for ties in ("half-up", "half-even")]
    found += [significant(value, digits) for digits in (1, 3)]
    return [(one.text, one.number, one.tie, one.exact) for one in found]


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_an_exponential_is_the_power_of_e(exponent):
    later, plain = Exponential(exponent), Plain(numbers.exp(exponent))
    assert later.equals(plain)
    assert later.number == plain.number
    assert ways(later) == ways(plain)


@pytest.mark.parametrize("times", RATIONALS)
@pytest.mark.parametrize("factor", [fmpq(1, 4), numbers.root(2), numbers.inverse(numbers.root(3)), LOGARITHMS[0]])
def test_a_multiple_is_the_product(times, factor):
    later, plain = Multiple(times, factor), Plain(times * factor)
    assert later.equals(plain)
    assert ways(later) == ways(plain)


@pytest.mark.parametrize(
    "logits",
    [
        [ZERO, ZERO, None],
        [ZERO, LOGARITHMS[0], LOGARITHMS[0]],  # 1 + 2 + 2
        [LOGARITHMS[1], LOGARITHMS[1], ZERO],  # 1/8 + 1/8 + 1, a tie at one place
        [fmpq(1), numbers.root(2), None],
        [fmpq(9000), ZERO],
        [fmpq(-9000), fmpq(-9001)],
    ],
    ids=["keys", "an integer", "a tie", "irrational", "large", "small"],
)
def test_a_denominator_is_the_sum_of_the_exponentials(logits):
    row = softmax(logits)
    later, plain = Denominator(row), Plain(row.total())
    assert later.equals(plain)
    assert ways(later) == ways(plain)
    with precision(64):
        assert later.ball().overlaps(plain.ball())


def test_what_has_the_same_identity_is_the_same_number():
    row = softmax([fmpq(1), fmpq(2), fmpq(1), None])
    found = [Weight(row, key) for key in range(4)] + [
        Plain(fmpq(1, 2)),
        Plain(numbers.exp(ONE)),
        Exponential(ONE),
        Exponential(numbers.root(2)),
        Plain(fmpq(2, 4)),
        Plain(numbers.exp(numbers.root(2))),
    ]
    for one in found:
        for other in found:
            if one.identity() == other.identity():
                assert one.equals(other)
    assert found[0].identity() == found[2].identity() != found[1].identity()


@steady(200)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=6).filter(any), st.integers(0, 3))
def test_a_row_that_adds_to_one_as_rounded_is_the_row_by_remainders(parts, places):
    quotients = [Fraction(part, sum(parts)) for part in parts]
    row = tuple(as_printed(nearest(quotient, places)) for quotient in quotients)
    wanted = [Fraction(units, 10**places) for units in adding_to_one(quotients, places)]
    assert [Fraction(entry.text) for entry in to_one(quotients, row, Page(decimals=places)) if entry] == wanted


def test_exponentials_by_another_implementation():
    with mpmath.workdps(40):
        for exponent, wanted in [(fmpq(707, 500), mpmath.exp("1.414")), (numbers.root(2), mpmath.exp(mpmath.sqrt(2)))]:
            assert nearest(Exponential(exponent), 20).text == mpmath.nstr(wanted, 21)
