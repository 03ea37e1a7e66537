"""``symattn.compare``: how far a result is from the exact one, and which mistake it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symattn.arrays.call import Call, call
from symattn.arrays.candidates import GRADIENTS, CallSource
from symattn.arrays.comparison import Comparison
from symattn.arrays.given_results import inward, named, outward
from symattn.arrays.measuring import Beside, measured
from symattn.arrays.reading import numpy
from symattn.arrays.wide import wide
from symattn.errors import SpecError, Where
from symattn.rounding.ieee import FORMATS

if TYPE_CHECKING:
    from symattn.arrays.reading import Array


def compare(
    result: Any, query: Any, key: Any, value: Any, *, max_ulp: float | None = None, **options: Any
) -> Comparison:
    """How far a result of attention is from the exact one, and which mistake explains it.

    Args:
        result: The output, of the sizes that ``reference`` returns; or several results: a tuple in the order of
            ``reference`` (say ``return_weights``, ``return_lse`` or ``grad_output`` as there), or a mapping with some
            of the names ``output weights lse d_query d_key d_value``. Floats of a type that ``reference`` rounds to;
            lists are taken as of type ``dtype``.
        query: As in ``reference``; so are ``key``, ``value`` and every other option of it. With ``rows`` the result may
            hold these rows alone, or all of them.
        max_ulp: The error that is allowed, in units of the last place of the row's largest exact value. None: what
            rounding explains, that is twice the error of a plain evaluation in the result's type, half the largest sum
            of |q_i k_i| * scale, and two units, all in units of the last place of the largest value that is mixed.
        **options: The options of ``reference``.
    Returns:
        The errors, and a diagnosis where rounding does not explain them.
    Raises:
        SpecError: As ``reference``; or a result has no type of ours, or no name.
        ShapeError: As ``reference``; or a result has other sizes than the exact one.
    Example:
        >>> found = compare([[2.0]], [[1.0, 0.0]], [[0.0, 1.0], [0.0, 2.0]], [[1.0], [2.0]], scale=1)
        >>> found.ok, found.max_ulp == 0.5 * 2**52
        (False, True)
    """
    found = named(result, options)
    dtype = options.pop("dtype", "float64")
    for asked in ("return_weights", "return_lse"):
        options.pop(asked, None)
    if set(found) & set(GRADIENTS) and options.get("grad_output") is None:
        raise SpecError("gradients are compared with those of grad_output", mend="give it", where=Where("grad_output"))
    if not set(found) & set(GRADIENTS):
        options.pop("grad_output", None)
    return compared(call(query, key, value, **options), found, dtype, max_ulp)


def compared(asked: Call, results: Mapping[str, Any], dtype: Any, max_ulp: float | None) -> Comparison:
    """The same for a call that is read already, and results by name."""
    tables = {name: inward(given, name, dtype, asked) for name, given in results.items()}
    widest = max((FORMATS[table.dtype.name] for table in tables.values()), key=lambda form: form.digits)
    exact = wide(asked, widest, weights="weights" in tables, lse="lse" in tables)
    zeros = {name: _zeros(asked, name) for name in tables}
    beside = Beside(CallSource(asked), exact, zeros, lambda name, at: outward(asked, name, at))
    return measured(tables, beside, asked.rules.rows, str(asked.asked), max_ulp)


def _zeros(asked: Call, name: str) -> Array | None:
    """Where a result is exactly 0 because nothing is added up: masked weights, outputs of values that are all 0."""
    np = numpy()
    if name not in ("output", "weights"):
        return None
    weights = CallSource(asked).made(("weights",))["weights"]
    used = np.isnan(weights) | (weights > 0) | _allowed(asked, weights.shape)
    if name == "weights":
        return ~used  # type: ignore[no-any-return]
    share = asked.given.sizes.heads // asked.given.sizes.kv_heads
    value = np.repeat(asked.given.value != 0, share, axis=-3)
    return used.astype(np.float32) @ value.astype(np.float32) == 0  # type: ignore[no-any-return]


def _allowed(asked: Call, shape: tuple[int, ...]) -> Array:
    np, sizes = numpy(), asked.given.sizes
    found = np.ones(shape, bool)
    for at in np.ndindex(*sizes.batch):
        for head in range(sizes.heads):
            allowed = asked.rules.allowed(at, head)
            if allowed is not None:
                found[(*at, head)] = allowed
    return found  # type: ignore[no-any-return]
