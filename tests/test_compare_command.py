"""``symattn compare`` and ``symattn.testing``: files in, a report and an exit code out."""

from __future__ import annotations

import json
import struct
import zipfile
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner
from safetensors.numpy import save_file

from symattn import compare, reference
from symattn.cli import main
from symattn.mistakes.catalogue import CATALOGUE
from symattn.render.words import words
from symattn.testing import assert_attention
from tests.arrays import faulty
from tests.pages.tools import ROOT


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str):
    return CliRunner().invoke(main, ["compare", *arguments])


def arrays(dtype="float32", **more):
    chance = np.random.default_rng(4)
    shapes = {"query": (2, 4, 5, 3), "key": (2, 2, 7, 3), "value": (2, 2, 7, 2)}
    return {name: chance.standard_normal(shape).astype(dtype) for name, shape in shapes.items()} | more


def write(name, text):
    Path(name).write_text(text, encoding="utf-8")


def saved(name, **tables):
    np.savez(name, **tables)
    return name


def found(*arguments: str):
    done = run(*arguments, "--format", "json")
    assert done.stderr == ""
    return json.loads(done.stdout), done.exit_code


def test_a_right_result_is_within_half_a_unit():
    given = arrays()
    saved("given.npz", **given)
    saved("result.npz", output=reference(**given, dtype="float32"))
    told, code = found("given.npz", "result.npz", "--max-ulp", "0.5")
    assert (told["ok"], told["diagnosis"], code) == (True, [], 0)
    assert told["arrays"]["output"]["max_ulp"] <= 0.5
    assert told["arrays"]["output"]["dtype"] == "float32"


def test_a_wrong_result_is_named_and_exits_with_1_beyond_a_limit_alone():
    given = arrays()
    saved("given.npz", **given)
    saved("result.npz", output=faulty.unscaled(*given.values()))
    told, code = found("given.npz", "result.npz")
    assert (told["ok"], told["diagnosis"], code) == (False, ["unscaled"], 0)
    done = run("given.npz", "result.npz", "--max-ulp", "4")
    assert done.exit_code == 1
    assert "unscaled" in done.stdout
    assert words()["mistake"]["unscaled"] in done.stdout


def test_the_text_is_that_of_python():
    given = arrays()
    saved("given.npz", **given)
    saved("result.npz", output=faulty.unscaled(*given.values()))
    assert str(compare(faulty.unscaled(*given.values()), **given)) == run("given.npz", "result.npz").stdout


def test_json_has_the_fields_of_python_for_each_array():
    given = arrays()
    output, weights = reference(**given, dtype="float32", return_weights=True)
    saved("given.npz", **given)
    saved("result.npz", output=output, weights=weights)
    told, _ = found("given.npz", "result.npz")
    assert set(told["arrays"]) == {"output", "weights"}
    pinned = {"max_ulp", "max_ulp_pointwise", "plain_ratio", "at", "special_mismatches", "ok", "diagnosis"}
    assert all(pinned <= set(array) for array in told["arrays"].values())


def test_every_file_holds_the_same_arrays():
    given = arrays(dtype="float64")
    output = reference(**given) + 2.0**-40
    saved("given.npz", **given)
    saved("result.npz", output=output)
    save_file(given, "given.safetensors")
    save_file({"output": output}, "result.safetensors")
    for name, tables in (("given", given), ("result", {"output": output})):
        text = json.dumps({key: table.tolist() for key, table in tables.items()})
        write(f"{name}.json", text)
    told = [found(f"given.{ending}", f"result.{ending}") for ending in ("npz", "safetensors", "json")]
    assert told[0] == told[1] == told[2]


def test_bfloat16_survives_both_binary_files():
    given = arrays(dtype=ml_dtypes.bfloat16)
    output = reference(**given, dtype="bfloat16")
    saved("given.npz", **given)
    saved("result.npz", output=output)
    save_file({"output": output}, "result.safetensors")
    for result in ("result.npz", "result.safetensors"):
        told, code = found("given.npz", result, "--max-ulp", "0.5")
        assert (code, told["arrays"]["output"]["dtype"]) == (0, "bfloat16")


