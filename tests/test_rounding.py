"""Rounding against mpmath at 200 digits, against ties known by theory, and against near ties made on purpose."""

from __future__ import annotations

import math
import random
import time
from fractions import Fraction

import mpmath
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import SpecError, UndecidedError
from symattn.exact import numbers
from symattn.exact.values import Blend, Mixed, Plain, Ratio, Total, Value, Values, Weight, softmax
from symattn.parse.grammar import entry
from symattn.rounding import adding_to_one, floor, nearest, positional, significant, truncated
from tests.exact.common import steady
from tests.reference import nearest as reference_nearest
from tests.reference import nearest_significant as reference_significant

DIGITS = 200


def exact(text: str | int) -> numbers.Exact:
    return numbers.number(entry(str(text), {}))


def plain(text: str | int) -> Value:
    return Plain(exact(text))


def weights(*logits: str | int | numbers.Exact | None) -> list[Weight]:
    row = softmax(exact(logit) if isinstance(logit, str | int) else logit for logit in logits)
    return [Weight(row, key) for key in range(len(logits))]


def mixed(logits: list[str | int], values: list[str | int]) -> Value:
    return Mixed(Blend(softmax(map(exact, logits)), Values(tuple((exact(value),) for value in values))), 0)


def ways(value: str) -> list[Value]:
    """One number in every form that a value takes; ``value`` is a rational or a sum of roots."""
    return [
        plain(value),
        Ratio(exact(value), numbers.ONE),
        Ratio(exact(f"3*({value})"), exact(3)),
        Ratio(exact(f"({value})*sqrt(2)"), exact("sqrt(2)")),
        Ratio(exact(f"({value})*exp(sqrt(3))"), exact("exp(sqrt(3))")),
        mixed([0, 0], [value, value]),
        mixed([0, "1/3", "sqrt(2)"], [value, value, value]),
        mixed([0, 0], [f"{value}+sqrt(5)", f"{value}-sqrt(5)"]),
        Total((plain(f"{value}-1"), plain(1))),
        Total((Ratio(exact(f"({value})*e"), exact("1+e") * 1), Ratio(exact(value), exact("1+e")))),
    ]


# ---------------------------------------------------------------------------------------------- ties

TIES = [  # value, places, half-up, half-even
    ("1/8", 2, "0.13", "0.12"),
    ("3/8", 2, "0.38", "0.38"),
    ("-1/8", 2, "-0.13", "-0.12"),
    ("-3/8", 2, "-0.38", "-0.38"),
    ("1/16", 3, "0.063", "0.062"),
    ("1/40", 2, "0.03", "0.02"),
    ("1/200", 2, "0.01", "0.00"),
    ("-1/200", 2, "-0.01", "0.00"),
    ("0.0005", 3, "0.001", "0.000"),
    ("2.5", 0, "3", "2"),
    ("-2.5", 0, "-3", "-2"),
    ("1.0005", 3, "1.001", "1.000"),
    ("12.345", 2, "12.35", "12.34"),
    ("0.9995", 3, "1.000", "1.000"),
    ("1250", -2, "1300", "1200"),
]
assert TIES


@pytest.mark.parametrize(("value", "places", "half_up", "half_even"), TIES)
def test_every_form_of_a_tie_is_known_to_be_one(value, places, half_up, half_even):
    if value == "1250":  # an exact integer is printed as it is
        found = nearest(Fraction(1250), places), nearest(Fraction(1250), places, "half-even")
        assert [number.units for number in found] == [13, 12]
        return
    for way in ways(value):
        found = nearest(way, places), nearest(way, places, "half-even")
        assert [number.text for number in found] == [half_up, half_even], way
        assert [number.tie for number in found] == [True, True], way
        assert not any(number.exact or number.integer for number in found), way
    assert nearest(Fraction(value), places).text == half_up
    assert nearest(Fraction(value), places, "half-even").text == half_even


@pytest.mark.parametrize("count", [8, 40, 200])
def test_a_weight_of_1_over_n_is_a_tie_at_two_decimals(count):
    """By theory: 1/n is a tie at d decimals where n divides 2 * 10^d and not 10^d."""
    weight = weights(*["sqrt(2)"] * count)[0]
    for ties in ("half-up", "half-even"):
        found = nearest(weight, 2, ties)
        assert (found.text, found.tie) == (reference_nearest(Fraction(1, count), 2, ties), True)


