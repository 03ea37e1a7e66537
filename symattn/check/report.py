"""What a check found, as frozen data. No sentence stands here: words are put to it where it is shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from symattn.check.verdicts import ERRATA

STRICT: Final = (*ERRATA, "carried", "truncated")
"""What counts as wrong with ``--strict``."""


@dataclass(frozen=True, slots=True)
class Because:
    """Why a number has its verdict: the words' key, and the printed numbers or names that fill it."""

    key: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One number that was judged.

    ``line`` and ``column`` count from 1, the column is that of the number's first character, its sign included;
    ``head``, ``row`` and ``col`` count from 0. ``exact`` is the closed form in SymPy syntax, ``value`` the certified
    value to more digits, ``wanted`` what should stand there in the page's own spelling.
    """

    file: str
    line: int
    column: int
    start: int
    end: int
    printed: str
    quantity: str
    head: int | None
    row: int | None
    col: int | None
    verdict: str
    exact: str | None = None
    value: str | None = None
    mistake: str | None = None
    because: Because | None = None
    wanted: str | None = None
    accepted: str | None = None

    @property
    def is_erratum(self) -> bool:
        """Whether it is wrong and not accepted."""
        return self.verdict in ERRATA and self.accepted is None


@dataclass(frozen=True, slots=True)
class Unread:
    """A number that matches nothing that is known; it is not called wrong."""

    line: int
    column: int
    printed: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken as given: its name and the line it was read from, 0 where no single line says it."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found on one page.

    ``missing`` names what the page does not say, where it says too little to be judged; ``proposed`` is the problem
    that it says, as data.
    """

    file: str
    findings: tuple[Finding, ...]
    unread: tuple[Unread, ...]
    given: tuple[Taken, ...]
    missing: tuple[str, ...] = ()
    proposed: tuple[Any, ...] = ()
    declared: bool = False
    stale: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """How many numbers have each verdict, and how many were not read."""
        found = Counter(finding.verdict for finding in self.findings)
        return {"numbers": len(self.findings), **dict(sorted(found.items())), "unread": len(self.unread)}

    def is_wrong(self, *, strict: bool = False) -> bool:
        """Whether there are errata; ``strict`` counts carried and cut off numbers too."""
        words = STRICT if strict else ERRATA
        return any(finding.verdict in words and finding.accepted is None for finding in self.findings)


def plain(report: Report) -> dict[str, Any]:
    """A report as data for JSON; ``because`` is a key with its parts, to which words are put where it is shown."""
    return {
        "file": report.file,
        "findings": [_finding(finding) for finding in report.findings],
        "unread": [
            {"file": report.file, "line": number.line, "column": number.column, "printed": number.printed}
            for number in report.unread
        ],
        "given": [{"name": taken.name, "line": taken.line or None} for taken in report.given],
        "missing": list(report.missing),
        "declared": report.declared,
        "stale": list(report.stale),
        "summary": report.counts(),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    because = finding.because
    return {
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "printed": finding.printed,
        "quantity": finding.quantity,
        "head": finding.head,
        "row": finding.row,
        "col": finding.col,
        "verdict": finding.verdict,
        "exact": finding.exact,
        "value": finding.value,
        "mistake": finding.mistake,
        "because": None if because is None else {"key": because.key, "parts": list(because.parts)},
        "wanted": finding.wanted,
        "accepted": finding.accepted,
    }
