"""A Problem as plain data and back."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from symattn.parse.plain import plain
from symattn.parse.problem import problem
from symattn.problem import Attention, Page, options
from symattn.symbols import NOTATION

NUMBERS = st.one_of(
    st.integers(-9, 9),
    st.fractions(-3, 3, max_denominator=12),
    st.decimals(-2, 2, places=3),
    st.sampled_from([10**200 - 1, -(10**250), (1 - 10**200) * 10**200, "1e-200", "1e200", Fraction(1, 7**200)]),
    st.sampled_from(
        ["sqrt(2)/2", "-ln(3)", "1/2 - sqrt(3)*exp(-1/2)", "2^(1/3)", "pi", "e^-2", "a", "-(a + b)*2", "a^2"]
    ),
)
SYMBOLS = {"a": "real", "b": "positive"}
NAMES = st.text(alphabet="abc é語'\"\\$%", min_size=1, max_size=5).filter(str.strip)
LETTERS = st.text(alphabet="PQRZα_'1", min_size=1, max_size=3).filter(lambda letter: letter[0].isalpha())


def arrays(height: int, width: int) -> st.SearchStrategy[list[list[Any]]]:
    return st.lists(st.lists(NUMBERS, min_size=width, max_size=width), min_size=height, max_size=height)


def names(count: int) -> st.SearchStrategy[list[str]]:
    return st.lists(NAMES, min_size=count, max_size=count, unique=True)


def tables(table: type[Attention] | type[Page], *left_out: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any of a table's options, by what its rows say."""
    found: dict[str, st.SearchStrategy[Any]] = {}
    for row, option in options(table):
        if option.kind == "choice":
            found[row.name] = st.sampled_from(option.choices)
        elif option.kind == "integer":
            found[row.name] = st.integers(option.least, option.most)
        elif option.kind == "entry":
            found[row.name] = NUMBERS
    return st.fixed_dictionaries({}, optional={name: found[name] for name in found if name not in left_out})


@st.composite
def data(draw: st.DrawFn) -> dict[str, Any]:
    """Good data: sizes that go together, options that do not exclude each other."""
    heads, d_k, d_v, d_model = (draw(st.integers(1, most)) for most in (2, 2, 3, 3))
    n_q, n_k = draw(st.integers(1, 3)), draw(st.integers(3, 4))
    found: dict[str, Any] = {"symbols": SYMBOLS}
    if draw(st.booleans()):
        n_k = n_q
        found["X"] = draw(arrays(n_q, d_model))
        for name, width in (("W_Q", d_k), ("W_K", d_k), ("W_V", d_v)):
            found[name] = draw(arrays(d_model, heads * width))
        if draw(st.booleans()):
            heads, found["W_V"] = 1, "identity"
    else:
        for name, height, width in (("Q", n_q, d_k), ("K", n_k, d_k), ("V", n_k, d_v)):
            found[name] = draw(arrays(height, heads * width))
        if draw(st.booleans()):
            found["context_tokens"] = draw(names(n_k))
    if draw(st.booleans()):
        found["tokens"] = draw(names(n_q))
    if draw(st.booleans()):
        found["W_O"] = "identity"
    found["attention"] = {**draw(tables(Attention, "num_heads")), "num_heads": heads}
    found["page"] = draw(tables(Page, "rounding"))
    _agree(found, n_q == n_k)
    found["page"]["notation"] = draw(_notations())
    section = draw(tables(Attention, "num_heads", "causal"))
    if section and section.get("scale") != found["attention"].get("scale"):
        found["also"] = [section]
    return found


def _agree(found: dict[str, Any], square: bool) -> None:
    if found["attention"].get("causal") is True and not square:
        found["attention"]["causal"] = "top-left"
    if found["page"].get("row_sums") == "one":
        found["page"].pop("digits", None)


def _notations() -> st.SearchStrategy[dict[str, str]]:
    """Letters that no array has by default, each once."""
    count = st.lists(st.sampled_from(NOTATION), unique=True, max_size=3)
    return count.flatmap(
        lambda rows: st.lists(LETTERS.map("N{}".format), min_size=len(rows), max_size=len(rows), unique=True).map(
            lambda letters: dict(zip(rows, letters, strict=True))
        )
    )


@given(data())
def test_plain_data_come_back_as_the_same_problem(given_data: dict[str, Any]) -> None:
    found = problem(given_data)
    written = json.loads(json.dumps(plain(found)))
    assert problem(written) == found
    assert plain(problem(written)) == written


def test_defaults_are_left_out_and_what_a_section_sets_is_not() -> None:
    found = problem(
        {
            "title": "",
            "tokens": ["t1", "t2"],
            "context_tokens": ["k1"],
            "Q": [["0.50"], [-3]],
            "K": [[1]],
            "V": [["1/2 + sqrt(8)"]],
            "attention": {"causal": False, "num_heads": 1},
            "also": [{"causal": False, "scale": "1/2"}],
            "page": {"decimals": 3, "notation": {"weights": "A", "output": "O"}},
        }
    )
    assert plain(found) == {
        "Q": [["1/2"], [-3]],
        "K": [[1]],
        "V": [["1/2 + sqrt(8)"]],
        "also": [{"causal": False, "scale": "1/2"}],
        "page": {"notation": {"output": "O"}},
    }


def test_every_option_that_is_set_comes_back() -> None:
    given_data = {
        "title": "All of them",
        "tokens": ["one", "two"],
        "X": [[1, 2], ["a", 4]],
        "W_Q": "identity",
        "W_K": [[1, 2], [3, 4]],
        "W_V": "identity",
        "W_O": "identity",
        "symbols": {"b": "positive", "a": "real"},
        "attention": {"causal": True, "scale": "1/2", "num_heads": 2},
        "also": [{"causal": "bottom-right"}, {"scale": "a"}],
        "page": {
            "decimals": 4,
            "ties": "half-even",
            "digits": "significant",
            "decimal_mark": ",",
            "notation": {"weights": "P", "u": "t"},
        },
    }
    found = plain(problem(given_data))
    assert found == given_data
    assert list(found["symbols"]) == ["b", "a"]
