"""The number that a declared policy prints in one place."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from symattn.check.quantities import Array
from symattn.check.reading.printed import Printed
from symattn.derive.sections import Worked
from symattn.derive.sections import worked as anew
from symattn.errors import SpecError
from symattn.policies import Grid, PrintedResult, row_total
from symattn.problem import Page


def value(worked: Worked, array: Array, place: tuple[int, int], places: int, named: str = "") -> Fraction | None:
    """The policy's own number, at the page's decimals; None where the page prints another number of places.

    A number that keeps other places than the policy is judged as it stands. ``named`` is another policy than the
    page's: ``carried``, or ``one`` for that with rows that add to 1; at these places, or as many digits as the page has
    where it counts these.
    """
    if named:
        page = worked.problem.page
        try:
            return value(
                _by(worked, named, page.decimals if page.digits == "significant" else places), array, place, places
            )
        except SpecError:  # with so few decimals nobody gets there
            return None
    if array.quantity == "sums" and array.head is not None:
        return _total(worked, array, place[0], places)
    grid = _grid(worked, array)
    if grid is None or place[0] >= len(grid) or place[1] >= len(grid[place[0]]):
        return None
    shown = grid[place[0]][place[1]]
    if shown is None or shown.text in ("-oo", "nan"):
        return None
    number = Fraction(shown.text)
    decimals = len(shown.text.partition(".")[2])
    return number if decimals == places or (number.denominator == 1 and places == 0) else None


def significant(worked: Worked, digits: int) -> Worked:
    """The same problem on a page that counts significant digits."""
    page = replace(worked.problem.page, digits="significant", decimals=max(1, digits))
    return _with(worked, page)


def half_even(worked: Worked) -> Worked:
    """The same problem on a page that rounds halves to even."""
    return _with(worked, replace(worked.problem.page, ties="half-even"))


def _with(worked: Worked, page: Page) -> Worked:
    """The same problem on another page: a layer comes after others on that page."""
    if worked.asked is not None:
        return anew(replace(worked.asked, page=page)).layers[worked.index]
    return Worked(replace(worked.problem, page=page), worked.starts, worked.sections)


def _total(worked: Worked, array: Array, row: int, places: int) -> Fraction | None:
    """The sum of a row's exponentials: of the written ones under ``carried``, as it is."""
    section = worked.sections[array.section]
    head = array.head or 0
    text = row_total(section.result.heads[head], worked.shown(section).heads[head], row, worked.problem.page)
    return Fraction(text) if text and len(text.partition(".")[2]) == places else None


def _grid(worked: Worked, array: Array) -> Grid | None:
    shown: PrintedResult = worked.shown(worked.sections[array.section])
    if array.quantity == "final":
        return shown.output
    if array.quantity == "X":
        return worked.tokens
    if array.quantity == "residual":
        return shown.residual
    if array.head is None:
        return None
    head = shown.heads[array.head]
    found: Grid | None = getattr(head, array.quantity, None)
    return found or None


@lru_cache(maxsize=8)
def _by(worked: Worked, named: str, decimals: int) -> Worked:
    page = replace(
        worked.problem.page,
        rounding="carried",
        row_sums="one" if named == "one" and worked.problem.page.digits == "places" else "as-is",
        decimals=max(1, decimals),
    )
    return _with(worked, page)


def off(number: Printed, wanted: Fraction) -> str:
    """The erratum that a number is: one unit away, or more."""
    return "last_digit" if abs(number.value - wanted) == number.unit else "wrong"
