"""What is too long for the tests: ``python -m tests.exercises.soak [--variants 1000] [--students 200] [--kills 50]``.

For each recipe that comes with symattn: keys against the reference evaluator, careful students who must all be marked
right, students with each mistake, none of whom may be, and each of whom is diagnosed by name. Then a run that is killed
at random moments and goes on, with two processes and without.
"""

from __future__ import annotations

import argparse
import itertools
import json
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import mpmath

from symattn.exercises import key as keys
from symattn.exercises.marking import Verdict, marked
from symattn.exercises.offer import Offer, Run
from symattn.exercises.shipped import NAMES, text
from symattn.exercises.variants import Acceptance, served
from symattn.export.formats import writers
from tests.exercises.students import Student
from tests.exercises.test_fair import mistakes
from tests.exercises.test_marking import answers
from tests.reference import evaluate, nearest

PRECISE = 45


def variants(run: Run, count: int) -> tuple[dict[str, Any], dict[str, keys.KeyVariant]]:
    """The key of a run's first variants, as data with the numbers that questions show, and read back."""
    judge = run.judge
    numbers = range(judge.size) if judge.size is not None else itertools.count()
    found = list(served((judge.verdict(run.key, index) for index in numbers), count, Acceptance()))
    (writer,) = writers("json")
    content = writer.head(run) + writer.between.join(writer.item(Offer(run, one)) for one in found) + writer.foot(run)
    data = json.loads(content)
    for variant, one in zip(data["variants"], found, strict=True):
        for question, answer in zip(variant["questions"], one.answers, strict=True):
            question["shown"] = dict(answer.shown)
    return data, keys.loads(content)


def recipe(name: str, count: int, students: int, seed: int = 1) -> str:
    """One recipe soaked; a line that says how much was looked at."""
    data, known = variants(Run(text(name), name, seed, "0.0.0"), count)
    looked = [0, 0, 0]
    for place, variant in enumerate(data["variants"]):
        look(data, variant, known[variant["code"]], place, students, looked)
    return (
        f"{name}: {len(data['variants'])} variants, {looked[0]} keys, {looked[1]} careful papers, {looked[2]} mistaken"
    )


def look(data: Any, variant: Any, known: keys.KeyVariant, place: int, students: int, looked: list[int]) -> None:
    half = Fraction(1, 2 * 10 ** data["decimals"])
    exact = Student(PRECISE, Random(place)).works(variant["problem"])
    found = evaluate(known_to_it(variant["problem"], exact))
    for question in variant["questions"]:
        array = question["what"].partition("[")[0]
        table = exact["final"] if array == "final" else exact["heads"][question["head"]][array]
        proved = found["output"] if array == "final" else found["heads"][question["head"]].get(array)
        for answer in question["answers"]:
            i, j = answer["at"]
            assert abs(Fraction(answer["key"]) - table[i][j]) <= half + Fraction(1, 10**40), (variant["code"], answer)
            if proved is not None:
                assert answer["key"] == nearest(proved[i][j], data["decimals"]), (variant["code"], answer)
            looked[0] += 1
    if any(question["kind"] != "blanks" for question in variant["questions"]):
        for question, its in zip(variant["questions"], known.questions, strict=True):
            if question["kind"] != "closed":
                choose(data, variant, question, students, looked)
                marks = [marked(known, "s", {its.blanks[0]: letter}).marks for letter in LETTERS[: len(its.choices)]]
                verdicts = [mark.verdict for paper in marks for mark in paper if mark.blank == its.blanks[0]]
                assert [at for at, verdict in enumerate(verdicts) if verdict == Verdict.RIGHT] == [question["right"]]
        return
    for turn in range(students):
        student = Student(variant["keep"], Random(f"{place} {turn}"))
        paper = marked(known, "s", answers(student, variant, data["decimals"]))
        assert {mark.verdict for mark in paper.marks} == {Verdict.RIGHT}, (variant["code"], turn)
        looked[1] += 1
    allowed = frozenset(Run(text(data["recipe"]["name"]), data["recipe"]["name"], 1, "").recipe.allowed)
    for mistake in mistakes(variant, allowed):
        student = Student(variant["keep"], Random(f"{place} {mistake}"), mistake)
        paper = marked(known, "s", answers(student, variant, data["decimals"]))
        if all(mark.verdict == Verdict.RIGHT for mark in paper.marks):
            assert not shows(mistake, variant), (variant["code"], mistake)
        elif any(mark.verdict == Verdict.WRONG for mark in paper.marks):
            assert mistake in paper.mistakes, (variant["code"], mistake, paper.mistakes)
        looked[2] += 1


LETTERS = "ABCDEFGHIJ"
STEP = {
    "query": "queries",
    "key": "keys",
    "value": "values",
    "scores": "scores",
    "scaled": "scaled scores",
    "exponentials": "exponentials",
    "weights": "weights",
    "output": "output",
}


