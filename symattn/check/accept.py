"""Known deviations that a page may keep, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from symattn.check.report import Finding, Report
from symattn.errors import SpecError, Where

_TEXTS: Final = ("file", "printed", "quantity", "reason")
_COUNTS: Final = ("line", "head", "row", "col")


@dataclass(frozen=True, slots=True)
class Accepted:
    """One deviation: what is printed, where, and why it may stay; what is not named holds anywhere."""

    printed: str
    reason: str
    file: str | None = None
    quantity: str | None = None
    line: int | None = None
    head: int | None = None
    row: int | None = None
    col: int | None = None

    def is_of(self, finding: Finding) -> bool:
        """Whether a finding is this deviation."""
        if finding.verdict == "correct" or finding.printed != self.printed:
            return False
        if self.file is not None and not _same_file(finding.file, self.file):
            return False
        named = ((name, getattr(self, name)) for name in ("quantity", "line", "head", "row", "col"))
        return all(value is None or getattr(finding, name) == value for name, value in named)

    def __str__(self) -> str:
        named = ((name, getattr(self, name)) for name in ("file", "quantity", "line", "head", "row", "col"))
        parts = [f"{name} {value}" for name, value in named if value is not None]
        return ", ".join((self.printed, *parts))


def _same_file(left: str, right: str) -> bool:
    """Whether one path ends as the other does."""
    one, other = Path(left).parts, Path(right).parts
    shorter = min(len(one), len(other))
    return one[-shorter:] == other[-shorter:]


def accepted(data: Mapping[str, Any]) -> tuple[Accepted, ...]:
    """The deviations of a file: tables ``[[accept]]`` with ``printed`` and ``reason``, and where they hold.

    Raises:
        SpecError: Something is missing, unknown or of another kind.
    """
    unknown = [name for name in data if name != "accept"]
    if unknown:
        raise SpecError(f"{unknown[0]!r} is unknown here", mend="write tables [[accept]]", where=Where(unknown[0]))
    rows = data.get("accept", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SpecError("this is no list of tables", mend="write tables [[accept]]", where=Where("accept"))
    return tuple(_one(row, f"accept[{index}]") for index, row in enumerate(rows))


def _one(row: Mapping[str, Any], path: str) -> Accepted:
    for name, value in row.items():
        wanted = str if name in _TEXTS else int if name in _COUNTS else None
        if wanted is None:
            known = ", ".join((*_TEXTS, *_COUNTS))
            raise SpecError("this name is unknown", mend=f"name some of {known}", where=Where(f"{path}.{name}"))
        if not isinstance(value, wanted) or isinstance(value, bool):
            kind = "a text" if wanted is str else "an integer"
            raise SpecError(f"this must be {kind}", mend=f"write {name} as {kind}", where=Where(f"{path}.{name}"))
    for name in ("printed", "reason"):
        if not row.get(name):
            raise SpecError(f"{name} is missing", mend=f'say {name} = "..."', where=Where(path))
    return Accepted(**row)


def applied(reports: Sequence[Report], deviations: Sequence[Accepted]) -> list[Report]:
    """The reports with accepted findings marked; a deviation that occurs nowhere is told by the first report."""
    seen: set[Accepted] = set()
    made: list[Report] = []
    for report in reports:
        findings = []
        for finding in report.findings:
            match = next((one for one in deviations if one.is_of(finding)), None)
            if match is not None:
                seen.add(match)
                finding = replace(finding, accepted=match.reason)
            findings.append(finding)
        made.append(replace(report, findings=tuple(findings)))
    stale = tuple(str(one) for one in deviations if one not in seen)
    return [replace(made[0], stale=stale), *made[1:]] if made else made
