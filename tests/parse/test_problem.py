"""Plain data: what makes a Problem, and what is refused, with the place and how to mend it."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import ShapeError, SpecError, SymattnError
from symattn.parse import limits
from symattn.parse.document import Format
from symattn.parse.problem import loads, problem
from symattn.problem import Also, Attention, Page, Problem, Rope, options

DIRECT = {"Q": [[1]], "K": [[1]], "V": [[1]]}
LEARNED = {"X": [[1, 2], [3, 4], [5, 6]], "W_Q": "identity", "W_K": "identity", "W_V": "identity"}
HEADS = {"Q": [[1] * 4] * 2, "K": [[1] * 4] * 2, "V": [[1] * 6] * 2, "attention": {"num_heads": 2}}
GROUPED = {
    "Q": [[1] * 8],
    "K": [[1] * 4],
    "V": [[1] * 6],
    "attention": {"num_heads": 4, "num_kv_heads": 2},
}
WIDE = {"Q": [[1], [2]], "K": [[1], [2], [3]], "V": [[1], [2], [3]]}

ENTRIES = {
    "integer": (3, Fraction(3)),
    "Fraction": (Fraction(1, 3), Fraction(1, 3)),
    "Decimal": (Decimal("0.1"), Fraction(1, 10)),
    "negative zero": (Decimal("-0.0"), Fraction(0)),
    "exponent": (Decimal("1E-200"), Fraction(1, 10**200)),
    "text": ("0.1", Fraction(1, 10)),
    "200 digits": (10**200 - 1, Fraction(10**200 - 1)),
    "digits and zeros": (123 * 10**200, Fraction(123 * 10**200)),
}
assert ENTRIES


@pytest.mark.parametrize(("value", "expected"), ENTRIES.values(), ids=ENTRIES)
def test_an_entry_is_exact(value: Any, expected: Fraction) -> None:
    assert ((expected,),) == problem({**DIRECT, "V": [[value]]}).V


def test_lists_and_tuples_are_alike() -> None:
    assert problem({**DIRECT, "Q": ((1,),), "tokens": ("a",)}) == problem({**DIRECT, "tokens": ["a"]})


OF_A_CACHE = {"past_key": [[1, 2]], "past_value": [[3, 4]]}
KEYS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a cache and the tokens": ({**LEARNED, **OF_A_CACHE}, ["p1", "t1", "t2", "t3"]),
    "a cache and named tokens": ({**LEARNED, **OF_A_CACHE, "tokens": ["a", "b", "c"]}, ["p1", "a", "b", "c"]),
    "a context": ({**LEARNED, "context": [[1, 2]] * 3}, ["c1", "c2", "c3"]),
    "a context and named tokens": ({**LEARNED, "context": [[1, 2]], "tokens": ["c1", "b", "c"]}, ["c1"]),
    "a cache and a context": ({**LEARNED, **OF_A_CACHE, "context": [[1, 2]]}, ["p1", "c1"]),
    "a cache and as many keys as queries": (
        {"Q": [[1, 0]], "K": [[1, 2]], "V": [[1, 2]], **OF_A_CACHE, "tokens": ["a"]},
        ["p1", "a"],
    ),
    "a cache and other keys": (
        {"Q": [[1, 0]], "K": [[1, 2]] * 2, "V": [[1, 2]] * 2, **OF_A_CACHE, "tokens": ["p1"]},
        ["p1", "k1", "k2"],
    ),
}
assert KEYS


@pytest.mark.parametrize(("data", "expected"), KEYS.values(), ids=KEYS)
def test_every_key_has_a_name(data: dict[str, Any], expected: list[str]) -> None:
    found = problem(data)
    assert found.context_tokens == tuple(expected)
    assert len(expected) == found.n_k
    assert problem({**data, "context_tokens": expected}) == found


def test_tokens_and_context_tokens_may_share_names() -> None:
    given = {**LEARNED, "context": [[1, 2]] * 3, "tokens": ["a", "b", "c"], "context_tokens": ["c", "b", "a"]}
    assert problem(given).context_tokens == ("c", "b", "a")
    given = {**LEARNED, **OF_A_CACHE, "tokens": ["p1", "b", "c"], "context_tokens": ["old", "p1", "b", "c"]}
    assert problem(given).context_tokens == ("old", "p1", "b", "c")


def test_rows_without_names_are_numbered() -> None:
    assert problem(LEARNED).tokens == problem(LEARNED).context_tokens == ("t1", "t2", "t3")
    assert problem({**LEARNED, "tokens": ["a", "b", "c"]}).context_tokens == ("a", "b", "c")
    wide = problem(WIDE)
    assert (wide.tokens, wide.context_tokens) == (("t1", "t2"), ("k1", "k2", "k3"))
    assert problem({**WIDE, "context_tokens": ["a", "b", "c"]}).tokens == ("t1", "t2")


def test_options_that_are_not_given_have_the_defaults_of_their_rows() -> None:
    found = problem(DIRECT)
    assert (found.attention, found.also, found.page) == (Attention(), (), Page())


def test_the_names_that_a_section_sets_stand_in_the_order_of_the_rows() -> None:
    found = problem({**DIRECT, "also": [{"scale": 2, "causal": False}]})
    assert found.also == (Also(Attention(causal=False, scale=Fraction(2)), ("causal", "scale")),)


def test_notation_keeps_what_differs_in_the_order_of_the_table() -> None:
    notation = {"u": "t", "output": "A", "weights": "P_1'", "X": "X"}
    found = problem({**DIRECT, "page": {"notation": notation}})
    assert found.page.notation == (("weights", "P_1'"), ("output", "A"), ("u", "t"))


def test_letters_may_change_places() -> None:
    found = problem({**DIRECT, "page": {"notation": {"query": "K", "key": "Q"}}})
    assert found.page.notation == (("query", "K"), ("key", "Q"))


def test_a_symbol_may_have_a_letter_that_was_given_up() -> None:
    found = problem({**DIRECT, "symbols": {"A": "real"}, "page": {"notation": {"weights": "P"}}})
    assert found.symbols == (("A", "real"),)


def test_scale_may_be_zero_or_an_expression() -> None:
    assert problem({**DIRECT, "attention": {"scale": 0}}).attention.scale == 0
    assert problem({**DIRECT, "attention": {"scale": "1/sqrt(2)"}}).attention.scale is not None


def test_several_heads_share_the_columns_out() -> None:
    two = {"attention": {"num_heads": 2}}
    found = problem({"Q": [[1, 2]], "K": [[1, 2]], "V": [[1, 2, 3, 4]], "W_O": [[1]] * 4, **two})
    assert found.attention.num_heads == 2
    assert found.W_O is not None


def test_masks_where_queries_and_keys_differ() -> None:
    for causal in ("top-left", "bottom-right"):
        assert problem({**WIDE, "attention": {"causal": causal}}).attention.causal == causal
    tall = {"Q": WIDE["K"], "K": WIDE["Q"], "V": WIDE["Q"]}
    assert problem({**tall, "attention": {"causal": "top-left"}}).n_q == 3


OPTIONS_READ: dict[str, tuple[Any, Any]] = {
    "mask": ([[True, False, True]] * 2, (((True, False, True),) * 2,)),
    "window": ([2, -1], (2, -1)),
    "bias": (
        [[0, "-oo", Decimal("-inf")], ["1/2", "-inf", float("-inf")]],
        (((Fraction(0), None, None), (Fraction(1, 2), None, None)),),
    ),
    "sink": (["1/2"], (Fraction(1, 2),)),
    "rope": ({"base": 100, "dimensions": 2, "interleaved": True}, Rope(Fraction(100), 2, True)),
    "softcap": ("0.5", Fraction(1, 2)),
    "temperature": ("e^-64", None),
    "key_lengths": (3, 3),
    "alibi": (True, True),
    "lse": (True, True),
    "convention": ("torch-mha", "torch-mha"),
    "on_masked_row": ("nan", "nan"),
}
SQUARE = {"Q": [[1, 2]] * 2, "K": [[1, 2]] * 3, "V": [[1]] * 3}


@pytest.mark.parametrize("name", OPTIONS_READ)
def test_options_are_held_as_their_fields_say(name: str) -> None:
    given, expected = OPTIONS_READ[name]
    found = problem({**SQUARE, "attention": {name: given}, "also": [{"causal": "top-left"}, {"scale": 1}]})
    if expected is not None:
        assert getattr(found.attention, name) == expected
    assert all(getattr(section.attention, name) == getattr(found.attention, name) for section in found.also)
    alike = problem({**SQUARE, "also": [{name: given}]}).also[0]
    assert alike == Also(Attention(**{name: getattr(found.attention, name)}), (name,))


def test_what_stands_for_all_heads_may_stand_for_each() -> None:
    mask, bias = [[True, False], [True, True]], [[0, "-oo"], [1, "1/3"]]
    one = problem({**HEADS, "attention": {"num_heads": 2, "mask": mask, "bias": bias, "sink": 0}})
    nested = problem({**HEADS, "attention": {"num_heads": 2, "mask": [mask], "bias": [bias], "sink": [0]}})
    each = problem({**HEADS, "attention": {"num_heads": 2, "mask": [mask] * 2, "bias": [bias] * 2, "sink": [0, 0]}})
    assert one == nested
    assert (len(one.attention.mask), len(one.attention.bias), len(one.attention.sink)) == (1, 1, 1)
    assert each.attention.mask == one.attention.mask * 2
    assert each.attention.bias == one.attention.bias * 2
    assert each.attention.sink == one.attention.sink * 2


def test_a_bias_of_zeros_and_ones_is_a_bias() -> None:
    found = problem({**DIRECT, "attention": {"bias": [[1]]}})
    assert found.attention.bias == (((Fraction(1),),),)


@pytest.mark.parametrize("text", ["b", "2*b + 1/b", "sqrt(2)*b + ln(3)", "exp(a)", "b*exp(-a) + pi", "sqrt(b)"])
def test_what_positive_symbols_make_may_be_divided_by(text: str) -> None:
    found = problem(direct(symbols={"a": "real", "b": "positive"}, attention={"softcap": text, "temperature": text}))
    assert found.attention.softcap == found.attention.temperature


def test_causal_true_with_a_cache_or_a_convention() -> None:
    cached = {"Q": [[1]] * 2, "K": [[1]] * 2, "V": [[1]] * 2, "past_key": [[1]] * 3, "past_value": [[1]] * 3}
    found = problem({**cached, "attention": {"causal": True}})
    assert (found.n_q, found.n_k, found.past) == (2, 5, 3)
    for convention in ("torch", "jax", "onnx", "flash", "keras"):
        assert problem({**WIDE, "attention": {"causal": True, "convention": convention}}).attention.causal is True
    assert problem({**LEARNED, "attention": {"causal": True, "convention": "torch-mha"}}).n_q == 3


NOTHING_ALLOWED = [[False] * 3, [True] * 3]


@pytest.mark.parametrize(
    "options",
    [
        {"on_masked_row": "zero"},
        {"on_masked_row": "uniform"},
        {"on_masked_row": "nan"},
        {"convention": "torch"},
        {"convention": "torch-mha"},
        {"sink": 0},
    ],
    ids=str,
)
def test_a_row_with_nothing_allowed_where_something_is_said_of_it(options: dict[str, Any]) -> None:
    found = problem({**WIDE, "attention": {"mask": NOTHING_ALLOWED, **options}})
    assert not any(found.attention.mask[0][0])
    section = problem({**WIDE, "also": [{"mask": NOTHING_ALLOWED, **options}]}).also[0]
    assert section.attention == found.attention


def test_context_gives_keys_and_values_a_width_of_their_own() -> None:
    found = problem(learned(context=[[1, 2, 3]] * 5, W_K=[[1, 2]] * 3))
    assert (found.n_q, found.n_k) == (3, 5)
    assert found.W_V == "identity"


def test_fewer_key_heads_have_fewer_columns() -> None:
    cache = {"past_key": [[1] * 4] * 3, "past_value": [[1] * 6] * 3}
    found = problem({**GROUPED, **cache, "W_O": [[1]] * 12, "b_O": [1]})
    assert (found.attention.kv_heads, found.n_k) == (2, 4)
    learned_too = {
        "X": [[1, 2, 3, 4]],
        "W_Q": "identity",
        "W_K": [[1]] * 4,
        "W_V": "identity",
        "b_Q": [1] * 4,
        "b_K": ["1/2"],
        "b_V": [1] * 4,
        "attention": {"num_heads": 4, "num_kv_heads": 1},
    }
    assert problem(learned_too).b_K == (Fraction(1, 2),)


def test_a_page_of_rounded_numbers_may_use_every_option() -> None:
    options = {"softcap": 2, "bias": [[0] * 3] * 2, "temperature": "1/2", "sink": 0, "rope": {}, "alibi": True}
    assert problem({**SQUARE, "attention": options, "page": {"rounding": "carried"}}).page.rounding == "carried"


def direct(**changes: Any) -> dict[str, Any]:
    return {**DIRECT, **changes}


def learned(**changes: Any) -> dict[str, Any]:
    return {name: value for name, value in {**LEARNED, **changes}.items() if value is not None}


def entry(value: Any) -> dict[str, Any]:
    return direct(V=[[1, value]])


AT = "V[0][1] (row 1, column 2): "
FINITE = "write a finite number"
SIZES = "at most 512 rows and columns and 65536 entries can be worked"
PAST = {"past_key": [[1, 2]] * 2, "past_value": [[3, 4]] * 2}
NO_KEY = 'choose another mask, or say what becomes of such a row, as in on_masked_row = "zero"'
BOOLEANS = (
    "write true where the query may attend to the key and false where it may not; "
    'numbers are a bias, in which 0 and 1 hide nothing and "-oo" hides the key'
)
FLOAT = "is a binary float, and as one 0.1 is not exactly 1/10"
REFUSED: dict[str, tuple[Any, str | None]] = {
    "float": (entry(0.5), f'{AT}0.5 {FLOAT}; write "0.5" or Decimal("0.5")'),
    "float nan": (entry(float("nan")), f'{AT}nan {FLOAT}; write "nan" or Decimal("nan")'),
    "Decimal nan": (entry(Decimal("nan")), f"{AT}nan is not a real number; {FINITE}"),
    "Decimal snan": (entry(Decimal("snan")), f"{AT}snan is not a real number; {FINITE}"),
    "Decimal inf": (entry(Decimal("-inf")), f"{AT}-infinity is not a real number; {FINITE}"),
    "Decimal huge": (
        entry(Decimal("1e1000000000")),
        f"{AT}the exponent of ten in column 1 is too large; 200 is the most",
    ),
    "integer huge": (entry(10**6000), f"{AT}the number has too many digits; 200 is the most"),
    "Fraction huge": (
        entry(Fraction(1, 3**500)),
        f"{AT}the entry is too long once it is worked out; write smaller numbers",
    ),
    "bool": (entry(True), f"{AT}true is not a number; write 1 or 0"),
    "null": (entry(None), f'{AT}null is not a number; write a number, or a text such as "sqrt(2)/2"'),
    "list": (entry([1]), f'{AT}a list is not a number; write a number, or a text such as "sqrt(2)/2"'),
    "complex": (entry(1j), f'{AT}a complex is not a number; write a number, or a text such as "sqrt(2)/2"'),
    "root": (entry("sqrt(-1)"), None),
    "logarithm": (entry("log(0)"), None),
    "hidden zero": (entry("1/(sqrt(4)-2)"), None),
    "too many terms": (
        entry("((sqrt(2)+1)^64)^64"),
        f"{AT}the entry is too long a sum when it is multiplied out; 500 terms are the most",
    ),
    "undeclared": (entry("a"), f"{AT}unknown name 'a' in column 1; known here: e, exp, ln, log, pi, sqrt"),
    "not a table": ([1], "a list is not a table; write names and values"),
    "number as a name": ({1: 2}, "a name here is 1; names are texts"),
    "unknown": (direct(W_Z=1), "W_Z: unknown name 'W_Z'; did you mean W_V?"),
    "small letters": (direct(w_q=1), "w_q: unknown name 'w_q'; did you mean W_Q?"),
    "unknown and unlike": (
        direct(zzz=1),
        "zzz: unknown name 'zzz'; known here: title, tokens, context_tokens, X, W_Q, W_K, W_V, W_O, Q, K, V, context, "
        "past_key, past_value, b_Q, b_K, b_V, b_O, symbols, attention, also, layers, page",
    ),
    "option at the top": (direct(causal=True), "causal: unknown name 'causal'; write it under [attention]"),
    "misspelt at the top": (direct(casual=1), "casual: unknown name 'casual'; did you mean causal, under [attention]?"),
    "page option at the top": (direct(decimals=3), "decimals: unknown name 'decimals'; write it under [page]"),
    "page option in attention": (
        direct(attention={"ties": "half-up"}),
        "attention.ties: unknown name 'ties'; write it under [page]",
    ),
    "tokens in page": (
        direct(page={"tokens": ["a"]}),
        "page.tokens: unknown name 'tokens'; write it at the top of the file",
    ),
    "misspelt option": (direct(page={"decimal": 3}), "page.decimal: unknown name 'decimal'; did you mean decimals?"),
    "choice": (
        direct(attention={"causal": 1}),
        'attention.causal: 1 is not a choice here; write false or true or "top-left" or "bottom-right"',
    ),
    "choice in words": (
        direct(attention={"causal": "true"}),
        'attention.causal: the text \'true\' is not a choice here; write false or true or "top-left" or "bottom-right"',
    ),
    "choice as a list": (
        direct(page={"ties": ["half-up"]}),
        'page.ties: a list is not a choice here; write "half-up" or "half-even"',
    ),
    "too few decimals": (
        direct(page={"decimals": 0}),
        "page.decimals: 0 cannot stand here; write an integer from 1 to 60",
    ),
    "too many decimals": (
        direct(page={"decimals": 61}),
        "page.decimals: 61 cannot stand here; write an integer from 1 to 60",
    ),
    "decimals as a bool": (
        direct(page={"decimals": True}),
        "page.decimals: true cannot stand here; write an integer from 1 to 60",
    ),
    "decimals as a decimal": (
        direct(page={"decimals": Decimal("3.0")}),
        "page.decimals: this number cannot stand here; write an integer from 1 to 60",
    ),
    "no heads": (
        direct(attention={"num_heads": 0}),
        "attention.num_heads: 0 cannot stand here; write an integer from 1 to 64",
    ),
    "attention is no table": (direct(attention=True), "attention: true is not a table; write names and values"),
    "scale": (direct(attention={"scale": 0.5}), f'attention.scale: 0.5 {FLOAT}; write "0.5" or Decimal("0.5")'),
    "significant rows": (
        direct(page={"row_sums": "one", "digits": "significant"}),
        'page.row_sums: row_sums = "one" needs one unit for the whole row, and significant digits have one for each '
        'number; set digits = "places"',
    ),
    "carried letters": (
        direct(symbols={"a": "real"}, page={"rounding": "carried"}),
        "page.rounding: carried rounding needs numbers, but symbols are declared; "
        'set rounding = "nearest", or put numbers in for the symbols',
    ),
    "also is no list": (direct(also={"causal": True}), "also: a table is not a list; write it in square brackets"),
    "empty also": (direct(also=[{}]), "also[0] (number 1): the table is empty; say what changes, as in causal = true"),
    "also like attention": (
        direct(also=[{"causal": False}]),
        "also[0] (number 1): the same options as attention; change one, or remove it",
    ),
    "also twice": (
        direct(also=[{"causal": True}, {"scale": 2}, {"causal": True}]),
        "also[2] (number 3): the same options as also[0]; change one, or remove it",
    ),
    "heads in also": (
        direct(also=[{"num_heads": 1}]),
        "also[0].num_heads (number 1): num_heads cannot change from section to section; write it under [attention]",
    ),
    "page in also": (
        direct(also=[{"decimals": 2}]),
        "also[0].decimals (number 1): unknown name 'decimals'; write it under [page]",
    ),
    "many also": (
        direct(also=[{"scale": i} for i in range(17)]),
        "also: 17 tables are too many; 16 is the most",
    ),
    "unknown notation": (
        direct(page={"notation": {"weight": "P"}}),
        "page.notation.weight: unknown name 'weight'; did you mean weights?",
    ),
    "same letters": (
        direct(page={"notation": {"weights": "P", "output": "P"}}),
        "page.notation.weights: 'P' is the letter of output already; choose another, or set output too",
    ),
    "letter of a default": (
        direct(page={"notation": {"weights": "Z"}}),
        "page.notation.weights: 'Z' is the letter of output already; choose another, or set output too",
    ),
    "letter of the generator": (
        direct(page={"notation": {"weights": "u"}}),
        "page.notation.weights: 'u' is the letter of u already; choose another, or set u too",
    ),
    **{
        f"letter {letter!r}": (
            direct(page={"notation": {"weights": letter}}),
            f"page.notation.weights: the text {letter!r} cannot be the letter of an array; "
            "write a letter, and more letters, digits, _ or ' if need be",
        )
        for letter in ("", "1", "P Q", "\\P", "P$", "_P", "P²")
    },
    "long letter": (
        direct(page={"notation": {"weights": "P" * 13}}),
        "page.notation.weights: the text has 13 characters; 12 is the most",
    ),
    "letter as a number": (
        direct(page={"notation": {"weights": 1}}),
        "page.notation.weights: 1 is not a text; write it in quotes",
    ),
    "symbols as a list": (direct(symbols=["a"]), "symbols: a list is not a table; write names and values"),
    "assumption": (
        direct(symbols={"a": "integer"}),
        'symbols.a: the text \'integer\' is no assumption; write "real" or "positive"',
    ),
    "assumption as a number": (direct(symbols={"a": 1}), 'symbols.a: 1 is no assumption; write "real" or "positive"'),
    **{
        f"symbol {name}": (
            direct(symbols={name: "real"}),
            f"symbols.{name}: {name} has a meaning already; choose another name",
        )
        for name in ("e", "pi", "sqrt", "log", "ln", "exp", "u")
    },
    **{
        f"symbol {name!r}": (
            direct(symbols={name: "real"}),
            f"symbols.{path}: {name!r} cannot name a symbol; write a letter, then letters, digits or _",
        )
        for name, path in {"1a": "1a", "a b": "'a b'", "_a": "_a", "α": "'α'", "a-b": "a-b", "": "''"}.items()
    },
    "symbol like an array": (
        direct(symbols={"A": "real"}),
        "symbols.A: A is the letter of weights on the page; "
        "rename the symbol, or give weights another letter: [page] notation",
    ),
    "symbol like a notation": (
        direct(symbols={"t": "real"}, page={"notation": {"u": "t"}}),
        "symbols.t: t is the letter of u on the page; rename the symbol, or give u another letter: [page] notation",
    ),
    "many symbols": (
        direct(symbols={f"a{i}": "real" for i in range(65)}),
        "symbols: 65 symbols are too many; 64 is the most",
    ),
    "title": (direct(title=3), "title: 3 is not a text; write it in quotes"),
    "long title": (direct(title="x" * 201), "title: the text has 201 characters; 200 is the most"),
    **{
        f"title {character!a}": (
            direct(title=f"a{character}b"),
            f"title: the text holds the control character {character!r}; remove it",
        )
        for character in "\n\x00\x7f\x85\u2028\u202e\ud800"
    },
    "tokens as a text": (direct(tokens="a"), "tokens: the text 'a' is not a list; write it in square brackets"),
    "too few tokens": (learned(tokens=["a"]), "tokens: 1 tokens for 3 rows; name every row once"),
    "too many tokens": (direct(tokens=["a", "b"]), "tokens: 2 tokens for 1 rows; name every row once"),
    "token twice": (
        learned(tokens=["a", "b", "a"]),
        "tokens[2] (number 3): the text 'a' is used twice, first as number 1; tell them apart, as in the_1 and the_2",
    ),
    "token as a number": (direct(tokens=[1]), "tokens[0] (number 1): 1 is not a text; write it in quotes"),
    "empty token": (direct(tokens=[" "]), "tokens[0] (number 1): the token is empty; give it a name"),
    "token with a control character": (
        direct(tokens=["a\tb"]),
        "tokens[0] (number 1): the text holds the control character '\\t'; remove it",
    ),
    "long token": (
        direct(tokens=["x" * 101]),
        "tokens[0] (number 1): the text has 101 characters; 100 is the most",
    ),
    "context of X": (
        learned(context_tokens=["a", "b", "c"]),
        "context_tokens: the keys of X are its own rows; leave context_tokens out",
    ),
    "context tokens": (direct(context_tokens=[]), "context_tokens: 0 tokens for 1 rows; name every row once"),
    "nothing": ({}, "there is nothing to attend to; give X with W_Q, W_K and W_V, or give Q, K and V"),
    "tables alone": (
        {"W_Q": [[1]]},
        "there is nothing to attend to; give X with W_Q, W_K and W_V, or give Q, K and V",
    ),
    "K is missing": ({"Q": [[1]], "V": [[1]]}, "K: K is missing; Q, K and V go together"),
    "W_V is missing": (learned(W_V=None), 'W_V: W_V is missing; write W_V = "identity" for a plain copy'),
    "X and Q": (learned(Q=[[1]]), "Q: X and Q exclude each other; give one or the other"),
    "Q and W_K": (direct(W_K="identity"), "W_K: W_K needs X; give X, or leave it out beside Q, K, V"),
    "matrix as a word": (
        learned(W_Q="identiy"),
        "W_Q: the text 'identiy' is not a matrix; write rows of numbers, or \"identity\"",
    ),
    "X as a word": (learned(X="identity"), "X: the text 'identity' is not a list; write it in square brackets"),
    "matrix as a number": (learned(W_Q=2), "W_Q: 2 is not a list; write it in square brackets"),
    "row as a number": (learned(X=[1, 2]), "X[0] (number 1): 1 is not a list; write it in square brackets"),
    "empty matrix": (learned(X=[]), "X: the list is empty; write at least one number"),
    "empty row": (learned(X=[[1], []]), "X[1] (number 2): the list is empty; write at least one number"),
    "ragged": (
        learned(X=[[1, 2], [3, 4], [5]]),
        "X[2] (number 3): a row of 1 where the first row has 2; give every row the same number of entries",
    ),
    "too many rows": (direct(V=[[1]] * 513), f"V: 513 rows are too many; {SIZES}"),
    "too many columns": (direct(V=[[1] * 513]), f"V[0] (number 1): 513 entries are too many; {SIZES}"),
    "too many entries": (direct(V=[[1] * 129] * 512), f"V: 512 x 129 entries are too many; {SIZES}"),
    "X and W_Q": (
        learned(W_Q=[[1] * 5] * 7),
        "W_Q: X is 3 x 2 but W_Q is 7 x 5; give W_Q 2 rows, one for each column of X",
    ),
    "X and W_V": (
        learned(W_V=[[1]]),
        "W_V: X is 3 x 2 but W_V is 1 x 1; give W_V 2 rows, one for each column of X",
    ),
    "W_Q and W_K": (
        learned(W_Q=[[1] * 5] * 2),
        "W_K: W_Q is 2 x 5 but W_K is 2 x 2; "
        "give both as many columns: a score multiplies queries and keys number by number",
    ),
    "Q and K": (
        direct(Q=[[1, 2, 3]]),
        "K: Q is 1 x 3 but K is 1 x 1; give both as many columns: a score multiplies queries and keys number by number",
    ),
    "K and V": (direct(V=[[1], [2]]), "V: K is 1 x 1 but V is 2 x 1; give every key one value"),
    "heads of W_Q": (
        learned(attention={"num_heads": 3}),
        "W_Q: W_Q is 2 x 2: 2 columns cannot be shared out to 3 heads; "
        "choose num_heads so that it divides the number of columns",
    ),
    "heads of V": (
        {"Q": [[1, 2]], "K": [[1, 2]], "V": [[1, 2, 3]], "attention": {"num_heads": 2}},
        "V: V is 1 x 3: 3 columns cannot be shared out to 2 heads; "
        "choose num_heads so that it divides the number of columns",
    ),
    "W_V and W_O": (
        learned(W_O=[[1, 2]] * 3),
        "W_O: W_V is 2 x 2 but W_O is 3 x 2; give W_O 2 rows, one for each column of the heads side by side",
    ),
    "V and W_O": (
        direct(W_O=[[1]] * 2),
        "W_O: V is 1 x 1 but W_O is 2 x 1; give W_O 1 rows, one for each column of the heads side by side",
    ),
    "causal with two readings": (
        {**WIDE, "attention": {"causal": True}},
        "attention.causal: causal = true has two readings with 2 queries and 3 keys; "
        'write causal = "top-left" or causal = "bottom-right"',
    ),
    "causal with two readings in a section": (
        {**WIDE, "also": [{"causal": True}]},
        "also[0].causal (number 1): causal = true has two readings with 2 queries and 3 keys; "
        'write causal = "top-left" or causal = "bottom-right"',
    ),
    "nothing allowed": (
        {
            "tokens": ["one", "two", "three"],
            "Q": [[1], [2], [3]],
            "K": [[1]],
            "V": [[1]],
            "attention": {"causal": "bottom-right"},
        },
        f"attention.causal: query 0 (row 1, 'one') may attend to no key; 3 queries and 1 keys: {NO_KEY}",
    ),
    "zeros and ones for a mask": (
        {**LEARNED, "attention": {"mask": [[1, 0, 0], [1, 1, 0], [1, 1, 1]]}},
        f"attention.mask[0][0] (row 1, column 1): 1 is not true or false; {BOOLEANS}",
    ),
    "infinities for a mask": (
        {**LEARNED, "attention": {"mask": [[False, "-oo"]]}},
        f"attention.mask[0][1] (row 1, column 2): the text '-oo' is not true or false; {BOOLEANS}",
    ),
    "mask that is no matrix": (
        direct(attention={"mask": True}),
        "attention.mask: true is not a list; write it in square brackets",
    ),
    "empty mask": (direct(attention={"mask": []}), "attention.mask: the list is empty; write at least one number"),
    "ragged mask": (
        direct(attention={"mask": [[True], [True, False]]}),
        "attention.mask[1] (number 2): a row of 2 where the first row has 1; give every row the same number of entries",
    ),
    "mask of one head that is ragged": (
        direct(attention={"mask": [[[True]], [[True], []]]}),
        "attention.mask[1][1] (row 2, column 2): the list is empty; write at least one number",
    ),
    "mask in a section with too many rows": (
        direct(also=[{"mask": [[True]] * 513}]),
        f"also[0].mask (number 1): 513 rows are too many; {SIZES.replace('65536', '262144')}",
    ),
    "too many masks": (
        direct(attention={"mask": [[[True]]] * 65}),
        "attention.mask: 65 matrices are too many; 64 is the most",
    ),
    "masks too large together": (
        direct(attention={"mask": [[[True] * 512] * 512] * 2}),
        f"attention.mask[0] (number 1): 512 x 512 entries are too many; {SIZES.replace('65536', '131072')}",
    ),
    "mask of another size": (
        {**WIDE, "attention": {"mask": [[True] * 2] * 3}},
        "attention.mask: mask is 3 x 2 with 2 queries and 3 keys; "
        "give it 2 rows, one a query, and 3 columns, one a key",
    ),
    "mask without the cache": (
        {**WIDE, "past_key": [[1]] * 2, "past_value": [[1]] * 2, "attention": {"mask": [[True] * 3] * 2}},
        "attention.mask: mask is 2 x 3 with 2 queries and 5 keys; "
        "give it 2 rows, one a query, and 5 columns, one a key, those of the cache first",
    ),
    "bias of one head of another size": (
        {**HEADS, "also": [{"bias": [[[0, 0]] * 2, [[0]] * 2]}]},
        "also[0].bias (number 1): bias of head 1 (number 2) is 2 x 1 with 2 queries and 2 keys; "
        "give it 2 rows, one a query, and 2 columns, one a key",
    ),
    "masks for other heads": (
        {**HEADS, "attention": {"num_heads": 2, "mask": [[[True] * 2] * 2] * 3}},
        "attention.mask: mask is given 3 times for 2 heads; give it once for all heads, or once a head",
    ),
    "sinks for other heads": (
        direct(attention={"sink": [0, 1]}),
        "attention.sink: sink is given 2 times for 1 heads; give it once for all heads, or once a head",
    ),
    "empty sink": (direct(attention={"sink": []}), "attention.sink: the list is empty; write at least one number"),
    "sink": (
        direct(attention={"sink": [0, True]}),
        "attention.sink[1] (number 2): true is not a number; write 1 or 0",
    ),
    "long sink": (direct(attention={"sink": [0] * 513}), f"attention.sink: 513 entries are too many; {SIZES}"),
    "bias of another infinity": (
        direct(attention={"bias": [["oo"]]}),
        "attention.bias[0][0] (row 1, column 1): unknown name 'oo' in column 1; known here: e, exp, ln, log, pi, sqrt",
    ),
    "bias null": (
        direct(attention={"bias": [[None]]}),
        'attention.bias[0][0] (row 1, column 1): null is not a number; write a number, or a text such as "sqrt(2)/2"',
    ),
    "bias as a bool": (
        direct(attention={"bias": [[[True]]]}),
        "attention.bias[0][0][0]: true is not a number; write 1 or 0",
    ),
    "bias that hides all": (
        {**WIDE, "tokens": ["a", "b"], "attention": {"bias": [[0, 0, 0], ["-oo", "-oo", "-inf"]]}},
        f"attention.bias: query 1 (row 2, 'b') may attend to no key; 2 queries and 3 keys: {NO_KEY}",
    ),
    "mask of one head that hides all": (
        {**HEADS, "attention": {"num_heads": 2, "mask": [[[True] * 2] * 2, [[False] * 2, [True] * 2]]}},
        "attention.mask: query 0 (row 1, 't1') may attend to no key in head 1 (number 2); "
        f"2 queries and 2 keys: {NO_KEY}",
    ),
    "two rules that hide all together": (
        {**WIDE, "attention": {"causal": "top-left", "mask": [[False, True, True], [True] * 3]}},
        f"attention: query 0 (row 1, 't1') may attend to no key; 2 queries and 3 keys: {NO_KEY}",
    ),
    "a section's rule that hides all with another": (
        {**WIDE, "attention": {"causal": "top-left"}, "also": [{"mask": [[False, True, True], [True] * 3]}]},
        f"also[0] (number 1): query 0 (row 1, 't1') may attend to no key; 2 queries and 3 keys: {NO_KEY}",
    ),
    "window that hides all": (
        {"Q": WIDE["K"], "K": WIDE["Q"], "V": WIDE["Q"], "attention": {"window": [0, 0]}},
        f"attention.window: query 2 (row 3, 't3') may attend to no key; 3 queries and 2 keys: {NO_KEY}",
    ),
    "a section without the word on a masked row": (
        {
            **WIDE,
            "attention": {"mask": [[False] * 3, [True] * 3], "on_masked_row": "zero"},
            "also": [{"on_masked_row": "error"}],
        },
        f"also[0] (number 1): query 0 (row 1, 't1') may attend to no key; 2 queries and 3 keys: {NO_KEY}",
    ),
    "an error beats a convention": (
        {
            **WIDE,
            "attention": {"mask": [[False] * 3, [True] * 3], "convention": "torch", "on_masked_row": "error"},
        },
        f"attention.mask: query 0 (row 1, 't1') may attend to no key; 2 queries and 3 keys: {NO_KEY}",
    ),
    "masked row": (
        direct(attention={"on_masked_row": "mean"}),
        "attention.on_masked_row: the text 'mean' is not a choice here; "
        'write "error" or "zero" or "uniform" or "nan"',
    ),
    "convention": (
        direct(attention={"convention": "pytorch"}),
        "attention.convention: the text 'pytorch' is not a choice here; "
        'write "torch" or "jax" or "onnx" or "flash" or "keras" or "torch-mha"',
    ),
    "convention without an alignment": (
        {**WIDE, "attention": {"causal": True, "convention": "torch-mha"}},
        "attention.causal: causal = true has two readings with 2 queries and 3 keys; "
        'write causal = "top-left" or causal = "bottom-right"',
    ),
    "a section's convention without an alignment": (
        {**WIDE, "attention": {"causal": True, "convention": "flash"}, "also": [{"convention": "torch-mha"}]},
        "also[0].convention (number 1): causal = true has two readings with 2 queries and 3 keys; "
        'write causal = "top-left" or causal = "bottom-right"',
    ),
    "window of one": (
        direct(attention={"window": [1]}),
        "attention.window: a list of 1 is not a window; "
        "write [left, right]: how many keys back and ahead a query sees, -1 for all",
    ),
    "window below": (
        direct(attention={"window": [0, -2]}),
        "attention.window[1] (number 2): -2 cannot stand here; write an integer from -1 to 1000000",
    ),
    "window as a number": (
        direct(attention={"window": 3}),
        "attention.window: 3 is not a list; write it in square brackets",
    ),
    "key lengths": (
        {**WIDE, "attention": {"key_lengths": 4}},
        "attention.key_lengths: there are no 4 keys; write an integer from 1 to 3",
    ),
    "no key lengths": (
        direct(attention={"key_lengths": 0}),
        "attention.key_lengths: 0 cannot stand here; write an integer from 1 to 512",
    ),
    **{
        f"{name} {value}": (
            direct(attention={name: value}),
            f"attention.{name}: {said} is not above 0; write a positive number",
        )
        for name, value, said in (
            ("softcap", 0, "0"),
            ("softcap", -1, "-1"),
            ("softcap", "sqrt(2) - 3/2", "the text 'sqrt(2) - 3/2'"),
            ("temperature", "ln(1)", "the text 'ln(1)'"),
            ("temperature", Decimal("-0.5"), "this number"),
        )
    },
    **{
        f"softcap {text}": (
            direct(symbols={"a": "real", "b": "positive"}, attention={"softcap": text}),
            f"attention.softcap: the text '{text}' may be 0 or less; "
            'declare its symbols "positive", and subtract nothing',
        )
        for text in ("a", "a^2", "-b", "b - 1", "a*b + 1")
    },
    "softcap that no theorem decides": (
        direct(also=[{"softcap": "exp(exp(exp(exp(9)))) - 1"}]),
        "also[0].softcap (number 1): whether two numbers are equal is undecided at 65536 bits; "
        "no theorem settles it; change an entry so that no exact equality is in question",
    ),
    "softcap as a float": (
        direct(attention={"softcap": 0.5}),
        f'attention.softcap: 0.5 {FLOAT}; write "0.5" or Decimal("0.5")',
    ),
    "rope as a bool": (direct(attention={"rope": True}), "attention.rope: true is not a table; write names and values"),
    "unknown name in rope": (
        direct(attention={"rope": {"dimension": 2}}),
        "attention.rope.dimension: unknown name 'dimension'; did you mean dimensions?",
    ),
    "unlike name in rope": (
        direct(attention={"rope": {"zzz": 2}}),
        "attention.rope.zzz: unknown name 'zzz'; known here: base, dimensions, interleaved",
    ),
    "odd rope": (
        {**LEARNED, "attention": {"rope": {"dimensions": 3}}},
        "attention.rope.dimensions: 3 is odd; rotary positions turn pairs: write an even number",
    ),
    "no rope": (
        {**LEARNED, "attention": {"rope": {"dimensions": 0}}},
        "attention.rope.dimensions: 0 cannot stand here; write an integer from 2 to 512",
    ),
    "rope wider than a head": (
        {**HEADS, "attention": {"num_heads": 2, "rope": {"dimensions": 4}}},
        "attention.rope.dimensions: 4 dimensions of 2 cannot be turned; "
        "write an even number of at most 2: d_k is the width of a head",
    ),
    "rope in heads of an odd width": (
        {**LEARNED, "W_Q": [[1] * 3] * 2, "W_K": [[1] * 3] * 2, "also": [{"rope": {}}]},
        "also[0].rope (number 1): rotary positions turn pairs, and a head's queries have 3 numbers; "
        "give heads an even width, or set dimensions in rope",
    ),
    "rope in heads of width 1": (
        direct(attention={"rope": {}}),
        "attention.rope: rotary positions turn pairs, and a head's queries have 1 numbers; give heads an even width",
    ),
    "rope and a context": (
        {**LEARNED, "context": [[1, 2]], "attention": {"rope": {}}},
        "attention.rope: rotary positions count in one sequence, and the keys come from another; "
        "leave rope out, or context",
    ),
    "rope base": (
        {**LEARNED, "attention": {"rope": {"base": 0}}},
        "attention.rope.base: 0 is not above 0; write a positive number",
    ),
    "rope interleaved": (
        {**LEARNED, "attention": {"rope": {"interleaved": 1}}},
        "attention.rope.interleaved: 1 is not a choice here; write false or true",
    ),
    "alibi": (direct(attention={"alibi": 1}), "attention.alibi: 1 is not a choice here; write false or true"),
    "lse": (
        direct(attention={"lse": "true"}),
        "attention.lse: the text 'true' is not a choice here; write false or true",
    ),
    "key heads that do not divide": (
        direct(attention={"num_heads": 3, "num_kv_heads": 2}),
        "attention.num_kv_heads: 3 heads cannot share 2 key heads evenly; "
        "choose num_kv_heads so that it divides num_heads",
    ),
    "more key heads than heads": (
        direct(attention={"num_kv_heads": 2}),
        "attention.num_kv_heads: 1 heads cannot share 2 key heads evenly; "
        "choose num_kv_heads so that it divides num_heads",
    ),
    "key heads in also": (
        direct(also=[{"num_kv_heads": 1}]),
        "also[0].num_kv_heads (number 1): num_kv_heads cannot change from section to section; "
        "write it under [attention]",
    ),
    "Q and K of fewer key heads": (
        {**GROUPED, "K": [[1] * 8], "V": [[1] * 3]},
        "K: Q is 1 x 8 but K is 1 x 8; give K 4 columns: 2 key heads, each 2 wide as the 4 heads of Q are",
    ),
    "W_Q and W_K of fewer key heads": (
        {"X": [[1] * 4], "W_Q": "identity", "W_K": "identity", "W_V": "identity", "attention": GROUPED["attention"]},
        "W_K: W_Q is 4 x 4 but W_K is 4 x 4; give W_K 2 columns: 2 key heads, each 1 wide as the 4 heads of W_Q are",
    ),
    "heads of V with fewer key heads": (
        {**GROUPED, "V": [[1] * 3]},
        "V: V is 1 x 3: 3 columns cannot be shared out to 2 heads; "
        "choose num_kv_heads so that it divides the number of columns",
    ),
    "V and W_O with fewer key heads": (
        {**GROUPED, "W_O": [[1]] * 6},
        "W_O: V is 1 x 6 but W_O is 6 x 1; give W_O 12 rows, one for each column of the heads side by side",
    ),
    "context without X": (
        direct(context=[[1]]),
        "context: context needs X; K and V are the keys and values already: leave context out",
    ),
    "context and W_K": (
        learned(context=[[1, 2, 3]], W_K=[[1, 2]] * 2),
        "W_K: context is 1 x 3 but W_K is 2 x 2; give W_K 3 rows, one for each column of context",
    ),
    "context and W_V": (
        learned(context=[[1, 2, 3]], W_K=[[1, 2]] * 3, W_V=[[1]] * 2),
        "W_V: context is 1 x 3 but W_V is 2 x 1; give W_V 3 rows, one for each column of context",
    ),
    "W_Q and W_K of a context": (
        learned(context=[[1, 2, 3]]),
        "W_K: W_Q is 2 x 2 but W_K is 3 x 3; "
        "give both as many columns: a score multiplies queries and keys number by number",
    ),
    "context as a word": (
        learned(context="identity"),
        "context: the text 'identity' is not a list; write it in square brackets",
    ),
    "too few context tokens": (
        learned(**PAST, context_tokens=["a", "b", "c"]),
        "context_tokens: 3 tokens for 5 rows; name every row once",
    ),
    "a token like a row of the cache": (
        learned(**PAST, tokens=["a", "p2", "c"]),
        "tokens[1] (number 2): 'p2' is the name of a row of the cache already; "
        "choose another, or name all keys in context_tokens, those of the cache first",
    ),
    "past_key alone": (
        direct(past_key=[[1]]),
        "past_value: past_value is missing; past_key and past_value go together",
    ),
    "past_value alone": (
        direct(past_value=[[1]]),
        "past_key: past_key is missing; past_key and past_value go together",
    ),
    "past_key and past_value": (
        direct(past_key=[[1]], past_value=[[1], [2]]),
        "past_value: past_key is 1 x 1 but past_value is 2 x 1; give every key one value",
    ),
    "K and past_key": (
        direct(past_key=[[1, 2]], past_value=[[1]]),
        "past_key: K is 1 x 1 but past_key is 1 x 2; give past_key 1 columns, as many as K has",
    ),
    "W_V and past_value": (
        learned(past_key=[[1, 2]], past_value=[[1]]),
        "past_value: W_V is 2 x 2 but past_value is 1 x 1; give past_value 2 columns, as many as W_V has",
    ),
    "V and past_value with fewer key heads": (
        {**GROUPED, "past_key": [[1] * 4], "past_value": [[1] * 12]},
        "past_value: V is 1 x 6 but past_value is 1 x 12; give past_value 6 columns, as many as V has",
    ),
    "too many keys": (
        direct(K=[[1]] * 300, V=[[1]] * 300, past_key=[[1]] * 213, past_value=[[1]] * 213),
        "past_key: 513 keys are too many, those of the cache included; 512 is the most",
    ),
    "empty past": (
        direct(past_key=[], past_value=[]),
        "past_key: the list is empty; write at least one number",
    ),
    **{
        f"{name} without X": (direct(**{name: [1]}), f"{name}: {name} needs X; add it to the rows of {name[-1]}")
        for name in ("b_Q", "b_K", "b_V")
    },
    "b_O without W_O": (learned(b_O=[1, 2]), 'b_O: b_O needs W_O; write W_O = "identity" for a plain copy'),
    "W_Q and b_Q": (
        learned(b_Q=[1]),
        "b_Q: W_Q is 2 x 2 but b_Q has 1 entries; give b_Q 2 entries, one for each column of W_Q",
    ),
    "W_K and b_K": (
        learned(context=[[1, 2, 3]], W_K=[[1, 2]] * 3, b_K=[1, 2, 3]),
        "b_K: W_K is 3 x 2 but b_K has 3 entries; give b_K 2 entries, one for each column of W_K",
    ),
    "W_V and b_V": (
        learned(W_V=[[1, 2, 3]] * 2, b_V=[1, 2]),
        "b_V: W_V is 2 x 3 but b_V has 2 entries; give b_V 3 entries, one for each column of W_V",
    ),
    "W_O and b_O": (
        learned(W_O=[[1]] * 2, b_O=[1, 2]),
        "b_O: W_O is 2 x 1 but b_O has 2 entries; give b_O 1 entries, one for each column of W_O",
    ),
    "W_O that copies and b_O": (
        {**GROUPED, "W_O": "identity", "b_O": [1] * 6},
        "b_O: W_O is 12 x 12 but b_O has 6 entries; give b_O 12 entries, one for each column of W_O",
    ),
    "vector as a matrix": (
        learned(b_Q=[[1, 2]]),
        'b_Q[0] (number 1): a list is not a number; write a number, or a text such as "sqrt(2)/2"',
    ),
    "vector as a word": (
        learned(b_Q="identity"),
        "b_Q: the text 'identity' is not a list; write it in square brackets",
    ),
    "empty vector": (learned(b_Q=[]), "b_Q: the list is empty; write at least one number"),
    "long vector": (learned(b_Q=[1] * 513), f"b_Q: 513 entries are too many; {SIZES}"),
}
assert REFUSED
ARRAYS = ("X ", "Q ", "K ", "V ", "W_", "context and", "past_key and")
SHAPES = {name for name in REFUSED if " and " in name and name.startswith(ARRAYS)} | {
    "ragged",
    "heads of V",
    "empty row",
    "empty mask",
    "ragged mask",
    "too many masks",
    "mask of another size",
    "masks for other heads",
    "sinks for other heads",
    "long vector",
    "too many keys",
}


@pytest.mark.parametrize("name", REFUSED)
def test_unusable_data_are_refused_with_the_place_and_a_way_out(name: str) -> None:
    data, message = REFUSED[name]
    with pytest.raises(SymattnError) as raised:
        problem(data)
    if message is not None:
        assert raised.value.message == message
    else:
        assert raised.value.message.startswith(AT)
    assert "\n" not in raised.value.message


@pytest.mark.parametrize("name", sorted(SHAPES - {"X and Q", "Q and W_K"}))
def test_sizes_that_do_not_fit_are_shape_errors(name: str) -> None:
    with pytest.raises(ShapeError):
        problem(REFUSED[name][0])


def test_a_matrix_of_the_largest_size_is_read() -> None:
    found = problem({"Q": [[1]], "K": [[1]] * 512, "V": [[1] * 128] * 512})
    assert found.n_k * len((found.V or ((),))[0]) == limits.ENTRIES


def test_nothing_that_is_refused_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (
        '__import__("os").system("touch pwned")',
        'open("pwned", "w")',
        "().__class__.__mro__[-1].__subclasses__()",
        "sqrt.__class__.__mro__",
        "exec(1)",
    ):
        with pytest.raises(SpecError):
            problem({**DIRECT, "V": [[text]]})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("assumption", ["real", "positive"])
def test_declared_symbols_stand_in_entries_and_in_the_scale(assumption: str) -> None:
    found = problem({**DIRECT, "V": [["2*a"]], "symbols": {"a": assumption}, "attention": {"scale": "a/2"}})
    assert found.symbols == (("a", assumption),)


def test_numbers_of_other_libraries_are_taken_by_what_they_are() -> None:
    found = problem({**DIRECT, "V": [[sympy.Integer(3), sympy.Rational(1, 3)]], "page": {"decimals": sympy.Integer(2)}})
    assert ((Fraction(3), Fraction(1, 3)),) == found.V
    assert type(found.page.decimals) is int
    with pytest.raises(SpecError, match="is not a number"):
        problem({**DIRECT, "V": [[sympy.sqrt(2)]]})


FORMATS: tuple[Format, ...] = ("toml", "json")
TOP = [row.name for row in fields(Problem)]
OPTIONS = [row.name for table in (Attention, Page) for row, _ in options(table)]
NAMES = st.sampled_from([*TOP, *OPTIONS, "base", "dimensions", "interleaved", "weights", "output", "u", "a", "b", "e"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**4000, -(10**300), 1, 2]),
    st.floats(),
    st.decimals(),
    st.fractions(),
    st.dates(),
    st.binary(max_size=3),
    st.text(max_size=8),
    st.sampled_from(["identity", "real", "positive", "a", "sqrt(2)", "one", "carried", "top-left", "bottom-right"]),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=2),
        st.dictionaries(NAMES | st.text(max_size=6), inner, max_size=4),
    ),
    max_leaves=20,
)
BASES = st.sampled_from(
    [{}, DIRECT, LEARNED, WIDE, HEADS, GROUPED, {**LEARNED, **PAST}, {**LEARNED, "context": [[1, 2]]}]
)


def refusal(data: Any) -> str:
    """The message with which data are refused, or nothing; any other exception is a fault."""
    try:
        problem(data)
    except SymattnError as error:
        return error.message
    return ""


def one_clear_line(message: str) -> bool:
    return "\n" not in message and len(message) < 600


@given(ANYTHING)
def test_any_data_make_a_problem_or_one_clear_error(data: Any) -> None:
    assert one_clear_line(refusal(data))


@given(BASES, st.dictionaries(NAMES, ANYTHING, max_size=3))
def test_any_change_of_good_data_makes_one_or_one_clear_error(base: dict[str, Any], changes: dict[str, Any]) -> None:
    assert one_clear_line(refusal({**base, **changes}))


def test_data_nested_beyond_measure_are_refused() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    for changes in ({"V": deep}, {"V": [[deep]]}, {"title": deep}, {"zzz": deep}, {"attention": {"scale": deep}}):
        message = refusal(direct(**changes))
        assert message
        assert one_clear_line(message)


@given(st.text(max_size=80) | st.text(alphabet="[]{}=\"'\n.,_-#aXQKV1e ", max_size=60))
def test_any_text_makes_a_problem_or_one_clear_error(text: str) -> None:
    for format_ in FORMATS:
        try:
            loads(text, format_)
        except SymattnError as error:
            message = error.message
        else:
            message = ""
        assert one_clear_line(message)
