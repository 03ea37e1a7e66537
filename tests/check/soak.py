"""Spoiled pages at length: ``python -m tests.check.soak [--pages 2000] [--fills 2000] [--seed 1]``.

Pages of the gallery and of the corpus, mutated one to four times, with their declaration, without it, or against the
problem of another page. Whatever stands there, a check says so or raises an error of symattn's own, in time; its report
can be written in every form; rewriting changes numbers that were called wrong and nothing else, and leaves none that it
would rewrite again. ``--only N`` runs one case again.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from random import Random
from types import FrameType

from symattn.check.fix import REWRITTEN, fixed
from symattn.check.page import Twin, check
from symattn.check.propose import proposal
from symattn.check.report import Finding, Report, plain
from symattn.cli.twins import twin
from symattn.derive.sections import worked
from symattn.errors import SymattnError
from symattn.export.fill import filled
from symattn.parse import problem as parse
from symattn.problem import Problem
from symattn.render import report as shown
from symattn.render.only import only
from symattn.render.page import Wish
from tests.check.corpus import NOTATIONS, RECORDS
from tests.check.corpus import page as corpus_page
from tests.check.corpus import problem as corpus_problem
from tests.check.faults import DECLARED, GALLERY
from tests.check.mutations import MUTATIONS, as_comments, as_notebook

SECONDS = 30
"""For one check of one page; a page of the gallery takes one twentieth of a second."""
_SKELETON = re.compile(r"(?:[-−–+\s]|&minus;)*\.?\d+(?:(?:\.|\{,\})\d+)?")


@dataclass(frozen=True)
class Source:
    """A page to be spoiled, and the problem that it is of."""

    file: str
    text: str
    problem: Problem | None = None


@cache
def sources() -> tuple[Source, ...]:
    """Pages of every kind of file."""
    found = [
        Source(path.name, path.read_text()) for path in sorted(GALLERY.glob("*.md")) + sorted(GALLERY.glob("*.tex"))
    ]
    for source in list(found):
        if source.file.endswith(".md"):
            stem = source.file[:-3]
            found.append(Source(f"{stem}.ipynb", as_notebook(source.text)))
            found.append(Source(f"{stem}.py", as_comments(source.text)))
            found.append(Source(f"{stem}.txt", source.text))
            found.append(Source(f"{stem}.html", as_html(source.text)))
    for name, record in RECORDS.items():
        data = corpus_problem(record)
        asked = parse.problem(data) if data is not None else None
        for notation in NOTATIONS:
            file, text, _ = corpus_page(record, notation)
            found.append(Source(f"{name}-{file}", text, asked))
            if notation == "table":
                found.append(Source(f"{name}.ipynb", as_notebook(text), asked))
                found.append(Source(f"{name}.py", as_comments(text), asked))
    return tuple(found)


def as_html(text: str) -> str:
    """Markdown as a page of a site: tables as tables, the rest as paragraphs with their mathematics as it is."""
    out = ["<!DOCTYPE html>\n<html><body>\n"]
    for part in text.split("\n\n"):
        if part.startswith("<!--"):
            out.append(part)
        elif part.startswith("|"):
            rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in part.split("\n") if not line.startswith("|-")]
            cells = ("".join(f"<td>{escape(cell.strip())}</td>" for cell in row) for row in rows)
            out.append("<table>" + "\n".join(f"<tr>{row}</tr>" for row in cells) + "</table>")
        else:
            out.append(f"<p>{escape(part, quote=False)}</p>")
        out.append("\n\n")
    return "".join((*out, "</body></html>\n"))


@dataclass(frozen=True)
class Case:
    """A spoiled page: what was done to it, and how it is checked."""

    file: str
    text: str
    done: tuple[str, ...]
    way: str
    problem: Problem | None = None


def case(number: int, seed: int) -> Case:
    """The case of a number; the same at every time."""
    random = Random(f"{seed} {number}")
    source = random.choice(sources())
    text, done = source.text, []
    way = random.choice(("declared", "declared", "undeclared", "problem"))
    if way == "undeclared":
        text = DECLARED.sub("", text)
    if random.random() < 0.1:
        other = random.choice(sources())
        text, done = text + random.choice(("", "\n", "\n\n")) + other.text, [f"joined with {other.file}"]
    for _ in range(random.choice((1, 1, 2, 4))):
        mutation = random.choice(MUTATIONS)
        text = mutation(text, random)
        done.append(mutation.__name__)
    asked = None
    if way == "problem":
        asked = source.problem or random.choice([one.problem for one in sources() if one.problem is not None])
    return Case(source.file, text, tuple(done), way, asked)


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raises TimeoutError where something takes longer, by the clock of the process."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


_MADE: dict[tuple[str, str], str | None] = {}


def kept(file: str) -> Twin:
    """Twins, each made once for what is declared."""

    def anew(declared: Problem | str, text: str) -> str | None:
        key = (file, repr(declared))
        if key not in _MADE:
            if len(_MADE) > 300:
                _MADE.clear()
            _MADE[key] = twin(file)(declared, text)
        return _MADE[key]

    return anew


def judged(one: Case) -> Callable[[str], Report]:
    beside = kept(one.file)
    return lambda text: check(one.file, text, one.problem, twin=beside)


def examined(one: Case) -> str:
    """What a check made of a case, in a word.

    Raises:
        AssertionError: A law does not hold.
        Exception: A fault of symattn.
    """
    judge = judged(one)
    with within(SECONDS):
        try:
            report = judge(one.text)
        except SymattnError:
            return "refused"
    is_true_to(report, one.text)
    can_be_written(report, one.text)
    with within(4 * SECONDS):
        text, _ = fixed(one.text, judge)
        again = judge(text)
    if text == one.text and any(may_be_rewritten(report)):
        return "left alone"
    assert not any(may_be_rewritten(again)), f"not clean at the second check: {list(may_be_rewritten(again))[:2]}"
    assert _SKELETON.sub("#", text) == _SKELETON.sub("#", one.text), "more than numbers changed"
    if not any(finding.verdict in REWRITTEN for finding in report.findings):
        assert text == one.text, "a clean page was rewritten"
        return "clean"
    left = sum(finding.is_erratum for finding in again.findings)
    return "put right" if not left else "put right but for what nothing can stand for"


def is_true_to(report: Report, text: str) -> None:
    """A report's places are those of its numbers."""
    lines = text.split("\n")
    before = 0
    for finding in report.findings:
        assert finding.start >= before, ("two findings share a place", finding)
        assert text[finding.start : finding.end] == finding.printed, ("another number stands there", finding)
        at = finding.column - 1
        assert lines[finding.line - 1][at:].startswith(finding.printed.split("\n")[0]), ("it stands elsewhere", finding)
        before = finding.end
    for number in report.unread:
        assert lines[number.line - 1][number.column - 1 :].startswith(number.printed.split("\n")[0]), number


