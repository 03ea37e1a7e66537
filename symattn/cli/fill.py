"""``symattn fill``: numbers of problems into the marked places of a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from symattn.errors import SpecError, SymattnError, Where


@click.command()
@click.argument("page")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit code 1 if a place is not current.")
def fill(page: str, only_check: bool) -> int:
    """Fill PAGE between <!-- symattn: FILE weights --> and <!-- /symattn -->, in LaTeX between such comments.

    FILE is a problem file, named from the page's folder; what follows is what solve --only takes.
    """
    from symattn.cli.check import read
    from symattn.export.files import rewrite
    from symattn.export.fill import filled
    from symattn.render.words import words

    path = Path(page)
    kind = {".md": "md", ".markdown": "md", ".qmd": "md", ".tex": "tex", ".ltx": "tex"}.get(path.suffix.lower())
    if kind is None:
        raise SpecError("only Markdown and LaTeX can be filled", mend="name it .md or .tex", where=Where(file=page))
    text = read(page)
    try:
        found, changed = filled(text, kind, _content(path.parent, kind))
    except SymattnError as error:
        raise error.located(file=page) from None
    table = words()["check"]["fill"]
    for place in changed:
        told = table["stale"] if only_check else table["filled"]
        click.echo(f"{page}:{place.line}: {told.format(place.wanted, place.file)}", err=True)
    if changed and not only_check:
        rewrite(path, found.encode())
    return int(bool(changed) and only_check)


def _content(folder: Path, kind: str) -> Callable[[str, str], str]:
    """What belongs in a place; a problem is worked once."""
    from symattn.derive.sections import Worked, worked
    from symattn.parse import problem as parse
    from symattn.render.only import only
    from symattn.render.page import Wish

    solved: dict[str, Worked] = {}

    def content(file: str, wanted: str) -> str:
        if file not in solved:
            solved[file] = worked(parse.read(folder / file))
        return only(solved[file], wanted, Wish(format=kind, fragment=True))

    return content
