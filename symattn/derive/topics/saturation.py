"""What the largest weight, the odds and the entropy do as one score gets ahead of the others."""

from __future__ import annotations

from symattn.derive.algebra import limit
from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Curves, Law, Line, Proof, Question
from symattn.statements.terms import Array, Letter, Limit, Sum, exp, log, sqrt, term

N = Letter("n", "n", "natural")
D = Letter("d_k", "d_k", "natural")
G = Letter("g", "g", "positive")
T = Letter("T", "T", "positive")
Z = Letter("z", "z")
S, W_L = Array("s", "s", ("n",)), Array("w", "w", ("n",), "positive")
X, Y = Letter("x", "x"), Letter("y", "y")
P, R = Letter("p", "p", "positive"), Letter("r", "r", "positive")
W = Letter("w_T", "w_T", "positive")
H = Letter("H", "H")
ODDS, DIVIDED = Letter("o", "o", "positive"), Letter("o_d", "o_d", "positive")
TOTAL = Sum("l", N, exp(S["l"]))
SHARE_LOG = W_L["l"] * log(W_L["l"])
WHOLE = 1 + (N - 1) * exp(-G)
LARGEST = 1 / WHOLE
ENTROPY = log(WHOLE) + G * (N - 1) * exp(-G) / WHOLE
COOLED = 1 / (1 + (N - 1) * exp(-(G / T)))

LINES = (
    Line("weights", W_L["i"], exp(S["i"]) / TOTAL, Law.DEFINITION),
    Line("largest", P, W_L[1], Law.DEFINITION),
    Line("other", R, exp(Z) / TOTAL, Law.DEFINITION),
    Line("cut", TOTAL, exp(S[1]) + Sum("l", N, exp(S["l"]), term(2)), Law.SPLITTING),
    Line("equal_others", TOTAL, exp(S[1]) + (N - 1) * exp(Z), Law.COUNTING, ("cut", "others")),
    Line("in_the_gap", P, LARGEST, Law.ALGEBRA, ("largest", "weights", "equal_others", "leader"), result=True),
    Line("other_in_the_gap", R, exp(-G) / WHOLE, Law.ALGEBRA, ("other", "equal_others", "leader")),
    Line("to_one", Limit(P, G, "oo"), limit(Limit(LARGEST, G, "oo")), Law.LIMIT, ("in_the_gap",), result=True),
    Line(
        "rate",
        Limit((1 - P) * exp(G), G, "oo"),
        limit(Limit((1 - LARGEST) * exp(G), G, "oo")),
        Law.LIMIT,
        ("in_the_gap",),
        result=True,
    ),
    Line("odds", ODDS, exp(X) / exp(Y), Law.DEFINITION),
    Line("odds_of_the_gap", ODDS, exp(X - Y), Law.ALGEBRA, ("odds",), result=True),
    Line("odds_divided", DIVIDED, exp(X / sqrt(D)) / exp(Y / sqrt(D)), Law.DEFINITION),
    Line("root_of_the_odds", DIVIDED, exp((X - Y) / sqrt(D)), Law.ALGEBRA, ("odds_divided",), result=True),
    Line("entropy", H, -Sum("l", N, SHARE_LOG), Law.DEFINITION),
    Line("cut_entropy", Sum("l", N, SHARE_LOG), W_L[1] * log(W_L[1]) + Sum("l", N, SHARE_LOG, term(2)), Law.SPLITTING),
    Line(
        "entropy_of_two",
        H,
        -(P * log(P)) - (N - 1) * R * log(R),
        Law.COUNTING,
        ("entropy", "cut_entropy", "largest", "other", "weights", "others"),
    ),
    Line("log_of_the_largest", log(P), -log(WHOLE), Law.LOGARITHM, ("in_the_gap",)),
    Line("log_of_another", log(R), -G - log(WHOLE), Law.LOGARITHM, ("other_in_the_gap",)),
    Line(
        "entropy_in_the_gap",
        H,
        ENTROPY,
        Law.ALGEBRA,
        ("entropy_of_two", "log_of_the_largest", "log_of_another", "in_the_gap", "other_in_the_gap"),
        result=True,
    ),
    Line(
        "no_entropy", Limit(H, G, "oo"), limit(Limit(ENTROPY, G, "oo")), Law.LIMIT, ("entropy_in_the_gap",), result=True
    ),
    Line("even", Limit(H, G, "0"), limit(Limit(ENTROPY, G, "0")), Law.LIMIT, ("entropy_in_the_gap",), result=True),
    Line("cooled", W, COOLED, Law.DEFINITION),
    Line("cold", Limit(W, T, "0"), limit(Limit(COOLED, T, "0")), Law.LIMIT, ("cooled", "gap"), result=True),
    Line("hot", Limit(W, T, "oo"), limit(Limit(COOLED, T, "oo")), Law.LIMIT, ("cooled",), result=True),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    return Proof(
        topic="saturation",
        assumptions=(
            Assumption("leader", ((S[1], Z + G),)),
            Assumption("others", ((S["l"], Z),), within=("l", term(2), N)),
            Assumption("gap", positive=("g",)),
        ),
        lines=LINES,
        counterexamples=(
            counterexample("leader", LINES, "in_the_gap", at(n=2, s=(0, 0), z=0, g=1)),
            counterexample("others", LINES, "in_the_gap", at(n=3, s=(1, 0, 1), z=0, g=1)),
            counterexample("gap", LINES, "cold", at(n=4, g=0)),
        ),
        tables=(
            tabulated("gaps", (G, (P, LARGEST), (H, ENTROPY)), [at(n=4, g=gap) for gap in (0, 1, 2, 4, 8, 16, 32)]),
            tabulated(
                "widths",
                (D, (P, 1 / (1 + (N - 1) * exp(-sqrt(D)))), (W, 1 / (1 + (N - 1) * exp(-(sqrt(D) / sqrt(D)))))),
                [at(n=8, d_k=width) for width in (1, 4, 16, 64, 256)],
            ),
            tabulated(
                "divided",
                (D, (ODDS, exp(X - Y)), (DIVIDED, exp((X - Y) / sqrt(D)))),
                [at(d_k=width, x=8, y=0) for width in (1, 4, 16, 64, 256)],
            ),
        ),
        instances=(("ahead", instance(LARGEST, at(n=8, g=5))),),
        questions=(
            asked("gap", LARGEST, seed, n=(3, 5, 9), g=(2, 3)),
            asked("odds", exp((X - Y) / sqrt(D)), seed, d_k=(16, 64), x=(16, 24), y=(0, 8)),
            Question("tie"),
        ),
        plots=(Curves("largest_weight", "widths", 0, (("plain", 1), ("divided", 2)), "log"),),
        terms=(("s_i", S["i"]), ("others", N - 1), ("temperature", COOLED), ("power", exp(-G)), ("root", sqrt(D))),
    )
