"""Attention asks for no order: rearranged tokens give rearranged outputs; masks and positions end that."""

from __future__ import annotations

from symattn.derive.numbers_in import at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import Array, Image, Index, Letter, Sum, Term, exp

N, D = Letter("n", "n", "natural"), Letter("d_k", "d_k", "natural")
I = Letter("i", "i", "natural")  # noqa: E741 - the index of a row
PI = Array("pi", r"\pi", ("n",))
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
    """The output of row i."""
    return Sum("j", N, exp(scores[i, "j"]) * values["j", "c"]) / Sum("j", N, exp(scores[i, "j"]))


MOVED = Sum("j", N, exp(S[image("i"), image("j")]) * V[image("j"), "c"]) / Sum("j", N, exp(S[image("i"), image("j")]))


def masked(i: Index, column: Index, mask: Index, hidden: Index) -> Term:
    """A row with a mask that stays where it is: by places, while tokens move."""
    power = exp(S[i, column]) * SEEN[mask, hidden]
    return Sum("j", N, power * V[column, "c"]) / Sum("j", N, power)


def biased(i: Index, column: Index, place: Index, other: Index) -> Term:
    """A row with a bias that goes by places, while tokens move."""
    power = exp(S[i, column] + BIAS[place, other])
    return Sum("j", N, power * V[column, "c"]) / Sum("j", N, power)


LINES = (
    Line("scores", S["i", "j"], Sum("a", D, Q["i", "a"] * K["j", "a"]), Law.DEFINITION),
    Line("output", Z["i", "c"], row(S, V, "i"), Law.DEFINITION),
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
    Line("new_output", NEW_Z["i", "c"], row(NEW_S, NEW_V, "i"), Law.DEFINITION),
    Line("named_by_images", NEW_Z["i", "c"], MOVED, Law.ALGEBRA, ("new_output", "scores_move", "new_values")),
    Line(
        "moves_along",
        NEW_Z["i", "c"],
        Z[image("i"), "c"],
        Law.REORDERING,
        ("named_by_images", "output", "rearranged"),
        result=True,
    ),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    del seed  # its exercises hold no numbers
    swap = {"n": 2, "i": 1, "c": 1, "pi": (2, 1), "S": ((0, 0), (0, 0)), "V": ((0,), (1,))}
    three = {"n": 3, "c": 1, "pi": (2, 3, 1), "S": ((1, 0, 1), (0, 1, 1), (1, 1, 2)), "V": ((6,), (0,), (3,))}
    whole = row(S, V, image("i"))
    return Proof(
        topic="permutation",
        assumptions=(Assumption("rearranged", rearranges=("pi",)), Assumption("unmasked"), Assumption("unplaced")),
        lines=LINES,
        counterexamples=(
            counterexample("rearranged", MOVED, whole, at(**swap | {"pi": (2, 2)})),
            counterexample(
                "unmasked",
                masked(image("i"), image("j"), "i", "j"),
                masked(image("i"), "j", image("i"), "j"),
                at(**swap, M=((1, 0), (1, 1))),
            ),
            counterexample(
                "unplaced",
                biased(image("i"), image("j"), "i", "j"),
                biased(image("i"), "j", image("i"), "j"),
                at(**swap, B=((0, -1), (0, 0))),
            ),
        ),
        tables=(
            tabulated(
                "three",
                (I, PI["i"], (NEW_Z["i", "c"], MOVED), (Z[image("i"), "c"], whole)),
                [at(**three, i=place) for place in (1, 2, 3)],
            ),
        ),
        questions=(
            Question("swapped", answer=instance(MOVED, at(**three, i=1))),
            Question("tell"),
        ),
        terms=(("pi", PI), ("pi_i", PI["i"]), ("Z", Z), ("i", I)),
    )
