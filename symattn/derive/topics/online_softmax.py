"""Softmax block by block: a running maximum, sum and output give the whole row, however it is cut."""

from __future__ import annotations

from symattn.derive.numbers_in import asked, at, counterexample, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import Array, Letter, Sum, Term, exp

K, N = Letter("k", "k", "natural"), Letter("n", "n", "natural")
S, V = Array("s", "s", ("n",)), Array("v", "v", ("n",))
M_1, M_2, M = Letter("m_1", "m_1"), Letter("m_2", "m_2"), Letter("m", "m")
L_1, L_2, L = (
    Letter("l_1", r"\ell_1", "positive"),
    Letter("l_2", r"\ell_2", "positive"),
    Letter("l", r"\ell", "positive"),
)
O_1, O_2, MIXED = Letter("o_1", "o_1"), Letter("o_2", "o_2"), Letter("o", "o")


def power(shift: Letter) -> Term:
    """e to a score less a running maximum."""
    return exp(S["j"] - shift)


ALL, ALL_MIXED = Sum("j", N, power(M)), Sum("j", N, power(M) * V["j"])
SOFTMAX = Sum("j", N, exp(S["j"]) * V["j"]) / Sum("j", N, exp(S["j"]))
SUM_1, SUM_2 = Sum("j", K, power(M_1)), Sum("j", N, power(M_2), K + 1)
MIX_1, MIX_2 = Sum("j", K, power(M_1) * V["j"]), Sum("j", N, power(M_2) * V["j"], K + 1)
JOINED_SUM = exp(M_1 - M) * SUM_1 + exp(M_2 - M) * SUM_2
JOINED_MIX = exp(M_1 - M) * MIX_1 + exp(M_2 - M) * MIX_2

LINES = (
    Line("first_sum", L_1, SUM_1, Law.DEFINITION),
    Line("first_mix", O_1, MIX_1, Law.DEFINITION),
    Line("second_sum", L_2, SUM_2, Law.DEFINITION),
    Line("second_mix", O_2, MIX_2, Law.DEFINITION),
    Line("joined_sum", L, exp(M_1 - M) * L_1 + exp(M_2 - M) * L_2, Law.DEFINITION),
    Line("joined_mix", MIXED, exp(M_1 - M) * O_1 + exp(M_2 - M) * O_2, Law.DEFINITION),
    Line("cut_sum", ALL, Sum("j", K, power(M)) + Sum("j", N, power(M), K + 1), Law.SPLITTING),
    Line("cut_mix", ALL_MIXED, Sum("j", K, power(M) * V["j"]) + Sum("j", N, power(M) * V["j"], K + 1), Law.SPLITTING),
    Line("sum", L, ALL, Law.ALGEBRA, ("joined_sum", "first_sum", "second_sum", "cut_sum"), result=True),
    Line("mix", MIXED, ALL_MIXED, Law.ALGEBRA, ("joined_mix", "first_mix", "second_mix", "cut_mix"), result=True),
    Line("output", MIXED / L, SOFTMAX, Law.ALGEBRA, ("mix", "sum"), result=True),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    scores, values = (1, 3, 0, 2, 2), (10, 0, 4, 6, 8)
    row = {"n": 5, "s": scores, "v": values}
    cuts = [at(**row, k=k, m_1=max(scores[:k]), m_2=max(scores[k:]), m=max(scores)) for k in range(1, len(scores))]
    pair = at(n=2, k=1, s=(0, 1), v=(0, 1), m_1=0, m_2=1, m=1)
    return Proof(
        topic="online-softmax",
        assumptions=(Assumption("rescaled"),),
        lines=LINES,
        counterexamples=(counterexample("rescaled", (MIX_1 + MIX_2) / (SUM_1 + SUM_2), SOFTMAX, pair),),
        tables=(
            tabulated(
                "cuts",
                (K, M_1, M_2, (L_1, SUM_1), (L_2, SUM_2), (L, JOINED_SUM), (MIXED / L, JOINED_MIX / JOINED_SUM)),
                cuts,
            ),
        ),
        questions=(
            asked("factor", exp(M_1 - M), seed, m_1=(0, 1), m=(2, 3)),
            Question("order"),
            Question("any"),
        ),
        terms=(("s_j", S["j"]), ("factor_1", exp(M_1 - M)), ("output", MIXED / L)),
    )
