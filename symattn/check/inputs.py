"""What numbers may be where a page starts from rounded prints: the least and the most that such inputs give.

Exponentials, their sums and weights move one way with each input, so both ends are reached at corners, and everything
between them by continuity.
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
    if array.quantity not in ("exponentials", "sums", "weights", "scaled"):
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
    if not allowed[column]:
        return None
    least = [low[j] if j == column else high[j] for j in range(len(line))]
    most = [high[j] if j == column else low[j] for j in range(len(line))]
    return Reach(*(_weight(end, allowed, scale, column) for end in (least, most)))


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
