"""The gradients of attention: dV, dA, dT, dQ and dK from dZ, for any sizes; then by hand on three tokens."""

from __future__ import annotations

from collections.abc import Callable

from symattn.derive.algebra import derivative
from symattn.derive.numbers_in import asked, at, counterexample, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question, Tabulated
from symattn.statements.terms import (
    ONE,
    Array,
    Delta,
    Derivative,
    Index,
    Letter,
    Sum,
    Term,
    exp,
    sqrt,
)

N, M = Letter("n_q", "n_q", "natural"), Letter("n_k", "n_k", "natural")
D, E = Letter("d_k", "d_k", "natural"), Letter("d_v", "d_v", "natural")
SCALE = Letter("scale", r"\tau", "positive")
I, J = Letter("i", "i", "natural"), Letter("j", "j", "natural")  # noqa: E741 - indices of rows
Q, K = Array("Q", "Q", ("n_q", "d_k")), Array("K", "K", ("n_k", "d_k"))
V, Z = Array("V", "V", ("n_k", "d_v")), Array("Z", "Z", ("n_q", "d_v"))
T, A = Array("T", "T", ("n_q", "n_k")), Array("A", "A", ("n_q", "n_k"), "positive")
D_Z, D_A, D_T, D_Q, D_K, D_V = (Array(f"d{of.name}", rf"\mathrm{{d}}{of.tex}", of.shape) for of in (Z, A, T, Q, K, V))


def score(i: Index, j: Index) -> Term:
    """A scaled score."""
    return SCALE * Sum("a", D, Q[i, "a"] * K[j, "a"])


def weight(i: Index, j: Index) -> Term:
    """A weight, from queries and keys."""
    return exp(score(i, j)) / Sum("l", M, exp(score(i, "l")))


def slope_of_weight(i: Index, j: Index) -> Term:
    """The gradient of a weight, from the values and that of the output."""
    return Sum("c", E, D_Z[i, "c"] * V[j, "c"])


def slope_of_score(i: Index, j: Index) -> Term:
    """The gradient of a scaled score, from given arrays alone."""
    return weight(i, j) * (slope_of_weight(i, j) - Sum("m", M, slope_of_weight(i, "m") * weight(i, "m")))


def slope_of_value(j: Index, c: Index) -> Term:
    """The gradient of a value."""
    return Sum("i", N, weight("i", j) * D_Z["i", c])


def slope_of_query(i: Index, a: Index) -> Term:
    """The gradient of a query."""
    return SCALE * Sum("j", M, slope_of_score(i, "j") * K["j", a])


def slope_of_key(j: Index, a: Index) -> Term:
    """The gradient of a key."""
    return SCALE * Sum("i", N, slope_of_score("i", j) * Q["i", a])


OUTPUT = Sum("j", M, A["i", "j"] * V["j", "c"])
SOFTMAX = exp(T["i", "j"]) / Sum("l", M, exp(T["i", "l"]))
BY_V = Derivative(Z["i", "b"], V["j", "c"])
BY_A = Derivative(Z["k", "c"], A["i", "j"])
BY_T = Derivative(A["k", "l"], T["i", "j"])
BY_Q = Derivative(T["k", "j"], Q["i", "a"])
BY_K = Derivative(T["i", "l"], K["j", "a"])
TO_VALUES = Sum("i", N, A["i", "j"] * D_Z["i", "c"])
TO_WEIGHTS = Sum("c", E, D_Z["i", "c"] * V["j", "c"])
TO_SCORES = A["i", "j"] * (D_A["i", "j"] - Sum("l", M, D_A["i", "l"] * A["i", "l"]))
TO_QUERIES = SCALE * Sum("j", M, D_T["i", "j"] * K["j", "a"])
TO_KEYS = SCALE * Sum("i", N, D_T["i", "j"] * Q["i", "a"])


def _softmax(i: Index, j: Index) -> Term:
    return exp(T[i, j]) / Sum("m", M, exp(T[i, "m"]))


def _mix(i: Index, c: Index) -> Term:
    return Sum("m", M, A[i, "m"] * V["m", c])


def _dot(i: Index, j: Index) -> Term:
    return SCALE * Sum("e", D, Q[i, "e"] * K[j, "e"])


