"""A run from its candidates to its files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from symattn.errors import SymattnError
from symattn.exercises.offer import Offer, Run
from symattn.exercises.variant import Refused
from symattn.exercises.variants import MOST_IN_VAIN, Acceptance, Marks, marks
from symattn.export.files import Pending, write
from symattn.export.formats import Account, Writer, account, writers
from symattn.export.parts import Parts
from symattn.export.workers import CHUNK, Pool, in_order, line
from symattn.render.environment import template_root

FAILED: Final = ("failed", "killed its worker")
Told = Callable[[int, int], None]
"""Called with how many variants are served and how many candidates were judged."""


@dataclass(frozen=True, slots=True)
class Task:
    """What every worker needs to know."""

    run: Run
    formats: tuple[str, ...]


@dataclass(eq=False)
class Outcome:
    """What became of a run: files with their hashes, counts, and candidates that could not be judged.

    ``sheets`` are the files of single students or variants.
    """

    served: int
    candidates: int
    refused: Counter[str]
    ended: str
    files: dict[str, str] = field(default_factory=dict)
    sheets: dict[str, str] = field(default_factory=dict)
    failed: list[tuple[int, str]] = field(default_factory=list)
    accounts: dict[str, Account] = field(default_factory=dict)


def lines(task: Task, first: int, last: int) -> bytes:
    """What workers do: judge candidates and make the items of the fair ones, a line each."""
    return b"".join(_line(task, index) for index in range(first, last))


def _line(task: Task, index: int) -> bytes:
    try:
        verdict = task.run.judge.verdict(task.run.key, index)
        if isinstance(verdict, Refused):
            return line({"candidate": index, "why": verdict.why})
        found = marks(verdict)
        offer = Offer(task.run, verdict)
        items = [writer.item(offer) for format in task.formats for writer in writers(format, task.run.flavour)]
    except SymattnError:
        raise
    except Exception as error:
        return line({"candidate": index, "why": "failed", "error": f"{type(error).__name__}: {error}"})
    return line(
        {
            "candidate": index,
            "code": found.code,
            "data": found.data.hex(),
            "answers": found.answers.hex(),
            "items": items,
        }
    )


def exercises(
    task: Task,
    count: int,
    folder: Path,
    *,
    students: Sequence[str] = (),
    apart: bool = False,
    pool: Pool | None = None,
    jobs: int = 1,
    told: Told = lambda _served, _candidates: None,
) -> Outcome:
    """Make the files of a run in a folder; with ``students`` each of them has a sheet of their own, ``apart`` each
    variant, called by its code.

    Raises:
        SymattnError: The recipe cannot be worked, or a file cannot be written.
    """
    run, name = task.run, task.run.name
    kept = Parts(folder / f".{name}.parts", _identity(task))
    made = [writer for format in task.formats for writer in writers(format, task.run.flavour)]
    acceptance, failed, size = Acceptance(), [], run.judge.size
    with ExitStack() as stack:
        shared = [None if (students or apart) and writer.alone else writer for writer in made]
        files = [
            None if writer is None else stack.enter_context(_File(folder, writer, run, kept.folder))
            for writer in shared
        ]
        entries = _entries(in_order(partial(lines, task), kept, pool, jobs, size))
        names: list[tuple[str, str]] = []
        sheets: dict[str, str] = {}
        for entry in stack.enter_context(_closing(entries)) if count else ():
            if entry.get("why") in FAILED:
                failed.append((entry["candidate"], entry.get("error", entry["why"])))
            if acceptance.accept(_marks(entry)):
                student = students[acceptance.served - 1] if students else ""
                names.append((student, entry["code"]))
                for writer, file, item in zip(made, files, entry["items"], strict=True):
                    if file is not None:
                        file.add(item)
                    else:
                        path = f"students/{student or entry['code']}{Path(writer.file).suffix}"
                        sheets[path] = _alone(folder / path, writer, run, item, kept.folder)
            told(acceptance.served, acceptance.candidates)
            if acceptance.served >= count or acceptance.in_vain >= MOST_IN_VAIN:
                break
        digests = {file.path: file.close() for file in files if file is not None}
    outcome = Outcome(
        acceptance.served, acceptance.candidates, acceptance.refused, _ended(acceptance, count), digests, sheets, failed
    )
    outcome.accounts = {format: account(format, run) for format in task.formats}
    if students:
        from symattn.export.keys.as_csv import row

        table = "".join(row(pair) for pair in (("id", "code"), *names))
        path = f"teacher/{name}-map.csv"
        outcome.files[path] = write(folder / path, table.encode())
    _manifest(folder, task, count, outcome)
    kept.clear()
    return outcome


def _identity(task: Task) -> dict[str, object]:
    run = task.run
    return {
        "recipe": run.recipe.digest,
        "title": run.name,
        "seed": run.seed,
        "symattn": run.version,
        "formats": list(task.formats),
        "templates": _templates(run.overrides),
        "flavour": run.flavour,
        "nbgrader": run.nbgrader,
        "pick": run.pick,
        "pictures": run.pictures,
        "chunk": CHUNK,
    }


def _templates(overrides: Path | None) -> str:
    """A digest of every template and word: what was made with others is made again."""
    digest = sha256()
    for root in (template_root(), *([] if overrides is None else [overrides])):
        for path in sorted(found for found in root.rglob("*") if found.is_file()):
            digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _marks(entry: dict[str, Any]) -> Marks | Refused:
    if "why" in entry:
        return Refused(entry["why"])
    return Marks(bytes.fromhex(entry["data"]), entry["code"], bytes.fromhex(entry["answers"]))


def _entries(parts: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    try:
        for part in parts:
            yield from map(json.loads, part.splitlines())
    finally:
        close = getattr(parts, "close", None)
        if close is not None:
            close()


class _closing:  # noqa: N801 - used as a statement
    """A generator that is closed at the end of a block."""

    def __init__(self, items: Iterator[dict[str, Any]]) -> None:
        self._items = items

    def __enter__(self) -> Iterator[dict[str, Any]]:
        return self._items

    def __exit__(self, *_: object) -> None:
        self._items.close()  # type: ignore[attr-defined]


class _File:
    """One writer's file, growing beside its place until it is whole."""

    def __init__(self, folder: Path, writer: Writer, run: Run, beside: Path) -> None:
        self.path = writer.file.format(name=run.name)
        self._writer, self._run = writer, run
        self._pending = Pending(folder / self.path, beside)
        self._first = True

    def __enter__(self) -> _File:
        self._pending.add(self._writer.head(self._run).encode())
        return self

    def __exit__(self, *_: object) -> None:
        self._pending.discard()

    def add(self, item: str) -> None:
        """One more variant."""
        self._pending.add(("" if self._first else self._writer.between).encode() + item.encode())
        self._first = False

    def close(self) -> str:
        """Put the file in its place; its SHA-256."""
        self._pending.add(self._writer.foot(self._run).encode())
        return self._pending.close(self._writer.finish)


