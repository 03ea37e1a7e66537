"""The script that a user of SymPy would write: attention with Matrix, exp and latex.

It is meant to be a good one of its kind: a row's sum is made once, nothing is worked twice, and ``simplify`` is a
choice. It certifies nothing: its decimals are SymPy's fifteen digits, rounded to three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from sympy import Matrix, Rational, exp, latex, simplify, sqrt

Rows: TypeAlias = Sequence[Sequence[Fraction]]


@dataclass(frozen=True)
class Printed:
    weights: str
    output: str
    weight_decimals: list[list[str]]
    output_decimals: list[list[str]]


def printed(Q: Rows, K: Rows, V: Rows, *, simplified: bool) -> Printed:
    """Weights and output, as LaTeX and as decimals."""
    weights, output = attention(rational(Q), rational(K), rational(V))
    if simplified:
        weights, output = weights.applyfunc(simplify), output.applyfunc(simplify)
    return Printed(latex(weights), latex(output), decimals(weights), decimals(output))


def arrays(Q: Rows, K: Rows, V: Rows) -> tuple[Matrix, ...]:
    """The five arrays of a page: scores, scaled scores, exponentials, weights and output."""
    query, key, value = rational(Q), rational(K), rational(V)
    scores = query * key.T
    scaled = scores / sqrt(query.cols)
    weights, output = attention(query, key, value)
    return scores, scaled, scaled.applyfunc(exp), weights, output


def rational(rows: Rows) -> Matrix:
    return Matrix([[Rational(entry.numerator, entry.denominator) for entry in row] for row in rows])


def attention(Q: Matrix, K: Matrix, V: Matrix) -> tuple[Matrix, Matrix]:
    scores = Q * K.T / sqrt(Q.cols)
    raised = scores.applyfunc(exp)
    sums = [sum(raised.row(i)) for i in range(raised.rows)]
    weights = Matrix(raised.rows, raised.cols, lambda i, j: raised[i, j] / sums[i])
    return weights, weights * V


def decimals(table: Matrix) -> list[list[str]]:
    return [[f"{entry.evalf():.3f}" for entry in table.row(i)] for i in range(table.rows)]
