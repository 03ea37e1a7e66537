"""By which roads a pencil worker gets to a number from numbers that stand earlier on the page."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from symattn.check.agreement import stand
from symattn.check.quantities import Array, Known
from symattn.check.written import Judged, Written
from symattn.exact import numbers
from symattn.exact.values import MASKED, Plain, Value, Weight, softmax
from symattn.problem import Entry

_LARGEST_LOGIT: Final = 2000


@dataclass(frozen=True, slots=True)
class Route:
    """A value, the words' key of how it is made, and the printed numbers that it is made from."""

    value: Value | Fraction
    how: str
    sources: tuple[Judged, ...]


Amount: TypeAlias = Value | Fraction
__all__ = ["Entry", "Route", "routes"]


def routes(known: Known, written: Written, array: Array, row: int, column: int) -> Iterator[Route]:
    """Every road to one entry of an array, the plainest first."""
    made = _ROADS.get(array.quantity)
    if made is not None:
        yield from made(_Place(known, written, array, row, column))


@dataclass(frozen=True, slots=True)
class _Place:
    known: Known
    written: Written
    array: Array
    row: int
    column: int

    @property
    def head(self) -> int | None:
        return self.array.head

    @property
    def section(self) -> int:
        return self.array.section

    def exact(self, quantity: str, head: int | None = None) -> Array | None:
        return self.known.array(quantity, self.head if head is None else head, self.section)

    def lines(self, quantity: str, row: int) -> Iterator[tuple[Judged, ...]]:
        array = self.exact(quantity)
        if array is not None:
            yield from self.written.rows(quantity, array.head, self.section, row, array.shape[1])

    def cells(self, quantity: str, row: int, column: int) -> Iterator[Judged]:
        yield from self.written.cells(quantity, self.head, self.section, row, column)


def _plain_row(array: Array | None, row: int) -> list[Fraction] | None:
    """A row's exact entries, if all are rational."""
    if array is None:
        return None
    found = [_rational(value) for value in array.rows[row]]
    return None if None in found else found  # type: ignore[return-value]


def _rational(value: Value) -> Fraction | None:
    return numbers.rational(value.number) if isinstance(value, Plain) else None


