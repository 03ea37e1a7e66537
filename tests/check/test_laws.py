"""What each law of general statements grants, and what it does not."""

from __future__ import annotations

from dataclasses import replace
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
    Next,
    Num,
    Rank,
    Sum,
    Term,
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
A, B, X, Y = Letter("a", "a"), Letter("b", "b"), Letter("x", "x", "positive"), Letter("y", "y", "positive")
Q, K = Array("q", "q", ("n",), "random"), Array("k", "k", ("n",), "random")
V, W, T = Array("v", "v", ("n",)), Array("w", "w", ("n",)), Array("T", "T", ("n", "m"))
SQUARE = Array("S", "S", ("n", "n"))
GAPS = Array("g", "g", ("n",), "positive")
PRODUCT = Q["i"] * K["i"]
INDEPENDENT = Assumption("independent", independent=("q", "k"))
RANGES = (("i", "n"), ("j", "n"))


def holds(line: Line, *assumptions: Assumption, lines: tuple[Line, ...] = ()) -> bool:
    proof = Proof("test", assumptions, (*lines, line), RANGES)
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
    "a limit goes through what is positive": line(Limit(sqrt(A**2) / A, A, "oo"), ONE, Law.LIMIT),
    "infinite limit": line(Limit(N * X, X, "oo"), Infinity(), Law.LIMIT),
    "logarithms": line(log(X / exp(A)), log(X) - A, Law.LOGARITHM),
    "angles": line(cos(A + B), cos(A) * cos(B) - sin(A) * sin(B), Law.ADDITION),
    "a turn keeps lengths": line((A * cos(B) - sin(B)) ** 2 + (A * sin(B) + cos(B)) ** 2, A**2 + 1, Law.ADDITION),
    "splitting": line(
        Sum("i", N, SQUARE["m", "i"]),
        Sum("i", M, SQUARE["m", "i"]) + Sum("i", N, SQUARE["m", "i"], M + 1),
        Law.SPLITTING,
    ),
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
    "a sum of limits": line(Limit(Sum("l", N, exp(-(GAPS["l"] * X))) + N, X, "oo"), N, Law.LIMIT),
    "limit of an unknown exponent": line(Limit(exp(A * X), X, "oo"), ZERO, Law.LIMIT),
    "a logarithm that grows": line(Limit(X * log(1 + exp(-X)), X, "oo"), ONE, Law.LIMIT),
    "the largest exponent of a sum": line(
        Limit(Sum("l", N, exp(GAPS["l"] * X) * V["l"]) / Sum("l", N, exp(GAPS["l"] * X)), X, "oo"),
        Sum("l", N, V["l"]) / Sum("l", N, ONE),
        Law.LIMIT,
    ),
    "logarithm of what may be negative": line(log(A * B), log(A) + log(B), Law.LOGARITHM),
    "angles by half": line(cos(A), cos(A / 2) ** 2 - sin(A / 2) ** 2, Law.ADDITION),
    "splitting with a gap": line(
        Sum("i", N, SQUARE["m", "i"]),
        Sum("i", M, SQUARE["m", "i"]) + Sum("i", N, SQUARE["m", "i"], M + 2),
        Law.SPLITTING,
    ),
    "splitting twice": line(
        Sum("i", N, SQUARE["m", "i"]), Sum("i", M, SQUARE["m", "i"]) + Sum("i", N, SQUARE["m", "i"], M), Law.SPLITTING
    ),
    "splitting beyond the end": line(
        Sum("i", N, V["i"]), Sum("i", M, V["i"]) + Sum("i", N, V["i"], M + 1), Law.SPLITTING
    ),
    "splitting before the beginning": line(
        Sum("i", N, SQUARE["m", "i"], Num(Fraction(5))),
        Sum("i", M, SQUARE["m", "i"], Num(Fraction(5))) + Sum("i", N, SQUARE["m", "i"], M + 1),
        Law.SPLITTING,
    ),
    "a real number has no sign": line(A, ZERO, Law.SIGN, (), ">="),
    "one term of another sum": line(
        Sum("i", N, V["j"] ** 2 * exp(W["i"])) - V["K"] ** 2 * exp(W["K"]), ZERO, Law.SIGN, (), ">="
    ),
    "one term beyond a sum": line(Sum("i", M, exp(V["i"])) - exp(V["K"]), ZERO, Law.SIGN, (), ">="),
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


