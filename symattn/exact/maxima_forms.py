"""Exact values in Maxima's syntax: ``exp(sqrt(2)/2)/(1+2*exp(sqrt(2)/2))``, or a quotient of polynomials in u.

Maxima writes powers with ``^`` and its constants with ``%``; the rest is the syntax of ``text_forms``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from symattn.exact import text_forms
from symattn.exact.closed import Generator, closed_form
from symattn.exact.numbers import Exact
from symattn.exact.values import Value

_PI: Final = re.compile(r"\bpi\b")


def maxima(value: Value, by: Generator | None) -> str:
    """A value; ``minf`` for a masked logit, ``und`` where there is none."""
    text = text_forms.Writer(by).value(value)
    return {"-oo": "minf", "nan": "und"}.get(text) or _spelled(text)


def number(value: Exact | int) -> str:
    """An exact number."""
    return _spelled(text_forms.number(value))


def in_letter(value: Value, by: Generator | None, letter: str) -> str:
    """A value as a quotient of polynomials in the letter; as ``maxima`` writes it where there is no such form."""
    form = closed_form(value, by)
    if form.generator is None:
        return maxima(value, by)
    above, below = (_polynomial(side, letter) for side in (form.numerator, form.denominator))
    return above if below == "1" else f"({above})/({below})"


def _polynomial(side: Sequence[tuple[Any, Any]], letter: str) -> str:
    terms = (f"({number(factor)})*{letter}^{power}" if power else f"({number(factor)})" for factor, power in side)
    found = "+".join(terms)
    return {"": "0", "(1)": "1"}.get(found, found)


def _spelled(text: str) -> str:
    return _PI.sub("%pi", text.replace("**", "^"))
