"""What each law of general statements grants, and what it does not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symattn.check.laws.lines import unproved
from symattn.statements.proof import Assumption, Law, Line, Proof
from symattn.statements.terms import (
    ONE,
    ZERO,
    Array,
    Delta,
    Derivative,
    Image,
    Infinity,
    Letter,
    Limit,
    Num,
    Rank,
    Sum,
    cos,
    cumulant,
    exp,
    log,
    mean,
    sin,
    sqrt,
    variance,
)

N, M = Letter("n", "n", "natural"), Letter("m", "m", "natural")
A, B, X = Letter("a", "a"), Letter("b", "b"), Letter("x", "x", "positive")
Q, K = Array("q", "q", ("n",), "random"), Array("k", "k", ("n",), "random")
V, W, T = Array("v", "v", ("n",)), Array("w", "w", ("n",)), Array("T", "T", ("n", "m"))
GAPS = Array("g", "g", ("n",), "positive")
PRODUCT = Q["i"] * K["i"]
INDEPENDENT = Assumption("independent", independent=("q", "k"))
RANGES = (("i", "n"), ("j", "n"))


def holds(line: Line, *assumptions: Assumption, lines: tuple[Line, ...] = (), gradients: tuple = ()) -> bool:
    proof = Proof("test", assumptions, (*lines, line), RANGES, gradients)
    return unproved(proof) == []


def line(left, right, law: Law = Law.ALGEBRA, uses: tuple[str, ...] = (), relation: str = "=") -> Line:
    return Line("line", left, right, law, uses, relation)


TRUE = {
    "rings": line((A + B) ** 2, A**2 + 2 * A * B + B**2),
    "fractions": line(1 / A + 1 / B, (A + B) / (A * B)),
    "roots": line(sqrt(X) * sqrt(X) * sqrt(8), 2 * sqrt(2) * X),
    "roots below": line(ONE / sqrt(2), sqrt(2) / 2),
    "exponentials": line(exp(A + B) / exp(B), exp(A)),
    "a sum's name": line(Sum("i", N, V["i"] * A), A * Sum("k", N, V["k"])),
    "sums in another order": line(
        Sum("i", N, Sum("j", M, T["i", "j"] * V["i"])), Sum("j", M, Sum("i", N, V["i"] * T["i", "j"]))
    ),
    "squares of sums": line(Sum("i", N, V["i"]) ** 2, Sum("i", N, Sum("j", N, V["i"] * V["j"]))),
    "counting": line(Sum("i", N, A), N * A, Law.COUNTING),
    "counting from 2": line(Sum("i", N, A, Num(Fraction(2))), (N - 1) * A, Law.COUNTING),
    "sifting": line(Sum("i", N, V["i"] * Delta("i", "j")), V["j"], Law.SIFTING),
    "sifting within": line(Sum("i", N, Sum("k", N, Delta("i", "k") * V["i"])), Sum("i", N, V["i"]), Law.SIFTING),
    "the same by either name": line(Delta("i", "j") * V["i"], Delta("i", "j") * V["j"], Law.SIFTING),
    "linearity": line(mean(Sum("i", N, A * PRODUCT)), A * Sum("i", N, mean(PRODUCT)), Law.LINEARITY),
    "variance": line(variance(Q["i"]), mean(Q["i"] ** 2) - mean(Q["i"]) ** 2, Law.VARIANCE),
    "scaling": line(variance(Q["i"] / sqrt(N)), variance(Q["i"]) / N, Law.VARIANCE_SCALES),
    "derivative": line(Derivative(exp(A * B) / A, B), exp(A * B), Law.DERIVATIVE),
    "derivative of a sum": line(
        Derivative(Sum("j", N, V["j"] ** 2), V["i"]), Sum("k", N, 2 * V["k"] * Delta("i", "k")), Law.DERIVATIVE
    ),
    "derivative by a bound name": line(
        Derivative(Sum("j", N, V["j"]), V["j"]), Sum("k", N, Delta("j", "k")), Law.DERIVATIVE
    ),
    "limit": line(Limit((X + 1) / (2 * X + 5), X, "oo"), Num(Fraction(1, 2)), Law.LIMIT),
    "exponentials win": line(Limit(X**5 * exp(-X), X, "oo"), ZERO, Law.LIMIT),
    "limit at 0": line(Limit(exp(-(1 / X)) + 3, X, "0"), Num(Fraction(3)), Law.LIMIT),
    "a sum that decays": line(Limit(Sum("l", N, exp(-(GAPS["l"] * X))) + N, X, "oo"), N, Law.LIMIT),
    "infinite limit": line(Limit(N * X, X, "oo"), Infinity(), Law.LIMIT),
    "logarithms": line(log(X / exp(A)), log(X) - A, Law.LOGARITHM),
    "angles": line(cos(A + B), cos(A) * cos(B) - sin(A) * sin(B), Law.ADDITION),
    "a turn keeps lengths": line((A * cos(B) - sin(B)) ** 2 + (A * sin(B) + cos(B)) ** 2, A**2 + 1, Law.ADDITION),
    "splitting": line(Sum("i", N, V["i"]), Sum("i", M, V["i"]) + Sum("i", N, V["i"], M + 1), Law.SPLITTING),
    "squares": line(A**2 + X, ZERO, Law.SIGN, (), ">="),
    "one term of many": line(Sum("i", N, exp(V["i"])) - exp(V["K"]), ZERO, Law.SIGN, (), ">="),
}
FALSE = {
    "roots of what may be negative": line(sqrt(A**2), A),
    "a sum is no product": line(Sum("i", N, V["i"] * W["i"]), Sum("i", N, V["i"]) * Sum("i", N, W["i"])),
    "counting is no algebra": line(Sum("i", N, A), N * A),
    "linearity is no algebra": line(mean(A * Q["i"]), A * mean(Q["i"])),
    "sifting out of range": line(Sum("i", M, V["i"] * Delta("i", "j")), V["j"], Law.SIFTING),
    "sifting an unknown index": line(Sum("i", N, V["i"] * Delta("i", "r")), V["r"], Law.SIFTING),
    "products are not linear": line(mean(PRODUCT), mean(Q["i"]) * mean(K["i"]), Law.LINEARITY),
    "independence that is not assumed": line(mean(PRODUCT), mean(Q["i"]) * mean(K["i"]), Law.INDEPENDENCE),
    "a random denominator": line(mean(1 / Q["i"]), 1 / mean(Q["i"]), Law.LINEARITY),
    "variance scales by the square": line(variance(A * Q["i"]), A * variance(Q["i"]), Law.VARIANCE_SCALES),
    "limit of unknown sign": line(Limit(A * X, X, "oo"), Infinity(), Law.LIMIT),
    "limit in what may be negative": line(Limit(1 / A, A, "oo"), ZERO, Law.LIMIT),
    "limit of an unknown exponent": line(Limit(exp(A * X), X, "oo"), ZERO, Law.LIMIT),
    "a logarithm that grows": line(Limit(X * log(1 + exp(-X)), X, "oo"), ONE, Law.LIMIT),
    "the largest exponent of a sum": line(
        Limit(Sum("l", N, exp(GAPS["l"] * X) * V["l"]) / Sum("l", N, exp(GAPS["l"] * X)), X, "oo"),
        Sum("l", N, V["l"]) / Sum("l", N, ONE),
        Law.LIMIT,
    ),
    "logarithm of what may be negative": line(log(A * B), log(A) + log(B), Law.LOGARITHM),
    "angles by half": line(cos(A), cos(A / 2) ** 2 - sin(A / 2) ** 2, Law.ADDITION),
    "splitting with a gap": line(Sum("i", N, V["i"]), Sum("i", M, V["i"]) + Sum("i", N, V["i"], M + 2), Law.SPLITTING),
    "splitting twice": line(Sum("i", N, V["i"]), Sum("i", M, V["i"]) + Sum("i", N, V["i"], M), Law.SPLITTING),
    "a real number has no sign": line(A, ZERO, Law.SIGN, (), ">="),
    "one term of what may be negative": line(Sum("i", N, V["i"]) - V["K"], ZERO, Law.SIGN, (), ">="),
    "at least zero is not equal": line(X, ZERO, Law.SIGN),
    "order by algebra": line(X, ZERO, Law.ALGEBRA, (), ">="),
    "division by zero": line(1 / (A - A), ONE),
    "what is not known is not used": line(A, B, Law.ALGEBRA, ("nothing",)),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_is_granted(name):
    assert holds(TRUE[name])


@pytest.mark.parametrize("name", FALSE)
def test_what_is_not_granted(name):
    assert not holds(FALSE[name])


def test_independence_has_to_be_assumed_of_every_factor():
    product = line(mean(PRODUCT), mean(Q["i"]) * mean(K["i"]), Law.INDEPENDENCE, ("independent",))
    assert holds(product, INDEPENDENT)
    assert not holds(product, Assumption("independent", independent=("q",)))
    same = line(mean(Q["i"] * Q["j"]), mean(Q["i"]) * mean(Q["j"]), Law.INDEPENDENCE, ("independent",))
    assert not holds(same, INDEPENDENT), "i and j may be one index"


def test_variances_add_where_the_terms_share_nothing():
    uses = ("independent",)
    assert holds(
        line(variance(Sum("i", N, PRODUCT)), Sum("i", N, variance(PRODUCT)), Law.VARIANCE_ADDS, uses), INDEPENDENT
    )
    shared = Q["j"] * K["i"]
    assert not holds(
        line(variance(Sum("i", N, shared)), Sum("i", N, variance(shared)), Law.VARIANCE_ADDS, uses), INDEPENDENT
    )
    assert not holds(
        line(variance(Sum("i", N, PRODUCT)), Sum("i", N, variance(PRODUCT)), Law.VARIANCE_ADDS), INDEPENDENT
    )
    square = Array("q", "q", ("n", "n"), "random")
    crossed = square["i", "j"] * square["r", "i"]  # the terms i = j and i = r share the entry r, j
    assert not holds(
        line(variance(Sum("i", N, crossed)), Sum("i", N, variance(crossed)), Law.VARIANCE_ADDS, uses), INDEPENDENT
    )
    assert holds(
        line(cumulant(Sum("i", N, PRODUCT)), Sum("i", N, cumulant(PRODUCT)), Law.CUMULANT_ADDS, uses), INDEPENDENT
    )


def test_an_equation_is_a_pattern_in_its_indices_but_for_one_place():
    every = Assumption("every", ((V["i"], W["i"]),))
    assert holds(line(Sum("k", N, V["k"]), Sum("k", N, W["k"]), Law.ALGEBRA, ("every",)), every)
    one = Assumption("one", ((V["K"], ZERO),))
    assert holds(line(V["K"], ZERO, Law.ALGEBRA, ("one",)), one)
    assert not holds(line(Sum("k", N, V["k"]), Sum("k", N, ZERO), Law.ALGEBRA, ("one",)), one)


def test_an_equation_within_a_range_holds_there_alone():
    first = Assumption("first", ((V["j"], ZERO),), within=("j", ONE, M))
    assert holds(line(Sum("i", M, V["i"]), ZERO, Law.ALGEBRA, ("first",)), first)
    assert not holds(line(Sum("i", N, V["i"]), ZERO, Law.ALGEBRA, ("first",)), first)
    assert not holds(line(V["i"], ZERO, Law.ALGEBRA, ("first",)), first)


def test_a_definition_that_is_used_keeps_its_bound_names_apart():
    """s_j = sum over i of T_ji put into sum over i of s_i must not join the two indices."""
    made = Line("made", W["j"], Sum("i", M, T["j", "i"]), Law.DEFINITION)
    right = Sum("a", N, Sum("b", M, T["a", "b"]))
    assert holds(line(Sum("i", N, W["i"]), right, Law.ALGEBRA, ("made",)), lines=(made,))
    joined = Sum("i", N, Sum("i", M, T["i", "i"]))
    assert not holds(line(Sum("i", N, W["i"]), joined, Law.ALGEBRA, ("made",)), lines=(made,))


def test_a_name_is_defined_once_and_by_others():
    assert holds(line(A, B + 1, Law.DEFINITION))
    assert not holds(line(A, A + 1, Law.DEFINITION))
    assert not holds(line(A, B, Law.DEFINITION), lines=(Line("first", A, B + 1, Law.DEFINITION),))
    assert not holds(line(A, ONE, Law.DEFINITION), lines=(Line("first", B, A + 1, Law.DEFINITION),))


def test_a_definition_has_no_index_of_its_own():
    assert holds(line(W["j"], Sum("i", M, T["j", "i"]), Law.DEFINITION))
    assert not holds(line(W["j"], T["j", "i"], Law.DEFINITION))
    assert not holds(line(A, V["i"], Law.DEFINITION))
    assert holds(line(A, V["K"], Law.DEFINITION))


def test_what_holds_at_a_point_is_not_differentiated():
    """x = 0 somewhere says nothing of the derivative there; a definition holds everywhere."""
    here = Assumption("here", ((A, ZERO),))
    assert not holds(line(Derivative(A * B, A), ZERO, Law.DERIVATIVE, ("here",)), here)
    assert not holds(line(Derivative(A * B, A), ZERO, Law.ALGEBRA, ("here",)), here)
    made = Line("made", A, B**2, Law.DEFINITION)
    assert holds(line(Derivative(A, B), 2 * B, Law.DERIVATIVE, ("made",)), lines=(made,))


def test_what_goes_to_a_limit_is_not_fixed():
    fixed = Assumption("fixed", ((X, ONE),))
    assert not holds(line(Limit(1 / X, X, "oo"), ONE, Law.LIMIT, ("fixed",)), fixed)
    assert not holds(line(Limit(1 / X, X, "oo"), Limit(ONE, X, "oo"), Law.ALGEBRA, ("fixed",)), fixed)


def test_a_rearrangement_has_to_be_one():
    moved = line(Sum("i", N, V[Image("pi", "i")]), Sum("i", N, V["i"]), Law.REORDERING, ("all",))
    assert holds(moved, Assumption("all", rearranges=("pi",)))
    assert not holds(moved, Assumption("all"))
    half = line(Sum("i", N, V[Image("pi", "i")] * W["i"]), Sum("i", N, V["i"] * W["i"]), Law.REORDERING, ("all",))
    assert not holds(half, Assumption("all", rearranges=("pi",)))


def test_the_rank_of_a_sum_of_products():
    product = Line("product", T["i", "j"], Sum("c", N, V["c"] * T["i", "c"] * T["j", "c"]), Law.ALGEBRA)
    given = Line("made", Array("S", "S", ("n", "n"))["i", "j"], Sum("c", M, T["i", "c"] * T["j", "c"]), Law.DEFINITION)
    rank = Rank(given.left)
    assert holds(line(rank, M, Law.RANK, ("made",), "<="), lines=(given,))
    assert not holds(line(rank, N, Law.RANK, ("made",), "<="), lines=(given,))
    assert not holds(line(rank, M, Law.RANK, (), "<="), lines=(given,))
    assert not holds(line(Rank(product.left), N, Law.RANK, ("product",), "<="))


def test_the_chain_rule_sums_over_all_of_what_lies_between():
    d_t, d_v = Array("dT", "dT", ("n", "m")), Array("dv", "dv", ("n",))
    pairs = (("dT", "T"), ("dv", "v"))
    slope = d_t["k", "c"] * Derivative(T["k", "c"], V["i"])
    assert holds(line(d_v["i"], Sum("k", N, Sum("c", M, slope)), Law.CHAIN_RULE), gradients=pairs)
    assert not holds(line(d_v["i"], Sum("k", N, slope), Law.CHAIN_RULE), gradients=pairs)
    assert not holds(line(d_v["i"], Sum("k", M, Sum("c", N, slope)), Law.CHAIN_RULE), gradients=pairs)
    assert not holds(line(d_v["j"], Sum("k", N, Sum("c", M, slope)), Law.CHAIN_RULE), gradients=pairs)
    assert not holds(line(d_v["i"], Sum("k", N, Sum("c", M, slope)), Law.CHAIN_RULE), gradients=pairs[1:])
