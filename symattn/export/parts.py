"""What is finished of a run, kept as it comes: one file for each stretch of candidates, and a list with their hashes.

A part is put in its place in one move and then entered in the list; what is not in the list, or is not what the list
says, is made again. So a run that was stopped at any moment goes on from what it had. The disk is not waited for: what
a failure of power tears does not have its hash.
"""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Final

from symattn.errors import SpecError
from symattn.export.files import write

_LIST: Final = "parts.jsonl"
_RUN: Final = "run.json"


class Parts:
    """The parts of one run in a folder of their own; those of another run in it are thrown away."""

    def __init__(self, folder: Path, identity: dict[str, object]) -> None:
        self._folder = folder
        text = json.dumps(identity, sort_keys=True)
        if not _reads(folder / _RUN, text):
            shutil.rmtree(folder, ignore_errors=True)
            write(folder / _RUN, text.encode())
        self._known = dict(_entries(folder / _LIST))

    @property
    def folder(self) -> Path:
        """Where files may grow until they are whole: what a stopped run leaves there goes with the parts."""
        return self._folder

    def _path(self, part: int) -> Path:
        return self._folder / f"{part:06d}.part"

    def get(self, part: int) -> bytes | None:
        """A part that is finished and whole."""
        if part not in self._known:
            return None
        try:
            content = self._path(part).read_bytes()
        except OSError:
            return None
        return content if sha256(content).hexdigest() == self._known[part] else None

    def put(self, part: int, content: bytes) -> None:
        """Keep a part."""
        path = self._path(part)
        growing = path.with_suffix(".growing")
        try:
            growing.write_bytes(content)
            os.replace(growing, path)
        except OSError as error:
            raise SpecError(f"{path} cannot be written: {error}", mend="name another folder with --out") from None
        self._known[part] = sha256(content).hexdigest()
        line = json.dumps([part, self._known[part]]) + "\n"
        with (self._folder / _LIST).open("ab") as file:
            file.write(b"\n" + line.encode())  # a line of its own, also after one that was torn

    def clear(self) -> None:
        """Throw everything away: the run is finished."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _reads(path: Path, text: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False


def _entries(path: Path) -> list[tuple[int, str]]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            part, digest = json.loads(line)
        except ValueError:
            continue  # torn, or empty
        found.append((int(part), str(digest)))
    return found
