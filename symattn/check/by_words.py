"""Blocks that the words around them explain: totals, entries that a row is named after, quoted rows, proportions."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from symattn.check import policy
from symattn.check.agreement import stand
from symattn.check.arithmetic import worth
from symattn.check.blocks import Block, sentence
from symattn.check.findings import Findings
from symattn.check.judging import because_of, opinion_of
from symattn.check.match import named_rows
from symattn.check.quantities import Array, Known
from symattn.check.reading.labels import cell_of, follows, head_of, is_quoted, named_row, of_words, row_of
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import entry, numbers_in
from symattn.check.report import Because
from symattn.check.routes import Route
from symattn.check.ruled import Ruled
from symattn.check.verdicts import ERRATA
from symattn.errors import SymattnError
from symattn.exact.values import Value
from symattn.rounding import nearest

_LAST_WORDS: Final = 160
_PROPORTION: Final = re.compile(r"in proportion|proportional", re.IGNORECASE)
_ADDS: Final = re.compile(
    r"\b(?:adds?|sums?)\s+(?:up\s+)?to(?:\s+\$?\d(?:\d|[.,]\d)*\$?[^.;:!?\d]{0,40}\band\b[^.;:!?]{0,60}\bto)?\s+\$?\s*$"
    r"|\bthose of [^,.;:!?\n]{1,60}\sto\s+\$?\s*$",
    re.IGNORECASE,
)
"""Also ``add to 1.001 and those of the other to``, and ``those of it in head 2 to``."""
_ALWAYS: Final = re.compile(r"\b(?:every|each|any|all|so that|ha(?:s|ve) to|made to|must|always)\b", re.IGNORECASE)
_OTHERS: Final = re.compile(r"exponential|score|e\s*\^|\\exp|quer|key|value|column", re.IGNORECASE)


def by_words(to: Findings, ruled: Ruled, block: Block) -> bool:
    """Blocks that the words around them explain: sums of rows, table rows on one entry, quoted mistakes."""
    if not block.rows or not block.rows[0]:
        return False
    if is_total(block) or any(label.quantity == "ones" for label in block.own):
        return _total(to, ruled, block)
    return (
        _entry(to, ruled, block)
        or _for_name(to, ruled, block)
        or _quoted(to, ruled, block)
        or _proportions(to, ruled, block)
    )


_BEHIND: Final = ("final", "residual")
"""What is made of outputs, and is called one with a word before: ``final output of it, number 2``."""


def _entry(to: Findings, ruled: Ruled, block: Block) -> bool:
    """A number that its row's name says the place of."""
    number = entry(block.rows[0][0])
    if number is None or not block.named or not block.own:
        return False
    known = ruled.example.known
    problem = known.worked.problem
    place = cell_of(block.said.words, problem.tokens, problem.context_tokens)
    quantity = next((name for name in of_words(block.said.words)[:1] if name in _BEHIND), block.own[0].quantity)
    head = block.said.head
    heads = known.worked.sections[0].result.heads
    array = known.array(quantity, 0 if head is None and len(heads) == 1 else head, 0)
    if quantity == "output" and array is None:
        array = known.array("final", None, 0)
    if place is None or array is None or place[0] >= array.shape[0] or place[1] >= array.shape[1]:
        return False
    value = array.rows[place[0]][place[1]]
    wanted = _by_policy(ruled, number, array, place, block.policy)
    if block.policy and wanted is None:
        return True
    verdict = stand(number, value) if wanted is None else stand(number, wanted)
    word = {"correct": "correct", "truncated": "truncated", "near": "last_digit", "far": "wrong"}[verdict]
    to.add(
        number, array.quantity, array.head if len(heads) > 1 else None, place, word,
        exact=ruled.exact(value), value=value, wanted=wanted, because=None if word == "correct" else Because(word),
    )  # fmt: skip
    return True


def _by_policy(ruled: Ruled, number: Printed, array: Array, place: tuple[int, int], named: str) -> Fraction | None:
    """What a named policy prints in a place; of a page that says neither, at a number's places or at its digits, with
    ties away from zero or to even.
    """
    if not named:
        return None
    worked = ruled.example.known.worked
    wanted = policy.value(worked, array, place, number.places, named)
    if ruled.example.declared:
        return wanted
    digits = len(str(abs((number.value / number.unit).numerator)))
    other = (policy.significant(worked, digits), policy.half_even(worked))
    said = (policy.value(way, array, place, number.places, named) for way in other)
    return wanted if wanted == number.value else next((found for found in said if found == number.value), wanted)


