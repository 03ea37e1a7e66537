"""Results as a caller has them: named, checked, and with heads before rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symattn.arrays.call import Call
from symattn.arrays.candidates import GRADIENTS, NAMES
from symattn.arrays.reading import floats, form
from symattn.errors import ShapeError, SpecError, Where
from symattn.rounding.ieee import FORMATS

if TYPE_CHECKING:
    from symattn.arrays.reading import Array


def named(result: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Results by name: a mapping as it is, a tuple in the order of ``reference``, a single array as the output.

    Raises:
        SpecError: A name is none of ours, or there are more or fewer results than are asked for.
    """
    if isinstance(result, Mapping):
        strange = [name for name in result if name not in NAMES]
        if strange or not result:
            raise SpecError(
                f"{strange[0]!r} is no result" if strange else "there is no result",
                mend=f"name some of {', '.join(NAMES)}",
                where=Where("result"),
            )
        return dict(result)
    if not isinstance(result, tuple):
        return {"output": result}
    graded = options.get("grad_output") is not None
    asked = ["output", *(name for name in ("weights", "lse") if options.get(f"return_{name}")), *GRADIENTS * graded]
    if len(asked) != len(result):
        raise SpecError(
            f"{len(result)} results where {', '.join(asked)} are asked for",
            mend="say return_weights, return_lse or grad_output, or give a mapping by name",
            where=Where("result"),
        )
    return dict(zip(asked, result, strict=True))


def inward(given: Any, name: str, dtype: Any, asked: Call) -> Array:
    """A result, heads before rows, with the rows that are asked for.

    Raises:
        ShapeError: It has other sizes than the exact one.
    """
    found = floats(given, name)
    if isinstance(given, list | tuple) or found.dtype.name not in FORMATS:
        found = found.astype(form(dtype).name)
    sizes, inner = asked.given.sizes, found
    if asked.given.bare:
        inner = inner[None]
    elif asked.given.swapped and name not in ("weights", "lse") and inner.ndim > 2:
        inner = inner.swapaxes(-2, -3)
    lead = (*sizes.batch, sizes.heads, len(asked.asked.rows))
    kept = (*sizes.batch, sizes.kv_heads, sizes.n_k - sizes.past)
    widths = {"output": asked.given.value.shape[-1], "weights": sizes.n_k, "d_value": asked.given.value.shape[-1]}
    start = kept if name in ("d_key", "d_value") else lead
    shape = start if name == "lse" else (*start, widths.get(name, asked.given.query.shape[-1]))
    rows = len(lead) - 1
    if inner.ndim == len(shape) and inner.shape[rows] == sizes.n_q != shape[rows] and start is lead:
        inner = inner.take(asked.asked.rows, axis=rows)
    if inner.shape != shape:
        raise ShapeError(
            f"sizes {found.shape} where the exact result has {outward(asked, name, shape)}",
            mend="look at the layout and at num_kv_heads",
            where=Where(name),
        )
    return inner


def outward(asked: Call, name: str, places: tuple[int, ...]) -> tuple[int, ...]:
    """An index, or sizes, in the caller's axes."""
    if asked.given.bare:
        return places[1:]
    if asked.given.swapped and name not in ("weights", "lse"):
        *batch, head, row, column = places
        return (*batch, row, head, column)
    return places
