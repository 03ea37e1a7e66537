"""The tests of a STACK question: what is typed into every part, and at which node each tree must end.

A case for the exact answers, for the rounded ones, for each mistake, and for who slips in an early part and works on
from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from symattn.exercises.answered import given
from symattn.exercises.fixed import PLACES, UNIT, Interval
from symattn.exercises.follow import follows
from symattn.exercises.marking import around
from symattn.exercises.offer import Offer
from symattn.exercises.slips import NONE
from symattn.exercises.variant import Answer
from symattn.export.stack.parts import Part, Tree
from symattn.rounding.decimal import positional

EXACT: Final = "exact"
SLIP: Final = "slip"
_FAR: Final = 10
"""Units of the last place by which a slip is off, more in each further column."""

Led: TypeAlias = "Interval | None"
Own: TypeAlias = "dict[tuple[str, int], dict[tuple[int, int], Interval]]"


@dataclass(frozen=True, slots=True)
class Case:
    """What is typed into each part, and the node whose test comes true in each tree; None where none does."""

    name: str
    typed: dict[str, str]
    ends: dict[str, int | None]


def cases(offer: Offer, found: Sequence[Part]) -> Iterator[Case]:
    """The cases of a question."""
    names = dict.fromkeys(name for part in found for name in part.typed)
    yield from (_case(offer, found, _Given(name)) for name in names)
    slipped = _case(offer, found, _Slipped(offer))
    if any(at is not None and tree.nodes[at].follows for tree, at in _ends(found, slipped)):
        yield slipped


def _ends(found: Sequence[Part], case: Case) -> Iterator[tuple[Tree, int | None]]:
    return ((tree, case.ends[tree.name]) for part in found for tree in part.trees)


class _Student(Protocol):
    """Who types something into each part; ``led`` is what may be typed in consequence of the earlier ones."""

    @property
    def name(self) -> str:
        """What the case is called."""

    def texts(self, part: Part, led: Sequence[Led]) -> Sequence[str]:
        """What is typed into the blanks of a part."""


def _case(offer: Offer, found: Sequence[Part], student: _Student) -> Case:
    own: Own | None = {} if any(node.follows for part in found for tree in part.trees for node in tree.nodes) else None
    typed: dict[str, str] = {}
    ends: dict[str, int | None] = {}
    for part, answer in zip(found, offer.variant.answers, strict=True):
        led = _led(offer, answer, own)
        written = student.texts(part, led)
        typed[part.name] = part.spelled(written)
        is_exact = student.name == EXACT or "rounded" not in part.typed
        for tree, text, interval in zip(part.trees, written, led, strict=True):
            ends[tree.name] = 0 if is_exact else _end(tree, text, interval)
        if answer.ask.kind == "blanks" and own is not None and not is_exact:
            cells = own.setdefault((answer.ask.array, answer.ask.head), {})
            for cell, text in zip(answer.cells, written, strict=True):
                interval = around(given(text), offer.run.recipe.rounding.decimals)
                if interval is not None:
                    cells[cell.row, cell.column] = interval
    return Case(student.name, typed, ends)


def _led(offer: Offer, answer: Answer, own: Own | None) -> list[Led]:
    """What may be handed in for each blank in consequence of earlier answers."""
    if not own or answer.ask.kind != "blanks":
        return [None] * max(len(answer.cells) if answer.ask.kind == "blanks" else 1, 1)
    judge, variant, ask = offer.run.judge, offer.variant, answer.ask
    work = judge.work(variant.drawn)
    course = judge.course(work, NONE, variant.keep)
    decimals = offer.run.recipe.rounding.decimals
    return [follows(course, work, own, (ask.array, ask.head, cell.row, cell.column), decimals) for cell in answer.cells]


def _end(tree: Tree, text: str, led: Led) -> int | None:
    """The first node of a tree whose test comes true."""
    value = _units(text)
    for at, node in enumerate(tree.nodes):
        if node.follows:
            if led is not None and led[0] <= value <= led[1]:
                return at
        elif abs(value - node.middle) <= node.units:
            return at
    return None


def _units(decimal: str) -> int:
    """A decimal in units of 10^-30."""
    whole, _, fraction = decimal.partition(".")
    return int(whole + fraction.ljust(PLACES, "0"))


@dataclass(frozen=True, slots=True)
class _Given:
    """Who types what the parts hold for a case."""

    name: str

    def texts(self, part: Part, led: Sequence[Led]) -> Sequence[str]:  # noqa: ARG002 - another student's
        """What is typed into the blanks of a part."""
        return part.texts(self.name)


class _Slipped:
    """Who slips in the first part with blanks, and goes on from what they wrote."""

    name = SLIP

    def __init__(self, offer: Offer) -> None:
        self._answers = {f"ans{number}": answer for number, answer in enumerate(offer.variant.answers, 1)}
        self._grain = UNIT // 10**offer.run.recipe.rounding.decimals
        self._decimals = offer.run.recipe.rounding.decimals
        self._has_slipped = False

    def texts(self, part: Part, led: Sequence[Led]) -> Sequence[str]:
        """What is typed into a part."""
        right, answer = part.texts("rounded"), self._answers[part.name]
        if answer.ask.kind != "blanks":
            return right
        if not self._has_slipped:
            self._has_slipped = True
            return [
                positional((cell.middle + _FAR * (1 + cell.column) * self._grain) // self._grain, self._decimals)
                for cell in answer.cells
            ]
        return [text if one is None else self._rounded(one) for text, one in zip(right, led, strict=True)]

    def _rounded(self, interval: Interval) -> str:
        middle = (interval[0] + interval[1] + self._grain) // (2 * self._grain)
        return positional(middle, self._decimals)
