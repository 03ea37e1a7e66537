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
from symattn.problem import Also, Attention, Page, Problem, options

DIRECT = {"Q": [[1]], "K": [[1]], "V": [[1]]}
LEARNED = {"X": [[1, 2], [3, 4], [5, 6]], "W_Q": "identity", "W_K": "identity", "W_V": "identity"}
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


def direct(**changes: Any) -> dict[str, Any]:
    return {**DIRECT, **changes}


def learned(**changes: Any) -> dict[str, Any]:
    return {name: value for name, value in {**LEARNED, **changes}.items() if value is not None}


def entry(value: Any) -> dict[str, Any]:
    return direct(V=[[1, value]])


AT = "V[0][1] (row 1, column 2): "
FINITE = "write a finite number"
SIZES = "at most 512 rows and columns and 65536 entries can be worked"
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
        "zzz: unknown name 'zzz'; known here: title, tokens, context_tokens, X, W_Q, W_K, W_V, W_O, Q, K, V, symbols, "
        "attention, also, page",
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
        "attention.causal: query 0 (row 1, 'one') may attend to no key; "
        "3 queries and 1 keys: give more keys, or choose another mask",
    ),
}
assert REFUSED
SHAPES = {name for name in REFUSED if " and " in name and name[0] in "XWQKV"} | {"ragged", "heads of V", "empty row"}


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
NAMES = st.sampled_from([*TOP, *OPTIONS, "weights", "output", "u", "a", "b", "e"])
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
BASES = st.sampled_from([{}, DIRECT, LEARNED, WIDE])


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
