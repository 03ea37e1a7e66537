"""From the plain mean, when hot, to the arg max, when cold, with ties."""

from __future__ import annotations

from symattn.derive.algebra import limit, limit_of_parts
from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Curves, Law, Line, Proof, Question
from symattn.statements.terms import ONE, ZERO, Array, Letter, Limit, Sum, Term, exp, sqrt

M, R = Letter("m", "m", "natural"), Letter("r", "r", "natural")
T = Letter("T", "T", "positive")
D = Letter("d_k", "d_k", "natural")
G = Array("g", "g", ("r",), "positive")
V, U = Array("v", "v", ("m",)), Array("u", "u", ("r",))
TOP, X = Letter("a", "a", "positive"), Letter("x", "x")
BEHIND = Array("b", "b", ("r",), "positive")
DECAY = exp(-(G["l"] / T))
WHOLE = M + Sum("k", R, exp(-(G["k"] / T)))
SHARE, LESS = 1 / WHOLE, DECAY / WHOLE
LEADERS, OTHERS = Sum("j", M, V["j"]), Sum("l", R, U["l"])
MIX = (LEADERS + Sum("l", R, DECAY * U["l"])) / WHOLE


def _cold(of: Term) -> Limit:
    return Limit(of, T, "0")


def _hot(of: Term) -> Limit:
    return Limit(of, T, "oo")


COLD = Line("cold_power", _cold(DECAY), limit(_cold(DECAY)), Law.LIMIT, ("behind",))
HOT = Line("hot_power", _hot(DECAY), limit(_hot(DECAY)), Law.LIMIT)
LINES = (
    Line("leader", TOP, SHARE, Law.DEFINITION),
    Line("other", BEHIND["l"], LESS, Law.DEFINITION),
    Line("mix", X, Sum("j", M, TOP * V["j"]) + Sum("l", R, BEHIND["l"] * U["l"]), Law.DEFINITION),
    Line("whole_mix", X, MIX, Law.ALGEBRA, ("mix", "leader", "other")),
    Line("ahead", TOP - BEHIND["l"], (1 - DECAY) / WHOLE, Law.ALGEBRA, ("leader", "other")),
    Line("never_less", TOP - BEHIND["l"], ZERO, Law.SIGN, ("ahead", "behind", "warm"), ">=", result=True),
    COLD,
    Line(
        "cold_share",
        _cold(TOP),
        limit_of_parts(_cold(SHARE), COLD),
        Law.LIMIT_PARTS,
        ("leader", COLD.name),
        result=True,
    ),
    Line(
        "cold_other",
        _cold(BEHIND["l"]),
        limit_of_parts(_cold(LESS), COLD),
        Law.LIMIT_PARTS,
        ("other", COLD.name),
        result=True,
    ),
    Line(
        "cold_mix", _cold(X), limit_of_parts(_cold(MIX), COLD), Law.LIMIT_PARTS, ("whole_mix", COLD.name), result=True
    ),
    HOT,
    Line("hot_sum", _hot(TOP), limit_of_parts(_hot(SHARE), HOT), Law.LIMIT_PARTS, ("leader", HOT.name)),
    Line("hot_share", _hot(TOP), 1 / (M + R), Law.COUNTING, ("hot_sum",), result=True),
    Line("hot_mix_sum", _hot(X), limit_of_parts(_hot(MIX), HOT), Law.LIMIT_PARTS, ("whole_mix", HOT.name)),
    Line("hot_mix", _hot(X), (LEADERS + OTHERS) / (M + R), Law.COUNTING, ("hot_mix_sum",), result=True),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    two = {"m": 2, "r": 2, "g": (1, 2), "v": (1, 2), "u": (5, 8)}
    return Proof(
        topic="temperature",
        assumptions=(Assumption("behind", positive=("g",)), Assumption("warm", positive=("T",))),
        lines=LINES,
        ranges=(("l", "r"),),
        counterexamples=(
            counterexample("behind", LINES, "cold_share", at(m=1, r=1, g=(0,))),
            counterexample("warm", LINES, "never_less", at(m=1, r=1, l=1, g=(1,), T=-1)),
        ),
        tables=(
            tabulated(
                "degrees",
                (T, (TOP, SHARE), (X, MIX)),
                [at(**two, T=t) for t in ("1/20", "1/8", "1/4", "1/2", 1, 2, 4, 8, 20, 100, 1000)],
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
