"""What a brief page works in full: one cell, one row, one mix; and which rows only repeat or change."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from symattn.exact.attention import Head, Result
from symattn.exact.numbers import ZERO, from_decimal, is_zero, key
from symattn.exact.values import Softmax
from symattn.policies import PrintedHead


@dataclass(frozen=True, slots=True)
class Guess:
    """Which keys take the largest weight in a row, and how the other weights compare with it."""

    row: int
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Places, counted from 0.

    ``cell``: the score worked in full; ``turn``: the one left to the reader; ``row``: the row worked in full;
    ``distinct``: a place of each distinct score, smallest score first, empty when they are many; ``repeats[i]``: the
    earlier row that holds the same logits as row i in some order, or None.
    """

    cell: tuple[int, int]
    turn: tuple[int, int] | None
    distinct: tuple[tuple[int, int], ...]
    row: int
    repeats: tuple[int | None, ...]
    guess: Guess | None


_MOST_DISTINCT = 4


def story(head: Head, text: PrintedHead, *, guessed: bool = True) -> Story:
    """The choices for one head; ``guessed``: whether the reader guesses where a row looks."""
    cell = _fullest_cell(head)
    row = next((i for i, softmax in enumerate(head.rows) if _allowed(softmax) > 1), 0)
    return Story(
        cell,
        _other_cell(head, cell),
        _distinct(head, text),
        row,
        _repeats(head),
        _guess(head, text) if guessed else None,
    )


def _allowed(row: Softmax) -> int:
    return sum(row.counts)


def _fullest_cell(head: Head) -> tuple[int, int]:
    """The cell with the most products that are not zero; the last of them."""

    def products(place: tuple[int, int]) -> int:
        left, right = head.query.rows[place[0]], head.key.rows[place[1]]
        return sum(not is_zero(q.number) and not is_zero(k.number) for q, k in zip(left, right, strict=True))

    return max(reversed(list(head.scores.places())), key=products)


def _other_cell(head: Head, cell: tuple[int, int]) -> tuple[int, int] | None:
    """The first cell off the diagonal that is not the one worked in full."""
    return next((place for place in head.scores.places() if place != cell and place[0] != place[1]), None)


def _distinct(head: Head, text: PrintedHead) -> tuple[tuple[int, int], ...]:
    found: dict[object, tuple[int, int]] = {}
    for place in head.scores.places():
        found.setdefault(key(head.scores[place].number), place)
        if len(found) > _MOST_DISTINCT:
            return ()
    if any(head.scores[place].symbols() for place in found.values()):
        return tuple(found.values())
    return tuple(sorted(found.values(), key=lambda place: _nearest(text, place)))


def _nearest(text: PrintedHead, place: tuple[int, int]) -> fmpq:
    shown = text.scores[place[0]][place[1]]
    return ZERO if shown is None else from_decimal(shown.nearest)


def _repeats(head: Head) -> tuple[int | None, ...]:
    seen: dict[frozenset[tuple[object, int]], int] = {}
    found: list[int | None] = []
    for index, row in enumerate(head.rows):
        held = frozenset(zip(map(key, row.exponents), row.counts, strict=True))
        found.append(seen.get(held))
        seen.setdefault(held, index)
    return tuple(found)


def _guess(head: Head, text: PrintedHead) -> Guess | None:
    for index, row in enumerate(head.rows):
        held = {group for group in row.groups if group is not None}
        if len(held) < 2 or None in text.weights[index]:
            continue
        largest = row.largest(held)
        return Guess(index, tuple(key for key, group in enumerate(row.groups) if group == largest))
    return None


def changed_rows(before: Result, after: Result, head: int) -> tuple[int, ...]:
    """Rows whose weights or whose masked keys differ between two sets of options."""
    left, right = before.heads[head], after.heads[head]
    return tuple(index for index in range(len(left.rows)) if not _is_kept(left, right, index))


def _is_kept(left: Head, right: Head, row: int) -> bool:
    """Whether a row has the same weights and the same masked keys, decided exactly."""
    one, other = left.rows[row], right.rows[row]
    if [group is None for group in one.groups] != [group is None for group in other.groups]:
        return False
    if one.exponents and (one.exponents, one.counts, one.groups) == (other.exponents, other.counts, other.groups):
        return True
    return all(a.equals(b) for a, b in zip(left.weights.rows[row], right.weights.rows[row], strict=True))
