"""Mean, variance and excess kurtosis of a dot product of independent entries, for any d_k."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from sympy.stats import E, Normal

from symattn.derive.algebra import expanded, limit
from symattn.derive.numbers_in import asked, at, counterexample, equally_likely, instance, tabulated
from symattn.statements.proof import Assumption, Curves, Law, Line, Proof, Question, Setting
from symattn.statements.terms import ONE, ZERO, Array, Letter, Limit, Sum, cumulant, mean, sqrt, variance

D = Letter("d_k", "d_k", "natural")
S = Letter("s", "s", "random")
Q = Array("q", "q", ("d_k",), "random")
K = Array("k", "k", ("d_k",), "random")
MU_Q, MU_K = Letter("mu_q", r"\mu_q"), Letter("mu_k", r"\mu_k")
SIGMA_Q, SIGMA_K = Letter("sigma_q", r"\sigma_q", "positive"), Letter("sigma_k", r"\sigma_k", "positive")
FOURTH_Q, FOURTH_K = Letter("m_q", "m_q", "positive"), Letter("m_k", "m_k", "positive")
PRODUCT = Q["i"] * K["i"]
DOT = Sum("i", D, PRODUCT)
EACH = expanded((SIGMA_Q**2 + MU_Q**2) * (SIGMA_K**2 + MU_K**2) - MU_Q**2 * MU_K**2)
EXCESS = cumulant(S) / variance(S) ** 2
SHAPE = (FOURTH_Q * FOURTH_K - 3) / D

LINES = (
    Line("score", S, DOT, Law.DEFINITION),
    Line("mean_of_sum", mean(S), Sum("i", D, mean(PRODUCT)), Law.LINEARITY, ("score",)),
    Line("mean_of_product", mean(PRODUCT), mean(Q["i"]) * mean(K["i"]), Law.INDEPENDENCE, ("independent",)),
    Line("mean", mean(S), D * MU_Q * MU_K, Law.COUNTING, ("mean_of_sum", "mean_of_product", "means"), result=True),
    Line("sum", variance(S), Sum("i", D, variance(PRODUCT)), Law.VARIANCE_ADDS, ("score", "independent")),
    Line("product", variance(PRODUCT), mean(PRODUCT**2) - mean(PRODUCT) ** 2, Law.VARIANCE),
    Line("squares", mean(PRODUCT**2), mean(Q["i"] ** 2) * mean(K["i"] ** 2), Law.INDEPENDENCE, ("independent",)),
    Line("square_q", mean(Q["i"] ** 2), variance(Q["i"]) + mean(Q["i"]) ** 2, Law.VARIANCE),
    Line("square_k", mean(K["i"] ** 2), variance(K["i"]) + mean(K["i"]) ** 2, Law.VARIANCE),
    Line(
        "each",
        variance(PRODUCT),
        EACH,
        Law.ALGEBRA,
        ("product", "squares", "mean_of_product", "square_q", "square_k", "variances", "means"),
    ),
    Line("general", variance(S), D * EACH, Law.COUNTING, ("sum", "each"), result=True),
    Line("variance", variance(S), D, Law.ALGEBRA, ("general", "centred", "unit"), result=True),
    Line("deviation", sqrt(variance(S)), sqrt(D), Law.ALGEBRA, ("variance",), result=True),
    Line("factor", variance(S / sqrt(D)), variance(S) / D, Law.VARIANCE_SCALES),
    Line("scaled", variance(S / sqrt(D)), ONE, Law.ALGEBRA, ("factor", "variance"), result=True),
    Line("cumulants", cumulant(S), Sum("i", D, cumulant(PRODUCT)), Law.CUMULANT_ADDS, ("score", "independent")),
    Line(
        "fourth_cumulant",
        cumulant(PRODUCT),
        mean((PRODUCT - mean(PRODUCT)) ** 4) - 3 * variance(PRODUCT) ** 2,
        Law.CUMULANT,
    ),
    Line(
        "centred_cumulant",
        cumulant(PRODUCT),
        mean(PRODUCT**4) - 3 * variance(PRODUCT) ** 2,
        Law.ALGEBRA,
        ("fourth_cumulant", "mean_of_product", "means", "centred"),
    ),
    Line("fourth_power", mean(PRODUCT**4), mean(Q["i"] ** 4) * mean(K["i"] ** 4), Law.INDEPENDENCE, ("independent",)),
    Line(
        "each_cumulant",
        cumulant(PRODUCT),
        FOURTH_Q * FOURTH_K - 3,
        Law.ALGEBRA,
        ("centred_cumulant", "each", "fourth_power", "fourth", "centred", "unit"),
    ),
    Line("excess", EXCESS, SHAPE, Law.COUNTING, ("cumulants", "each_cumulant", "variance"), result=True),
    Line("shape", Limit(SHAPE, D, "oo"), limit(Limit(SHAPE, D, "oo")), Law.LIMIT, result=True),
)


def law_of_score(entries: tuple[int, ...], width: int) -> list[tuple[Fraction, Mapping[str, Fraction]]]:
    """The values of a dot product whose entries take these values, all combinations counted."""
    counts: Counter[int] = Counter({0: 1})
    for _ in range(width):
        longer: Counter[int] = Counter()
        for (score, count), q, k in product(counts.items(), entries, entries):
            longer[score + q * k] += count
        counts = longer
    return [(Fraction(count, counts.total()), {"s": Fraction(score)}) for score, count in sorted(counts.items())]


def _enumerated(entries: tuple[int, ...]) -> list[Setting]:
    return [at(law_of_score(entries, width), d_k=width) for width in range(1, 7)]


def _pairs(entries: tuple[int, ...], *, same: bool = False) -> list[tuple[Fraction, Mapping[str, object]]]:
    """One entry each of q and k; the same entry twice where ``same``."""
    chosen = [(q, q) for q in entries] if same else list(product(entries, entries))
    return equally_likely({"q": [Fraction(q)], "k": [Fraction(k)]} for q, k in chosen)


def _both(entries: Sequence[int]) -> Mapping[str, object]:
    """The same entries for q and k."""
    return {"q": entries, "k": entries}


def _drawn(first: tuple[int, ...], second: tuple[int, ...]) -> list[tuple[Fraction, Mapping[str, object]]]:
    """Two entries each of q and k, all independent: the first drawn from some values, the second from others."""
    counted = Counter(product(first, second, first, second))
    return [
        (Fraction(count, counted.total()), {"q": entries[:2], "k": entries[2:]}) for entries, count in counted.items()
    ]


def proof(seed: int) -> Proof:
    """The derivation."""
    normal = Fraction(int(E(Normal("z", 0, 1) ** 4)))
    standard = {"d_k": 1, "mu_q": 0, "mu_k": 0, "sigma_q": 1, "sigma_k": 1}
    two = standard | {"d_k": 2, "sigma_q": sqrt(2), "sigma_k": sqrt(2)}
    uneven = {"d_k": 2, "m_q": Fraction(5, 2), "m_k": Fraction(5, 2)}
    return Proof(
        topic="dot-product-variance",
        assumptions=(
            Assumption("independent", independent=("q", "k")),
            Assumption("means", ((mean(Q["i"]), MU_Q), (mean(K["i"]), MU_K))),
            Assumption("variances", ((variance(Q["i"]), SIGMA_Q**2), (variance(K["i"]), SIGMA_K**2))),
            Assumption("centred", ((MU_Q, ZERO), (MU_K, ZERO))),
            Assumption("unit", ((SIGMA_Q, ONE), (SIGMA_K, ONE))),
            Assumption("fourth", ((mean(Q["i"] ** 4), FOURTH_Q), (mean(K["i"] ** 4), FOURTH_K))),
        ),
        lines=LINES,
        ranges=(("i", "d_k"),),
        counterexamples=(
            counterexample("independent", LINES, "variance", at(_pairs((-1, 1), same=True), **standard)),
            counterexample("means", LINES, "mean", at([(1, _both([1, 0]))], d_k=2, mu_q="1/2", mu_k="1/2")),
            counterexample("variances", LINES, "general", at(_drawn((-2, 2), (0,)), **two)),
            counterexample("centred", LINES, "variance", at(_pairs((0, 2)), **standard | {"mu_q": 1, "mu_k": 1})),
            counterexample("unit", LINES, "variance", at(_pairs((-2, 2)), **standard | {"sigma_q": 2, "sigma_k": 2})),
            counterexample(
                "fourth", LINES, "excess", at(_drawn((-1, 1), (-2, 0, 0, 0, 0, 0, 0, 2)), **standard | uneven)
            ),
        ),
        tables=(
            tabulated(
                "spread",
                (D, (sqrt(variance(S)), sqrt(D)), (sqrt(variance(S / sqrt(D))), sqrt(D) / sqrt(D))),
                [at(d_k=d) for d in (1, 4, 16, 64, 256)],
            ),
            tabulated("signs", (D, variance(S), EXCESS), _enumerated((-1, 1))),
            tabulated("three", (D, variance(S), EXCESS), _enumerated((-1, 0, 1))),
            tabulated("normal", (D, SHAPE), [at(d_k=d, m_q=normal, m_k=normal) for d in (1, 2, 4, 8, 64, 512)]),
        ),
        instances=(
            ("unit", instance(D * EACH, at(**standard | {"d_k": 64}))),
            ("wide", instance(D * EACH, at(d_k=64, mu_q=1, mu_k=0, sigma_q=1, sigma_k=2))),
        ),
        questions=(
            asked("width", sqrt(D), seed, d_k=(16, 36, 64, 100, 144, 256)),
            asked("shifted", D * EACH, seed, d_k=(6, 8, 10, 12), mu_q=(1, 2), mu_k=(1, 3), sigma_q=(1,), sigma_k=(1,)),
            Question("normal"),
        ),
        plots=(Curves("spread", "spread", 0, (("plain", 1), ("divided", 2)), "log"),),
        terms=(
            ("var", variance(S)),
            ("scaled", S / sqrt(D)),
            ("root", sqrt(D)),
            ("excess", EXCESS),
            ("dot", DOT),
            ("q_i", Q["i"]),
            ("k_i", K["i"]),
        ),
    )
