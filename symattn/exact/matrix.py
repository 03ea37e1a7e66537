"""Matrices of exact numbers, and their product.

Rational matrices are multiplied by SymPy's domain layer (``DomainMatrix`` over QQ); matrices with roots, logarithms or
symbols by the sums of their products.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, TypeAlias

from flint import fmpq

from symattn.exact.numbers import ZERO, Exact, Number, is_zero
from symattn.exact.numbers import number as number_of
from symattn.problem import Matrix as Entries

Matrix: TypeAlias = tuple[tuple[Exact, ...], ...]


def matrix(entries: Entries) -> Matrix:
    """The exact numbers of a problem's matrix."""
    return tuple(tuple(map(number_of, row)) for row in entries)


def transposed(rows: Matrix) -> Matrix:
    """Rows as columns."""
    return tuple(zip(*rows, strict=True))


def columns(rows: Matrix, start: int, stop: int) -> Matrix:
    """A block of columns."""
    return tuple(row[start:stop] for row in rows)


def product(left: Matrix, right: Matrix) -> Matrix:
    """The matrix product, exact. Shapes (n, m) and (m, p) give (n, p)."""
    if any(Number in map(type, row) for rows in (left, right) for row in rows):
        turned = transposed(right)
        return tuple(tuple(_dot(row, column) for column in turned) for row in left)
    return _rational_product(left, right)


def multiple_of_identity(rows: Matrix) -> Exact | None:
    """The factor c where the matrix is c times the identity, else None."""
    if len(rows) != len(rows[0]):
        return None
    factor = rows[0][0]
    fits = all(
        (entry == factor) if i == j else is_zero(entry) for i, row in enumerate(rows) for j, entry in enumerate(row)
    )
    return factor if fits else None


def _dot(row: tuple[Exact, ...], column: tuple[Exact, ...]) -> Exact:
    return reduce(lambda total, pair: total + pair[0] * pair[1], zip(row, column, strict=True), ZERO)


def _rational_product(left: Matrix, right: Matrix) -> Matrix:
    from sympy import QQ
    from sympy.polys.matrices import DomainMatrix

    found = _domain_matrix(left, QQ, DomainMatrix) * _domain_matrix(right, QQ, DomainMatrix)
    return tuple(tuple(map(_fmpq, row)) for row in found.to_list())


def _domain_matrix(rows: Matrix, domain: Any, kind: Any) -> Any:
    own: list[list[Any]] = [list(row) for row in rows]
    if not isinstance(domain.one, fmpq):
        own = [[domain(int(entry.p), int(entry.q)) for entry in row] for row in own]
    return kind(own, (len(rows), len(rows[0])), domain)


def _fmpq(entry: Any) -> fmpq:
    """SymPy's rational, which is a ``fmpq`` already where SymPy runs on python-flint."""
    return entry if isinstance(entry, fmpq) else fmpq(int(entry.numerator), int(entry.denominator))
