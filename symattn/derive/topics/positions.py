"""Sinusoidal and rotary positions: a dot product depends on the distance of two places alone."""

from __future__ import annotations

from symattn.derive.numbers_in import asked, at, counterexample, tabulated
from symattn.statements.proof import Assumption, Curves, Law, Line, Proof, Question
from symattn.statements.terms import Array, Letter, Sum, cos, sin

R = Letter("r", "r", "natural")
A, B, C = Letter("a", "a"), Letter("b", "b"), Letter("c", "c")
W, OTHER = Array("w", r"\omega", ("r",)), Array("w'", r"\omega'", ("r",))
Q, P = Array("q", "q", ("r",)), Array("p", "p", ("r",))
K, L = Array("k", "k", ("r",)), Array("l", r"\ell", ("r",))
Q_1, Q_2 = Array("q_1", "q'", ("r",)), Array("q_2", "p'", ("r",))
K_1, K_2 = Array("k_1", "k'", ("r",)), Array("k_2", r"\ell'", ("r",))
DOT, SCORE = Letter("D", "D"), Letter("S", "S")
AT_A = A * W["f"]
APART = (A - B) * W["f"]
OTHER_B = B * OTHER["f"]
WAVES = Sum("f", R, sin(AT_A) * sin(OTHER_B) + cos(AT_A) * cos(OTHER_B))
BY_DISTANCE = Sum("f", R, cos(APART))
TURNED_SCORE = Sum("f", R, Q_1["f"] * K_1["f"] + Q_2["f"] * K_2["f"])
ROTARY = Sum(
    "f",
    R,
    (Q["f"] * K["f"] + P["f"] * L["f"]) * cos(APART) + (Q["f"] * L["f"] - P["f"] * K["f"]) * sin(APART),
)

LINES = (
    Line("sinusoidal", DOT, WAVES, Law.DEFINITION),
    Line("distance", DOT, BY_DISTANCE, Law.ADDITION, ("sinusoidal", "one_speed"), result=True),
    Line("turned_q", Q_1["f"], Q["f"] * cos(AT_A) - P["f"] * sin(AT_A), Law.DEFINITION),
    Line("turned_p", Q_2["f"], Q["f"] * sin(AT_A) + P["f"] * cos(AT_A), Law.DEFINITION),
    Line("turned_k", K_1["f"], K["f"] * cos(OTHER_B) - L["f"] * sin(OTHER_B), Law.DEFINITION),
    Line("turned_l", K_2["f"], K["f"] * sin(OTHER_B) + L["f"] * cos(OTHER_B), Law.DEFINITION),
    Line(
        "length",
        Q_1["f"] ** 2 + Q_2["f"] ** 2,
        Q["f"] ** 2 + P["f"] ** 2,
        Law.ADDITION,
        ("turned_q", "turned_p"),
        result=True,
    ),
    Line("score", SCORE, TURNED_SCORE, Law.DEFINITION),
    Line(
        "rotary",
        SCORE,
        ROTARY,
        Law.ADDITION,
        ("score", "turned_q", "turned_p", "turned_k", "turned_l", "one_speed"),
        result=True,
    ),
    Line("moved", Sum("f", R, cos((A + C - (B + C)) * W["f"])), BY_DISTANCE, Law.ALGEBRA, result=True),
)
SLOW = ("1/2", "1/4", "1/8", "1/16")


def proof(seed: int) -> Proof:
    """The derivation."""
    waves = {"r": 2, "w": (1, "1/10"), "w'": (1, "1/10")}
    slow = {"r": 4, "w": SLOW, "w'": SLOW}
    pair = {"q": (1, 2), "p": (0, 1), "k": (1, 1), "l": (2, 0)}
    return Proof(
        topic="positions",
        assumptions=(Assumption("one_speed", ((OTHER["f"], W["f"]),)),),
        lines=LINES,
        counterexamples=(counterexample("one_speed", LINES, "distance", at(r=1, a=1, b=1, w=(1,), **{"w'": (2,)})),),
        tables=(
            tabulated(
                "places",
                (A, B, (DOT, WAVES), (SCORE, ROTARY)),
                [at(**waves, **pair, a=a, b=b) for a, b in ((3, 1), (7, 5), (1002, 1000), (3, 3), (3, 0))],
            ),
            tabulated("waves", (A, (DOT, WAVES)), [at(**slow, a=a, b=0) for a in range(17)]),
        ),
        questions=(
            asked("same", BY_DISTANCE, seed, r=(4, 8, 16), w=((0,) * 16,), a=(5,), b=(5,)),
            Question("pairs"),
            Question("shift"),
        ),
        plots=(Curves("waves", "waves", 0, (("sum", 1),)),),
        terms=(*((f"{array.name}_f", array["f"]) for array in (W, OTHER, Q, P, K, L)), ("apart", A - B)),
    )
