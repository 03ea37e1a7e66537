"""Which mistakes a student may make in a recipe's variants, and from which array on each shows.

The mistakes are those of the catalogue. Left out are those that only programs make (masks by large numbers, other
rules for rows that see nothing, rounding inside the softmax, gradients), and readings that change nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from symattn.exercises.recipe import ASKED
from symattn.mistakes.catalogue import CATALOGUE, Deviation
from symattn.mistakes.where import applicable
from symattn.problem import Problem

_FIRST: Final = {
    "tables": "query",
    "heads": "query",
    "value": "value",
    "operands": "scores",
    "kv_heads": "scores",
    "rope": "scores",
    "scale": "scaled",
    "cap": "exponentials",
    "bias": "exponentials",
    "mask": "exponentials",
    "causal": "exponentials",
    "softmax": "weights",
}
"""For each choice the first array that changes with it."""
_STARTS: Final = ("tables", "operands", "value", "heads", "kv_heads", "rope")
"""Choices that change what a head starts from."""
_PROGRAMS: Final = frozenset(
    key for key, mistake in CATALOGUE.items() if not mistake.exact or mistake.of_masked_rows or key == "finite_mask"
)
KEYS: Final = tuple(key for key in CATALOGUE if key not in _PROGRAMS)
"""The mistakes that students make."""


@dataclass(frozen=True, slots=True, eq=False)
class Slip:
    """One reading of one mistake. ``first``: the first array it changes; ``restarts``: heads start otherwise."""

    key: str
    deviation: Deviation
    first: str
    restarts: bool

    def shows_in(self, array: str) -> bool:
        """Whether it changes this array."""
        if self.first == "value":
            return array == "value" or ASKED.index(array) >= ASKED.index("output")
        return ASKED.index(self.first) <= ASKED.index(array)


NONE: Final = Slip("", Deviation(), "query", restarts=False)
"""Nothing wrong."""


def slip(key: str, deviation: Deviation) -> Slip:
    """A reading of a mistake, or of several at once."""
    changed = deviation.changed
    first = min((_first(name, choice) for name, choice in changed.items()), key=ASKED.index)
    return Slip(key, deviation, first, any(name in _STARTS for name in changed))


def _first(name: str, choice: str) -> str:
    if (name, choice) == ("mask", "after"):
        return "weights"
    return "final" if (name, choice) == ("heads", "out") else _FIRST[name]


def slips(problem: Problem) -> tuple[Slip, ...]:
    """Every reading of every mistake that can be made in a problem, in the catalogue's order."""
    return tuple(
        slip(key, reading)
        for key in applicable(problem)
        if key in KEYS
        for reading in CATALOGUE[key].readings
        if _changes(problem, reading)
    )


def _changes(problem: Problem, reading: Deviation) -> bool:
    """Whether a reading can differ from the mistake's other ones, or from nothing at all."""
    if reading.mask == "turned":
        return bool(problem.attention.mask)
    if reading.mask == "turned_all":
        return not problem.attention.mask
    if reading.tables == "transposed_all":
        return isinstance(problem.W_O, tuple) and len(problem.W_O) == len(problem.W_O[0])
    return True
