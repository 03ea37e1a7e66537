"""A counterexample counts only where one assumption fails alone, and with it the line."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from symattn.check.laws.founded import unfounded
from symattn.check.laws.lines import unproved
from symattn.derive.numbers_in import at, counterexample, equally_likely
from symattn.statements.proof import Assumption, Law, Line, Proof
from symattn.statements.terms import ONE, ZERO, Array, Image, Letter, Limit, Num, Sum, exp, mean, sqrt

N = Letter("n", "n", "natural")
A, B, X = Letter("a", "a"), Letter("b", "b"), Letter("x", "x", "positive")
V, W = Array("v", "v", ("n",)), Array("w", "w", ("n",))
Q, K = Array("q", "q", ("n",), "random"), Array("k", "k", ("n",), "random")


def named(line: Line, setting, *assumptions: Assumption, without: str = "it") -> list[str]:
    """What is unfounded in a derivation of one line."""
    proof = Proof("test", assumptions, (line,))
    assert unproved(proof) == []
    return unfounded(replace(proof, counterexamples=(counterexample(without, (line,), line.name, setting),)))


IT = Assumption("it", ((A, B),))
EQUAL = Line("line", A**2, B**2, Law.ALGEBRA, ("it",))


def test_an_assumption_without_a_counterexample_is_named():
    assert unfounded(Proof("test", (IT,), (EQUAL,))) == ["without it"]


def test_the_assumption_has_to_fail_and_the_line_with_it():
    assert named(EQUAL, at(a=1, b=2), IT) == []
    assert named(EQUAL, at(a=2, b=2), IT) == ["without it"], "the assumption holds"
    assert named(EQUAL, at(a=-2, b=2), IT) == ["without it"], "the line holds all the same"


def test_every_other_assumption_has_to_hold():
    other = Assumption("other", ((B, ONE),))
    line = replace(EQUAL, right=ONE, uses=("it", "other"))
    right = counterexample("other", (line,), "line", at(a=2, b=2))
    proof = Proof("test", (IT, other), (line,))
    for setting, wrong in ((at(a=2, b=1), []), (at(a=2, b=3), ["without it"])):
        mine = counterexample("it", (line,), "line", setting)
        assert unfounded(replace(proof, counterexamples=(mine, right))) == wrong


def test_the_line_has_to_rest_on_the_assumption():
    free = Line("free", A + B, A, Law.DEFINITION)
    proof = Proof("test", (IT,), (EQUAL, Line("then", A**4, B**4, Law.ALGEBRA, ("line",)), free))
    assert [one.name for one in proof.rests_on(proof.line("then"))] == ["it"]
    assert proof.rests_on(free) == ()
    for name, wrong in (("then", []), ("free", ["without it"])):
        example = counterexample("it", proof.lines, name, at(a=1, b=2))
        assert unfounded(replace(proof, counterexamples=(example,))) == wrong


def test_a_counterexample_shows_both_sides_of_its_line_at_its_numbers():
    good = counterexample("it", (EQUAL,), "line", at(a=1, b=2))
    proof = Proof("test", (IT,), (EQUAL,))
    assert unfounded(replace(proof, counterexamples=(good,))) == []
    elsewhere = counterexample("it", (EQUAL,), "line", at(a=1, b=3))
    for wrong in (
        replace(good, found=good.claimed),
        replace(good, claimed=elsewhere.claimed),
        replace(good, found=replace(good.found, value=elsewhere.claimed.value)),
        replace(good, without="that"),
    ):
        assert "without it" in unfounded(replace(proof, counterexamples=(wrong,)))


SMALL = Line("line", A, ZERO, Law.SIGN, ("it",), ">=")
POSITIVE = Line("line", sqrt(X**2), X, Law.ALGEBRA, ("it",))
SUM = Line("line", Sum("i", N, V["i"]), N * B, Law.COUNTING, ("it",))
TAIL = Line("line", Sum("i", N, V["i"], Num(Fraction(2))), (N - 1) * B, Law.COUNTING, ("it",))
MOVED = Line("line", Sum("i", N, V[Image("pi", "i")]), Sum("i", N, V["i"]), Law.REORDERING, ("it",))
MEAN = Line("line", mean(Q["i"] * K["i"]), mean(Q["i"]) * mean(K["i"]), Law.INDEPENDENCE, ("it",))
SAME = [{"q": (sign,), "k": (sign,)} for sign in (-1, 1)]
APART = [{"q": (one,), "k": (other,)} for one in (-1, 1) for other in (-1, 1)]
KINDS = {
    "at least zero": (SMALL, Assumption("it", at_least_zero=(A,)), at(a=-1), at(a=1)),
    "positive": (POSITIVE, Assumption("it", positive=("x",)), at(x=-2), at(x=2)),
    "of every place": (SUM, Assumption("it", ((V["i"], B),)), at(n=3, v=(1, 1, 2), b=1), at(n=3, v=(1, 1, 1), b=1)),
    "within a range": (
        TAIL,
        Assumption("it", ((V["i"], B),), within=("i", Num(Fraction(2)), N)),
        at(n=3, v=(7, 1, 2), b=1),
        at(n=3, v=(7, 1, 1), b=1),
    ),
    "rearranges": (
        MOVED,
        Assumption("it", rearranges=("pi",)),
        at(n=2, v=(1, 2), pi=(2, 2)),
        at(n=2, v=(1, 2), pi=(2, 1)),
    ),
    "independent": (
        MEAN,
        Assumption("it", independent=("q", "k")),
        at(equally_likely(SAME), n=1, i=1),
        at(equally_likely(APART), n=1, i=1),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_assumption_is_looked_at(name):
    line, assumption, fails, holds = KINDS[name]
    assert named(line, fails, assumption) == []
    assert named(line, holds, assumption) == ["without it"]


def test_a_counterexample_may_be_a_limit():
    gaps = Letter("g", "g", "positive")
    line = Line("line", Limit(1 / (1 + exp(-(gaps / X))), X, "0"), ONE, Law.LIMIT, ("it",))
    above = Assumption("it", positive=("g",))
    assert named(line, at(g=0), above) == []
    assert named(line, at(g=1), above) == ["without it"]