def test_an_equation_within_a_range_is_no_equation_of_what_stands_in_it_alone():
    """Not of an inner sum with an index of the same name, not under a derivative, and not of a matrix's name."""
    first = Assumption("first", ((V["j"], B),), within=("j", ONE, M))
    inner = Sum("i", M, Sum("i", N, V["i"]))
    assert not holds(line(inner, Sum("i", M, Sum("i", N, B)), Law.ALGEBRA, ("first",)), first)
    slope = Sum("i", M, Derivative(V["i"] ** 2, V["k"]))
    assert not holds(line(slope, Sum("i", M, Derivative(B**2, V["k"])), Law.ALGEBRA, ("first",)), first)
    made = Line("made", SQUARE["i", "j"], T["i", "j"] + T["j", "i"], Law.DEFINITION)
    assert not holds(line(Rank(SQUARE["i", "j"]), ONE, Law.ALGEBRA, ("made",)), lines=(made,))


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
    whole = Assumption("through", gradients=(("dT", "T"), ("dv", "v")))
    slope = d_t["k", "c"] * Derivative(T["k", "c"], V["i"])

    def chained(left: Term, right: Term) -> Line:
        return line(left, right, Law.CHAIN_RULE, ("through",))

    assert holds(chained(d_v["i"], Sum("k", N, Sum("c", M, slope))), whole)
    assert not holds(chained(d_v["i"], Sum("k", N, slope)), whole)
    assert not holds(chained(d_v["i"], Sum("k", M, Sum("c", N, slope))), whole)
    assert not holds(chained(d_v["j"], Sum("k", N, Sum("c", M, slope))), whole)
    assert not holds(chained(d_v["i"], Sum("k", N, Sum("c", M, slope))), replace(whole, gradients=(("dv", "v"),)))
    assert not holds(line(d_v["i"], Sum("k", N, Sum("c", M, slope)), Law.CHAIN_RULE), whole)


def test_a_name_hides_nothing_that_moves():
    """What a letter stands for may depend on what goes to a limit, or on what a derivative is by."""
    share = Letter("p", "p")
    made = Line("made", share, 1 / (1 + exp(-X)), Law.DEFINITION)
    assert holds(line(Limit(share, X, "oo"), ONE, Law.LIMIT, ("made",)), lines=(made,))
    assert not holds(line(Limit(share, X, "oo"), share, Law.LIMIT), lines=(made,))
    assert not holds(line(Derivative(share, X), ZERO, Law.DERIVATIVE), lines=(made,))
    ahead = Assumption("ahead", ((V[1], X),))
    assert not holds(line(Limit(V["i"], X, "oo"), V["i"], Law.LIMIT), ahead)


def test_what_is_called_positive_has_to_be():
    named = Letter("p", "p", "positive")
    assert holds(line(named, exp(A) + A**2, Law.DEFINITION))
    assert holds(line(named, Sum("i", N, exp(V["i"])), Law.DEFINITION))
    assert not holds(line(named, A, Law.DEFINITION))
    assert not holds(line(named, A**2, Law.DEFINITION)), "0 is not positive"
    assert not holds(line(named, X - 1, Law.DEFINITION))
    assert not holds(line(named, Sum("i", N, exp(V["i"]), Num(Fraction(2))), Law.DEFINITION)), "no term where n is 1"
    assert not holds(line(Letter("p", "p", "natural"), X, Law.DEFINITION))


def test_what_is_positive_by_an_assumption_is_so_where_that_is_used():
    above = Assumption("above", positive=("x",))
    assert holds(line(sqrt(X**2), X, Law.ALGEBRA, ("above",)), above)
    assert not holds(line(sqrt(X**2), X), above)
    less = line(1 - exp(-(X / Y)), ZERO, Law.SIGN, ("above",), ">=")
    assert holds(less, above)
    assert not holds(replace(less, uses=()), above)
    assert not holds(replace(less, left=1 - exp(X / Y)), above)


def test_a_limit_comes_from_those_of_its_parts():
    """Of sums whose number of terms stays, of products, and of quotients that are not over 0."""
    term = Line("term", Limit(exp(-(GAPS["l"] * X)), X, "oo"), ZERO, Law.LIMIT)
    decays = Sum("k", N, exp(-(GAPS["k"] * X)) * V["k"])

    def parts(left: Term, right: Term, *uses: str, to: str = "oo") -> Line:
        return line(Limit(left, X, to), right, Law.LIMIT_PARTS, uses)

    assert holds(parts(decays, ZERO, "term"), lines=(term,))
    assert holds(parts(B / (N + Sum("k", N, exp(-(GAPS["k"] * X)))), B / N, "term"), lines=(term,))
    assert not holds(parts(B / (N + decays), B / N, "term"), lines=(term,)), "of unknown sign"
    assert not holds(parts(decays, ZERO), lines=(term,))
    assert not holds(parts(decays, ZERO, "term", to="0"), lines=(term,)), "another limit"
    assert not holds(parts(B / decays, ZERO, "term"), lines=(term,)), "over 0"
    assert not holds(parts(decays + X, ZERO, "term"), lines=(term,)), "a part that grows"
    moving = Sum("k", X, exp(-(GAPS["k"] * X)))
    assert not holds(parts(moving, ZERO, "term"), lines=(term,)), "a number of terms that moves"
    grown = Line("grown", Limit(X, X, "oo"), Infinity(), Law.LIMIT)
    assert not holds(parts(A * X, A * Infinity(), "grown"), lines=(grown,)), "not finite"