FLAGS = {
    "--causal bottom-right": {"causal": "bottom-right"},
    "--causal top-left --scale 1/3": {"causal": "top-left", "scale": Fraction(1, 3)},
    "--scale 0.1 --softcap 2.5": {"scale": 0.1, "softcap": 2.5},
    "--window 2,1 --convention flash": {"window": (2, 1), "convention": "flash"},
    "--num-kv-heads 2 --key-lengths 4,7": {"num_kv_heads": 2, "key_lengths": [4, 7]},
    "--key-lengths 0,7 --on-masked-row uniform": {"key_lengths": [0, 7], "on_masked_row": "uniform"},
}


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_are_the_options_of_reference(flags):
    given = arrays()
    saved("given.npz", **given)
    saved("result.npz", output=reference(**given, **FLAGS[flags], dtype="float32"))
    saved("other.npz", output=reference(**given, dtype="float32"))
    assert found("given.npz", "result.npz", "--max-ulp", "0.5", *flags.split())[1] == 0
    assert found("given.npz", "other.npz", "--max-ulp", "0.5", *flags.split())[1] == 1


def test_layout_and_rows():
    given = arrays()
    turned = {name: table.swapaxes(1, 2) for name, table in given.items()}
    saved("given.npz", **turned)
    saved("result.npz", output=reference(**turned, layout="bshd", dtype="float32"))
    told, code = found("given.npz", "result.npz", "--layout", "bshd", "--rows", "0,3", "--max-ulp", "0.5")
    assert (code, told["rows"]) == (0, "2 of 5 rows")


# ----------------------------------------------------------------------------------------------------- problem files

PROBLEM = """
X = [[1, 0], ["1/2", 1], [2, "3/4"]]
W_Q = [[1, 2], [0, 1]]
W_K = [[1, 0], ["1/2", 1]]
W_V = [[2, 0], [1, 3]]
W_O = [[1, 1], [0, 2]]
"""


def of_problem(turned=False, scale=None):
    x = np.array([[1, 0], [0.5, 1], [2, 0.75]])
    tables = [np.array(rows) for rows in ([[1, 2], [0, 1]], [[1, 0], [0.5, 1]], [[2, 0], [1, 3]])]
    q, k, v = (x @ (table.T if turned else table) for table in tables)
    weights = faulty.softmax(q @ k.T * (1 / np.sqrt(2) if scale is None else scale))
    return weights @ v @ np.array([[1.0, 1], [0, 2]]), weights


def test_a_problem_file_is_held_against_its_arrays():
    write("given.toml", PROBLEM)
    for changes, diagnosis in (({}, []), ({"turned": True}, ["weights_transposed"]), ({"scale": 1}, ["unscaled"])):
        output, weights = of_problem(**changes)
        saved("result.npz", output=output, weights=weights)
        told, code = found("given.toml", "result.npz")
        assert (told["ok"], told["diagnosis"], code) == (not diagnosis, diagnosis, 0)


