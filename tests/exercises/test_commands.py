"""``symattn exercises`` and ``symattn mark`` as a teacher calls them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from symattn.cli import main
from symattn.exercises.shipped import NAMES
from tests.exercises.students import Student
from tests.exercises.test_marking import answers


def call(*words: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(main, list(words), prog_name="symattn")
    return found.exit_code, found.stdout, found.stderr


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_the_recipes_are_listed():
    code, out, _ = call("exercises", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(NAMES)


def test_a_class_from_recipe_to_grades(tmp_path):
    roster = tmp_path / "class.csv"
    roster.write_text("id,name\nann,Ann\nbob,=cmd()\neve,Eve\n")
    code, _, told = call(
        "exercises", "one-token", "--roster", str(roster), "--format", "md,json", "--out", str(tmp_path)
    )
    assert code == 0
    assert "3 variants" in told
    key = tmp_path / "teacher/one-token-key.json"
    codes = {row["id"]: row["code"] for row in table(tmp_path / "teacher/one-token-map.csv")}
    data = json.loads(key.read_text())
    lines = {}
    for student, mistake in (("ann", ""), ("bob", "unscaled"), ("eve", "")):
        variant = next(v for v in data["variants"] if v["code"] == codes[student])
        lines[student] = answers(Student(variant["keep"], Random(1), mistake), variant, data["decimals"])
    lines["eve"] = dict.fromkeys(lines["eve"], "=HYPERLINK(1)")
    papers = tmp_path / "answers.csv"
    with papers.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", *lines["ann"]])
        writer.writeheader()
        writer.writerows({"id": student, **given} for student, given in lines.items())
    marks = tmp_path / "mine.csv"
    marks.write_text("id,blank,points,note\neve,1.weights[1][0],1,said aloud\n")
    given = ("mark", str(key), str(papers), "--roster", str(tmp_path / "teacher/one-token-map.csv"))
    code, _, told = call(*given, "--overrides", str(marks), "--out", str(tmp_path / "marks"))
    assert code == 0, told
    grades = {row["id"]: row for row in table(tmp_path / "marks/one-token-grades.csv")}
    assert grades["ann"]["points"] == grades["ann"]["of"] == "7"
    assert grades["bob"]["mistakes"] == "unscaled"
    assert (grades["eve"]["points"], grades["eve"]["mistakes"]) == ("1", "")
    report = (tmp_path / "marks/one-token-report.md").read_text()
    assert "the scores are not scaled" in report
    assert "said aloud" in report
    own = (tmp_path / "marks/one-token-reports/bob.md").read_text()
    assert "the scores are not scaled" in own
    assert "eve" not in own
    found = json.loads((tmp_path / "marks/one-token-marks.json").read_text())
    assert {mark["verdict"] for mark in found["students"][2]["marks"]} == {"unreadable"}
    before = (tmp_path / "marks/one-token-grades.csv").read_bytes()
    call(*given, "--overrides", str(marks), "--out", str(tmp_path / "marks"))
    assert (tmp_path / "marks/one-token-grades.csv").read_bytes() == before


def test_the_same_seed_writes_the_same_files(tmp_path):
    for name in ("a", "b"):
        assert call("exercises", "weights", "--count", "3", "--format", "md,csv", "--out", str(tmp_path / name))[0] == 0
    call("exercises", "weights", "--count", "3", "--format", "md,csv", "--seed", "2", "--out", str(tmp_path / "c"))
    a, b, c = ((tmp_path / name / "students/weights.md").read_bytes() for name in "abc")
    assert a == b != c


def test_an_audit_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = call("exercises", "which-row", "--audit", "20")
    assert code == 0
    assert "20 of 20 variants" in out
    assert "right choice" in out
    assert list(tmp_path.iterdir()) == []


BAD = {
    ("exercises",): "no recipe is named",
    ("exercises", "wieghts"): "did you mean weights",
    ("exercises", "weights", "--format", "docx"): "no format",
    ("exercises", "weights", "--count", "0"): "--count",
    ("exercises", "weights", "--scheduler", "tcp://127.0.0.1:x"): "no scheduler answers",
    ("mark", "nothere.json", "x"): "nothere.json",
}


@pytest.mark.parametrize("words", BAD, ids=" ".join)
def test_a_call_that_cannot_be_used(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, told = call(*words)
    assert code == 2
    assert BAD[words] in told
    assert told.count("\n") == 1


def test_a_recipe_that_runs_out_says_how_many_it_gives(tmp_path):
    recipe = Path(tmp_path, "few.toml")
    recipe.write_text(
        'allow = ["unscaled", "scaled_by_d_k", "scaled_twice", "softmax_over_queries", "queries_and_keys_swapped"]\n'
        "[sizes]\ntokens = 2\nd_k = 1\nd_v = 1\n[entries]\nQ = [1, 2]\nK = [0, 1]\nV = [0]\n"
        '[attention]\nscale = 1\n[[ask]]\nwhat = "weights"\n'
    )
    code, _, told = call("exercises", str(recipe), "--count", "50", "--out", str(tmp_path))
    assert code == 2
    # of 16 candidates eight have even rows; each of the others is there twice, with its tokens exchanged
    assert "the recipe gives 4 variants, not 50" in told
    assert len(json.loads((tmp_path / "teacher/few-key.json").read_text())["variants"]) == 4


def test_a_recipe_that_cannot_be_satisfied_names_the_limit(tmp_path):
    recipe = Path(tmp_path, "hard.toml")
    recipe.write_text(
        "[sizes]\ntokens = 3\nd_k = 1\nd_v = 2\n[entries]\nQ = [-2, -1, 0, 1, 2, 3]\nK = [-2, -1, 0, 1, 2, 3]\n"
        'V = [0, 1, 2, 3, 4, 5, 6, 7]\n[[ask]]\nwhat = "weights"\n'
    )
    code, _, told = call("exercises", str(recipe), "--count", "5", "--out", str(tmp_path))
    assert code == 2
    assert "can hardly be satisfied" in told
    assert 'allow = ["unscaled"]' in told or "loosen" in told
