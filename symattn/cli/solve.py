"""``symattn solve``: a problem in, its pages out."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from symattn import __version__
from symattn.cli.flags import option_flags, overrides
from symattn.errors import SpecError, Where

if TYPE_CHECKING:
    from symattn.derive.sections import Worked
    from symattn.problem import Problem
    from symattn.render.page import Wish

_FORMATS: Final = ("md", "tex", "pdf", "json")
_OUTPUT: Final = Path("output")


@click.command()
@click.argument("source", metavar="[INPUT]", required=False)
@click.option("--out", metavar="DIR", help="The folder to write to (default: output); - for standard output.")
@click.option(
    "--format", "formats", metavar="LIST", help="Of md, tex, pdf, json, with commas between (default: md,tex)."
)
@click.option("--flavour", type=click.Choice(("plain", "github")), default="plain", help="The flavour of Markdown.")
@click.option("--detail", type=click.Choice(("brief", "full")), default="brief", help="How much is worked in full.")
@click.option("--worksheet", is_flag=True, help="Blanks where the answers are.")
@click.option("--key", is_flag=True, help="The answers alone.")
@click.option("--chapter", is_flag=True, help="A whole chapter around the worked problem.")
@click.option(
    "--only",
    metavar="ARRAY",
    help="One array, row or number, to standard output: weights, weights[tired], output[0][1].",
)
@click.option("--fragment", is_flag=True, help="LaTeX to \\input rather than a whole document.")
@click.option(
    "--pencil", is_flag=True, help="As a pencil worker prints it: rounded numbers are used further on, rows add to 1."
)
@click.option("--no-pictures", is_flag=True, help="No picture on the page, and no SVG file beside it.")
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of templates that come before ours.",
)
@option_flags
def solve(source: str | None, out: str | None, formats: str | None, **wishes: Any) -> None:
    """Work a problem: INPUT is a TOML or JSON file, - for standard input, or nothing for the built-in napkin."""
    from symattn.derive.sections import worked

    chosen = _formats(formats, out, wishes)
    to_screen = out == "-" or (out is None and bool(wishes["only"]))
    name, found = _problem(source, overrides(wishes))
    try:
        if wishes["chapter"]:
            from symattn.derive.chapter import completed

            found = completed(found)
        solved = worked(found)
        contents: dict[str, bytes] = {}
        for ending in chosen:
            contents |= _contents(name, ending, solved, _wish(wishes, ending, name, to_screen), wishes)
    except SpecError as error:
        about_flags = error.where.path.startswith("--") or error.where.file
        raise (error if about_flags or source in (None, "-") else error.located(file=source)) from None
    if to_screen:
        sys.stdout.buffer.write(next(iter(contents.values())))
        return
    folder = Path(out) if out else _OUTPUT
    from symattn.export.files import write

    for file, content in contents.items():
        path = folder / file
        write(path, content)
        click.echo(f"wrote {path}", err=True)


def _formats(formats: str | None, out: str | None, wishes: Mapping[str, Any]) -> tuple[str, ...]:
    default = "md" if out == "-" or wishes["only"] else "md,tex"
    chosen = tuple(dict.fromkeys(part.strip() for part in (default if formats is None else formats).split(",")))
    for name in chosen:
        if name not in _FORMATS:
            raise SpecError(
                f"{name!r} is no format", mend=f"name some of {', '.join(_FORMATS)}", where=Where("--format")
            )
    if (out == "-" or (out is None and wishes["only"])) and len(chosen) > 1:
        raise SpecError("standard output takes one format", mend="name one with --format", where=Where("--out"))
    whole = [name for name in ("worksheet", "key", "chapter") if wishes[name]]
    if len(whole) > 1:
        raise SpecError(
            f"a page is a {' or a '.join(whole)}, not both", mend="leave one away", where=Where(f"--{whole[0]}")
        )
    if "json" in chosen and wishes["worksheet"]:
        raise SpecError("JSON holds the answers", mend="ask for md, tex or pdf", where=Where("--worksheet"))
    if "pdf" in chosen and (wishes["only"] or wishes["fragment"]):
        raise SpecError("a PDF is a whole page", mend="ask for tex", where=Where("--format"))
    return chosen


def _problem(source: str | None, overrides: Mapping[str, Mapping[str, Any]]) -> tuple[str, Problem]:
    """The name of a problem, and the problem with these options set."""
    from symattn.parse import problem as parse
    from symattn.parse.starter import NAPKIN

    if source is None:
        return "napkin", parse.loads(NAPKIN, overrides=overrides)
    if source == "-":
        text = sys.stdin.read()
        return "problem", parse.loads(text, "json" if text.lstrip().startswith("{") else "toml", overrides)
    return Path(source).stem, parse.read(Path(source), overrides=overrides)


def _wish(wishes: Mapping[str, Any], ending: str, name: str, to_screen: bool) -> Wish:
    """Markdown on standard output has no pictures: there is no folder for their files."""
    from symattn.render.page import Wish

    detail = next((name for name in ("worksheet", "key", "chapter") if wishes[name]), wishes["detail"])
    slug = (
        "".join(character if character.isascii() and character.isalnum() else "-" for character in name) or "attention"
    )
    return Wish(
        format="tex" if ending == "pdf" else ending,
        flavour=wishes["flavour"],
        detail=detail,
        fragment=wishes["fragment"],
        slug=slug,
        overrides=wishes["templates"],
        pictures=not wishes["no_pictures"] and not (to_screen and ending == "md"),
        name=name,
    )


def _contents(name: str, ending: str, solved: Worked, wish: Wish, wishes: Mapping[str, Any]) -> dict[str, bytes]:
    """The bytes of the page's file, after those of its pictures."""
    file = f"{name}.{ending}"
    if wishes["only"]:
        from symattn.render.only import only

        return {file: only(solved, wishes["only"], wish).encode()}
    if ending == "json":
        from symattn.render.json_view import json_view

        return {file: (json.dumps(json_view(solved, __version__), ensure_ascii=False, indent=1) + "\n").encode()}
    from symattn.render.page import made

    page = made(solved, wish)
    if ending != "pdf":
        return {picture: svg.encode() for picture, svg in page.files.items()} | {file: page.text.encode()}
    from symattn.export.pdf import pdf

    return {file: pdf(page.text)}
