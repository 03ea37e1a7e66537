"""A Problem as plain data and back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from symattn.parse.options import FIXED
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
POSITIVE = st.one_of(
    st.integers(1, 9), st.fractions("1/9", 3, max_denominator=9), st.sampled_from(["sqrt(2)", "ln(2)", "b", "b/2 + 1"])
)
SYMBOLS = {"a": "real", "b": "positive"}
NAMES = st.text(alphabet="abc é語'\"\\$%", min_size=1, max_size=5).filter(str.strip)
LETTERS = st.text(alphabet="PQRZα_'1", min_size=1, max_size=3).filter(lambda letter: letter[0].isalpha())


def arrays(height: int, width: int) -> st.SearchStrategy[list[list[Any]]]:
    return st.lists(st.lists(NUMBERS, min_size=width, max_size=width), min_size=height, max_size=height)


def vectors(length: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(NUMBERS, min_size=length, max_size=length)


def names(count: int) -> st.SearchStrategy[list[str]]:
    return st.lists(NAMES, min_size=count, max_size=count, unique=True)


@dataclass(frozen=True)
class Sizes:
    """Sizes that go together; ``past`` rows stand in the cache."""

    n_q: int
    new: int
    past: int
    heads: int
    kv_heads: int
    d_k: int
    d_v: int

    @property
    def n_k(self) -> int:
        return self.past + self.new


def each_head(one: st.SearchStrategy[Any], heads: int) -> st.SearchStrategy[Any]:
    """One for all heads, or a list of one a head."""
    return one | st.lists(one, min_size=heads, max_size=heads)


def grids(items: st.SearchStrategy[Any], sizes: Sizes) -> st.SearchStrategy[Any]:
    row = st.lists(items, min_size=sizes.n_k, max_size=sizes.n_k)
    return each_head(st.lists(row, min_size=sizes.n_q, max_size=sizes.n_q), sizes.heads)


def ropes(d_k: int) -> st.SearchStrategy[dict[str, Any]]:
    rows: dict[str, st.SearchStrategy[Any]] = {"base": POSITIVE, "interleaved": st.booleans()}
    turned = {"dimensions": st.integers(1, d_k // 2).map(lambda half: 2 * half)}
    return (
        st.fixed_dictionaries({}, optional=rows | turned)
        if d_k % 2 == 0
        else st.fixed_dictionaries(turned, optional=rows)
    )


def options_of(sizes: Sizes, *, turned: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Any of the options of ``[attention]`` that can change from section to section, by what its row says."""
    found: dict[str, st.SearchStrategy[Any]] = {
        "mask": grids(st.booleans(), sizes),
        "bias": grids(NUMBERS | st.just("-oo"), sizes),
        "key_lengths": st.integers(1, sizes.n_k),
        "window": st.tuples(st.integers(-1, 3), st.integers(-1, 3)).map(list),
        "softcap": POSITIVE,
        "temperature": POSITIVE,
        "sink": each_head(NUMBERS, sizes.heads),
        "on_masked_row": st.sampled_from(["zero", "uniform", "nan"]),
    }
    if turned and sizes.d_k > 1:
        found["rope"] = ropes(sizes.d_k)
    for row, option in options(Attention):
        if row.name in FIXED:
            continue
        if option.kind == "choice":
            found.setdefault(row.name, st.sampled_from(option.choices))
        elif option.kind == "entry":
            found.setdefault(row.name, NUMBERS)
    if sizes.n_q != sizes.n_k and not sizes.past:
        found["causal"] = st.sampled_from([False, "top-left", "bottom-right"])
    assert set(found) | {"rope"} == {row.name for row, _ in options(Attention) if row.name not in FIXED}
    return st.fixed_dictionaries({}, optional=found)


def pages() -> st.SearchStrategy[dict[str, Any]]:
    """Any of the options of ``[page]`` that go with symbols."""
    found: dict[str, st.SearchStrategy[Any]] = {}
    for row, option in options(Page):
        if option.kind == "choice" and row.name != "rounding":
            found[row.name] = st.sampled_from(option.choices)
        elif option.kind == "integer":
            found[row.name] = st.integers(option.least, option.most)
    return st.fixed_dictionaries({"notation": _notations()}, optional=found)


@st.composite
def data(draw: st.DrawFn) -> dict[str, Any]:
    """Good data: sizes that go together, options that do not exclude each other."""
    kv_heads, group, d_k, d_v = (draw(st.integers(1, 2)) for _ in range(4))
    heads, n_q, new = kv_heads * group, draw(st.integers(1, 3)), draw(st.integers(1, 3))
    past = draw(st.sampled_from([0, 0, 1, 2]))
    found: dict[str, Any] = {"symbols": SYMBOLS}
    form = draw(st.sampled_from(["direct", "learned", "context"]))
    context = form == "context"
    sizes = Sizes(n_q, n_q if form == "learned" else new, past, heads, kv_heads, d_k, d_v)
    if form != "direct":
        found |= draw(_learned(sizes, context=context))
    else:
        for name, height, width in (("Q", n_q, heads * d_k), ("K", new, kv_heads * d_k), ("V", new, kv_heads * d_v)):
            found[name] = draw(arrays(height, width))
    if past:
        found["past_key"] = draw(arrays(past, kv_heads * d_k))
        found["past_value"] = draw(arrays(past, kv_heads * d_v))
    if draw(st.booleans()):
        found["tokens"] = draw(names(n_q))
    if (form != "learned" or past) and draw(st.booleans()):
        found["context_tokens"] = draw(names(sizes.n_k))
    if draw(st.booleans()):
        width = draw(st.integers(1, 3))
        copied = draw(st.booleans())
        found["W_O"] = "identity" if copied else draw(arrays(heads * d_v, width))
        if draw(st.booleans()):
            found["b_O"] = draw(vectors(heads * d_v if copied else width))
    found["attention"] = {"num_heads": heads, "on_masked_row": "zero"} | draw(options_of(sizes, turned=not context))
    if kv_heads != heads or draw(st.booleans()):
        found["attention"]["num_kv_heads"] = kv_heads
    found["page"] = draw(pages())
    if found["page"].get("row_sums") == "one":
        found["page"].pop("digits", None)
    section = draw(options_of(sizes, turned=not context))
    if section:
        found["also"] = [section | {"scale": 7919}]
    return found


