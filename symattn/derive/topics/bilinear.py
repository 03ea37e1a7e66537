"""Scores are X (W_Q W_K^T) X^T: their rank is at most d_k, and only the product of the two tables matters."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import Array, Delta, Letter, Rank, Sum

D, D_K, N = (
    Letter("d_model", r"d_{\mathrm{model}}", "natural"),
    Letter("d_k", "d_k", "natural"),
    Letter("n", "n", "natural"),
)
X = Array("X", "X", ("n", "d_model"))
W_Q, W_K = Array("W_Q", r"W^Q", ("d_model", "d_k")), Array("W_K", r"W^K", ("d_model", "d_k"))
Q, K = Array("Q", "Q", ("n", "d_k")), Array("K", "K", ("n", "d_k"))
S, B = Array("S", "S", ("n", "n")), Array("B", "B", ("d_model", "d_model"))
R, T = Array("R", "R", ("d_k", "d_k")), Array("T", "T", ("d_k", "d_k"))
OTHER_Q, OTHER_K = Array("V_Q", r"\tilde W^Q", ("d_model", "d_k")), Array("V_K", r"\tilde W^K", ("d_model", "d_k"))
OTHER_B = Array("B'", r"\tilde B", ("d_model", "d_model"))
TURNED = Sum("e", D_K, R["c", "e"] * T["f", "e"])
BOTH = Sum("c", D_K, Sum("f", D_K, W_Q["a", "c"] * W_K["b", "f"] * TURNED))

LINES = (
    Line("queries", Q["i", "c"], Sum("a", D, X["i", "a"] * W_Q["a", "c"]), Law.DEFINITION),
    Line("keys", K["j", "c"], Sum("b", D, X["j", "b"] * W_K["b", "c"]), Law.DEFINITION),
    Line("scores", S["i", "j"], Sum("c", D_K, Q["i", "c"] * K["j", "c"]), Law.DEFINITION),
    Line("table", B["a", "b"], Sum("c", D_K, W_Q["a", "c"] * W_K["b", "c"]), Law.DEFINITION),
    Line(
        "bilinear",
        S["i", "j"],
        Sum("a", D, Sum("b", D, X["i", "a"] * B["a", "b"] * X["j", "b"])),
        Law.ALGEBRA,
        ("scores", "queries", "keys", "table"),
        result=True,
    ),
    Line("rank", Rank(S["i", "j"]), D_K, Law.RANK, ("scores",), "<=", result=True),
    Line("rank_of_table", Rank(B["a", "b"]), D_K, Law.RANK, ("table",), "<=", result=True),
    Line("other_queries", OTHER_Q["a", "e"], Sum("c", D_K, W_Q["a", "c"] * R["c", "e"]), Law.DEFINITION),
    Line("other_keys", OTHER_K["b", "e"], Sum("f", D_K, W_K["b", "f"] * T["f", "e"]), Law.DEFINITION),
    Line("other_table", OTHER_B["a", "b"], Sum("e", D_K, OTHER_Q["a", "e"] * OTHER_K["b", "e"]), Law.DEFINITION),
    Line("sorted", OTHER_B["a", "b"], BOTH, Law.ALGEBRA, ("other_table", "other_queries", "other_keys")),
    Line(
        "sifted",
        OTHER_B["a", "b"],
        Sum("c", D_K, W_Q["a", "c"] * W_K["b", "c"]),
        Law.SIFTING,
        ("sorted", "inverse"),
    ),
    Line("same", OTHER_B["a", "b"], B["a", "b"], Law.ALGEBRA, ("sifted", "table"), result=True),
)
TOKENS = ((1, 0, 2), (0, 1, 1), (1, 1, 0), (2, -1, 1))
QUERY_TABLE, KEY_TABLE = ((1, 2, 0), (0, 1, 1), (1, 0, 3)), ((2, 0, 1), (1, 1, 0), (0, 1, 1))


def _scores(width: int) -> list[list[Fraction]]:
    """The scores of four tokens whose tables keep so many columns."""

    def projected(table: Sequence[Sequence[int]]) -> list[list[int]]:
        return [
            [sum(x * row[c] for x, row in zip(token, table, strict=True)) for c in range(width)] for token in TOKENS
        ]

    queries, keys = projected(QUERY_TABLE), projected(KEY_TABLE)
    return [[Fraction(sum(q * k for q, k in zip(query, key, strict=True))) for key in keys] for query in queries]


def proof(seed: int) -> Proof:
    """The derivation."""
    one = {"d_model": 1, "d_k": 1, "W_Q": [[3]], "W_K": [[5]], "a": 1, "b": 1}
    return Proof(
        topic="bilinear",
        assumptions=(Assumption("inverse", ((TURNED, Delta("c", "f")),)),),
        lines=LINES,
        ranges=(("i", "n"), ("j", "n"), ("a", "d_model"), ("b", "d_model"), ("c", "d_k"), ("f", "d_k")),
        counterexamples=(counterexample("inverse", LINES, "same", at(**one, R=[[2]], T=[[1]])),),
        tables=(
            tabulated("ranks", (D_K, Rank(S["i", "j"])), [at(d_k=width, S=_scores(width)) for width in (1, 2, 3)]),
        ),
        questions=(
            Question("rank", answer=instance(Rank(S["i", "j"]), at(S=_scores(1)))),
            asked("store", 2 * D * D_K, seed, d_model=(512, 768, 1024), d_k=(64, 128)),
        ),
        terms=(("W_Q", W_Q), ("W_K", W_K), ("R", R), ("T", T), ("S", S), ("X", X), ("B", B)),
    )
