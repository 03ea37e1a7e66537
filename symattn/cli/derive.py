"""``symattn derive``: general statements with their reasons, as pages."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from symattn import __version__
from symattn.errors import SpecError, SymattnError, Where

if TYPE_CHECKING:
    from symattn.problem import Problem

_FORMATS: Final = ("md", "tex", "pdf", "json")
_OUTPUT: Final = Path("output")


@click.command()
@click.argument("topic", required=False)
@click.argument("source", metavar="[INPUT]", required=False)
@click.option("--list", "listed", is_flag=True, help="The topics, one a line.")
@click.option(
    "--set", "numbers", multiple=True, metavar="LETTER=NUMBER", help="Put a number into the general statements: d_k=64."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Other numbers in the exercises.")
@click.option("--out", metavar="DIR", help="The folder to write to (default: output); - for standard output.")
@click.option(
    "--format", "formats", metavar="LIST", help="Of md, tex, pdf, json, with commas between (default: md,tex)."
)
@click.option("--flavour", type=click.Choice(("plain", "github")), default="plain", help="The flavour of Markdown.")
@click.option("--no-pictures", is_flag=True, help="No pictures on the page.")
@click.option("--fragment", is_flag=True, help="LaTeX to \\input rather than a whole document.")
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of templates that come before ours.",
)
def derive(
    topic: str | None, source: str | None, listed: bool, out: str | None, formats: str | None, **wishes: Any
) -> None:
    """Derive TOPIC line by line, and write it as a page; closed-form for the problem in INPUT, or for the napkin."""
    from symattn.derive.topics import OF_A_PROBLEM, TOPICS

    if listed:
        from symattn.render.words import words

        for name in TOPICS:
            click.echo(f"{name:<22}{words()['topic'][name]['summary']}")
        return
    if topic not in TOPICS:
        what = "no topic is named" if topic is None else f"{topic!r} is no topic"
        raise SpecError(what, mend="symattn derive --list shows them")
    if source is not None and topic not in OF_A_PROBLEM:
        raise SpecError(f"{topic} is derived for no problem", mend="leave INPUT away")
    chosen = _formats(formats, out, fragment=wishes["fragment"])
    name = topic if source is None else f"{Path(source).stem}-{topic}"
    contents = _contents(topic, name, source, chosen, {**wishes, "to_screen": out == "-"})
    if out == "-":
        sys.stdout.buffer.write(next(iter(contents.values())))
        return
    from symattn.export.files import write

    folder = Path(out) if out else _OUTPUT
    for file, content in contents.items():
        path = folder / file
        write(path, content)
        click.echo(f"wrote {path}", err=True)


def _formats(formats: str | None, out: str | None, *, fragment: bool) -> tuple[str, ...]:
    default = "md" if out == "-" else "md,tex"
    chosen = tuple(dict.fromkeys(part.strip() for part in (default if formats is None else formats).split(",")))
    for name in chosen:
        if name not in _FORMATS:
            raise SpecError(
                f"{name!r} is no format", mend=f"name some of {', '.join(_FORMATS)}", where=Where("--format")
            )
    if out == "-" and len(chosen) > 1:
        raise SpecError("standard output takes one format", mend="name one with --format", where=Where("--out"))
    if "pdf" in chosen and fragment:
        raise SpecError("a PDF is a whole page", mend="ask for tex", where=Where("--format"))
    return chosen


def _contents(
    topic: str, name: str, source: str | None, chosen: tuple[str, ...], wishes: Mapping[str, Any]
) -> dict[str, bytes]:
    """The bytes of each file, of a derivation that has been replayed."""
    from symattn.check.laws.founded import unfounded
    from symattn.check.laws.lines import unproved
    from symattn.check.laws.numbered import misput
    from symattn.derive.topics import derived
    from symattn.derive.with_numbers import checked, with_numbers
    from symattn.parse.derived import Derived
    from symattn.render.derivation import derivation_json, derivation_page
    from symattn.render.page import Wish

    problem = _problem(source)
    try:
        proof = derived(topic, wishes["seed"], problem)
    except SpecError as error:
        raise error.located(file=source) from None
    values = checked(proof, _assigned(wishes["numbers"]))
    try:
        numbered = tuple(with_numbers(proof, values))
    except SymattnError as error:
        raise error.located(path="--set") from None
    wrong = [*unproved(proof), *unfounded(proof), *misput(proof, numbered, values)]
    if wrong:
        raise AssertionError(f"{topic} does not replay: {', '.join(wrong)}")
    contents: dict[str, bytes] = {}
    for ending in chosen:
        if ending == "json":
            found = derivation_json(proof, __version__, numbered)
            contents[f"{name}.json"] = (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode()
            continue
        wish = Wish(
            format="tex" if ending == "pdf" else ending,
            flavour=wishes["flavour"],
            fragment=wishes["fragment"],
            slug=topic,
            overrides=wishes["templates"],
            pictures=not (wishes["no_pictures"] or (ending == "md" and wishes["to_screen"])),
            name=name,
        )
        page = derivation_page(proof, wish, Derived(topic, wishes["seed"], tuple(values.items()), problem), numbered)
        if ending == "pdf":
            from symattn.export.pdf import pdf

            contents[f"{name}.pdf"] = pdf(page.text)
        else:
            contents |= {file: text.encode() for file, text in {f"{name}.{ending}": page.text, **page.files}.items()}
    return contents


def _problem(source: str | None) -> Problem | None:
    """The problem that a topic is derived for, where one is given."""
    from symattn.parse import problem as parse

    return None if source is None else parse.read(Path(source))


def _assigned(texts: Iterable[str]) -> dict[str, Fraction]:
    """Numbers by name, each name once."""
    found: dict[str, Fraction] = {}
    for name, number in map(_assignment, texts):
        if found.setdefault(name, number) != number:
            raise SpecError(f"{name} is set twice", mend="leave one of its numbers", where=Where("--set"))
    return found


def _assignment(text: str) -> tuple[str, Fraction]:
    """``d_k=64`` as a name and a rational number."""
    from symattn.parse.grammar import entry

    name, sign, number = (part.strip() for part in text.partition("="))
    if not (name and sign and number):
        raise SpecError(f"{text!r} sets nothing", mend="say it as in d_k=64", where=Where("--set"))
    try:
        found = entry(number, {})
    except SpecError as error:
        raise error.located(path="--set") from None
    if not isinstance(found, Fraction):
        raise SpecError(f"{number!r} is no rational number", mend="set an integer, 3/4 or 0.5", where=Where("--set"))
    return name, found