def _for_name(to: Findings, ruled: Ruled, block: Block) -> bool:
    """A number of a row in running words, with the token that it is for: ``Row it: 0.401 for it``."""
    known = ruled.example.known
    problem = known.worked.problem
    number = entry(block.rows[0][0]) if block.shape == (1, 1) and not block.told else None
    if number is None or "weights" not in (*block.said.near, *block.said.heading):
        return False
    row = named_row(block.said.raw, problem.tokens)
    column = next((index for index, key in enumerate(problem.context_tokens) if follows(block.said.after, key)), None)
    head = 0 if block.said.head is None else block.said.head
    found = [array for array in known.arrays if array.quantity == "weights" and array.head == head]
    if row is None or column is None or not found:
        return False
    array = next((array for array in found if bool(array.section) == block.said.masked), found[0])
    if row >= array.shape[0] or column >= array.shape[1]:
        return False
    made = opinion_of(ruled, number, array, (row, column), None, None)
    if made.verdict in ERRATA and head_of(block.said.words) is None:
        for other in (one for one in known.arrays if one.quantity == "weights" and one.head != head):
            second = opinion_of(ruled, number, other, (row, column), None, None)
            if second.verdict not in ERRATA:
                array, made, head = other, second, other.head or 0
                break
    if made.verdict in ERRATA:
        cells = ruled.written.cells("weights", array.head, array.section, row, column)
        same = next((one for one in cells if one.printed.value == number.value and one.verdict == "adjusted"), None)
        if same is not None:
            made.verdict, made.route = "carried", Route(same.value, "same", (same,))
    several = len(known.worked.sections[0].result.heads) > 1
    value = array.rows[row][column]
    to.add(
        number, "weights", head if several else None, (row, column), made.verdict, exact=ruled.exact(value),
        value=value, because=because_of(made, None, [made]), wanted=made.wanted,
    )  # fmt: skip
    return True


def _quoted(to: Findings, ruled: Ruled, block: Block) -> bool:
    """A row that someone else is said to have got by a mistake."""
    if len(block.rows) != 1 or block.shape[1] < 2 or block.told or not is_quoted(block.said.words):
        return False
    known = ruled.example.known
    numbers = [entry(node) for node in block.rows[0]]
    row = row_of(f"{block.said.raw} {block.said.after}", known.worked.problem.tokens)
    for array in known.arrays:
        if array.quantity not in ("weights", "output") or array.shape[1] != len(numbers):
            continue
        if block.said.head is not None and array.head not in (block.said.head, None):
            continue
        for index in range(array.shape[0]) if row is None else (row,):
            printed = {(index, column): number for column, number in enumerate(numbers) if number is not None}
            mistake = ruled.diagnosis().named(array, printed) if index < array.shape[0] else None
            if mistake is not None:
                ruled.quoted.append(sum((number.value for number in printed.values()), Fraction(0)))
                for place, number in printed.items():
                    to.add(number, array.quantity, array.head, place, "correct", mistake=mistake)
                return True
    total = sum((number.value for number in numbers if number is not None), Fraction(0))
    for printed_number in numbers:
        if printed_number is not None and row is not None:
            parts = (nearest(total, max(printed_number.places, 1)).text,)
            to.add(printed_number, "weights", None, None, "wrong", because=Because("no_mistake", parts))
    return True


def _proportions(to: Findings, ruled: Ruled, block: Block) -> bool:
    """Rows that are said to be in proportion to the weights."""
    if not _PROPORTION.search(block.said.words) or len(block.rows) < 1:
        return False
    claims = [[worth(node, ruled.names) if node is not None else None for node in row] for row in block.rows]
    known = ruled.example.known
    has_sink = block.column_names[-1:] in (("sink",), ("Sink",))
    rows = tuple(row[:-1] for row in block.rows) if has_sink else block.rows
    for array in known.arrays:
        if array.quantity != "weights" or block.said.head not in (None, array.head):
            continue
        if len(rows[0]) != array.shape[1] or bool(array.section) != block.said.masked:
            continue
        places = named_rows(replace(block, rows=rows), array, known.worked.problem.tokens)
        if places is None:
            continue
        shares = _with_sink(known, array) if has_sink else array
        if shares is None:
            continue
        for index, row, line in zip(places, block.rows, claims, strict=True):
            _proportional(to, ruled, shares, index, row, line)
        return True
    return False


