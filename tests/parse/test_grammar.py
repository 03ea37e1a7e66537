"""Texts of entries: what they say, and what is refused. Values are worked by hand or by Fraction's own arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import SpecError
from symattn.parse import limits
from symattn.parse.grammar import entry
from symattn.parse.size import terms
from symattn.parse.written import written
from symattn.problem import Entry, Expression

SYMBOLS = {"a": "real", "b": "positive", "c1": "real"}
A, B = Expression("symbol", name="a"), Expression("symbol", name="b", positive=True)
PI, E = Expression("pi"), Expression("e")


def tree(operator: Any, *operands: Any) -> Expression:
    return Expression(operator, tuple(Fraction(x) if isinstance(x, int | str) else x for x in operands))


RATIONAL = {
    "0": 0,
    "7": 7,
    "007": 7,
    "0.1": "1/10",
    ".5": "1/2",
    "5.": 5,
    "1e-3": "1/1000",
    "1.5E+2": 150,
    "2e3": 2000,
    "1/3": "1/3",
    "-1/3": "-1/3",
    "1 - 2 - 3": -4,
    "12/2/3": 2,
    "12/2*3": 18,
    "2+3*4": 14,
    "(2+3)*4": 20,
    "-2^2": -4,
    "(-2)^2": 4,
    "2^3^2": 512,
    "2**3": 8,
    "2^-1": "1/2",
    "2^-2^1": "1/4",
    "--3": 3,
    "2--3": 5,
    "2*-3": -6,
    "−3": -3,
    "2·3": 6,
    "2×3": 6,
    " \t( 1 ) ": 1,
    "0^0": 1,
    "0.1 + 0.2": "3/10",
    "9" * 200: 10**200 - 1,
    "1e200": 10**200,
    "2^64": 2**64,
    "(" * 32 + "1" + ")" * 32: 1,
    "-" * 32 + "1": 1,
    "-1" + "+1" * 199: 198,
    "1" + " " * 1999: 1,
}

TREES = {
    "a": A,
    "pi": PI,
    "π": PI,
    "e": E,
    "e^2": tree("pow", E, 2),
    "sqrt(2)": tree("sqrt", 2),
    "√2": tree("sqrt", 2),
    "√2^2": tree("pow", tree("sqrt", 2), 2),
    "sqrt(1+1)/2": tree("div", tree("sqrt", 2), 2),
    "ln(3)": tree("log", 3),
    "log(3)": tree("log", 3),
    "exp(-1/2)": tree("exp", "-1/2"),
    "2^(1/2)": tree("pow", 2, "1/2"),
    "2^0.5": tree("pow", 2, "1/2"),
    "-2^(1/2)": tree("neg", tree("pow", 2, "1/2")),
    "(-2)^(1/3)": tree("pow", -2, "1/3"),
    "a^2": tree("pow", A, 2),
    "a - b": tree("add", A, tree("neg", B)),
    "a - b*2": tree("add", A, tree("neg", tree("mul", B, 2))),
    "-a*b": tree("mul", tree("neg", A), B),
    "-(a*b)": tree("neg", tree("mul", A, B)),
    "1/2*a": tree("mul", "1/2", A),
    "a*1/2": tree("div", tree("mul", A, 1), 2),
    "a/b/2": tree("div", tree("div", A, B), 2),
    "a/(b/2)": tree("div", A, tree("div", B, 2)),
    "a/b*2": tree("mul", tree("div", A, B), 2),
    "a+b+1": tree("add", A, B, 1),
    "1+2+a+3": tree("add", 3, A, 3),
    "a+(b+1)": tree("add", A, tree("add", B, 1)),
    "a^b^2": tree("pow", A, tree("pow", B, 2)),
    "(a^b)^2": tree("pow", tree("pow", A, B), 2),
    "a^-b": tree("pow", A, tree("neg", B)),
    "--a": tree("neg", tree("neg", A)),
    "c1": Expression("symbol", name="c1"),
}

LONG = "an entry holds numbers, names, brackets and the signs + - * / ^"
SIGN = "write a sign before it: 2*a, not 2a"
EXPECTED = "a number, a name or a bracket is expected there"
POWER = "powers and roots go up to 64"
NEST = "32 levels are the most"
REFUSED = {
    "": "the entry is empty; write a number",
    "  ": "the entry is empty; write a number",
    "9**9**9": f"too large a power at '^' in column 2; {POWER}",
    "2^65": f"too large a power at '^' in column 2; {POWER}",
    "2^-65": f"too large a power at '^' in column 2; {POWER}",
    "2^(1/65)": f"too large a power at '^' in column 2; {POWER}",
    "a^65": f"too large a power at '^' in column 2; {POWER}",
    "2^9^9": f"too large a power at '^' in column 2; {POWER}",
    "(9^64)^64": "the entry grows too large when it is worked out; write smaller numbers",
    "9^64*9^64*9^64*9^64": "the entry is too long once it is worked out; write smaller numbers",
    "1/0": "division by zero at '/' in column 2",
    "a/0": "division by zero at '/' in column 2",
    "0^-1": "division by zero at '^' in column 2",
    "0^(-1/2)": "division by zero at '^' in column 2",
    '__import__("os").system("touch pwned")': f"unexpected '\"' in column 12; {LONG}",
    "().__class__": f"unexpected '.' in column 3; {LONG}",
    "print(1)": "unknown name 'print' in column 1; known here: a, b, c1, e, exp, ln, log, pi, sqrt",
    "lambda: 1": f"unexpected ':' in column 7; {LONG}",
    "[1]": f"unexpected '[' in column 1; {LONG}",
    "1,5": f"unexpected ',' in column 2; {LONG}",
    "10!": f"unexpected '!' in column 3; {LONG}",
    "5 % 3": f"unexpected '%' in column 3; {LONG}",
    "1\n2": f"unexpected '\\n' in column 2; {LONG}",
    "1\x00": f"unexpected '\\x00' in column 2; {LONG}",
    "1\ud800": f"unexpected '\\ud800' in column 2; {LONG}",
    "١٢": f"unexpected '١' in column 1; {LONG}",
    "２": f"unexpected '２' in column 1; {LONG}",
    "²": f"unexpected '²' in column 1; {LONG}",
    "1\xa0+ 2": f"unexpected '\\xa0' in column 2; {LONG}",
    "1  ?": f"unexpected '?' in column 4; {LONG}",
    "1e1000000": "the exponent of ten in column 1 is too large; 200 is the most",
    "2 + 1e-201": "the exponent of ten in column 5 is too large; 200 is the most",
    "1e" + "9" * 1900: "the exponent of ten in column 1 is too large; 200 is the most",
    "9" * 201: "the number in column 1 has too many digits; 200 is the most",
    "0." + "1" * 200: "the number in column 1 has too many digits; 200 is the most",
    "1_000": f"unexpected '_000' in column 2; {SIGN}",
    "0x10": f"unexpected 'x10' in column 2; {SIGN}",
    "2a": f"unexpected 'a' in column 2; {SIGN}",
    "2 3": f"unexpected '3' in column 3; {SIGN}",
    "a(2)": f"unexpected '(' in column 2; {SIGN}",
    "1.2.3": f"unexpected '.3' in column 4; {SIGN}",
    "1e": f"unexpected 'e' in column 2; {SIGN}",
    "NaN": "unknown name 'NaN' in column 1; known here: a, b, c1, e, exp, ln, log, pi, sqrt",
    "inf": "unknown name 'inf' in column 1; known here: a, b, c1, e, exp, ln, log, pi, sqrt",
    "sqr(2)": "unknown name 'sqr' in column 1; did you mean sqrt?",
    "1 + Pi": "unknown name 'Pi' in column 5; did you mean pi?",
    "a + d": "unknown name 'd' in column 5; known here: a, b, c1, e, exp, ln, log, pi, sqrt",
    "sqrt 2": "'sqrt' in column 1 stands without brackets; write sqrt(...)",
    "sqrt": "'sqrt' in column 1 stands without brackets; write sqrt(...)",
    "(1": "unexpected the end; a bracket is not closed",
    "(1 2)": "unexpected '2' in column 4; a bracket is not closed",
    "1)": "unexpected ')' in column 2",
    "()": f"unexpected ')' in column 2; {EXPECTED}",
    "sqrt()": f"unexpected ')' in column 6; {EXPECTED}",
    "1 +": f"unexpected the end; {EXPECTED}",
    "+1": f"unexpected '+' in column 1; {EXPECTED}",
    "1*/2": f"unexpected '/' in column 3; {EXPECTED}",
    "^2": f"unexpected '^' in column 1; {EXPECTED}",
    "(" * 33 + "1" + ")" * 33: f"nested too deeply at '1' in column 34; {NEST}",
    "(" * 300: f"nested too deeply at '(' in column 34; {NEST}",
    "-" * 33 + "1": f"nested too deeply at '1' in column 34; {NEST}",
    "√" * 33 + "1": f"nested too deeply at '1' in column 34; {NEST}",
    "2^" * 33 + "1": f"nested too deeply at '1' in column 67; {NEST}",
    "a" + "/a" * 31: "the entry is nested too deeply; write it with fewer brackets, signs and powers",
    "-" * 100_000 + "1": "the entry has 100001 characters; at most 2000 can be read",
    "+".join("1" * 100_001): "the entry has 200001 characters; at most 2000 can be read",
    "1" + " " * 2000: "the entry has 2001 characters; at most 2000 can be read",
    "1" + "+1" * 200: "the entry is too long; at most 400 numbers, names and signs are read",
    "a*" + "*".join(["9^60"] * 60): "the entry is too long once it is worked out; write smaller numbers",
}
assert RATIONAL
assert TREES
assert REFUSED


@pytest.mark.parametrize(("text", "value"), RATIONAL.items(), ids=lambda x: str(x)[:30])
def test_rational_arithmetic_is_exact(text: str, value: int | str) -> None:
    found = entry(text, {})
    assert isinstance(found, Fraction)
    assert found == Fraction(value)


@pytest.mark.parametrize(("text", "expected"), TREES.items(), ids=TREES)
def test_everything_else_is_kept_as_it_was_written(text: str, expected: Entry) -> None:
    assert entry(text, SYMBOLS) == expected


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=lambda x: ascii(x)[:30])
def test_a_refused_text_names_the_place(text: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        entry(text, SYMBOLS)
    assert raised.value.message == message


def test_names_are_known_only_where_they_are_declared() -> None:
    assert entry("b", {"b": "positive"}) == B
    with pytest.raises(SpecError, match="unknown name 'b'"):
        entry("b", {})


def _with_fractions() -> st.SearchStrategy[tuple[str, Fraction]]:
    """A text and its value, both made by the same choices, so that neither is taken from the reader."""
    leaf = st.one_of(
        st.integers(0, 99).map(lambda n: (str(n), Fraction(n))),
        st.tuples(st.integers(0, 99), st.integers(0, 999)).map(
            lambda p: (f"{p[0]}.{p[1]:03}", Fraction(1000 * p[0] + p[1], 1000))
        ),
    )

    def grown(inner: st.SearchStrategy[tuple[str, Fraction]]) -> st.SearchStrategy[tuple[str, Fraction]]:
        pair = st.tuples(inner, inner)
        return st.one_of(
            pair.map(lambda p: (f"({p[0][0]}) + ({p[1][0]})", p[0][1] + p[1][1])),
            pair.map(lambda p: (f"({p[0][0]})-({p[1][0]})", p[0][1] - p[1][1])),
            pair.map(lambda p: (f"({p[0][0]})* ({p[1][0]})", p[0][1] * p[1][1])),
            pair.filter(lambda p: p[1][1] != 0).map(lambda p: (f"({p[0][0]})/({p[1][0]})", p[0][1] / p[1][1])),
            inner.map(lambda p: (f"-({p[0]})", -p[1])),
            st.tuples(inner, st.integers(0, 3)).map(lambda p: (f"({p[0][0]})^{p[1]}", p[0][1] ** p[1])),
        )

    return st.recursive(leaf, grown, max_leaves=6)


@given(_with_fractions())
def test_arithmetic_is_that_of_fractions(case: tuple[str, Fraction]) -> None:
    text, value = case
    assert entry(text, {}) == value


_LEAVES = st.sampled_from(["a", "b", "c1", "pi", "e", "2", "3.5", "1/3", "(1/3)", "-1", "(-1/2)", "1e-30"])


def _texts() -> st.SearchStrategy[str]:
    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        bracketed = st.one_of(inner, inner.map("({})".format))
        return st.one_of(
            st.tuples(bracketed, st.sampled_from("+-*/^"), bracketed).map("".join),
            inner.map("sqrt({})".format),
            inner.map("log({})".format),
            inner.map("exp({})".format),
            bracketed.map("-{}".format),
        )

    return st.recursive(_LEAVES, grown, max_leaves=24)


@given(_texts())
def test_what_is_written_reads_as_the_same_tree(text: str) -> None:
    try:
        found = entry(text, SYMBOLS)
    except SpecError:
        return
    assert entry(written(found), SYMBOLS) == found


WRAPPERS = {
    "negative": lambda x: tree("neg", x),
    "root": lambda x: tree("sqrt", x),
    "base": lambda x: tree("pow", x, "-1/2"),
    "power": lambda x: tree("pow", "-1/2", x),
    "first term": lambda x: tree("add", x, A),
    "later term": lambda x: tree("add", "-1/2", x),
    "first factor": lambda x: tree("mul", x, "-1/2"),
    "later factor": lambda x: tree("mul", "-1/2", x),
    "above the line": lambda x: tree("div", x, "-1/2"),
    "below the line": lambda x: tree("div", "-1/2", x),
}
assert WRAPPERS


@settings(max_examples=300)
@given(st.lists(st.sampled_from(sorted(WRAPPERS)), min_size=limits.HEIGHT - 1, max_size=limits.HEIGHT - 1), st.data())
def test_the_highest_trees_can_be_written_and_read(names: list[str], data: st.DataObject) -> None:
    """The bound on the height of a tree is what makes it readable again: brackets add at most two levels."""
    few = data.draw(st.lists(st.sampled_from(sorted(WRAPPERS)), min_size=1, max_size=3))
    found: Entry = tree("mul", A, "-1/2")
    for name in data.draw(st.sampled_from([names, (few * limits.HEIGHT)[: limits.HEIGHT - 1]])):
        found = WRAPPERS[name](found)
    assert entry(written(found), SYMBOLS) == found


@given(st.text(alphabet="0123456789.eE+-*/^()√ absqrtlogxpi_πe−", max_size=40))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        found = entry(text, SYMBOLS)
    except SpecError:
        return
    assert entry(written(found), SYMBOLS) == found


TERMS = {
    "1": 1,
    "a": 1,
    "a+b+1": 3,
    "(a+b)*(a+1)": 4,
    "(a+b)^3": 4,
    "(a+b+1)^2": 6,
    "1/(a+b)": 4,
    "(a+b)^-1": 4,
    "exp(a+b)": 1,
    "e^(a+b)": 1,
    "-(a+b)": 2,
    "sqrt((a+b)^64)": 1,
    "(a+b+1)^40": limits.TERMS + 1,
    "sqrt((a+b+1)^40)": limits.TERMS + 1,
    "((a+1)^64)^64": limits.TERMS + 1,
}
assert TERMS


@pytest.mark.parametrize(("text", "count"), TERMS.items())
def test_terms_are_counted_without_multiplying_out(text: str, count: int) -> None:
    assert terms(entry(text, SYMBOLS)) == count
