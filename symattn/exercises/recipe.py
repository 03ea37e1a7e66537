"""Recipe: what a teacher asks for, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from symattn.exercises.fixed import Number
from symattn.problem import Entry, Matrix, Problem

Kind: TypeAlias = Literal["blanks", "choice", "true-false", "find-mistake", "most", "closed"]
KINDS: Final[tuple[Kind, ...]] = ("blanks", "choice", "true-false", "find-mistake", "most", "closed")

WORKED: Final = ("blanks", "choice", "closed")
"""Questions whose answer shows how it was worked out: these have to tell every mistake."""
CHOSEN: Final = ("choice", "true-false", "find-mistake", "most")
"""Questions with choices."""

ASKED: Final = ("query", "key", "value", "scores", "scaled", "exponentials", "weights", "output", "final")
"""What may be asked for, in the order in which it is worked out."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the entries of one array come from: each drawn from ``entries``, or all of them fixed.

    ``numbers`` holds the same entries as numbers to calculate with. ``rows`` is 0 for a vector.
    """

    rows: int
    columns: int
    entries: tuple[Entry, ...] = ()
    numbers: tuple[Number, ...] = ()
    fixed: Matrix | Literal["identity"] | None = None
    fixed_numbers: tuple[tuple[Number, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """One question: an array, one row of it or one entry, in one way; ``points`` for each blank or choice."""

    array: str
    kind: Kind = "blanks"
    row: int | None = None
    column: int | None = None
    head: int = 0
    points: int = 1
    choices: int = 4


@dataclass(frozen=True, slots=True)
class Rounding:
    """How many decimals an answer has, and how many more are kept on the way: the least, and the most that may be tried
    where fewer do not tell every mistake from a rounding.
    """

    decimals: int = 2
    guard: int = 2
    most_guard: int = 4
    decimal_mark: str = "."


@dataclass(frozen=True, slots=True)
class Limits:
    """What keeps a variant fair and fit for a pencil.

    Weights lie from ``least`` to ``most`` and within a row at least ``spread`` apart from largest to smallest; a row
    with one key is let be. Entries of queries, keys and values are at most ``largest_entry`` in size, scores at most
    ``largest_score``, and both have at most ``places`` decimals where these are given.
    """

    least: Fraction = Fraction(1, 50)
    most: Fraction = Fraction(24, 25)
    spread: Fraction = Fraction(1, 20)
    largest_entry: Fraction = Fraction(20)
    largest_score: Fraction = Fraction(20)
    places: int | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """What variants are made from.

    ``tokens`` holds as many names as there are queries, or more to draw from; ``samples`` a problem for each set of
    options that may be drawn; ``allowed`` the mistakes that a variant need not tell. ``digest`` is that of the
    recipe's data.
    """

    name: str
    title: str
    about: str
    intro: str
    tokens: tuple[str, ...]
    context_tokens: tuple[str, ...]
    arrays: tuple[tuple[str, Source], ...]
    samples: tuple[Problem, ...]
    asks: tuple[Ask, ...]
    n_q: int
    n_k: int
    rounding: Rounding
    limits: Limits
    allowed: frozenset[str]
    digest: str

    def hangs_on_earlier(self, ask: Ask) -> bool:
        """Whether numbers of a question may be right in consequence of those of an earlier one."""
        earlier = self.asks[: self.asks.index(ask)]
        before = (one for one in earlier if ASKED.index(one.array) < ASKED.index(ask.array))
        return ask.kind == "blanks" and any(one.kind == "blanks" for one in before)
