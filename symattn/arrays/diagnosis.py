"""Which mistakes of the catalogue explain a result that is far off.

A mistake's arrays are worked in float64, and it is accepted where every given array agrees with them: to four times
what an evaluation in the result's type leaves, once what rounding a score does, and two units. Single mistakes come
first. Where none fits, two at once are tried, on some rows and one item of the batch before all.

Before that, a choice of precision is looked for: scores, exponentials or weights kept in a shorter type. It is known by
what it takes away: the error that is left beside it is less than half.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, isfinite
from typing import TYPE_CHECKING, Final

from symattn.arrays.candidates import GRADIENTS, Source
from symattn.arrays.distances import distance, largest
from symattn.arrays.floating import DOUBLE, Arithmetic, plain
from symattn.arrays.reading import numpy
from symattn.arrays.wide import Wide
from symattn.mistakes.catalogue import CATALOGUE, RIGHT, Deviation, deviations
from symattn.mistakes.where import applicable
from symattn.rounding.ieee import Format

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

_SHORTER: Final = {"float64": ("float16", "bfloat16"), "float32": ("float16", "bfloat16"), "float16": ("bfloat16",)}
_SOME: Final = 16
"""Rows on which pairs of mistakes are tried first."""
_NEARER: Final = 2
"""What must be taken from an error to explain it."""
_HOPELESS: Final = 1 << 10
"""Results that are apart by so many times what is accepted are not looked at more closely."""
_ALIKE: Final = 0.25
"""Mistakes whose misfits differ by no more are not told apart."""


@dataclass(frozen=True)
class Diagnosis:
    """``explanations``: mistakes that act together, one tuple each; several tuples cannot be told apart.

    ``precision``: what is kept in a shorter type, such as ``weights_bfloat16``.
    """

    explanations: tuple[tuple[str, ...], ...] = ()
    precision: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Every mistake that is named, in the catalogue's order."""
        named = {key for keys in self.explanations for key in keys}
        return tuple(key for key in CATALOGUE if key in named)


