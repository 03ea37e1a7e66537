"""Figures of ``symattn exercises`` taken inside one process: ``python exercises.py WHAT ...`` prints JSON.

``data N``: N fair variants of the recipe below, refused candidates and every mistake's exclusion included. ``moodle
N``: the same with worked solutions as Moodle's XML, and so for every other format by its name. ``pack FORMAT N``:
seconds and memory of an archive of so many items. ``run N JOBS``: a whole run to Moodle's XML and JSON, by the clock,
and its memory. ``naive N``: what a script in SymPy takes for a key, which proves nothing.
"""

from __future__ import annotations

import itertools
import json
import resource
import sys
import tempfile
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import Any, Final

RECIPE: Final = """
title = "Three tokens, two numbers each"
[sizes]
tokens = 3
d_k = 2
d_v = 2
[entries]
Q = [-1, 0, 1, 2]
K = [-1, 0, 1, 2]
V = [0, 1, 2, 3, 4]
[limits]
largest_score = 6
[[ask]]
what = "output"
"""
WIDER: Final = RECIPE.replace("[-1, 0, 1, 2]", '[-1, "-1/2", 0, "1/2", 1, "3/2", 2]')
"""The same with more entries, for runs of many variants."""


def _run(recipe: str) -> Any:
    from symattn.exercises.offer import Run

    return Run(recipe, "bench", 1, "bench")


def made(count: int, formats: tuple[str, ...]) -> dict[str, Any]:
    """Processor seconds for so many variants, after a few that are not counted."""
    from symattn.exercises.offer import Offer
    from symattn.exercises.variants import Acceptance, served
    from symattn.export.formats import writers

    run = _run(RECIPE)
    judge = run.judge
    items = [writer.item for format in formats for writer in writers(format)]

    def variants(many: int) -> int:
        acceptance = Acceptance()
        for variant in served((judge.verdict(run.key, index) for index in itertools.count()), many, acceptance):
            offer = Offer(run, variant)
            for item in items:
                item(offer)
        return acceptance.candidates

    variants(20)
    started = process_time()
    candidates = variants(count)
    return {"seconds": process_time() - started, "candidates": candidates}


def run(count: int, jobs: int) -> dict[str, Any]:
    """Seconds by the clock of a whole run, and the most memory of this process."""
    from symattn.export import run as runs
    from symattn.export.workers import processes

    with tempfile.TemporaryDirectory() as folder:
        started = monotonic()
        pool = processes if jobs > 1 else None
        outcome = runs.exercises(runs.Task(_run(WIDER), ("moodle", "json")), count, Path(folder), pool=pool, jobs=jobs)
        seconds = monotonic() - started
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": seconds,
        "served": outcome.served,
        "mebibytes": most / (1024 if sys.platform != "darwin" else 1 << 20),
    }


def pack(format: str, count: int) -> dict[str, Any]:
    """Seconds of an archive of so many items, and the most memory of this process."""
    from symattn.exercises.offer import Offer
    from symattn.exercises.variants import Acceptance, served
    from symattn.export.formats import writers

    of = _run(RECIPE)
    verdicts = (of.judge.verdict(of.key, index) for index in itertools.count())
    (variant,) = served(verdicts, 1, Acceptance())
    (writer,) = writers(format)
    item = writer.item(Offer(of, variant))
    with tempfile.TemporaryFile() as grown, tempfile.TemporaryFile() as archive:
        grown.write(writer.head(of).encode())
        for number in range(count):
            grown.write(("" if number == 0 else "\n").encode() + item.replace(variant.code, f"{number:010}").encode())
        started = process_time()
        assert writer.finish is not None
        writer.finish(grown, archive)
        seconds, size = process_time() - started, archive.tell()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
    return {"seconds": seconds, "mebibytes": most, "size": size / (1 << 20)}


def naive(count: int) -> dict[str, Any]:
    """The script in SymPy, on random entries: a key with no tolerance and no look at mistakes."""
    from fractions import Fraction

    import naive_sympy

    chance = Random(1)  # noqa: S311 - the same each time

    def drawn() -> list[list[Fraction]]:
        return [[Fraction(chance.choice((-1, 0, 1, 2))) for _ in range(2)] for _ in range(3)]

    naive_sympy.printed(drawn(), drawn(), drawn(), simplified=False)
    started = process_time()
    for _ in range(count):
        naive_sympy.printed(drawn(), drawn(), drawn(), simplified=False)
    return {"seconds": process_time() - started}


def main(what: str, *numbers: str) -> dict[str, Any]:
    from symattn.export.formats import FOLDERS

    if what == "pack":
        return pack(numbers[0], int(numbers[1]))
    counts = [int(number) for number in numbers]
    if what == "data" or what in FOLDERS:
        return made(counts[0], () if what == "data" else (what,))
    return {"run": run, "naive": naive}[what](*counts)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
