"""For the tests of an implementation: a ladder of calls, each held against the exact result."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from symattn.arrays.ladder import climbed
from symattn.render.comparison import comparison

__all__ = ["assert_attention"]


def assert_attention(
    function: Callable[..., Any],
    *,
    dtype: str = "float32",
    options: Collection[str] | None = None,
    layout: str = "bhsd",
    equal_widths: bool = False,
    max_ulp: float | None = None,
    convert: Callable[[Any], Any] | None = None,
    seed: int = 0,
) -> None:
    """Fail where a function is not attention, and say which mistake it makes.

    Args:
        function: Called as ``function(query, key, value, **options)`` with arrays ``(batch, heads, n, d)`` and the
            options of ``reference`` by name; it returns the output.
        dtype: The type of the arrays.
        options: The options that are tried. None: those that the function has parameters for (all, if it takes any).
            ``num_kv_heads`` among them tries fewer key heads than heads, ``past_key`` and ``past_value`` a cache.
        layout: ``"bhsd"``, or ``"bshd"`` for arrays (batch, n, heads, d).
        equal_widths: Whether values are as wide as keys.
        max_ulp: The error that is allowed; see ``compare``.
        convert: What makes the function's arrays of NumPy ones, such as ``torch.from_numpy``.
        seed: Of the numbers.
    Raises:
        AssertionError: The first call that failed, its errors and the diagnosis.
    Example:
        >>> from symattn import reference
        >>> assert_attention(lambda query, key, value: reference(query, key, value, dtype="float32"))
    """
    for rung, found in climbed(
        function,
        dtype=dtype,
        options=options,
        layout=layout,
        equal_widths=equal_widths,
        max_ulp=max_ulp,
        convert=convert,
        seed=seed,
    ):
        if not found.ok:
            raise AssertionError(f"{rung}\n{comparison(found.to_json(), max_ulp)}")
