"""The command line: what is written where, exit codes, and errors of one line that leave nothing behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest
from click.testing import CliRunner

from symattn import __version__
from symattn.cli import main
from symattn.parse.starter import NAPKIN
from tests.pages.tools import ROOT, needs
from tests.render.tables import grids

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
assert EXAMPLES
NAPKIN_FILES = sorted(
    ["napkin.md", "napkin.tex", *(f"napkin-{key}.svg" for key in ("also-1-mask-1", "outputs-1", "weights-1"))]
)
COMMAND = [sys.executable, "-m", "symattn"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, given: str | None = None):
    return CliRunner().invoke(main, list(arguments), input=given)


def process(*arguments: str, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, encoding="utf-8", timeout=60, env=environment, **options
    )


def held(folder: Path) -> list[str]:
    """Every file in a folder, hidden ones too."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def pages(folder: Path) -> list[str]:
    """Every file in a folder but the pictures."""
    return [name for name in held(folder) if not name.endswith(".svg")]


def solved(*arguments: str, given: str | None = None) -> str:
    """What goes to standard output; the command must succeed."""
    done = run("solve", *arguments, "--out", "-", given=given)
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    return done.stdout


def weights(page: str) -> list[list[str]]:
    return next(grid for grid in grids(page) if grid.corner.startswith("weights")).numbers


# ------------------------------------------------------------------------------------------------- what is written


def test_solve_works_the_napkin(folder):
    done = process("solve")
    assert (done.returncode, done.stdout) == (0, "")
    assert sorted(done.stderr.splitlines()) == [f"wrote output/{name}" for name in NAPKIN_FILES]
    assert held(folder) == [f"output/{name}" for name in NAPKIN_FILES]
    gallery = ROOT / "output" / "gallery"
    for name in NAPKIN_FILES:
        assert (folder / "output" / name).read_bytes() == (gallery / name).read_bytes()


@pytest.mark.parametrize("format", ["md", "tex", "md,tex,json"])
def test_a_page_may_have_no_pictures(folder, format):
    assert run("solve", "--no-pictures", "--format", format).exit_code == 0
    assert [name for name in held(folder) if name.endswith("svg")] == []
    for path in folder.rglob("napkin.*"):
        assert "tikz" not in path.read_text(encoding="utf-8")
        assert "![" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("wish", ["--worksheet", "--key"])
def test_worksheets_and_keys_have_no_pictures(folder, wish):
    assert run("solve", wish).exit_code == 0
    assert held(folder) == ["output/napkin.md", "output/napkin.tex"]
    assert "tikzpicture" not in (folder / "output" / "napkin.tex").read_text(encoding="utf-8")


def test_a_chapter_gets_a_mask_where_none_is_asked_for(folder):
    bare = NAPKIN[: NAPKIN.index("[[also]]")]
    page = run("solve", "-", "--chapter", "--format", "md", given=bare)
    assert page.exit_code == 0, page.output
    text = (folder / "output" / "problem.md").read_text(encoding="utf-8")
    assert "No looking ahead" in text
    assert sorted(Path(name).name for name in held(folder)) == [
        f"problem{end}" for end in ("-also-1-weights-1.svg", "-divide.svg", "-outputs-1.svg", "-weights-1.svg", ".md")
    ]
    assert "No looking ahead" not in solved("-", given=bare)


@pytest.mark.parametrize("other", ["--worksheet", "--key"])
def test_a_chapter_is_no_worksheet_and_no_key(other):
    done = run("solve", "--chapter", other)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


def test_every_link_to_a_picture_finds_its_file(folder):
    """Also beside a problem whose name a link cannot hold as it is."""
    (folder / "one (two) #3 é%.toml").write_text(NAPKIN, encoding="utf-8")
    assert run("solve", "one (two) #3 é%.toml", "--format", "md").exit_code == 0
    page = (folder / "output" / "one (two) #3 é%.md").read_text(encoding="utf-8")
    links = re.findall(r"^!\[.*\]\(([^ ()#<>]+)\)&nbsp;$", page, re.MULTILINE)
    assert sorted(f"output/{unquote(link)}" for link in links) == [
        name for name in held(folder) if name.endswith(".svg")
    ]
    assert len(links) == 3


