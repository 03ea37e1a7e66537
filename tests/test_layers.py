"""The contracts on imports hold, and each is seen to fail when a module breaks it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = Path(sys.executable).with_name("lint-imports")

BREACHES = {  # module, code to add, what the report names
    "upward": ("errors.py", "import symattn.problem", "symattn.errors -> symattn.problem"),
    "in a function": (
        "rounding/decimal.py",
        "def f():\n    import symattn.policies",
        "symattn.rounding.decimal -> symattn.policies",
    ),
    "sideways": ("render/words.py", "import symattn.check", "symattn.render.words -> symattn.check"),
    "no floor": ("novelty.py", "", "novelty"),
    "templates": ("steps.py", "import jinja2", "symattn.steps -> jinja2"),
    "binary floats": ("exact/numbers.py", "import numpy", "symattn.exact.numbers -> numpy"),
    "typesetting": ("check/replay.py", "import symattn.render.page", "symattn.check.replay -> symattn.render.page"),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [LINT, "--no-cache"]
    return subprocess.run(command, cwd=folder, env={"COLUMNS": "200"}, capture_output=True, text=True, check=False)


def test_contracts_hold():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("breach", BREACHES)
def test_a_breach_is_found(breach, tmp_path):
    """A check that has not been seen to fail is not a check."""
    file, code, told = BREACHES[breach]
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "symattn", tmp_path / "symattn", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "symattn" / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{code}\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stderr
    assert told in done.stdout
