"""Logarithms of products and quotients of what is positive."""

from __future__ import annotations

from symattn.check.laws.normal import Allowed, normal
from symattn.check.laws.polynomials import NotShownError, Poly, Quotient, atom, key_of, plus, quotient, total
from symattn.statements.terms import Fn, Term


def logarithm(tree: Term, allowed: Allowed) -> Quotient | None:
    """ln(ab) = ln a + ln b, ln(a/b) = ln a - ln b, ln e^a = a."""
    if not (isinstance(tree, Fn) and tree.name == "log"):
        return None
    body = normal(tree.argument, allowed, logarithm)
    return plus(quotient(_log(body.above, allowed)), quotient(_log(body.below, allowed)), -1)


def _log(poly: Poly, allowed: Allowed) -> Poly:
    if len(poly) != 1:
        return atom(("ln", key_of(poly)))
    (((bounds, factors), coefficient),) = poly.items()
    if bounds or coefficient <= 0:
        raise NotShownError("the logarithm of what may not be positive")
    found: Poly = {}
    for value, sign in ((coefficient.numerator, 1), (coefficient.denominator, -1)):
        if value != 1:
            found = total(found, atom(("ln", value)), sign)
    for key, power in factors:
        if key[0] == "exp":
            part: Poly = {key[1]: power}
        elif key[0] in ("letter", "item") and key[1] in allowed.positive:
            part = {monomial: value * power for monomial, value in atom(("ln", key)).items()}
        else:
            raise NotShownError("the logarithm of what may not be positive")
        found = total(found, part)
    return found
