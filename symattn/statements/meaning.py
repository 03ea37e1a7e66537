"""What a name stands for: the definitions of a derivation, looked up for one entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from symattn.statements.proof import Law, Line
from symattn.statements.terms import Index, Item, Letter, Next, Term

Definitions: TypeAlias = "Mapping[str, tuple[tuple[tuple[Index, ...], Term], ...]]"
"""By the name of a letter or an array: the indices of each line that defines it, and what it defines them as."""


def definitions(lines: Iterable[Line]) -> Definitions:
    """What each name stands for; an array may have one line for its first place and one for each next place."""
    found: dict[str, tuple[tuple[tuple[Index, ...], Term], ...]] = {}
    for line in lines:
        if line.law in (Law.DEFINITION, Law.RECURSION):
            match line.left:
                case Letter(name):
                    found[name] = (((), line.right),)
                case Item(array, indices):
                    found[array.name] = (*found.get(array.name, ()), (indices, line.right))
    return found


def meaning(name: str, places: Sequence[int], known: Definitions) -> tuple[Term, dict[str, int]]:
    """What the entry in these places is defined as, and the numbers of the indices in it.

    Raises:
        LookupError: Nothing defines it.
    """
    for indices, right in known.get(name, ()):
        found: dict[str, int] = {}
        if len(indices) == len(places) and all(map(_fits, indices, places, [found] * len(places))):
            return right, found
    raise LookupError(f"{name} has no number")


def _fits(index: Index, place: int, found: dict[str, int]) -> bool:
    """Whether an index can stand for the place; ``found`` then says what its name is."""
    match index:
        case int():
            return index == place
        case str():
            return found.setdefault(index, place) == place
        case Next(name):
            return place > 1 and found.setdefault(name, place - 1) == place - 1
    return False
