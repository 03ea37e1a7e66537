"""Every figure of speed in one run, printed as one table: ``python benchmarks/run.py [--quick]``.

Times are processor time (user and system), medians of several runs. What is compared runs in turn, so that both see
the same machine. Whole processes are children with accounts of their own, after a first round that is not counted and
in which Python keeps what it compiles. Figures inside a process come from ``inside.py``. ``--quick`` leaves out the
script that is cut after a minute. Exits 1 only where something could not be measured.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

from problems import direct, projected, toml

HERE: Final = Path(__file__).resolve().parent
PYTHON: Final = sys.executable
ENVIRONMENT: Final = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
CUT: Final = 60
PROCESSES: Final = 5
MEBIBYTE: Final = 1 << 20
HEADER: Final = ("what", "measured", "against", "ratio", "target", "")


class UnmeasuredError(Exception):
    """A child failed, or two ways that are compared do not agree: there is no figure."""


@dataclass(frozen=True)
class Figure:
    """A row of the table; ``met`` is None where it was left out."""

    what: str
    measured: str
    against: str
    ratio: str
    target: str
    met: bool | None

    @property
    def cells(self) -> tuple[str, ...]:
        verdict = "left out" if self.met is None else "met" if self.met else "missed"
        return self.what, self.measured, self.against, self.ratio, self.target, verdict


Measure: TypeAlias = Callable[[Path], Iterator[Figure]]


@dataclass(frozen=True)
class Cost:
    """What a process used: processor seconds, and the most memory in bytes."""

    seconds: float
    memory: int


def child(command: Sequence[str]) -> tuple[Cost, str | None]:
    """A command run to its end: its cost and its output; no output where it was cut."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=HERE, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        cost = Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
        if process.returncode == -signal.SIGXCPU:
            return cost, None
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise UnmeasuredError(f"exit code {process.returncode}: {err.read().strip().rpartition(chr(10))[2]}")
        return cost, out.read()


def costs(*commands: Sequence[str], times: int) -> list[Cost]:
    """Each command's median time and most memory, run in turn."""
    rounds = [[child(command)[0] for command in commands] for _ in range(times + 1)][1:]
    return [
        Cost(median(run.seconds for run in runs), max(run.memory for run in runs)) for runs in zip(*rounds, strict=True)
    ]


@cache
def inside(*words: str | int) -> Any:
    """The answer of ``inside.py``; None if it was cut."""
    _, output = child([PYTHON, str(HERE / "inside.py"), *map(str, words)])
    return None if output is None else json.loads(output)


def symattn(*words: str) -> list[str]:
    """The command as it is installed, else the module."""
    script = Path(sysconfig.get_path("scripts")) / "symattn"
    return [str(script), *words] if script.exists() else [PYTHON, "-m", "symattn", *words]


def time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def at_most(what: str, measured: float, against: float, name: str, most: float) -> Figure:
    """A time that is to be at most ``most`` times another."""
    found = measured / against
    return Figure(what, time(measured), f"{name} {time(against)}", f"{found:.2f}", f"at most {most:.3g}", found <= most)


def faster(what: str, measured: float, against: float, name: str, least: float) -> Figure:
    """A time that is to be ``least`` times shorter than another."""
    found = against / measured
    return Figure(what, time(measured), f"{name} {time(against)}", f"{found:.0f}", f"at least {least}", found >= least)


def under(what: str, measured: float, most: float) -> Figure:
    """A time that is to stay below a fixed one."""
    return Figure(what, time(measured), "", "", f"under {time(most)}", measured < most)


def whole_process(folder: Path) -> Iterator[Figure]:
    """The napkin and the help, against the import of SymPy."""
    commands = {
        ("solve the napkin to Markdown and LaTeX, whole process", 1.6): symattn("solve", "--out", str(folder)),
        ("symattn --help, whole process", 0.25): symattn("--help"),
    }
    for (what, most), command in commands.items():
        ours, bare = costs(command, [PYTHON, "-c", "import sympy"], times=11)
        yield at_most(what, ours.seconds, bare.seconds, "import sympy", most)


def against_script(size: tuple[int, int], script: str, least: float) -> Figure:
    """Closed forms and decimals against the script in SymPy: the medians of several problems."""
    ours, naive, plain = (inside(way, *size, 3) for way in ("ours", script, "naive"))
    same(ours, plain)
    what = f"{size[0]}x{size[1]}: closed forms in LaTeX and decimals"
    name = "simplified script" if script == "simplified" else "script"
    return faster(what, median(ours["seconds"]), median(naive["seconds"]), name, least)


