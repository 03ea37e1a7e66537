"""Lines that give a name, by definition or by recursion, and lines that hold for every place by induction.

A hypothesis speaks of one place alone, so its index is in capitals, and every line that rests on it is a hypothesis
too, until an induction has both its base and its step.
"""

from __future__ import annotations

from collections.abc import Mapping

from symattn.check.laws.signs import Signs
from symattn.statements.proof import Assumption, Law, Line
from symattn.statements.terms import Image, Index, Item, Letter, Next, Term, free_indices, reindexed, walk

Known = Mapping[str, Assumption | Line]
"""What is known when a line is reached, by name."""


def name_of(tree: Term) -> str | None:
    """The name of a letter or of an entry's array."""
    if isinstance(tree, Letter):
        return tree.name
    return tree.array.name if isinstance(tree, Item) else None


def is_fresh(line: Line, known: Known, signs: Signs) -> bool:
    """A definition names what has no name yet, by what does not hold it, and calls positive what is so."""
    name = name_of(line.left)
    if name is None or _occurs(name, line.right) or _is_known(name, line, known):
        return False
    indices = {_named(index) for index in line.left.indices} if isinstance(line.left, Item) else set()
    return free_indices(line.right) <= indices and _is_of_its_kind(line, signs)


def is_recursive(line: Line, known: Known, signs: Signs) -> bool:
    """The entry after place b comes from that in place b, and the first has been defined."""
    match line.left, [known[name] for name in line.uses]:
        case Item(array, indices), [Line(law=Law.DEFINITION) as base] if any(isinstance(one, Next) for one in indices):
            place = next(number for number, one in enumerate(indices) if isinstance(one, Next))
            earlier = (*indices[:place], _named(indices[place]), *indices[place + 1 :])
            first = Item(array, (*indices[:place], 1, *indices[place + 1 :]))
            held = {part for part in walk(line.right) if name_of(part) == array.name}
            alone = not _is_known(array.name, line, {name: one for name, one in known.items() if one != base})
            bound = free_indices(line.right) <= {_named(index) for index in indices}
            return (
                base.left == first
                and held <= {Item(array, earlier)}
                and alone
                and bound
                and _is_of_its_kind(line, signs)
            )
    return False


def _is_of_its_kind(line: Line, signs: Signs) -> bool:
    kind = line.left.array.kind if isinstance(line.left, Item) else getattr(line.left, "kind", "")
    return kind != "natural" and (kind != "positive" or signs.above_zero(line.right))


def _is_known(name: str, line: Line, known: Known) -> bool:
    """Whether a name stands in an earlier line, or in an assumption that the line uses."""
    for one in known.values():
        if isinstance(one, Line):
            sides = [one.left, one.right]
        else:
            sides = [side for pair in one.equal for side in pair] if one.name in line.uses else []
        if any(_occurs(name, side) for side in sides):
            return True
    return False


def _occurs(name: str, tree: Term) -> bool:
    return any(name_of(part) == name for part in walk(tree))


def _named(index: Index) -> str:
    return str(index.index if isinstance(index, Next | Image) else index)


def supposed(line: Line, known: Known) -> frozenset[str]:
    """The hypotheses that a line rests on and no induction has proved."""
    if line.law is Law.HYPOTHESIS:
        return frozenset({line.name})
    if line.law is Law.INDUCTION:
        return frozenset()
    used = (known[name] for name in line.uses)
    return frozenset().union(*(supposed(one, known) for one in used if isinstance(one, Line)))


def places_of(line: Line) -> frozenset[str]:
    """The names of single places, in capitals, that stand in a line."""
    held = (part for side in (line.left, line.right) for part in walk(side) if isinstance(part, Item))
    return frozenset(name for part in held for name in map(_named, part.indices) if name.isupper())


def is_inductive(line: Line, known: Known) -> bool:
    """True of the first place; and true of the place after B, where it is supposed of B alone."""
    match [known[name] for name in line.uses]:
        case [Line(relation="=") as base, Line(relation="=") as step]:
            hypotheses = [one for name in supposed(step, known) if isinstance(one := known[name], Line)]
        case _:
            return False
    if supposed(base, known) or len(hypotheses) != 1:
        return False
    (hypothesis,) = hypotheses
    named = {place for one in known.values() if isinstance(one, Assumption) for place in _assumed(one)}
    return any(
        [_at(line, index, 1), _at(line, index, place), _at(line, index, Next(place))]
        == [(one.left, one.right) for one in (base, hypothesis, step)]
        for index in free_indices(line.left) | free_indices(line.right)
        for place in places_of(hypothesis) - named
        if not _follows_on(line, index)
    )


def _assumed(one: Assumption) -> frozenset[str]:
    return frozenset().union(*(places_of(Line("", left, right, Law.DEFINITION)) for left, right in one.equal))


def _follows_on(line: Line, index: str) -> bool:
    """Whether the place after an index stands in the line."""
    parts = (part for side in (line.left, line.right) for part in walk(side) if isinstance(part, Item))
    return any(one == Next(index) for part in parts for one in part.indices)


def _at(line: Line, index: str, place: Index) -> tuple[Term, Term]:
    return reindexed(line.left, {index: place}), reindexed(line.right, {index: place})
