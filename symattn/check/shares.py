"""Weights worked as one exponential over the sum of all: ``e^{0.707} / (e^{0.707} + 1)``, ``2.028 / 3.028``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symattn.check.findings import Findings
from symattn.check.judging import opinion_of
from symattn.check.operands import Wrong, terms_of
from symattn.check.reading.tree import Call, Negative, Node, Num, Operation, Statement
from symattn.check.ruled import Ruled
from symattn.check.verdicts import ERRATA
from symattn.exact.values import MASKED


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
    if parts is None or made is None or made.quantity != "weights" or made.row is None or made.col is None:
        return
    row, column, head = made.row, made.col, made.head or 0
    for section in range(len(ruled.example.known.worked.sections)):
        logits = ruled.example.known.array("logits", head, section)
        if logits is None or logits.rows[row][column] is MASKED:
            continue
        seen = [key for key, value in enumerate(logits.rows[row]) if value is not MASKED]
        terms = list(zip(parts.below, seen, strict=True)) if len(parts.below) == len(seen) else []
        places: list[tuple[Node, str, int]] = [(parts.above, "exponentials", column)]
        places += [(node, "exponentials", key) for node, key in terms]
        places += [(parts.below[0], "sums", 0)] if len(parts.below) == 1 < len(seen) else []
        wrong = [_wrong_term(ruled, node, name, head, section, (row, key)) for node, name, key in places]
        told = [one for one in wrong if one is not None]
        if len(told) * 2 <= len(places):
            yield from told
        return


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