def _alone(path: Path, writer: Writer, run: Run, item: str, beside: Path) -> str:
    """The file of a single student or variant; its SHA-256."""
    pending = Pending(path, beside)
    try:
        pending.add((writer.head(run) + item + writer.foot(run)).encode())
        return pending.close(writer.finish)
    finally:
        pending.discard()


def _ended(acceptance: Acceptance, count: int) -> str:
    if acceptance.served >= count:
        return "served"
    return "in vain" if acceptance.in_vain >= MOST_IN_VAIN else "exhausted"


def _manifest(folder: Path, task: Task, count: int, outcome: Outcome) -> None:
    run = task.run
    facts = {
        "symattn": run.version,
        "recipe": {"name": run.name, "sha256": run.recipe.digest},
        "seed": run.seed,
        "count": count,
        "served": outcome.served,
        "candidates": outcome.candidates,
        "refused": dict(sorted(outcome.refused.items())),
        "formats": {
            format: {
                "questions": outcome.served * told.questions,
                "left out": dict(told.left_out),
                "notes": list(told.notes),
            }
            for format, told in outcome.accounts.items()
        },
        "files": dict(sorted((outcome.files | outcome.sheets).items())),
    }
    write(folder / "teacher" / f"{run.name}-manifest.json", (json.dumps(facts, indent=1) + "\n").encode())