def test_markdown_on_standard_output_has_no_pictures_and_latex_has_them(folder):
    assert "![" not in solved("--format", "md")
    assert solved("--format", "tex").count(r"\begin{tikzpicture}") == 3
    assert held(folder) == []


def test_json_does_not_know_of_pictures(folder):
    assert solved("--format", "json") == solved("--format", "json", "--no-pictures")


def test_out_names_another_folder(folder):
    done = run("solve", "--out", "deep/er", "--format", "tex")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "wrote deep/er/napkin.tex\n")
    assert held(folder) == ["deep/er/napkin.tex"]


@pytest.mark.parametrize(("format", "starts"), [("md", "# Three"), ("tex", r"\documentclass"), ("json", "{")])
def test_out_may_be_standard_output(folder, format, starts):
    assert solved("--format", format).startswith(starts)
    assert held(folder) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_page_has_the_name_of_its_problem(folder, path):
    done = run("solve", str(path), "--format", "md,tex,json")
    assert done.exit_code == 0
    assert all(Path(name).name.startswith(path.stem) for name in held(folder))
    assert pages(folder) == [f"output/{path.stem}.{ending}" for ending in ("json", "md", "tex")]


def test_a_problem_comes_from_standard_input(folder):
    done = process("solve", "-", input=NAPKIN.replace("[2, 0]", "[3, 0]"))
    assert (done.returncode, done.stderr) == (
        0,
        "".join(
            f"wrote output/problem{end}\n"
            for end in ("-also-1-mask-1.svg", "-weights-1.svg", "-outputs-1.svg", ".md", ".tex")
        ),
    )
    assert "2.406" in (folder / "output" / "problem.md").read_text(encoding="utf-8")


def test_a_problem_may_be_json(folder):
    (folder / "one.json").write_text(json.dumps(tomllib.loads(NAPKIN)), encoding="utf-8")
    assert solved("one.json") == solved()


def test_a_problem_from_standard_input_may_be_json():
    """No TOML file begins with a brace."""
    assert solved("-", given=json.dumps(tomllib.loads(NAPKIN))) == solved()


def test_a_second_run_writes_over_the_first(folder):
    assert run("solve", "--format", "md").exit_code == 0
    first = (folder / "output" / "napkin.md").read_bytes()
    (folder / "output" / "napkin.md").write_text("old", encoding="utf-8")
    assert run("solve", "--format", "md").exit_code == 0
    assert (folder / "output" / "napkin.md").read_bytes() == first
    assert pages(folder) == ["output/napkin.md"]


def test_json_has_its_shape():
    found = json.loads(solved("--format", "json"))
    assert list(found) == ["symattn", "problem", "heads", "output", "also"]
    assert found["symattn"] == __version__
    assert found["problem"]["W_V"] == [[2, 0], [0, 2]]
    (head,) = found["heads"]
    assert list(head) == ["query", "key", "value", "scores", "scaled", "logits", "weights", "output"]
    for array in (*head.values(), found["output"]):
        assert list(array) == ["exact", "decimal", "notes"]
    assert head["weights"]["decimal"][0] == ["0.401", "0.198", "0.401"]
    assert (
        head["output"]["decimal"]
        == found["output"]["decimal"]
        == [["1.604", "1.198"], ["1.198", "1.604"], ["1.503", "1.503"]]
    )
    (also,) = found["also"]
    assert list(also) == ["attention", "heads", "output"]
    assert also["attention"] == {"causal": True}
    assert also["heads"][0]["logits"]["exact"][0][1:] == also["heads"][0]["logits"]["decimal"][0][1:] == ["-oo", "-oo"]


def test_json_tells_what_is_not_the_correct_rounding():
    found = json.loads(solved("--format", "json", "--pencil"))
    notes = found["heads"][0]["weights"]["notes"]
    assert notes == [{"row": 2, "col": 2, "kind": "differs", "nearest": "0.503"}]


