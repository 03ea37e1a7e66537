"""``symattn mark``: a key and what a class handed in, grades and reports out."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import click


@click.command()
@click.argument("key", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("answers", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--roster",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The map of ids to codes: NAME-map.csv.",
)
@click.option(
    "--overrides",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV file of marks of your own: id, blank, points, note.",
)
@click.option(
    "--follow", default="1", metavar="SHARE", help="What a number earns that follows from earlier mistakes (1)."
)
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path), help="The folder to write to (default: the key's)."
)
def mark(key: Path, answers: Path, roster: Path | None, overrides: Path | None, follow: str, out: Path | None) -> None:
    """Mark ANSWERS (CSV, JSON, or the responses that Moodle downloads) by KEY, the JSON key of symattn exercises."""
    from symattn.exercises import key as keys
    from symattn.exercises import papers
    from symattn.exercises.classroom import marked_class, overridden, share
    from symattn.export.marks import number, written

    variants = keys.read(key)
    codes = {} if roster is None else papers.code_map(roster)
    found = marked_class(variants, papers.read(answers, variants, codes), share(follow))
    if overrides is not None:
        found = overridden(found, overrides)
    folder = out or key.parent
    name = key.name.removesuffix(".json").removesuffix("-key")
    for path in written(found, folder, name):
        click.echo(f"wrote {path}", err=True)
    earned, most = sum((paper.points for paper in found), Fraction(0)), sum(paper.most for paper in found)
    click.echo(f"{len(found)} papers, {number(earned)} of {most} points", err=True)