def ingredients(source: Source, name: str, found: Array) -> Array:
    """What errors of rounding are measured by: not by a row in which an output cancels, but by what it is made of."""
    np = numpy()
    sizes = np.abs(np.where(np.isfinite(found), found, 0))
    if name == "lse":
        return np.maximum(sizes, 1)  # type: ignore[no-any-return]
    if name == "weights":
        return sizes.max(axis=-1, keepdims=True)  # type: ignore[no-any-return]
    return np.full_like(sizes, source.ingredient(name))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Case:
    """Results as float64 by name, heads before rows, with their types; ``rows`` are the queries that they are of.

    ``usual`` is the error that a plain evaluation in its type leaves in each, measured by ``ingredients``; ``slack``
    what rounding a score once does to a weight (see ``floating.reach``).
    """

    source: Source
    arrays: Mapping[str, Array]
    forms: Mapping[str, Format]
    usual: Mapping[str, float]
    slack: float
    rows: Array

    def some(self, errors: Array) -> Case:
        """The item of the batch with the largest error (..., heads, rows), and some rows of it; without gradients."""
        np = numpy()
        batch = self.source.batch
        at = np.unravel_index(int(errors.reshape(*batch, -1).max(axis=-1).argmax()), batch) if batch else ()
        worst = errors[at].max(axis=0)
        spread = np.linspace(0, len(worst) - 1, _SOME // 2).astype(int)
        picked = np.unique([*np.argsort(-worst)[: _SOME // 2], *spread])
        arrays = {
            name: table[at][..., picked, :] if name != "lse" else table[at][..., picked]
            for name, table in self.arrays.items()
            if name not in GRADIENTS
        }
        return replace(self, source=self.source.item(at), arrays=arrays, rows=self.rows[picked])

    def misfit(self, deviation: Deviation) -> float:
        """How far the results are from those of a deviation, in units of what is accepted."""
        precise = deviation.precision == "float32"
        by = replace(deviation, precision="given")
        wanted = self.source.made(self.arrays, by, rows=self.rows)
        if len(wanted) < len(self.arrays):
            return inf
        own = self.source.made(self.arrays, deviation, rows=self.rows) if precise else {}
        worst = 0.0
        for name, table in self.arrays.items():
            apart = self.apart(name, table, wanted)
            if not precise and apart > _HOPELESS * self.accepted(name, by):
                return inf
            noise = self._noise(name, own if precise else self._plain(name, by), wanted)
            if precise and apart < noise / _NEARER:
                return inf
            worst = max(worst, apart / self.accepted(name, by, noise))
        return worst

    def accepted(self, name: str, deviation: Deviation = RIGHT, noise: float = 0.0) -> float:
        """The distance at which results agree; ``noise`` is what an evaluation of the mistake in this type leaves."""
        larger = abs(self.source.factor(deviation) / (self.source.factor(RIGHT) or 1.0))
        return 4 * max(noise, self.usual[name]) + self.slack * max(larger, 1.0) + 2

    def _plain(self, name: str, deviation: Deviation) -> dict[str, Array]:
        return self.source.made((name,), deviation, plain(self.forms[name].name), self.rows)

    def _noise(self, name: str, found: Mapping[str, Array], wanted: Mapping[str, Array]) -> float:
        noise = self.apart(name, found[name], wanted)
        return noise if isfinite(noise) else 0.0

    def apart(self, name: str, table: Array, wanted: Mapping[str, Array]) -> float:
        """The largest error of a result beside that of a deviation, in units of the last place."""
        exact = Wide(wanted[name], numpy().zeros(table.shape))
        size = ingredients(self.source, name, wanted[name])
        return largest(distance(table, exact, self.forms[name], size).by_row)


def possible(case: Case) -> tuple[str, ...]:
    """The mistakes that can be made here and that can show in these arrays."""
    out = set(case.source.unseen)
    if not set(case.arrays) & set(GRADIENTS):
        out |= {key for key, mistake in CATALOGUE.items() if mistake.of_gradients}
    if all(form.name != "float64" for form in case.forms.values()):
        out.add("float32_softmax")
    return tuple(key for key in applicable(case.source.features()) if key not in out)


def diagnosis(case: Case, errors: Mapping[str, Array]) -> Diagnosis:
    """What explains results that are far off.

    Args:
        case: The results.
        errors: Of each of them, by row.
    """
    shorter = _precision(case)
    if shorter:
        return Diagnosis(precision=shorter)
    keys = possible(case)
    forward = any(name not in GRADIENTS for name in case.arrays)
    screen = case.some(_by_row(errors)) if forward and case.source.is_large else case
    for together in (1, 2):
        found = _fitting(combinations(keys, together), case, screen)
        if found:
            return Diagnosis(explanations=found)
    return Diagnosis()


def _fitting(groups: Iterable[tuple[str, ...]], case: Case, screen: Case) -> tuple[tuple[str, ...], ...]:
    """The groups of mistakes that explain the results, as well as the best one does."""
    right = case.misfit(RIGHT)
    fits: dict[tuple[str, ...], float] = {}
    for keys in groups:
        for deviation in _ways(keys, case.source):
            if screen is not case and screen.misfit(deviation) > 1:
                continue
            misfit = case.misfit(deviation)
            if misfit <= 1 and misfit <= right / 2:
                fits[keys] = min(misfit, fits.get(keys, misfit))
    best = min(fits.values(), default=0.0)
    return tuple(keys for keys, misfit in fits.items() if misfit <= max(2 * best, best + _ALIKE))


def _ways(keys: Sequence[str], source: Source) -> Iterator[Deviation]:
    """The readings of these mistakes; where they may leave a row with nothing allowed, by any rule for such rows."""
    for deviation in deviations(keys):
        yield deviation
        changes = deviation.changed
        if source.masked_row == "error" and ("mask" in changes or "causal" in changes):
            yield from (replace(deviation, masked_row=rule) for rule in ("zero", "uniform"))


def hidden(case: Case) -> tuple[str, ...]:
    """The mistakes that could be made here, and would not show: their results differ from the right ones by no more
    than is accepted.
    """
    right = case.source.made(case.arrays, rows=case.rows)
    found = []
    for key in possible(case):
        spoiled = [case.source.made(case.arrays, way, rows=case.rows) for way in _ways((key,), case.source)]
        if all(_alike(case, table, right) for table in spoiled):
            found.append(key)
    return tuple(found)


def _alike(case: Case, tables: Mapping[str, Array], right: Mapping[str, Array]) -> bool:
    return all(case.apart(name, table, right) <= case.accepted(name) for name, table in tables.items())


def _precision(case: Case) -> tuple[str, ...]:
    """What is kept in a shorter type: the choice that takes away most of the error, if it takes away half."""
    names = [name for name in case.arrays if name not in GRADIENTS]
    if not names or not all(numpy().isfinite(case.arrays[name]).all() for name in names):
        return ()
    right = case.source.made(names, rows=case.rows)
    found = {}
    for stage in ("scores", "exponentials", "weights"):
        for kept in _SHORTER.get(case.forms[names[0]].name, ()):
            tables = case.source.made(names, RIGHT, Arithmetic(DOUBLE.work, {stage: kept}), case.rows)
            left = [_spread(case.arrays[name], tables[name]) for name in names]
            before = [_spread(case.arrays[name], right[name]) for name in names]
            if all(after <= start / _NEARER for after, start in zip(left, before, strict=True)):
                found[f"{stage}_{kept}"] = sum(left)
    return (min(found, key=found.__getitem__),) if found else ()


def _spread(table: Array, other: Array) -> float:
    """The root mean square of the differences."""
    np = numpy()
    return float(np.sqrt(np.mean(np.square(table - other))))


def _by_row(errors: Mapping[str, Array]) -> Array:
    """The largest error of each row of the results, (..., heads, rows); nothing of gradients."""
    np = numpy()
    tables = [
        table if name == "lse" else np.nan_to_num(table, nan=0.0, posinf=inf).max(axis=-1)
        for name, table in errors.items()
        if name not in GRADIENTS
    ]
    return np.nan_to_num(np.max(tables, axis=0), nan=0.0, posinf=inf) if tables else np.zeros(0)  # type: ignore[no-any-return]
