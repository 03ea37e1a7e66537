"""An exact number as LaTeX is worth that number, to a reader of the formula."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.exact.matrix import matrix
from symattn.parse.problem import problem as parsed
from symattn.render import latex
from tests import reference
from tests.pages.accept import refused
from tests.pages.formulas import Formula
from tests.pages.latex import read, tokens
from tests.pages.tools import needs
from tests.pages.values import Interval, value

ATOMS = [
    "sqrt(2)",
    "sqrt(3)",
    "2^(1/3)",
    "5^(2/3)",
    "log(2)",
    "log(3)",
    "pi",
    "exp(1)",
    "exp(2)",
    "exp(sqrt(2))",
    "e^(1/2)",
]
CLOSE = Fraction(1, 10**30)


@st.composite
def entries(draw: st.DrawFn) -> str:
    """Sums of products of a rational number and of roots, logarithms and powers of e."""
    terms = []
    for _ in range(draw(st.integers(1, 3))):
        factor = draw(st.sampled_from(["1", "2", "3", "-1", "-2", "1/2", "-3/4", "5/3", "12"]))
        terms.append("*".join([factor, *draw(st.lists(st.sampled_from(ATOMS), max_size=3))]))
    return "+".join(terms)


def number(text: str):
    """The exact number that an entry is."""
    return matrix(parsed({"Q": [[text]], "K": [[1]], "V": [[1]]}).Q)[0][0]


def worth(tex: str) -> Interval:
    found = value(read(tokens(tex)), {})
    assert isinstance(found, Interval)
    return found


def agrees(tex: str, text: str) -> bool:
    """Is the formula worth what the entry is worth, by the reference evaluator?"""
    known = reference.fraction(reference.entry(text).known(60))
    found = worth(tex)
    near = CLOSE * max(1, abs(known))
    return found.low - near <= known <= found.high + near


@given(entries())
def test_a_number_is_worth_itself(text):
    assert agrees(latex.exact(number(text)), text), latex.exact(number(text))
    assert agrees(latex.inline(number(text)), text), latex.inline(number(text))


PLAIN = [
    ("3*2^(1/3)", r"3\cdot 2^{1/3}"),
    ("2^(1/3)*3^(1/3)", r"2^{1/3}\cdot 3^{1/3}"),
    ("2^(1/3)*sqrt(3)", r"\sqrt{3}\cdot 2^{1/3}"),
    ("3/2*2^(1/3)", r"\frac{3\cdot 2^{1/3}}{2}"),
    ("pi*exp(1)", r"\pi e"),
    ("pi*exp(2)/3", r"\frac{\pi e^{2}}{3}"),
    ("pi*log(3)", r"\pi \ln 3"),
    ("exp(4)*log(2)", r"e^{4} \ln 2"),
    ("sqrt(2)/2", r"\frac{1}{\sqrt{2}}"),
    ("-sqrt(3)/2", r"-\frac{\sqrt{3}}{2}"),
    ("1+sqrt(2)", r"1 + \sqrt{2}"),
    ("-log(2)", r"-\ln 2"),
    ("2*pi", r"2\pi"),
]


@pytest.mark.parametrize(("text", "tex"), PLAIN)
def test_what_is_written_can_be_read_one_way(text, tex):
    """``32^{1/3}`` is no 3 times the third root of 2, and ``\\pie`` is no command."""
    assert agrees(tex, text)
    assert agrees(latex.exact(number(text)), text), latex.exact(number(text))


@pytest.mark.parametrize(("tex", "text"), [("32^{1/3}", "3*2^(1/3)"), (r"\sqrt{3}", "sqrt(2)")])
def test_a_formula_of_another_worth_is_found(tex, text):
    assert not agrees(tex, text)


LETTERS = [
    "pi*a",
    "pi*b_1*a",
    "2*a*b_1",
    "a^2*pi*log(2)",
    "a*exp(2)",
    "sqrt(b_1)*pi",
    "log(2)*a",
    "alpha*pi",
    "3*b_1^(1/3)",
]


@needs("node")
def test_letters_beside_pi_are_typeset():
    symbols = {"a": "real", "b_1": "positive", "alpha": "real"}
    rows = parsed({"symbols": symbols, "Q": [[text] for text in LETTERS], "K": [[1]], "V": [[1]]}).Q
    assert refused(Formula(latex.exact(row[0]), display=False) for row in matrix(rows)) == []
