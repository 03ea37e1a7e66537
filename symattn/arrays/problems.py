"""Results beside the exact ones of a problem file: any of its arrays, and every exact mistake."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from symattn.arrays.comparison import Comparison
from symattn.arrays.floating import DOUBLE, Arithmetic, softmax
from symattn.arrays.measuring import Beside, measured
from symattn.arrays.reading import floats, form, numpy
from symattn.arrays.wide import Wide, two
from symattn.errors import ShapeError, SpecError, UndecidedError, Where
from symattn.exact.attention import Result, projections, table
from symattn.exact.balls import LARGEST_PRECISION, precision
from symattn.exact.matrix import Matrix
from symattn.exact.values import MASKED, UNDEFINED, Plain, Value
from symattn.mistakes.catalogue import CATALOGUE, RIGHT, Deviation
from symattn.mistakes.spoiled import spoiled
from symattn.mistakes.where import Features, features
from symattn.problem import Problem
from symattn.rounding.ieee import FORMATS
from symattn.steps import Table

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

OF_HEADS: Final = ("query", "key", "value", "scores", "scaled", "weights", "head_output", "lse")
NAMES: Final = (*OF_HEADS, "output")
"""The arrays of a problem that a result may hold; ``output`` is the final one, ``head_output`` that of each head."""
_BITS: Final = 128


def compare_problem(
    problem: Problem, results: Mapping[str, Any], *, dtype: Any = "float64", max_ulp: float | None = None
) -> Comparison:
    """How far results are from the exact ones of a problem, without regard to its further sections.

    Args:
        problem: What is asked. What it holds is exact: an implementation that starts from floats also has their error.
        results: Some of ``query key value scores scaled weights head_output lse``, ``(heads, rows, ...)`` or for one
            head ``(rows, ...)``, and ``output (n_q, columns)``.
        dtype: The type of results that are lists.
        max_ulp: As in ``compare``.
    Returns:
        As ``compare``; ``weights_transposed`` and ``rope_other_layout`` can be told too.
    Raises:
        SpecError: A result has no name or type of ours, or the problem holds symbols.
        ShapeError: A result has other sizes than the exact one.
    """
    strange = [name for name in results if name not in NAMES]
    if strange or not results:
        what = f"{strange[0]!r} is no array of a problem" if strange else "there is no result"
        raise SpecError(what, mend=f"name some of {', '.join(NAMES)}", where=Where("result"))
    if problem.layers or problem.attention.residual:
        raise SpecError(
            "a result is compared with a single layer",
            mend="leave layers and residual out, and give what the layer reads as X",
            where=Where("layers" if problem.layers else "attention.residual"),
        )
    source = ProblemSource(problem)
    right = source.worked(RIGHT)
    if right.symbolic:
        raise SpecError(
            "a problem with symbols has no numbers", mend="put numbers in their place", where=Where("symbols")
        )
    exact = {name: _wide(_tables(right, name), name) for name in results}
    tables = {name: _shaped(given, name, dtype, exact[name].high.shape) for name, given in results.items()}
    zeros = {name: exact[name].high == 0 if name == "weights" else None for name in tables}
    single = len(right.heads) == 1

    def outward(name: str, at: tuple[int, ...]) -> tuple[int, ...]:
        return at[1:] if single or name == "output" else at

    every = numpy().arange(problem.n_q)
    return measured(tables, Beside(source, exact, zeros, outward), every, "all rows", max_ulp)


def _shaped(given: Any, name: str, dtype: Any, shape: tuple[int, ...]) -> Array:
    """A result with an axis for the heads."""
    found = floats(given, name)
    if isinstance(given, list | tuple) or found.dtype.name not in FORMATS:
        found = found.astype(form(dtype).name)
    inner = found[None] if found.ndim == len(shape) - 1 and shape[0] == 1 else found
    if inner.shape != shape:
        wanted = shape[1:] if shape[0] == 1 else shape
        raise ShapeError(
            f"sizes {found.shape} where the exact result has {wanted}", mend="look at the problem", where=Where(name)
        )
    return inner


def _tables(result: Result, name: str) -> list[Table]:
    if name == "output":
        return [result.output]
    return [getattr(head, "output" if name == "head_output" else name) for head in result.heads]


def _wide(tables: list[Table], name: str) -> Wide:
    """Exact values as sums of two float64, (heads, rows, columns); a log-sum-exp is (heads, rows)."""
    np = numpy()
    both = np.array([[[_pair(entry) for entry in row] for row in table.rows] for table in tables])
    both = both[..., 0, :] if name == "lse" else both
    return Wide(both[..., 0], both[..., 1])


def _pair(value: Value) -> tuple[float, float]:
    if value is MASKED or value is UNDEFINED:
        return float("-inf" if value is MASKED else "nan"), 0.0
    bits = _BITS
    while bits <= LARGEST_PRECISION:
        with precision(bits):
            ball = value.ball()
            if ball.is_finite() and (ball.rad() == 0 or ball.rel_accuracy_bits() >= _BITS - 8):
                whole, exponent = ball.mid().man_exp()
                return two(int(whole), int(exponent))
        if bits > 8 * _BITS and value.equals(0):
            return 0.0, 0.0
        bits *= 2
    raise UndecidedError("a number of the problem could not be told from 0", mend="compare another array")


@dataclass(frozen=True)
class ProblemSource:
    """A problem, worked exactly with any mistake."""

    problem: Problem
    batch: tuple[int, ...] = ()
    is_large: bool = False

    @property
    def masked_row(self) -> str:
        """The rule for rows with nothing allowed."""
        return self.problem.attention.masked_row

    @property
    def unseen(self) -> tuple[str, ...]:
        """Mistakes of gradients."""
        return tuple(key for key, mistake in CATALOGUE.items() if mistake.of_gradients)

    def features(self) -> Features:
        """What decides which mistakes can be made."""
        return features(self.problem)

    def item(self, at: tuple[int, ...]) -> ProblemSource:  # noqa: ARG002 - there is one
        """The problem itself."""
        return self

    def worked(self, deviation: Deviation) -> Result:
        """Every array, exact."""
        lse = replace(self.problem.attention, lse=True)
        return spoiled(replace(self.problem, attention=lse), deviation)

    def made(
        self,
        names: Iterable[str],
        deviation: Deviation = RIGHT,
        by: Arithmetic = DOUBLE,
        rows: Array | None = None,  # noqa: ARG002 - all of them, always
    ) -> dict[str, Array]:
        """Results by name. Other arithmetic than float64 starts from the exact logits, rounded."""
        result = self.worked(deviation)
        precise = deviation.precision == "given" and by is DOUBLE
        exact = {name: _wide(_tables(result, name), name).high for name in names}
        if precise or deviation not in (RIGHT, replace(RIGHT, precision=deviation.precision)):
            return exact
        return exact | {name: table for name, table in self._floating(result, deviation, by).items() if name in exact}

    def _floating(self, result: Result, deviation: Deviation, by: Arithmetic) -> dict[str, Array]:
        """From the exact logits on, in floats."""
        np = numpy()
        with np.errstate(all="ignore"):
            logits = by.keep("logits", _wide(_tables(result, "logits"), "logits").high.astype(by.work))
            held = [head.sink for head in result.heads]
            sinks = None if held[0] is None else np.array([_pair(Plain(sink))[0] for sink in held if sink is not None])
            weights, lse = softmax(logits, sinks, self.masked_row, deviation, by)
            weights = by.keep("weights", weights)
            values = _wide(_tables(result, "value"), "value").high.astype(by.work)
            mixed = by.keep("output", weights @ values)
            starts = projections(self.problem)
            beside = np.concatenate(list(mixed), axis=-1)
            if starts[0].output_table is not None:
                mixing = np.concatenate([_floats(start.output_table or ()) for start in starts])
                beside = beside @ mixing.astype(by.work)
                if starts[0].output_bias is not None:
                    beside = beside + _floats((starts[0].output_bias,))[0].astype(by.work)
        found = {"weights": weights, "lse": lse, "head_output": mixed, "output": by.keep("output", beside)[None]}
        return {name: table.astype(np.float64) for name, table in found.items()}

    def factor(self, deviation: Deviation) -> float:
        """What scores are multiplied by."""
        return _pair(Plain(self.worked(deviation).scale))[0]

    def reach(self) -> float:
        """What rounding a score once does to a weight."""
        np, result = numpy(), self.worked(RIGHT)
        pairs = [head.rotated or (head.query, head.key) for head in result.heads]
        query, key = (np.abs(_wide(list(tables), "").high) for tables in zip(*pairs, strict=True))
        return float((query @ key.swapaxes(-1, -2)).max()) * abs(self.factor(RIGHT))

    def ingredient(self, name: str) -> float:
        """The largest size of what an output is a sum of; of other arrays, their largest number."""
        np, result = numpy(), self.worked(RIGHT)
        if name not in ("output", "head_output"):
            return float(np.abs(_wide(_tables(result, name), name).high).max())
        values = np.abs(_wide(_tables(result, "value"), "value").high)
        starts = projections(self.problem)
        if name == "head_output" or starts[0].output_table is None:
            return float(values.max())
        shares = [
            (np.abs(_floats(start.output_table or ())) * table.max(axis=0)[:, None]).sum(axis=0)
            for start, table in zip(starts, values, strict=True)
        ]
        return float(np.sum(shares, axis=0).max())


def _floats(rows: Matrix) -> Array:
    return _wide([table(rows)], "").high[0]  # type: ignore[no-any-return]
