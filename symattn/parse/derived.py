"""What the page of a derivation is made from, as a page declares it and as a check reads it back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.errors import SpecError
from symattn.parse import problem as parse
from symattn.parse.grammar import entry
from symattn.parse.plain import plain
from symattn.problem import Problem


@dataclass(frozen=True, slots=True)
class Derived:
    """A topic, the seed of its exercises, numbers for its letters, and the problem that it is derived for."""

    topic: str
    seed: int = 0
    numbers: tuple[tuple[str, Fraction], ...] = ()
    problem: Problem | None = None

    def plain(self) -> dict[str, Any]:
        """The same as data; what is as usual is left out."""
        found: dict[str, Any] = {"derive": self.topic}
        if self.seed:
            found["seed"] = self.seed
        if self.numbers:
            found["set"] = {name: str(number) for name, number in self.numbers}
        if self.problem is not None:
            found["problem"] = plain(self.problem)
        return found


def derived(data: Mapping[str, Any]) -> Derived:
    """The same from data.

    Raises:
        SpecError: A seed, a number or a problem that cannot be read.
    """
    seed, numbers, problem = data.get("seed", 0), data.get("set", {}), data.get("problem")
    if not isinstance(seed, int) or seed < 0 or not isinstance(numbers, dict):
        raise SpecError("a derivation is declared with no such seed or numbers", mend="make the page anew")
    found = [(str(name), entry(str(number), {})) for name, number in numbers.items()]
    return Derived(
        str(data["derive"]),
        seed,
        tuple((name, number) for name, number in found if isinstance(number, Fraction)),
        None if problem is None else parse.loads(json.dumps(problem), "json"),
    )
