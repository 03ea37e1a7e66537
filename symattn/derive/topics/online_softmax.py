"""Softmax block by block: a running maximum, sum and output give the whole row, for any number of blocks."""

from __future__ import annotations

from itertools import pairwise

from symattn.derive.numbers_in import asked, at, counterexample, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import ONE, Array, Index, Item, Letter, Next, Sum, Term, exp

ENDS = Array("e", "e", ("blocks",), "natural")
S, V = Array("s", "s", ("n",)), Array("v", "v", ("n",))
TOP, RUNNING = Array("h", "h", ("blocks",)), Array("m", "m", ("blocks",))
L, O = Array("l", r"\ell", ("blocks",)), Array("o", "o", ("blocks",))  # noqa: E741 - the letters of papers
OWN_SUM, OWN_MIX = Array("a", "a", ("blocks",)), Array("c", "c", ("blocks",))
OLD, NEW = Array("f", "f", ("blocks",), "positive"), Array("g", "g", ("blocks",), "positive")


def power(shift: Item) -> Term:
    """e to a score less what is subtracted."""
    return exp(S["j"] - shift)


def whole(b: Index) -> Sum:
    """The sum of the exponentials up to the end of block b."""
    return Sum("j", ENDS[b], power(RUNNING[b]))


def whole_mix(b: Index) -> Sum:
    """The mix of the values up to the end of block b."""
    return Sum("j", ENDS[b], power(RUNNING[b]) * V["j"])


def cut(total: Sum) -> Term:
    """The sum up to the end of the block after B in two: up to the end of B, and the rest."""
    return Sum("j", ENDS["B"], total.body) + Sum("j", total.high, total.body, ENDS["B"] + 1)


AFTER, THEN = Next("b"), Next("B")
SOFTMAX = Sum("j", ENDS["b"], exp(S["j"]) * V["j"]) / Sum("j", ENDS["b"], exp(S["j"]))
FROM = ENDS["b"] + 1
BLOCK = Letter("b", "b", "natural")

LINES = (
    Line("first_sum", L[1], whole(1), Law.DEFINITION),
    Line("first_mix", O[1], whole_mix(1), Law.DEFINITION),
    Line("own_sum", OWN_SUM[AFTER], Sum("j", ENDS[AFTER], power(TOP[AFTER]), FROM), Law.DEFINITION),
    Line("own_mix", OWN_MIX[AFTER], Sum("j", ENDS[AFTER], power(TOP[AFTER]) * V["j"], FROM), Law.DEFINITION),
    Line("joined_sum", L[AFTER], OLD[AFTER] * L["b"] + NEW[AFTER] * OWN_SUM[AFTER], Law.RECURSION, ("first_sum",)),
    Line("joined_mix", O[AFTER], OLD[AFTER] * O["b"] + NEW[AFTER] * OWN_MIX[AFTER], Law.RECURSION, ("first_mix",)),
    Line("suppose_sum", L["B"], whole("B"), Law.HYPOTHESIS),
    Line("cut_sum", whole(THEN), cut(whole(THEN)), Law.SPLITTING, ("order",)),
    Line(
        "next_sum", L[THEN], whole(THEN), Law.ALGEBRA, ("joined_sum", "own_sum", "suppose_sum", "rescaled", "cut_sum")
    ),
    Line("sum", L["b"], whole("b"), Law.INDUCTION, ("first_sum", "next_sum"), result=True),
    Line("suppose_mix", O["B"], whole_mix("B"), Law.HYPOTHESIS),
    Line("cut_mix", whole_mix(THEN), cut(whole_mix(THEN)), Law.SPLITTING, ("order",)),
    Line(
        "next_mix",
        O[THEN],
        whole_mix(THEN),
        Law.ALGEBRA,
        ("joined_mix", "own_mix", "suppose_mix", "rescaled", "cut_mix"),
    ),
    Line("mix", O["b"], whole_mix("b"), Law.INDUCTION, ("first_mix", "next_mix"), result=True),
    Line("output", O["b"] / L["b"], SOFTMAX, Law.ALGEBRA, ("mix", "sum"), result=True),
)
SCORES, VALUES = (1, 0, 3, 2, 4), (10, 0, 4, 6, 8)


def read(*ends: int) -> dict[str, object]:
    """Five keys cut after these, each block with its own maximum and that of what has been read."""
    blocks = [SCORES[start:stop] for start, stop in zip((0, *ends), ends, strict=False)]
    top, running = [max(block) for block in blocks], [max(SCORES[:stop]) for stop in ends]
    old = [ONE, *(exp(ONE * (before - now)) for before, now in pairwise(running))]
    new = [exp(ONE * (own - now)) for own, now in zip(top, running, strict=True)]
    row = {"n": len(SCORES), "s": SCORES, "v": VALUES, "blocks": len(ends)}
    return row | {"e": ends, "h": top, "m": running, "f": old, "g": new}


def proof(seed: int) -> Proof:
    """The derivation."""
    pair = {"n": 2, "blocks": 2, "b": 2, "s": (0, 1), "v": (0, 1), "h": (0, 1), "m": (0, 1)}
    factors = {"f": (ONE, exp(-ONE)), "g": (ONE, ONE)}
    return Proof(
        topic="online-softmax",
        assumptions=(
            Assumption("order", at_least_zero=(ENDS[AFTER] - ENDS["b"],)),
            Assumption(
                "rescaled",
                (
                    (OLD[AFTER], exp(RUNNING["b"] - RUNNING[AFTER])),
                    (NEW[AFTER], exp(TOP[AFTER] - RUNNING[AFTER])),
                ),
            ),
        ),
        lines=LINES,
        counterexamples=(
            counterexample("order", LINES, "sum", at(**pair | factors, e=(2, 1))),
            counterexample("rescaled", LINES, "sum", at(**pair, e=(1, 2), f=(1, 1), g=(1, 1))),
        ),
        tables=(
            tabulated(
                "blocks",
                (BLOCK, ENDS["b"], TOP["b"], RUNNING["b"], L["b"], O["b"], O["b"] / L["b"]),
                [at(**read(2, 4, 5), b=block) for block in (1, 2, 3)],
                LINES,
            ),
        ),
        questions=(
            asked("factor", exp(RUNNING[1] - RUNNING[2]), seed, m=((0, 2), (1, 3), (0, 3), (1, 2))),
            Question("order"),
            Question("any"),
        ),
        terms=(
            *((f"{array.name}_b", array["b"]) for array in (ENDS, TOP, RUNNING, L, O)),
            *((f"{array.name}_after", array[AFTER]) for array in (ENDS, TOP)),
            ("s_j", S["j"]),
            ("e_1", ENDS[1]),
        ),
    )
