"""Lines that write a computation out, and the numbers in them that are not those that the line is about.

A false factor may leave a line true, since it is multiplied by 0 or vanishes in a rounding; so factors are compared
with what they stand for: ``[1, 0] . [0, 1] = 1*0 + 0*1``, ``0/sqrt(2)`` where d_k is 2, ``0.4*[2, 0] + 0.6*[0, 2]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from symattn.check.agreement import stand
from symattn.check.quantities import Array, Known
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import Call, Grid, Negative, Node, Num, Operation, Sequence, Statement, entry
from symattn.exact import numbers
from symattn.exact.values import Plain, Value

Wrong = tuple[Printed, "Value | Fraction"]
"""A number, and what should stand there."""


def wrong_operands(statement: Statement, known: Known) -> Iterator[Wrong]:
    """The numbers of a line that are not those that it writes out."""
    nodes = [member.node for member in statement.members]
    for before, after in pairwise(nodes):
        yield from _factors(before, after, known)
    for node in nodes:
        yield from _root(node, known)


@dataclass(frozen=True, slots=True)
class Mix:
    """Weights times vectors, added up: ``weights[i]`` stands before ``vectors[i]``."""

    weights: tuple[Printed, ...]
    vectors: tuple[tuple[Printed, ...], ...]


def mix(node: Node) -> Mix | None:
    """A sum of numbers times vectors, or times one number of each; None for any other formula."""
    weights: list[Printed] = []
    vectors: list[tuple[Printed, ...]] = []
    for term in terms_of(node):
        match term:
            case Operation("*", Num(number), Sequence() | Grid() as vector):
                parts = _vector(vector)
                if parts is None:
                    return None
                weights.append(number)
                vectors.append(parts)
            case _:
                pair = _pair(term)
                if pair is None:
                    return None
                weights.append(pair[0])
                vectors.append(pair[1:])
    return Mix(tuple(weights), tuple(vectors)) if len(weights) > 1 else None


def pairs_of(node: Node) -> tuple[tuple[Printed, Printed], ...] | None:
    """The factors of a sum of products of two numbers each; a last term without a factor is left out.

    A product that is taken away has its first factor turned.
    """
    terms: list[tuple[Node, bool]] = []
    while isinstance(node, Operation) and node.sign in "+-":
        terms.append((node.right, node.sign == "-"))
        node = node.left
    terms.append((node, False))
    if len(terms) > 1 and _number(terms[0][0]) is not None:
        terms = terms[1:]
    found: list[tuple[Printed, Printed]] = []
    for term, is_taken in reversed(terms):
        pair = _pair(term)
        if pair is None:
            return None
        found.append((replace(pair[0], value=-pair[0].value), pair[1]) if is_taken else pair)
    return tuple(found)


def terms_of(node: Node) -> list[Node]:
    """What a sum adds up."""
    found: list[Node] = []
    while isinstance(node, Operation) and node.sign == "+":
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _vector(node: Node) -> tuple[Printed, ...] | None:
    """The numbers of a row or a column; None where some entry is no plain number."""
    match node:
        case Sequence(items):
            found = [entry(item) for item in items]
        case Grid(rows) if all(row is not None and len(row) == 1 for row in rows) or len(rows) == 1:
            found = [entry(item) for row in rows for item in row or ()]
        case Call("transpose", (inner,)):
            return _vector(inner)
        case _:
            return None
    kept = tuple(number for number in found if number is not None)
    return kept if len(kept) == len(found) and kept else None


def _factors(before: Node, after: Node, known: Known) -> Iterator[Wrong]:
    """Of a dot product and the same written out: the factors that are not the entries."""
    if not isinstance(before, Operation) or before.sign != "*":
        return
    left, right = _vector(before.left), _vector(before.right)
    pairs = [_pair(term) for term in terms_of(after)]
    if left is None or right is None or not len(left) == len(right) == len(pairs) or not all(pairs):
        return
    for index, pair in enumerate(pairs):
        for number, vector, quantity in zip(pair or (), (left, right), ("query", "key"), strict=True):
            if number.value != vector[index].value:
                if _is_row(vector, quantity, known):
                    yield number, vector[index].value
                else:
                    yield vector[index], number.value


def _pair(term: Node) -> tuple[Printed, Printed] | None:
    if not isinstance(term, Operation) or term.sign != "*":
        return None
    left, right = _number(term.left), _number(term.right)
    return None if left is None or right is None else (left, right)


def _number(node: Node) -> Printed | None:
    """A number, also in brackets of its own."""
    match node:
        case Num(printed):
            return printed
        case Sequence((Num(printed),)):
            return printed
        case Negative(Num()):
            return None
    return None


def _is_row(vector: tuple[Printed, ...], quantity: str, known: Known) -> bool:
    """Whether some row of what is known is printed as this vector."""
    return any(_prints(vector, row) for array in known.arrays if array.quantity == quantity for row in array.rows)


def _root(node: Node, known: Known) -> Iterator[Wrong]:
    """Of 0 over a root, which is 0 whatever stands below: a root of another number than d_k."""
    match node:
        case Operation("/", Num(above), Call("sqrt", (Num(below),))) if above.value == 0 and below.is_integer:
            roots = [array.rows[0][0] for array in known.arrays if array.quantity == "sqrt_dk"]
            squares = [_square(value) for value in roots]
            if squares and None not in squares and below.value not in squares:
                yield below, squares[0] or Fraction(0)


def widths(node: Node, known: Known) -> Iterator[Printed]:
    """Each d_k that stands below a root, as in ``Q K^T / sqrt(2)``."""
    squares = [_square(array.rows[0][0]) for array in known.arrays if array.quantity == "sqrt_dk"]
    stack: list[Node] = [node]
    while stack:
        found = stack.pop()
        match found:
            case Call("sqrt", (Num(below),)):
                if below.is_integer and below.value in squares:
                    yield below
            case Operation(_, left, right):
                stack += (left, right)
            case Negative(operand):
                stack.append(operand)


def _square(value: Value) -> Fraction | None:
    return numbers.rational(value.number * value.number) if isinstance(value, Plain) else None


def rows_of(array: Array, mixed: Mix, values: Array, row: int, column: int) -> list[int] | None:
    """For each term of a mix the key whose value it takes; None where a vector is no value, or the order is another.

    ``row`` and ``column`` say which number of the output a sum of single numbers gives.
    """
    seen = [key for key in range(array.shape[1]) if not array.hidden or not array.hidden[row][key]]
    found: list[int] = []
    for vector in mixed.vectors:
        rest = [key for key in seen if not found or key > found[-1]]
        single = len(vector) == 1 and values.shape[1] > 1
        key = next(
            (key for key in rest if _prints(vector, (values.rows[key][column],) if single else values.rows[key])), None
        )
        if key is None:
            return None
        found.append(key)
    return found if array.shape[1] == values.shape[0] else None


def _prints(vector: tuple[Printed, ...], row: tuple[Value, ...]) -> bool:
    return len(vector) == len(row) and all(
        stand(number, value) == "correct" for number, value in zip(vector, row, strict=True)
    )
