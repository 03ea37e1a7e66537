"""Adding one number to a whole row of scores changes no weight; so the maximum may be subtracted first."""

from __future__ import annotations

from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import ZERO, Array, Letter, Sum, exp

N = Letter("n", "n", "natural")
C, M = Letter("c", "c"), Letter("m", "m")
Z = Array("z", "z", ("n",))
OWN = Array("c_own", "c", ("n",))
P = Array("p", "p", ("n",), "positive")
SHIFTED = Array("shifted", "p'", ("n",), "positive")
ALL, ALL_MOVED = Sum("l", N, exp(Z["l"])), Sum("l", N, exp(Z["l"] + OWN["l"]))
SAFE = Sum("l", N, exp(Z["l"] - M))
FIRST = exp(Z[1]) / ALL

LINES = (
    Line("softmax", P["i"], exp(Z["i"]) / ALL, Law.DEFINITION),
    Line("shifted", SHIFTED["i"], exp(Z["i"] + OWN["i"]) / ALL_MOVED, Law.DEFINITION),
    Line("common", SHIFTED["i"], exp(C) * exp(Z["i"]) / (exp(C) * ALL), Law.ALGEBRA, ("shifted", "one")),
    Line("same", SHIFTED["i"], P["i"], Law.ALGEBRA, ("common", "softmax"), result=True),
    Line("no_less", SAFE - exp(Z["K"] - M), ZERO, Law.SIGN, (), ">="),
    Line("at_least_one", SAFE - 1, ZERO, Law.SIGN, ("no_less", "largest"), ">=", result=True),
)


def proof(seed: int) -> Proof:
    """The derivation."""
    row = (10, 11, 13)
    return Proof(
        topic="softmax-shift",
        assumptions=(Assumption("one", ((OWN["i"], C),)), Assumption("largest", ((Z["K"], M),))),
        lines=LINES,
        ranges=(("i", "n"), ("K", "n")),
        counterexamples=(
            counterexample("one", LINES, "same", at(n=2, i=1, z=(0, 0), c_own=(1, 0), c=0)),
            counterexample("largest", LINES, "at_least_one", at(n=2, K=1, z=(0, 0), m=1)),
        ),
        tables=(
            tabulated(
                "moved",
                (
                    C,
                    exp(Z[1] + C),
                    (Sum("l", N, exp(Z["l"] + C)), ALL_MOVED),
                    (SHIFTED[1], exp(Z[1] + OWN[1]) / ALL_MOVED),
                ),
                [at(n=3, z=row, c=shift, c_own=(shift,) * 3) for shift in (0, -13, 7)],
            ),
        ),
        instances=(("large", instance(FIRST, at(n=2, z=(1000, 1001)))),),
        questions=(
            asked("differences", FIRST, seed, n=(2,), z=((100, 101), (500, 502), (70, 71))),
            Question("product"),
        ),
        terms=(("K", Letter("K", "K")), ("z_K", Z["K"]), ("power", exp(C))),
    )