def test_the_exact_values_of_json_are_sympy_syntax():
    from sympy import Rational, exp, simplify, sqrt, sympify

    found = json.loads(solved("--format", "json"))["heads"][0]
    texts = found["weights"]["exact"]
    u = exp(1 / sqrt(2))
    right = [[u / (1 + 2 * u), 1 / (1 + 2 * u)], [1 / (1 + 2 * u), u / (1 + 2 * u)]]
    assert all(simplify(sympify(texts[i][j]) - right[i][j]) == 0 for i in range(2) for j in range(2))
    assert sympify(found["scaled"]["exact"][2][2]) == sqrt(2)
    assert json.loads(solved("--format", "json", "--scale", "1/3"))["heads"][0]["scaled"]["exact"][0][0] == str(
        Rational(1, 3)
    )


def test_letters_have_no_decimal():
    text = 'symbols = {a = "real"}\nQ = [["a"]]\nK = [[1], [0]]\nV = [[2], [3]]\n'
    found = json.loads(solved("-", "--format", "json", given=text))["heads"][0]
    assert found["weights"]["decimal"] == [[None, None]]
    assert found["value"]["decimal"] == [["2"], ["3"]]


@needs("pdflatex", "pdftotext")
def test_a_pdf_is_written_and_is_the_same_twice(folder):
    for out in ("one", "two"):
        assert run("solve", "--format", "pdf", "--out", out).exit_code == 0
    assert held(folder) == ["one/napkin.pdf", "two/napkin.pdf"]
    assert (folder / "one/napkin.pdf").read_bytes() == (folder / "two/napkin.pdf").read_bytes()


def test_a_missing_tex_engine_is_exit_code_3(folder):
    done = process("solve", "--format", "md,pdf", env={"PATH": ""})
    assert (done.returncode, done.stdout) == (3, "")
    assert one_line(done.stderr)
    assert "TeX engine" in done.stderr
    assert held(folder) == []


# ------------------------------------------------------------------------------------------------- options


def test_pencil_is_the_pencil_workers_page():
    page = solved("--pencil")
    assert weights(page)[2] == ["0.248", "0.248", "0.504"]
    assert r"[1.504,\ 1.504]" in page
    assert page == solved("--rounding", "carried", "--row-sums", "one")


FLAGS = [
    (("--decimals", "5"), [["0.40111", "0.19778", "0.40111"], ["0.24826", "0.24826", "0.50349"]]),
    (("--scale", "1"), [["0.422", "0.155", "0.422"], ["0.212", "0.212", "0.576"]]),
    (("--row-sums", "one"), [["0.401", "0.198", "0.401"], ["0.248", "0.248", "0.504"]]),
    (("--decimal-mark", ","), [["0.401", "0.198", "0.401"], ["0.248", "0.248", "0.503"]]),
    (("--digits", "significant", "--decimals", "2"), [["0.40", "0.20", "0.40"], ["0.25", "0.25", "0.50"]]),
]


@pytest.mark.parametrize(("flags", "rows"), FLAGS)
def test_a_flag_sets_an_option(flags, rows):
    page = solved(*flags)
    found = weights(page)
    assert [found[0], found[2]] == rows
    assert (r"0{,}" in page) == (flags[0] == "--decimal-mark")


def test_a_flag_hides_the_future(folder):
    (folder / "one.toml").write_text(NAPKIN.replace("[[also]]\ncausal = true\n", ""), encoding="utf-8")
    assert weights(solved("one.toml", "--causal", "true")) == [
        ["1", "0", "0"],
        ["0.330", "0.670", "0"],
        ["0.248", "0.248", "0.503"],
    ]
    assert weights(solved("one.toml", "--causal", "false")) == weights(solved())


