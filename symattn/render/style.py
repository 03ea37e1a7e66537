"""How a page writes powers of e, brackets and lists, and whether a token's vector is a row or a column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from symattn.problem import Page


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """One for each choice of options. ``columns``: every matrix is transposed; ``comma``: what stands between
    numbers in brackets.
    """

    exponential: str = "e"
    brackets: str = "square"
    columns: bool = False
    comma: str = ","

    @property
    def e(self) -> str:
        """The number e."""
        return "e" if self.exponential == "e" else self.power("1")

    def power(self, exponent: str) -> str:
        """e to a power."""
        if self.exponential == "e":
            return f"e^{{{exponent}}}"
        return rf"\exp\left({exponent}\right)" if r"\frac" in exponent else rf"\exp({exponent})"

    def listed(self, entries: Iterable[str]) -> str:
        """Entries one after the other."""
        return rf"{self.comma}\ ".join(entries)

    def row(self, entries: Iterable[str]) -> str:
        """Numbers side by side in brackets, which are as tall as their fractions."""
        left, right = "()" if self.brackets == "round" else "[]"
        inside = self.listed(entries)
        return rf"\left{left}{inside}\right{right}" if r"\frac" in inside else left + inside + right

    def vector(self, entries: Iterable[str]) -> str:
        """A token's vector within a line of text."""
        return self.row(entries) + (r"^{\top}" if self.columns else "")

    def tall(self, entries: Iterable[str]) -> str:
        """A token's vector in a display."""
        return self.matrix([list(entries)]) if self.columns else self.row(entries)

    def matrix(self, rows: Iterable[Iterable[str]]) -> str:
        """A matrix given with a row a token."""
        kept = zip(*rows, strict=True) if self.columns else rows
        kind = "pmatrix" if self.brackets == "round" else "bmatrix"
        return rf"\begin{{{kind}}}" + r" \\ ".join(" & ".join(row) for row in kept) + rf"\end{{{kind}}}"


PLAIN: Final = Style()


def style(page: Page) -> Style:
    """What the page's options ask for."""
    comma = ";" if page.decimal_mark == "," else ","
    return _style(page.exponential, page.brackets, page.vectors == "columns", comma)


@cache
def _style(exponential: str, brackets: str, columns: bool, comma: str) -> Style:
    return Style(exponential, brackets, columns, comma)
