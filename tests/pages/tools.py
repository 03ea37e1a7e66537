"""The programs that the page tests run, and the mark that says which of them a test needs.

Without them a test is skipped, with the reason. Where ``SYMATTN_TEST_TOOLS`` is ``required`` (as in CI) nothing is
skipped: a missing program fails the test.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REQUIRED = "required"
ENGINES = ("katex", "mathjax")
SARIF_SCHEMA = ROOT / "node_modules" / "@microsoft" / "jest-sarif" / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json"
"""The schema of OASIS, as Microsoft's tests of SARIF ship it."""


class MissingToolError(AssertionError):
    """A program that the test cannot do without is not on this machine."""


def lack(name: str) -> str | None:
    """Why the program cannot be used, or None."""
    if name == "sarif-schema":
        return None if SARIF_SCHEMA.is_file() else f"{SARIF_SCHEMA.name} is not in node_modules: run npm ci"
    if shutil.which(name) is None:
        return f"{name} is not on the path"
    if name == "node" and not all((ROOT / "node_modules" / engine / "package.json").is_file() for engine in ENGINES):
        return f"{' and '.join(ENGINES)} are not in node_modules: run npm ci at the top of the repository"
    return None


def program(name: str) -> str:
    """The program's full path; a failure that says what is missing if there is none."""
    found = shutil.which(name)
    if (why := lack(name)) or found is None:
        raise MissingToolError(why)
    return found


def needs(*names: str) -> pytest.MarkDecorator:
    """Skip without these programs, or fail where all are required; ``node`` stands for the two engines as well, and
    ``sarif-schema`` for the schema of SARIF.
    """
    lacking = [why for name in names if (why := lack(name))]
    skipped = bool(lacking) and os.environ.get("SYMATTN_TEST_TOOLS") != REQUIRED
    return pytest.mark.skipif(skipped, reason="; ".join(lacking) or "nothing is missing")
