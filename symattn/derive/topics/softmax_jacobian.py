"""The derivative of softmax, for any n: p_i (delta_ij - p_j); and how it dies as a row saturates."""

from __future__ import annotations

from symattn.derive.algebra import derivative, factored, limit
from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Curves, Law, Line, Proof, Question
from symattn.statements.terms import ONE, ZERO, Array, Delta, Derivative, Letter, Limit, Sum, exp, term

N = Letter("n", "n", "natural")
C, G = Letter("c", "c"), Letter("g", "g", "positive")
Z = Array("z", "z", ("n",))
P = Array("p", "p", ("n",), "positive")
NORM = Letter("F", "F")
A, B = Letter("a", "a", "positive"), Letter("b", "b", "positive")
TOTAL = Sum("l", N, exp(Z["l"]))
SOFTMAX = exp(Z["i"]) / TOTAL
SLOPE = Derivative(P["i"], Z["j"])
JACOBIAN = P["i"] * (Delta("i", "j") - P["j"])
SQUARES, CUBES = Sum("i", N, P["i"] ** 2), Sum("i", N, P["i"] ** 3)
AHEAD = 1 / (1 + (N - 1) * exp(-G))
BEHIND = exp(-G) / (1 + (N - 1) * exp(-G))
TWO_LEVELS = A**2 + (N - 1) * B**2 - 2 * (A**3 + (N - 1) * B**3) + (A**2 + (N - 1) * B**2) ** 2
IN_GAP = AHEAD**2 + (N - 1) * BEHIND**2 - 2 * (AHEAD**3 + (N - 1) * BEHIND**3) + (AHEAD**2 + (N - 1) * BEHIND**2) ** 2
RATE = Limit(IN_GAP * exp(2 * G), G, "oo")
STEEPNESS = AHEAD * (1 - AHEAD)

OF_TWO = ("first", "second", "softmax", "others")

LINES = (
    Line("softmax", P["i"], SOFTMAX, Law.DEFINITION),
    Line("quotient", SLOPE, derivative(Derivative(SOFTMAX, Z["j"])), Law.DERIVATIVE, ("softmax",)),
    Line("sift", Sum("l", N, exp(Z["l"]) * Delta("j", "l")), exp(Z["j"]), Law.SIFTING),
    Line("jacobian", SLOPE, JACOBIAN, Law.ALGEBRA, ("quotient", "sift", "softmax"), result=True),
    Line("symmetric", SLOPE, Derivative(P["j"], Z["i"]), Law.SIFTING, ("jacobian",), result=True),
    Line("whole", Sum("j", N, P["j"]), ONE, Law.ALGEBRA, ("softmax",)),
    Line("row", Sum("j", N, SLOPE), P["i"] - P["i"] * Sum("j", N, P["j"]), Law.SIFTING, ("jacobian",)),
    Line("row_sum", Sum("j", N, SLOPE), ZERO, Law.ALGEBRA, ("row", "whole"), result=True),
    Line("norm", NORM, Sum("i", N, Sum("j", N, SLOPE**2)), Law.DEFINITION),
    Line("norm_in_weights", NORM, SQUARES - 2 * CUBES + SQUARES**2, Law.SIFTING, ("norm", "jacobian")),
    Line("first", A, P[1], Law.DEFINITION),
    Line("second", B, exp(C) / TOTAL, Law.DEFINITION),
    Line("cut_squares", SQUARES, P[1] ** 2 + Sum("i", N, P["i"] ** 2, term(2)), Law.SPLITTING),
    Line("squares", SQUARES, A**2 + (N - 1) * B**2, Law.COUNTING, ("cut_squares", *OF_TWO)),
    Line("cut_cubes", CUBES, P[1] ** 3 + Sum("i", N, P["i"] ** 3, term(2)), Law.SPLITTING),
    Line("cubes", CUBES, A**3 + (N - 1) * B**3, Law.COUNTING, ("cut_cubes", *OF_TWO)),
    Line("two_levels", NORM, TWO_LEVELS, Law.ALGEBRA, ("norm_in_weights", "squares", "cubes")),
    Line("cut", TOTAL, exp(Z[1]) + Sum("l", N, exp(Z["l"]), term(2)), Law.SPLITTING),
    Line("counted", TOTAL, exp(Z[1]) + (N - 1) * exp(C), Law.COUNTING, ("cut", "others")),
    Line("largest", A, AHEAD, Law.ALGEBRA, ("first", "softmax", "counted", "leader")),
    Line("smaller", B, BEHIND, Law.ALGEBRA, ("second", "counted", "leader")),
    Line("in_the_gap", NORM, IN_GAP, Law.ALGEBRA, ("two_levels", "largest", "smaller"), result=True),
    Line("dead", Limit(NORM, G, "oo"), limit(Limit(IN_GAP, G, "oo")), Law.LIMIT, ("in_the_gap",), result=True),
    Line(
        "rate",
        Limit(NORM * exp(2 * G), G, "oo"),
        factored(limit(RATE)),
        Law.LIMIT,
        ("in_the_gap",),
        result=True,
    ),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    return Proof(
        topic="softmax-jacobian",
        assumptions=(
            Assumption("leader", ((Z[1], C + G),)),
            Assumption("others", ((Z["l"], C),), within=("l", term(2), N)),
        ),
        lines=LINES,
        ranges=(("i", "n"), ("j", "n")),
        counterexamples=(
            counterexample("leader", LINES, "largest", at(n=2, z=(0, 0), c=0, g=1)),
            counterexample("others", LINES, "largest", at(n=3, z=(1, 0, 1), c=0, g=1)),
        ),
        tables=(
            tabulated(
                "slopes",
                (G, (A, AHEAD), (A * (1 - A), STEEPNESS), (NORM, IN_GAP)),
                [at(n=4, g=gap) for gap in (0, 1, 2, 3, 4, 6, 8, 12)],
            ),
        ),
        questions=(
            Question("even", answer=instance(STEEPNESS, at(n=2, g=0))),
            asked("steepness", A * (1 - A), seed, a=("0.9", "0.99", "0.8")),
            Question("sum"),
        ),
        plots=(Curves("slope", "slopes", 0, (("slope", 2),)),),
        terms=(
            ("others", N - 1),
            ("slope", SLOPE),
            ("norm", NORM),
            ("steepness", A * (1 - A)),
            ("decay", exp(-(2 * G))),
        ),
    )