@pytest.mark.parametrize(
    "name", ["query", "key", "value", "scores", "scaled", "weights", "head_output", "lse", "output"]
)
def test_any_array_of_a_problem(name):
    write(
        "given.toml",
        'Q = [[1, 2, 0, 1], [0, "1/2", 1, 1]]\nK = [[1, 1], [2, 0], [0, 1]]\nV = [[1], [2], [4]]\n'
        "attention = {num_heads = 2, num_kv_heads = 1, temperature = 2, sink = [0, 1]}\n",
    )
    q = np.array([[[1, 2], [0, 0.5]], [[0, 1], [1, 1]]])
    k, v = np.array([[1, 1], [2, 0], [0, 1.0]]), np.array([[1], [2], [4.0]])
    scores = q @ k.T
    logits = scores / np.sqrt(2) / 2
    sums = np.exp(logits).sum(-1, keepdims=True) + np.exp([[[0.0]], [[1.0]]])
    weights = np.exp(logits) / sums
    mixed = weights @ v
    tables = {
        "query": q,
        "key": np.stack([k, k]),
        "value": np.stack([v, v]),
        "scores": scores,
        "scaled": scores / np.sqrt(2),
        "weights": weights,
        "head_output": mixed,
        "lse": np.log(sums)[..., 0],
        "output": np.concatenate(list(mixed), axis=-1),
    }
    saved("result.npz", **{name: tables[name]})
    told, _ = found("given.toml", "result.npz")
    assert told["ok"]
    wrong = tables[name].copy()
    wrong.flat[1] += 1e-9
    saved("result.npz", **{name: wrong})
    told, _ = found("given.toml", "result.npz")
    assert not told["ok"]
    assert told["arrays"][name]["at"] == [int(part) for part in np.unravel_index(1, wrong.shape)]


# --------------------------------------------------------------------------------------------------------- functions

MODULE = """
import numpy as np
def attend(query, key, value, *, causal=False, scale=None):
    s = np.einsum("bhid,bhjd->bhij", query, key) * np.float32(scale or {factor})
    if causal is True:
        s = np.where(np.tril(np.ones(s.shape[-2:], bool)), s, -np.inf).astype("float32")
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ value
def only(query, key, value):
    return attend(query, key, value)
"""


def written(name, factor):
    write(f"{name}.py", MODULE.replace("{factor}", factor))


def test_a_function_is_called_on_a_file():
    written("right_one", "1 / np.sqrt(query.shape[-1])")
    saved("given.npz", **(arrays() | {name: arrays()[name][:, [0, 0, 1, 1]] for name in ("key", "value")}))
    assert found("given.npz", "--call", "right_one:attend", "--max-ulp", "32")[1] == 0
    written("wrong_one", "1 / query.shape[-1]")
    told, code = found("given.npz", "--call", "wrong_one:attend", "--max-ulp", "32")
    assert (told["diagnosis"], code) == (["scaled_by_d_k", "scaled_twice"], 1)


def test_a_function_climbs_the_ladder_with_the_options_that_it_has():
    written("climber", "1 / np.sqrt(query.shape[-1])")
    told, code = found("--call", "climber:only")
    assert code == 0
    assert {call["call"].split(" (")[0] for call in told["calls"]} == {"plain", "large logits"}
    assert all(call["ok"] for call in told["calls"])
    done = run("--call", "climber:attend", "--max-ulp", "1e5")
    assert done.exit_code == 1, "alignments other than true are ignored by it"
    assert "WRONG  causal, bottom-right" in done.stdout
    assert "right  causal (2" in done.stdout


def tiled(query, key, value, num_kv_heads=None):
    return faulty.tiled(query, key, value)


def test_assert_attention_fails_with_the_diagnosis():
    def correct(query, key, value, **options):
        return reference(query, key, value, **options, dtype="float32")

    assert_attention(correct, max_ulp=0.5)
    assert_attention(faulty.right, options=["scale", "mask", "bias", "softcap"])
    with pytest.raises(AssertionError, match=r"plain \(1, 1, 1, 2, 3, 5, 4\)[\s\S]*the scores are not scaled"):
        assert_attention(faulty.unscaled)
    with pytest.raises(AssertionError, match="kv_heads_tiled"):
        assert_attention(tiled)


def test_assert_attention_takes_layouts_types_and_conversions():
    seen = []

    def turned(query, key, value):
        seen.append((type(query), query.dtype.name))
        return reference(query, key, value, dtype="float16", layout="bshd")

    class Wrapped(np.ndarray):
        pass

    assert_attention(turned, dtype="float16", layout="bshd", max_ulp=0.5, convert=lambda table: table.view(Wrapped))
    assert set(seen) == {(Wrapped, "float16")}


# ------------------------------------------------------------------------------------------------ what is refused


