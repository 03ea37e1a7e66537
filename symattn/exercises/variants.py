"""Fair variants in order: candidates judged one by one, each served unless an earlier one collides with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from symattn.exercises.variant import Refused, Variant

MOST_IN_VAIN: Final = 20_000
"""Candidates refused one after another, after which a recipe is called hard to satisfy."""


@dataclass(eq=False)
class Acceptance:
    """Which variants have been served, and why candidates were refused.

    Candidates come in the order of their numbers, so what is served does not depend on how many are wanted.
    """

    served: int = 0
    candidates: int = 0
    in_vain: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    seen: set[bytes] = field(default_factory=set, repr=False)

    def accept(self, verdict: Marks | Refused) -> bool:
        """Whether this verdict's variant is served."""
        self.candidates += 1
        why = verdict.why if isinstance(verdict, Refused) else self._collision(verdict)
        if why:
            self.refused[why] += 1
            self.in_vain += 1
            return False
        self.served += 1
        self.in_vain = 0
        return True

    def _collision(self, marks: Marks) -> str:
        data, name, answers = b"d" + marks.data, b"c" + marks.code.encode(), b"a" + marks.answers
        if data in self.seen or name in self.seen:
            return "same data"
        if answers in self.seen:
            return "same answers"
        self.seen.update((data, name, answers))
        return ""


@dataclass(frozen=True, slots=True)
class Marks:
    """What may not be the same in two variants: digests of the data and of the answers, and the code."""

    data: bytes
    code: str
    answers: bytes


def marks(variant: Variant) -> Marks:
    """A variant's marks."""
    keys = "|".join(
        str(cell.exact) if answer.ask.kind == "closed" else cell.key
        for answer in variant.answers
        for cell in answer.cells
    )
    return Marks(variant.drawn.identity(), variant.code, blake2b(keys.encode(), digest_size=16).digest())


def served(verdicts: Iterable[Variant | Refused], count: int, acceptance: Acceptance) -> Iterator[Variant]:
    """The first ``count`` variants that are served; fewer where candidates end or too many are refused in a row."""
    for verdict in verdicts:
        if acceptance.served >= count:
            return
        if acceptance.accept(marks(verdict) if isinstance(verdict, Variant) else verdict):
            assert isinstance(verdict, Variant)  # noqa: S101 - what is refused is not accepted
            yield verdict
            if acceptance.served >= count:
                return
        elif acceptance.in_vain >= MOST_IN_VAIN:
            return
