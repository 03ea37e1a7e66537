"""General statements at small sizes, worked another way: by SymPy in one piece, or exactly for every case there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
import sympy

from symattn.check.laws.instances import Scope, evaluated
from symattn.derive.algebra import Words, derivative, limit
from symattn.derive.numbers_in import at
from symattn.derive.topics import online_softmax, positions, softmax_jacobian, temperature
from symattn.exact.numbers import from_fraction
from symattn.exact.values import Plain, Value
from symattn.statements.meaning import definitions
from symattn.statements.proof import Law
from symattn.statements.terms import Derivative, Limit, Num, Term, exp, term


def exactly(tree: Term, **numbers: object) -> Value:
    return evaluated(tree, Scope(dict(at(**numbers).values)))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_slope_of_softmax_is_that_of_sympy(size):
    scores = sympy.symbols(f"z1:{size + 1}", real=True)
    weights = [sympy.exp(z) / sum(map(sympy.exp, scores)) for z in scores]
    for i in range(size):
        for j in range(size):
            ours = weights[i] * (int(i == j) - weights[j])
            assert sympy.cancel(sympy.diff(weights[i], scores[j]) - ours) == 0
    right = next(line for line in softmax_jacobian.LINES if line.name == "jacobian").right
    assert right == softmax_jacobian.P["i"] * (softmax_jacobian.Delta("i", "j") - softmax_jacobian.P["j"])


@pytest.mark.parametrize(("leaders", "others"), [(1, 1), (2, 3), (3, 1)])
def test_limits_of_temperature_are_those_of_sympy(leaders, others):
    heat = sympy.Symbol("T", positive=True)
    gaps = [sympy.Rational(2 * place + 1, 2) for place in range(others)]
    share = 1 / (leaders + sum(sympy.exp(-gap / heat) for gap in gaps))
    assert sympy.limit(share, heat, 0, "+") == sympy.Rational(1, leaders)
    assert sympy.limit(share, heat, sympy.oo) == sympy.Rational(1, leaders + others)
    lines = {line.left: line.right for line in temperature.LINES if isinstance(line.left, Limit) and line.result}
    cold = lines[Limit(temperature.TOP, temperature.T, "0")]
    hot = lines[Limit(temperature.TOP, temperature.T, "oo")]
    assert exactly(cold, m=leaders, r=others).equals(Plain(fraction(1, leaders)))
    assert exactly(hot, m=leaders, r=others).equals(Plain(fraction(1, leaders + others)))


def fraction(above: int, below: int) -> object:
    return from_fraction(Fraction(above, below))


def test_every_cut_of_five_keys_gives_the_whole():
    """All sixteen ways to cut five keys into blocks, joined one after the other; equality is decided exactly."""
    scores, values = (1, 0, 3, 2, 4), (10, 0, 4, 6, 8)
    whole = exactly(online_softmax.SOFTMAX, n=5, s=scores, v=values, e=(5,), b=1)
    known = definitions(online_softmax.LINES)
    quotient = online_softmax.O["b"] / online_softmax.L["b"]
    for cuts in range(16):
        ends = [0, *(place for place in range(1, 5) if cuts >> (place - 1) & 1), 5]
        top, total, mix = None, Num(Fraction(0)), Num(Fraction(0))
        for start, stop in pairwise(ends):
            block = scores[start:stop]
            new = max(block) if top is None else max(top, *block)
            kept = Num(Fraction(0)) if top is None else exp(term(top - new))
            total = kept * total + sum((exp(term(s - new)) for s in block), start=Num(Fraction(0)))
            mix = kept * mix + sum(
                (exp(term(s - new)) * v for s, v in zip(block, values[start:stop], strict=True)),
                start=Num(Fraction(0)),
            )
            top = new
        assert exactly(mix / total).equals(whole), ends
        joined = at(**online_softmax.read(*ends[1:]), b=len(ends) - 1)
        assert evaluated(quotient, Scope(dict(joined.values), known=known)).equals(whole), ends


def test_the_trigonometry_of_positions_is_that_of_sympy():
    """Both sides of each result for one speed, expanded by SymPy's own addition theorems."""
    lines = {line.name: line for line in positions.LINES}
    words = Words(*(side for line in positions.LINES for side in (line.left, line.right)))
    rotated = {
        words.expression(lines[name].left): words.expression(lines[name].right)
        for name in ("turned_q", "turned_p", "turned_k", "turned_l")
    }
    one_speed = {words.expression(positions.OTHER["f"]): words.expression(positions.W["f"])}
    for left, right in (
        (lines["sinusoidal"].right.body, lines["distance"].right.body),
        (lines["score"].right.body, lines["rotary"].right.body),
    ):
        difference = words.expression(left).subs(rotated).subs(one_speed) - words.expression(right)
        assert sympy.expand(sympy.expand_trig(sympy.expand(difference))) == 0


def test_derivatives_and_limits_come_from_sympy():
    """What a line says of a derivative is what SymPy made of it: nothing was written by hand."""
    line = next(line for line in softmax_jacobian.LINES if line.name == "quotient")
    assert line.right == derivative(Derivative(softmax_jacobian.SOFTMAX, softmax_jacobian.Z["j"]))
    for line in temperature.LINES:
        if line.law is Law.LIMIT:
            assert line.right == limit(line.left)
    assert {line.law for line in temperature.LINES if isinstance(line.left, Limit)} == {
        Law.LIMIT,
        Law.LIMIT_PARTS,
        Law.COUNTING,
    }