_VALUES = (
    Line("chain_v", D_V["j", "c"], Sum("i", N, Sum("b", E, D_Z["i", "b"] * BY_V)), Law.CHAIN_RULE, ("through",)),
    Line("slope_v", BY_V, derivative(Derivative(_mix("i", "b"), V["j", "c"])), Law.DERIVATIVE, ("output",)),
    Line("picked_v", BY_V, A["i", "j"] * Delta("b", "c"), Law.SIFTING, ("slope_v",)),
    Line("values", D_V["j", "c"], TO_VALUES, Law.SIFTING, ("chain_v", "picked_v"), result=True),
)
_WEIGHTS = (
    Line("chain_a", D_A["i", "j"], Sum("k", N, Sum("c", E, D_Z["k", "c"] * BY_A)), Law.CHAIN_RULE, ("through",)),
    Line("slope_a", BY_A, derivative(Derivative(_mix("k", "c"), A["i", "j"])), Law.DERIVATIVE, ("output",)),
    Line("picked_a", BY_A, Delta("i", "k") * V["j", "c"], Law.SIFTING, ("slope_a",)),
    Line("to_weights", D_A["i", "j"], TO_WEIGHTS, Law.SIFTING, ("chain_a", "picked_a"), result=True),
)
_SCORES = (
    Line("chain_t", D_T["i", "j"], Sum("k", N, Sum("l", M, D_A["k", "l"] * BY_T)), Law.CHAIN_RULE, ("through",)),
    Line("slope_t", BY_T, derivative(Derivative(_softmax("k", "l"), T["i", "j"])), Law.DERIVATIVE, ("weights",)),
    Line(
        "picked_t",
        BY_T,
        Delta("i", "k") * A["i", "l"] * (Delta("j", "l") - A["i", "j"]),
        Law.SIFTING,
        ("slope_t", "weights"),
    ),
    Line("to_scores", D_T["i", "j"], TO_SCORES, Law.SIFTING, ("chain_t", "picked_t"), result=True),
)
_QUERIES = (
    Line("chain_q", D_Q["i", "a"], Sum("k", N, Sum("j", M, D_T["k", "j"] * BY_Q)), Law.CHAIN_RULE, ("through",)),
    Line("slope_q", BY_Q, derivative(Derivative(_dot("k", "j"), Q["i", "a"])), Law.DERIVATIVE, ("scores",)),
    Line("picked_q", BY_Q, SCALE * Delta("i", "k") * K["j", "a"], Law.SIFTING, ("slope_q",)),
    Line("to_queries", D_Q["i", "a"], TO_QUERIES, Law.SIFTING, ("chain_q", "picked_q"), result=True),
)
_KEYS = (
    Line("chain_k", D_K["j", "a"], Sum("i", N, Sum("l", M, D_T["i", "l"] * BY_K)), Law.CHAIN_RULE, ("through",)),
    Line("slope_k", BY_K, derivative(Derivative(_dot("i", "l"), K["j", "a"])), Law.DERIVATIVE, ("scores",)),
    Line("picked_k", BY_K, SCALE * Delta("j", "l") * Q["i", "a"], Law.SIFTING, ("slope_k",)),
    Line("to_keys", D_K["j", "a"], TO_KEYS, Law.SIFTING, ("chain_k", "picked_k"), result=True),
)
LINES = (
    Line("scores", T["i", "j"], score("i", "j"), Law.DEFINITION),
    Line("weights", A["i", "j"], SOFTMAX, Law.DEFINITION),
    Line("output", Z["i", "c"], OUTPUT, Law.DEFINITION),
    *_VALUES,
    *_WEIGHTS,
    *_SCORES,
    *_QUERIES,
    *_KEYS,
)

_NAPKIN = {
    "n_q": 3, "n_k": 3, "d_k": 2, "d_v": 2, "scale": 1 / sqrt(2 * ONE),
    "Q": ((1, 0), (0, 1), (1, 1)), "K": ((1, 0), (0, 1), (1, 1)), "V": ((2, 0), (0, 2), (2, 2)),
    "dZ": ((1, 0), (0, 2), (-1, 1)),
}  # fmt: skip


def _by_hand(of: Array, label: Letter, count: int, gradient: Callable[[Index, Index], Term]) -> Tabulated:
    """A gradient of the three tokens, row by row."""
    cells = [(of[label.name, column], gradient(label.name, column)) for column in range(1, count + 1)]
    return tabulated(of.name, (label, *cells), [at(**_NAPKIN | {label.name: place}) for place in (1, 2, 3)])


def proof(seed: int) -> Proof:
    """The derivation."""
    seen_twice = D_Z[1, 1] * (A[1, 1] * V[1, 1]) + D_Z[1, 1] * V[1, 1]
    one = {
        "n_q": 1,
        "n_k": 1,
        "d_v": 1,
        "j": 1,
        "c": 1,
        "A": ((1,),),
        "V": ((3,),),
        "dZ": ((1,),),
        "dV": ((Derivative(seen_twice, V[1, 1]),),),
    }
    rows = (("1/4", "1/2", "1/4"), ("1/2", "1/4", "1/4"), ("1/5", "2/5", "2/5"))
    return Proof(
        topic="attention-backward",
        assumptions=(Assumption("through", gradients=tuple((f"d{of.name}", of.name) for of in (Z, A, T, Q, K, V))),),
        lines=LINES,
        ranges=(
            *((index, size) for size, indices in (("n_q", "ik"), ("n_k", "jl"), ("d_v", "bc")) for index in indices),
            ("a", "d_k"),
        ),
        counterexamples=(counterexample("through", LINES, "values", at(**one)),),
        tables=(
            _by_hand(D_V, J, 2, slope_of_value),
            _by_hand(D_A, I, 3, slope_of_weight),
            _by_hand(D_T, I, 3, slope_of_score),
            _by_hand(D_Q, I, 2, slope_of_query),
            _by_hand(D_K, J, 2, slope_of_key),
        ),
        questions=(
            asked(
                "score", TO_SCORES, seed, n_k=(3,), i=(1,), j=(1, 2), A=tuple((row,) for row in rows),
                dA=(((4, 2, 8),), ((0, 4, 4),)),
            ),
            Question("row"),
            Question("saturated"),
        ),
        terms=(("scale", SCALE), *((of.name, of) for of in (Z, A, T, Q, K, V, D_Z, D_A, D_T, D_Q, D_K, D_V))),
    )  # fmt: skip
