"""What a mix is, and that it never leaves the range of what it mixes."""

from __future__ import annotations

from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import ONE, ZERO, Array, Letter, Sum

N = Letter("n", "n", "natural")
W, V = Array("w", "w", ("n",)), Array("v", "v", ("n",))
X = Letter("x", "x")
LOW, HIGH = Letter("low", r"\ell"), Letter("high", "h")
MIX = Sum("j", N, W["j"] * V["j"])
WHOLE = Sum("j", N, W["j"])
ABOVE, BELOW = W["j"] * (HIGH - V["j"]), W["j"] * (V["j"] - LOW)
OF_ONE = W["k"] * (HIGH - V["k"])

LINES = (
    Line("mix", X, MIX, Law.DEFINITION),
    Line("room_above", Sum("j", N, ABOVE), HIGH * WHOLE - X, Law.ALGEBRA, ("mix",)),
    Line("above", HIGH - X, Sum("j", N, ABOVE), Law.ALGEBRA, ("room_above", "whole")),
    Line("not_above", HIGH - X, ZERO, Law.SIGN, ("above", "weights", "range"), ">=", result=True),
    Line("room_below", Sum("j", N, BELOW), X - LOW * WHOLE, Law.ALGEBRA, ("mix",)),
    Line("below", X - LOW, Sum("j", N, BELOW), Law.ALGEBRA, ("room_below", "whole")),
    Line("not_below", X - LOW, ZERO, Law.SIGN, ("below", "weights", "range"), ">=", result=True),
    Line("share", Sum("j", N, ABOVE) - OF_ONE, ZERO, Law.SIGN, ("weights", "range"), ">=", result=True),
)
ROWS = (("1/2", "1/2", "0"), ("1/3", "1/3", "1/3"), ("0", "1/10", "9/10"), ("0", "0", "1"))
VALUES = ("10", "20", "30")


def proof(seed: int) -> Proof:
    """The derivation."""
    two = {"n": 2, "low": 0, "high": 1}
    return Proof(
        topic="weighted-average",
        assumptions=(
            Assumption("weights", at_least_zero=(W["j"],)),
            Assumption("whole", ((WHOLE, ONE),)),
            Assumption("range", at_least_zero=(HIGH - V["j"], V["j"] - LOW)),
        ),
        lines=LINES,
        ranges=(("k", "n"),),
        counterexamples=(
            counterexample("weights", LINES, "not_above", at(**two, w=["3/2", "-1/2"], v=[1, 0])),
            counterexample("whole", LINES, "not_above", at(**two, w=[1, 1], v=[1, 1])),
            counterexample("range", LINES, "not_above", at(**two, w=["1/2", "1/2"], v=[5, 0])),
        ),
        tables=(tabulated("mixes", (W[1], W[2], W[3], (X, MIX)), [at(n=3, w=row, v=VALUES) for row in ROWS]),),
        instances=(("library", instance(MIX, at(n=3, w=ROWS[0], v=VALUES))),),
        questions=(
            asked(
                "mix",
                MIX,
                seed,
                n=(3,),
                w=(("1/4", "1/4", "1/2"), ("1/2", "0", "1/2"), ("1/5", "2/5", "2/5")),
                v=((4, 8, 20), (0, 10, 40)),
            ),
            Question("test"),
            Question("reached"),
        ),
        terms=(("w_j", W["j"]), ("v_j", V["j"]), ("v_k", V["k"]), ("w_k", W["k"])),
    )
