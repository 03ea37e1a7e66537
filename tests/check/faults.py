"""Numbers moved on generated pages, one at a time: what a check makes of each.

``python -m tests.check.faults [--declared | --undeclared] [PAGE...]`` moves every number of every page of the gallery
by one unit and by seven, with the declaration and without, and prints the counts, and each number that was missed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symattn.check.counting import counts
from symattn.check.fix import fixed
from symattn.check.page import check
from symattn.check.reading.page import page_text
from symattn.check.reading.printed import printed
from symattn.check.reading.sources import kind_of, readable
from symattn.check.report import Report
from symattn.cli.twins import titled, twin
from symattn.parse.derived import Derived
from symattn.problem import Problem

GALLERY = Path(__file__).parents[2] / "output" / "gallery"
NUMBER = re.compile(r"(?P<sign>[-−])?(?P<whole>\d+)(?:(?P<mark>\.|,|\{,\})(?P<decimals>\d+))?")
DECLARED = re.compile(r"^.*\{\"symattn\":\{.*$", re.MULTILINE)
MADE_OF_NOTHING = ("text", "d_k", "sqrt_dk", "scale")
"""What stands on a worksheet, where nothing is worked."""
ADDED = re.compile(r"\b[Aa]dd \$?\d+")
FACTOR = re.compile(r"\bsame factor \$?\s*(?:e\s*\^\s*\{?\s*|\\exp\s*\(?\s*)$")
EXPLAINED = ("adjusted", "truncated", "carried", "correct")
UNITS = (1, 7)


class Page:
    """A generated page. Its twin is made once, and the same text is not checked twice."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_text()
        self._twins: dict[Derived | None, str | None] = {}
        self._last: dict[str, Report] = {}
        self._is_worked: bool | None = None

    def check(self, text: str, *, declared: bool = True) -> Report:
        if not declared:
            return check(self.path.name, DECLARED.sub("", text), twin=lambda made, _: self.twin(made), titled=titled)
        if text not in self._last:
            kept = {self.text: self._last[self.text]} if self.text in self._last else {}
            self._last = {**kept, text: check(self.path.name, text, twin=lambda problem, _: self.twin(problem))}
        return self._last[text]

    def twin(self, made_from: Problem | Derived) -> str | None:
        """Made from the page as it is, and once; a page declares one problem only."""
        key = made_from if isinstance(made_from, Derived) else None
        if key not in self._twins:
            self._twins[key] = twin(self.path.name)(made_from, self.text)
        return self._twins[key]

    def numbers(self) -> list[re.Match[str]]:
        """Every number outside of the declaration."""
        hidden = [match.span() for match in DECLARED.finditer(self.text)]
        found = NUMBER.finditer(self.text)
        return [match for match in found if not any(start <= match.start() < end for start, end in hidden)]

    def is_worked(self) -> bool:
        """Whether anything that is made from what is given stands on the page."""
        if self._is_worked is None:
            found = self.check(self.text, declared=False).findings
            self._is_worked = any(one.quantity not in MADE_OF_NOTHING for one in found)
        return self._is_worked

    def content(self) -> str:
        """The text as it is read: white where nothing is said, such as where a picture is drawn."""
        return readable(self.text, kind_of(self.path.name, self.text))

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


@dataclass(frozen=True)
class Outcome:
    """What a check made of one number that was moved."""

    number: re.Match[str]
    units: int
    what: str
    is_good: bool


def with_declaration(page: Page, number: re.Match[str], units: int) -> Outcome:
    """A moved number of a declared page: found, there and nowhere else, and put right."""
    spoiled = page.moved(number, units)
    at = errata(page.check(spoiled))
    if at != [number.start()]:
        return Outcome(number, units, "missed" if not at else "found, and others accused", False)
    repaired = is_repaired(page, spoiled)
    return Outcome(number, units, "found, put right" if repaired else "found, not put right", repaired)