def small_script(_: Path) -> Iterator[Figure]:
    """3x2 against the script with ``simplify``."""
    yield against_script((3, 2), "simplified", 100)


def large_script(_: Path) -> Iterator[Figure]:
    """8x8 against the script without ``simplify``."""
    yield against_script((8, 8), "naive", 30)


def cut_script(_: Path) -> Iterator[Figure]:
    """8x8 against the script with ``simplify``, which is cut."""
    ours, naive = inside("ours", 8, 8, 3)["seconds"][0], inside("simplified", 8, 8, 1, CUT)
    name = "simplified script" if naive else "simplified script, cut at"
    found = faster("8x8: the same", ours, naive["seconds"][0] if naive else CUT, name, 1000)
    yield found if naive else replace(found, ratio=f"over {found.ratio}")


def left_out(_: Path) -> Iterator[Figure]:
    """8x8 against the script with ``simplify``, where it is not run."""
    yield Figure("8x8: the same", "", "simplified script", "", "at least 1000", None)


def same(ours: Mapping[str, Any], naive: Mapping[str, Any]) -> None:
    """Raise unless both ways printed the same numbers, up to a last digit (the script rounds a float)."""
    for left, right in zip(ours["decimals"], naive["decimals"], strict=True):
        for row, other in zip(left, right, strict=True):
            if any(abs(float(a) - float(b)) > 0.0011 for a, b in zip(row, other, strict=True)):
                raise UnmeasuredError(f"the two ways differ: {row} and {other}")


def to_json(folder: Path) -> Iterator[Figure]:
    """64 tokens by 64 dimensions, as JSON."""
    commands = []
    for name, arrays in (("small", direct(64, 64, 1)), ("decimals", projected(64, 64, 1))):
        path = folder / f"{name}.toml"
        path.write_text(toml(arrays))
        commands.append(symattn("solve", str(path), "--format", "json", "--out", str(folder)))
    small, decimals = costs(*commands, times=5)
    yield under("64x64 of small rationals to JSON, whole process", small.seconds, 2.5)
    what = "64x64 of two decimals (denominators of 10^8), the same"
    yield at_most(what, decimals.seconds, small.seconds, "small rationals", 3)
    for name, found in (("small rationals", small), ("two decimals", decimals)):
        memory = f"{found.memory / MEBIBYTE:.0f} MiB"
        yield Figure(f"64x64 of {name}: most memory", memory, "", "", "at most 1 GiB", found.memory <= 1024 * MEBIBYTE)


def each_decimal(_: Path) -> Iterator[Figure]:
    """Solving and certifying, by printed decimal, as problems grow."""
    sizes = (8, 16, 32, 64)
    found = dict(zip(sizes, inside("decimal", *sizes)["seconds"], strict=True))
    low, high = (choice(found, key=found.__getitem__) for choice in (min, max))
    what = f"a printed decimal of n = 8, 16, 32, 64, dearest (n = {high})"
    yield at_most(what, found[high], found[low], f"cheapest (n = {low})", 3)


