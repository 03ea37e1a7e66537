"""Every quantity that a page on a problem may print, exact, by name, head and section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, Final

from flint import fmpq

from symattn.derive.sections import Section, Worked, worked
from symattn.errors import SymattnError
from symattn.exact import numbers
from symattn.exact.attention import Head, table
from symattn.exact.balls import precision
from symattn.exact.matrix import matrix
from symattn.exact.values import MASKED, UNDEFINED, Plain, Value
from symattn.policies import exponential_table
from symattn.problem import TABLES, VECTORS, Problem
from symattn.steps import Table

UPSTREAM: Final = ("X", *TABLES, "context", "query", "key", "value", "scores", "scaled", "xxt")
"""What comes before any mask."""
BEFORE_MASK: Final = ("scores", "scaled", "capped", "biased", "logits")
"""Where a page may print -oo for what is masked."""


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """One quantity: its exact rows, of one head or of all (None), in one section of the page.

    ``hidden[i][j]`` is true where query i may not see key j; it is empty where nothing is hidden, or nothing depends on
    it.
    """

    quantity: str
    rows: tuple[tuple[Value, ...], ...]
    head: int | None = None
    section: int = 0
    hidden: tuple[tuple[bool, ...], ...] = ()
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), len(self.rows[0])

    def near(self, row: int, column: int) -> fmpq | None:
        """A rational near the entry, for choosing among candidates; None where none is near or none can be told."""
        key = (row, column)
        if key not in self.cache:
            self.cache[key] = rough(self.rows[row][column])
        found: fmpq | None = self.cache[key]
        return found


_FINEST: Final = 10**500
"""One over what no page tells from zero: e^(-10^10) as a rational would fill the memory."""


def rough(value: Value) -> fmpq | None:
    """A rational near a value; None for -oo, nan, a symbol or a number too large to be printed."""
    if value is MASKED or value is UNDEFINED:
        return None
    try:
        if isinstance(value, Plain) and (exact := numbers.rational(value.number)) is not None:
            return fmpq(exact.numerator, exact.denominator)
        with precision(96):
            ball = value.ball()
            if not ball.is_finite():
                return None
            middle = ball.mid()
            if abs(middle) > 10**40:
                return None
            return middle.fmpq() if abs(middle) * _FINEST > 1 else fmpq(0)
    except (ArithmeticError, ValueError, KeyError):
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """All arrays of a problem, and the sections that they come from."""

    worked: Worked
    arrays: tuple[Array, ...]
    has_values: bool = True
    cache: dict[tuple[str, int | None, int], Array | None] = field(default_factory=dict, init=False, repr=False)

    def array(self, quantity: str, head: int | None, section: int) -> Array | None:
        """One array; what comes before a mask is that of the main section."""
        key = (quantity, head, section)
        if key not in self.cache:
            self.cache[key] = self._array(*key)
        return self.cache[key]

    def _array(self, quantity: str, head: int | None, section: int) -> Array | None:
        found = [array for array in self.arrays if array.quantity == quantity and array.head in (head, None)]
        here = [array for array in found if array.section == section]
        return next(iter((*here, *(array for array in found if array.section == 0))), None)

    def whole(self) -> Array:
        """What it gives for its tokens."""
        found = (
            self.array(quantity, head, 0) for quantity, head in (("residual", None), ("final", None), ("output", 0))
        )
        return next(array for array in found if array is not None)

    def without(self, *quantities: str) -> Known:
        """The same without arrays that the page tells too little of."""
        kept = tuple(array for array in self.arrays if array.quantity not in quantities)
        return Known(self.worked, kept, self.has_values)

    def shares(self, quantity: str, head: int | None, one: int, other: int, row: int) -> bool:
        """Whether a row is the same in two sections, but for what is masked before softmax; true where it is
        not known.
        """
        left, right = self.array(quantity, head, one), self.array(quantity, head, other)
        if left is None or right is None or left is right or row >= min(len(left.rows), len(right.rows)):
            return True
        key = ("shared", other, row)
        if key not in left.cache:
            hidden = [array.hidden[row] for array in (left, right) if array.hidden and quantity != "weights"]
            left.cache[key] = all(
                _is_same(a, b)
                for column, (a, b) in enumerate(zip(left.rows[row], right.rows[row], strict=False))
                if not any(line[column] for line in hidden)
            )
        return bool(left.cache[key])


def _is_same(left: Value, right: Value) -> bool:
    """Whether two values are equal; a doubt counts as a difference."""
    if left is right:
        return True
    if any(value is MASKED or value is UNDEFINED for value in (left, right)):
        return False
    try:
        return left.equals(right)
    except (SymattnError, ArithmeticError):
        return False


_BY_KEY: Final = ("scaled", "capped", "biased", "logits", "exponentials", "weights")
"""What a page may leave out where it is hidden."""


def known(worked: Worked, *, has_values: bool = True) -> Known:
    """All quantities of a worked problem; those of its values are left out where they are not known."""
    found = list(_arrays(worked))
    if not has_values:
        found = [array for array in found if array.quantity not in ("value", "output", "final", "concat", "W_V")]
    return Known(worked, tuple(found), has_values)


@lru_cache(maxsize=16)
def solved(problem: Problem, *, has_values: bool = True) -> tuple[Known, ...]:
    """All quantities of a problem, layer by layer: a page that is read again, as when it is rewritten, does not solve
    it again.
    """
    return tuple(known(layer, has_values=has_values) for layer in worked(problem).layers)


def _arrays(worked: Worked) -> Iterator[Array]:
    yield from _given(worked.problem)
    first = worked.sections[0]
    yield from _scalars(worked)
    seen: dict[tuple[str, int | None], list[Table]] = {}
    for index, section in enumerate(worked.sections):
        for array in _of_section(section, index):
            if index:
                same = seen.get((array.quantity, array.head), [])
                rows = Table(array.rows)
                if array.quantity in UPSTREAM and section.result.scale == first.result.scale:
                    continue
                if any(rows.shape == other.shape and _same(rows, other) for other in same):
                    continue
            seen.setdefault((array.quantity, array.head), []).append(Table(array.rows))
            yield array


def _same(left: Table, right: Table) -> bool:
    """Whether all entries are the same objects or plainly equal; a doubt counts as a difference."""
    for place in left.places():
        a, b = left[place], right[place]
        if a is b:
            continue
        if isinstance(a, Plain) and isinstance(b, Plain) and a.number == b.number:
            continue
        return False
    return True


def _given(problem: Problem) -> Iterator[Array]:
    for name in ("X", "context", *TABLES, *VECTORS, "past_key", "past_value"):
        rows = getattr(problem, name)
        if rows is None:
            continue
        if name in VECTORS:
            rows = (rows,)
        if isinstance(rows, str):
            width = len((problem.X or ((),))[0])
            rows = tuple(tuple(Fraction(int(i == j)) for j in range(width)) for i in range(width))
        yield Array(name, table(matrix(rows)).rows)
        if name in ("W_Q", "W_K", "W_V"):
            yield from _by_head(problem, name, table(matrix(rows)).rows)
    if problem.X is not None:
        exact = matrix(problem.X)
        yield Array("xxt", tuple(tuple(Plain(_dot(left, right)) for right in exact) for left in exact))


def _by_head(problem: Problem, name: str, rows: tuple[tuple[Value, ...], ...]) -> Iterator[Array]:
    """The columns of a table that each head reads, where there are several."""
    options = problem.attention
    heads = options.num_heads if name == "W_Q" else options.num_kv_heads or options.num_heads
    width = len(rows[0]) // heads
    for head in range(heads if heads > 1 else 0):
        yield Array(name, tuple(row[head * width : (head + 1) * width] for row in rows), head)


def _dot(left: tuple[Any, ...], right: tuple[Any, ...]) -> Any:
    return sum((a * b for a, b in zip(left, right, strict=True)), numbers.ZERO)


def _scalars(worked: Worked) -> Iterator[Array]:
    result = worked.sections[0].result
    yield Array("d_k", ((Plain(numbers.from_fraction(result.d_k)),),))
    square = None if numbers.is_zero(result.scale) else numbers.rational(result.scale * result.scale)
    if square is not None and square.numerator == 1 and square.denominator != result.d_k:
        yield Array("d_k", ((Plain(numbers.from_fraction(square.denominator)),),))
    if not numbers.is_zero(result.scale) and not numbers.symbols(result.scale):
        if numbers.is_zero(result.scale - numbers.inverse(numbers.root(result.d_k))):
            yield Array("sqrt_dk", ((Plain(numbers.root(result.d_k)),),))
        elif len(list(numbers.terms(result.scale))) == 1:
            yield Array("sqrt_dk", ((Plain(numbers.inverse(result.scale)),),))
        yield Array("scale", ((Plain(result.scale),),))


def _of_section(section: Section, index: int) -> Iterator[Array]:
    result = section.result
    several = len(result.heads) > 1
    for number, head in enumerate(result.heads):
        hidden = tuple(tuple(not may for may in row) for row in head.allowed) if head.allowed is not None else ()
        for quantity, rows in _of_head(head):
            yield Array(quantity, rows, number, index, hidden if quantity in _BY_KEY else ())
    if several:
        for quantity in ("query", "key", "value"):
            tables = [getattr(head, quantity) for head in result.heads]
            rows = tuple(tuple(entry for one in tables for entry in one.rows[i]) for i in range(tables[0].shape[0]))
            yield Array(quantity, rows, None, index)
        outputs = [head.output for head in result.heads]
        rows = tuple(tuple(entry for one in outputs for entry in one.rows[i]) for i in range(outputs[0].shape[0]))
        yield Array("concat", rows, None, index)
    if result.output is not result.heads[0].output:
        yield Array("final", result.output.rows, None, index)
    if result.residual is not None:
        yield Array("residual", result.residual.rows, None, index)


def _of_head(head: Head) -> Iterator[tuple[str, tuple[tuple[Value, ...], ...]]]:
    for quantity in ("query", "key", "value", "scores", "scaled"):
        yield quantity, getattr(head, quantity).rows
    if head.rotated is not None:
        yield "query", head.rotated[0].rows
        yield "key", head.rotated[1].rows
    for quantity in ("capped", "bias", "biased"):
        if getattr(head, quantity) is not None:
            yield quantity, getattr(head, quantity).rows
    yield "logits", head.logits.rows
    exponentials = exponential_table(head)
    yield "exponentials", exponentials.rows
    sink = [] if head.sink is None else [Plain(numbers.exp(head.sink))]
    if head.sink is not None:
        yield "sink", ((Plain(head.sink),),)
        yield "sink_exponential", (tuple(sink),)
    yield "sums", tuple((reduce(lambda left, right: left + right, [*row, *sink]),) for row in exponentials.rows)
    yield "weights", head.weights.rows
    if head.lse is not None:
        yield "lse", head.lse.rows
    yield "output", head.output.rows