def without_declaration(page: Page, number: re.Match[str], units: int, content: str) -> Outcome:
    """A moved number of a page that says nothing of how it was made."""
    if not content[number.start() : number.end()].strip():
        return Outcome(number, units, "no content", True)
    spoiled = page.moved(number, units)
    report = page.check(spoiled, declared=False)
    if errata(report):
        return Outcome(number, units, "found", True)
    at = number.start()
    word = next((finding.verdict for finding in report.findings if finding.start in (at, at - 1)), None)
    if word is None:
        line, column = place(page, at)
        is_unread = any(one.line == line and one.column in (column, column - 1) for one in report.unread)
        word = "unread" if is_unread else "counts" if counted(page, spoiled, number) else "given"
    if (nothing := claims_nothing(page, number, word)) is not None:
        return Outcome(number, units, f"claims nothing, {nothing}", True)
    is_good = word == "counts" or (units == 1 and word in EXPLAINED)
    return Outcome(number, units, f"not found, {word}", is_good)


def claims_nothing(page: Page, number: re.Match[str], word: str) -> str | None:
    """Why a number can be another one without anything on the page being false; None where it cannot."""
    line = page.text[page.text.rfind("\n", 0, number.start()) + 1 : page.text.find("\n", number.end())]
    before = page.text[: number.start()]
    if word in ("given", "unread") and not page.is_worked():
        return "an input from which nothing on the page is made"
    if word == "unread" and FACTOR.search(before[-60:]) and not ADDED.search(page.text):
        return "an answer to a question that the page does not ask"
    if word == "correct" and "in proportion to" in before[-400:] and (line.startswith("|") or " & " in line):
        cells = [cell.strip(" $\\") for cell in re.split(r"[|&]", line.strip("| "))[1:]]
        if len(cells) > 1 and cells.count("0") == len(cells) - 1:
            return "the only share of its row: any number is in proportion"
    return None


def counted(page: Page, spoiled: str, number: re.Match[str]) -> bool:
    """Whether a number only counts steps or items, and claims nothing."""
    shown = printed(moved_text(spoiled, number), number.start())
    text = readable(spoiled, kind_of(page.path.name, spoiled))
    return shown is not None and counts(page_text(spoiled, text), shown)


def moved_text(spoiled: str, number: re.Match[str]) -> str:
    """What stands in a number's place."""
    found = NUMBER.match(spoiled, number.start())
    return found.group() if found is not None else ""


def outcomes(page: Page, *, declared: bool) -> Iterator[Outcome]:
    """What is made of every number of a page, moved by one and by seven."""
    content = page.content()
    for number in page.numbers():
        for units in UNITS:
            yield (
                with_declaration(page, number, units) if declared else without_declaration(page, number, units, content)
            )


def place(page: Page, at: int) -> tuple[int, int]:
    """Line and column, from 1."""
    return page.text.count("\n", 0, at) + 1, at - page.text.rfind("\n", 0, at)


def lines(paths: list[Path], ways: list[str]) -> Iterator[str]:
    """What there is to say of each page: the misses, then the counts; at the end the counts of all."""
    total: Counter[tuple[str, int, str]] = Counter()
    for path in paths:
        page = Page(path)
        for way in ways:
            declared = way == "declared"
            clean = page.check(page.text, declared=declared)
            found: Counter[tuple[str, int, str]] = Counter()
            for outcome in outcomes(page, declared=declared):
                found[way, outcome.units, outcome.what] += 1
                if not outcome.is_good:
                    at = ":".join(map(str, place(page, outcome.number.start())))
                    yield f"  {path.name}:{at}: {outcome.number.group()} by {outcome.units}: {outcome.what}"
            total.update(found)
            yield f"{path.name}, {way}: {len(errata(clean))} accused as it is; {_shown(found)}"
    yield f"all: {_shown(total)}"


def _shown(found: Counter[tuple[str, int, str]]) -> str:
    return ", ".join(f"{way} by {units} {what}: {count}" for (way, units, what), count in sorted(found.items()))


def main(arguments: list[str]) -> None:
    names = [argument for argument in arguments if not argument.startswith("--")]
    ways = [way for way in ("declared", "undeclared") if f"--{way}" in arguments] or ["declared", "undeclared"]
    paths = [Path(name) for name in names] or sorted(GALLERY.glob("*.md")) + sorted(GALLERY.glob("*.tex"))
    for line in lines(paths, ways):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
