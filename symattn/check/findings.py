"""What is found on a page as it is read: one finding a number, numbers that are given, and those that are unread."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from symattn.check.agreement import certified, cut_off
from symattn.check.fix import REWRITTEN
from symattn.check.reading.page import PageText
from symattn.check.reading.printed import Printed, respelled
from symattn.check.report import Because, Finding, Unread
from symattn.errors import SymattnError
from symattn.exact.values import Value
from symattn.rounding import nearest

_MORE_PLACES: Final = 6


@dataclass(slots=True)
class Findings:
    """The findings of one page, by where their numbers begin."""

    file: str
    page: PageText
    found: dict[int, Finding] = field(default_factory=dict)
    given: set[int] = field(default_factory=set)
    unread: list[Unread] = field(default_factory=list)
    about: bool | None = None

    def add(
        self,
        number: Printed,
        quantity: str,
        head: int | None,
        place: tuple[int, int] | None,
        verdict: str,
        *,
        exact: str | None = None,
        value: Value | Fraction | None = None,
        mistake: str | None = None,
        because: Because | None = None,
        places: int | None = None,
        wanted: Fraction | None = None,
        is_part: bool = False,
    ) -> None:
        """A number with its word, and what there is to say of it; in place of what was said of it before.

        ``is_part``: it is a number within a formula that is worth ``value``.
        """
        line, column = self.page.place(number.start)
        should = None
        is_known = wanted is not None or not is_part
        if value is not None and is_known and verdict in REWRITTEN and not number.special:
            kept = number.places if places is None else max(places, number.places)
            should = self._wanted(number, value if wanted is None else wanted, kept)
        more = max(number.places, 0) + _MORE_PLACES
        row, col = place if place is not None else (None, None)
        self.found[number.start] = Finding(
            file=self.file,
            line=line,
            column=column,
            start=number.start,
            end=number.end,
            printed=self.page.source[number.start : number.end],
            quantity=quantity,
            head=head,
            row=row,
            col=col,
            verdict=verdict,
            exact=exact,
            value=None if value is None else certified(value, more),
            mistake=mistake,
            because=because,
            wanted=should,
        )

    @staticmethod
    def _wanted(number: Printed, value: Value | Fraction, places: int) -> str | None:
        """What should stand there, in the number's own style."""
        try:
            units = cut_off(value, places) if number.cut else nearest(value, places).units
            return respelled(number, Fraction(units) / Fraction(10) ** places, places)
        except (SymattnError, ArithmeticError):
            return None

    def repeat(self, number: Printed, same: Finding) -> None:
        """A number that is printed again, as it was judged before."""
        line, column = self.page.place(number.start)
        self.found[number.start] = replace(same, line=line, column=column, start=number.start, end=number.end)
