"""How far an array of floats is from the exact numbers, in units in the last place of its type."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from symattn.arrays.reading import numpy
from symattn.arrays.wide import Wide
from symattn.rounding.ieee import Format

if TYPE_CHECKING:
    from symattn.arrays.reading import Array


@dataclass(frozen=True)
class Distance:
    """Errors of an array.

    ``by_row`` counts units of the last place of the row's largest exact value, ``pointwise`` of each exact value; both
    are at least the least subnormal. Where the nearest number of the type, or the result, is not finite, they are NaN
    if the two agree, and else infinite; ``mismatch`` says where, and where an exact 0 is missed. ``best`` is the
    largest error by row that correct rounding leaves.
    """

    by_row: Array
    pointwise: Array
    mismatch: Array
    best: float


def row_size(exact: Wide, name: str) -> Array:
    """The largest finite value of each row; a log-sum-exp is a row of its own."""
    np = numpy()
    size = np.where(np.isfinite(exact.high), np.abs(exact.high), 0)
    return size if name == "lse" else size.max(axis=-1, keepdims=True)  # type: ignore[no-any-return]


def distance(result: Array, exact: Wide, form: Format, size: Array, zeros: Array | None = None) -> Distance:
    """The errors of a result.

    Args:
        result: As float64.
        exact: Of the same shape.
        form: The result's type.
        size: By whose last place errors by row are counted, as ``row_size`` has it.
        zeros: Where the exact value is 0 because nothing was added; the result must be 0 there.
    """
    np = numpy()
    with np.errstate(all="ignore"):
        nearest = exact.high.astype(form.name).astype(np.float64)
        plain = np.isfinite(result) & np.isfinite(nearest)
        mismatch = ~plain & ~((result == nearest) | (np.isnan(result) & np.isnan(nearest)))
        special = np.where(mismatch, np.inf, np.nan)
        if zeros is not None:
            mismatch = mismatch | (zeros & (result != 0))
        error = np.abs((result - exact.high) - exact.low)
        rounding = np.where(np.isfinite(nearest), np.abs((nearest - exact.high) - exact.low), 0)
        by_row = np.where(plain, _in_units(error, size, form), special)
        pointwise = np.where(plain, _in_units(error, np.abs(exact.high), form), special)
        best = float(_in_units(rounding, size, form).max())
    return Distance(by_row, pointwise, mismatch, best)


def _in_units(error: Array, size: Array, form: Format) -> Array:
    np = numpy()
    exponent = np.where(size > 0, np.frexp(size)[1] - form.digits, form.least)
    return np.ldexp(error, -np.maximum(exponent, form.least))  # type: ignore[no-any-return]


def largest(errors: Array) -> float:
    """The largest error, and 0 where there is none."""
    np = numpy()
    found = errors[~np.isnan(errors)]
    return float(found.max()) if found.size else 0.0


def histogram(errors: Array) -> tuple[tuple[float, int], ...]:
    """How many errors are at most 1/2, 1, 2, 4, ... units and more than the bound before, if any are."""
    np = numpy()
    found = errors[~np.isnan(errors)]
    if not found.size:
        return ()
    finite = found[np.isfinite(found)]
    top = max(int(np.ceil(np.log2(max(float(finite.max(initial=0.0)), 0.5)))), -1)
    bounds = [*(2.0**power for power in range(-1, top + 1)), inf]
    counts = np.bincount(np.searchsorted(bounds, found), minlength=len(bounds))
    return tuple((bound, int(count)) for bound, count in zip(bounds, counts, strict=True) if count)