@pytest.mark.parametrize("count", [n for n in range(1, 60) if 200 % n or not 100 % n])
def test_no_other_equal_weight_is_a_tie_at_two_decimals(count):
    assert not nearest(weights(*["sqrt(2)"] * count)[0], 2).tie


GAPS = [20, 40, 41, 60, 80, 120]
assert GAPS


@pytest.mark.parametrize("power", GAPS)
@pytest.mark.parametrize(("tie", "places", "half_up", "half_even"), TIES[:-1])
def test_near_ties_are_no_ties(tie, places, half_up, half_even, power):
    for gap in (f"1e-{power}", f"-1e-{power}"):
        wanted = reference_nearest(Fraction(tie) + Fraction(gap), places)
        for way in ways(f"({tie}+({gap}))"):
            for ties in ("half-up", "half-even"):
                assert nearest(way, places, ties).text == wanted, (way, gap)
            assert not nearest(way, places).tie


def test_near_ties_through_the_softmax():
    """1/8 times 2 s(x) with a tiny x: the sign of x decides, however small it is."""
    for power in (20, 40, 80, 120, 190):
        for sign, text in (("", "0.13"), ("-", "0.12")):
            value = mixed([f"{sign}1e-{power}", 0], ["1/4", 0])
            assert (nearest(value, 2, "half-even").text, nearest(value, 2).text) == (text, text)
            assert not nearest(value, 2).tie


# ---------------------------------------------------------------------------------------------- far apart


@pytest.mark.parametrize("gap", ["20", "2000", "1e6", "1e9", "1e30", "1e190"])
def test_a_weight_however_near_to_0_or_1_is_rounded_at_once(gap):
    """No 1.4 * gap bits are needed: what is common is taken away exactly."""
    started = time.perf_counter()
    large, small = weights(0, f"-{gap}")
    for places in (0, 3, 8):
        assert nearest(large, places).text == positional(10**places, places)
        assert nearest(small, places).text == positional(0, places)
    assert not nearest(large, 3).exact
    assert not nearest(large, 3).integer
    assert nearest(small, 3).vanishes
    assert (floor(large, 3), floor(small, 3)) == (999, 0)
    assert adding_to_one([large, small], 3) == [1000, 0]
    assert truncated(large, 5) == "0.99999"
    assert significant(large, 3).text == "1.00"
    assert time.perf_counter() - started < 2


def test_a_tie_with_a_vanishing_share_beside_it():
    """1/8 + e^-(10^9) * (something): above the tie or below it by its sign alone."""
    for value, text in ((1, "0.13"), (0, "0.12")):
        near = mixed([0, -(10**9)], ["1/8", value])
        assert nearest(near, 2, "half-even").text == text
        assert not nearest(near, 2).tie
        assert floor(near, 3) == (125 if value else 124)


def test_differences_of_400_digits():
    huge = exact("1e200") * exact("1e200")
    large, small = weights(huge, -huge)
    assert (nearest(large, 3).text, nearest(small, 3).text) == ("1.000", "0.000")
    quarters = weights(huge, huge, huge, huge - exact("1e-40"))
    assert [nearest(weight, 3).text for weight in quarters] == ["0.250"] * 4
    assert [nearest(weight, 1, "half-even").text for weight in quarters] == ["0.3", "0.3", "0.3", "0.2"]
    assert not any(nearest(weight, 1).tie or nearest(weight, 3).exact for weight in quarters)


def test_a_tiny_weight_to_its_significant_digits():
    """log10 e = 0.43429448190325182765112891891660508229439700580366656611445378..., to 60 digits by mpmath."""
    for power in (3, 6, 9, 12, 30):
        with mpmath.workdps(60 + power):
            size = -(mpmath.mpf(10) ** power) / mpmath.log(10)
            whole = int(mpmath.floor(size))
            lead = mpmath.power(10, size - whole)
            wanted = f"{reference_nearest(lead, 4)}e{whole}"
        assert significant(weights(0, -(10**power))[1], 5).text == wanted
    assert significant(mixed([0, -2000], [0, 1]), 8).text == "2.5765359e-869"


