"""Which mistake of the catalogue gives what is printed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from symattn.check.agreement import stand
from symattn.check.quantities import Array, Known, known
from symattn.check.reading.printed import Printed
from symattn.derive.sections import Worked
from symattn.errors import SymattnError
from symattn.mistakes.catalogue import CATALOGUE, Deviation
from symattn.mistakes.spoiled import spoiled
from symattn.mistakes.where import applicable

Place = tuple[int, int]
_FEWEST: Final = 2


@dataclass(slots=True)
class Diagnosis:
    """The mistakes that can be made in a problem, worked when they are first asked for."""

    known: Known
    cache: dict[tuple[int, Deviation], Known | None] = field(default_factory=dict)

    def named(self, array: Array, printed: dict[Place, Printed], places: int | None = None) -> str | None:
        """The first mistake of the catalogue that gives every printed number of an array; None if none does.

        Args:
            array: What the numbers should be.
            printed: The numbers, by where they stand in it.
            places: The places of their unit, where these are not their own.
        """
        if len(printed) < _FEWEST:
            return None
        worked = self.known.worked
        problem = replace(worked.problem, attention=worked.sections[array.section].options)
        for key in applicable(problem):
            mistake = CATALOGUE[key]
            if not mistake.exact:
                continue
            for reading in mistake.readings:
                found = self._worked(array.section, reading)
                other = None if found is None else found.array(array.quantity, array.head, 0)
                if other is not None and other.shape == array.shape and _gives(other, array, printed, places):
                    return key
        return None

    def _worked(self, section: int, reading: Deviation) -> Known | None:
        if (section, reading) not in self.cache:
            self.cache[section, reading] = self._spoiled(section, reading)
        return self.cache[section, reading]

    def _spoiled(self, section: int, reading: Deviation) -> Known | None:
        worked = self.known.worked
        main = worked.sections[section]
        problem = replace(worked.problem, attention=main.options, also=())
        try:
            result = spoiled(problem, reading)
            wrong = Worked(problem, worked.starts, (replace(main, result=result),))
            return known(wrong, has_values=self.known.has_values)
        except (SymattnError, ArithmeticError):  # a mistake that cannot be worked here explains nothing
            return None


@lru_cache(maxsize=16)
def diagnosis(known: Known) -> Diagnosis:
    """The mistakes that can be made in what is known, kept while it is."""
    return Diagnosis(known)


def _gives(other: Array, right: Array, printed: dict[Place, Printed], places: int | None) -> bool:
    """Whether a wrong array gives all numbers, at least one of them not as the right one does."""
    differs = False
    for place, number in printed.items():
        try:
            if stand(number, other.rows[place[0]][place[1]], places) != "correct":
                return False
            differs = differs or stand(number, right.rows[place[0]][place[1]], places) != "correct"
        except SymattnError:
            return False
    return differs
