"""The command line: options in, exit code out.

Exit codes: 0 done, nothing wrong; 1 the thing checked is wrong; 2 the input or the call is unusable; 3 a needed program
is missing. What a command needs is imported when it runs, so that ``--help`` stays quick.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from symattn import __version__, problem
from symattn.errors import MissingProgramError, SpecError, SymattnError, Where

if TYPE_CHECKING:
    from symattn.derive.sections import Worked
    from symattn.render.page import Wish

Command = TypeVar("Command", bound=Callable[..., Any])

_FORMATS: Final = ("md", "tex", "pdf", "json")
_OUTPUT: Final = Path("output")
_TABLES: Final = {"attention": problem.Attention, "page": problem.Page}
_FLAGS: Final = {"choice": "", "integer": "INTEGER", "entry": "ENTRY", "window": "LEFT,RIGHT"}
"""The kinds of options that hold one value, with how it looks where there are no words for it."""
_INTEGER: Final = re.compile("-?[0-9]{1,9}")


class _Lines(click.Group):
    """A group whose errors are one line: what, where, how to mend it."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run, and turn errors into exit codes."""
        options["standalone_mode"] = False
        try:
            sys.exit(super().main(*arguments, **options) or 0)
        except MissingProgramError as error:
            _fail(error.message, 3)
        except SymattnError as error:
            _fail(error.message, 2)
        except click.ClickException as error:
            _fail(error.format_message(), 2)
        except click.Abort:
            _fail("stopped", 2)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(0)


def _fail(message: str, code: int) -> None:
    click.echo(f"symattn: {message}", err=True)
    sys.exit(code)


@click.group(cls=_Lines, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="symattn %(version)s")
def main() -> None:
    """Exact attention: worked pages in which every printed digit is proved."""


def _option_flags(command: Command) -> Command:
    """A flag for each row of the problem's options that holds one value."""
    for kind in reversed(_TABLES.values()):
        for row, option in reversed(list(problem.options(kind))):
            if option.kind not in _FLAGS:
                continue
            shape = "|".join(str(choice).lower() for choice in option.choices) or _FLAGS[option.kind]
            flag = f"--{row.name.replace('_', '-')}"
            command = click.option(flag, row.name, metavar=shape, help="As in the problem file.")(command)
    return command


@main.command()
@click.argument("source", metavar="[INPUT]", required=False)
@click.option("--out", metavar="DIR", help="The folder to write to (default: output); - for standard output.")
@click.option(
    "--format", "formats", metavar="LIST", help="Of md, tex, pdf, json, with commas between (default: md,tex)."
)
@click.option("--flavour", type=click.Choice(("plain", "github")), default="plain", help="The flavour of Markdown.")
@click.option("--detail", type=click.Choice(("brief", "full")), default="brief", help="How much is worked in full.")
@click.option("--worksheet", is_flag=True, help="Blanks where the answers are.")
@click.option("--key", is_flag=True, help="The answers alone.")
@click.option(
    "--only",
    metavar="ARRAY",
    help="One array, row or number, to standard output: weights, weights[tired], output[0][1].",
)
@click.option("--fragment", is_flag=True, help="LaTeX to \\input rather than a whole document.")
@click.option(
    "--pencil", is_flag=True, help="As a pencil worker prints it: rounded numbers are used further on, rows add to 1."
)
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of templates that come before ours.",
)
@_option_flags
def solve(source: str | None, out: str | None, formats: str | None, **wishes: Any) -> None:
    """Work a problem: INPUT is a TOML or JSON file, - for standard input, or nothing for the built-in napkin."""
    from symattn.derive.sections import worked

    chosen = _formats(formats, out, wishes)
    name, found = _problem(source, _overrides(wishes))
    try:
        solved = worked(found)
        contents = {ending: _content(ending, solved, _wish(wishes, ending, name), wishes) for ending in chosen}
    except SpecError as error:
        about_flags = error.where.path.startswith("--") or error.where.file
        raise (error if about_flags or source in (None, "-") else error.located(file=source)) from None
    if out == "-" or (out is None and wishes["only"]):
        sys.stdout.buffer.write(next(iter(contents.values())))
        return
    folder = Path(out) if out else _OUTPUT
    from symattn.export.files import write

    for ending, content in contents.items():
        path = folder / f"{name}.{ending}"
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
    if wishes["worksheet"] and wishes["key"]:
        raise SpecError("a page is a worksheet or a key, not both", mend="leave one away", where=Where("--worksheet"))
    if "json" in chosen and wishes["worksheet"]:
        raise SpecError("JSON holds the answers", mend="ask for md, tex or pdf", where=Where("--worksheet"))
    if "pdf" in chosen and (wishes["only"] or wishes["fragment"]):
        raise SpecError("a PDF is a whole page", mend="ask for tex", where=Where("--format"))
    return chosen


