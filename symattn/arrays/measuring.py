"""Results beside exact ones: every error, and a diagnosis where rounding does not explain them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from symattn.arrays.candidates import Source
from symattn.arrays.comparison import ArrayComparison, Comparison
from symattn.arrays.diagnosis import Case, Diagnosis, diagnosis, ingredients
from symattn.arrays.distances import Distance, distance, histogram, largest, row_size
from symattn.arrays.floating import plain
from symattn.arrays.reading import numpy
from symattn.arrays.wide import Wide
from symattn.mistakes.catalogue import RIGHT
from symattn.rounding.ieee import FORMATS, Format

if TYPE_CHECKING:
    from symattn.arrays.reading import Array


@dataclass(frozen=True)
class Beside:
    """What results are held against.

    ``exact`` by name, heads before rows; ``zeros`` where a result is 0 because nothing is added up, or None;
    ``outward`` turns the index of an array into that of the caller's.
    """

    source: Source
    exact: Mapping[str, Wide]
    zeros: Mapping[str, Array | None]
    outward: Callable[[str, tuple[int, ...]], tuple[int, ...]]


def measured(
    tables: Mapping[str, Array], beside: Beside, rows: Array, told_rows: str, max_ulp: float | None
) -> Comparison:
    """The comparison of results by name, heads before rows, that hold these rows."""
    forms = {name: FORMATS[table.dtype.name] for name, table in tables.items()}
    arrays = {name: table.astype(numpy().float64) for name, table in tables.items()}
    slack = beside.source.reach()
    usual, errors, found, explained = {}, {}, {}, True
    for name, table in arrays.items():
        form, exact = forms[name], beside.exact[name]
        ordinary = beside.source.made((name,), RIGHT, plain(form.name), rows)[name]
        by_row, by_parts = row_size(exact, name), ingredients(beside.source, name, exact.high)
        apart = distance(table, exact, form, by_row, beside.zeros[name])
        errors[name] = apart.by_row
        usual[name] = _finite(distance(ordinary, exact, form, by_parts).by_row)
        rounding = largest(distance(table, exact, form, by_parts).by_row) <= 2 * usual[name] + slack / 2 + 2
        explained = explained and rounding and not apart.mismatch.any()
        usual_by_row = _finite(distance(ordinary, exact, form, by_row).by_row)
        within = rounding if max_ulp is None else largest(apart.by_row) <= max_ulp
        found[name] = _array(beside, name, form, apart, usual_by_row, within)
    case = Case(beside.source, arrays, forms, usual, slack, rows)
    told = Diagnosis() if explained else diagnosis(case, errors)
    return Comparison(found, told, told_rows, case)


def _finite(errors: Array) -> float:
    return largest(errors[numpy().isfinite(errors)])


def _array(beside: Beside, name: str, form: Format, apart: Distance, usual: float, within: bool) -> ArrayComparison:
    np = numpy()
    errors = apart.by_row
    found = largest(errors)
    known = errors[~np.isnan(errors)]
    mismatches = int(apart.mismatch.sum())

    def place(table: Array) -> tuple[int, ...]:
        index = np.unravel_index(int(table.argmax()), table.shape)
        return beside.outward(name, tuple(int(part) for part in index))

    ratio = found / usual if usual else (inf if found else 0.0)
    return ArrayComparison(
        name=name,
        dtype=form.name,
        max_ulp=found,
        median_ulp=float(np.median(known)) if known.size else 0.0,
        max_ulp_pointwise=largest(apart.pointwise),
        at=place(np.nan_to_num(errors, nan=-1.0, posinf=inf)),
        best_ulp=apart.best,
        plain_ulp=usual,
        plain_ratio=ratio,
        special_mismatches=mismatches,
        special_at=place(apart.mismatch) if mismatches else None,
        histogram=histogram(errors),
        ok=not mismatches and within,
    )
