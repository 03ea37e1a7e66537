"""General terms at numbers, by mpmath alone: no line shared with what is tested.

A letter and an entry have the numbers that ``names`` gives them; random ones those of each outcome in turn; defined
ones what their definition gives. Derivatives are differences and limits are looked at far out, so that these two are
compared with less care than the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import mpmath
from mpmath import mp

from symattn.statements import terms as t

FAR = {"positive": 200, "natural": 10**9}


@dataclass(frozen=True)
class World:
    """Numbers by name, the outcomes of what is random as (probability, numbers by name), and definitions by name: pairs
    of which the first that fits counts.
    """

    names: Mapping[str, Any]
    outcomes: tuple[tuple[Any, Mapping[str, Any]], ...] = ()
    defined: Mapping[str, tuple[tuple[t.Term, t.Term], ...]] = field(default_factory=dict)

    def having(self, **more: Any) -> World:
        return replace(self, names={**self.names, **more})


def place(index: t.Index, world: World) -> int:
    if isinstance(index, t.Image):
        return int(world.names[index.by][place(index.index, world) - 1])
    if isinstance(index, t.Next):
        return place(index.index, world) + 1
    return index if isinstance(index, int) else int(world.names[index])


def binding(index: t.Index, at: int) -> tuple[str, int]:
    """What an index is called, and its place where the entry stands at a place."""
    return (index.index, at - 1) if isinstance(index, t.Next) else (str(index), at)


def number(tree: t.Term, world: World) -> Any:
    def inner(part: t.Term) -> Any:
        return number(part, world)

    match tree:
        case t.Num(value):
            return mp.mpf(value.numerator) / value.denominator
        case t.Letter(name) if name in world.names:
            return mp.mpf(world.names[name])
        case t.Letter(name):
            return inner(world.defined[name][0][1])
        case t.Item(array, indices) if array.name not in world.names:
            for left, right in world.defined[array.name]:
                assert isinstance(left, t.Item)
                pairs = [(name, place(index, world)) for name, index in zip(left.indices, indices, strict=True)]
                if all(at == name for name, at in pairs if isinstance(name, int)):
                    return number(right, world.having(**dict(binding(name, at) for name, at in pairs)))
            raise LookupError(array.name)
        case t.Item(array, indices):
            found = world.names[array.name]
            for index in indices:
                found = found[place(index, world) - 1]
            return mp.mpf(found)
        case t.Add(terms):
            return mpmath.fsum(map(inner, terms))
        case t.Mul(factors):
            return mpmath.fprod(map(inner, factors))
        case t.Div(above, below):
            return inner(above) / inner(below)
        case t.Pow(base, exponent):
            return inner(base) ** (mp.mpf(exponent.numerator) / exponent.denominator)
        case t.Fn(name, argument):
            return getattr(mp, name)(inner(argument))
        case t.Sum(index, high, body, low):
            first, last = int(inner(low)), int(inner(high))
            return mpmath.fsum(number(body, world.having(**{index: at})) for at in range(first, last + 1))
        case t.Delta(left, right):
            return mp.mpf(place(left, world) == place(right, world))
        case t.Chance(kind, body):
            return chance(kind, body, world)
        case t.Derivative(body, by):
            return mpmath.diff(lambda x: number(body, moved(by, x, world)), number(by, world))
        case t.Limit(body, letter, to):
            far = mp.mpf(FAR[letter.kind])
            return number(body, world.having(**{letter.name: far if to == "oo" else 1 / far}))
        case t.Rank(entry):
            values = mp.svd_r(mp.matrix(written_out(entry.array, world)))[1]
            return mp.mpf(sum(value > mp.mpf("1e-15") for value in values))
    raise TypeError(tree)


def moved(by: t.Letter | t.Item, x: Any, world: World) -> World:
    """The world with another number for one letter or entry."""
    if isinstance(by, t.Letter):
        return world.having(**{by.name: x})
    at = [place(index, world) - 1 for index in by.indices]

    def changed(rows: Any, where: list[int]) -> Any:
        rows = list(rows)
        rows[where[0]] = x if len(where) == 1 else changed(rows[where[0]], where[1:])
        return rows

    return world.having(**{by.array.name: changed(written_out(by.array, world), at)})


def written_out(array: t.Array, world: World) -> Any:
    """All entries, also of an array that is defined."""
    if array.name in world.names:
        return world.names[array.name]
    sizes = [range(1, int(world.names[size]) + 1) for size in array.shape]
    if len(sizes) == 1:
        return [number(array[i], world) for i in sizes[0]]
    return [[number(array[i, j], world) for j in sizes[1]] for i in sizes[0]]


def chance(kind: str, body: t.Term, world: World) -> Any:
    worth = [
        (share, number(body, replace(world, names={**world.names, **outcome}, outcomes=())))
        for share, outcome in world.outcomes
    ]
    mean = mpmath.fsum(share * x for share, x in worth)
    if kind == "E":
        return mean
    square = mpmath.fsum(share * (x - mean) ** 2 for share, x in worth)
    if kind == "Var":
        return square
    return mpmath.fsum(share * (x - mean) ** 4 for share, x in worth) - 3 * square**2
