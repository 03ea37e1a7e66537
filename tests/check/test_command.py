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


def test_of_several_pages_those_that_can_be_read_are_reported(page, tmp_path, capsys):
    bad = tmp_path / "bad.md"
    bad.write_bytes(b"\xff")
    code, out, err = run(capsys, "check", bad, page, tmp_path / "none.md")
    assert code == 2
    assert "0.671 last_digit" in out
    assert [line.split(": ")[1] for line in err.splitlines()] == [f"{bad}:1", f"{tmp_path / 'none.md'}"]


def test_a_page_is_rewritten_behind_its_link_and_keeps_its_permissions(page, tmp_path, capsys):
    page.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(page.name)
    assert run(capsys, "check", link, "--fix")[0] == 0
    assert link.is_symlink()
    assert "0.670" in page.read_text()
    assert page.stat().st_mode & 0o777 == 0o640


def test_a_page_that_is_read_only_is_left_alone(page, capsys):
    page.chmod(0o444)
    code, _, err = run(capsys, "check", page, "--fix")
    assert code == 2
    assert "permission denied; allow writing to it" in err
    assert page.read_text() == SPOILED


def test_what_is_accepted_is_not_rewritten(page, tmp_path, capsys):
    accepted = tmp_path / "accepted.toml"
    accepted.write_text('[[accept]]\nprinted = "0.671"\nreason = "as in the first edition"\n')
    assert run(capsys, "check", page, "--fix", "--accept", accepted)[0] == 0
    assert "0.671" in page.read_text()
    assert "1.342" not in page.read_text()


@pytest.mark.parametrize(
    ("before", "columns"),
    [("\t", 1), ("日本 ", 5), ("🙂 ", 3), ("e\u0301 ", 2), ("\x1b[31m ", 6)],
    ids=["a tab", "wide letters", "an emoji", "a letter of two characters", "a control character"],
)
def test_a_caret_stands_below_its_number(before, columns, tmp_path, capsys):
    """By the columns of a terminal: East Asian wide letters and emoji take two, joining accents none."""
    page = tmp_path / "page.md"
    page.write_text(GIVEN + f"{before}weights = [[0.671, 0.330], [0.330, 0.670]]\n")
    lines = run(capsys, "check", page)[1].splitlines()
    at = next(index for index, line in enumerate(lines) if line.strip() == "^^^^^")
    assert lines[at].index("^") == 4 + columns + len("weights = [[")
    assert not any(ord(one) < 32 for one in lines[at - 1])


STYLES = [
    ("weights in per cent\n\n| weights | a | b |\n|---|---|---|\n| a | {} | 33.0~% |\n| b | 33.0 % | 67.0\u202f% |\n",
     "68.0\\,\\%", "67.0\\,\\%"),
    ("weights = [[{}..., 0.3302...], [0.3302..., 0.6697...]]\n", "0.6647", "0.6697"),
    ("weights = [[{}…, 0.3302…], [0.3302…, 0.6697…]]\n", "0.6647", "0.6697"),
    ("weights = [[0.670, .330], [{}, 0.670]]\n", ".340", ".330"),
    ("$A = \\begin{{bmatrix}} {} & 3.3\\cdot 10^{{-1}} \\\\ 0.33 & 0.67 \\end{{bmatrix}}$\n",
     "6.8\\cdot 10^{-1}", "6.7\\cdot 10^{-1}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wrong", "right"), STYLES, ids=[style[1] for style in STYLES])
def test_a_number_is_rewritten_in_its_own_style(text, wrong, right, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(GIVEN + text.format(wrong))
    assert run(capsys, "check", page)[0] == 1
    assert run(capsys, "check", page, "--fix")[0] == 0
    assert page.read_text() == GIVEN + text.format(right)


HEADS = """X = [[1, 0, 2, 0], [0, 1, 0, 1]]

## Head 1

W_Q^{(1)} = [[1, 0], [0, 1], [0, 0], [0, 1]], W_K^{(1)} = [[1, 0], [0, 1], [1, 0], [0, 0]]
W_V^{(1)} = [[1, 0], [0, 2], [0, 0], [1, 0]]

## Head 2

W_Q^{(2)} = [[0, 1], [1, 0], [1, 0], [0, 0]], W_K^{(2)} = [[0, 0], [1, 1], [0, 1], [1, 0]]
W_V^{(2)} = [[0, 1], [1, 0], [1, 1], [0, 0]]
"""
NAMED = """| token | query | key | value |
|---|---|---|---|
| la "x" | (1, 0) | (1, 0) | (2, 0) |
| il | (0, 1) | (0, 1) | (0, 4) |

weights = [[0.670, 0.330], [0.330, 0.670]]
"""


@pytest.mark.parametrize("text", [HEADS, NAMED], ids=["tables head by head", "named tokens"])
def test_a_page_is_sound_by_the_problem_that_it_proposes(text, tmp_path, capsys):
    page, proposed = tmp_path / "page.md", tmp_path / "proposed.toml"
    page.write_text(text)
    assert run(capsys, "check", page, "--propose", proposed)[0] == 0
    code, out, _ = run(capsys, "check", page, "--problem", proposed)
    assert (code, "0 unread" in out, "wrong" in out) == (0, True, False)
    assert run(capsys, "solve", proposed, "--only", "weights")[0] == 0
    if text is NAMED:
        assert 'tokens = ["la \\"x\\"", "il"]' in proposed.read_text()
