"""Array-likes to NumPy arrays, and NumPy arrays to the exact numbers they hold.

A float is read off its bits as whole * 2^exponent. NumPy and ml_dtypes are imported when the first array is read;
torch and JAX never are: their arrays come through ``__array__`` or DLPack.
"""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flint import fmpq

from symattn.errors import ShapeError, SpecError, Where
from symattn.exact.arrays.head import Dyadic
from symattn.rounding.ieee import FORMATS, Format

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = "np.ndarray[Any, Any]"

_WIDE: Final = 62
"""Bits that are safe in a 64-bit integer with a sign."""


def numpy() -> ModuleType:
    """NumPy, with bfloat16 known to it.

    Raises:
        SpecError: It is not installed.
    """
    try:
        import ml_dtypes  # noqa: F401 - makes the name bfloat16 known
        import numpy
    except ImportError as missing:
        raise SpecError(f"arrays need {missing.name}, which is not installed", mend="install symattn[arrays]") from None
    return numpy


def array(given: Any, name: str) -> Array:
    """An array-like as a NumPy array of integers, booleans or floats of a type that we have.

    Raises:
        SpecError: It is ragged, or its numbers are of another type (fp8, complex, long double, objects).
    """
    np = numpy()
    for detached in ("detach", "cpu"):  # a torch tensor that takes part in a graph, or lies on a device
        given = getattr(given, detached, lambda given=given: given)()
    try:
        if str(getattr(given, "dtype", "")) == "torch.bfloat16":  # the one type that torch does not hand over
            return np.asarray(given.float()).astype("bfloat16")  # type: ignore[no-any-return]
        exported = not hasattr(given, "__array__") and hasattr(given, "__dlpack__")
        found = np.from_dlpack(given) if exported else np.asarray(given)
    except (TypeError, ValueError, RuntimeError, BufferError) as fault:
        raise SpecError(
            f"it cannot be read as an array ({_first_line(fault)})",
            mend="give rows of equal length, of float64, float32, float16 or bfloat16; fp8 and ragged batches are out",
            where=Where(name),
        ) from None
    if found.dtype.name in FORMATS or found.dtype.kind in "iub":
        return found  # type: ignore[no-any-return]
    raise SpecError(
        f"numbers of type {found.dtype.name} are not read",
        mend="give float64, float32, float16, bfloat16 or integers",
        where=Where(name),
    )


def _first_line(fault: BaseException) -> str:
    return (str(fault).splitlines() or [type(fault).__name__])[0]


def floats(given: Any, name: str) -> Array:
    """As ``array``, but no booleans."""
    found = array(given, name)
    if found.dtype.kind == "b":
        raise SpecError("booleans where numbers belong", mend="give floats", where=Where(name))
    return found


def form(dtype: Any) -> Format:
    """The format that a type names.

    Raises:
        SpecError: It is none of ours.
    """
    try:
        return FORMATS[numpy().dtype(dtype).name]
    except (TypeError, KeyError):
        raise SpecError(
            f"{dtype!r} is not a type to round to", mend=f"ask for {', '.join(FORMATS)}", where=Where("dtype")
        ) from None


def dyadic(table: Array) -> Dyadic:
    """The exact numbers of a table (rows, columns); 0 for what is not finite."""
    whole, exponents = _parts(table)
    return _common(whole, exponents)


def exact(given: Any, name: str) -> fmpq:
    """A single number: an integer, a Fraction, or a finite float of a type that we have.

    Raises:
        SpecError: It is something else.
    """
    if isinstance(given, int | Fraction) and not isinstance(given, bool):
        return fmpq(given.numerator, given.denominator)
    found = floats(given, name)
    if found.ndim or not numpy().isfinite(found):
        raise SpecError("it is not one finite number", mend="give one number", where=Where(name))
    table = dyadic(found.reshape(1, 1))
    return fmpq(table.rows[0][0]) * fmpq(2) ** table.exponent


def _parts(table: Array) -> tuple[Array, Array]:
    """whole, exponent with entry = whole * 2^exponent, as 64-bit integers; 0 for what is not finite."""
    np = numpy()
    if table.dtype.kind in "iu":
        if table.size and max(int(table.max()), -int(table.min())) >> _WIDE:
            raise SpecError(f"an integer of more than {_WIDE} bits", mend="give floats")
        return table.astype(np.int64), np.zeros(table.shape, np.int64)
    layout = FORMATS[table.dtype.name]
    bits = np.ascontiguousarray(table).view(f"uint{layout.width}").astype(np.uint64)
    fraction = (bits & ((1 << (layout.digits - 1)) - 1)).astype(np.int64)
    field = ((bits & (layout.sign - 1)) >> (layout.digits - 1)).astype(np.int64)
    whole = fraction + (np.minimum(field, 1) << (layout.digits - 1))
    whole[field == 2 * layout.top + 1] = 0
    negative = (bits & layout.sign) != 0
    return np.where(negative, -whole, whole), np.maximum(field, 1) - 1 + layout.least


def _common(whole: Array, exponents: Array) -> Dyadic:
    """The same numbers with one exponent, as large as it can be."""
    np = numpy()
    present = whole != 0
    if not present.any():
        return Dyadic(whole.tolist(), 0, 0)
    low = int(exponents[present].min())
    shifts = np.where(present, exponents - low, 0)
    bits = int(shifts.max()) + int(np.abs(whole).max()).bit_length()
    if bits <= _WIDE:
        shifted = whole << shifts
        zeros = _trailing_zeros(int(np.bitwise_or.reduce(shifted, axis=None)))
        return Dyadic((shifted >> zeros).tolist(), low + zeros, bits - zeros)
    rows = [
        [number << shift for number, shift in zip(*pair, strict=True)]
        for pair in zip(whole.tolist(), shifts.tolist(), strict=True)
    ]
    return Dyadic(rows, low, bits)


def _trailing_zeros(whole: int) -> int:
    return (whole & -whole).bit_length() - 1


def shaped(found: Array, shape: tuple[int, ...], name: str, mend: str) -> Array:
    """The array broadcast to a shape.

    Raises:
        ShapeError: It does not fit.
    """
    try:
        return numpy().broadcast_to(found, shape)  # type: ignore[no-any-return]
    except ValueError:
        raise ShapeError(f"sizes {found.shape} do not fit {shape}", mend=mend, where=Where(name)) from None
