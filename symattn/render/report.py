"""A check's report put into words: text for people, annotations, and SARIF.

The report comes as plain data, so that what judges does not see how it is shown.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from symattn.render.words import words

Data = Mapping[str, Any]
ERRATA: Final = ("last_digit", "wrong")
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def told(report: Data) -> dict[str, Any]:
    """The report with the sentences of its reasons."""
    findings = [{**finding, "because": sentence(finding)} for finding in report["findings"]]
    return {**report, "findings": findings}


def _is_plain(finding: Data) -> bool:
    """Whether there is nothing to say of a number."""
    return finding["verdict"] == "correct" and finding["because"] is None


def sentence(finding: Data) -> str | None:
    """Why a number has its verdict, in a sentence; None where there is nothing to say."""
    because = finding["because"]
    if because is None:
        return None
    table = words()["check"]["because"]
    parts = [str(part) for part in because["parts"]]
    if because["key"] == "mistake":
        return str(table["mistake"]).format(words()["mistake"][parts[0]])
    template = str(table[because["key"]])
    return template.format(", ".join(parts)) if "{}" in template else template


def joined(reports: Sequence[Data]) -> dict[str, Any]:
    """Several pages' reports as one: the shape of ``--format json``."""
    whole = [told(report) for report in reports]
    summary: dict[str, int] = {}
    for report in whole:
        for name, count in report["summary"].items():
            summary[name] = summary.get(name, 0) + count
    return {
        "findings": [finding for report in whole for finding in report["findings"]],
        "unread": [number for report in whole for number in report["unread"]],
        "given": [{"file": report["file"], **given} for report in whole for given in report["given"]],
        "missing": [{"file": report["file"], "name": name} for report in whole for name in report["missing"]],
        "stale": [{"file": report["file"], "entry": entry} for report in whole for entry in report["stale"]],
        "summary": summary,
    }


def text(report: Data, lines: Sequence[str], *, everything: bool = False) -> str:
    """For people: what was taken as given, each number that is not correct with its line, and the counts.

    Args:
        report: One page's report.
        lines: The page's lines.
        everything: Show correct and unread numbers too.
    """
    out = list(_given(report))
    for finding in told(report)["findings"]:
        if everything or not _is_plain(finding):
            out += _shown(finding, lines)
    if everything:
        table = words()["check"]
        out += [
            f"{report['file']}:{number['line']}:{number['column']}: {table['unread'].format(number['printed'])}"
            for number in report["unread"]
        ]
    out += [f"{report['file']}: {words()['check']['stale'].format(entry)}" for entry in report["stale"]]
    out.append(f"{report['file']}: {_counts(report['summary'])}")
    return "\n".join(out) + "\n"


def _given(report: Data) -> Iterator[str]:
    table = words()["check"]
    if report["missing"]:
        yield f"{report['file']}: {table['missing'].format(', '.join(report['missing']))}"
    elif not report["given"]:
        yield f"{report['file']}: {table['nothing']}"
    if report["given"]:
        names = [_taken(given) for given in report["given"]]
        yield f"{report['file']}: {table['given'].format(', '.join(names))}"


def _taken(given: Data) -> str:
    table = words()["check"]["taken"]
    name = table.get(given["name"], given["name"])
    return f"{name} ({words()['check']['line'].format(given['line'])})" if given["line"] else str(name)


def _shown(finding: Data, lines: Sequence[str]) -> list[str]:
    """A finding: where, what, the line, and a caret under the number."""
    table = words()["check"]
    verdict = table["verdict"][finding["verdict"]]
    head = f"{finding['file']}:{finding['line']}:{finding['column']}: {finding['printed']} {verdict}"
    where = place(finding)
    facts = f"{where}: {finding['value']}" if finding["value"] else where
    if finding["exact"] and len(finding["exact"]) <= 80 and finding["exact"] != finding["value"]:
        facts += f" = {finding['exact']}"
    if finding["because"]:
        facts += f"; {finding['because']}"
    if finding["accepted"]:
        facts += f"; {table['accepted'].format(finding['accepted'])}"
    line = lines[finding["line"] - 1] if finding["line"] <= len(lines) else ""
    return [head, *_caret(line, finding["column"], len(finding["printed"])), f"    {facts}"]


_WIDTH: Final = 100


