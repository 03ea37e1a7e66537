"""The word for a printed number, the first that applies: correct, carried, propagated, adjusted, truncated, last_digit,
wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from symattn.check.agreement import Stand, stand
from symattn.check.reading.printed import Printed
from symattn.check.routes import Route
from symattn.check.written import TAINTED, Judged
from symattn.exact.values import MASKED, UNDEFINED, Value

ERRATA: Final = ("last_digit", "wrong")
VERDICTS: Final = ("correct", "carried", "propagated", "input_rounding", "adjusted", "truncated", "last_digit", "wrong")
_CLEAN: Final = ("correct", "carried", "input_rounding", "truncated")


@dataclass(slots=True)
class Opinion:
    """What is found of one number: the word, the road that explains it, and the value that it should have.

    ``wanted`` is the number that a declared policy prints in its place.
    """

    printed: Printed
    value: Value | Fraction | None
    verdict: str
    route: Route | None = None
    routes: tuple[Route, ...] = field(default=())
    wanted: Fraction | None = None

    def judged(self) -> Judged:
        """The number with its word, for what is made from it."""
        return Judged(self.printed, self.verdict)


def opinion(
    printed: Printed,
    value: Value | Fraction,
    roads: Iterable[Route],
    places: int | None = None,
    *,
    also: Value | None = None,
) -> Opinion:
    """The word for a number by itself; whether it was moved so that its row adds to 1 is told by ``adjusted``.

    Args:
        printed: The number on the page.
        value: What it should be, exactly.
        roads: How else it may have been made, from numbers that stand earlier.
        places: The places of its unit, where these are not its own.
        also: Another value that may as well stand there, such as a masked score's own.
    """
    how = stand(printed, value, places)
    if how == "correct" or (also is not None and stand(printed, also, places) == "correct"):
        return Opinion(printed, value, "correct")
    if value is MASKED or value is UNDEFINED or printed.special:
        return Opinion(printed, value, "wrong")
    found = tuple(roads)
    road, tainted = _explained(printed, found, places)
    if road is not None:
        return Opinion(printed, value, "propagated" if tainted else "carried", road, found)
    return Opinion(printed, value, _alone(how), None, found)


def _alone(how: Stand) -> str:
    return "truncated" if how == "truncated" else "last_digit" if how == "near" else "wrong"


def _explained(printed: Printed, roads: tuple[Route, ...], places: int | None) -> tuple[Route | None, bool]:
    """The road that leads to a number, one over sound numbers before any other; and whether it is not over such."""
    behind: Route | None = None
    for road in roads:
        if any(source.printed.special for source in road.sources):
            continue
        if stand(printed, road.value, places) != "correct":
            continue
        if not is_tainted(road):
            return road, False
        behind = behind or road
    return behind, behind is not None


def against(printed: Printed, roads: Iterable[Route], places: int | None) -> Route | None:
    """A road over a wrong number that leads elsewhere than to a number that is right, by more than one unit; None where
    another road leads to it.
    """
    found: Route | None = None
    for road in roads:
        if any(source.printed.special for source in road.sources):
            continue
        if stand(printed, road.value, places) == "correct":
            return None
        if found is None and is_tainted(road) and not _moved(printed, road.value, places):
            found = road
    return found


def is_tainted(road: Route) -> bool:
    """Whether a number on the way is an erratum or follows from one."""
    return any(source.verdict in TAINTED for source in road.sources)


def adjusted(row: list[Opinion | None], places: int | None = None) -> None:
    """A whole row of weights: a number moved by one unit so that the row adds to 1, where the others are clean."""
    if any(found is None or found.printed.special for found in row):
        return
    whole = [found for found in row if found is not None]
    if sum(found.printed.value for found in whole) != 1:
        return
    before = [found.verdict for found in whole]
    for index, found in enumerate(whole):
        if before[index] not in ("truncated", "last_digit", "wrong") or found.value is None:
            continue
        others = [word for other, word in enumerate(before) if other != index]
        if all(word in _CLEAN for word in others) and _moved(found.printed, found.value, places):
            found.verdict = "adjusted"
            continue
        if before[index] == "truncated":
            continue
        if all(word in (*_CLEAN, "propagated") for word in others):
            road = next((road for road in found.routes if _moved(found.printed, road.value, places)), None)
            if road is not None:
                found.verdict = "propagated" if is_tainted(road) or "propagated" in others else "carried"
                found.route = road


def _moved(printed: Printed, value: Value | Fraction, places: int | None) -> bool:
    """Whether a number is one unit from the nearest."""
    kept = printed.places if places is None else max(places, printed.places)
    for step in (1, -1):
        beside = Printed(printed.text, printed.start, printed.end, printed.value + step * Fraction(10) ** -kept, kept)
        if stand(beside, value, places) == "correct":
            return True
    return False