def choose(data: Any, variant: Any, question: Any, students: int, looked: list[int]) -> None:
    """A question with choices: who works carefully chooses the right one, who makes a mistake another."""
    half = Fraction(1, 2 * 10 ** data["decimals"]) + Fraction(1, 10**40)
    array, at = question["what"].partition("[")[0], [answer["at"] for answer in question["answers"]]

    def exact(mistake: str) -> Any:
        return Student(PRECISE, Random(0), mistake).works(variant["problem"])["heads"][question["head"]]

    if question["kind"] in ("true-false", "find-mistake"):
        assert question["shown"]
        wrong = exact(question["mistake"])
        for name, grid in question["shown"].items():
            table = wrong[name] if question["kind"] == "find-mistake" else [[wrong[array][i][j] for i, j in at]]
            shown = grid if question["kind"] == "find-mistake" else [[text for row in grid for text in row]]
            for row, texts in zip(table, shown, strict=True):
                for value, text in zip(row, texts, strict=True):
                    assert abs(Fraction(text) - value) <= half, (variant["code"], name, text, value)
        looked[2] += 1
        right = question["choices"][question["right"]]
        if question["kind"] == "true-false":
            assert right["mistake"] == question["mistake"]
        else:
            right_working = exact("")
            first = next(name for name in STEP if apart(wrong[name], right_working[name]))
            assert right["text"] == STEP[first], (variant["code"], question["mistake"])
        return
    for turn in range(students):
        head = Student(variant["keep"], Random(turn)).works(variant["problem"])["heads"][question["head"]]
        assert nearest_choice(data, question, [head[array][i][j] for i, j in at]) == question["right"], variant["code"]
        looked[1] += 1
    for place, choice in enumerate(question["choices"]):
        if choice["mistake"]:
            made = exact(choice["mistake"])
            assert nearest_choice(data, question, [made[array][i][j] for i, j in at]) == place, (
                variant["code"],
                choice,
            )
            looked[2] += 1


def apart(left: Any, right: Any) -> bool:
    """Whether two tables differ, beyond what the precision of the students leaves."""
    pairs = (pair for rows in zip(left, right, strict=True) for pair in zip(*rows, strict=True))
    return any(abs(a - b) > Fraction(1, 10**40) for a, b in pairs)


def nearest_choice(data: Any, question: Any, row: list[Fraction]) -> int:
    """Which choice a student takes who has worked out a row: the largest of it, or the row that is nearest."""
    if question["kind"] == "most":
        return row.index(max(row))
    mark = data["decimal_mark"]
    texts = [[Fraction(text.replace(mark, ".")) for text in it["text"].split("; ")] for it in question["choices"]]
    far = [max(abs(a - b) for a, b in zip(one, row, strict=True)) for one in texts]
    return far.index(min(far))


def known_to_it(problem: Any, exact: Any) -> Any:
    """The problem as the reference evaluator knows it: padding as a mask, what comes of a context as Q, K and V."""
    options = problem.get("attention", {})
    if "context" in problem:
        (head,) = exact["heads"]
        return {"Q": head["query"], "K": head["key"], "V": head["value"], "attention": options}
    if "key_lengths" in options:
        queries, keys = (len(problem.get(name) or problem["X"]) for name in "QK")
        row = [place < options["key_lengths"] for place in range(keys)]
        rest = {name: option for name, option in options.items() if name != "key_lengths"}
        return problem | {"attention": rest | {"mask": [row] * queries}}
    return problem


ORDER = ("query", "key", "value", "scores", "scaled", "exponentials", "weights", "output", "final")
FIRST = {
    "weights_transposed": "query",
    "queries_and_keys_swapped": "scores",
    "unscaled": "scaled",
    "scaled_by_d_k": "scaled",
    "scaled_by_sqrt_d_model": "scaled",
    "scaled_twice": "scaled",
    "softmax_over_queries": "weights",
    "scores_times_value": "weights",
    "mask_after_softmax": "weights",
}


def shows(mistake: str, variant: Any) -> bool:
    """Whether a mistake changes an array that is asked for."""
    asked = [ORDER.index(question["what"].partition("[")[0]) for question in variant["questions"]]
    return any(place >= ORDER.index(FIRST.get(mistake, "exponentials")) for place in asked)


RUN = """
import sys, pathlib
from symattn.export import run as runs
from symattn.export import workers
from tests.exercises.common import run
from tests.exercises.recipes import KINDS
folder, count, jobs = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
runs.exercises(runs.Task(run(KINDS), ("md", "json", "csv", "moodle")), count, folder,
               pool=workers.processes if jobs > 1 else None, jobs=jobs)
"""


def held(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def kills(count: int, size: int) -> str:
    """A run that is killed again and again, and goes on each time, beside one that is left alone."""
    chance, died = Random(50), 0
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        start = time.monotonic()
        subprocess.run([sys.executable, "-c", RUN, str(whole), str(size), "1"], check=True)
        lasted = time.monotonic() - start
        turn = 0
        while died < count:
            broken = Path(folder, f"broken{turn}")
            turn += 1
            for _ in range(5):
                command = [sys.executable, "-c", RUN, str(broken), str(size), str(1 + turn % 2)]
                process = subprocess.Popen(command, start_new_session=True)
                try:
                    process.wait(chance.uniform(0.2, 1) * lasted)
                    break
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    died += 1
            subprocess.run([sys.executable, "-c", RUN, str(broken), str(size), "1"], check=True)
            assert held(broken) == held(whole), "a run that was killed differs"
    return f"kills: {died} in {turn} runs of {size} variants, all equal to the one left alone"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=1000)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("recipes", nargs="*", default=NAMES)
    wish = parser.parse_args()
    mpmath.mp.dps = 30
    with ProcessPoolExecutor(wish.jobs) as pool:
        futures = [pool.submit(recipe, name, wish.variants, wish.students) for name in wish.recipes]
        for future in futures:
            print(future.result(), flush=True)
    if wish.kills:
        print(kills(wish.kills, wish.size), flush=True)


if __name__ == "__main__":
    main()
