"""What a comparison found, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import isfinite
from typing import Any

from symattn.arrays.diagnosis import Case, Diagnosis, hidden


@dataclass(frozen=True)
class ArrayComparison:
    """One array beside the exact one. Errors are in units of the last place of ``dtype``.

    Attributes:
        name: ``output``, ``weights``, ``lse``, ``d_query``, ``d_key`` or ``d_value``.
        dtype: The type of the result.
        max_ulp: The largest error, in units of the last place of the row's largest exact value, which is at least the
            least subnormal. A log-sum-exp is a row of its own. Infinite where a number should be finite and is not, or
            the other way round.
        median_ulp: The median of these errors.
        max_ulp_pointwise: The largest error in units of the last place of each exact value.
        at: Where the largest error is, in the result's axes.
        best_ulp: The largest error that correct rounding to this type leaves: at most 1/2.
        plain_ulp: The largest error of a plain evaluation in this type.
        plain_ratio: ``max_ulp / plain_ulp``.
        special_mismatches: How many entries are NaN or infinite where the exact result, rounded, is something else, or
            the other way round; or are not 0 where nothing is added up.
        special_at: Where the first of these is.
        histogram: Pairs (bound, count): how many errors are at most the bound and more than the bound before, of 1/2,
            1, 2, 4, ...
        ok: Whether there is no such mismatch, and ``max_ulp`` is within the limit.
    """

    name: str
    dtype: str
    max_ulp: float
    median_ulp: float
    max_ulp_pointwise: float
    at: tuple[int, ...]
    best_ulp: float
    plain_ulp: float
    plain_ratio: float
    special_mismatches: int
    special_at: tuple[int, ...] | None
    histogram: tuple[tuple[float, int], ...]
    ok: bool


@dataclass(frozen=True)
class Comparison:
    """Results beside the exact ones, array by array; the attributes of the worst array stand here too.

    ``rows`` says how many of the queries were looked at. As text it is the report of the command.
    """

    arrays: Mapping[str, ArrayComparison]
    explained: Diagnosis
    rows: str
    case: Case = field(repr=False)

    def __str__(self) -> str:
        from symattn.render.comparison import comparison

        return comparison(self.to_json())

    @property
    def worst(self) -> ArrayComparison:
        """The array that is farthest off."""
        return max(self.arrays.values(), key=lambda array: (not array.ok, array.special_mismatches > 0, array.max_ulp))

    @property
    def ok(self) -> bool:
        """Whether every array is within the limit, and no special value is wrong."""
        return all(array.ok for array in self.arrays.values())

    @property
    def max_ulp(self) -> float:
        """The largest error of all arrays."""
        return max(array.max_ulp for array in self.arrays.values())

    @property
    def max_ulp_pointwise(self) -> float:
        """The largest pointwise error of all arrays."""
        return max(array.max_ulp_pointwise for array in self.arrays.values())

    @property
    def plain_ratio(self) -> float:
        """The largest ratio to the error of a plain evaluation."""
        return max(array.plain_ratio for array in self.arrays.values())

    @property
    def at(self) -> tuple[int, ...]:
        """Where the worst array is farthest off."""
        return self.worst.at

    @property
    def special_mismatches(self) -> int:
        """How many special values are wrong in all arrays."""
        return sum(array.special_mismatches for array in self.arrays.values())

    @property
    def diagnosis(self) -> tuple[str, ...]:
        """The mistakes that explain the result, by their keys in the catalogue: none where it is right or where nothing
        fits; several where they act together or cannot be told apart on these inputs (``explanations`` says which).
        """
        return self.explained.keys

    @property
    def explanations(self) -> tuple[tuple[str, ...], ...]:
        """Mistakes that act together, one tuple each; several tuples cannot be told apart on these inputs."""
        return self.explained.explanations

    @property
    def precision(self) -> tuple[str, ...]:
        """What seems to be kept in a shorter type, such as ``weights_bfloat16``: a choice, not a mistake."""
        return self.explained.precision

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """Mistakes that these inputs cannot show: who makes them gets the same result here."""
        return hidden(self.case)

    def to_json(self) -> dict[str, Any]:
        """Every figure as plain data; what is infinite is None."""
        arrays = {
            name: {row.name: _plain(getattr(array, row.name)) for row in fields(array) if row.name != "name"}
            | {"diagnosis": [] if array.ok else list(self.diagnosis)}
            for name, array in self.arrays.items()
        }
        return {
            "ok": self.ok,
            "rows": self.rows,
            "diagnosis": list(self.diagnosis),
            "explanations": [list(keys) for keys in self.explanations],
            "precision": list(self.precision),
            "hidden": list(self.hidden),
            "arrays": arrays,
        }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value
