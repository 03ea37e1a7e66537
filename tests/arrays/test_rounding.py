"""Rounding to binary floats: against NumPy, at every boundary, and ball by ball."""

from __future__ import annotations

import random
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpz

from symattn.errors import UndecidedError
from symattn.exact import balls
from symattn.rounding.ieee import FORMATS, Format, nearest, number, of_ball, of_floors, settled

CHANCE = random.Random(11)  # noqa: S311 - test data
SHORT = [FORMATS["float16"], FORMATS["bfloat16"]]


def bits(value: float, form: Format) -> int:
    """What NumPy makes of a float64. It rounds once: this is what we are held against."""
    with np.errstate(over="ignore"):
        return int(np.array([value], "float64").astype(form.name).view(f"uint{form.width}")[0])


def floats() -> list[float]:
    found = [CHANCE.uniform(-2, 2) * 2.0 ** CHANCE.randint(-160, 140) for _ in range(4000)]
    return found + [CHANCE.uniform(-2, 2) * 2.0 ** CHANCE.randint(-30, 18) for _ in range(4000)]


@pytest.mark.parametrize("form", [FORMATS["float32"], FORMATS["float16"]], ids=lambda form: form.name)
def test_rounds_as_numpy_does(form):
    assert [value for value in floats() if nearest(Fraction(value), form) != bits(value, form)] == []


@pytest.mark.parametrize("form", SHORT, ids=lambda form: form.name)
def test_every_number_is_itself_and_every_midpoint_goes_to_the_even_one(form):
    hair = Fraction(1, 2**200)
    for code in range(form.infinity):
        here, there = number(code, form), number(code + 1, form)
        middle, even = (here + there) / 2, code + code % 2
        assert nearest(here, form) == code
        assert nearest(-here, form) == (code | form.sign if code else 0)
        assert (nearest(middle - hair, form), nearest(middle, form)) == (code, even)
        assert nearest(middle + hair, form) == code + 1


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_formats_are_those_of_numpy(form):
    limits = ml_dtypes.finfo(form.name)
    assert number(form.infinity - 1, form) == Fraction(float(limits.max))
    assert number(1, form) == Fraction(float(limits.smallest_subnormal))
    assert nearest(Fraction(2) ** (form.top + 1), form) == form.infinity
    assert np.isnan(np.array([form.nan], f"uint{form.width}").view(form.name)[0])


def some_balls() -> list[tuple[Fraction, Fraction]]:
    """Middles and radii; many end on a boundary, or hold 0."""
    found = []
    for _ in range(6000):
        form = CHANCE.choice(list(FORMATS.values()))
        code = CHANCE.choice([0, 1, 2, 1 << (form.digits - 1), CHANCE.randrange(form.infinity), form.infinity - 1])
        middle = number(code, form) + CHANCE.choice([0, 1]) * (number(code + 1, form) - number(code, form)) / 2
        step = (number(code + 1, form) - number(code, form)) * Fraction(1, 2 ** CHANCE.randint(1, 40))
        radius = CHANCE.choice([Fraction(0), step, step / 2, step * 2])
        found.append((CHANCE.choice([1, -1]) * (middle + CHANCE.choice([0, 1, -1, 2]) * step), radius))
    return found


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_a_ball_is_settled_only_where_all_of_it_rounds_alike(form):
    """And wherever its ends are not 0 and round alike, it is."""
    settled_ones = 0
    ctx.prec, before = 3000, ctx.prec
    for middle, radius in some_balls():
        ball = arb(fmpq(middle.numerator, middle.denominator), fmpq(radius.numerator, radius.denominator))
        mid, rad = (Fraction(int(part.p), int(part.q)) for part in (ball.mid().fmpq(), ball.rad().fmpq()))
        low, high = nearest(mid - rad, form), nearest(mid + rad, form)
        found = of_ball(ball, form)
        settled_ones += found is not None
        if found is None:
            assert low != high or 0 in (mid - rad, mid + rad)
        else:
            assert found == low == high
    ctx.prec = before
    assert settled_ones > 1000


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_a_floor_is_settled_only_where_all_from_it_to_the_next_rounds_alike(form):
    """Random floors, and those on a boundary or beside it."""
    known, hair = 0, Fraction(1, 2**2000)
    for _ in range(3000):
        exponent = CHANCE.randint(form.least - 30, form.top - form.digits)
        whole = CHANCE.getrandbits(CHANCE.choice([3, form.digits + 1, form.digits + 24]))
        kept = CHANCE.choice([0, 1, 2, 10, 24])
        whole = ((whole >> kept) << kept) + (1 << kept >> 1) + CHANCE.choice([0, 0, 1, -1])
        whole *= CHANCE.choice([1, -1])
        (found,) = of_floors([fmpz(whole)], exponent, form)
        unit = Fraction(2) ** exponent
        if found is not None:
            known += 1
            assert found == nearest(whole * unit, form) == nearest((whole + 1) * unit - hair, form)
    assert known > 500
    assert of_floors([None], 0, form) == [None]


def test_what_is_not_finite_is_not_settled():
    for text in ("nan", "inf", "-inf"):
        assert of_ball(arb(text), FORMATS["float32"]) is None


def test_exponents_without_bounds():
    with balls.precision(300):
        tiny = (-(arb(2) ** 130)).exp()
    for form in FORMATS.values():
        assert (of_ball(tiny, form), of_ball(-tiny, form)) == (0, form.sign)
        assert of_ball(-1 / tiny, form) == form.infinity | form.sign


class Stuck:
    """A number that no theorem decides, and that every ball leaves on a boundary."""

    decided = False

    def ball(self, bits: int) -> arb:
        return arb(fmpq(2049), fmpq(1, 2**bits))

    def side_of(self, number: fmpq) -> int:
        raise UndecidedError(f"{number}?")


class Apart(Stuck):
    """It differs from a boundary by 2^-1000; a ball is never narrower than it is asked to be."""

    decided = True

    def __init__(self, gap: Fraction) -> None:
        self.value = 2049 + gap

    def ball(self, bits: int) -> arb:
        return arb(fmpq(self.value.numerator, self.value.denominator), fmpq(1, 2**bits))

    def side_of(self, number: fmpq) -> int:
        difference = self.value - Fraction(int(number.p), int(number.q))
        return (difference > 0) - (difference < 0)


def test_a_boundary_is_never_guessed():
    form = FORMATS["float16"]
    with pytest.raises(UndecidedError):
        settled(Stuck(), form)
    gap = Fraction(1, 2**1000)
    assert [settled(Apart(way * gap), form) for way in (-1, 0, 1)] == [0x6800, 0x6800, 0x6801]
