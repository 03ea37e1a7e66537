"""Parameters, multiplications and cache of multi-head attention: the number of heads cancels."""

from __future__ import annotations

from symattn.derive.algebra import cancelled
from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import Letter, Sum

D = Letter("d_model", r"d_{\mathrm{model}}", "natural")
H, G = Letter("h", "h", "natural"), Letter("g", "g", "natural")
D_K = Letter("d_k", "d_k", "natural")
N = Letter("n", "n", "natural")
P, M, S = Letter("P", "P", "positive"), Letter("M", "M", "positive"), Letter("S", "S", "positive")
MULTI, GROUPED, ONE_KEY = (Letter(f"C_{name}", f"C_{name}", "positive") for name in ("h", "g", "1"))
HEADS = Sum("a", H, 3 * D * D_K) + H * D_K * D
STEPS = Sum("a", H, N * D_K) + Sum("a", H, N * D_K)

LINES = (
    Line("parameters", P, HEADS, Law.DEFINITION),
    Line("counted", P, 4 * H * D_K * D, Law.COUNTING, ("parameters",)),
    Line("free_of_heads", P, 4 * D**2, Law.ALGEBRA, ("counted", "divides"), result=True),
    Line("attending", S, STEPS, Law.DEFINITION),
    Line("attending_counted", S, 2 * H * N * D_K, Law.COUNTING, ("attending",)),
    Line("attending_free", S, 2 * N * D, Law.ALGEBRA, ("attending_counted", "divides"), result=True),
    Line("token", M, P + S, Law.DEFINITION),
    Line("token_cost", M, 4 * D**2 + 2 * N * D, Law.ALGEBRA, ("token", "free_of_heads", "attending_free"), result=True),
    Line("cache", MULTI, Sum("a", H, 2 * D_K), Law.DEFINITION),
    Line("cache_counted", MULTI, 2 * H * D_K, Law.COUNTING, ("cache",)),
    Line("cache_size", MULTI, 2 * D, Law.ALGEBRA, ("cache_counted", "divides"), result=True),
    Line("grouped", GROUPED, Sum("a", G, 2 * D_K), Law.DEFINITION),
    Line("grouped_counted", GROUPED, 2 * G * D_K, Law.COUNTING, ("grouped",)),
    Line("grouped_size", GROUPED, 2 * G * D / H, Law.ALGEBRA, ("grouped_counted", "divides"), result=True),
    Line("single", ONE_KEY, 2 * D_K, Law.DEFINITION),
    Line("single_size", ONE_KEY, 2 * D / H, Law.ALGEBRA, ("single", "divides"), result=True),
    Line(
        "saved",
        MULTI / GROUPED,
        cancelled(2 * D / (2 * G * D / H)),
        Law.ALGEBRA,
        ("cache_size", "grouped_size"),
        result=True,
    ),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    counts = (1, 2, 4, 8, 16, 32)
    return Proof(
        topic="multi-head-cost",
        assumptions=(Assumption("divides", ((D_K, D / H),)),),
        lines=LINES,
        counterexamples=(counterexample("divides", LINES, "free_of_heads", at(d_model=512, h=8, d_k=128)),),
        tables=(
            tabulated("heads", (H, (D_K, D / H), (P, 4 * D * D)), [at(d_model=512, h=count) for count in counts]),
            tabulated("kept", (G, (GROUPED, 2 * G * D / H)), [at(d_model=512, h=8, g=count) for count in (8, 4, 2, 1)]),
        ),
        instances=(
            ("parameters", instance(4 * D**2, at(d_model=512))),
            ("token", instance(4 * D**2 + 2 * N * D, at(d_model=512, n=1000))),
        ),
        questions=(
            asked("parameters", 4 * D**2, seed, d_model=(256, 768, 1024)),
            asked("cache", 2 * G * D / H, seed, d_model=(4096,), h=(32,), g=(1, 4, 8)),
            Question("more"),
        ),
    )
