"""What a layer of attention gives to the next: its outputs as exact numbers.

An output of the first layer is a ratio of sums of exponentials, so the scores of the second are algebraic in such
ratios, and its exponentials have no normal form. An output therefore goes on as an atom (``numbers.Known``), unless it
is a plain number: because its row sees one key or equal values, or because the values that go with each exponent have
one mean. By the theorem in ``exact.numbers`` no other output of the first layer is one; of later layers an output that
is a plain number by accident is not seen to be, and stays undecided where a digit hangs on it.

Outputs that are shown to be equal are one atom, so logits that are equal by symmetry have equal normal forms.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from flint import arb, fmpq

from symattn.errors import SpecError
from symattn.exact import numbers
from symattn.exact.balls import precision
from symattn.exact.matrix import Matrix
from symattn.exact.numbers import ZERO, Exact, Known, Number
from symattn.exact.values import UNDEFINED, LogSum, Mixed, Plain, Total, Value, Weight
from symattn.steps import Table

_LONGEST: Final = 8
"""Terms of a number that goes on as the sum that it is; of a longer one every product would be long."""
_MOST_PRODUCTS: Final = 256
"""Of terms that are worked to show two outputs of a later layer equal: each adds long exponents."""
_GRAIN: Final = 1 << 64
_FINE: Final = 512
"""Bits at which two numbers that differ are nearly always told apart; one precision, since what is enclosed is kept."""


class Outputs:
    """Outputs as exact numbers; equal ones of one maker are one."""

    def __init__(self) -> None:
        self._known: dict[int | None, list[Known]] = {}
        self._shapes: dict[Hashable, Known] = {}

    def matrix(self, table: Table) -> Matrix:
        """The outputs of a layer, (n, d_model).

        Raises:
            SpecError: A row that may attend to no key is undefined.
        """
        return table.map(self.number)

    def number(self, value: Value) -> Exact:
        """One output: as it is where it is a plain number, else an atom, or a sum of such."""
        if value is UNDEFINED:
            raise SpecError(
                "an output of this layer is undefined, and the next layer reads it",
                mend='say what becomes of a row that sees nothing, as in on_masked_row = "zero"',
            )
        if isinstance(value, Total):
            return self.short(sum((self.number(term) for term in value.terms), ZERO))
        exact = constant(value)
        return self._one(value) if exact is None else self.short(exact)

    def all_short(self, rows: Matrix) -> Matrix:
        """Numbers made of outputs, none of them a long sum."""
        return tuple(tuple(map(self.short, row)) for row in rows)

    def short(self, number: Exact) -> Exact:
        """The number, as an atom of its own where it is a long sum of others."""
        long = isinstance(number, Number) and len(number.terms) > _LONGEST
        return self._one(Plain(number)) if long and numbers.is_open(number) else number

    def _one(self, value: Value) -> Exact:
        """The atom of a value, which may be that of an equal one."""
        shape = _shape(value)
        if shape not in self._shapes:
            self._shapes[shape] = self._same(value)
        return _atom(self._shapes[shape])

    def _same(self, value: Value) -> Known:
        """What is known of the value, or of one that it is shown to equal."""
        alike = self._known.setdefault(_near(value), [])
        same = next((known for known in alike if _are_shown_equal(value, known)), None)
        if same is None:
            same = Known(value)
            alike.append(same)
        return same


def _shape(value: Value) -> Hashable:
    """What values share that are written alike, in whatever order."""
    match value:
        case Mixed(blend, column):
            groups = zip(blend.row.exponents, blend.row.counts, blend.coefficients(column), strict=True)
            return frozenset((numbers.key(power), count, numbers.key(total)) for power, count, total in groups)
        case Plain(number):
            return numbers.key(number)
        case _:
            return value


def _are_shown_equal(value: Value, known: Known) -> bool:
    with precision(_FINE):
        if not (value.ball() - known.ball()).contains(0):
            return False
    above, below = value.fraction()
    over, under = known.fraction()
    lengths = [len(list(numbers.terms(side))) for side in (above, below, over, under)]
    most = _MOST_PRODUCTS if is_open(value) else numbers.MOST_PRODUCTS
    if lengths[0] * lengths[3] + lengths[1] * lengths[2] > most:
        return False
    return numbers.are_shown_equal(above * under, over * below)


def _atom(known: Known) -> Exact:
    return Number({(((("known", known), 1, 1),), 0): fmpq(1)})


def _near(value: Value) -> int | None:
    """What equal values share: the integer below it at a fine grain, None where its enclosure holds one."""
    with precision(_FINE):
        found = (value.ball() * arb(_GRAIN)).floor().unique_fmpz()
    return None if found is None else int(found)


def constant(value: Value) -> Exact | None:
    """The value as a number without softmax where it is shown to be one: all exponents of its row have one mean."""
    if isinstance(value, Plain):
        return value.number
    if isinstance(value, Total):
        terms = [constant(term) for term in value.terms]
        return None if None in terms else sum((term for term in terms if term is not None), ZERO)
    if not isinstance(value, Weight | Mixed):
        return None
    row = value.row if isinstance(value, Weight) else value.blend.row
    totals = _weight_totals(value) if isinstance(value, Weight) else value.blend.coefficients(value.column)
    first, count = totals[0], row.counts[0]
    for total, times in zip(totals[1:], row.counts[1:], strict=True):
        if not numbers.are_shown_equal(total * count, first * times):
            return None
    return first * fmpq(1, count)


def _weight_totals(weight: Weight) -> tuple[Exact, ...]:
    """For each exponent of the row, 1 if it is the key's own."""
    group = weight.row.groups[weight.key]
    return tuple(fmpq(int(index == group)) for index in range(len(weight.row.exponents)))


def is_open(value: Value) -> bool:
    """Whether something in it is known by its enclosures alone."""
    match value:
        case Plain(number):
            return numbers.is_open(number)
        case Total(terms):
            return any(map(is_open, terms))
        case Weight(row, _) | LogSum(row):
            return any(map(numbers.is_open, row.exponents))
        case Mixed(blend, column):
            return any(map(numbers.is_open, (*blend.row.exponents, *blend.coefficients(column))))
        case _:
            return False


def written(value: Value) -> Value | None:
    """The value where it has a closed form: nothing in it is known by its enclosures alone, or it is a plain number."""
    if not is_open(value):
        return value
    exact = constant(value)
    return None if exact is None or numbers.is_open(exact) else Plain(exact)
