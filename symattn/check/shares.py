"""Weights worked as one exponential over the sum of all: ``e^{0.707} / (e^{0.707} + 1)``, ``2.028 / 3.028``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from symattn.check.agreement import stand
from symattn.check.blocks import Block
from symattn.check.findings import Findings
from symattn.check.judging import opinion_of
from symattn.check.operands import Wrong, terms_of
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import Call, Negative, Node, Num, Operation, Statement, entry
from symattn.check.report import Because
from symattn.check.ruled import Ruled
from symattn.check.verdicts import ERRATA
from symattn.exact.values import MASKED, Value

_FARTHEST: Final = 9
_MOST_ROWS: Final = 32


@dataclass(frozen=True, slots=True)
class Share:
    """A quotient of exponentials: one of them above, their sum below, each as e to a number or as a number."""

    above: Node
    below: tuple[Node, ...]


def share(node: Node) -> Share | None:
    """A number or e to one, over a number or a sum of such; None for any other formula."""
    match node:
        case Operation("/", above, below) if _is_term(above):
            terms = terms_of(below)
            return Share(above, tuple(terms)) if all(map(_is_term, terms)) else None
    return None


def _is_term(node: Node) -> bool:
    match node:
        case Num() | Call("exp", (Num() | Negative() | Operation(),)):
            return True
    return False


def wrong_shares(to: Findings, ruled: Ruled, statement: Statement) -> Iterator[Wrong]:
    """Of a weight worked as exponential over sum: the numbers that are not those of its row."""
    parts = next((found for member in statement.members if (found := share(member.node)) is not None), None)
    last = statement.members[-1].node
    made = to.found.get(last.printed.start) if isinstance(last, Num) else None
    if parts is None or made is None or not isinstance(last, Num) or last.printed.special:
        return
    if made.quantity == "weights" and made.row is not None and made.col is not None:
        sections = range(len(ruled.example.known.worked.sections))
        rows = (_wrong_terms(ruled, parts, made.head or 0, section, (made.row, made.col)) for section in sections)
        yield from next((found for found in rows if found is not None), ())
    elif made.quantity == "arithmetic":
        yield from _slip(ruled, parts, last.printed)


def slipped(to: Findings, ruled: Ruled, block: Block) -> bool:
    """Whether a number is a weight and a slip in its exponentials makes the line false; then both are told."""
    members = block.statement.members if block.statement is not None else ()
    parts = next((found for member in members if (found := share(member.node)) is not None), None)
    number = entry(block.rows[0][0]) if block.shape == (1, 1) else None
    if parts is None or number is None or number.special or number.start != members[-1].start:
        return False
    wrong = _slip(ruled, parts, number)
    for term, wanted in wrong:
        to.add(term, "arithmetic", None, None, "wrong", value=wanted, because=Because("false_line"))
        to.add(number, "arithmetic", None, None, "correct", value=number.value)
    return bool(wrong)


def _slip(ruled: Ruled, parts: Share, weight: Printed) -> list[Wrong]:
    """The terms that are a few units off, where some weight is printed so and the rest is that of its row."""
    best: list[Wrong] = []
    for array in ruled.example.known.arrays:
        if array.quantity != "weights":
            continue
        for row, line in enumerate(array.rows[:_MOST_ROWS]):
            for column, value in enumerate(line[:_MOST_ROWS]):
                if stand(weight, value) != "correct":
                    continue
                found = _wrong_terms(ruled, parts, array.head or 0, array.section, (row, column))
                if found == []:
                    return []
                best = best or [one for one in found or () if _is_near(*one)]
    return best


def _is_near(number: Printed, value: Value | Fraction) -> bool:
    """Whether a number is a few units in its last place away from what it should be."""
    return number.places > 0 and any(
        stand(replace(number, value=number.value + step * number.unit), value) == "correct"
        for step in range(-_FARTHEST, _FARTHEST + 1)
    )


def _wrong_terms(ruled: Ruled, parts: Share, head: int, section: int, place: tuple[int, int]) -> list[Wrong] | None:
    """The terms that are not those of a place; None where too few are, or nothing is seen there."""
    row, column = place
    logits = ruled.example.known.array("logits", head, section)
    if logits is None or logits.rows[row][column] is MASKED:
        return None
    seen = [key for key, value in enumerate(logits.rows[row]) if value is not MASKED]
    terms = list(zip(parts.below, seen, strict=True)) if len(parts.below) == len(seen) else []
    places: list[tuple[Node, str, int]] = [(parts.above, "exponentials", column)]
    places += [(node, "exponentials", key) for node, key in terms]
    places += [(parts.below[0], "sums", 0)] if len(parts.below) == 1 < len(seen) else []
    wrong = [_wrong_term(ruled, node, name, head, section, (row, key)) for node, name, key in places]
    told = [one for one in wrong if one is not None]
    return told if len(told) * 2 <= len(places) and len(places) > 1 else None


def _wrong_term(
    ruled: Ruled, node: Node, quantity: str, head: int, section: int, place: tuple[int, int]
) -> Wrong | None:
    """A term that is neither what belongs in its place, nor follows from what the page prints there."""
    match node:
        case Call("exp", (Num(number),)):
            quantity = "logits"
        case Num(number):
            pass
        case _:
            return None
    array = ruled.example.known.array(quantity, head, section)
    if array is None or number.special:
        return None
    made = opinion_of(ruled, number, array, place, None, None)
    printed = {cell.value for _, cell in (*ruled.written.exponentials, *ruled.written.results)}
    return None if made.verdict not in ERRATA or number.value in printed else (number, array.rows[place[0]][place[1]])