def test_a_number_too_long_to_be_written_is_refused_at_once():
    started = time.perf_counter()
    for text in ("exp(1e6)", "exp(1e30)", "-exp(1e200)", "exp(exp(20))"):
        with pytest.raises(SpecError, match="too many digits to be written out"):
            nearest(plain(text), 2)
        with pytest.raises(SpecError, match="too many digits to be written out"):
            floor(plain(text), 2)
    assert significant(plain("exp(1e6)"), 6).text == "3.03322e434294"
    assert nearest(plain("exp(1000)"), 2).text.startswith("197007111401704699388887935224332312531693798532384")
    assert time.perf_counter() - started < 2


# ---------------------------------------------------------------------------------------------- signs and integers


@pytest.mark.parametrize("value", ["-0.0004", "-1e-50", "-exp(-2000)", "sqrt(2)-1.4142135623730951", "-exp(-20)"])
@pytest.mark.parametrize("ties", ["half-up", "half-even"])
def test_no_minus_sign_before_zero(value, ties):
    for way in ways(value):
        found = nearest(way, 3, ties)
        assert (found.text, found.vanishes, found.exact) == ("0.000", True, False)
    assert truncated(plain(value), 3) == "0.000"


@pytest.mark.parametrize("value", [0, 1, -1, 17, -250, 10**30])
def test_exact_integers_are_integers_in_every_form(value):
    for way in ways(str(value)):
        for places in (0, 1, 5):
            found = nearest(way, places)
            assert (found.text, found.integer, found.exact, found.tie) == (str(value), True, True, False)
        assert significant(way, 2).text == str(value)
        assert floor(way, 4) == value * 10**4
        assert truncated(way, 2) == f"{value}.00"


@pytest.mark.parametrize("value", ["2+1e-41", "2-1e-41", "2+exp(-300)", "2-exp(-300)", "sqrt(4+1e-12)"])
def test_near_integers_are_no_integers(value):
    for way in ways(value):
        found = nearest(way, 3)
        assert (found.text, found.integer, found.exact) == ("2.000", False, False)


# ---------------------------------------------------------------------------------------------- significant digits

SIGNIFICANT = [  # value, digits, half-up, half-even
    ("9.995", 3, "10.0", "10.0"),
    ("9.985", 3, "9.99", "9.98"),
    ("99.5", 2, "100", "100"),
    ("0.9995", 3, "1.00", "1.00"),
    ("0.09995", 3, "0.100", "0.100"),
    ("999.5", 3, "1000", "1000"),
    ("0.125", 2, "0.13", "0.12"),
    ("-0.125", 2, "-0.13", "-0.12"),
    ("0.00001", 3, "0.0000100", "0.0000100"),
    ("0.000009999", 3, "0.0000100", "0.0000100"),
    ("0.000009994", 3, "9.99e-6", "9.99e-6"),
    ("1/1000", 1, "0.001", "0.001"),
    ("1/10", 4, "0.1000", "0.1000"),
    ("123456.5", 3, "123000", "123000"),
    ("123456.5", 6, "123457", "123456"),
    ("1e20+1/2", 3, "100000000000000000000", "100000000000000000000"),
    ("1e21+1/2", 3, "1.00e21", "1.00e21"),
    ("1e-30/3", 4, "3.333e-31", "3.333e-31"),
    ("1234", 2, "1234", "1234"),
    ("2/3", 1, "0.7", "0.7"),
]
assert SIGNIFICANT


@pytest.mark.parametrize(("value", "digits", "half_up", "half_even"), SIGNIFICANT)
def test_significant_digits(value, digits, half_up, half_even):
    for way in ways(value):
        assert (significant(way, digits).text, significant(way, digits, "half-even").text) == (half_up, half_even), way


@pytest.mark.parametrize("power", [-20, -6, -5, -1, 0, 1, 3, 20, 21, 40])
def test_powers_of_ten_are_borders_that_are_decided(power):
    """10^power itself, and a hair on each side of it, in forms whose balls hold the border."""
    border = f"1e{power}"
    for hair, units in (("0", 100), ("1e-60", 100), ("-1e-60", 1000)):
        value = f"{border}*(1+{hair})"
        for way in ways(value)[1:]:
            wanted = reference_significant(Fraction(10) ** power * (1 + Fraction(hair)), 3)
            assert significant(way, 3).text == wanted, (way, units)
            negative = Ratio(-way.fraction()[0], way.fraction()[1])
            assert significant(negative, 3).text == "-" + wanted


