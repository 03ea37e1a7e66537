"""The gradients of attention: against SymPy's derivative of the whole, and against torch's autograd."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from mpmath import mp

from symattn.derive.topics import attention_backward as topic
from tests.derive.evaluator import World, number

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "derive" / "backward.json").read_text(encoding="utf-8"))
CASES = VECTORS["cases"]
assert len(CASES) == 4
GRADIENTS = {
    "dV": topic.slope_of_value,
    "dA": topic.slope_of_weight,
    "dT": topic.slope_of_score,
    "dQ": topic.slope_of_query,
    "dK": topic.slope_of_key,
}


def world(given: dict[str, list[list[Fraction]]], scale: Fraction) -> World:
    sizes = {"n_q": len(given["Q"]), "n_k": len(given["K"]), "d_k": len(given["Q"][0]), "d_v": len(given["V"][0])}
    exact = {name: [[mp.mpf(x.numerator) / x.denominator for x in row] for row in rows] for name, rows in given.items()}
    return World({**exact, **sizes, "scale": mp.mpf(scale.numerator) / scale.denominator})


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['Q'])} by {len(case['K'])}")
def test_gradients_are_those_of_torch(case):
    """To the error of float64, as recorded from autograd."""
    given = {name: [[Fraction(x) for x in row] for row in case[name]] for name in ("Q", "K", "V", "dZ")}
    with mp.workdps(40):
        here = world(given, Fraction(case["scale"]))
        for name, gradient in GRADIENTS.items():
            largest = max(abs(float(x)) for row in case[name] for x in row)
            for i, row in enumerate(case[name]):
                for j, recorded in enumerate(row):
                    found = number(gradient(i + 1, j + 1), here)
                    assert abs(found - mp.mpf(recorded)) <= 1e-13 * max(1, largest), name


def test_gradients_are_those_of_the_whole():
    """SymPy differentiates the loss, the sum of dZ Z, in one piece; both are then put to numbers."""
    n_q, n_k, d_k, d_v = 2, 3, 1, 2
    shapes = {"Q": (n_q, d_k), "K": (n_k, d_k), "V": (n_k, d_v)}
    symbols = {
        name: sympy.Matrix(*shape, lambda i, j, name=name: sympy.Symbol(f"{name}{i}{j}"))
        for name, shape in shapes.items()
    }
    slopes = sympy.Matrix([[3, -1], [2, 5]])
    scale = sympy.Rational(1, 3)
    powers = (scale * symbols["Q"] * symbols["K"].T).applyfunc(sympy.exp)
    weights = sympy.Matrix(n_q, n_k, lambda i, j: powers[i, j] / sum(powers[i, :]))
    outputs = weights * symbols["V"]
    loss = sum(slopes[i, c] * outputs[i, c] for i in range(n_q) for c in range(d_v))
    numbers = {
        symbol: sympy.Rational(place * place - 7, 4)
        for matrix in symbols.values()
        for place, symbol in enumerate(matrix)
    }
    given = {
        name: [[Fraction(int(x.p), int(x.q)) for x in matrix.subs(numbers).row(i)] for i in range(matrix.rows)]
        for name, matrix in symbols.items()
    }
    given["dZ"] = [[Fraction(int(slopes[i, c])) for c in range(d_v)] for i in range(n_q)]
    with mp.workdps(40):
        here = world(given, Fraction(1, 3))
        for name in "QKV":
            for i in range(symbols[name].rows):
                for j in range(symbols[name].cols):
                    whole = loss.diff(symbols[name][i, j]).subs(numbers).evalf(40)
                    assert abs(number(GRADIENTS[f"d{name}"](i + 1, j + 1), here) - mp.mpf(str(whole))) < mp.mpf("1e-30")
