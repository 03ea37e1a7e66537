"""``symattn schema`` and ``symattn new``: what helps to write a problem file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from symattn.errors import SpecError


@click.command()
def schema() -> None:
    """Print the JSON Schema of problem files, for editors."""
    from symattn.parse.schema import schema as schema_of
    from symattn.render.words import words

    click.echo(json.dumps(schema_of(words()["option"]), indent=2, ensure_ascii=False))


@click.command()
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
