"""What several of the mathematical tests need: steady examples, and printed texts in the shape of the reference."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import HealthCheck, settings

from symattn.derive.sections import Worked, worked
from symattn.parse.problem import problem as parsed
from symattn.policies import Grid, PrintedResult

ARRAYS = ("query", "key", "value", "scores", "scaled", "logits", "exponentials", "weights", "output")


def steady(examples: int) -> settings:
    """The same examples on every run and every machine, none remembered."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=examples, derandomize=True, database=None, deadline=None, suppress_health_check=slow)


def solved(problem: dict[str, Any]) -> Worked:
    """The package's solution of a problem in the shape of the problem file."""
    return worked(parsed(problem))


def texts(grid: Grid) -> list[list[str | None]]:
    return [[None if entry is None else entry.text for entry in row] for row in grid]


def printed_texts(problem: dict[str, Any], section: int = 0) -> dict[str, Any]:
    """Every text that the package prints, as ``reference.printed`` gives them."""
    found = solved(problem)
    return shown_texts(found.shown(found.sections[section]))


def shown_texts(shown: PrintedResult) -> dict[str, Any]:
    heads = [{name: texts(getattr(head, name)) for name in ARRAYS} for head in shown.heads]
    return {"heads": heads, "output": texts(shown.output)}


def part_of(part: Any, whole: Any) -> bool:
    """Whether every key of ``part`` has its value in ``whole``, at every depth."""
    if isinstance(part, dict):
        return all(key in whole and part_of(value, whole[key]) for key, value in part.items())
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(part_of, part, whole))
    return bool(part == whole)


def near(value: Any) -> mpmath.mpf:
    """A Fraction, an mpf or a SymPy number, at the precision in force."""
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    if isinstance(value, int | mpmath.mpf):
        return mpmath.mpf(value)
    return mpmath.mpf(str(value.evalf(mpmath.mp.dps + 5)))