def _caret(line: str, column: int, length: int) -> list[str]:
    """The part of the line around a number, and a caret below it, by the columns of a terminal."""
    start = max(0, min(column - 1 - _WIDTH // 2, len(line) - _WIDTH))
    shown = "".join(" " if unicodedata.category(one) == "Cc" else one for one in line[start : start + _WIDTH])
    before, number = shown[: column - 1 - start], shown[column - 1 - start :][: min(length, _WIDTH)]
    return [f"    {shown}", "    " + " " * _columns(before) + "^" * max(1, _columns(number))]


def _columns(text: str) -> int:
    """The columns that a text takes on a terminal: two for a wide character, none for one that joins the one before."""
    return sum(0 if unicodedata.category(one) in ("Mn", "Me", "Cf") else 2 if _is_wide(one) else 1 for one in text)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F")


def place(finding: Data) -> str:
    """What a number is: its quantity, head, row and column, counted from 1 as pages do."""
    table = words()["check"]
    name = str(table["quantity"].get(finding["quantity"], finding["quantity"]))
    parts = [name]
    if finding["head"] is not None:
        parts.append(table["head"].format(finding["head"] + 1))
    if finding["row"] is not None:
        parts.append(table["place"].format(finding["row"] + 1, finding["col"] + 1))
    return ", ".join(parts)


def _counts(summary: Mapping[str, int]) -> str:
    table = words()["check"]
    found = [table["count"].format(summary["numbers"])]
    found += [
        f"{count} {table['verdict'][name]}" for name, count in summary.items() if name in table["verdict"] and count
    ]
    found.append(table["unread_count"].format(summary["unread"]))
    return ", ".join(found)


def message(finding: Data) -> str:
    """One line on a finding, for annotations."""
    table = words()["check"]
    said = f"{finding['printed']} {table['verdict'][finding['verdict']]}: {place(finding)}"
    if finding["value"]:
        said += f" = {finding['value']}"
    return f"{said}; {finding['because']}" if finding["because"] else said


def _level(finding: Data, strict: Sequence[str]) -> str:
    if finding["accepted"]:
        return "notice"
    return (
        "error"
        if finding["verdict"] in (*ERRATA, *strict)
        else "warning"
        if finding["verdict"] in ("propagated", "correct")
        else "notice"
    )


def _told_findings(reports: Sequence[Data]) -> Iterator[Data]:
    for report in reports:
        yield from (finding for finding in told(report)["findings"] if not _is_plain(finding))


def github(reports: Sequence[Data], strict: Sequence[str] = ()) -> str:
    """Annotations for GitHub's actions, one a line."""
    out = []
    for finding in _told_findings(reports):
        place_of = f"file={_property(finding['file'])},line={finding['line']},col={finding['column']}"
        end = f",endColumn={finding['column'] + len(finding['printed'])}"
        title = f",title={_property('symattn: ' + words()['check']['verdict'][finding['verdict']])}"
        out.append(f"::{_level(finding, strict)} {place_of}{end}{title}::{_value(message(finding))}")
    for report in reports:
        stale = words()["check"]["stale"]
        out += [f"::error file={_property(report['file'])}::{_value(stale.format(entry))}" for entry in report["stale"]]
    return "".join(f"{line}\n" for line in out)


def _value(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _value(text).replace(":", "%3A").replace(",", "%2C")


_SARIF_LEVELS: Final = {"error": "error", "warning": "warning", "notice": "note"}


def sarif(reports: Sequence[Data], version: str, strict: Sequence[str] = ()) -> str:
    """SARIF 2.1.0."""
    rules = [
        {"id": name, "shortDescription": {"text": description}}
        for name, description in words()["check"]["meaning"].items()
    ]
    results = []
    for finding in _told_findings(reports):
        region = {
            "startLine": finding["line"],
            "startColumn": finding["column"],
            "endColumn": finding["column"] + len(finding["printed"]),
        }
        result: dict[str, Any] = {
            "ruleId": finding["verdict"],
            "level": _SARIF_LEVELS[_level(finding, strict)],
            "message": {"text": message(finding)},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(finding["file"])}, "region": region}}],
        }
        if finding["accepted"]:
            result["suppressions"] = [{"kind": "external", "justification": finding["accepted"]}]
        results.append(result)
    tool = {"driver": {"name": "symattn", "version": version, "rules": rules}}
    run = {"tool": tool, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path.replace("\\", "/"))
