"""Attention on binary floats, evaluated apart: mpmath at 300 bits, plain loops, no line shared with the package.

Inputs are nested lists of Fractions (or None in a bias for -inf). Results are ``Approximate``: a value and the size of
the largest term that went into it, so that a sum which cancels to nothing is known to be 0. What lies within 2^-200 of
a rounding boundary counts as being on it: the tests choose inputs for which nothing else lies there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath

BITS = 300
NEAR = 200
FORMATS = {"float64": (53, 1023), "float32": (24, 127), "float16": (11, 15), "bfloat16": (8, 127)}

Rows = Sequence[Sequence[Fraction]]
mp = mpmath.mp.clone()
mp.prec = BITS


def real(number: Fraction | int) -> Any:
    return mp.mpf(number.numerator) / number.denominator


@dataclass
class Approximate:
    value: Any
    size: Any = None

    def rounded(self, name: str) -> float:
        size = abs(self.value) if self.size is None else self.size
        if abs(self.value) <= mp.ldexp(size, -NEAR):
            return 0.0
        return rounded(self.value, name)


def rounded(value: Any, name: str) -> float:
    """The nearest number of a type as a Python float: ties to even, subnormals, overflow, signed zeros."""
    digits, top = FORMATS[name]
    if mp.isnan(value) or mp.isinf(value):
        return float(value)
    if value == 0:
        return 0.0
    _, exponent = mp.frexp(abs(value))
    unit = max(int(exponent) - digits, 2 - top - digits)
    steps = mp.ldexp(abs(value), -unit)
    whole = int(mp.floor(steps))
    rest = steps - whole
    if abs(rest - 0.5) < mp.ldexp(1, digits - NEAR):
        whole += whole % 2
    elif rest > 0.5:
        whole += 1
    found = Fraction(whole) * Fraction(2) ** unit
    size = math.inf if found >= Fraction(2) ** (top + 1) else float(found)
    return math.copysign(size, value)


@dataclass
class Head:
    """One head; ``allowed`` and ``bias`` are (n_q, n_k), None for no rule."""

    query: Rows
    key: Rows
    value: Rows
    scale: Fraction | None = None
    cap: Fraction | None = None
    allowed: Sequence[Sequence[bool]] | None = None
    bias: Sequence[Sequence[Fraction | None]] | None = None
    sink: Fraction | None = None
    masked_row: str = "error"
    weights: list[list[Any]] = field(default_factory=list)
    dead: list[bool] = field(default_factory=list)

    def __post_init__(self) -> None:
        for i in range(len(self.query)):
            exponentials = [self._exponential(i, j) if self.sees(i, j) else mp.mpf(0) for j in range(len(self.key))]
            total = sum(exponentials, mp.mpf(0)) + (0 if self.sink is None else mp.exp(real(self.sink)))
            self.dead.append(total == 0)
            if total == 0:
                rule = {"zero": mp.mpf(0), "uniform": mp.mpf(1) / len(self.key), "nan": mp.nan}[self.masked_row]
                self.weights.append([rule] * len(self.key))
            else:
                self.weights.append([entry / total for entry in exponentials])

    def sees(self, i: int, j: int) -> bool:
        if self.allowed is not None and not self.allowed[i][j]:
            return False
        return self.bias is None or self.bias[i][j] is not None

    @property
    def factor(self) -> Any:
        return 1 / mp.sqrt(len(self.key[0])) if self.scale is None else real(self.scale)

    def score(self, i: int, j: int) -> Any:
        return self.factor * real(sum(q * k for q, k in zip(self.query[i], self.key[j], strict=True)))

    def logit(self, i: int, j: int) -> Any:
        found = self.score(i, j)
        if self.cap is not None:
            found = real(self.cap) * mp.tanh(found / real(self.cap))
        if self.bias is not None:
            found += real(self.bias[i][j] or Fraction(0))
        return found

    def _exponential(self, i: int, j: int) -> Any:
        return mp.exp(self.logit(i, j))

    def output(self, i: int, c: int) -> Approximate:
        return total(self.weights[i][j] * real(row[c]) for j, row in enumerate(self.value))

    def lse(self, i: int) -> Approximate:
        logits = [self.logit(i, j) for j in range(len(self.key)) if self.sees(i, j)]
        logits += [] if self.sink is None else [real(self.sink)]
        if not logits:
            return Approximate(-mp.inf, mp.mpf(1))
        top = max(logits)
        return total([top, mp.log(sum(mp.exp(logit - top) for logit in logits))])

    # ------------------------------------------------------------------------------------------ gradients
    def logit_gradient(self, i: int, j: int, grad: Rows) -> tuple[Any, Any]:
        """d loss / d score: sum over l of p_j p_l (dP_j - dP_l), differences exact; and the size of its terms."""
        if self.dead[i]:
            return mp.mpf(0), mp.mpf(0)
        slopes = [sum(g * v for g, v in zip(grad[i], row, strict=True)) for row in self.value]
        own = self.weights[i][j]
        terms = [own * p * real(slopes[j] - slope) for p, slope in zip(self.weights[i], slopes, strict=True)]
        if self.sink is not None:
            terms.append(own * mp.exp(real(self.sink) - self.lse(i).value) * real(slopes[j]))
        bend = mp.mpf(1)
        if self.cap is not None:
            bend = 1 - mp.tanh(self.score(i, j) / real(self.cap)) ** 2
        return self.factor * bend * sum(terms), abs(self.factor * bend) * max(abs(term) for term in terms)

    def gradients(self, grad: Rows) -> tuple[list[list[Approximate]], ...]:
        n_q, n_k = range(len(self.query)), range(len(self.key))
        steps = [[self.logit_gradient(i, j, grad) for j in n_k] for i in n_q]

        def mixed(pairs: Any) -> Approximate:
            pairs = list(pairs)
            return Approximate(
                sum((step * real(entry) for (step, _), entry in pairs), mp.mpf(0)),
                max(size * abs(real(entry)) for (_, size), entry in pairs),
            )

        columns, wide = range(len(self.key[0])), range(len(self.value[0]))
        return (
            [[mixed((steps[i][j], self.key[j][c]) for j in n_k) for c in columns] for i in n_q],
            [[mixed((steps[i][j], self.query[i][c]) for i in n_q) for c in columns] for j in n_k],
            [[total(self.weights[i][j] * real(grad[i][c]) for i in n_q) for c in wide] for j in n_k],
        )


def total(terms: Any) -> Approximate:
    terms = list(terms)
    if any(mp.isnan(term) for term in terms):
        return Approximate(mp.nan, mp.mpf(1))
    return Approximate(sum(terms, mp.mpf(0)), max(abs(term) for term in terms))


def added(*cells: Approximate) -> Approximate:
    return Approximate(sum(cell.value for cell in cells), max(cell.size for cell in cells))


# ---------------------------------------------------------------------------------------------- options
def visible(
    n_q: int,
    n_k: int,
    *,
    offset: int | None = None,
    window: tuple[int, int] | None = None,
    window_offset: int = 0,
    length: int | None = None,
    mask: Sequence[Sequence[bool]] | None = None,
) -> list[list[bool]]:
    """Which query may attend to which key, straight from the definitions."""

    def one(i: int, j: int) -> bool:
        if offset is not None and j > i + offset:
            return False
        if window is not None:
            middle = i + (window_offset if offset is None else offset)
            left, right = window
            if left != -1 and j < middle - left:
                return False
            if right != -1 and j > middle + right:
                return False
        if length is not None and j >= length:
            return False
        return mask is None or bool(mask[i][j])

    return [[one(i, j) for j in range(n_k)] for i in range(n_q)]


def fractions(table: Any) -> list[list[Fraction]]:
    """A 2-D array as Fractions; None for -inf. What is not finite elsewhere becomes 0 (masked keys)."""

    def entry(number: float) -> Any:
        if number == -math.inf:
            return None
        return Fraction(number) if math.isfinite(number) else Fraction(0)

    return [[entry(float(number)) for number in row] for row in table]
