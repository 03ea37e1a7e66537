"""From the plain mean, when hot, to the arg max, when cold, with ties."""

from __future__ import annotations

from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Curves, Law, Line, Proof, Question
from symattn.statements.terms import ONE, ZERO, Array, Letter, Limit, Sum, exp, sqrt

M, R = Letter("m", "m", "natural"), Letter("r", "r", "natural")
T = Letter("T", "T", "positive")
D = Letter("d_k", "d_k", "natural")
G = Array("g", "g", ("r",), "positive")
V, U = Array("v", "v", ("m",)), Array("u", "u", ("r",))
TOP, X = Letter("a", "a", "positive"), Letter("x", "x")
BEHIND = Array("b", "b", ("r",), "positive")
DECAY = exp(-(G["l"] / T))
WHOLE = M + Sum("k", R, exp(-(G["k"] / T)))
SHARE = 1 / WHOLE
LEADERS, OTHERS = Sum("j", M, V["j"]), Sum("l", R, U["l"])
MIX = (LEADERS + Sum("l", R, DECAY * U["l"])) / WHOLE
EACH_ONE = M + Sum("k", R, ONE)

LINES = (
    Line("leader", TOP, SHARE, Law.DEFINITION),
    Line("other", BEHIND["l"], DECAY / WHOLE, Law.DEFINITION),
    Line("mix", X, Sum("j", M, TOP * V["j"]) + Sum("l", R, BEHIND["l"] * U["l"]), Law.DEFINITION),
    Line("whole_mix", X, MIX, Law.ALGEBRA, ("mix", "leader", "other")),
    Line("cold_share", Limit(TOP, T, "0"), 1 / M, Law.LIMIT, ("leader",), result=True),
    Line("cold_other", Limit(BEHIND["l"], T, "0"), ZERO, Law.LIMIT, ("other",), result=True),
    Line("cold_mix", Limit(X, T, "0"), LEADERS / M, Law.LIMIT, ("whole_mix",), result=True),
    Line("hot_sum", Limit(TOP, T, "oo"), 1 / EACH_ONE, Law.LIMIT, ("leader",)),
    Line("hot_share", Limit(TOP, T, "oo"), 1 / (M + R), Law.COUNTING, ("hot_sum",), result=True),
    Line("hot_mix_sum", Limit(X, T, "oo"), (LEADERS + OTHERS) / EACH_ONE, Law.LIMIT, ("whole_mix",)),
    Line("hot_mix", Limit(X, T, "oo"), (LEADERS + OTHERS) / (M + R), Law.COUNTING, ("hot_mix_sum",), result=True),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    two = {"m": 2, "r": 2, "g": (1, 2), "v": (1, 2), "u": (5, 8)}
    return Proof(
        topic="temperature",
        assumptions=(Assumption("behind"), Assumption("warm")),
        lines=LINES,
        ranges=(("l", "r"),),
        counterexamples=(
            counterexample("behind", SHARE, 1 / M, at(m=1, r=1, g=(0,), T="1/100")),
            counterexample("warm", SHARE, 1 / (M + R), at(m=1, r=1, g=(1,), T=-1)),
        ),
        tables=(
            tabulated(
                "degrees", (T, (TOP, SHARE), (X, MIX)), [at(**two, T=t) for t in ("1/20", "1/4", 1, 4, 20, 1000)]
            ),
        ),
        instances=(("napkin", instance(SHARE, at(m=1, r=2, g=(1, 1), T=sqrt(2 * ONE)))),),
        questions=(
            asked("share", SHARE, seed, m=(1, 2, 3), r=(1,), g=((1,), (2,), (3,)), T=(1, 2)),
            Question("coldest"),
            Question("order"),
        ),
        plots=(Curves("heat", "degrees", 0, (("leader", 1),), "log"),),
        terms=(("g_l", G["l"]), ("v_j", V["j"]), ("u_l", U["l"]), ("root", sqrt(D))),
    )
