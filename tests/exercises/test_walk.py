"""The walk with exact numbers against the exact numbers themselves, rightly worked and with every mistake.

``mistakes.spoiled`` is another implementation of the same: it works with exact values, the walk with intervals.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from flint import arb, fmpq

from symattn.exact.balls import precision
from symattn.exact.values import MASKED, UNDEFINED
from symattn.exercises import walk
from symattn.exercises.draw import of_problem
from symattn.exercises.fixed import (
    UNIT,
    Interval,
    TooFarError,
    ends,
    exp,
    hull,
    inverse,
    of_fraction,
    point,
    product,
    total,
)
from symattn.exercises.slips import KEYS, NONE, Slip, slips
from symattn.exercises.walk import Pencil
from symattn.exercises.work import exact_value
from symattn.mistakes.catalogue import CATALOGUE
from symattn.mistakes.spoiled import spoiled
from symattn.parse.problem import problem as read
from tests.exercises.students import Student

X = [[1, -1, 2], [0, 1, 1], [2, 0, -1], [1, "1/2", 0]]
SQUARE = [[1, 0, -1], [0, 1, 1], [1, 1, 0]]
TABLES = {
    "X": X,
    "W_Q": SQUARE,
    "W_K": [[0, 1, 0], [1, 0, 1], ["1/3", 0, 1]],
    "W_V": [[1, 2, 0], [0, 1, -1], [2, 0, 1]],
}
WIDE = {
    "X": [[1, 0], [0, 1], [1, -1], [2, 1]],
    "W_Q": [[1, 0, 1, -1], [0, 1, 1, 2]],
    "W_K": [[0, 1, -1, 1], [1, 0, 1, 0]],
    "W_V": [[1, 0, 2, -1], [0, 1, 0, 1]],
    "W_O": [[1, 0, 2], [0, 1, 0], [1, 1, 0], [0, 2, -1]],
    "b_O": ["1/2", 0, 1],
}
DIRECT = {"Q": [[1, 0], ["1/2", 1]], "K": [[1, 1], [0, "log(2)"], [-1, 1]], "V": [[1, 0, 3], [2, 1, "1/3"], [0, -1, 1]]}
MASK = [[True, True, False, True], [True, False, True, True], [False, True, True, True], [True, True, True, False]]
CASES: dict[str, dict[str, Any]] = {
    "plain": TABLES,
    "causal": TABLES | {"attention": {"causal": True}},
    "mask": TABLES | {"attention": {"mask": MASK}},
    "window": TABLES | {"attention": {"window": [1, 0]}},
    "scale": DIRECT | {"attention": {"scale": "1/3"}},
    "logarithms": DIRECT | {"attention": {"scale": 1}},
    "bottom right": DIRECT | {"attention": {"causal": "bottom-right"}},
    "bias": DIRECT | {"attention": {"bias": [[0, 1, "-1/2"], [1, "-oo", 0]]}},
    "alibi": TABLES | {"attention": {"alibi": True, "causal": True}},
    "cap": TABLES | {"attention": {"softcap": 2, "causal": True, "temperature": "1/2"}},
    "sink": TABLES | {"attention": {"sink": [0], "key_lengths": 3}},
    "rope": WIDE
    | {"attention": {"num_heads": 1, "rope": {"base": 100}}, "W_O": [[1, 0], [0, 1], [1, 1], [0, 2]], "b_O": [0, 1]},
    "heads": WIDE | {"attention": {"num_heads": 2, "causal": True}},
    "zero rows": TABLES | {"attention": {"mask": [[False] * 4, *MASK[1:]], "on_masked_row": "zero"}},
    "uniform rows": TABLES | {"attention": {"mask": [[False] * 4, *MASK[1:]], "on_masked_row": "uniform"}},
    "cache": {
        "Q": [[1, 0], [0, 1]],
        "K": [[1, 1], [0, 1]],
        "V": [[1, 0, 2], [2, 1, 0]],
        "past_key": [[-1, 1]],
        "past_value": [[3, 3, -1]],
        "attention": {"causal": True},
    },
    "grouped": {
        "Q": [[1, 0, 2, -1, 1, 1, 0, 1], [0, 1, 1, 1, -1, 0, 2, 0]],
        "K": [[1, 0, 0, 1], [0, 1, 1, -1]],
        "V": [[1, 2, 0, 1], [0, 1, 3, 1]],
        "attention": {"num_heads": 4, "num_kv_heads": 2},
    },
    "context": {
        "X": [[1, 0, 1], [0, 1, -1]],
        "context": [[1, 1, 0], [0, 2, 1], [1, 0, 0]],
        **{name: TABLES[name] for name in ("W_Q", "W_K", "W_V")},
        "b_Q": [1, 0, 0],
        "b_K": [0, "1/2", 0],
        "b_V": [0, 0, 1],
    },
}
NAMES = pytest.mark.parametrize("name", CASES)


def encloses(interval: Interval, value: Any) -> bool:
    """Whether the interval holds the number, and is narrow."""
    with precision(200):
        inside = (value.ball() - arb(fmpq(sum(interval), 2 * UNIT))).abs_upper() <= arb(
            fmpq(interval[1] - interval[0] + 2, UNIT)
        )
    return bool(inside) and interval[1] - interval[0] < UNIT // 10**20


def seen(problem: Any, slip: Slip) -> int:
    found = of_problem(problem)
    course = walk.course(problem, slip.deviation, Pencil(None))
    heads = walk.starts(found, problem.attention, slip.deviation)
    mixing = (found.arrays.get("W_O"), found.arrays.get("b_O"))
    result = spoiled(problem, slip.deviation)
    count = 0
    for array in ("query", "key", "value", "scores", "scaled", "weights", "output", "final"):
        if array in ("query", "key") and problem.attention.rope is not None:
            continue  # the exact head keeps them as they were before they are turned
        for head in range(len(heads) if array != "final" else 1):
            rows = range(len(heads[head].key if array in ("key", "value") else heads[head].query))
            for row, line in zip(rows, walk.lines(course, heads, array, head, rows, mixing), strict=True):
                if line is None:
                    assert exact_value(result, array, head, row, 0) is UNDEFINED
                    continue
                for column, interval in enumerate(line):
                    value = exact_value(result, array, head, row, column)
                    assert value is not MASKED
                    assert encloses(interval, value), (slip.key, slip.deviation.changed, array, head, row, column)
                    count += 1
    return count


@NAMES
def test_the_exact_walk_encloses_the_exact_numbers(name):
    problem = read(CASES[name])
    assert seen(problem, NONE) > 10


@NAMES
def test_every_mistake_is_walked_as_the_catalogue_makes_it(name):
    problem = read(CASES[name])
    found = slips(problem)
    assert found
    for slip in found:
        assert seen(problem, slip) > 10


def test_every_mistake_of_students_is_walked_somewhere():
    walked = {slip.key for case in CASES.values() for slip in slips(read(case))}
    assert walked == set(KEYS)
    assert set(KEYS) < set(CATALOGUE)


@NAMES
def test_a_pencil_holds_the_exact_numbers_too(name):
    """Keeping more decimals than asked for is honest: a loose walk holds a tight one, and that the exact one."""
    problem = read(CASES[name])
    found = of_problem(problem)
    heads = walk.starts(found, problem.attention)
    mixing = (found.arrays.get("W_O"), found.arrays.get("b_O"))
    rows = range(problem.n_q)
    tables = [
        list(walk.lines(walk.course(problem, pencil=Pencil(keep)), heads, "final", 0, rows, mixing))
        for keep in (3, 6, None)
    ]
    for loose, tight, exact in zip(*tables, strict=True):
        for wide, narrow, point_of in zip(loose, tight, exact, strict=True):
            assert wide[0] <= narrow[0] <= point_of[0] <= point_of[1] <= narrow[1] <= wide[1]


def test_intervals_enclose():
    third = point(fmpq(1, 3))
    assert third[1] - third[0] == 1
    assert point(2) == (2 * UNIT, 2 * UNIT)
    assert product(third, point(3))[0] <= UNIT <= product(third, point(3))[1]
    assert product((-UNIT, UNIT), (-2 * UNIT, UNIT)) == (-2 * UNIT, 2 * UNIT)
    assert inverse(point(4)) == (UNIT // 4, UNIT // 4)
    assert total([(1, 2), (-3, 5)]) == (-2, 7)
    assert hull((1, 2), (0, 1)) == (0, 2)
    assert exp((0, 0)) == (UNIT, UNIT)
    with precision(200):
        low, high = exp(point(1))
        assert arb(fmpq(low, UNIT)) <= arb(1).exp() <= arb(fmpq(high, UNIT))
        assert ends(arb(fmpq(1, 3)))[0] <= UNIT // 3


COARSE = {name: CASES[name] for name in ("plain", "causal", "mask", "scale", "heads")}
COARSE["bias"] = DIRECT | {"attention": {"bias": [[0, 1, "-1/3"], [1, 0, 2]]}}


@pytest.mark.parametrize("name", COARSE)
@pytest.mark.parametrize("keep", [1, 2])
def test_a_coarse_pencil_holds_what_students_write(name, keep):
    """With few decimals every rounding on the way counts: each array of each student lies within the walk."""
    case = COARSE[name]
    problem = read(case)
    found = of_problem(problem)
    heads = walk.starts(found, problem.attention)
    course = walk.course(problem, pencil=Pencil(keep))
    mixing = (found.arrays.get("W_O"), found.arrays.get("b_O"))
    tables = {}
    for array in ("scores", "scaled", "exponentials", "weights", "output"):
        for head in range(len(heads)):
            try:
                tables[array, head] = list(walk.lines(course, heads, array, head, range(problem.n_q), mixing))
            except TooFarError:  # so coarse that a row of exponentials may be all 0
                assert array in ("weights", "output")
    looked = 0
    for turn in range(40):
        try:
            worked = Student(keep, Random(f"{name} {turn}")).works(case)
        except ZeroDivisionError:
            continue
        for (array, head), lines in tables.items():
            for row, line in zip(worked["heads"][head][array], lines, strict=True):
                for value, interval in zip(row, line or (), strict=True):
                    assert interval[0] <= value * UNIT <= interval[1], (array, head, float(value))
                    looked += 1
    assert looked > 500


def test_a_written_sum_may_be_half_a_unit_off():
    """Exponentials kept in full, their sum written to one decimal, the quotient too: the ends are reached."""
    pencil, half = Pencil(1), Fraction(1, 20)
    powers = [Fraction(1, 3), Fraction(5, 7), Fraction(3, 11)]
    found = walk.shares([of_fraction(power) for power in powers], None, pencil, "error") or []
    for power, (low, high) in zip(powers, found, strict=True):
        assert low <= (power / (sum(powers) + half) - half) * UNIT
        assert high >= (power / (sum(powers) - half) + half) * UNIT
        assert high - low < UNIT // 4
    exact = walk.shares([of_fraction(Fraction(1, 2)), of_fraction(Fraction(1, 2))], None, pencil, "error")
    assert exact == [(UNIT // 2, UNIT // 2)] * 2


def test_each_written_product_may_be_half_a_unit_off():
    """Weights kept in full, each product with a value written to one decimal, and the sum: the ends are reached."""
    pencil, half = Pencil(1), Fraction(1, 20)
    weights, values = [Fraction(1, 3), Fraction(5, 7), Fraction(3, 11)], [[2], [-5], [3]]
    exact = sum(weight * value for weight, (value,) in zip(weights, values, strict=True))
    ((low, high),) = walk.mixed([of_fraction(weight) for weight in weights], values, pencil)
    assert low <= (exact - 4 * half) * UNIT
    assert high >= (exact + 4 * half) * UNIT
    assert high - low < UNIT