def _with_sink(known: Known, array: Array) -> Array | None:
    """What the weights of a head are in proportion to, the sink's exponential last."""
    shares = known.array("exponentials", array.head, array.section)
    sink = known.array("sink_exponential", array.head, array.section)
    if shares is None or sink is None:
        return None
    return replace(shares, rows=tuple((*row, sink.rows[0][0]) for row in shares.rows), cache={})


def _proportional(to: Findings, ruled: Ruled, array: Array, index: int, row: Any, claims: list[Any]) -> None:
    """One row: each claim over the first sound one is as weight over weight."""
    weights = array.rows[index]
    usable = [column for column, claim in enumerate(claims) if isinstance(claim, Value)]
    pivot = next((column for column in usable if _ratios(claims, weights, column, usable) * 2 > len(usable)), None)
    if pivot is None:
        return
    for column in usable:
        verdict = "correct" if _same_ratio(claims, weights, pivot, column) else "wrong"
        for number in numbers_in(row[column]):
            to.add(
                number, "weights", array.head, (index, column), verdict, exact=ruled.exact(weights[column]),
                value=weights[column], because=None if verdict == "correct" else Because("not_equal"), is_part=True,
            )  # fmt: skip


def _total(to: Findings, ruled: Ruled, block: Block) -> bool:
    """What a printed row of weights adds to; 1, where it is the law that is told."""
    number = entry(block.rows[0][0])
    if number is None or "exponential" in sentence(block.said.words):
        return False
    known = ruled.example.known
    told = row_of(block.said.raw, known.worked.problem.tokens)
    totals: list[Fraction] = []
    for array in known.arrays:
        if array.quantity != "weights" or block.said.head not in (None, array.head):
            continue
        for row in range(array.shape[0]):
            if told not in (None, row):
                continue
            seen = [key for key in range(array.shape[1]) if not array.hidden or not array.hidden[row][key]]
            lines = [
                *ruled.written.rows(array.quantity, array.head, array.section, row, array.shape[1]),
                *ruled.written.parts(array.quantity, array.head, array.section, row, seen),
            ]
            totals += [sum((judged.value for judged in line), Fraction(0)) for line in lines]
    totals += ruled.quoted
    if number.value in totals or (number.value == 1 and number.is_integer):
        to.add(number, "ones", None, None, "correct", value=number.value)
        return True
    if _is_law(ruled, block, number):
        to.add(number, "ones", None, None, "wrong", value=Fraction(1), because=Because("law"))
        return True
    if not totals or (told is None and not (ruled.quoted and number.places > 0)):
        return False
    parts = (nearest(totals[0], max(number.places, 1)).text,)
    to.add(number, "ones", None, None, "wrong", value=totals[0], because=Because("row_sum", parts))
    return True


def _is_law(ruled: Ruled, block: Block, number: Printed) -> bool:
    """Whether words say of rows of weights in general what they add to, with another integer than 1."""
    words = sentence(block.said.words)
    about = "weights" in (*block.said.near[:3], *block.said.heading[:1])
    has_sink = any(array.quantity == "sink" for array in ruled.example.known.arrays)
    if not about or has_sink or not number.is_integer or number.value < 1:
        return False
    return bool(_ALWAYS.search(words)) and not _OTHERS.search(words)


def _same_ratio(claims: list[Any], weights: Any, pivot: int, column: int) -> bool:
    """claim_pivot : claim_column = weight_pivot : weight_column, decided exactly."""
    try:
        return bool((claims[column] * weights[pivot]).equals(weights[column] * claims[pivot]))
    except (SymattnError, ArithmeticError):
        return False


def _ratios(claims: list[Any], weights: Any, pivot: int, usable: list[int]) -> int:
    return sum(_same_ratio(claims, weights, pivot, column) for column in usable)


def is_total(block: Block) -> bool:
    """Whether words say of a number that something adds to it."""
    return block.shape == (1, 1) and not block.told and bool(_ADDS.search(block.said.words[-_LAST_WORDS:]))
