"""Sines and cosines of sums, by the addition theorems and sin^2 + cos^2 = 1."""

from __future__ import annotations

from fractions import Fraction

from symattn.check.laws.normal import Allowed, normal
from symattn.check.laws.polynomials import (
    ONE,
    Monomial,
    NotShownError,
    Poly,
    Quotient,
    atom,
    collected,
    number,
    product,
    quotient,
    total,
)
from symattn.statements.terms import Fn, Pow, Term


def addition(tree: Term, allowed: Allowed) -> Quotient | None:
    """A sine or cosine as a polynomial in those of single products; None for anything else."""
    if isinstance(tree, Pow) and isinstance(tree.base, Fn) and tree.base.name == "sin" and tree.exponent == 2:
        other = normal(Fn("cos", tree.base.argument), allowed, addition).above
        return quotient(total(ONE, product(other, other), -1))
    if not (isinstance(tree, Fn) and tree.name in ("sin", "cos")):
        return None
    argument = normal(tree.argument, allowed, addition)
    if argument.below != ONE:
        raise NotShownError("an angle that is a fraction")
    cosine, sine = ONE, number(0)
    for monomial, count in argument.above.items():
        if count.denominator != 1 or monomial[0]:
            raise NotShownError("an angle that is no whole multiple")
        for _ in range(abs(int(count))):
            cosine, sine = _turned(cosine, sine, monomial, 1 if count > 0 else -1)
    return quotient(reduced(cosine if tree.name == "cos" else sine))


def _turned(cosine: Poly, sine: Poly, by: Monomial, sign: int) -> tuple[Poly, Poly]:
    c, s = atom(("cosine", by)), atom(("sine", by))
    return (
        total(product(cosine, c), product(sine, s), -sign),
        total(product(sine, c), product(cosine, s), sign),
    )


def reduced(poly: Poly) -> Poly:
    """Squares of sines by squares of cosines."""
    found: Poly = {}
    for (bounds, factors), value in poly.items():
        part: Poly = {(bounds, ()): value}
        for key, power in factors:
            if key[0] == "sine" and power >= 2:
                square = total(ONE, atom(("cosine", key[1]), 2), -1)
                for _ in range(int(power) // 2):
                    part = product(part, square)
                power = Fraction(int(power) % 2)
            part = product(part, collected((), [(key, power)]))
        found = total(found, part)
    return found
