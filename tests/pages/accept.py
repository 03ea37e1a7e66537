"""Do KaTeX and MathJax typeset a formula? One node process for a whole batch."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.pages.formulas import Formula
from tests.pages.tools import program

SCRIPT = Path(__file__).with_name("accept.mjs")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What each engine said against a formula; None where it took it."""

    formula: Formula
    katex: str | None
    mathjax: str | None


def acceptances(formulas: Iterable[Formula]) -> list[Acceptance]:
    """One verdict per formula, in order."""
    batch = list(formulas)
    done = subprocess.run(
        [program("node"), str(SCRIPT)],
        input=json.dumps([asdict(formula) for formula in batch]),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    verdicts = json.loads(done.stdout)
    return [Acceptance(formula, **verdict) for formula, verdict in zip(batch, verdicts, strict=True)]


def refused(formulas: Iterable[Formula]) -> list[Acceptance]:
    """The verdicts on the formulas that one engine or both do not take."""
    return [one for one in acceptances(formulas) if one.katex or one.mathjax]
