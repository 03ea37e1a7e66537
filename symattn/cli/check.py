"""``symattn check``: pages in, what is wrong on them out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from symattn import __version__
from symattn.errors import SpecError, SymattnError, Where

if TYPE_CHECKING:
    from collections.abc import Callable

    from symattn.check.report import Report
    from symattn.problem import Problem

_FORMATS: Final = ("text", "json", "github", "sarif")
LARGEST_PAGE: Final = 32_000_000


@click.command()
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@click.option(
    "--problem",
    "problem_file",
    metavar="FILE",
    help="The problem that the numbers belong to; [page] in it declares the policy.",
)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", help="How the report is written.")
@click.option("--fix", is_flag=True, help="Rewrite what is wrong, and what was made from it.")
@click.option("--accept", "accept_file", metavar="FILE", help="Known deviations, each with its reason.")
@click.option(
    "--propose", "propose_file", metavar="FILE", help="Write the problem that the page says as a problem file."
)
@click.option("--strict", is_flag=True, help="Count carried and cut off numbers as wrong too.")
@click.option("--all", "everything", is_flag=True, help="Show correct and unread numbers too.")
def check(
    pages: tuple[str, ...],
    problem_file: str | None,
    form: str,
    fix: bool,
    accept_file: str | None,
    propose_file: str | None,
    strict: bool,
    everything: bool,
) -> int:
    """Check printed pages: each PAGE is Markdown, LaTeX, HTML, a notebook, a program or plain text.

    With - for standard input. Exit code 1 if a number is wrong.
    """
    from symattn.check.report import STRICT, plain

    if fix and "-" in pages:
        raise SpecError("standard input cannot be rewritten", mend="name a file", where=Where("--fix"))
    problem, declares = _problem(problem_file)
    accepting = _accepting(accept_file)
    reports: list[Report] = []
    texts: list[str] = []
    failed: list[SymattnError] = []
    for page in pages:
        try:
            judge = _judge(page, problem, declares, problem_file)
            text = read(page)
            if fix:
                text = _fixed(page, text, lambda text, judge=judge: accepting([judge(text)])[0])  # type: ignore[misc]
            reports.append(judge(text))
        except SymattnError as error:
            if len(pages) == 1:
                raise
            failed.append(error)
            continue
        texts.append(text)
    reports = accepting(reports)
    if propose_file is not None:
        _propose(reports, Path(propose_file))
    data = [plain(report) for report in reports]
    if reports:
        click.echo(_shown(data, texts, form, STRICT if strict else (), everything=everything), nl=False)
    for failure in failed:
        click.echo(f"symattn: {failure.message}", err=True)
    return 2 if failed else int(any(report.is_wrong(strict=strict) for report in reports))


def _shown(
    data: list[dict[str, Any]], texts: list[str], form: str, strict: tuple[str, ...], *, everything: bool
) -> str:
    from symattn.render import report as render

    match form:
        case "json":
            return json.dumps(render.joined(data), ensure_ascii=False, indent=1) + "\n"
        case "github":
            return render.github(data, strict)
        case "sarif":
            return render.sarif(data, __version__, strict)
    shown = (
        render.text(report, text.split("\n"), everything=everything) for report, text in zip(data, texts, strict=True)
    )
    return "".join(shown)


def _problem(name: str | None) -> tuple[Problem | None, bool]:
    """The problem of a file, and whether it declares the pages' policy: whether it has a table [page]."""
    if name is None:
        return None, False
    from symattn.parse import document
    from symattn.parse import problem as parse

    path = Path(name)
    found = parse.read(path)
    return found, "page" in document.data(document.text(path), document.format_of(path))


def read(page: str) -> str:
    """A page's text, with its ends of lines as they are.

    Raises:
        SpecError: It cannot be read, is too large or is no text.
    """
    try:
        raw = sys.stdin.buffer.read(LARGEST_PAGE + 1) if page == "-" else Path(page).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SpecError(
            f"the page cannot be read: {reason}", mend="check its name and place", where=Where(file=page)
        ) from None
    except ValueError:
        raise SpecError(
            "the page cannot be read: no such name", mend="check its name and place", where=Where(file=repr(page))
        ) from None
    if len(raw) > LARGEST_PAGE:
        raise SpecError(
            "the page is too large", mend=f"at most {LARGEST_PAGE // 10**6} MB can be checked", where=Where(file=page)
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SpecError(
            "the page is not UTF-8 text", mend="save it as UTF-8", where=Where(file=page, line=line)
        ) from None


def _judge(page: str, problem: Problem | None, declares: bool, name: str | None) -> Callable[[str], Report]:
    """What checks this page's text."""
    from symattn.check.page import check as checked
    from symattn.cli.twins import titled, twin

    def judged(text: str) -> Report:
        try:
            return checked(page, text, problem, declares=declares, name=name or "", twin=twin(page), titled=titled)
        except SymattnError as error:
            raise error.located(file=page) from None

    return judged


def _fixed(page: str, text: str, judge: Callable[[str], Report]) -> str:
    """The page put right, and written where it stood."""
    from symattn.check.fix import fixed
    from symattn.export.files import rewrite
    from symattn.render.words import words

    found, count = fixed(text, judge)
    if found != text:
        rewrite(Path(page), found.encode())
        click.echo(words()["check"]["fixed"].format(page, count), err=True)
    return found


def _accepting(name: str | None) -> Callable[[list[Report]], list[Report]]:
    """What marks the deviations that a file accepts."""
    if name is None:
        return lambda reports: reports
    from symattn.check.accept import accepted, applied
    from symattn.parse import document

    try:
        deviations = accepted(document.data(document.text(Path(name)), "toml"))
    except SymattnError as error:
        raise error.located(file=name) from None
    return lambda reports: applied(reports, deviations)


def _propose(reports: list[Report], path: Path) -> None:
    """The problems that the pages say: the first under this name, further ones with a number before the ending."""
    from symattn.check.propose import proposal
    from symattn.export.files import write

    found = [(data, report.missing) for report in reports for data in report.proposed]
    if not found:
        raise SpecError("the pages say nothing that a problem could be made of", where=Where("--propose"))
    for index, (data, missing) in enumerate(found):
        target = path if index == 0 else path.with_name(f"{path.stem}-{index + 1}{path.suffix}")
        write(target, proposal(data, missing).encode())
        click.echo(f"wrote {target}", err=True)
