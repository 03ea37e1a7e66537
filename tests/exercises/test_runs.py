"""Runs: the same bytes however they are worked, kept as they come, and whole or not at all."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from symattn.errors import SpecError
from symattn.export import run as runs
from symattn.export import workers
from symattn.export.parts import Parts
from tests.exercises.common import run
from tests.exercises.recipes import ALL, KINDS
from tests.pages.tools import needs

FORMATS = ("md", "json", "csv", "moodle", "ipynb", "pretext", "stack", "qti21", "qti12")
FEW = ("md", "json", "moodle", "qti12")
"""Where all of them would show no more: a text, data, and two that are written as they come."""


def made(folder: Path, count: int, source: str = KINDS, formats: tuple[str, ...] = FORMATS, **how: Any) -> runs.Outcome:
    return runs.exercises(runs.Task(run(source), formats), count, folder, **how)


def held(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_first_variants_do_not_depend_on_how_many_are_wanted(tmp_path):
    made(tmp_path / "few", 5)
    made(tmp_path / "many", 12)
    few, many = (json.loads((tmp_path / name / "teacher/recipe-key.json").read_text()) for name in ("few", "many"))
    assert few["variants"] == many["variants"][:5]
    assert len(many["variants"]) == 12


def test_any_number_of_workers_makes_the_same_bytes(tmp_path):
    made(tmp_path / "one", 30, ALL["weights"])
    made(tmp_path / "two", 30, ALL["weights"], pool=workers.processes, jobs=2)
    assert held(tmp_path / "one") == held(tmp_path / "two")
    assert len(held(tmp_path / "one")) == 13


def test_another_hash_seed_makes_the_same_bytes(tmp_path):
    made(tmp_path / "here", 4)
    code = (
        "import sys; from pathlib import Path; from tests.exercises.test_runs import made; made(Path(sys.argv[1]), 4)"
    )
    for seed in ("0", "42"):
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed)], check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        assert held(tmp_path / seed) == held(tmp_path / "here")


def test_nothing_is_left_over(tmp_path):
    made(tmp_path, 3)
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]
    facts = json.loads((tmp_path / "teacher/recipe-manifest.json").read_text())
    assert set(facts["files"]) == set(held(tmp_path)) - {"teacher/recipe-manifest.json"}


STOPPED = """
import os, sys, signal
from pathlib import Path
from symattn.export import run as runs
from tests.exercises.test_runs import FEW, made
folder, after = Path(sys.argv[1]), int(sys.argv[2])
def told(served, candidates):
    if candidates >= after:
        os.kill(os.getpid(), signal.SIGKILL)
made(folder, 25, formats=FEW, told=told)
"""


LEFT = """
import os, signal, sys
from pathlib import Path
from symattn.export import workers
from tests.exercises.test_runs import FEW, made
def told(served, candidates):
    os.kill(os.getpid(), signal.SIGKILL)