def may_be_rewritten(report: Report) -> Iterator[Finding]:
    for finding in report.findings:
        if finding.verdict in REWRITTEN and finding.wanted not in (None, finding.printed):
            yield finding


def can_be_written(report: Report, text: str) -> None:
    """Every form of a report can be made and saved."""
    data = [plain(report)]
    whole = shown.text(data[0], text.split("\n"), everything=True)
    whole += json.dumps(shown.joined(data), ensure_ascii=False) + shown.github(data) + shown.sarif(data, "0")
    for proposed in report.proposed:
        whole += proposal(proposed, report.missing)
    whole.encode()


FILLED = """# A page

The weights of the last row: <!-- symattn: napkin weights[2] --><!-- /symattn -->, and the output is
<!-- symattn: heads output -->
1 and 2
<!-- /symattn -->
Between them <!-- symattn: napkin output[2][0] -->1.503<!-- /symattn --> and
<!-- symattn: heads weights -->0.5<!-- /symattn -->.
"""
FILLED_TEX = re.sub(r"<!-- (.*?) -->", r"% \1\n", FILLED)


@cache
def _content(kind: str) -> Callable[[str, str], str]:
    from symattn.errors import SpecError

    folder = Path(__file__).parents[2] / "examples"
    solved = {name: worked(parse.read(folder / f"{name}.toml")) for name in ("napkin", "heads")}

    @cache
    def content(file: str, wanted: str) -> str:
        if file not in solved:
            raise SpecError("no such file")
        return only(solved[file], wanted, Wish(format=kind, fragment=True))

    return content


def fill_case(number: int, seed: int) -> tuple[str, str]:
    random = Random(f"fill {seed} {number}")
    kind = random.choice(("md", "tex"))
    text = FILLED if kind == "md" else FILLED_TEX
    for _ in range(random.choice((1, 1, 2, 4))):
        text = random.choice(MUTATIONS)(text, random)
    return text, kind


def fill_examined(text: str, kind: str) -> str:
    """A page filled: what stands outside of its places stays, and filling it again changes nothing."""
    with within(SECONDS):
        try:
            found, changed = filled(text, kind, _content(kind))
        except SymattnError:
            return "refused"
        again, more = filled(found, kind, _content(kind))
    assert not changed or found != text
    assert again == found, "filled otherwise the second time"
    assert not more, "not current after it was filled"
    outside = _outside(text, kind)
    assert outside == _outside(found, kind), "something else was changed"
    return "filled" if changed else "current"


def _outside(text: str, kind: str) -> list[str]:
    from symattn.export.fill import places

    at, parts = 0, []
    for place in places(text, kind):
        parts.append(text[at : place.start])
        at = place.end
    return [*parts, text[at:]]


def main() -> int:
    options = argparse.ArgumentParser(description="Spoiled pages at length.")
    options.add_argument("--pages", type=int, default=2000)
    options.add_argument("--fills", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--start", type=int, default=0)
    options.add_argument("--only", type=int)
    chosen = options.parse_args()
    numbers = range(chosen.start, chosen.start + chosen.pages) if chosen.only is None else [chosen.only]
    counts: Counter[str] = Counter()
    failed = 0
    slowest = (0.0, -1)
    for number in numbers:
        one = case(number, chosen.seed)
        before = time.process_time()
        try:
            word = examined(one)
        except Exception:
            failed += 1
            word = "FAILED"
            last = traceback.format_exc(limit=-12)
            print(f"case {number}: {one.file} {one.way} {', '.join(one.done)}\n{last}", flush=True)
        taken = (time.process_time() - before) / (len(one.text) + 5000)
        slowest = max(slowest, (taken, number))
        counts[word] += 1
    print(f"{len(numbers)} pages: {dict(counts)}; slowest: {slowest[0] * 1e6:.0f} us a character in case {slowest[1]}")
    if chosen.only is None:
        counts = Counter()
        for number in range(chosen.start, chosen.start + chosen.fills):
            try:
                counts[fill_examined(*fill_case(number, chosen.seed))] += 1
            except Exception:
                failed += 1
                print(f"fill {number}:\n{traceback.format_exc(limit=-12)}", flush=True)
        print(f"{chosen.fills} pages to fill: {dict(counts)}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
