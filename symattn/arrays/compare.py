"""``symattn.compare``: how far a result is from the exact one, and which mistake it is."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from symattn.arrays.call import Call, call
from symattn.arrays.candidates import GRADIENTS, made
from symattn.arrays.comparison import ArrayComparison, Comparison
from symattn.arrays.diagnosis import Case, Diagnosis, diagnosis, ingredients
from symattn.arrays.distances import Distance, distance, histogram, largest, row_size
from symattn.arrays.floating import plain, reach
from symattn.arrays.given_results import inward, named, outward
from symattn.arrays.reading import numpy
from symattn.arrays.wide import wide
from symattn.errors import SpecError, Where
from symattn.mistakes import RIGHT
from symattn.rounding.ieee import FORMATS, Format

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
    forms = {name: FORMATS[table.dtype.name] for name, table in tables.items()}
    widest = max(forms.values(), key=lambda form: form.digits)
    exact = wide(asked, widest, weights="weights" in tables, lse="lse" in tables)
    arrays = {name: table.astype(numpy().float64) for name, table in tables.items()}
    slack = reach(asked)
    usual, errors, found, explained = {}, {}, {}, True
    for name, table in arrays.items():
        form, ordinary = forms[name], made(asked, (name,), RIGHT, plain(forms[name].name))[name]
        by_row, by_parts = row_size(exact[name], name), ingredients(asked, name, exact[name].high)
        apart = distance(table, exact[name], form, by_row, _zeros(asked, name))
        errors[name] = apart.by_row
        usual[name] = _finite(distance(ordinary, exact[name], form, by_parts).by_row)
        rounding = largest(distance(table, exact[name], form, by_parts).by_row) <= 2 * usual[name] + slack / 2 + 2
        explained = explained and rounding and not apart.mismatch.any()
        usual_by_row = _finite(distance(ordinary, exact[name], form, by_row).by_row)
        within = rounding if max_ulp is None else largest(apart.by_row) <= max_ulp
        found[name] = _array(asked, name, form, apart, usual_by_row, within)
    case = Case(asked, arrays, forms, usual, slack, asked.rules.rows)
    told = Diagnosis() if explained else diagnosis(case, _by_row(errors))
    return Comparison(found, told, str(asked.asked), case)


def _finite(errors: Array) -> float:
    return largest(errors[numpy().isfinite(errors)])


def _zeros(asked: Call, name: str) -> Array | None:
    """Where a result is exactly 0 because nothing is added up: masked weights, outputs of values that are all 0."""
    np = numpy()
    if name not in ("output", "weights"):
        return None
    weights = made(asked, ("weights",))["weights"]
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


def _array(asked: Call, name: str, form: Format, apart: Distance, usual: float, within: bool) -> ArrayComparison:
    np = numpy()
    errors = apart.by_row
    found = largest(errors)
    known = errors[~np.isnan(errors)]
    mismatches = int(apart.mismatch.sum())

    def place(table: Array) -> tuple[int, ...]:
        index = np.unravel_index(int(table.argmax()), table.shape)
        return outward(asked, name, tuple(int(part) for part in index))

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


def _by_row(errors: Mapping[str, Array]) -> Array:
    """The largest error of each row of the results, (..., heads, rows); nothing of gradients."""
    np = numpy()
    tables = [
        table if name == "lse" else np.nan_to_num(table, nan=0.0, posinf=inf).max(axis=-1)
        for name, table in errors.items()
        if name not in GRADIENTS
    ]
    return np.nan_to_num(np.max(tables, axis=0), nan=0.0, posinf=inf) if tables else np.zeros(0)  # type: ignore[no-any-return]
