"""The log-sum-exp of a row as a number among others."""

from __future__ import annotations

import mpmath
import pytest
from flint import fmpq

from symattn.errors import SymattnError
from symattn.exact import numbers
from symattn.exact.balls import precision
from symattn.exact.values import MASKED, LogSum, Plain, Ratio, Weight, softmax

ROWS = {
    "one key": [fmpq(3)],
    "equal keys": [fmpq(1, 2), fmpq(1, 2)],
    "three keys": [fmpq(1), fmpq(0), fmpq(-5, 2)],
    "roots": [numbers.root(2), fmpq(1), None],
    "far apart": [fmpq(2000), fmpq(-2000)],
}


@pytest.mark.parametrize("name", ROWS)
def test_it_is_a_fraction_like_any_other_value(name):
    """Its numerator over its denominator, its ball and mpmath's logarithm of the sum are one number."""
    value = LogSum(softmax(ROWS[name]))
    above, below = value.fraction()
    with precision(256), mpmath.workdps(40):
        entries = [mpmath.mpf(numbers.ball(one).str(60, radius=False)) for one in ROWS[name] if one is not None]
        true = mpmath.log(mpmath.fsum(map(mpmath.exp, entries)))
        for found in (numbers.ball(above) / numbers.ball(below), value.ball()):
            assert abs(mpmath.mpf(found.str(60, radius=False)) - true) < mpmath.mpf("1e-30") * abs(true)


def test_it_is_added_and_multiplied():
    value = LogSum(softmax([fmpq(0), fmpq(0), fmpq(0)]))
    twice = value + Plain(numbers.logarithm(fmpq(3)))
    assert twice.equals(value * Plain(fmpq(2)))
    assert not twice.equals(value)


def test_equality_is_decided_from_either_side():
    alone, pair = LogSum(softmax([fmpq(3)])), LogSum(softmax([fmpq(0), fmpq(1)]))
    for other in (3, Plain(fmpq(3)), Ratio(fmpq(6), fmpq(2))):
        assert alone.equals(other)
        assert not pair.equals(other)
        if not isinstance(other, int):
            assert other.equals(alone)
            assert not other.equals(pair)
    weight = Weight(softmax([fmpq(0), fmpq(1)]), 0)
    assert not weight.equals(pair)
    assert not pair.equals(weight)
    assert not pair.equals(MASKED)
    assert not MASKED.equals(pair)
    assert pair.equals(LogSum(softmax([fmpq(1), fmpq(0)])))


def test_symbols_stay():
    value = LogSum(softmax([numbers.symbol("a"), fmpq(0)]))
    assert value.symbols() == {"a"}
    assert value.fraction()[1] == 1
    assert value.equals(LogSum(softmax([fmpq(0), numbers.symbol("a")])))
    with pytest.raises(SymattnError):
        numbers.logarithm(numbers.exp(numbers.symbol("a")) - 1)
