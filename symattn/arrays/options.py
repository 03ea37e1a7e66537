"""Who may attend to whom, row by row: every boolean rule of a call, and scores that are not finite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from symattn.arrays.reading import array, floats, numpy, shaped
from symattn.errors import ShapeError, SpecError, Where
from symattn.problem import CONVENTIONS, Attention, causal_offset

if TYPE_CHECKING:
    from symattn.arrays.reading import Array


class _Default(str):
    """A word that nobody said: it equals the same word said, but gives way to a convention."""

    __slots__ = ()


MASKED_ROWS: Final = ("error", "zero", "uniform", "nan")
ERROR: Final = _Default("error")
_ALIGNMENTS: Final = (False, True, "top-left", "bottom-right")
_BY_LENGTH: Final = ("onnx", "flash")
"""Conventions in which the last allowed key is the last one of ``key_lengths``, not of the array."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of a call: leading axes, heads, key heads, queries, keys with those of the cache, and the cache's."""

    batch: tuple[int, ...]
    heads: int
    kv_heads: int
    n_q: int
    n_k: int
    past: int


@dataclass(frozen=True)
class Rules:
    """The boolean rules of a call and its bias, for the rows that are asked for.

    ``mask`` is true where a query may attend. ``mask``, ``bias`` and ``lengths`` are views of the whole shape.
    """

    rows: Array
    sizes: Sizes
    offsets: Array | None
    window: tuple[int, int] | None
    window_offset: int
    lengths: Array | None
    mask: Array | None
    bias: Array | None

    def allowed(self, at: tuple[int, ...], head: int) -> Array | None:
        """allowed[i, j] of one head; None where nothing is masked."""
        np = numpy()
        i, j = self.rows[:, None], np.arange(self.sizes.n_k)[None, :]
        parts = []
        offset = None if self.offsets is None else int(self.offsets[at])
        if offset is not None:
            parts.append(j <= i + offset)
        if self.window is not None:
            left, right = self.window
            middle = i + (self.window_offset if offset is None else offset)
            parts += [j >= middle - left] if left >= 0 else []
            parts += [j <= middle + right] if right >= 0 else []
        if self.lengths is not None:
            parts.append(j < int(self.lengths[at]))
        if self.mask is not None:
            parts.append(self.mask[at][head][self.rows])
        if self.bias is not None:
            parts.append(~np.isneginf(self._bias(at, head)))
        if not parts:
            return None
        found = np.ones((len(self.rows), self.sizes.n_k), bool)
        for part in parts:
            found &= part
        return None if found.all() else found

    def _bias(self, at: tuple[int, ...], head: int) -> Array:
        assert self.bias is not None  # noqa: S101 - asked for only then
        return self.bias[at][head][self.rows]  # type: ignore[no-any-return]

    def added(self, at: tuple[int, ...], head: int) -> Array | None:
        """The bias of one head."""
        return None if self.bias is None else self._bias(at, head)


def rules(
    sizes: Sizes,
    rows: Array,
    *,
    mask: Any,
    bias: Any,
    causal: bool | str,
    window: Sequence[int] | None,
    key_lengths: Any,
    convention: str | None,
) -> Rules:
    """The rules of a call, checked.

    Raises:
        SpecError: An option says something unusable, or the alignment of a causal mask or window is left open.
        ShapeError: A mask, bias or list of lengths does not fit.
    """
    if causal not in _ALIGNMENTS:
        raise SpecError(
            f"{causal!r} is no causal mask",
            mend='take False, True, "top-left" or "bottom-right"',
            where=Where("causal"),
        )
    causal = causal if isinstance(causal, str) else bool(causal)
    whole = (*sizes.batch, sizes.heads, sizes.n_q, sizes.n_k)
    lengths = _lengths(key_lengths, sizes)
    offset = _offset(causal, convention, sizes, "causal")
    span = _window(window)
    other = 0
    if span is not None and offset is None:
        other = _offset(True, convention, sizes, "window") or 0
    offsets = None if offset is None else numpy().full(sizes.batch, offset)
    if offsets is not None and causal is True and convention in _BY_LENGTH and lengths is not None and not sizes.past:
        offsets = lengths - sizes.n_q
    return Rules(
        rows=rows,
        sizes=sizes,
        offsets=offsets,
        window=span,
        window_offset=other,
        lengths=lengths,
        mask=None if mask is None else shaped(_mask(mask, convention), whole, "mask", _FIT),
        bias=None if bias is None else shaped(floats(bias, "bias"), whole, "bias", _FIT),
    )


_FIT: Final = "give (n_q, n_k), with the cache's keys, or heads and leading axes before it"


def _mask(given: Any, convention: str | None) -> Array:
    """The mask with true where a query may attend."""
    found = array(given, "mask")
    if found.dtype.kind not in "iub" or not ((found == 0) | (found == 1)).all():
        raise SpecError("a mask holds true and false", mend="give a mask that is added as bias", where=Where("mask"))
    found = found.astype(bool)
    return ~found if convention == "torch-mha" else found


def _lengths(given: Any, sizes: Sizes) -> Array | None:
    if given is None:
        return None
    found = array(given, "key_lengths")
    if found.dtype.kind not in "iu" or ((found < 0) | (found > sizes.n_k)).any():
        raise SpecError(
            f"lengths are integers from 0 to {sizes.n_k}, the cache's keys included", where=Where("key_lengths")
        )
    return shaped(found, sizes.batch, "key_lengths", "give one length, or one for each item of the batch")


def _window(given: Sequence[int] | None) -> tuple[int, int] | None:
    if given is None:
        return None
    try:
        left, right = (int(end) for end in given)
    except (TypeError, ValueError):
        left = right = -2
    if min(left, right) < -1:
        raise SpecError(
            f"{given!r} is no window", mend="give [left, right], ends included, -1 for open", where=Where("window")
        )
    return left, right


def _offset(causal: bool | str, convention: str | None, sizes: Sizes, name: str) -> int | None:
    """o in j <= i + o; None where no causal mask holds."""
    open_ended = causal is True and not sizes.past and sizes.n_q != sizes.n_k
    if open_ended and (convention is None or CONVENTIONS[convention].alignment is None):
        way = 'causal="top-left" or causal="bottom-right"' if name == "causal" else "a convention"
        raise ShapeError(
            f"{sizes.n_q} queries on {sizes.n_k} keys leave the alignment open",
            mend=f"name it: {way}",
            where=Where(name),
        )
    return causal_offset(Attention(causal=causal, convention=convention), sizes.n_q, sizes.n_k, sizes.past)


def masked_row(given: str, convention: str | None) -> str:
    """The rule for a row with nothing allowed: as given, else the convention's.

    Raises:
        SpecError: There is no such rule, or no such convention.
    """
    if given not in MASKED_ROWS:
        raise SpecError(
            f"{given!r} is no rule for masked rows", mend=f"take {', '.join(MASKED_ROWS)}", where=Where("on_masked_row")
        )
    if convention is not None and convention not in CONVENTIONS:
        raise SpecError(
            f"{convention!r} is no convention", mend=f"take {', '.join(CONVENTIONS)}", where=Where("convention")
        )
    if given is ERROR and convention is not None:
        return CONVENTIONS[convention].masked_row
    return given
