"""What numbers may be where a page starts from rounded prints: the least and the most that such inputs give.

Exponentials, their sums, weights and outputs move one way with each input while the others stay, so both ends are
reached at corners, and everything between them by continuity. An output moves towards the value of the key whose input
grows, so at its greatest every key with a value above it is as great as can be, and every other one as small.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symattn.check.agreement import certified
from symattn.check.quantities import Array, Known
from symattn.check.reading.printed import Printed
from symattn.check.written import Judged, Written
from symattn.exact import numbers
from symattn.exact.values import MASKED, Plain, Value, Weight, softmax

_PLACES = 12
_MOST_KEYS = 24


@dataclass(frozen=True, slots=True)
class Reach:
    """The least and the most that a number may be."""

    least: Value
    most: Value

    def holds(self, number: Printed, places: int | None) -> bool:
        """Whether some value between rounds to the number."""
        kept = number.places if places is None else max(places, number.places)
        half = Fraction(10) ** -kept / 2
        low, high = (certified(value, kept + _PLACES) for value in (self.least, self.most))
        if low is None or high is None:
            return False
        return Fraction(low) <= number.value + half and number.value - half <= Fraction(high)


def rounded_inputs(start: str, written: Written, known: Known, array: Array, place: tuple[int, int]) -> Reach | None:
    """What an entry may be where the printed ``start`` is rounded; None where that is not told."""
    if array.quantity not in ("exponentials", "sums", "weights", "scaled", "output"):
        return None
    logits = known.array("logits", array.head, array.section)
    if logits is None:
        return None
    row, column = place
    line = next(written.rows(start, array.head, 0, row, logits.shape[1]), None)
    if line is None or all(judged.printed.is_integer for judged in line):
        return None
    scale = known.worked.sections[array.section].result.scale if start == "scores" else numbers.ONE
    allowed = [value is not MASKED for value in logits.rows[row]]
    low, high = (_ends(line, sign) for sign in (-1, 1))
    match array.quantity:
        case "scaled":
            return Reach(*(Plain(numbers.from_fraction(end[column]) * scale) for end in (low, high)))
        case "exponentials":
            return Reach(*(_exponential(end[column], scale) for end in (low, high)))
        case "sums":
            return Reach(
                *(
                    _sum([_exponential(one, scale) for one, may in zip(end, allowed, strict=True) if may])
                    for end in (low, high)
                )
            )
        case "output":
            return _mean((low, high), allowed, scale, known.array("value", array.head, array.section), column)
    if not allowed[column]:
        return None
    least = [low[j] if j == column else high[j] for j in range(len(line))]
    most = [high[j] if j == column else low[j] for j in range(len(line))]
    return Reach(*(_weight(end, allowed, scale, column) for end in (least, most)))


def _mean(
    ends: tuple[list[Fraction], list[Fraction]],
    allowed: list[bool],
    scale: numbers.Exact,
    values: Array | None,
    column: int,
) -> Reach | None:
    """The least and the most of one number of an output."""
    if values is None or values.shape[0] != len(allowed) or len(allowed) > _MOST_KEYS:
        return None
    keys = [key for key, may in enumerate(allowed) if may]
    near = {key: values.near(key, column) for key in keys}
    if None in near.values():
        return None
    order = sorted(keys, key=lambda key: near[key] or 0)
    found: list[list[tuple[Fraction, Value]]] = []
    for below, above in (ends[::-1], ends):
        corners = []
        for cut in range(len(order) + 1):
            logits = [below[key] if key in order[:cut] else above[key] for key in range(len(allowed))]
            weights = [_weight(logits, allowed, scale, key) for key in keys]
            value = _sum([weight * values.rows[key][column] for weight, key in zip(weights, keys, strict=True)])
            text = certified(value, _PLACES)
            if text is None:
                return None
            corners.append((Fraction(text), value))
        found.append(corners)
    least = min(found[0], key=lambda corner: corner[0])
    most = max(found[1], key=lambda corner: corner[0])
    return Reach(least[1], most[1])


def _ends(line: tuple[Judged, ...], sign: int) -> list[Fraction]:
    return [judged.value + (0 if judged.printed.is_integer else sign * judged.printed.unit / 2) for judged in line]


def _exponential(logit: Fraction, scale: numbers.Exact) -> Value:
    return Plain(numbers.exp(numbers.from_fraction(logit) * scale))


def _sum(terms: list[Value]) -> Value:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _weight(logits: list[Fraction], allowed: list[bool], scale: numbers.Exact, column: int) -> Value:
    row = softmax(
        numbers.from_fraction(logit) * scale if may else None for logit, may in zip(logits, allowed, strict=True)
    )
    return Weight(row, column)