def _overrides(wishes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The options that were given as flags, by table."""
    found: dict[str, dict[str, Any]] = {}
    for table, kind in _TABLES.items():
        for row, option in problem.options(kind):
            text = wishes.get(row.name)
            if text is not None:
                found.setdefault(table, {})[row.name] = _flag_value(text, option)
    if wishes["pencil"]:
        found.setdefault("page", {}).update(rounding="carried", row_sums="one")
    return found


def _flag_value(text: str, option: problem.Option) -> Any:
    if option.kind == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if option.kind == "window":
        return [int(part) if _INTEGER.fullmatch(part) else part for part in text.split(",")]
    named = {str(choice).lower(): choice for choice in option.choices}
    return named.get(text, text)


def _problem(source: str | None, overrides: Mapping[str, Mapping[str, Any]]) -> tuple[str, problem.Problem]:
    """The name of a problem, and the problem with these options set."""
    from symattn.parse import problem as parse
    from symattn.parse.starter import NAPKIN

    if source is None:
        return "napkin", parse.loads(NAPKIN, overrides=overrides)
    if source == "-":
        text = sys.stdin.read()
        return "problem", parse.loads(text, "json" if text.lstrip().startswith("{") else "toml", overrides)
    return Path(source).stem, parse.read(Path(source), overrides=overrides)


def _wish(wishes: Mapping[str, Any], ending: str, name: str) -> Wish:
    from symattn.render.page import Wish

    detail = "worksheet" if wishes["worksheet"] else "key" if wishes["key"] else wishes["detail"]
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
    )


def _content(ending: str, solved: Worked, wish: Wish, wishes: Mapping[str, Any]) -> bytes:
    """One file's bytes."""
    if wishes["only"]:
        from symattn.render.only import only

        return only(solved, wishes["only"], wish).encode()
    if ending == "json":
        from symattn.render.json_view import json_view

        return (json.dumps(json_view(solved, __version__), ensure_ascii=False, indent=1) + "\n").encode()
    from symattn.render.page import page

    text = page(solved, wish)
    if ending != "pdf":
        return text.encode()
    from symattn.export.pdf import pdf

    return pdf(text)


@main.command()
def schema() -> None:
    """Print the JSON Schema of problem files, for editors."""
    from symattn.parse.schema import schema as schema_of
    from symattn.render.words import words

    click.echo(json.dumps(schema_of(words()["option"]), indent=2, ensure_ascii=False))


@main.command()
@click.argument("name")
def new(name: str) -> None:
    """Write a commented problem file NAME to start from."""
    from symattn.export.files import write
    from symattn.render.starter import starter

    path = Path(name)
    if not path.name or path.suffix not in ("", ".toml"):
        raise SpecError(f"{name!r} cannot name a problem file", mend="give a name, as in: symattn new mine")
    path = path.with_suffix(".toml")
    if path.exists():
        raise SpecError(f"{path} exists already", mend="choose another name, or remove it first")
    write(path, starter().encode())
    click.echo(f"wrote {path}; work it with: symattn solve {path}", err=True)