# ---------------------------------------------------------------------------------------------- floor and truncation


FLOORS = [  # value, places, floor, truncated
    ("1.9999", 3, 1999, "1.999"),
    ("-1.9999", 3, -2000, "-1.999"),
    ("-1.5", 3, -1500, "-1.500"),
    ("1.5", 0, 1, "1"),
    ("-1.5", 0, -2, "-1"),
    ("-0.25", 1, -3, "-0.2"),
    ("-0.0625", 4, -625, "-0.0625"),
    ("0", 2, 0, "0.00"),
    ("-3", 2, -300, "-3.00"),
    ("2/3", 5, 66666, "0.66666"),
    ("-2/3", 5, -66667, "-0.66666"),
    ("sqrt(2)", 6, 1414213, "1.414213"),
    ("-sqrt(2)", 6, -1414214, "-1.414213"),
    ("0.001", 2, 0, "0.00"),
    ("-0.001", 2, -1, "0.00"),
]
assert FLOORS


@pytest.mark.parametrize(("value", "places", "units", "text"), FLOORS)
def test_floor_and_truncation(value, places, units, text):
    for way in ways(value):
        assert (floor(way, places), truncated(way, places)) == (units, text), way
    if "sqrt" not in value:
        assert (floor(Fraction(value), places), truncated(Fraction(value), places)) == (units, text)


# ---------------------------------------------------------------------------------------------- adding to one


def largest_remainders(row: list[Fraction], places: int) -> list[int]:
    """The method by its definition, on Fractions."""
    scaled = [value * 10**places for value in row]
    units = [math.floor(value) for value in scaled]
    order = sorted(range(len(row)), key=lambda index: (units[index] - scaled[index], index))
    for index in order[: 10**places - sum(units)]:
        units[index] += 1
    return units


@steady(150)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=8).filter(any), st.integers(1, 5))
def test_rows_of_fractions_add_to_1_by_largest_remainders(parts, places):
    row = [Fraction(part, sum(parts)) for part in parts]
    units = adding_to_one(row, places)
    assert sum(units) == 10**places
    assert units == largest_remainders(row, places)


@steady(100)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.integers(1, 4))
def test_the_same_rows_through_logarithms(parts, places):
    """Weights of log(n) are n over the sum: no score is rational, and equal remainders are equal."""
    row = weights(*(f"log({part})" for part in parts))
    assert adding_to_one(row, places) == largest_remainders([Fraction(p, sum(parts)) for p in parts], places)


@steady(60)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=6), st.integers(1, 5))
def test_the_same_with_irrational_weights(logits, places):
    """Against mpmath at 200 digits, where equal logits are equal weights and no others are."""
    with mpmath.workdps(DIGITS):
        powers = [mpmath.exp(mpmath.mpf(logit) / 2) for logit in logits]
        row = [power / mpmath.fsum(powers) for power in powers]
        scaled = [value * 10**places for value in row]
        floors = [int(mpmath.floor(value + mpmath.mpf(10) ** -150)) for value in scaled]
        rests = [mpmath.nstr(value - units, 100) for value, units in zip(scaled, floors, strict=True)]
        order = sorted(range(len(row)), key=lambda index: (-mpmath.mpf(rests[index]), index))
    wanted = floors[:]
    for index in order[: 10**places - sum(floors)]:
        wanted[index] += 1
    assert adding_to_one(weights(*(f"{logit}/2" for logit in logits)), places) == wanted


EQUAL_REMAINDERS = [  # logits, places, units
    ([0, 0, 0], 2, [34, 33, 33]),
    ([1, 0, 1], 1, [4, 2, 4]),
    (["sqrt(2)"] * 7, 1, [2, 2, 2, 1, 1, 1, 1]),
    (["sqrt(8)", "2*sqrt(2)", "sqrt(2)+sqrt(2)"], 3, [334, 333, 333]),
    (["log(2)", "log(4)-log(2)", "log(2)"], 1, [4, 3, 3]),
    ([None, 0, None, 0, 0], 2, [0, 34, 0, 33, 33]),
    (["log(3)", "log(5)"], 2, [38, 62]),
]
assert EQUAL_REMAINDERS


