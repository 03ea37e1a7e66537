"""Bit patterns of all heads to the arrays that the caller gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from symattn.arrays.gradients import gradient_patterns
from symattn.arrays.inputs import Arrays, Place
from symattn.arrays.reading import dyadic, numpy
from symattn.arrays.results import Patterns, Wanted, special_outputs
from symattn.errors import SpecError, Where
from symattn.exact.arrays.gradients import Graded

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

_GRADIENTS: Final = ("d_query", "d_key", "d_value")
_WORD: Final = 64


class Results:
    """The bit patterns found so far by name, heads before rows; every head is put in once."""

    def __init__(self, given: Arrays, wanted: Wanted, *, gradients: bool) -> None:
        np = numpy()
        sizes = given.sizes
        lead = (*sizes.batch, sizes.heads, len(wanted.rows))
        kept = (*sizes.batch, sizes.kv_heads, sizes.n_k - sizes.past)
        shapes = {"output": (*lead, given.value.shape[-1])}
        if wanted.weights:
            shapes["weights"] = (*lead, sizes.n_k)
        if wanted.lse:
            shapes["lse"] = lead
        if gradients:
            widths = (given.query.shape[-1], given.key.shape[-1], given.value.shape[-1])
            leads = (lead, kept, kept)
            shapes |= {name: (*start, width) for name, start, width in zip(_GRADIENTS, leads, widths, strict=True)}
        self._wanted = wanted
        self._past = sizes.past
        kind = np.uint64 if wanted.form.width <= _WORD else object
        self.bits = {name: np.zeros(shape, kind) for name, shape in shapes.items()}

    def put(self, place: Place, found: Patterns) -> None:
        """The results of one head."""
        at = (*place.at, place.number)
        self.bits["output"][at] = found.output
        special_outputs(place, self.bits["output"][at], self._wanted)
        if self._wanted.weights:
            self.bits["weights"][at] = found.weights
        if self._wanted.lse:
            self.bits["lse"][at] = found.lse

    def put_gradients(self, sharing: Sequence[Place], grad: Array) -> None:
        """The gradients of the heads that share a key head.

        Raises:
            SpecError: A visible number is not finite.
        """
        rule, form = self._wanted.masked_row, self._wanted.form
        for place in sharing:
            if place.is_wild:
                raise SpecError(
                    "gradients need finite numbers, but for masked keys",
                    mend="mask what is not finite, or leave out grad_output",
                    where=Where(f"head{[*place.at, place.number]}"),
                )
        graded = [Graded(place.head, dyadic(grad[(*place.at, place.number)]), rule == "uniform") for place in sharing]
        found = gradient_patterns(
            graded, form, lambda which: "".join(f"[{index}]" for index in (*sharing[0].at, sharing[which].number))
        )
        shared = (*sharing[0].at, sharing[0].shared)
        self.bits["d_key"][shared] = found.key[self._past :]
        self.bits["d_value"][shared] = found.value[self._past :]
        for place, query in zip(sharing, found.queries, strict=True):
            at = (*place.at, place.number)
            self.bits["d_query"][at] = query
            if rule == "nan" and place.dead_rows:
                self.bits["d_query"][at][place.dead_rows] = form.nan
                self.bits["d_key"][shared] = self.bits["d_value"][shared] = form.nan

    def arrays(self, given: Arrays) -> list[Array]:
        """The arrays in the order in which they are returned, with the caller's axes."""
        form = self._wanted.form
        made = {name: bits.astype(f"uint{form.width}").view(form.name) for name, bits in self.bits.items()}
        return [given.outward(found, wide=name not in ("weights", "lse")) for name, found in made.items()]
