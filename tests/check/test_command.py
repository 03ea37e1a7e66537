"""``symattn check`` as it is called: formats, exit codes, rewriting, accepting and proposing."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from symattn.__main__ import main
from tests.pages.tools import SARIF_SCHEMA, needs

BY_HAND = Path(__file__).parent / "pages" / "by_hand.txt"
GIVEN = "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n\n"
SPOILED = GIVEN + "weights = [[0.671, 0.330], [0.330, 0.670]]\noutput = [[1.342, 1.320], [0.660, 2.679]]\n"


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stopped:
        main(list(map(str, arguments)))
    shown = capsys.readouterr()
    return stopped.value.code, shown.out, shown.err


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(SPOILED)
    return path


def test_a_sound_page(capsys):
    code, out, _ = run(capsys, "check", BY_HAND)
    assert code == 0
    assert "taken as given: Q (line 6), K (line 6), V (line 24), " in out.splitlines()[0]
    assert "0.504 adjusted" in out
    assert out.splitlines()[-1].startswith(f"{BY_HAND}: ")


def test_strict_counts_carried_numbers(capsys):
    assert run(capsys, "check", BY_HAND, "--strict")[0] == 1


def test_text_has_a_caret_below_the_number(page, capsys):
    code, out, _ = run(capsys, "check", page)
    assert code == 1
    lines = out.splitlines()
    index = lines.index(f"{page}:5:13: 0.671 last_digit")
    assert lines[index + 1][lines[index + 2].index("^") :].startswith("0.671")
    assert f"{page}:6:12: 1.342 propagated" in lines


def test_json_is_stable(page, capsys):
    code, out, _ = run(capsys, "check", page, "--format", "json")
    found = json.loads(out)
    assert code == 1
    assert set(found) == {"findings", "unread", "given", "missing", "stale", "summary"}
    first = found["findings"][0]
    assert first == {
        "file": str(page),
        "line": 5,
        "column": 13,
        "printed": "0.671",
        "quantity": "weights",
        "head": None,
        "row": 0,
        "col": 0,
        "verdict": "last_digit",
        "exact": "exp(sqrt(2)/2)/(1 + exp(sqrt(2)/2))",
        "value": "0.669761549",
        "mistake": None,
        "because": first["because"],
        "wanted": "0.670",
        "accepted": None,
    }
    assert found["summary"]["numbers"] == 8


def test_fix_rewrites_what_is_wrong_and_what_was_made_from_it(page, capsys):
    code, _, err = run(capsys, "check", page, "--fix")
    assert code == 0
    assert "3 numbers rewritten" in err
    assert page.read_text() == SPOILED.replace("0.671", "0.670").replace("1.342", "1.340").replace("1.320", "1.321")
    assert run(capsys, "check", page, "--fix")[2] == ""


def test_github_annotations(page, capsys):
    _, out, _ = run(capsys, "check", page, "--format", "github")
    assert out.splitlines()[0].startswith(
        f"::error file={page},line=5,col=13,endColumn=18,title=symattn%3A last_digit::"
    )


def test_accepted_deviations_do_not_count_and_stale_ones_are_told(page, tmp_path, capsys):
    accepted = tmp_path / "accepted.toml"
    accepted.write_text(
        '[[accept]]\nprinted = "0.671"\nfile = "page.md"\nreason = "as in the first edition"\n\n'
        '[[accept]]\nprinted = "0.9"\nreason = "no longer there"\n'
    )
    code, out, _ = run(capsys, "check", page, "--accept", accepted)
    assert code == 0
    assert "accepted: as in the first edition" in out
    assert "occurs no longer: 0.9" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[accept]]\nprinted = "0.5"\n', "reason is missing"),
        ("[[accept]]\nprinted = 0.5\n", "must be a text"),
        ('[[accept]]\nwhere = "x"\n', "unknown"),
        ("accept = 3\n", "no list of tables"),
        ("[accept\n", "not valid TOML"),
    ],
)
def test_an_unusable_file_of_deviations_is_one_line(page, tmp_path, capsys, text, said):
    accepted = tmp_path / "accepted.toml"
    accepted.write_text(text)
    code, _, err = run(capsys, "check", page, "--accept", accepted)
    assert code == 2
    assert said in err
    assert str(accepted) in err
    assert err.count("\n") == 1


def test_a_proposed_problem_can_be_solved(tmp_path, capsys):
    proposed = tmp_path / "proposed.toml"
    run(capsys, "check", BY_HAND, "--propose", proposed)
    code, out, _ = run(capsys, "solve", proposed, "--only", "weights[2][2]")
    assert (code, out.strip()) == (0, "0.503")


def test_what_is_missing_is_named(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("Q = [[1, 0], [0, 1]]\n\nweights = [[0.5, 0.5], [0.1, 0.9]]\n")
    proposed = tmp_path / "proposed.toml"
    code, out, _ = run(capsys, "check", page, "--propose", proposed)
    assert code == 0
    assert "K, V not found" in out
    assert "# K = [[...]]" in proposed.read_text()


def test_a_problem_file_with_a_page_table_declares_the_policy(tmp_path, capsys):
    problem = tmp_path / "problem.toml"
    problem.write_text("Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n[page]\ndecimals = 3\n")
    page = tmp_path / "page.md"
    page.write_text("weights = [[0.669, 0.331], [0.330, 0.670]]\n")
    code, out, _ = run(capsys, "check", page, "--problem", problem)
    assert code == 1
    assert out.count("last_digit") == 3


@pytest.mark.parametrize("name", ["missing.md", "."])
def test_a_page_that_cannot_be_read_is_one_line(name, capsys):
    code, _, err = run(capsys, "check", name)
    assert code == 2
    assert err.count("\n") == 1


def test_a_page_that_is_no_text_is_one_line(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_bytes(b"\n\xff\xfe\x00")
    code, _, err = run(capsys, "check", page)
    assert code == 2
    assert "line 2" in err or ":2:" in err


@needs("sarif-schema")
def test_sarif(page, tmp_path, capsys):
    accepted = tmp_path / "accepted.toml"
    accepted.write_text('[[accept]]\nprinted = "1.342"\nreason = "kept"\n')
    _, out, _ = run(capsys, "check", page, "--format", "sarif", "--accept", accepted)
    log = json.loads(out)
    jsonschema.Draft4Validator(json.loads(SARIF_SCHEMA.read_text())).validate(log)
    (only,) = log["runs"]
    rules = {rule["id"] for rule in only["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in only["results"]} <= rules
    first = only["results"][0]
    assert first["level"] == "error"
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 5, "startColumn": 13, "endColumn": 18}
    assert [result["suppressions"] for result in only["results"] if "suppressions" in result] == [
        [{"kind": "external", "justification": "kept"}]
    ]


def test_a_report_for_people_is_plain_text(tmp_path, capsys):
    page = tmp_path / "Alice's <first> & last page.txt"
    page.write_text(GIVEN + "scores = [[1, 0], [0, 1]]\n")
    accepted = tmp_path / "accepted.toml"
    accepted.write_text('[[accept]]\nprinted = "1<2"\nreason = "it\'s & kept"\n')
    _, out, _ = run(capsys, "check", page, "--accept", accepted)
    assert f"{page}: taken as given" in out
    assert "1<2" in out
    assert "&amp;" not in out
    assert "&lt;" not in out
    assert "&#39;" not in out


def test_a_wrong_name_is_a_warning_and_no_erratum(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(GIVEN + "scores = [[0.670, 0.330], [0.330, 0.670]]\n")
    code, out, _ = run(capsys, "check", page)
    assert code == 0
    assert "they are called scores" in out
    assert "::warning " in run(capsys, "check", page, "--format", "github")[1]