def _from_fractions(left: list[Fraction], right: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _values(line: tuple[Judged, ...]) -> list[Fraction]:
    return [judged.value for judged in line]


def _projected(place: _Place) -> Iterator[Route]:
    """X times a table, with the page's own X or table."""
    table = {"query": "W_Q", "key": "W_K", "value": "W_V"}[place.array.quantity]
    name, row = _source(place)
    weights, source = place.exact(table), place.exact(name)
    if weights is None or source is None or row < 0:
        return
    heads = [found for found in place.known.arrays if found.quantity == place.array.quantity and found.head is not None]
    width = place.array.shape[1]
    column = place.column + (place.head * width if place.head is not None and len(heads) > 1 else 0)
    if column >= weights.shape[1]:
        return
    lines = list(place.lines(name, row))[:2]
    tall = list(place.written.columns(table, None, 0, column, weights.shape[0]))[:2]
    exact_row = _plain_row(source, row)
    exact_column = [_rational(line[column]) for line in weights.rows]
    more = _added(place, table.replace("W", "b"), column)
    if more is None:
        return
    for line in lines:
        for other in tall:
            yield Route(_from_fractions(_values(line), _values(other)) + more, "product", line + other)
        if None not in exact_column:
            yield Route(_from_fractions(_values(line), exact_column) + more, "product", line)  # type: ignore[arg-type]
    if exact_row is not None:
        for other in tall:
            yield Route(_from_fractions(exact_row, _values(other)) + more, "product", other)


def _reprinted(place: _Place) -> Iterator[Route]:
    """A token of a layer as the page printed it where the layer before gave it."""
    for judged in place.written.tokens(place.row, place.column) if place.written.tokens is not None else ():
        yield Route(judged.value, "same", (judged,))


def _added_up(place: _Place) -> Iterator[Route]:
    """A token plus its output, both as the page has them."""
    exact = place.known.array("X", None, 0)
    own = None if exact is None else _rational(exact.rows[place.row][place.column])
    tokens: list[tuple[Fraction, tuple[Judged, ...]]] = [] if own is None else [(own, ())]
    tokens += [(judged.value, (judged,)) for judged in place.written.cells("X", None, 0, place.row, place.column)]
    made, head = ("output", 0) if place.known.array("final", None, 0) is None else ("final", None)
    for output in place.written.cells(made, head, 0, place.row, place.column):
        for token, judged in tokens:
            yield Route(token + output.value, "sum", (*judged, output))


def _source(place: _Place) -> tuple[str, int]:
    """What a row of queries, keys or values was made from: its name, and the row; below 0 for what a cache holds."""
    if place.array.quantity == "query":
        return "X", place.row
    past = place.exact(f"past_{place.array.quantity}")
    name = "X" if place.exact("context") is None else "context"
    return name, place.row - (past.shape[0] if past is not None else 0)


def _added(place: _Place, name: str, column: int) -> Fraction | None:
    """What a vector adds in a column, 0 where there is none; None where it is no rational number."""
    vector = place.exact(name)
    return Fraction(0) if vector is None else _rational(vector.rows[0][column])


def _scores(place: _Place) -> Iterator[Route]:
    query, key = place.exact("query"), place.exact("key")
    if query is None or key is None or query.shape[1] != key.shape[1]:
        return
    lefts = list(place.lines("query", place.row))[:3]
    rights = list(place.lines("key", place.column))[:3]
    exact_left, exact_right = _plain_row(query, place.row), _plain_row(key, place.column)
    for left in lefts:
        for right in rights:
            yield Route(_from_fractions(_values(left), _values(right)), "dot", left + right)
        if exact_right is not None:
            yield Route(_from_fractions(_values(left), exact_right), "dot", left)
    if exact_left is not None:
        for right in rights:
            yield Route(_from_fractions(exact_left, _values(right)), "dot", right)


def _scaled(place: _Place) -> Iterator[Route]:
    scale = place.known.worked.sections[place.section].result.scale
    for score in place.cells("scores", place.row, place.column):
        if score.printed.special:
            continue
        yield Route(Plain(numbers.from_fraction(score.value) * scale), "scaled", (score,))
        for root in place.written.cells("sqrt_dk", None, 0, 0, 0):
            if root.value:
                yield Route(score.value / root.value, "over_root", (score, root))
        for factor in place.written.cells("scale", None, 0, 0, 0):
            yield Route(score.value * factor.value, "times_factor", (score, factor))


def _logits(place: _Place) -> Iterator[Route]:
    if place.array.rows[place.row][place.column] is MASKED:
        return
    for name in ("biased", "capped", "scaled"):
        for cell in place.cells(name, place.row, place.column):
            result = place.known.worked.sections[place.section].result
            value = numbers.from_fraction(cell.value)
            if result.temperature is not None:
                value = value * numbers.inverse(result.temperature)
            yield Route(Plain(value), "same", (cell,))
    yield from _scaled(place)


def _biased(place: _Place) -> Iterator[Route]:
    bias = place.exact("bias")
    if bias is None:
        return
    for name in ("capped", "scaled"):
        for cell in place.cells(name, place.row, place.column):
            more = bias.rows[place.row][place.column]
            if isinstance(more, Plain):
                yield Route(Plain(numbers.from_fraction(cell.value) + more.number), "sum", (cell,))


def _capped(place: _Place) -> Iterator[Route]:
    cap = place.known.worked.sections[place.section].result.softcap
    if cap is None:
        return
    for cell in place.cells("scaled", place.row, place.column):
        inner = numbers.from_fraction(cell.value) * numbers.inverse(cap)
        yield Route(Plain(cap * numbers.tanh(inner)), "capped", (cell,))


def _last_logits(place: _Place) -> tuple[str, ...]:
    """The written quantities that softmax may have been taken of."""
    result = place.known.worked.sections[place.section].result
    if result.temperature is not None:
        return ("logits",)
    if place.exact("biased") is not None:
        return ("logits", "biased")
    if place.exact("capped") is not None:
        return ("logits", "capped")
    return ("logits", "scaled", "scores") if numbers.rational(result.scale) == 1 else ("logits", "scaled")


def _exponentials(place: _Place) -> Iterator[Route]:
    logits = place.exact("logits")
    if logits is None or logits.rows[place.row][place.column] is MASKED:
        return
    for name in _last_logits(place):
        for cell in place.cells(name, place.row, place.column):
            if not cell.printed.special and abs(cell.value) < _LARGEST_LOGIT:
                yield Route(Plain(numbers.exp(numbers.from_fraction(cell.value))), "exp", (cell,))
    for cell in place.written.alike(logits.rows[place.row][place.column]):
        if abs(cell.value) < _LARGEST_LOGIT:
            yield Route(Plain(numbers.exp(numbers.from_fraction(cell.value))), "exp", (cell,))


def _sums(place: _Place) -> Iterator[Route]:
    allowed = _mask_row(place)
    kept = [key for key, may in enumerate(allowed) if may]
    parts = place.written.parts("exponentials", place.head, place.section, place.row, kept)
    sinks = list(place.written.cells("sink_exponential", place.head, place.section, 0, 0))
    for line in (*place.lines("exponentials", place.row), *parts):
        yield Route(sum(_values(line), Fraction(0)), "sum", line)
        for sink in sinks:
            yield Route(sum(_values(line), sink.value), "sum", (*line, sink))
    spelled = _spelled_exponentials(place)
    if spelled:
        yield Route(sum(_values(spelled), Fraction(0)), "sum", spelled)
    for name in _last_logits(place):
        for line in list(place.lines(name, place.row))[:2]:
            seen = [judged.value for judged, may in zip(line, allowed, strict=True) if may]
            if seen and all(abs(value) < _LARGEST_LOGIT for value in seen):
                raised = (numbers.exp(numbers.from_fraction(value)) for value in seen)
                yield Route(Plain(functools.reduce(operator.add, raised)), "exp_sum", line)


def _spelled_exponentials(place: _Place) -> tuple[Judged, ...]:
    """A row of exponentials that lines such as ``exp(0.707) = 2.028`` gave one by one; empty where one is missing."""
    logits = place.exact("logits")
    found: list[Judged] = []
    for column, value in enumerate(logits.rows[place.row]) if logits is not None else ():
        if value is MASKED:
            continue
        printed = {cell.value for name in _last_logits(place) for cell in place.cells(name, place.row, column)}
        spelled = (
            made
            for argument, made in place.written.exponentials
            if argument.value in printed or stand(argument, value) == "correct"
        )
        cell = next(place.cells("exponentials", place.row, column), None) or next(spelled, None)
        if cell is None:
            return ()
        found.append(cell)
    return tuple(found)


def _mask_row(place: _Place) -> list[bool]:
    logits = place.exact("logits")
    return [] if logits is None else [value is not MASKED for value in logits.rows[place.row]]


def _weights(place: _Place) -> Iterator[Route]:
    allowed = _mask_row(place)
    if not allowed or not allowed[place.column]:
        return
    for line in list(place.lines("exponentials", place.row))[:2]:
        seen = [judged.value if may else Fraction(0) for judged, may in zip(line, allowed, strict=True)]
        for total in place.cells("sums", place.row, 0):
            if total.value:
                yield Route(seen[place.column] / total.value, "over_sum", (line[place.column], total))
        if sum(seen):
            yield Route(seen[place.column] / sum(seen, Fraction(0)), "over_sum", line)
    for cell in place.cells("exponentials", place.row, place.column):
        for total in place.cells("sums", place.row, 0):
            if total.value:
                yield Route(cell.value / total.value, "over_sum", (cell, total))
    for name in _last_logits(place):
        for line in list(place.lines(name, place.row))[:2]:
            if all(abs(judged.value) < _LARGEST_LOGIT for judged in line):
                value = _softmax([judged.value for judged in line], allowed, numbers.ONE, place.column)
                yield Route(value, "softmax", line)
    scale = place.known.worked.sections[place.section].result.scale
    if _last_logits(place)[-1] == "scaled":
        for line in list(place.lines("scores", place.row))[:1]:
            if all(abs(judged.value) < _LARGEST_LOGIT for judged in line):
                yield Route(_softmax([judged.value for judged in line], allowed, scale, place.column), "softmax", line)


def _softmax(logits: list[Fraction], allowed: list[bool], scale: numbers.Exact, column: int) -> Value:
    row = softmax(
        numbers.from_fraction(logit) * scale if may else None for logit, may in zip(logits, allowed, strict=True)
    )
    return Weight(row, column)


def _output(place: _Place) -> Iterator[Route]:
    value = place.exact("value")
    if value is None:
        return
    height = value.shape[0]
    exact = [_rational(row[place.column]) for row in value.rows]
    tall = list(place.written.columns("value", value.head, 0, place.column, height))[:2]
    for line in place.lines("weights", place.row):
        if len(line) != height:
            continue
        for other in tall:
            yield Route(_from_fractions(_values(line), _values(other)), "mixed", line + other)
        if None not in exact:
            yield Route(_from_fractions(_values(line), exact), "mixed", line)  # type: ignore[arg-type]


def _concat(place: _Place) -> Iterator[Route]:
    width = next((array.shape[1] for array in place.known.arrays if array.quantity == "output" and array.head == 0), 0)
    if width:
        head, column = divmod(place.column, width)
        for cell in place.written.cells("output", head, place.section, place.row, column):
            yield Route(cell.value, "same", (cell,))


def _final(place: _Place) -> Iterator[Route]:
    table = place.exact("W_O")
    if table is None:
        return
    exact = [_rational(row[place.column]) for row in table.rows]
    more = _added(place, "b_O", place.column)
    if None in exact or more is None:
        return
    lines = list(place.written.rows("concat", None, place.section, place.row, len(exact)))
    widths = {array.head: array.shape[1] for array in place.known.arrays if array.quantity == "output"}
    parts: list[Judged] = []
    for head, width in widths.items():
        parts += next(place.written.rows("output", head, place.section, place.row, width), ())
    if len(parts) == len(exact):
        lines.append(tuple(parts))
    for line in lines:
        yield Route(_from_fractions(_values(line), exact) + more, "product", line)  # type: ignore[arg-type]


_ROADS: Final = {
    "X": _reprinted, "residual": _added_up, "query": _projected, "key": _projected, "value": _projected,
    "scores": _scores, "scaled": _scaled,
    "capped": _capped, "biased": _biased, "logits": _logits, "exponentials": _exponentials, "sums": _sums,
    "weights": _weights, "output": _output, "concat": _concat, "final": _final,
}  # fmt: skip
