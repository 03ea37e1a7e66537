"""Recipes, rosters and files of answers that say something unusable: one line each, with its place."""

from __future__ import annotations

import pytest

from symattn.errors import ShapeError, SymattnError
from symattn.exercises import key as keys
from symattn.exercises import papers
from symattn.exercises.reading import loads
from symattn.exercises.roster import students
from symattn.exercises.shipped import source
from tests.exercises.common import text
from tests.exercises.recipes import ALL, WEIGHTS


def changed(old: str, new: str) -> str:
    assert old in WEIGHTS
    return WEIGHTS.replace(old, new, 1)


NAN = """[attention]
mask = [[false, false, false], [true, true, true], [true, true, true]]
on_masked_row = "nan"
[[ask]]"""

CASES = {
    "no array": (changed("[entries]", "[limits]").replace("X = ", "#").replace("W_", "#"), "no array is given"),
    "unknown name": (changed("title", "titel"), "did you mean title"),
    "unknown size": (changed("d_k", "d_q"), "unknown name 'd_q'"),
    "unknown array": (changed("W_Q", "W_Z"), "unknown array 'W_Z'"),
    "size missing": (changed("d_model = 2\n", ""), "write d_model under [sizes]"),
    "size too large": (changed("tokens = 3", "tokens = 300"), "from 1 to 12"),
    "size no integer": (changed("tokens = 3", "tokens = true"), "true does not fit"),
    "nothing to draw": (changed("X = [-1, 0, 1, 2]", "X = []"), "nothing to draw from"),
    "entry": (changed("X = [-1, 0", 'X = ["__import__(1)", 0'), "entries.X[0]"),
    "entry runs away": (changed("X = [-1, 0", 'X = ["9^9^9", 0'), "entries.X[0]"),
    "inf": (changed("X = [-1, 0", "X = [inf, 0"), "entries.X[0]"),
    "nothing asked": (WEIGHTS.partition("[[ask]]")[0], "nothing is asked"),
    "asked": (changed('what = "weights"', 'what = "wieghts"'), "did you mean weights"),
    "asked twice over": (changed('what = "weights"', 'what = "weights[9]"'), "3 rows and 3 columns"),
    "asked far out": (changed('what = "weights"', 'what = "weights[99999]"'), "cannot be asked"),
    "kind": (changed('what = "weights"', 'what = "weights"\nkind = "essay"'), "no kind of question"),
    "most": (changed('what = "weights"', 'what = "weights"\nkind = "most"'), "one row"),
    "choice of an array": (changed('what = "weights"', 'what = "weights"\nkind = "choice"'), "one row"),
    "closed": (changed('what = "weights"', 'what = "weights[0]"\nkind = "closed"'), "one entry"),
    "final": (changed('what = "weights"', 'what = "final"'), "no final output"),
    "points": (changed("points = 2", "points = -1"), "from 1 to 1000"),
    "head": (changed("points = 2", "head = 1"), "from 0 to 0"),
    "allow": ('allow = ["unscald"]\n' + WEIGHTS, "did you mean unscaled"),
    "limits": (changed("[[ask]]", "[limits]\nleast = 2\n[[ask]]"), "least and most are weights"),
    "limit no number": (changed("[[ask]]", '[limits]\nleast = "sqrt(2)"\n[[ask]]'), "no plain number"),
    "guard": (changed("[[ask]]", "[rounding]\nguard = 3\nmost_guard = 2\n[[ask]]"), "from 3 to 10"),
    "mark": (changed("[[ask]]", '[rounding]\ndecimal_mark = ";"\n[[ask]]'), "no decimal mark"),
    "options": (changed("[[ask]]", "[attention]\ncausal = 7\n[[ask]]"), "attention.causal"),
    "options any": (changed("[[ask]]", "[attention]\ncausal = {any = []}\n[[ask]]"), "nothing to draw from"),
    "option name": (changed("[[ask]]", "[attention]\ncausa = true\n[[ask]]"), "attention.causa"),
    "too few tokens": (changed('"it", "was", "tired", "sad"', '"it"'), "1 tokens for 3 rows"),
    "tokens twice": (changed('"was"', '"it"'), "names that differ"),
    "token": (changed('"was"', r'"a\u0007"'), "control character"),
    "title": (changed('title = "Weights"', f'title = "{"x" * 500}"'), "200 is the most"),
    "shapes": (changed("W_V = [-2, 0, 1, 2]", "W_V = [[1, 2, 3]]"), "entries.W_V"),
    "no toml": ("title = ", "line 1"),
    "nan rows": (changed("[[ask]]", NAN), "cannot be nan"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_recipe_that_cannot_be_used_says_why(name):
    recipe, wanted = CASES[name]
    with pytest.raises(SymattnError) as caught:
        loads(recipe, "recipe")
    message = caught.value.message
    assert wanted in message, message
    assert "\n" not in message
    assert len(message) < 400


def test_every_recipe_of_these_tests_is_read():
    for name, recipe in ALL.items():
        assert loads(recipe, name).asks


def test_the_digest_is_that_of_the_data():
    assert loads(WEIGHTS, "a").digest == loads("# a remark\n" + WEIGHTS, "b").digest
    assert loads(WEIGHTS, "a").digest != loads(changed("points = 2", "points = 3"), "a").digest


def test_shapes_are_refused_as_in_problem_files():
    with pytest.raises(ShapeError):
        loads(changed("W_V = [-2, 0, 1, 2]", "W_V = [[1, 2, 3]]"), "recipe")


@pytest.mark.parametrize("name", ["../../x", "nothere", "a b.toml", ".toml", "x/../../etc.toml"])
def test_a_recipe_that_is_not_there(name):
    with pytest.raises(SymattnError):
        source(name)


def test_a_file_name_that_cannot_name_files(tmp_path):
    path = tmp_path / "a b$.toml"
    path.write_text(WEIGHTS)
    with pytest.raises(SymattnError, match="cannot name files"):
        source(str(path))


ROSTERS = {
    "id\nann\nbob\n": None,
    "name;id\nAnn;ann\n": None,
    "name\nAnn\n": "no column id",
    "id\n../../x\n": "cannot name a file",
    "id\n=cmd()\n": "cannot name a file",
    "id\nnul\n": "cannot name a file",
    "id\nann\nAnn\n": "stands twice",
    "id\n": "names nobody",
    'id\n"ann\n': "not a table",
    "id\nann,bob\n": "more fields",
    "id\n" + "\n".join(f"s{i}" for i in range(100_001)): "more than 100000 rows",
}


@pytest.mark.parametrize("place", range(len(ROSTERS)))
def test_rosters(tmp_path, place):
    content, wanted = list(ROSTERS.items())[place]
    path = tmp_path / "roster.csv"
    path.write_text(content)
    if wanted is None:
        assert students(path)[0] == "ann"
        return
    with pytest.raises(SymattnError, match=wanted) as caught:
        students(path)
    assert "\n" not in caught.value.message


ANSWERS = {
    "a.csv": ("id,code\nann,nope\n", "no variant 'nope'"),
    "b.csv": ("id\nann\n", "which variant 'ann' had"),
    "c.json": (
        '{"students": [{"id": "ann", "code": "CODE", "answers": {"1.weights[0][0]": [1]}}]}',
        "a list is no answer",
    ),
    "d.json": ('{"students": 3}', "not a list"),
    "e.json": ("[", "not valid JSON"),
    "f.csv": ("id,Response 1\nann,part 1: 0.5\n", "which variant"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_that_cannot_be_used(tmp_path, name):
    found = keys.loads(text("json", 0, WEIGHTS, 2))
    content, wanted = ANSWERS[name]
    path = tmp_path / name
    path.write_text(content.replace("CODE", next(iter(found))))
    with pytest.raises(SymattnError) as caught:
        papers.read(path, found, {})
    assert wanted in caught.value.message
    assert "\n" not in caught.value.message


def test_moodles_responses_are_joined_by_code_and_by_roster(tmp_path):
    found = keys.loads(text("json", 0, WEIGHTS, 2))
    code, other = found
    path = tmp_path / "responses.csv"
    path.write_text(
        "Last name,First name,Email address,State,Question 1,Response 1\n"
        f'A,Ann,ann@x.org,Finished,"Work it out. Variant {code}","part 1: 0,40; part 3: 0.16"\n'
        'B,Bob,bob@x.org,Finished,,"part 2: 1/2"\n'
        "C,Cid,cid@x.org,In progress,,-\n"
        "Overall average,,,,,\n"
    )
    ann, bob = papers.read(path, found, {"bob@x.org": other})
    assert (ann.student, ann.code, bob.code) == ("ann@x.org", code, other)
    assert ann.answers["1.weights[0][0]"] == "0,40"
    assert ann.answers["1.weights[0][2]"] == "0.16"
    assert bob.answers["1.weights[0][1]"] == "1/2"


def test_keys_that_are_none():
    for content in ("{}", '{"variants": [], "decimals": "x"}', '{"variants": [{}], "decimals": 2}'):
        with pytest.raises(SymattnError) as caught:
            keys.loads(content)
        assert "\n" not in caught.value.message
