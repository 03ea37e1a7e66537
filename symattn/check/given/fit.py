"""The problems that a page may be about, and how well each fits the numbers that it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from flint import fmpq

from symattn.check.agreement import reach
from symattn.check.blocks import Block
from symattn.check.given import options
from symattn.check.given.data import shape_of
from symattn.check.given.groups import Group
from symattn.check.quantities import UPSTREAM, Array, Known, rough, solved
from symattn.check.reading import labels
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import Num
from symattn.errors import SymattnError
from symattn.exact.values import MASKED, Value
from symattn.parse.problem import problem as problem_of


@dataclass(frozen=True, slots=True)
class Attempt:
    """A problem that a page may be about: how many of how many printed numbers agree, and what was taken for it.

    ``plain`` is how many agree under its main options and under no further ones.
    """

    good: int
    count: int
    plain: int
    known: Known
    data: Mapping[str, Any]
    taken: tuple[tuple[str, int], ...]

    @property
    def rank(self) -> tuple[int, bool]:
        """How well it fits; of two that fit as well, main options that nothing on the page needs speak against one."""
        return self.good, self.plain > 0


def attempts(
    group: Group,
    data: Mapping[str, Any],
    scale: str | None,
    masked: bool,
    words: str,
    blocks: list[Block],
    found: list[options.Option],
) -> Iterator[tuple[dict[str, Any], tuple[tuple[str, int], ...]]]:
    """What the page may be about under one scale: as it stands, with what it says, with the masks that it shows."""
    causal = (("mask", 0),) if masked else ()
    for attempt in _with_options(data, scale, masked):
        yield attempt, causal if "also" in attempt else ()
    bias = group.arrays.get(("bias", None))
    said = [*found]
    if bias is not None and not any(one.name == "alibi" for one in said):
        said.append(options.Option("bias", group.blocks["bias", None][0].start, bias))
    vectors = options.added(words, data)
    more: Mapping[str, Any] = {
        **data,
        **vectors,
        "attention": {**data.get("attention", {}), **options.as_data(said)},
    }
    taken = tuple((one.name, one.start) for one in said)
    if said or vectors:
        for attempt in _with_options(more, scale, masked):
            yield attempt, (*taken, *(causal if "also" in attempt else ()))
    for mask, start in options.shown_masks(blocks, shape_of(data)):
        for attempt in options.with_mask(more, mask):
            for made in _with_options(attempt, scale, False):
                yield made, (*taken, ("mask as shown", start))


def _with_options(data: Mapping[str, Any], scale: str | None, masked: bool) -> Iterator[dict[str, Any]]:
    options = dict(data.get("attention", {}))
    if scale is not None:
        options["scale"] = scale
    made = {name: value for name, value in {**data, "attention": options}.items() if name != "start"}
    if masked:
        yield {**made, "also": [{"causal": True}]}
        yield {**made, "also": [{"causal": "top-left"}]}
    yield made


def known_of(data: Mapping[str, Any], has_values: bool, start_at: str) -> Known | None:
    """The quantities of a problem as data, without those that no page starting where this one does can know; None where
    it is no problem.
    """
    try:
        found, *_ = solved(problem_of(data), has_values=has_values)
    except SymattnError:
        return None
    if not start_at:
        return found
    unknown = ["query", "key", "d_k", *(["scores", "sqrt_dk", "scale"] if start_at != "scores" else [])]
    said = found.worked.sections[0].result
    kept = [
        array
        for array in found.arrays
        if array.quantity not in unknown
        or (array.quantity == "d_k" and start_at == "scores" and array.near(0, 0) != said.d_k)
    ]
    return Known(found.worked, tuple(kept), has_values)


_TELLING: Final = {"scaled", "logits", "weights", "output", "final", "residual", "exponentials"}


def agreement(made: Known, blocks: list[Block]) -> tuple[int, int, int]:
    """How many printed scaled scores, exponentials, weights and outputs agree, how many there are, and how many agree
    under the main options alone.
    """
    good = count = plain = 0
    for block in blocks:
        wanted = {label.quantity for label in block.own} or {*block.said.near[:2]}
        if not wanted and block.told:
            wanted = {*block.said.heading[:1]}
        if not wanted & _TELLING or labels.is_quoted(block.said.words):
            continue
        reaches = _reaches(block)
        fits = [0, 0]
        counted = either = False
        for array in made.arrays:
            if array.quantity not in _TELLING or array.quantity not in wanted:
                continue
            if block.shape == array.shape:
                rows: range | list[int] = [0]
            elif len(block.rows) == 1 and block.shape[1] == array.shape[1]:
                rows = range(min(array.shape[0], 16))
            else:
                continue
            further = min(array.section, 1)
            fits[further] = max(fits[further], *(_good(reaches, array, first) for first in rows))
            counted, either = True, either or array.quantity not in UPSTREAM
        good += max(fits)
        count += len(reaches) if counted else 0
        plain += max(0, fits[0] - fits[1]) if either else 0
    return good, count, plain


_FAR: Final = Fraction(1, 10)
"""How far rounded inputs may leave a weight."""


def is_near(made: Known, blocks: list[Block]) -> bool:
    """Whether of what is called weights at least half is not far from some row of weights; true where there is none."""
    near = count = 0
    rows = [array.rows[row] for array in made.arrays if array.quantity == "weights" for row in range(array.shape[0])]
    for block in blocks:
        if not any(label.quantity == "weights" for label in block.own):
            continue
        for line in block.rows:
            printed = [node.printed for node in line if isinstance(node, Num) and not node.printed.special]
            count += len(printed)
            near += max((_how_near(printed, row) for row in rows if len(row) == len(printed)), default=0)
    return near * 2 >= count


def _how_near(printed: list[Printed], row: tuple[Value, ...]) -> int:
    """How many numbers are not far from those of a row of weights."""
    values = (rough(value) for value in row)
    return sum(
        value is not None and abs(Fraction(int(value.p), int(value.q)) - number.value) <= _FAR
        for number, value in zip(printed, values, strict=True)
    )


Reaches = list[tuple[int, int, tuple[fmpq, fmpq] | None]]


def _reaches(block: Block) -> Reaches:
    """The numbers of a block: row, column, and between which values each may lie; None for what is masked."""
    return [
        (i, j, reach(node.printed, 2))
        for i, row in enumerate(block.rows)
        for j, node in enumerate(row)
        if isinstance(node, Num)
    ]


def _good(reaches: Reaches, array: Array, first: int) -> int:
    """How many numbers of a block may be those of an array from a row on."""
    found = 0
    for i, j, within in reaches:
        if first + i < array.shape[0] and j < array.shape[1]:
            near = array.near(first + i, j)
            if within is None or near is None:
                is_hidden = bool(array.hidden) and array.hidden[first + i][j]
                found += within is None and (is_hidden or array.rows[first + i][j] is MASKED)
            else:
                found += within[0] <= near <= within[1]
    return found


def looks_masked(blocks: list[Block]) -> bool:
    """Whether some square of weights is 0 above its diagonal and not below."""
    for block in blocks:
        height, width = block.shape
        if height != width or height < 2 or not any(label.quantity == "weights" for label in block.own):
            continue
        entries = {
            (i, j): node.printed.value
            for i, row in enumerate(block.rows)
            for j, node in enumerate(row)
            if isinstance(node, Num)
        }
        above = [value for (i, j), value in entries.items() if j > i]
        below = [value for (i, j), value in entries.items() if j <= i]
        if above and not any(above) and sum(map(bool, below)) == len(below):
            return True
    return False


_OPTIONS: Final = (
    ("temperature", re.compile(r"\btemperature\b", re.I)),
    ("softcap", re.compile(r"soft-?cap\w*|\bcap(?:s|ped|ping)? (?:them|the)\b|\btanh\b", re.I)),
    ("bias", re.compile(r"\bbias\b|\balibi\b", re.I)),
    ("sink", re.compile(r"\bsinks?\b", re.I)),
    ("window", re.compile(r"\bwindow\b|sees itself|tokens? before it", re.I)),
    ("key_lengths", re.compile(r"\bpadding\b|\bpadded\b", re.I)),
    ("rope", re.compile(r"\brotary\b|\brope\b|turned by", re.I)),
    ("past_key", re.compile(r"\bcache[sd]?\b", re.I)),
    ("num_kv_heads", re.compile(r"reads? (?:the same|key head)|grouped[- ]query|multi-?query", re.I)),
    ("context", re.compile(r"another row of tokens|cross[- ]attention|\bencoder\b", re.I)),
    ("residual", re.compile(r"\bresidual\b|\bskip connection", re.I)),
    ("layers", re.compile(r"\blayer 2\b|\bsecond layer\b", re.I)),
    ("mask", re.compile(r"\bmask\b|may not (?:look|see)|cross(?:ed)? out", re.I)),
)

_FEWEST: Final = Fraction(9, 10)


def unsaid(words: str, best: Attempt) -> str | None:
    """The option that would explain why the numbers of a page do not agree with what it says."""
    if best.good >= best.count * _FEWEST:
        return None
    taken = {name.split()[0] for name, _ in best.taken}
    if "alibi" in taken:
        taken.add("bias")
    rows, keys = shape_of(best.data)
    if rows != keys:
        taken |= {"past_key", "context"}
    if "mask as shown" in {name for name, _ in best.taken}:
        taken |= {"window", "key_lengths"}
    found = next((name for name, pattern in _OPTIONS if name not in taken and pattern.search(words)), None)
    return None if found == "mask" and _LATER.search(words) else found


_LATER: Final = re.compile(
    r"causal|no[- ]peek|looking ahead|look[- ]ahead|autoregressive|triang|future|later tokens?", re.I
)
