"""Every mistake as data: which choices of an implementation it makes otherwise.

A ``Deviation`` names the choices, one field each. A mistake is a key with the deviations that people make under that
name: most have one, some have several readings. Two mistakes together are their choices together.

``mistakes.spoiled`` works a problem by a deviation, exactly; ``arrays.floating`` works arrays by it. The words of a
mistake stand under its key in ``templates/``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from itertools import product
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Deviation:
    """What an implementation chooses; a default is the right choice.

    ``scale``: the factor on scores; ``width`` is 1/d_k, ``model`` 1/sqrt(d_model), d_model being the columns of X, or
    of all heads together. ``tables``: W^T for W, of queries, keys and values, or of W_O too, where these are square.
    ``mask``: ``after`` hides keys after the softmax, without making rows add to 1 again;
    ``replaced`` and ``added`` put -10^4 for -oo, in place of the logit or on top of it; ``turned`` turns the boolean
    mask round, ``turned_all`` all that is masked. ``causal``: the ``other`` alignment, ``strict`` for j < i + o,
    ``no_cache`` for o = 0. ``heads``: columns are cut as (n, heads * d) -> (heads, n, d) without the transpose on the
    way ``in``, ``out``, or ``both``. ``softmax``: over the ``queries``, or ``none``. ``gradient``: the delta of a row
    left out, the scale left out of d_query, d_key or both, and d_key and d_value of the ``first`` or ``last`` head of a
    group for the sum of all.
    """

    scale: Literal["given", "one", "width", "model", "twice"] = "given"
    tables: Literal["given", "transposed", "transposed_all"] = "given"
    operands: Literal["given", "swapped"] = "given"
    value: Literal["given", "key"] = "given"
    heads: Literal["given", "in", "out", "both"] = "given"
    kv_heads: Literal["given", "tiled"] = "given"
    rope: Literal["given", "other"] = "given"
    cap: Literal["given", "ignored", "after"] = "given"
    bias: Literal["given", "ignored", "negated"] = "given"
    mask: Literal["given", "ignored", "turned", "turned_all", "after", "replaced", "added"] = "given"
    causal: Literal["given", "other", "strict", "no_cache"] = "given"
    softmax: Literal["given", "queries", "none"] = "given"
    precision: Literal["given", "float32"] = "given"
    masked_row: Literal["given", "zero", "uniform", "nan"] = "given"
    gradient: Literal["given", "delta", "query_scale", "key_scale", "both_scales", "first", "last"] = "given"

    @property
    def changed(self) -> dict[str, str]:
        """The choices that are not right."""
        return {row.name: getattr(self, row.name) for row in fields(self) if getattr(self, row.name) != row.default}

    def __or__(self, other: Deviation) -> Deviation:
        """Both at once.

        Raises:
            ValueError: They differ in one choice.
        """
        both = self.changed | other.changed
        if len(both) < len(self.changed) + len(other.changed):
            raise ValueError(f"{self.changed} and {other.changed} differ in one choice")
        return Deviation(**both)  # type: ignore[arg-type]


RIGHT: Final = Deviation()


@dataclass(frozen=True, slots=True)
class Mistake:
    """A key, and its readings. ``exact``: ``spoiled`` works it, not floats alone."""

    key: str
    readings: tuple[Deviation, ...]
    exact: bool = True

    @property
    def of_gradients(self) -> bool:
        """Whether it shows in gradients alone."""
        return any("gradient" in reading.changed for reading in self.readings)

    @property
    def of_masked_rows(self) -> bool:
        """Whether it is a rule for rows with nothing allowed."""
        return any("masked_row" in reading.changed for reading in self.readings)


CATALOGUE: Final = {
    mistake.key: mistake
    for mistake in (
        Mistake("unscaled", (Deviation(scale="one"),)),
        Mistake("scaled_by_d_k", (Deviation(scale="width"),)),
        Mistake("scaled_by_sqrt_d_model", (Deviation(scale="model"),)),
        Mistake("scaled_twice", (Deviation(scale="twice"),)),
        Mistake("softmax_over_queries", (Deviation(softmax="queries"),)),
        Mistake("mask_ignored", (Deviation(mask="ignored"),)),
        Mistake("mask_inverted", (Deviation(mask="turned"), Deviation(mask="turned_all"))),
        Mistake("mask_after_softmax", (Deviation(mask="after"),)),
        Mistake("other_causal_alignment", (Deviation(causal="other"),)),
        Mistake("strict_causal", (Deviation(causal="strict"),)),
        Mistake("cache_ignored_by_causal", (Deviation(causal="no_cache"),)),
        Mistake("finite_mask", (Deviation(mask="replaced"), Deviation(mask="added"))),
        Mistake("bias_ignored", (Deviation(bias="ignored"),)),
        Mistake("bias_sign", (Deviation(bias="negated"),)),
        Mistake("cap_ignored", (Deviation(cap="ignored"),)),
        Mistake("cap_after_mask", (Deviation(cap="after"),)),
        Mistake("queries_and_keys_swapped", (Deviation(operands="swapped"),)),
        Mistake("weights_transposed", (Deviation(tables="transposed"), Deviation(tables="transposed_all"))),
        Mistake("value_is_key", (Deviation(value="key"),)),
        Mistake("scores_times_value", (Deviation(softmax="none"),)),
        Mistake(
            "heads_reshaped_without_transpose",
            (Deviation(heads="in"), Deviation(heads="out"), Deviation(heads="both")),
        ),
        Mistake("kv_heads_tiled", (Deviation(kv_heads="tiled"),)),
        Mistake("rope_other_layout", (Deviation(rope="other"),)),
        Mistake("float32_softmax", (Deviation(precision="float32"),), exact=False),
        Mistake("masked_row_zero", (Deviation(masked_row="zero"),)),
        Mistake("masked_row_uniform", (Deviation(masked_row="uniform"),)),
        Mistake("masked_row_nan", (Deviation(masked_row="nan"),)),
        Mistake("grad_delta_omitted", (Deviation(gradient="delta"),), exact=False),
        Mistake(
            "grad_scale_forgotten",
            (Deviation(gradient="query_scale"), Deviation(gradient="key_scale"), Deviation(gradient="both_scales")),
            exact=False,
        ),
        Mistake("grad_group_not_summed", (Deviation(gradient="first"), Deviation(gradient="last")), exact=False),
    )
}
"""Every mistake by its key."""


def deviations(keys: Sequence[str]) -> Iterator[Deviation]:
    """The ways to make all these mistakes at once, over their readings; those that go together.

    Example:
        >>> [deviation.changed for deviation in deviations(["unscaled", "strict_causal"])]
        [{'scale': 'one', 'causal': 'strict'}]
    """
    for readings in product(*(CATALOGUE[key].readings for key in keys)):
        names = [name for reading in readings for name in reading.changed]
        if len(names) == len(set(names)):
            yield reduce(Deviation.__or__, readings)