def second_page(_: Path) -> Iterator[Figure]:
    """Pages in a process that has made one already, in time and, as machines differ, against SymPy's LaTeX printer.

    Five ninths: 5 ms, where the printer takes 9 ms for the five arrays of such a page. One process differs from another
    by a twentieth, so it is the middle one of several.
    """
    for which, words in (("napkin", "the napkin, two sections"), ("other", "other 3x2")):
        runs = sorted((inside("page", which, run) for run in range(PROCESSES)), key=itemgetter("ratio"))
        found = runs[PROCESSES // 2]
        what, other = f"a second page in one process, {words}", f"sympy.latex of 5 arrays {time(found['printer'])}"
        yield under(what, found["seconds"], 0.005)
        yield Figure(
            what, time(found["seconds"]), other, f"{found['ratio']:.3f}", "at most 0.556", found["ratio"] <= 5 / 9
        )


def checked_page(_: Path) -> Iterator[Figure]:
    """A page of ten thousand numbers, checked."""
    found = inside("check", 36)
    yield under(f"check a page of {found['numbers']} numbers", found["seconds"], 5)


def arrays(_: Path) -> Iterator[Figure]:
    """``symattn.reference`` on one head, against bare balls and mpmath."""
    _, output = child([PYTHON, str(HERE / "arrays.py")])
    found = json.loads(output or "{}")
    limit, other, memory = found["limit"], found["mpmath"], found["memory"]["mebibytes"]
    what = "reference, one head, n = 1024, d = 64, float32"
    yield at_most(what, limit["seconds"][1], limit["limit"][1], "bare balls", 2)
    growth = limit["growth"]
    yield Figure("the same: growth from n = 128", f"n^{growth:.2f}", "", "", "at most n^2.2", growth <= 2.2)
    yield Figure("the same: most memory", f"{memory:.0f} MiB", "", "", "at most 1.5 GiB", memory <= 1536)
    yield faster("reference, n = 128", other["seconds"], other["mpmath"], "mpmath", 50)


def exercises(_: Path) -> Iterator[Figure]:
    """Fair variants: what one costs, and whether many cost the same."""

    def asked(*words: str | int) -> Any:
        _, output = child([PYTHON, str(HERE / "exercises.py"), *map(str, words)])
        return json.loads(output or "{}")

    script = asked("naive", 20)["seconds"] / 20
    data, moodle = (asked(what, 1000)["seconds"] / 1000 for what in ("data", "moodle"))
    for name, found, least in (("data only", data, 700), ("with worked solution, as Moodle's XML", moodle, 300)):
        rate = f"{1 / found:.0f} a second"
        what = f"a fair 3x2 variant, {name}"
        yield Figure(
            what, rate, f"script {1 / script:.0f}", f"{script / found:.1f}", f"at least {least}", 1 / found >= least
        )
    for format in ("ipynb", "pretext", "stack", "qti21", "qti12"):
        one = asked(format, 200)["seconds"] / 200
        yield at_most(f"a fair variant, as {format}", one, moodle, "Moodle's", 3)
    archive = asked("pack", "qti21", 10_000)
    what = f"an archive of 10,000 items, {archive['size']:.0f} MiB: most memory"
    yield Figure(what, f"{archive['mebibytes']:.0f} MiB", "", "", "under 300 MiB", archive["mebibytes"] < 300)
    few, many = asked("data", 100)["seconds"] / 100, asked("data", 10_000)["seconds"] / 10_000
    yield at_most("a fair variant of 10,000", many, few, "of 100", 1.2)
    small, large, two = asked("run", 1000, 1), asked("run", 5000, 1), asked("run", 5000, 2)
    memory, growth = large["mebibytes"], large["mebibytes"] - small["mebibytes"]
    yield Figure("5,000 variants: most memory", f"{memory:.0f} MiB", "", "", "under 300 MiB", memory < 300)
    yield Figure("5,000 variants: more than 1,000 take", f"{growth:.0f} MiB", "", "", "under 20 MiB", growth < 20)
    ratio = large["seconds"] / two["seconds"]
    yield Figure(
        "5,000 variants, two processes",
        time(two["seconds"]),
        f"one {time(large['seconds'])}",
        f"{ratio:.2f}",
        "at least 1.7",
        ratio >= 1.7,
    )


def figures(measure: Measure, folder: Path) -> tuple[list[Figure], str]:
    """The figures of one measure, and what kept it from being made."""
    try:
        return list(measure(folder)), ""
    except (UnmeasuredError, OSError) as error:
        return [], f"{measure.__doc__} Not measured: {error}"


def table(rows: Sequence[Figure]) -> str:
    lines = [HEADER, *(row.cells for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (map(str.ljust, line, widths) for line in lines)
    return "\n".join("  ".join(cells).rstrip() for cells in padded)


def main(quick: bool) -> int:
    """Measure, print, and say by the exit code whether everything was measured."""
    simplified = left_out if quick else cut_script
    measures = (
        whole_process,
        small_script,
        large_script,
        simplified,
        to_json,
        each_decimal,
        second_page,
        checked_page,
        arrays,
        exercises,
    )
    with tempfile.TemporaryDirectory() as folder:
        found = [figures(measure, Path(folder)) for measure in measures]
    print(table([row for rows, _ in found for row in rows]))
    failed = [trouble for _, trouble in found if trouble]
    print(*failed, sep="\n", end="\n" if failed else "", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main("--quick" in sys.argv[1:]))
