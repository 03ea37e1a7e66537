"""Exact results as unevaluated sums high + low of two float64: what the errors of results are measured against."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, ldexp, nan
from typing import TYPE_CHECKING, Final

from symattn.arrays.call import Call
from symattn.arrays.reading import numpy
from symattn.rounding.ieee import FORMATS, QUAD, Format

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

_DOUBLE: Final = FORMATS["float64"]


@dataclass(frozen=True)
class Wide:
    """An array of numbers high + low. They differ from the exact ones by less than 2^-52 or 2^-112 of their size."""

    high: Array
    low: Array


def wide(call: Call, form: Format, *, weights: bool, lse: bool) -> dict[str, Wide]:
    """The exact results of a call by name, heads before rows, to far more digits than ``form`` has.

    Types of up to 24 digits are measured against float64, float64 against 113 digits.
    """
    by = _DOUBLE if form.digits < _DOUBLE.digits // 2 else QUAD
    found = call.worked(by, weights=weights, lse=lse)
    return {name: _pair(bits, by) for name, bits in found.bits.items()}


def _pair(bits: Array, form: Format) -> Wide:
    np = numpy()
    if form is _DOUBLE:
        return Wide(bits.view(form.name), np.zeros(bits.shape))
    flat = [_two(int(pattern), form) for pattern in bits.ravel()]
    both = np.array(flat, np.float64).reshape(*bits.shape, 2)
    return Wide(both[..., 0], both[..., 1])


def _two(pattern: int, form: Format) -> tuple[float, float]:
    code = pattern & (form.sign - 1)
    sign = -1 if pattern & form.sign else 1
    if code >= form.infinity:
        return (sign * inf if code == form.infinity else nan), 0.0
    field, shift = code >> (form.digits - 1), form.digits - 1
    whole = code - (max(field - 1, 0) << shift)
    return two(sign * whole, max(field, 1) - 1 + form.least)


def two(whole: int, exponent: int) -> tuple[float, float]:
    """whole * 2^exponent as a float64 and a second one for the rest.

    Example:
        >>> two(2**60 + 1, -60)
        (1.0, 8.673617379884035e-19)
    """
    extra = max(whole.bit_length() - 1000, 0)
    high = float(whole >> extra)
    low = float((whole >> extra) - int(high))
    try:
        return ldexp(high, exponent + extra), ldexp(low, exponent + extra)
    except OverflowError:
        return (inf if whole > 0 else -inf), 0.0
