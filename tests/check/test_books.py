"""Books of exercises: every key of every recipe that comes with symattn is read, and nothing of it is accused."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from symattn.check.page import check
from symattn.cli import main
from symattn.exercises.shipped import NAMES
from tests.check.faults import errata

COUNT = 3


@pytest.mark.parametrize("name", NAMES)
def test_a_key_in_markdown_and_in_latex_accuses_nobody(name, tmp_path):
    """Each answer stands before what it is made from, and several variants stand on one page."""
    words = ["exercises", name, "--count", str(COUNT), "--seed", "5", "--format", "md,tex", "--out", str(tmp_path)]
    made = CliRunner().invoke(main, words, prog_name="symattn")
    assert made.exit_code == 0, made.output
    keys = [path for path in tmp_path.rglob("*-key.*") if path.suffix in (".md", ".tex")]
    assert len(keys) == 2
    for key in keys:
        assert errata(check(key.name, key.read_text())) == []


def test_two_heads_with_bold_names_and_a_table_that_is_not_printed(tmp_path):
    """All that is printed of three variants but what the last table makes, whose numbers only the sheet has."""
    words = ["exercises", "two-heads", "--count", str(COUNT), "--seed", "5", "--format", "md,tex"]
    CliRunner().invoke(main, [*words, "--out", str(tmp_path)], prog_name="symattn")
    for key in tmp_path.rglob("*-key.*"):
        if key.suffix in (".md", ".tex"):
            report = check(key.name, key.read_text())
            assert len(report.findings) >= COUNT * 2 * 40
            wrong = key.read_text().replace("0.4", "0.7", 1)
            assert len(errata(check(key.name, wrong))) == 1