@st.composite
def _learned(draw: st.DrawFn, sizes: Sizes, *, context: bool) -> dict[str, Any]:
    """X with its tables and what is added to them; a plain copy where the widths allow it."""
    widths = {"Q": sizes.heads * sizes.d_k, "K": sizes.kv_heads * sizes.d_k, "V": sizes.kv_heads * sizes.d_v}
    d_model = draw(st.sampled_from([1, 3, *widths.values()]))
    source = draw(st.sampled_from([2, *widths.values()])) if context else d_model
    found = {"X": draw(arrays(sizes.n_q, d_model))}
    if context:
        found["context"] = draw(arrays(sizes.new, source))
    for name, width in widths.items():
        height = d_model if name == "Q" else source
        copied = height == width and draw(st.booleans())
        found[f"W_{name}"] = "identity" if copied else draw(arrays(height, width))
        if draw(st.booleans()):
            found[f"b_{name}"] = draw(vectors(width))
    return found


def _notations() -> st.SearchStrategy[dict[str, str]]:
    """Letters that no array has by default, each once."""
    count = st.lists(st.sampled_from(NOTATION), unique=True, max_size=3)
    return count.flatmap(
        lambda rows: st.lists(LETTERS.map("N{}".format), min_size=len(rows), max_size=len(rows), unique=True).map(
            lambda letters: dict(zip(rows, letters, strict=True))
        )
    )


@st.composite
def layered(draw: st.DrawFn) -> dict[str, Any]:
    """Two or three layers, each as wide as the output before it, with options of their own."""
    numerals = st.integers(-9, 9) | st.sampled_from(["1/3", "-sqrt(2)", "0.25", "log(3)"])

    def matrix(height: int, width: int) -> Any:
        return draw(st.lists(st.lists(numerals, min_size=width, max_size=width), min_size=height, max_size=height))

    n, width = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    found: dict[str, Any] = {"X": matrix(n, width), "layers": []}
    if draw(st.booleans()):
        found["attention"] = {"scale": "1/7", "lse": True}
    for _ in range(draw(st.integers(1, 3))):
        heads, d_k, d_v, wide = (draw(st.integers(1, 3)) for _ in range(4))
        layer = {"W_Q": matrix(width, heads * d_k), "W_K": matrix(width, heads * d_k), "num_heads": heads}
        layer |= {"W_V": matrix(width, heads * d_v), "W_O": matrix(heads * d_v, wide), "b_O": matrix(1, wide)[0]}
        layer |= draw(st.fixed_dictionaries({}, optional={"causal": st.just(True), "scale": numerals}))
        if wide == width:
            layer["residual"] = draw(st.booleans())
        width = wide
        found["layers"].append(layer)
    return found


@given(data() | layered())
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
        "b_Q": [1, "1/2"],
        "b_K": [0, "a"],
        "b_V": ["sqrt(2)", 3],
        "b_O": [1, 2],
        "past_key": [[1, 2], [3, 4]],
        "past_value": [[1, "b"], [3, 4]],
        "attention": {
            "causal": True,
            "mask": [[True, True, True, False], [False, True, True, True]],
            "key_lengths": 4,
            "window": [2, -1],
            "scale": "1/2",
            "softcap": 50,
            "bias": [[0, 1, 2, "-oo"], ["1/2", "a", 0, 0]],
            "alibi": True,
            "temperature": "b",
            "sink": "1/3",
            "on_masked_row": "uniform",
            "convention": "jax",
            "lse": True,
            "num_heads": 2,
            "num_kv_heads": 2,
        },
        "also": [
            {"causal": "bottom-right"},
            {"scale": "a"},
            {"mask": [[[True] * 4, [False] * 4], [[True] * 4] * 2], "sink": [0, 1]},
            {"bias": [[[0] * 4, ["-oo"] * 4], [["a"] * 4] * 2], "lse": False},
        ],
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


def test_rotary_positions_and_a_context_come_back() -> None:
    rotary = {"Q": [[1, 2]], "K": [[1, 2]], "V": [[1]], "attention": {"rope": {}}}
    rotary["also"] = [{"rope": {"base": "1/2", "dimensions": 2, "interleaved": True}}, {"rope": {"interleaved": True}}]
    assert plain(problem(rotary)) == rotary
    defaults = {"rope": {"base": 10000, "interleaved": False}}
    assert plain(problem({**rotary, "attention": defaults})) == rotary
    other = {
        "X": [[1]],
        "context": [[1, 2]],
        "W_Q": [[1, 0]],
        "W_K": "identity",
        "W_V": "identity",
        "tokens": ["a"],
        "context_tokens": ["b"],
    }
    assert plain(problem(other)) == other
    assert "context_tokens" not in plain(problem({**other, "context_tokens": ["c1"]}))


def test_names_that_stand_for_other_keys_by_default_are_kept() -> None:
    found = {"Q": [[1]], "K": [[1]], "V": [[1]], "past_key": [[1]], "past_value": [[1]], "tokens": ["p1"]}
    found["context_tokens"] = ["past", "p1"]
    assert plain(problem(found)) == found