STEPS = Array("L", "L", ("n",))
FIRST = Line("first", STEPS[1], A, Law.DEFINITION)
THEN = Line("then", STEPS[Next("b")], B * STEPS["b"], Law.RECURSION, ("first",))
POWERS = Array("w", "w", ("n",))


def test_a_recursion_goes_from_each_place_to_the_next():
    assert holds(THEN, lines=(FIRST,))
    assert not holds(replace(THEN, uses=()), lines=(FIRST,))
    assert not holds(THEN), "nothing to begin with"
    assert not holds(replace(THEN, right=B * STEPS[Next("b")]), lines=(FIRST,)), "by itself"
    assert not holds(replace(THEN, right=B * STEPS["a"]), lines=(FIRST,)), "from another place"
    assert not holds(replace(THEN, left=STEPS["b"]), lines=(FIRST,))
    assert not holds(THEN, lines=(replace(FIRST, left=STEPS[2]),))
    assert not holds(replace(THEN, name="again"), lines=(FIRST, THEN)), "twice"


def test_an_induction_has_a_base_and_a_step():
    """L_1 = a, L_(b+1) = L_b + L_b: then w_b a = L_b where w_1 = 1 and w_(b+1) = 2 w_b."""
    double = replace(THEN, right=2 * STEPS["b"])
    one = Line("one", POWERS[1], ONE, Law.DEFINITION)
    two = Line("two", POWERS[Next("b")], 2 * POWERS["b"], Law.RECURSION, ("one",))
    base = Line("base", STEPS[1], POWERS[1] * A, Law.ALGEBRA, ("first", "one"))
    here = Line("here", STEPS["B"], POWERS["B"] * A, Law.HYPOTHESIS)
    step = Line("step", STEPS[Next("B")], POWERS[Next("B")] * A, Law.ALGEBRA, ("then", "two", "here"))
    given = (FIRST, double, one, two, base, here, step)
    claim = Line("all", STEPS["b"], POWERS["b"] * A, Law.INDUCTION, ("base", "step"), result=True)
    assert holds(claim, lines=given)
    for wrong in (
        replace(claim, uses=("step", "base")),
        replace(claim, uses=("base",)),
        replace(claim, uses=("base", "here")),
        replace(claim, right=POWERS["b"] * B),
        replace(claim, left=STEPS["B"], right=POWERS["B"] * A),
        replace(claim, relation=">="),
    ):
        assert not holds(wrong, lines=given), wrong
    other = replace(base, left=STEPS["b"], right=POWERS["b"] * A, uses=("step",))
    assert unproved(Proof("test", (), (*given[:4], here, step, other), RANGES)) == ["base"], "one place is not all"
    leaning = replace(base, uses=("first", "one", "here"))
    assert unproved(Proof("test", (), (FIRST, double, one, two, here, leaning, step, claim), RANGES)) == ["all"]


def test_what_is_supposed_is_no_result():
    here = Line("here", STEPS["B"], A, Law.HYPOTHESIS)
    assert holds(here)
    assert not holds(replace(here, left=STEPS["b"])), "of every place"
    assert not holds(replace(here, result=True))
    follows = line(STEPS["B"] + 1, A + 1, Law.ALGEBRA, ("here",))
    assert holds(follows, lines=(here,))
    assert not holds(replace(follows, result=True), lines=(here,))


def test_a_place_that_something_is_assumed_of_is_not_any_place():
    here = Line("here", STEPS["B"], A, Law.HYPOTHESIS)
    base = Line("base", STEPS[1], A, Law.ALGEBRA, ("first",))
    step = Line("step", STEPS[Next("B")], A, Law.ALGEBRA, ("then", "here", "still"))
    claim = Line("all", STEPS["b"], A, Law.INDUCTION, ("base", "step"))
    assert holds(claim, Assumption("still", ((B, ONE),)), lines=(FIRST, THEN, base, here, step))
    still = Assumption("still", ((B, ONE), (V["B"], ONE)))
    assert not holds(claim, still, lines=(FIRST, THEN, base, here, step))


def test_a_sum_is_cut_where_it_runs():
    ends = Array("e", "e", ("n",), "natural")
    cut = line(
        Sum("i", ends[Next("b")], V["i"]),
        Sum("i", ends["b"], V["i"]) + Sum("i", ends[Next("b")], V["i"], ends["b"] + 1),
        Law.SPLITTING,
        ("order",),
    )
    order = Assumption("order", at_least_zero=(ends[Next("b")] - ends["b"],))
    assert holds(cut, order)
    assert not holds(cut, Assumption("order"))
    first = line(Sum("i", N, V["i"]), V[1] + Sum("i", N, V["i"], Num(Fraction(2))), Law.SPLITTING)
    assert holds(first)
    assert not holds(replace(first, right=V[2] + Sum("i", N, V["i"], Num(Fraction(2)))))
    assert not holds(replace(first, right=V[1] + Sum("i", N, V["i"], Num(Fraction(3)))))
