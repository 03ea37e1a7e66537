"""Why scores are divided by the root of d_k, and neither by d_k nor by nothing."""

from __future__ import annotations

from symattn.derive.algebra import limit
from symattn.derive.numbers_in import asked, at, counterexample, tabulated
from symattn.statements.proof import Assumption, Curves, Law, Line, Proof, Question
from symattn.statements.terms import ONE, Letter, Limit, exp, sqrt, variance

D = Letter("d_k", "d_k", "natural")
C = Letter("c", "c", "positive")
S = Letter("s", "s", "random")

LINES = (
    Line("divided", variance(S / C), variance(S) / C**2, Law.VARIANCE_SCALES),
    Line("any", variance(S / C), D / C**2, Law.ALGEBRA, ("divided", "spread"), result=True),
    Line("plain", Limit(variance(S), D, "oo"), limit(Limit(D, D, "oo")), Law.LIMIT, ("spread",), result=True),
    Line("by_root", variance(S / sqrt(D)), variance(S) / D, Law.VARIANCE_SCALES),
    Line("steady", variance(S / sqrt(D)), ONE, Law.ALGEBRA, ("by_root", "spread"), result=True),
    Line("by_width", variance(S / D), variance(S) / D**2, Law.VARIANCE_SCALES),
    Line("shrunk", variance(S / D), 1 / D, Law.ALGEBRA, ("by_width", "spread"), result=True),
    Line(
        "vanishing", Limit(variance(S / D), D, "oo"), limit(Limit(1 / D, D, "oo")), Law.LIMIT, ("shrunk",), result=True
    ),
)
WIDTHS = (1, 4, 16, 64, 256, 1024, 4096)


def proof(seed: int) -> Proof:
    """The derivation."""
    return Proof(
        topic="why-not-d",
        assumptions=(Assumption("spread", ((variance(S), D),)),),
        lines=LINES,
        counterexamples=(counterexample("spread", LINES, "steady", at([(1, {"s": 1})], d_k=1)),),
        tables=(
            tabulated(
                "variances",
                (D, (variance(S), D), (variance(S / sqrt(D)), D / sqrt(D) ** 2), (variance(S / D), D / D**2)),
                [at(d_k=width) for width in WIDTHS],
            ),
            tabulated("odds", (D, exp(sqrt(D)), exp(ONE), exp(1 / sqrt(D))), [at(d_k=width) for width in WIDTHS]),
        ),
        questions=(
            asked("divisor", D / C**2, seed, d_k=(16, 64, 100), c=(2, 4, 5, 8)),
            Question("whose"),
            Question("vanish"),
        ),
        plots=(Curves("three_cases", "variances", 0, (("plain", 1), ("by_root", 2), ("by_width", 3)), "log", "log"),),
        terms=(("root", sqrt(D)), ("scaled", S / sqrt(D)), ("var", variance(S))),
    )
