"""``symattn exercises``: a recipe in, fair variants with their keys out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from symattn import __version__
from symattn.errors import SpecError, Where

if TYPE_CHECKING:
    from symattn.export.run import Outcome
    from symattn.export.workers import Pool

_OUTPUT: Final = Path("output")
_MOST: Final = 1_000_000


@click.command()
@click.argument("recipe", metavar="[RECIPE]", required=False)
@click.option("--list", "listed", is_flag=True, help="List the recipes that come with symattn.")
@click.option("--count", type=click.IntRange(1, _MOST), default=None, help="How many variants (default: 10).")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=1, help="Which variants: the same seed, the same ones."
)
@click.option(
    "--format",
    "formats",
    metavar="LIST",
    default="md,json",
    help="Of md, tex, pdf, json, csv, moodle, ipynb, pretext, stack, qti21, qti12; or all.",
)
@click.option(
    "--flavour",
    type=click.Choice(("plain", "github", "myst", "quarto")),
    default="plain",
    help="The flavour of Markdown; MyST and Quarto link exercises and solutions.",
)
@click.option(
    "--pick",
    type=click.IntRange(1, 1000),
    default=1,
    help="How many of a group's questions Canvas and QTI pick for each student.",
)
@click.option("--pictures", is_flag=True, help="Show pictures in the worked solutions of Moodle and STACK.")
@click.option("--nbgrader", is_flag=True, help="Give notebooks the metadata of nbgrader.")
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path), help="The folder to write to (default: output/RECIPE)."
)
@click.option(
    "--roster",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV file with a column id: each student gets a variant, in a file of that name.",
)
@click.option("--apart", is_flag=True, help="Each variant in a file of its own, called by its code.")
@click.option("--audit", type=click.IntRange(1, 100_000), metavar="N", help="Look at N variants, and write nothing.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, help="Processes to work with.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler to work with.")
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Templates that come before ours.",
)
def exercises(recipe: str | None, listed: bool, **wishes: Any) -> None:
    """Make fair variants of RECIPE, a TOML file or the name of a recipe that comes with symattn."""
    from symattn.exercises.shipped import shipped, source

    if listed:
        for name, about in shipped():
            click.echo(f"{name:<22} {about}")
        return
    if recipe is None:
        raise SpecError("no recipe is named", mend="name a TOML file, or one of: symattn exercises --list")
    name, text = source(recipe)
    if wishes["audit"]:
        _audited(name, text, wishes)
    else:
        _made(name, text, wishes)


def _audited(name: str, text: str, wishes: dict[str, Any]) -> None:
    from symattn.exercises.audit import audit, lines
    from symattn.exercises.offer import Run

    for line in lines(audit(Run(text, name, wishes["seed"], __version__), wishes["audit"]), wishes["audit"]):
        click.echo(line)


def _made(name: str, text: str, wishes: dict[str, Any]) -> None:
    from symattn.exercises.offer import Run, judge
    from symattn.export import run as runs
    from symattn.export.workers import cluster, processes

    templates: Path | None = wishes["templates"]
    overrides = templates.resolve() if templates else None
    chosen = {name: wishes[name] for name in ("flavour", "nbgrader", "pick", "pictures")}
    run = Run(text, name, wishes["seed"], __version__, overrides, **chosen)
    judge(text, name)
    students = _students(wishes["roster"])
    count = len(students) if students else wishes["count"] or 10
    if students and wishes["count"]:
        raise SpecError("the roster says how many", mend="leave --count out", where=Where("--count"))
    folder: Path = wishes["out"] or _OUTPUT / name
    pool: Pool | None = processes if wishes["jobs"] > 1 else None
    jobs, leave = wishes["jobs"], None
    if wishes["scheduler"]:
        pool, jobs, leave = cluster(wishes["scheduler"])
    try:
        with _progress(count) as told:
            outcome = runs.exercises(
                runs.Task(run, _formats(wishes["formats"])),
                count,
                folder,
                students=students,
                apart=wishes["apart"],
                pool=pool,
                jobs=jobs,
                told=told,
            )
    finally:
        if leave is not None:
            leave()
    _report(outcome, count, folder)


def _formats(text: str) -> tuple[str, ...]:
    from symattn.export.formats import FOLDERS

    chosen = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    if chosen == ("all",):
        return tuple(FOLDERS)
    for name in chosen:
        if name not in FOLDERS:
            raise SpecError(
                f"{name!r} is no format", mend=f"name some of {', '.join(FOLDERS)}", where=Where("--format")
            )
    return chosen


def _students(roster: Path | None) -> tuple[str, ...]:
    if roster is None:
        return ()
    from symattn.exercises.roster import students

    return students(roster)


@contextmanager
def _progress(count: int) -> Iterator[Callable[[int, int], None]]:
    """A bar with rate and time left where a person looks on; nothing else where none does."""
    if not sys.stderr.isatty() or count < 20:
        yield lambda _served, _candidates: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("variants", total=count, rate="")

        def told(served: int, candidates: int) -> None:
            if candidates % 20 == 0 or served == count:
                speed = bar.tasks[0].speed
                bar.update(task, completed=served, rate=f"{speed:.0f} a second" if speed else "")

        yield told


def _report(outcome: Outcome, count: int, folder: Path) -> None:
    """What was made, and why candidates were refused, on standard error."""
    for path in outcome.files:
        click.echo(f"wrote {folder / path}", err=True)
    if outcome.sheets:
        click.echo(f"wrote {len(outcome.sheets)} files in {folder / 'students'}", err=True)
    refused = ", ".join(f"{why} {number}" for why, number in outcome.refused.most_common())
    click.echo(f"{outcome.served} variants of {outcome.candidates} candidates; refused: {refused or 'none'}", err=True)
    for format, told in outcome.accounts.items():
        for question, why in told.left_out:
            click.echo(f"{format}: {question} is left out: {why}", err=True)
        for note in told.notes:
            click.echo(f"{format}: {note}", err=True)
    for candidate, why in outcome.failed:
        click.echo(f"candidate {candidate} could not be judged: {why}", err=True)
    if outcome.served < count:
        worst = outcome.refused.most_common(1)[0][0] if outcome.refused else "nothing"
        if outcome.ended == "exhausted":
            what = f"the recipe gives {outcome.served} variants, not {count}"
        else:
            what = "the recipe can hardly be satisfied: 20,000 candidates in a row were refused"
        raise SpecError(f"{what}; most were refused for: {worst}", mend=_mend(worst))


def _mend(why: str) -> str:
    if why.startswith("mistake "):
        key = why.removeprefix("mistake ")
        return f'choose tables or options that show this mistake, or write allow = ["{key}"]'
    if why.startswith("same"):
        return "give more entries to draw from, or larger sizes"
    return f"loosen {why} under [limits], or choose other entries"
