"""Numbers moved on generated pages, one at a time: what a check makes of each.

``python -m tests.check.faults [PAGE...]`` moves every number of every page of the gallery by one unit and by seven,
with the declaration and without, and prints the counts.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from symattn.check.fix import fixed
from symattn.check.page import check
from symattn.check.report import Report
from symattn.cli.twins import twin

GALLERY = Path(__file__).parents[2] / "output" / "gallery"
NUMBER = re.compile(r"(?P<sign>[-−])?(?P<whole>\d+)(?:(?P<mark>\.|,|\{,\})(?P<decimals>\d+))?")
DECLARED = re.compile(r"^.*\{\"symattn\":\{.*$", re.MULTILINE)


class Page:
    """A generated page, with its twin made once."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_text()
        self._twin: str | None = None

    def check(self, text: str, *, declared: bool = True) -> Report:
        if not declared:
            return check(self.path.name, DECLARED.sub("", text))
        return check(self.path.name, text, twin=lambda problem, _: self.twin(problem))

    def twin(self, problem) -> str | None:
        if self._twin is None:
            self._twin = twin(self.path.name)(problem, self.text)
        return self._twin

    def numbers(self) -> list[re.Match[str]]:
        """Every number outside of the declaration."""
        hidden = [match.span() for match in DECLARED.finditer(self.text)]
        found = NUMBER.finditer(self.text)
        return [match for match in found if not any(start <= match.start() < end for start, end in hidden)]

    def moved(self, number: re.Match[str], units: int) -> str:
        """The page with one number moved by units of its last place."""
        return self.text[: number.start()] + moved(number, units) + self.text[number.end() :]


def moved(number: re.Match[str], units: int) -> str:
    decimals = number["decimals"] or ""
    value = int(number["whole"] + decimals) * (-1 if number["sign"] else 1) + units
    digits = str(abs(value)).rjust(len(decimals) + 1, "0")
    shown = digits[: -len(decimals)] + number["mark"] + digits[-len(decimals) :] if decimals else digits
    return f"-{shown}" if value < 0 else shown


def errata(report: Report) -> list[int]:
    return [finding.start for finding in report.findings if finding.is_erratum]


def is_repaired(page: Page, spoiled: str) -> bool:
    """Whether rewriting gives the good page back, byte by byte."""
    return fixed(spoiled, page.check)[0] == page.text


def outcomes(page: Page) -> Iterator[tuple[str, str]]:
    """For each move: with or without the declaration, and what was found."""
    for number in page.numbers():
        for units in (1, 7):
            spoiled = page.moved(number, units)
            found = errata(page.check(spoiled))
            yield f"declared, by {units}", "found at its place" if found == [number.start()] else "missed"
            yield f"declared, by {units}", "rewritten byte by byte" if is_repaired(page, spoiled) else "not rewritten"
            report = page.check(spoiled, declared=False)
            at = next((finding.verdict for finding in report.findings if finding.start == number.start()), "unread")
            yield f"not declared, by {units}", "found" if errata(report) else f"not found, {at}"


def main(names: list[str]) -> None:
    total: Counter[tuple[str, str]] = Counter()
    paths = [Path(name) for name in names] or sorted(GALLERY.glob("*.md")) + sorted(GALLERY.glob("*.tex"))
    for path in paths:
        counts = Counter(outcomes(Page(path)))
        total.update(counts)
        print(path.name, dict(counts))  # noqa: T201
    for (how, what), count in sorted(total.items()):
        print(f"{how}: {what}: {count}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
