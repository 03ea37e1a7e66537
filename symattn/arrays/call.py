"""A call of ``reference`` or ``compare`` as data: read, checked, and worked to any binary format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symattn.arrays.inputs import Arrays, Scaling, arrays, heads, scaling
from symattn.arrays.options import ERROR, Rules, masked_row, rules
from symattn.arrays.reading import numpy
from symattn.arrays.results import Wanted, patterns
from symattn.arrays.sample import Sample, indices, sample
from symattn.arrays.writing import Results
from symattn.errors import ShapeError, SpecError, Where
from symattn.rounding.ieee import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from symattn.arrays.reading import Array


@dataclass(frozen=True)
class Call:
    """What is asked: arrays, who may attend to whom, numbers, which rows, and the gradient of the output if any.

    ``grad`` is (..., heads, n_q, d_v); ``masked_row`` the rule for rows with nothing allowed.
    """

    given: Arrays
    rules: Rules
    numbers: Scaling
    asked: Sample
    masked_row: str
    grad: Array | None

    def worked(self, form: Format, *, weights: bool, lse: bool) -> Results:
        """Every result as bit patterns of a format, correctly rounded."""
        wanted = Wanted(form, weights, lse, self.masked_row, self.asked.rows)
        found = Results(self.given, wanted, gradients=self.grad is not None)
        for sharing in heads(self.given, self.rules, self.numbers):
            for place in sharing:
                found.put(place, patterns(place, wanted))
            if self.grad is not None:
                found.put_gradients(sharing, self.grad)
        return found


def call(
    query: Any,
    key: Any,
    value: Any,
    *,
    mask: Any = None,
    bias: Any = None,
    causal: bool | str = False,
    scale: Any = None,
    softcap: Any = None,
    window: Sequence[int] | None = None,
    num_kv_heads: int | None = None,
    key_lengths: Any = None,
    past_key: Any = None,
    past_value: Any = None,
    sink: Any = None,
    on_masked_row: str = ERROR,
    convention: str | None = None,
    rows: Any = None,
    layout: str | None = "bhsd",
    grad_output: Any = None,
) -> Call:
    """The call of these arguments; ``reference`` says what each means.

    Raises:
        SpecError: An array cannot be read, or an option is unusable.
        ShapeError: Sizes do not go together, or leave something open.
    """
    given = arrays(query, key, value, past_key, past_value, layout, num_kv_heads)
    sizes = given.sizes
    asked = sample(rows, sizes.n_q)
    rule = masked_row(on_masked_row, convention)
    grad = None if grad_output is None else _gradient(grad_output, given, asked)
    rules_ = rules(
        sizes,
        indices(asked),
        mask=mask,
        bias=bias,
        causal=causal,
        window=window,
        key_lengths=key_lengths,
        convention=convention,
    )
    return Call(given, rules_, scaling(scale, softcap, sink, sizes, given.query.shape[-1]), asked, rule, grad)


def _gradient(given: Any, arrays: Arrays, asked: Sample) -> Array:
    """The gradient of the output as (..., heads, n_q, d_v), finite.

    Raises:
        SpecError: Only some rows are asked for, or an entry is not finite.
        ShapeError: It is not of the output's sizes.
    """
    if len(asked.rows) != asked.total:
        raise SpecError("gradients need every row", mend="leave out rows, or grad_output", where=Where("rows"))
    found = arrays.inward(given, "grad_output")
    shape = (*arrays.query.shape[:-1], arrays.value.shape[-1])
    if found.shape != shape:
        raise ShapeError(
            f"sizes {found.shape} where the output has {shape}",
            mend="give one for each entry of the output",
            where=Where("grad_output"),
        )
    if not numpy().isfinite(found).all():
        raise SpecError("an entry is not finite", mend="give finite gradients", where=Where("grad_output"))
    return found
