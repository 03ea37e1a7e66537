"""Which rows are computed: all, those named, or a sample in which the rows where kernels go wrong always are."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final

from symattn.arrays.reading import array, numpy
from symattn.errors import SpecError, Where

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

_TILES: Final = (16, 32, 64, 128)


@dataclass(frozen=True)
class Sample:
    """The rows that were computed: their indices in order, of ``total`` rows.

    Example:
        >>> print(Sample((0, 7), 8))
        2 of 8 rows
    """

    rows: tuple[int, ...]
    total: int

    def __str__(self) -> str:
        return f"{len(self.rows)} of {self.total} rows"


def sample(given: Any, total: int) -> Sample:
    """The rows that ``rows`` asks for.

    Args:
        given: None for all, ``"sample:N"``, or indices.
        total: Number of rows.
    Returns:
        With ``"sample:N"`` the first and the last row, the first and the last multiple of 16, 32, 64 and 128 with their
        neighbours, and then, to N in all, rows drawn by chance: half beside other multiples of 16, half from anywhere.
        The same N and total always give the same rows. Where these must-haves are more than N, all of them.
    Raises:
        SpecError: It is none of these, or an index is out of range.
    """
    if given is None:
        return Sample(tuple(range(total)), total)
    if isinstance(given, str):
        word, _, count = given.partition(":")
        if word != "sample" or not count.isdecimal() or not 0 < len(count) < 10 or int(count) == 0:
            raise SpecError(f"{given!r} names no rows", mend='write "sample:64"', where=Where("rows"))
        return Sample(tuple(sorted(_drawn(int(count), total))), total)
    found = array(given, "rows")
    if found.ndim != 1 or found.dtype.kind not in "iu" or not len(found) or ((found < 0) | (found >= total)).any():
        raise SpecError(f"rows are indices from 0 to {total - 1}", mend="give a list of them", where=Where("rows"))
    return Sample(tuple(sorted({int(index) for index in found})), total)


def _drawn(count: int, total: int) -> set[int]:
    chosen = {0, total - 1}
    for tile in _TILES:
        chosen.update(_around([tile, (total - 1) // tile * tile], total))
    chance = Random(f"{count} of {total}")  # noqa: S311 - a sample, not a secret
    edges = sorted(_around(range(16, total, 16), total) - chosen)
    missing = max(count - len(chosen), 0)
    chosen.update(chance.sample(edges, min(missing // 2, len(edges))))
    rest = sorted(set(range(total)) - chosen)
    chosen.update(chance.sample(rest, min(max(count - len(chosen), 0), len(rest))))
    return chosen


def _around(edges: Any, total: int) -> set[int]:
    return {row for edge in edges for row in (edge - 1, edge, edge + 1) if 0 <= row < total}


def indices(found: Sample) -> Array:
    """The rows as an array."""
    return numpy().array(found.rows, dtype="int64")  # type: ignore[no-any-return]