def test_a_flag_overrides_the_file(folder):
    (folder / "one.toml").write_text(
        NAPKIN.replace("[[also]]", "[attention]\nscale = 1\n[[also]]") + '\n[page]\ndecimals = 2\nrow_sums = "one"\n',
        encoding="utf-8",
    )
    assert weights(solved("one.toml"))[2] == ["0.21", "0.21", "0.58"]
    assert weights(solved("one.toml", "--decimals", "4", "--row-sums", "as-is"))[2] == ["0.2119", "0.2119", "0.5761"]
    assert weights(solved("one.toml", "--scale", "1/sqrt(2)"))[2] == ["0.25", "0.25", "0.50"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("weights[tired]", r"$[0.248,\ 0.248,\ 0.503]$"),
        ("weights[tired][it]", "0.248"),
        ("also[0].weights[was]", r"$[0.330,\ 0.670,\ 0]$"),
    ],
)
def test_a_row_or_a_number_alone(text, says):
    assert solved("--only", text) == solved("--only", text, "--format", "tex") == says + "\n"


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (("--worksheet",), r"\_\_\_\_"),
        (("--key",), "| scores"),
        (("--detail", "full"), "S_{1,1}"),
        (("--flavour", "github"), "```math"),
    ],
)
def test_a_way_of_the_page(what, says):
    assert says in solved(*what)
    assert says not in solved()


def test_a_fragment_has_no_preamble():
    assert r"\documentclass" not in solved("--format", "tex", "--fragment")


def test_templates_of_ones_own(folder):
    (folder / "mine" / "base").mkdir(parents=True)
    (folder / "mine" / "base" / "page.jinja").write_text(
        '<% extends "builtin/base/page.jinja" %><% block caption %>\nMINE\n<% endblock %>', encoding="utf-8"
    )
    assert "MINE" in solved("--templates", str(folder / "mine"))


# ------------------------------------------------------------------------------------------------- other commands


def test_the_schema_is_one_and_takes_the_examples():
    done = run("schema")
    schema = json.loads(done.stdout)
    assert (done.exit_code, done.stderr) == (0, "")
    jsonschema.Draft202012Validator.check_schema(schema)
    valid = jsonschema.Draft202012Validator(schema)
    for path in EXAMPLES:
        assert list(valid.iter_errors(tomllib.loads(path.read_text(encoding="utf-8")))) == []
    for wrong in ({"tokns": []}, {"page": {"decimals": "three"}}, {"attention": {"causal": "maybe"}}, {"X": 3}):
        assert list(valid.iter_errors(tomllib.loads(NAPKIN) | wrong))


def test_new_writes_a_problem_that_solves(folder):
    done = run("new", "mine")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "mine.toml" in done.stderr
    assert held(folder) == ["mine.toml"]
    assert weights(solved("mine.toml")) == weights(solved())
    text = (folder / "mine.toml").read_text(encoding="utf-8")
    assert text.count("#") > 5
    uncommented = text.replace("# scale", "scale").replace("# notation", "notation")
    assert solved("-", given=uncommented)


def test_new_does_not_overwrite(folder):
    (folder / "mine.toml").write_text("kept", encoding="utf-8")
    for name in ("mine", "mine.toml"):
        done = run("new", name)
        assert (done.exit_code, done.stdout) == (2, "")
        assert one_line(done.stderr)
        assert "mine.toml" in done.stderr
    assert (folder / "mine.toml").read_text(encoding="utf-8") == "kept"
    assert held(folder) == ["mine.toml"]


def test_help_and_version():
    helped = process("--help")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert all(name in helped.stdout for name in ("solve", "schema", "new"))
    assert process("--version").stdout == f"symattn {__version__}\n"
    assert run("solve", "-h").exit_code == 0