made(Path(sys.argv[1]), 2000, formats=FEW, told=told, pool=workers.processes, jobs=2)
"""


def test_a_run_that_was_killed_leaves_no_worker_behind(tmp_path):
    """Its standard output comes to an end only when nothing holds it any more."""
    killed = subprocess.Popen([sys.executable, "-c", LEFT, str(tmp_path)], stdout=subprocess.PIPE)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL


def test_a_run_that_was_killed_goes_on_to_the_same_bytes(tmp_path):
    made(tmp_path / "whole", 25, formats=FEW)
    candidates = json.loads((tmp_path / "whole/teacher/recipe-manifest.json").read_text())["candidates"]
    chance = Random(5)
    for turn in range(3):
        after = chance.randrange(candidates)
        killed = subprocess.run([sys.executable, "-c", STOPPED, str(tmp_path / str(turn)), str(after)], check=False)
        assert killed.returncode == -signal.SIGKILL
        assert not (tmp_path / str(turn) / "teacher/recipe-key.json").exists()
        made(tmp_path / str(turn), 25, formats=FEW)
        assert held(tmp_path / str(turn)) == held(tmp_path / "whole")


def test_what_was_finished_is_not_made_again(tmp_path, monkeypatch):
    asked = []
    original = runs.lines

    def counted(task, first, last):
        asked.append(first)
        return original(task, first, last)

    monkeypatch.setattr(runs, "lines", counted)

    def stop(served, candidates):
        if served == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made(tmp_path, 40, told=stop)
    before = list(asked)
    asked.clear()
    made(tmp_path, 40)
    assert before
    assert not set(before) & set(asked)


def test_a_torn_or_altered_part_is_made_again(tmp_path):
    parts = Parts(tmp_path / "parts", {"run": 1})
    parts.put(0, b"zero")
    parts.put(1, b"one")
    (tmp_path / "parts/000001.part").write_bytes(b"on")
    with (tmp_path / "parts/parts.jsonl").open("ab") as file:
        file.write(b'\n[2, "abc')
    again = Parts(tmp_path / "parts", {"run": 1})
    assert again.get(0) == b"zero"
    assert again.get(1) is None
    assert again.get(2) is None
    again.put(2, b"two")
    assert Parts(tmp_path / "parts", {"run": 1}).get(2) == b"two"
    assert Parts(tmp_path / "parts", {"run": 2}).get(0) is None


def line(first: int, last: int, *, deadly: int = -1, failing: int = -1, folder: str = "") -> bytes:
    """Lines that stand for candidates; one of them kills its worker, as often as it is tried."""
    for index in range(first, last):
        if index == deadly:
            Path(folder, f"{time.monotonic_ns()}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if index == failing and not (marker := Path(folder, "failed")).exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return b"".join(b"%d\n" % index for index in range(first, last))


def test_a_candidate_that_kills_its_worker_is_found_and_the_rest_goes_on(tmp_path):
    (tmp_path / "deaths").mkdir()
    call = partial(line, deadly=60, folder=str(tmp_path / "deaths"))
    found = workers.in_order(call, Parts(tmp_path / "parts", {}), workers.processes, 2, 150)
    lines = b"".join(found).splitlines()
    assert len(lines) == 150
    assert json.loads(lines[60]) == {"candidate": 60, "why": "killed its worker"}
    assert [int(text) for place, text in enumerate(lines) if place != 60] == [n for n in range(150) if n != 60]
    assert len(list((tmp_path / "deaths").iterdir())) >= 3


def test_a_worker_that_is_lost_once_loses_nothing(tmp_path):
    call = partial(line, failing=60, folder=str(tmp_path))
    found = workers.in_order(call, Parts(tmp_path / "parts", {}), workers.processes, 2, 150)
    assert [int(text) for text in b"".join(found).splitlines()] == list(range(150))
    assert (tmp_path / "failed").exists()


def test_a_candidate_that_raises_is_reported(tmp_path, monkeypatch):
    task = runs.Task(run(ALL["weights"]), ("json",))
    judge = task.run.judge
    original = judge.verdict

    def verdict(key, index):
        if index == 3:
            raise ZeroDivisionError("no")
        return original(key, index)

    monkeypatch.setattr(judge, "verdict", verdict)
    outcome = runs.exercises(task, 5, tmp_path)
    assert outcome.failed == [(3, "ZeroDivisionError: no")]
    assert outcome.served == 5


def test_a_recipe_that_runs_out_says_how_many_there_are(tmp_path):
    source = (
        ALL["logarithms"]
        .replace("[1, 2]", "[1]")
        .replace('"log(4)", "log(5)"]', "]")
        .replace("V = [0, 1, 2, 3, 6]", "V = [1]")
    )
    source = source.replace('[[ask]]\nwhat = "output"\n', "")
    outcome = made(tmp_path, 100, source)
    data = json.loads((tmp_path / "teacher/recipe-key.json").read_text())
    assert outcome.ended == "exhausted"
    assert outcome.candidates == 27
    rows = {tuple(sorted(cell["key"] for cell in v["questions"][0]["answers"])) for v in data["variants"]}
    assert outcome.served == len(data["variants"])
    assert len(rows) >= 5


def test_variants_apart_are_the_sheet_of_all_taken_apart(tmp_path):
    made(tmp_path / "all", 3, formats=("md", "tex", "ipynb", "json"))
    made(tmp_path / "apart", 3, formats=("md", "tex", "ipynb", "json"), apart=True)
    codes = [it["code"] for it in json.loads((tmp_path / "all/teacher/recipe-key.json").read_text())["variants"]]
    for suffix in ("md", "tex", "ipynb"):
        names = {path.name for path in (tmp_path / "apart/students").glob(f"*.{suffix}")}
        assert names == {f"{code}.{suffix}" for code in codes}
    sheets = (tmp_path / "all/students/recipe.md").read_text().split("\n---\n")
    for code, sheet in zip(codes, sheets, strict=True):
        alone = (tmp_path / f"apart/students/{code}.md").read_text()
        assert alone.strip().endswith(sheet.removeprefix("# Every kind\n").strip())
        assert code in (tmp_path / f"apart/students/{code}.tex").read_text()
    assert (tmp_path / "apart/teacher/recipe-key.md").read_bytes() == (
        tmp_path / "all/teacher/recipe-key.md"
    ).read_bytes()


def test_each_student_has_a_file_of_their_own(tmp_path):
    outcome = made(tmp_path, 3, students=("ann", "bob", "eve"))
    names = {path.name for path in (tmp_path / "students").iterdir()}
    assert names == {f"{name}.{ending}" for name in ("ann", "bob", "eve") for ending in ("md", "ipynb", "ptx")}
    table = (tmp_path / "teacher/recipe-map.csv").read_text().splitlines()
    assert table[0] == "id,code"
    for row in table[1:]:
        student, code = row.split(",")
        assert code in (tmp_path / f"students/{student}.md").read_text()
    assert "teacher/recipe-map.csv" in outcome.files
    facts = json.loads((tmp_path / "teacher/recipe-manifest.json").read_text())
    hashes = {path: sha256(content).hexdigest() for path, content in held(tmp_path).items() if "manifest" not in path}
    assert facts["files"] == hashes


SECRETS = re.compile(r"seed|candidate|sha256|tolerance|digest|recipe\b", re.IGNORECASE)


@pytest.mark.parametrize("name", [*ALL, "kinds"])
def test_student_files_hold_no_answer(tmp_path, name):
    """Neither the words of a key, nor a number of an answer that is not on the sheet anyway."""
    source = {**ALL, "kinds": KINDS}[name]
    runs.exercises(runs.Task(run(source), ("md", "tex", "json")), 4, tmp_path)
    data = json.loads((tmp_path / "teacher/recipe-key.json").read_text())
    for file in (tmp_path / "students").iterdir():
        content = file.read_text()
        assert not SECRETS.search(content.replace(data["recipe"]["title"], "")), file
        assert data["recipe"]["sha256"][:8] not in content
        sheets = re.split(r"\n---\n|\\newpage", content)
        assert len(sheets) == len(data["variants"])
        for sheet, variant in zip(sheets, data["variants"], strict=True):
            assert variant["code"] in sheet
            assert variant["data"][:8] not in sheet
            for question in variant["questions"]:
                if question["kind"] in ("blanks", "closed"):
                    decimals = {answer["key"] for answer in question["answers"] if "." in answer["key"]}
                    assert (
                        not [text for text in decimals if f" {text} " in sheet or f"${text}$" in sheet]
                        or name == "kinds"
                    )


def test_answers_do_not_show_in_the_shape_of_a_sheet(tmp_path):
    """Two variants of the same data but for one entry have sheets that differ in that entry's text alone."""
    runs.exercises(runs.Task(run(ALL["weights"]), ("md",)), 12, tmp_path)
    sheets = (tmp_path / "students/recipe.md").read_text().split("\n---\n")
    blanks = {re.sub(r"[^_\n|]", "", sheet.partition("**1")[2]) for sheet in sheets}
    assert len(blanks) == 1


