"""Attention asks for no order: rearranged tokens give rearranged outputs; masks and positions end that."""

from __future__ import annotations

from symattn.derive.numbers_in import asked, at, counterexample, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import ONE, ZERO, Array, Image, Index, Letter, Sum, Term, exp

N, D = Letter("n", "n", "natural"), Letter("d_k", "d_k", "natural")
I = Letter("i", "i", "natural")  # noqa: E741 - the index of a row
PI = Array("pi", r"\pi", ("n",), "map")
Q, K = Array("Q", "Q", ("n", "d_k")), Array("K", "K", ("n", "d_k"))
V, S, Z = Array("V", "V", ("n", "d_v")), Array("S", "S", ("n", "n")), Array("Z", "Z", ("n", "d_v"))
NEW_Q, NEW_K = Array("new_Q", "Q'", ("n", "d_k")), Array("new_K", "K'", ("n", "d_k"))
NEW_V, NEW_S, NEW_Z = (
    Array("new_V", "V'", ("n", "d_v")),
    Array("new_S", "S'", ("n", "n")),
    Array("new_Z", "Z'", ("n", "d_v")),
)
SEEN, BIAS = Array("M", "M", ("n", "n")), Array("B", "B", ("n", "n"))


def image(index: str) -> Image:
    """The place whose token comes to this place."""
    return Image("pi", index)


def row(scores: Array, values: Array, i: Index) -> Term:
    """The output of row i where nothing goes by places."""
    return Sum("j", N, exp(scores[i, "j"]) * values["j", "c"]) / Sum("j", N, exp(scores[i, "j"]))


def placed(scores: Array, values: Array) -> Term:
    """The output of row i, with a mask and a bias that go by places."""
    power = exp(scores["i", "j"] + BIAS["i", "j"]) * SEEN["i", "j"]
    return Sum("j", N, power * values["j", "c"]) / Sum("j", N, power)


MOVED = Sum("j", N, exp(S[image("i"), image("j")]) * V[image("j"), "c"]) / Sum("j", N, exp(S[image("i"), image("j")]))


LINES = (
    Line("scores", S["i", "j"], Sum("a", D, Q["i", "a"] * K["j", "a"]), Law.DEFINITION),
    Line("output", Z["i", "c"], placed(S, V), Law.DEFINITION),
    Line("plain_output", Z["i", "c"], row(S, V, "i"), Law.ALGEBRA, ("output", "unmasked", "unplaced")),
    Line("new_queries", NEW_Q["i", "a"], Q[image("i"), "a"], Law.DEFINITION),
    Line("new_keys", NEW_K["i", "a"], K[image("i"), "a"], Law.DEFINITION),
    Line("new_values", NEW_V["i", "c"], V[image("i"), "c"], Law.DEFINITION),
    Line("new_scores", NEW_S["i", "j"], Sum("a", D, NEW_Q["i", "a"] * NEW_K["j", "a"]), Law.DEFINITION),
    Line(
        "scores_move",
        NEW_S["i", "j"],
        S[image("i"), image("j")],
        Law.ALGEBRA,
        ("new_scores", "new_queries", "new_keys", "scores"),
    ),
    Line("new_output", NEW_Z["i", "c"], placed(NEW_S, NEW_V), Law.DEFINITION),
    Line(
        "named_by_images",
        NEW_Z["i", "c"],
        MOVED,
        Law.ALGEBRA,
        ("new_output", "scores_move", "new_values", "unmasked", "unplaced"),
    ),
    Line(
        "moves_along",
        NEW_Z["i", "c"],
        Z[image("i"), "c"],
        Law.REORDERING,
        ("named_by_images", "plain_output", "rearranged"),
        result=True,
    ),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    zeros = ((0, 0), (0, 0))
    swap = {
        "n": 2, "d_k": 2, "d_v": 1, "i": 1, "c": 1, "pi": (2, 1), "Q": zeros, "K": zeros, "V": ((0,), (1,)),
        "M": ((1, 1), (1, 1)), "B": zeros,
    }  # fmt: skip
    three = {"n": 3, "c": 1, "pi": (2, 3, 1), "S": ((1, 0, 1), (0, 1, 1), (1, 1, 2)), "V": ((6,), (0,), (3,))}
    whole = row(S, V, image("i"))
    return Proof(
        topic="permutation",
        assumptions=(
            Assumption("rearranged", rearranges=("pi",)),
            Assumption("unmasked", ((SEEN["i", "j"], ONE),)),
            Assumption("unplaced", ((BIAS["i", "j"], ZERO),)),
        ),
        lines=LINES,
        counterexamples=(
            counterexample("rearranged", LINES, "moves_along", at(**swap | {"pi": (2, 2)})),
            counterexample("unmasked", LINES, "moves_along", at(**swap | {"M": ((1, 0), (1, 1))})),
            counterexample("unplaced", LINES, "moves_along", at(**swap | {"B": ((0, -1), (0, 0))})),
        ),
        tables=(
            tabulated(
                "three",
                (I, PI["i"], (NEW_Z["i", "c"], MOVED), (Z[image("i"), "c"], whole)),
                [at(**three, i=place) for place in (1, 2, 3)],
            ),
        ),
        questions=(
            asked(
                "moved",
                MOVED,
                seed,
                n=(3,),
                c=(1,),
                i=(1, 2, 3),
                pi=((3, 1, 2), (2, 1, 3), (1, 3, 2)),
                S=(three["S"],),
                V=(three["V"],),
            ),
            Question("tell"),
        ),
        terms=(("pi", PI), ("pi_i", PI["i"]), ("Z", Z), ("i", I), ("M_ij", SEEN["i", "j"]), ("B_ij", BIAS["i", "j"])),
    )