def refused(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("symattn: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_pickles_are_refused():
    np.savez("given.npz", query=np.array([{}], dtype=object), key=[[1.0]], value=[[1.0]])
    saved("result.npz", output=[[1.0]])
    assert "pickled" in refused("given.npz", "result.npz")


def header(shape: str) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text + b"\n"


@pytest.mark.parametrize("shape", ["(1000000, 1000000)", "(3, 1)", "(-1, 1)", "(2**70,)"])
def test_declared_sizes_are_not_believed(shape):
    with zipfile.ZipFile("given.npz", "w") as archive:
        archive.writestr("query.npy", header(shape) + b"\0" * 16)
    saved("result.npz", output=[[1.0]])
    assert "given.npz" in refused("given.npz", "result.npz")


def test_fortran_order_is_read():
    given = arrays()
    saved("given.npz", **{name: np.asfortranarray(table) for name, table in given.items()})
    saved("result.npz", output=reference(**given, dtype="float32"))
    assert found("given.npz", "result.npz", "--max-ulp", "0.5")[1] == 0


REFUSED = {
    "one file": (["given.npz"], "give INPUTS and RESULT"),
    "no file": (["none.npz", "result.npz"], "there is no such file"),
    "no kind": (["given.txt", "result.npz"], "give .npz, .json, .safetensors"),
    "no array": (["given.npz", "empty.npz"], "it holds no array"),
    "no zip": (["broken.npz", "result.npz"], "it is no npz file"),
    "no name": (["strange.npz", "result.npz"], "'q' is no parameter"),
    "no result": (["given.npz", "given.npz"], "is no result"),
    "no sizes": (["given.npz", "small.npz"], "sizes (1, 1) where the exact result has (2, 4, 5, 2)"),
    "no number": (["given.npz", "result.npz", "--scale", "one"], "--scale"),
    "no window": (["given.npz", "result.npz", "--window", "a,b"], "--window"),
    "twice": (["scaled.npz", "result.npz", "--scale", "1"], "it is in the file too"),
    "both": (["given.npz", "result.npz", "--call", "math:sqrt"], "leave one away"),
    "no module": (["given.npz", "--call", "nowhere:attend"], "cannot be found"),
    "no function": (["given.npz", "--call", "math:pi"], "is no function"),
    "no colon": (["given.npz", "--call", "math"], "is no function"),
    "options of a problem": (["given.toml", "result.npz", "--scale", "1"], "a problem file says its own options"),
    "options of the ladder": (["--call", "math:sqrt", "--scale", "1"], "the ladder has options of its own"),
    "symbols": (["symbols.toml", "one.npz"], "symbols has no numbers"),
    "json list": (["list.json", "result.npz"], "it holds no names"),
    "tensors": (["given.npz", "bad.safetensors"], "it is no safetensors file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_one_line(name):
    given = arrays()
    saved("given.npz", **given)
    saved("scaled.npz", **given, scale=1.0)
    saved("result.npz", output=reference(**given))
    saved("small.npz", output=[[1.0]])
    saved("one.npz", output=[[1.0]])
    saved("strange.npz", q=[1.0], **given)
    saved("empty.npz")
    files = {
        "broken.npz": b"PK nothing",
        "given.txt": b"",
        "given.toml": b"Q = [[1]]\nK = [[1]]\nV = [[1]]\n",
        "symbols.toml": b'Q = [["a"]]\nK = [[1]]\nV = [[1]]\nsymbols = {a = "real"}\n',
        "list.json": b"[1, 2]",
        "bad.safetensors": b"\xff" * 20,
    }
    for file, content in files.items():
        Path(file).write_bytes(content)
    arguments, message = REFUSED[name]
    assert message in refused(*arguments)


def test_every_mistake_has_words():
    assert list(words()["mistake"]) == list(CATALOGUE)
    assert all(text[0].islower() and not text.endswith(".") for text in words()["mistake"].values())


def test_the_documentation_lists_them():
    text = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    assert all(f"| `{key}` | {said} |" in text for key, said in words()["mistake"].items())