def test_a_run_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecError, match="cannot be written"):
        made(tmp_path / "file", 2)


def test_no_two_variants_are_the_same_up_to_the_order_of_tokens(tmp_path):
    made(tmp_path, 150, SMALL, formats=("json",))
    data = json.loads((tmp_path / "teacher/recipe-key.json").read_text())
    seen = set()
    for variant in data["variants"]:
        problem = variant["problem"]
        seen.add(str(sorted(zip(*(problem[name] for name in "QKV"), strict=True))))
    assert len(seen) == len(data["variants"]) > 20
    answers = {str([cell["key"] for q in v["questions"] for cell in q["answers"]]) for v in data["variants"]}
    assert len(answers) == len(data["variants"])


SMALL = """
[sizes]
tokens = 3
d_k = 1
d_v = 1
[entries]
Q = [1, 2]
K = [0, 1]
V = [0, 3, 5]
[attention]
scale = "1/2"
[[ask]]
what = "output"
"""


@needs("pdflatex", "pdftotext")
def test_a_pdf_holds_no_answer_and_is_the_same_bytes(tmp_path):
    task = runs.Task(run(ALL["weights"]), ("pdf", "json"))
    for name in ("a", "b"):
        runs.exercises(task, 2, tmp_path / name)
    assert held(tmp_path / "a") == held(tmp_path / "b")
    content = (tmp_path / "a/students/recipe.pdf").read_bytes()
    data = json.loads((tmp_path / "a/teacher/recipe-key.json").read_text())
    shown = subprocess.run(["pdftotext", "-", "-"], input=content, capture_output=True, check=True).stdout.decode()
    assert all(variant["code"] in shown for variant in data["variants"])
    for secret in (data["recipe"]["sha256"][:12], "seed", "candidate", str(tmp_path)):
        assert secret.encode() not in content
        assert secret not in shown
    numbers = set(re.findall(r"\d+\.\d+", shown))
    assert not numbers & {cell["key"] for v in data["variants"] for q in v["questions"] for cell in q["answers"]}


def test_a_teachers_own_words_stand_in_blocks(tmp_path):
    folder = tmp_path / "mine/exercises"
    folder.mkdir(parents=True)
    (folder / "statement.jinja").write_text(
        '<% extends "builtin/exercises/statement.jinja" %>\n<% block intro %>\nBring a pencil.\n\n<% endblock %>\n'
    )
    task = runs.Task(replace(run(ALL["weights"]), overrides=tmp_path / "mine"), ("md",))
    runs.exercises(task, 2, tmp_path / "out")
    assert (tmp_path / "out/students/recipe.md").read_text().count("Bring a pencil.") == 2
