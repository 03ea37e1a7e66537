"""A page rewritten: errata and what was made from them, each to its own precision and style, to a fixed point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from symattn.check.report import Report
from symattn.check.verdicts import ERRATA

REWRITTEN: Final = (*ERRATA, "propagated")
_MOST_ROUNDS: Final = 20


def fixed(text: str, check: Callable[[str], Report]) -> tuple[str, int]:
    """The page with every erratum and every number propagated from one put right, and how many were rewritten.

    A number that is rewritten may take its explanation from a later one, so the page is checked again until nothing
    is left to be rewritten. A page whose numbers speak against each other so that this does not end stays as it is.

    Args:
        text: The page.
        check: Checks a page's text.
    """
    source, count = text, 0
    for _ in range(_MOST_ROUNDS):
        report = check(text)
        wanted = [
            finding
            for finding in report.findings
            if finding.verdict in REWRITTEN
            and finding.wanted not in (None, finding.printed)
            and finding.accepted is None
        ]
        if not wanted:
            return text, count
        parts: list[str] = []
        at = 0
        for finding in wanted:
            parts += [text[at : finding.start], finding.wanted or ""]
            at = finding.end
        text = "".join((*parts, text[at:]))
        count += len(wanted)
    return source, 0
