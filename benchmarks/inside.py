"""Figures taken inside one process, imports left out.

``run.py`` starts this once for each figure, so that none warms up another. ``python inside.py WHAT ...`` prints JSON:
processor seconds, and where two ways are compared the decimals that were printed.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any, Final

from problems import NAPKIN, Arrays, direct

WARM_UP: Final = direct(3, 2, 0)
FIRST_SEED: Final = 1


def timed(work: Callable[[Any], Any], given: Any) -> tuple[float, Any]:
    """The processor time of the work, and what it made."""
    started = process_time()
    made = work(given)
    return process_time() - started, made


def usual(work: Callable[[Any], Any], given: Any, times: int) -> float:
    """The median processor time of the work."""
    return median(timed(work, given)[0] for _ in range(times))


def given(tokens: int, size: int, problems: int) -> list[Arrays]:
    """The problems that both ways work."""
    return [direct(tokens, size, FIRST_SEED + index) for index in range(problems)]


def naive(tokens: int, size: int, problems: int, cut: int = 0, *, simplified: bool = False) -> dict[str, Any]:
    """The script in SymPy, once for each problem after a small one; the process dies after ``cut`` seconds of work."""
    import naive_sympy

    def printed(arrays: Arrays) -> naive_sympy.Printed:
        return naive_sympy.printed(**arrays, simplified=simplified)

    printed(WARM_UP)
    if cut:
        most = int(process_time()) + 1 + cut
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    runs = [timed(printed, arrays) for arrays in given(tokens, size, problems)]
    first = runs[0][1]
    return {"seconds": [taken for taken, _ in runs], "decimals": [first.weight_decimals, first.output_decimals]}


def ours(tokens: int, size: int, problems: int) -> dict[str, Any]:
    """The same problems from their parsed form: closed forms of weights and output in LaTeX, and certified decimals."""
    import sympy.polys.matrices  # noqa: F401 - imports are left out of the figure

    from symattn import Problem
    from symattn.derive.sections import worked
    from symattn.policies import PrintedResult
    from symattn.render.forms import forms

    def printed(problem: Problem) -> tuple[Any, Any, PrintedResult]:
        found = worked(problem)
        section, way = found.sections[0], forms(found, "u")[0]
        weights, output = section.result.heads[0].weights.map(way.tex), section.result.output.map(way.tex)
        return weights, output, found.shown(section, exponentials=False)

    printed(Problem(**WARM_UP))
    parsed = [Problem(**arrays) for arrays in given(tokens, size, problems)]
    shown = printed(parsed[0])[2]
    return {
        "seconds": [usual(printed, problem, 9) for problem in parsed],
        "decimals": [texts(shown.heads[0].weights), texts(shown.output)],
    }


def texts(grid: Sequence[Sequence[Any]]) -> list[list[str]]:
    return [[entry.text for entry in row] for row in grid]


def page(which: str) -> dict[str, Any]:
    """A later page in one process, from the parsed problem to the Markdown, and ``sympy.latex`` of the five arrays of
    the same problem, worked before: the napkin again and again, or 3x2 problems, each once. The two take turns, so that
    a machine that slows down slows both.
    """
    import naive_sympy
    from sympy import latex

    from symattn import Problem
    from symattn import problem as data
    from symattn.derive.sections import worked
    from symattn.parse.problem import loads
    from symattn.parse.starter import NAPKIN as STARTER
    from symattn.render.page import Wish
    from symattn.render.page import page as text

    def made(problem: data.Problem) -> str:
        return text(worked(problem), Wish())

    def printed(arrays: Sequence[Any]) -> list[str]:
        return [latex(array) for array in arrays]

    given_arrays = [NAPKIN] * 51 if which == "napkin" else given(3, 2, 51)
    problems = [loads(STARTER)] * 51 if which == "napkin" else [Problem(**each) for each in given_arrays]
    exact = [naive_sympy.arrays(**each) for each in given_arrays]
    made(Problem(**WARM_UP))
    printed(naive_sympy.arrays(**WARM_UP))
    turns = [
        (timed(made, problem)[0], timed(printed, arrays)[0]) for problem, arrays in zip(problems, exact, strict=True)
    ]
    ours, theirs = (median(side) for side in zip(*turns, strict=True))
    return {"seconds": ours, "printer": theirs, "ratio": median(one / other for one, other in turns)}


def decimal(*sizes: int) -> dict[str, Any]:
    """Solving and certifying n tokens by n dimensions, by printed decimal of weights and output."""
    import sympy.polys.matrices  # noqa: F401 - imports are left out of the figure

    from symattn import Problem
    from symattn.derive.sections import worked

    def printed(problem: Problem) -> None:
        found = worked(problem)
        found.shown(found.sections[0], exponentials=False)

    printed(Problem(**WARM_UP))
    parsed = {size: Problem(**direct(size, size, FIRST_SEED)) for size in sizes}
    return {"seconds": [usual(printed, problem, 9) / (2 * size * size) for size, problem in parsed.items()]}


def check(tokens: int) -> dict[str, Any]:
    """Checking a page that prints every array of a problem with ``tokens`` tokens, and how many numbers it holds."""
    from symattn.check.page import check as checked
    from symattn.derive.sections import worked
    from symattn.parse.problem import problem as parse

    data = direct(tokens, tokens, FIRST_SEED)
    found = parse({**data, "page": {"decimals": 4}})
    shown = worked(found).shown(worked(found).sections[0]).heads[0]
    names = {"Q": "query", "K": "key", "V": "value", "scores": "scores", "scaled": "scaled",
             "exp_scores": "exponentials", "attn_weights": "weights", "output": "output"}  # fmt: skip
    blocks = (
        f"{name} =\n["
        + "\n ".join("[" + " ".join(entry.text for entry in row) + "]" for row in getattr(shown, array))
        + "]"
        for name, array in names.items()
    )
    text = "\n\n".join(blocks)
    start = process_time()
    report = checked("page.txt", text, found)
    seconds = process_time() - start
    return {
        "seconds": seconds,
        "numbers": len(report.findings),
        "errata": sum(one.is_erratum for one in report.findings),
    }


MEASURES: Final[dict[str, Callable[[list[str]], dict[str, Any]]]] = {
    "naive": lambda words: naive(*map(int, words)),
    "simplified": lambda words: naive(*map(int, words), simplified=True),
    "ours": lambda words: ours(*map(int, words)),
    "page": lambda words: page(words[0]),
    "check": lambda words: check(*map(int, words)),
    "decimal": lambda words: decimal(*map(int, words)),
}


if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]](sys.argv[2:])))