@pytest.mark.parametrize(("logits", "places", "units"), EQUAL_REMAINDERS)
def test_equal_remainders_go_in_reading_order(logits, places, units):
    """log 3 and log 5: 37.5 and 62.5 units have one remainder, and the first takes the unit."""
    assert adding_to_one(weights(*logits), places) == units


def test_remainders_that_differ_by_a_hair():
    """The second and third thirds are larger by 1e-90: they come before the first."""
    row = weights(0, "1e-90", "1e-90")
    assert adding_to_one(row, 3) == [333, 334, 333]
    assert adding_to_one(weights("1e-90", 0, 0), 3) == [334, 333, 333]


# ---------------------------------------------------------------------------------------------- thousands of digits


def test_thousands_of_random_rationals():
    draw = random.Random(20170612)  # noqa: S311 - a fixed sequence is wanted
    for _ in range(3000):
        value = Fraction(draw.randint(-(10**6), 10**6), draw.randint(1, 10**4))
        places = draw.randint(0, 12)
        for ties in ("half-up", "half-even"):
            assert nearest(value, places, ties).text == reference_nearest(value, places, ties)
        if value:
            digits = draw.randint(1, 9)
            assert significant(value, digits).text == reference_significant(value, digits)


def test_a_thousand_quotients_of_exponential_sums():
    """Against mpmath at 200 digits: floor(10^d x + 1/2), with the distance to the tie looked at."""
    draw = random.Random(1706)  # noqa: S311
    for _ in range(1200):
        count = draw.randint(2, 5)
        powers = draw.sample(range(-40, 41), count)
        above, below = ([draw.randint(1, 20) for _ in range(count)] for _ in range(2))
        root, places = draw.choice([1, 2, 3, 5]), draw.randint(0, 30)
        value = mixed(
            [f"{power}*sqrt({root})/7+log({n})" for power, n in zip(powers, below, strict=True)],
            [Fraction(a, b) for a, b in zip(above, below, strict=True)],
        )
        with mpmath.workdps(DIGITS):
            terms = [mpmath.exp(mpmath.mpf(power) * mpmath.sqrt(root) / 7) for power in powers]
            wanted = mpmath.fdot(above, terms) / mpmath.fdot(below, terms)
            scaled = wanted * mpmath.mpf(10) ** places
            units, below_it = int(mpmath.floor(scaled + mpmath.mpf(1) / 2)), int(mpmath.floor(scaled))
            assert abs(scaled - units) < mpmath.mpf(1) / 2 - mpmath.mpf(10) ** -100
        found = nearest(value, places)
        assert (found.units, found.tie) == (units, False)
        assert floor(value, places) == below_it


# ---------------------------------------------------------------------------------------------- undecided


HIDDEN = [  # a value, places: e^(5001 log 2) = 2 e^(5000 log 2), but powers of 2 as long as these are not worked out
    ("exp(5001*log(2))", "exp(5000*log(2))", 0),
    ("exp(5001*log(2))", "8*exp(5000*log(2))", 1),
    ("exp(5001*log(2))", "8*exp(5000*log(2))", 2),
]
assert HIDDEN


@pytest.mark.parametrize(("above", "below", "places"), HIDDEN)
def test_an_equality_that_nothing_shows_or_refutes_is_undecided_and_not_guessed(above, below, places):
    started = time.perf_counter()
    for rounding in (nearest, floor):
        if rounding is nearest or places != 1:
            with pytest.raises(UndecidedError, match="undecided at 65536 bits"):
                rounding(Ratio(exact(above), exact(below)), places)
    assert time.perf_counter() - started < 5


def test_numbers_outside_the_theorem_are_rounded_where_balls_settle_it():
    with mpmath.workdps(60):
        for text, number in (("pi", mpmath.pi), ("exp(pi)", mpmath.exp(mpmath.pi)), ("log(2)*log(3)", None)):
            value = mpmath.log(2) * mpmath.log(3) if number is None else +number
            assert nearest(plain(text), 30).text == reference_nearest(value, 30)


def test_a_fmpq_is_not_mistaken_for_a_value():
    assert nearest(Plain(fmpq(1, 8)), 2) == nearest(Fraction(1, 8), 2)
