"""What a feature map in place of exp changes: the order of the products, the cost, and the weights."""

from __future__ import annotations

from symattn.derive.algebra import cancelled
from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Curves, Law, Line, Proof, Question
from symattn.statements.terms import ONE, Array, Letter, Sum, exp

N, R, D = Letter("n", "n", "natural"), Letter("r", "r", "natural"), Letter("d", "d", "natural")
X = Letter("x", "x", "positive")
F, G = Array("F", "F", ("n", "r"), "positive"), Array("G", "G", ("n", "r"), "positive")
V, A, Z = Array("V", "V", ("n", "d_v")), Array("A", "A", ("n", "n")), Array("Z", "Z", ("n", "d_v"))
H, T = Array("H", "H", ("r", "d_v")), Array("g", "g", ("r",), "positive")
PAIRS, STATE = Letter("C_1", "C_1", "positive"), Letter("C_2", "C_2", "positive")
E = Array("E", "E", ("n", "n"), "positive")
LIKENESS = Sum("f", R, F["i", "f"] * G["j", "f"])
SOFTMAX, PLAIN = exp(X) / (exp(X) + 1), (1 + X) / (2 + X)

LINES = (
    Line("weights", A["i", "j"], E["i", "j"] / Sum("l", N, E["i", "l"]), Law.DEFINITION),
    Line("output", Z["i", "c"], Sum("j", N, A["i", "j"] * V["j", "c"]), Law.DEFINITION),
    Line("state", H["f", "c"], Sum("j", N, G["j", "f"] * V["j", "c"]), Law.DEFINITION),
    Line("sums", T["f"], Sum("j", N, G["j", "f"]), Law.DEFINITION),
    Line(
        "regrouped",
        Z["i", "c"],
        Sum("f", R, F["i", "f"] * H["f", "c"]) / Sum("f", R, F["i", "f"] * T["f"]),
        Law.ALGEBRA,
        ("output", "weights", "features", "state", "sums"),
        result=True,
    ),
    Line("pairs", PAIRS, Sum("i", N, Sum("j", N, D + D)), Law.DEFINITION),
    Line("pairs_counted", PAIRS, 2 * N**2 * D, Law.COUNTING, ("pairs",), result=True),
    Line("states", STATE, Sum("j", N, D**2) + Sum("i", N, D**2), Law.DEFINITION),
    Line("states_counted", STATE, 2 * N * D**2, Law.COUNTING, ("states",), result=True),
    Line(
        "saved",
        PAIRS / STATE,
        cancelled(2 * N**2 * D / (2 * N * D**2)),
        Law.ALGEBRA,
        ("pairs_counted", "states_counted"),
        result=True,
    ),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    ones = ((1, 1), (1, 1))
    two = {
        "n": 2, "r": 2, "d_v": 1, "i": 1, "c": 1, "F": ones, "G": ((1, 1), (1, 0)), "V": ((1,), (0,)),
        "E": ((exp(ONE), 1), (exp(ONE), 1)),
    }  # fmt: skip
    return Proof(
        topic="linear-attention",
        assumptions=(Assumption("features", ((E["i", "j"], LIKENESS),)),),
        lines=LINES,
        ranges=(("i", "n"), ("j", "n")),
        counterexamples=(counterexample("features", LINES, "regrouped", at(**two)),),
        tables=(
            tabulated("peaks", (X, SOFTMAX, PLAIN), [at(x=score) for score in (1, 2, 4, 8, 16)]),
            tabulated(
                "costs",
                (N, (PAIRS, 2 * N * N * D), (STATE, 2 * N * D * D)),
                [at(n=n, d=64) for n in (16, 64, 1024, 65536)],
            ),
        ),
        instances=(("sixteen", instance(PLAIN, at(x=16))),),
        questions=(
            asked("saving", N / D, seed, n=(4096, 32768), d=(64, 128)),
            Question("mask"),
            Question("peak"),
        ),
        plots=(Curves("peaks", "peaks", 0, (("softmax", 1), ("plain", 2))),),
        terms=(
            ("exp", exp(X)),
            ("plain", 1 + X),
            ("H", H),
            ("F_if", F["i", "f"]),
            ("G_jf", G["j", "f"]),
            ("E_ij", E["i", "j"]),
        ),
    )
