"""Packages of course systems: a zip archive with the same bytes wherever it is made.

A writer's file grows as lines of JSON, the first with what is said of the whole run, each other with what one variant
brings. The package is made of them when all are there, one line in memory at a time. Members are stored as they are:
compressed bytes would differ from one zlib to the next.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, Final
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from symattn.exercises.offer import Run, digest

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def line(facts: dict[str, Any]) -> str:
    """Facts as a line."""
    return json.dumps(facts, ensure_ascii=False)


def head(run: Run) -> str:
    """The first line: title, an identifier for the package, and how many of a group are picked."""
    name = digest(f"{run.recipe.digest} {run.seed} {run.version}")[:16]
    return line({"title": run.recipe.title or run.name, "id": f"symattn-{name}", "pick": run.pick}) + "\n"


class Grown:
    """The lines of a writer's file, which can be gone through more than once."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        source.seek(0)
        self.run: dict[str, Any] = json.loads(source.readline())
        self._first = source.tell()

    def variants(self) -> Iterator[dict[str, Any]]:
        """What each variant brings."""
        self._source.seek(self._first)
        yield from map(json.loads, self._source)


class Package:
    """An archive that is being written."""

    def __init__(self, target: BinaryIO) -> None:
        self._zip = ZipFile(target, "w", ZIP_STORED)

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def add(self, path: str, parts: Iterator[str] | str) -> None:
        """A member, written part by part."""
        info = ZipInfo(path, _EPOCH)
        info.external_attr = 0o644 << 16
        info.create_system = 3
        with self._zip.open(info, "w", force_zip64=True) as member:
            for part in (parts,) if isinstance(parts, str) else parts:
                member.write(part.encode())
