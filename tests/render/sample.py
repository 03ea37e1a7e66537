"""The problems whose pages are tested: those of the gallery, and random ones that are the same on each run."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from symattn.derive.sections import Worked, worked
from symattn.parse.problem import problem as parsed
from symattn.render.page import Wish, page
from tests import reference
from tests.pages.tools import ROOT
from tests.strategies import Problem, log_problems, problems, surd_problems

EXAMPLES = ROOT / "examples"
RANDOM = 50


@dataclass(frozen=True, eq=False)
class Case:
    """A problem as plain data, and solved."""

    name: str
    problem: Problem
    worked: Worked

    def page(self, **wish: Any) -> str:
        """Its page."""
        return page(self.worked, Wish(**{"slug": self.name, **wish}))

    def sections(self) -> Iterator[dict[str, Any]]:
        """By the reference evaluator: what is printed under the main options, and under each further set."""
        return map(reference.printed, reference.sections(self.problem))


RANDOM_PROBLEMS = st.one_of(problems(), problems(most=3), surd_problems(), log_problems())


def _with_also(problem: Problem) -> Problem:
    """The same with a further section where no token looks ahead, if there are several and they could."""
    queries, keys = (len(problem.get("X") or problem[name]) for name in "QK")
    if queries != keys or queries == 1 or problem["attention"]["causal"] is not False:
        return problem
    return problem | {"also": [{"causal": True}]}


def _shape(problem: Problem) -> str:
    sizes = {name: (len(rows), len(rows[0])) for name, rows in problem.items() if isinstance(rows, list) and rows}
    return json.dumps([str(sizes), problem["attention"], problem["page"]], default=str, sort_keys=True)


def drawn(count: int, strategy: st.SearchStrategy[Problem]) -> list[Problem]:
    """The first so many problems of different shapes or options that Hypothesis makes, and that can be printed."""
    found: dict[str, Problem] = {}

    @seed(20)
    @settings(
        max_examples=8 * count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(problem: Problem) -> None:
        if len(found) < count and _shape(problem) not in found and _can_be_printed(problem):
            found[_shape(problem)] = problem

    collect()
    assert len(found) == count, "too few problems were made"
    return list(found.values())


def _can_be_printed(problem: Problem) -> bool:
    """Are the decimals enough for a pencil worker, and does the reference settle every rounding?"""
    try:
        for section in reference.sections(_with_also(problem)):
            reference.printed(section)
    except (reference.ZeroSumError, reference.TooClose):
        return False
    return True


@lru_cache(maxsize=1)
def random_cases() -> tuple[Case, ...]:
    """Random problems, of every kind that the strategies know."""
    made = map(_with_also, drawn(RANDOM, RANDOM_PROBLEMS))
    return tuple(Case(f"random-{number}", problem, worked(parsed(problem))) for number, problem in enumerate(made))


ARRAYS = ("X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V")
REST = ("title", "tokens", "context_tokens", "attention", "also", "page", "symbols")
KNOWN = {"causal", "scale", "num_heads"}
"""The options that the reference evaluator reads as the package does."""


@lru_cache(maxsize=1)
def example_cases() -> tuple[Case, ...]:
    """The problems of the gallery."""
    found = sorted(EXAMPLES.glob("*.toml"))
    assert found, "no examples"
    made = {path.stem: tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal) for path in found}
    return tuple(Case(name, problem, worked(parsed(problem))) for name, problem in made.items())


@lru_cache(maxsize=1)
def gallery_cases() -> tuple[Case, ...]:
    """Those of them that the reference evaluator can work."""
    found = tuple(case for case in example_cases() if _is_known(case.problem))
    assert len(found) >= 5, "too few examples"
    return found


def _is_known(problem: Problem) -> bool:
    options = [problem.get("attention", {}), *problem.get("also", [])]
    return {name for table in options for name in table} <= KNOWN and problem.keys() <= {*ARRAYS, *REST}


def cases() -> tuple[Case, ...]:
    """All problems with a reference."""
    return gallery_cases() + random_cases()


def every_case() -> tuple[Case, ...]:
    """All problems."""
    return example_cases() + random_cases()
