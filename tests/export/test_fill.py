"""Places of a page are filled from problem files, and a check tells whether they are current."""

from __future__ import annotations

import pytest

from symattn.__main__ import main

PROBLEM = 'tokens = ["it", "was"]\nQ = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[2, 0], [0, 4]]\n'
MARKDOWN = (
    "# Weights\n\n<!-- symattn: two.toml weights -->\nold\n<!-- /symattn -->\n\n"
    "It keeps <!-- symattn: two.toml weights[0][0] -->0.9<!-- /symattn --> of itself.\n"
)
FILLED = (
    "# Weights\n\n<!-- symattn: two.toml weights -->\n|  | it | was |\n|---|---|---|\n| **it** | 0.670 | 0.330 |\n"
    "| **was** | 0.330 | 0.670 |\n<!-- /symattn -->\n\n"
    "It keeps <!-- symattn: two.toml weights[0][0] -->0.670<!-- /symattn --> of itself.\n"
)


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stopped:
        main(list(map(str, arguments)))
    shown = capsys.readouterr()
    return stopped.value.code, shown.out, shown.err


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "two.toml").write_text(PROBLEM)
    (tmp_path / "page.md").write_text(MARKDOWN)
    return tmp_path


def test_a_page_is_filled_and_then_current(folder, capsys):
    page = folder / "page.md"
    assert run(capsys, "fill", page, "--check")[0] == 1
    assert page.read_text() == MARKDOWN
    assert run(capsys, "fill", page)[0] == 0
    assert page.read_text() == FILLED
    assert run(capsys, "fill", page, "--check") == (0, "", "")


def test_a_changed_problem_makes_a_page_stale(folder, capsys):
    page = folder / "page.md"
    run(capsys, "fill", page)
    (folder / "two.toml").write_text(PROBLEM + "[page]\ndecimals = 2\n")
    code, _, err = run(capsys, "fill", page, "--check")
    assert code == 1
    assert f"{page}:3: not current: weights of two.toml" in err
    assert f"{page}:10: not current" in err


def test_latex_has_comments(folder, capsys):
    page = folder / "page.tex"
    page.write_bytes(
        b"% symattn: two.toml output\r\n% /symattn\r\n"
        b"It keeps % symattn: two.toml weights[it][it]\r\n0.9% /symattn\r\nof itself.\r\n"
    )
    assert run(capsys, "fill", page)[0] == 0
    assert page.read_bytes() == (
        b"% symattn: two.toml output\r\n\\[\r\n"
        b"\\begin{bmatrix}1.340 & 1.321 \\\\ 0.660 & 2.679\\end{bmatrix}\r\n\\]\r\n"
        b"% /symattn\r\nIt keeps % symattn: two.toml weights[it][it]\r\n0.670% /symattn\r\nof itself.\r\n"
    )
    assert run(capsys, "fill", page, "--check")[0] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- symattn: two.toml weights -->\n", "page.md:1: the place is not closed"),
        ("\n<!-- /symattn -->\n", "page.md:2: nothing is open here"),
        ("<!-- symattn: two.toml weights --><!-- symattn: two.toml output -->", "still open"),
        ("<!-- symattn: two.toml --><!-- /symattn -->", "says no file, or nothing of it"),
        ("<!-- symattn --><!-- /symattn -->", "says no file"),
        ("<!-- symattn: none.toml weights --><!-- /symattn -->", "none.toml"),
        ("\n\n<!-- symattn: two.toml weihgts --><!-- /symattn -->", "page.md:3"),
    ],
)
def test_an_unusable_mark_is_one_line_and_nothing_is_written(folder, capsys, text, said):
    page = folder / "page.md"
    page.write_text(text)
    code, _, err = run(capsys, "fill", page)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1
    assert page.read_text() == text


def test_only_pages_that_have_comments_can_be_filled(folder, capsys):
    assert run(capsys, "fill", folder / "two.toml")[0] == 2


SHOWN = """Write `<!-- symattn: FILE weights -->` and `<!-- /symattn -->`:

```markdown
<!-- symattn: none.toml weights -->
<!-- /symattn -->
```

It keeps <!-- Symattn : two.toml weights[0][0] -->{}<!-- / symattn -->.
"""


def test_marks_in_code_are_examples_and_those_spelled_freely_are_marks(folder, capsys):
    page = folder / "shown.md"
    page.write_text(SHOWN.format("0.9"))
    assert run(capsys, "fill", page)[0] == 0
    assert page.read_text() == SHOWN.format("0.670")


def test_a_per_cent_sign_is_no_comment(folder, capsys):
    page = folder / "page.tex"
    text = (
        "That is 50\\% symattn: no\n\\begin{{verbatim}}\n% symattn: FILE weights\n\\end{{verbatim}}\n"
        "% symattn: two.toml weights[0][0]\n{}% /symattn\n"
    )
    page.write_text(text.format("0.9"))
    assert run(capsys, "fill", page)[0] == 0
    assert page.read_text() == text.format("0.670")