@pytest.mark.parametrize("arguments", [["--help"], ["solve", "--help"], ["--version"]])
def test_help_imports_little(arguments):
    code = (
        "import sys\n"
        "from symattn.cli import main\n"
        f"try: main({arguments!r}, prog_name='symattn')\n"
        "except SystemExit: pass\n"
        "heavy = {'sympy', 'jinja2', 'importlib.metadata', 'flint', 'rich', 'markupsafe', 'mpmath'}\n"
        "print('IMPORTED', sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.splitlines()[-1] == "IMPORTED []", done.stderr


def test_a_reader_that_stops_is_no_error():
    """As ``symattn solve --out - | head -1`` does."""
    command = f"{sys.executable} -m symattn solve --out - --format json | head -c 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


# ------------------------------------------------------------------------------------------------- what is wrong

QKV = "Q = [[1, 0]]\nK = [[1, 2],\n     [3, 4]]\nV = [[1], [2]]\n"
FILES = [
    ("syntax", "Q = [[1, 0]\nK = 3", "bad.toml:2", "bracket"),
    ("unknown name", QKV.replace("V =", "Values ="), "bad.toml:4", "Values"),
    ("a typing slip", "[atention]\ncausal = true\n", "bad.toml:1", "attention"),
    ("entry", QKV.replace("[3, 4]", '[3, "four"]'), "bad.toml:3", "K[1][1] (row 2, column 2)"),
    ("a call", QKV.replace("[3, 4]", '[3, "__import__(1)"]'), "bad.toml:3", "K[1][1]"),
    ("a tower", QKV.replace("[3, 4]", '[3, "9**9**9"]'), "bad.toml:3", "K[1][1]"),
    ("division by zero", QKV.replace("[3, 4]", '[3, "1/0"]'), "bad.toml:3", "K[1][1]"),
    ("not a number", QKV.replace("[3, 4]", "[3, nan]"), "bad.toml:3", "K[1][1]"),
    ("ragged", QKV.replace("[3, 4]", "[3]"), "bad.toml:3", "K[1]"),
    ("shapes", QKV.replace("[1, 0]", "[1, 0, 0]"), "bad.toml", "3"),
    ("no values", QKV.replace("V = [[1], [2]]\n", ""), "bad.toml", "V"),
    ("nothing", "", "bad.toml", "X"),
    ("decimals", QKV + "[page]\ndecimals = 0\n", "bad.toml:6", "page.decimals"),
    ("a word", QKV + '[page]\nrounding = "up"\n', "bad.toml:6", "carried"),
    ("causal", QKV + "[attention]\ncausal = true\n", "bad.toml:6", "bottom-right"),
    ("a letter", QKV.replace("[3, 4]", '[3, "a"]'), "bad.toml:3", "'a'"),
    ("heads", QKV + "[attention]\nnum_heads = 3\n", "bad.toml", "3"),
    ("too few decimals", 'Q = [[-20]]\nK = [[1]]\nV = [[1]]\n[page]\nrounding = "carried"\n', "bad.toml", "decimals"),
    (
        "a masked row",
        'Q = [[1], [2], [3]]\nK = [[1], [2]]\nV = [[1], [2]]\n[attention]\ncausal = "bottom-right"\n',
        "bad.toml",
        "row",
    ),
    ("tokens twice", 'tokens = ["a", "a"]\n' + QKV, "bad.toml:1", "tokens"),
    ("a root of less than nothing", QKV.replace("[3, 4]", '[3, "sqrt(-1)"]'), "bad.toml:3", "K[1][1]"),
    ("bytes", "Q = '\udcff'", "bad.toml", ""),
]


def one_line(text: str) -> bool:
    """Is it one line of ours, and no traceback?"""
    return text.startswith("symattn: ") and text.count("\n") == 1 and text.endswith("\n") and "Traceback" not in text


@pytest.mark.parametrize(("text", "place", "says"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_an_unusable_file_is_one_line_and_nothing_is_written(folder, text, place, says):
    (folder / "bad.toml").write_text(text, encoding="utf-8", errors="surrogateescape")
    done = run("solve", "bad.toml", "--out", "out", "--format", "md,tex,json")
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert one_line(done.stderr), done.stderr
    assert done.stderr.startswith("symattn: bad.toml")
    assert place in done.stderr
    assert says in done.stderr
    assert len(done.stderr) < 300
    assert held(folder) == ["bad.toml"]
    assert not (folder / "out").exists()


CALLS = [
    (("solve", "nosuch.toml"), "nosuch.toml"),
    (("solve", "."), "folder"),
    (("solve", "--format", "png"), "png"),
    (("solve", "--format", "md,"), "--format"),
    (("solve", "--out", "-", "--format", "md,tex"), "--out"),
    (("solve", "--worksheet", "--key"), "--worksheet"),
    (("solve", "--worksheet", "--format", "json"), "--worksheet"),
    (("solve", "--only", "weigths"), "weights"),
    (("solve", "--only", "weights[x]"), "--only"),
    (("solve", "--only", "weights", "--format", "pdf"), "PDF"),
    (("solve", "--fragment", "--format", "pdf"), "PDF"),
    (("solve", "--decimals", "none"), "decimals"),
    (("solve", "--decimals", "-1"), "decimals"),
    (("solve", "--decimals", "9" * 5000), "decimals"),
    (("solve", "--causal", "maybe"), "causal"),
    (("solve", "--scale", "1/0"), "scale"),
    (("solve", "--scale", "__import__('os')"), "scale"),
    (("solve", "--num-heads", "3"), "3"),
    (("solve", "--ties", "up"), "half-even"),
    (("solve", "--decimal-mark", ";"), "decimal_mark"),
    (("solve", "--flavour", "word"), "flavour"),
    (("solve", "--detail", "much"), "detail"),
    (("solve", "--templates", "nosuch"), "nosuch"),
    (("solve", "--nosuch"), "--nosuch"),
    (("solve", "a", "b"), "b"),
    (("nosuch",), "nosuch"),
    (("new",), "NAME"),
]


@pytest.mark.parametrize(("arguments", "says"), CALLS, ids=[" ".join(case[0])[:40] for case in CALLS])
def test_an_unusable_call_is_one_line_and_nothing_is_written(folder, arguments, says):
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert one_line(done.stderr), done.stderr
    assert says in done.stderr
    assert len(done.stderr) < 300
    assert held(folder) == []


TEMPLATES = [
    "<%= nothing %>",
    "<% if %>",
    "<%= ''.__class__ %>",
    '<% include "../secret" %>',
    "<% extends %>",
    "<%= 1 // 0 %>",
    "<%= tokens.append(1) %>",
    "<% for a in range(10 ** 9) %>x<% endfor %>",
]


@pytest.mark.parametrize("text", TEMPLATES)
def test_an_unusable_template_is_one_line_that_names_it(folder, text):
    (folder / "mine" / "base").mkdir(parents=True)
    (folder / "mine" / "base" / "page.jinja").write_text(f"one\n{text}\n", encoding="utf-8")
    done = run("solve", "--templates", str(folder / "mine"), "--out", "out")
    assert (done.exit_code, done.stdout) == (2, ""), repr(done.exception)
    assert one_line(done.stderr), done.stderr
    assert "base/page.jinja" in done.stderr
    assert held(folder) == ["mine/base/page.jinja"]


def test_an_error_on_standard_input_names_its_line():
    done = run("solve", "-", given=QKV.replace("[3, 4]", '[3, "four"]'))
    assert done.exit_code == 2
    assert one_line(done.stderr)
    assert "line 3" in done.stderr
    assert "K[1][1]" in done.stderr


def test_standard_input_that_is_no_text_is_one_line():
    done = subprocess.run(
        [*COMMAND, "solve", "-"],
        input=b"\xff\xfe\x00",
        capture_output=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 2
    assert one_line(done.stderr.decode())


def test_a_folder_that_cannot_be_written_to_is_one_line(folder):
    (folder / "taken").write_text("kept", encoding="utf-8")
    done = run("solve", "--out", "taken")
    assert done.exit_code == 2
    assert one_line(done.stderr)
    assert "taken" in done.stderr
    assert held(folder) == ["taken"]


def test_nothing_is_written_if_one_format_fails(folder):
    """All contents are made before the first file is."""
    done = run("solve", "--out", "out", "--format", "md,json", "--only", "weights[9]")
    assert done.exit_code == 2
    assert held(folder) == []
