"""The formats' options as a teacher gives them."""

from __future__ import annotations

import json

from tests.exercises.test_commands import call


def test_flavours_nbgrader_and_groups(tmp_path):
    words = ("--format", "md,ipynb,qti12", "--flavour", "quarto", "--nbgrader", "--pick", "2", "--count", "2")
    code, _, told = call("exercises", "which-row", *words, "--out", str(tmp_path))
    assert code == 0, told
    assert "::: {#exr-" in (tmp_path / "students/which-row.md").read_text()
    notebook = json.loads((tmp_path / "teacher/which-row-solutions.ipynb").read_text())
    assert all("nbgrader" in cell["metadata"] for cell in notebook["cells"])
    assert b"<selection_number>2</selection_number>" in (tmp_path / "teacher/which-row-canvas.zip").read_bytes()
    assert "qti12: feedback by mistake stands in the general feedback" in told
    assert "each number is a question of its own" not in told


def test_what_is_left_out_is_said(tmp_path):
    code, _, told = call("exercises", "closed-form", "--format", "moodle,stack", "--count", "1", "--out", str(tmp_path))
    assert code == 0, told
    assert "moodle: 1. weights[0][1] (closed) is left out: it compares no exact expressions" in told
    assert "stack: 1. weights" not in told
    facts = json.loads((tmp_path / "teacher/closed-form-manifest.json").read_text())
    assert facts["formats"]["moodle"]["questions"] == 0
    assert facts["formats"]["stack"]["questions"] == 1


def test_each_student_has_a_notebook_of_their_own(tmp_path):
    roster = tmp_path / "class.csv"
    roster.write_text("id\nann\nbob\n")
    code, _, told = call(
        "exercises", "weights", "--roster", str(roster), "--format", "ipynb,pretext", "--out", str(tmp_path)
    )
    assert code == 0, told
    assert {path.name for path in (tmp_path / "students").iterdir()} == {"ann.ipynb", "bob.ipynb", "ann.ptx", "bob.ptx"}
    for student in ("ann", "bob"):
        cells = json.loads((tmp_path / f"students/{student}.ipynb").read_text())["cells"]
        assert sum(cell["id"].endswith("-check") for cell in cells) == 1


def test_an_unknown_flavour_and_format_are_refused(tmp_path):
    for words in (("--format", "scorm"), ("--flavour", "asciidoc"), ("--pick", "0")):
        code, _, told = call("exercises", "weights", *words, "--out", str(tmp_path))
        assert code == 2
        assert len(told.strip().splitlines()) <= 4
        assert "Traceback" not in told
