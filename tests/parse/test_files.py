"""Problem files: valid/ reads, TOML and JSON alike; a file of invalid/ is refused with its message in messages.json."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from symattn.errors import SpecError, SymattnError
from symattn.parse import document, limits
from symattn.parse.plain import plain
from symattn.parse.problem import loads, problem, read
from symattn.parse.schema import schema
from symattn.problem import Also, Attention, Expression, Page, Problem, Rope

HERE = Path(__file__).parent
VALID = sorted((HERE / "valid").glob("*.toml"))
MESSAGES = json.loads((HERE / "invalid" / "messages.json").read_text(encoding="utf-8"))
INVALID = sorted(path for path in (HERE / "invalid").iterdir() if path.name != "messages.json")
assert VALID, "valid/ not found"
assert INVALID, "invalid/ not found"
MINIMAL = "Q = [[1]]\nK = [[1]]\nV = [[1]]\n"


def rows(*given: list[int]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(Fraction, row)) for row in given)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_toml_and_json_have_the_same_shape(path: Path) -> None:
    assert read(path) == read(path.with_suffix(".json"))


def test_every_valid_file_has_its_twin() -> None:
    assert len(list((HERE / "valid").iterdir())) == 2 * len(VALID)


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.name)
def test_an_invalid_file_is_refused_with_its_file_line_and_path(path: Path) -> None:
    with pytest.raises(SymattnError) as raised:
        read(path)
    assert raised.value.message == f"{path.parent}/{MESSAGES[path.name]}"
    assert raised.value.where.file == str(path)


def test_every_message_has_its_file() -> None:
    assert list(MESSAGES) == [path.name for path in INVALID]


def test_the_napkin_is_what_its_file_says() -> None:
    causal = Attention(causal=True)
    names = ("it", "was", "tired")
    assert read(HERE / "valid" / "napkin.toml") == Problem(
        title="Three tokens on a napkin",
        tokens=names,
        context_tokens=names,
        X=rows([1, 0], [0, 1], [1, 1]),
        W_Q="identity",
        W_K="identity",
        W_V=rows([2, 0], [0, 2]),
        also=(Also(causal, ("causal",)),),
        page=Page(notation=(("weights", "P"), ("output", "O"))),
    )


def test_decimals_are_exact_and_texts_are_read() -> None:
    found = read(HERE / "valid" / "direct.toml")
    assert found.Q is not None
    assert found.K is not None
    assert found.Q[0][1] == Fraction(1, 2)
    assert found.Q[1][0] == Fraction(1, 3)
    assert found.Q[2][1] == Expression("neg", (Expression("log", (Fraction(3),)),))
    assert found.K[3][0] == Fraction(1, 1000)
    assert found.context_tokens == ("le", "chat", "est", "assis", ".")


def test_pencil_numbers_are_decimal_and_integers_as_toml_has_them() -> None:
    found = read(HERE / "valid" / "pencil.toml")
    assert ((Fraction(1, 10),),) == found.Q
    assert rows([30, 31, 1000]) == found.V
    assert found.page == Page(decimals=1, rounding="carried", row_sums="one")


def test_sections_stand_upon_the_attention_of_the_file() -> None:
    found = read(HERE / "valid" / "heads.toml")
    base = Attention(causal="top-left", num_heads=2)
    assert found.attention == base
    assert found.also == (
        Also(Attention(causal=False, num_heads=2), ("causal",)),
        Also(Attention(causal="top-left", scale=Fraction(0), num_heads=2), ("scale",)),
    )


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_a_valid_file_comes_back_from_plain_data(path: Path) -> None:
    found = read(path)
    assert problem(json.loads(json.dumps(plain(found)))) == found


class Words(dict[str, str]):
    """A description for every name that is asked for, and the names that were."""

    def __missing__(self, name: str) -> str:
        return self.setdefault(name, f"about {name}")


@pytest.mark.parametrize("path", sorted((HERE / "valid").iterdir()), ids=lambda path: path.name)
def test_a_valid_file_fits_the_schema(path: Path) -> None:
    data = document.data(document.text(path), document.format_of(path))
    jsonschema.Draft202012Validator(schema(Words())).validate(data)
    jsonschema.Draft202012Validator(schema(Words())).validate(plain(read(path)))


MINIMAL_DATA = {"Q": [[1]], "K": [[1]], "V": [[1]]}
MISFITS = {
    "no arrays": {"title": "none"},
    "both": {"X": [[1]], "W_Q": "identity", "W_K": "identity", "W_V": "identity", "Q": [[1]]},
    "a learned table is missing": {"X": [[1]], "W_Q": "identity", "W_K": "identity"},
    "unknown name": {"Q": [[1]], "K": [[1]], "V": [[1]], "causal": True},
    "unknown option": {"Q": [[1]], "K": [[1]], "V": [[1]], "attention": {"decimals": 3}},
    "heads in a section": {"Q": [[1]], "K": [[1]], "V": [[1]], "also": [{"num_heads": 1}]},
    "empty section": {"Q": [[1]], "K": [[1]], "V": [[1]], "also": [{}]},
    "decimals": {"Q": [[1]], "K": [[1]], "V": [[1]], "page": {"decimals": 61}},
    "choice": {"Q": [[1]], "K": [[1]], "V": [[1]], "page": {"ties": "up"}},
    "identity": {"Q": "identity", "K": [[1]], "V": [[1]]},
    "notation": {"Q": [[1]], "K": [[1]], "V": [[1]], "page": {"notation": {"weight": "P"}}},
    "assumption": {"Q": [[1]], "K": [[1]], "V": [[1]], "symbols": {"a": "integer"}},
    "repeated token": {"Q": [[1], [2]], "K": [[1]], "V": [[1]], "tokens": ["a", "a"]},
    "empty row": {"Q": [[]], "K": [[1]], "V": [[1]]},
    "key heads in a section": {**MINIMAL_DATA, "also": [{"num_kv_heads": 1}]},
    "context without X": {**MINIMAL_DATA, "context": [[1]]},
    "b_Q without X": {**MINIMAL_DATA, "b_Q": [1]},
    "b_O without W_O": {**MINIMAL_DATA, "b_O": [1]},
    "past_key alone": {**MINIMAL_DATA, "past_key": [[1]]},
    "vector as a matrix": {**MINIMAL_DATA, "W_O": "identity", "b_O": [[1]]},
    **{
        f"{name} {value}": {**MINIMAL_DATA, "attention": {name: value}}
        for name, value in (
            ("mask", [[1]]),
            ("mask", True),
            ("mask", []),
            ("mask", [[[[True]]]]),
            ("bias", 0),
            ("bias", [0]),
            ("bias", [[True]]),
            ("bias", [[]]),
            ("window", 1),
            ("window", [1]),
            ("window", [0, -2]),
            ("window", [0, 0, 0]),
            ("key_lengths", 0),
            ("sink", []),
            ("sink", [[0]]),
            ("sink", True),
            ("alibi", 1),
            ("lse", "true"),
            ("softcap", [1]),
            ("convention", "pytorch"),
            ("on_masked_row", "mean"),
            ("rope", True),
            ("rope", {"dimension": 2}),
            ("rope", {"dimensions": 3}),
            ("rope", {"dimensions": 0}),
            ("rope", {"interleaved": "no"}),
        )
    },
}
assert MISFITS


@pytest.mark.parametrize("data", MISFITS.values(), ids=MISFITS)
def test_what_the_schema_refuses_the_reader_refuses(data: dict[str, object]) -> None:
    assert not jsonschema.Draft202012Validator(schema(Words())).is_valid(data)
    with pytest.raises(SymattnError):
        problem(data)


def test_the_schema_is_valid_and_every_description_is_a_word_of_ours() -> None:
    words = Words()
    found = schema(words)
    jsonschema.Draft202012Validator.check_schema(found)
    described: list[str] = []

    def collect(node: object) -> None:
        if isinstance(node, dict):
            described.extend(value for key, value in node.items() if key == "description" and isinstance(value, str))
            for value in node.values():
                collect(value)

    collect(found)
    assert set(described) == set(words.values())
    assert found["properties"]["page"]["properties"]["decimals"] == {
        "description": "about decimals",
        "default": 3,
        "type": "integer",
        "minimum": 1,
        "maximum": 60,
    }


def message_of(path: Path) -> str:
    with pytest.raises(SpecError) as raised:
        read(path)
    assert raised.value.where.file == str(path)
    return raised.value.message.removeprefix(str(path))


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.replace("\n", "\r\n").encode())
    assert read(path) == loads(MINIMAL)
    path.write_bytes(MINIMAL.replace("\n", "\r\n").replace("V = [[1]]", "V = [[x]]").encode())
    assert message_of(path).startswith(":3: not valid TOML")


def test_the_end_of_the_name_says_the_format(tmp_path: Path) -> None:
    (tmp_path / "P.TOML").write_text(MINIMAL)
    assert rows([1]) == read(tmp_path / "P.TOML").Q
    for name in ("p.yaml", "p"):
        (tmp_path / name).write_text(MINIMAL)
    assert message_of(tmp_path / "p.yaml") == ": names that end in '.yaml' say no format; name the file .toml or .json"
    assert message_of(tmp_path / "p") == ": names without an ending say no format; name the file .toml or .json"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = ": the file cannot be read: no such file or directory; check its name and place"
    assert message_of(tmp_path / "missing.toml") == missing
    assert message_of(tmp_path) == ": this is a folder; name a problem file in it"
    assert "cannot be read" in message_of(tmp_path / "nul\0.toml")
    assert "cannot be read" in message_of(tmp_path / ("x" * 5000 + ".toml"))


def test_a_file_of_other_bytes_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b"# one\n# two\ntitle = 'caf\xe9'\n")
    assert message_of(path) == ":3: the file is not UTF-8 text; save it as UTF-8"
    path.write_bytes(MINIMAL.encode("utf-16"))
    assert message_of(path) == ":1: the file is not UTF-8 text; save it as UTF-8"


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * (limits.BYTES + 1))
    assert message_of(path) == ": the file is too large; at most 10 MB can be read"
    path.write_bytes(MINIMAL.encode() + b"#" * (limits.BYTES - len(MINIMAL)))
    assert read(path) == loads(MINIMAL)


HOSTILE = {
    "deep TOML": ("Q = " + "[" * 100_000, "toml", "brackets are nested too deeply; a matrix needs two levels"),
    "deep JSON": ('{"Q": ' + "[" * 100_000, "json", "brackets are nested too deeply; a matrix needs two levels"),
    "deep tables": (".".join("a" * 3000) + " = 1", "toml", "line 1: a: unknown name 'a'"),
    "long TOML integer": (
        f"# a comment\nQ = [[{'9' * 5000}]]",
        "toml",
        "line 2: an integer has too many digits; 200 is the most",
    ),
    "long JSON integer": (
        '{"Q": [[1]], "K": [[1]],\n "V": [[' + "9" * 5000 + "]]}",
        "json",
        "line 2: V[0][0] (row 1, column 1): the entry has 5000 characters; at most 2000 can be read",
    ),
    "long decimal": (
        MINIMAL.replace("V = [[1]]", f"V = [[0.{'9' * 300}]]"),
        "toml",
        "line 3: V[0][0] (row 1, column 1): the number in column 1 has too many digits; 200 is the most",
    ),
    "201 digits": (
        MINIMAL.replace("V = [[1]]", f"V = [[{'9' * 201}]]"),
        "toml",
        "line 3: V[0][0] (row 1, column 1): the entry is too long once it is worked out; write smaller numbers",
    ),
    "long hexadecimal": (
        MINIMAL.replace("V = [[1]]", f"V = [[0x{'f' * 100_000}]]"),
        "toml",
        "line 3: V[0][0] (row 1, column 1): the number has too many digits; 200 is the most",
    ),
    "name twice, then nonsense": ('{"o": {"a": 1,\n"a": 2}, : ]', "json", "line 2: o.a: this name is given twice"),
    "name twice by an escape": ('{"K": 1,\n"\\u004b": 2}', "json", "line 2: K: this name is given twice"),
    "name with a line end": ('"a\\nb" = 1', "toml", "line 1: 'a\\nb': unknown name 'a\\nb'"),
    "long name": ("x" * 5000 + " = 1", "toml", "line 1: '" + "x" * 40 + "...': unknown name 'xxx"),
    "dotted name": ('"page.decimals" = 0', "toml", "line 1: 'page.decimals': unknown name 'page.decimals'"),
    "nothing": ("", "toml", "there is nothing to attend to"),
    "no JSON": ("", "json", "line 1: not valid JSON: no value can be read here (column 1)"),
    "a number": ("1", "json", "1 is not a problem"),
    "text after": ("{} {}", "json", "line 1: not valid JSON: something follows the end (column 4); remove it"),
}
assert HOSTILE


@pytest.mark.parametrize(("text", "format_", "message"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_get_one_clear_line(text: str, format_: document.Format, message: str) -> None:
    with pytest.raises(SymattnError) as raised:
        loads(text, format_)
    assert raised.value.message.startswith(message)
    assert len(raised.value.message) < 300
    assert "\n" not in raised.value.message


def test_decimals_never_pass_through_a_binary_float() -> None:
    toml = document.data("a = 0.1\nb = 1_0.5\nc = inf", "toml")
    assert toml == {"a": Decimal("0.1"), "b": Decimal("10.5"), "c": Decimal("inf")}
    found = document.data('{"a": 0.1, "b": 1e400}', "json")
    assert found == {"a": Decimal("0.1"), "b": Decimal("1e400")}
    assert all(isinstance(value, Decimal) for value in (*toml.values(), *found.values()))


def test_every_option_of_a_masked_problem_is_read() -> None:
    found = read(HERE / "valid" / "masked.toml")
    half, one = Fraction(1, 2), Fraction(1)
    assert found.attention == Attention(
        mask=(((True, False, True), (False, False, False)),),
        bias=(((Fraction(0), one, None), (None, None, half)),),
        window=(1, -1),
        key_lengths=2,
        softcap=Fraction(50),
        temperature=half,
        sink=(Fraction(1, 3),),
        alibi=True,
        lse=True,
        on_masked_row="zero",
    )
    assert found.also[0].changed == ("causal", "convention")


def test_a_cache_and_fewer_key_heads_are_read() -> None:
    found = read(HERE / "valid" / "cache.toml")
    assert (found.n_q, found.n_k, found.past) == (1, 3, 2)
    assert found.context_tokens == ("p1", "p2", "next")
    assert (found.attention.num_heads, found.attention.kv_heads) == (4, 2)
    assert len(found.attention.mask) == len(found.attention.sink) == 4
    assert found.attention.rope == Rope(Fraction(100), 2, True)
    assert found.also[0].attention.rope == Rope()


def test_a_context_and_what_is_added_are_read() -> None:
    found = read(HERE / "valid" / "context.toml")
    assert (found.n_q, found.n_k, found.past) == (2, 3, 0)
    assert found.b_Q == (Fraction(1), Fraction(0), Fraction(1, 2))
    assert found.b_O == (Fraction(0), Fraction(2))
