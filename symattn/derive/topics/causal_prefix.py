"""With a causal mask, row t needs the tokens 1..t alone, and a cache of their keys and values gives the same row."""

from __future__ import annotations

from symattn.derive.numbers_in import asked, at, counterexample, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import ONE, ZERO, Array, Letter, Sum, exp

N, D, T = Letter("n", "n", "natural"), Letter("d_k", "d_k", "natural"), Letter("t", "t", "natural")
Q, K = Array("Q", "Q", ("n", "d_k")), Array("K", "K", ("n", "d_k"))
V, S = Array("V", "V", ("n", "d_v")), Array("S", "S", ("n", "n"))
SEEN = Array("M", "M", ("n", "n"))
Z, Y = Array("Z", "Z", ("n", "d_v")), Array("Y", "Y", ("n", "d_v"))
OLD_K, OLD_V, R = (
    Array("old_K", r"\hat K", ("n", "d_k")),
    Array("old_V", r"\hat V", ("n", "d_v")),
    Array("R", "R", ("n", "n")),
)
POWER = exp(S["t", "j"])
MASKED, MASKED_MIX = POWER * SEEN["t", "j"], POWER * SEEN["t", "j"] * V["j", "c"]
WHOLE, WHOLE_MIX = Sum("j", N, MASKED), Sum("j", N, MASKED_MIX)
PREFIX, PREFIX_MIX = Sum("j", T, POWER), Sum("j", T, POWER * V["j", "c"])
CACHED = Sum("j", T, exp(R["t", "j"]) * OLD_V["j", "c"]) / Sum("j", T, exp(R["t", "j"]))

LINES = (
    Line("scores", S["t", "j"], Sum("a", D, Q["t", "a"] * K["j", "a"]), Law.DEFINITION),
    Line("output", Z["t", "c"], WHOLE_MIX / WHOLE, Law.DEFINITION),
    Line("cut_above", WHOLE_MIX, Sum("j", T, MASKED_MIX) + Sum("j", N, MASKED_MIX, T + 1), Law.SPLITTING),
    Line("cut_below", WHOLE, Sum("j", T, MASKED) + Sum("j", N, MASKED, T + 1), Law.SPLITTING),
    Line("above", WHOLE_MIX, PREFIX_MIX, Law.ALGEBRA, ("cut_above", "seen", "hidden")),
    Line("below", WHOLE, PREFIX, Law.ALGEBRA, ("cut_below", "seen", "hidden")),
    Line("prefix", Z["t", "c"], PREFIX_MIX / PREFIX, Law.ALGEBRA, ("output", "above", "below"), result=True),
    Line("from_cache", R["t", "j"], Sum("a", D, Q["t", "a"] * OLD_K["j", "a"]), Law.DEFINITION),
    Line("same_scores", R["t", "j"], S["t", "j"], Law.ALGEBRA, ("from_cache", "cache", "scores")),
    Line("cached_row", Y["t", "c"], CACHED, Law.DEFINITION),
    Line(
        "same_row", Y["t", "c"], Z["t", "c"], Law.ALGEBRA, ("cached_row", "same_scores", "cache", "prefix"), result=True
    ),
)
SCORES = ((1, 5, 5, 5), (0, 2, 5, 5), (1, 1, 1, 5), (0, 1, 2, 3))
VALUES = ((4,), (8,), (0,), (2,))
TRIANGLE = tuple(tuple(int(j <= i) for j in range(4)) for i in range(4))


def proof(seed: int) -> Proof:
    """The derivation."""
    row = {"n": 4, "S": SCORES, "V": VALUES, "M": TRIANGLE, "c": 1}
    zeros = ((0,), (0,))
    two = {"n": 2, "d_k": 1, "d_v": 1, "t": 1, "c": 1, "Q": zeros, "K": zeros, "V": ((0,), (1,))}
    return Proof(
        topic="causal-prefix",
        assumptions=(
            Assumption("seen", ((SEEN["t", "j"], ONE),), within=("j", ONE, T)),
            Assumption("hidden", ((SEEN["t", "j"], ZERO),), within=("j", T + 1, N)),
            Assumption("cache", ((OLD_K["j", "a"], K["j", "a"]), (OLD_V["j", "c"], V["j", "c"]))),
        ),
        lines=LINES,
        counterexamples=(
            counterexample("seen", LINES, "prefix", at(**two | {"t": 2}, M=((1, 0), (0, 1)))),
            counterexample("hidden", LINES, "prefix", at(**two, M=((1, 1), (1, 1)))),
            counterexample(
                "cache",
                LINES,
                "same_row",
                at(**two | {"t": 2}, M=((1, 0), (1, 1)), old_K=((0,), (0,)), old_V=((0,), (2,))),
            ),
        ),
        tables=(
            tabulated(
                "rows",
                (T, (Z["t", "c"], WHOLE_MIX / WHOLE), (Y["t", "c"], PREFIX_MIX / PREFIX)),
                [at(**row, t=place) for place in (1, 2, 3, 4)],
            ),
        ),
        questions=(
            asked("first", PREFIX_MIX / PREFIX, seed, n=(4,), S=(SCORES,), V=(VALUES,), c=(1,), t=(1, 3)),
            Question("recompute"),
            Question("later"),
        ),
        terms=(("n", N), ("K", K), ("V", V), ("Z", Z), ("Y", Y), ("M_tj", SEEN["t", "j"])),
    )
