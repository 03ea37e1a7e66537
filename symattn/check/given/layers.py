"""Several layers on one page: what is given for each.

The first layer reads what is given for X, and each further one what the one before it gives, exactly, however it is
printed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from symattn.check.blocks import Block
from symattn.check.given import options
from symattn.check.given.example import (
    Example,
    Fit,
    LayerFit,
    Refusal,
    digits_of,
    fitted,
    given_by,
    options_taken,
    taken_from,
)
from symattn.check.given.fit import unsaid
from symattn.check.given.groups import TABLES, Group, Text, aliases_of, decimal_text, groups_of, rational_of
from symattn.check.given.stated import Wrong, contradictions, given_rows
from symattn.check.quantities import Known, solved
from symattn.check.reading.layers import Layers
from symattn.check.reading.page import PageText, Parts
from symattn.errors import SymattnError
from symattn.parse.problem import problem as problem_of


@dataclass(frozen=True, slots=True)
class _Layer:
    """What a page says of a layer: X and its tables, and the options that its numbers fit. ``data`` is how a problem
    file has it; ``wrong`` is what stands against what is said of the first.
    """

    group: Group
    learned: Mapping[str, Text]
    fit: Fit
    data: Mapping[str, Any]
    wrong: tuple[Wrong, ...]


def in_layers(page: PageText, found: list[Block], layers: Layers) -> list[Example] | Refusal:
    """An example for each layer; a refusal where the page does not say enough of one, or where what a layer reads is
    not what the one before it gives.
    """
    read: list[_Layer] = []
    made: list[Example] = []
    data: dict[str, Any] = {}
    for index, parts in enumerate(layers.parts):
        start, end = parts[0]
        words, blocks = page.text[start:end], [block for block in found if start <= block.start < end]
        layer = _read(page, words, blocks, start, read)
        if layer is None:
            return Refusal("layers", data)
        read.append(layer)
        data = _problem(read)
        known = layer.fit.best.known
        taken = (*layer.fit.best.taken, ("layers", 0))
        option = unsaid(words, replace(layer.fit.best, taken=taken))
        if option is not None or (index and not _goes_on(layer.group, known)):
            return Refusal(option or "layers", data)
        made.append(_example(page, layer, known, parts, index))
    return [replace(made[0], around=layers.rest, data=data), *made[1:]]


def _problem(read: list[_Layer]) -> dict[str, Any]:
    """Layers as a problem file has them."""
    first = read[0]
    kept = {name: value for name, value in first.fit.data.items() if name in ("tokens", "page")}
    return {**kept, "X": first.learned["X"], "layers": [layer.data for layer in read]}


def _read(page: PageText, words: str, blocks: list[Block], start: int, before: list[_Layer]) -> _Layer | None:
    aliases = aliases_of(page, start, start + len(words))
    found, *_ = groups_of(blocks, aliases, by_column=options.are_columns(page.text), headings=page.headings)
    group = replace(found, start=start)
    wrong = () if before else tuple(contradictions(words, start, blocks))
    said = given_rows(words, start, blocks, {number.start: value for number, value in wrong})
    learned: dict[str, Text] = {
        name: [[decimal_text(value) for value in row] for row in said[name]]
        if name in said
        else group.arrays[name, None]
        for name in ("X", *TABLES)
        if name in said or (name, None) in group.arrays
    }
    if not learned.keys() >= {"X", "W_Q", "W_K", "W_V"}:
        return None
    tables = {name: rows for name, rows in learned.items() if name != "X"}

    def known(attempt: Mapping[str, Any]) -> Known | None:
        kept = {name: value for name, value in attempt.items() if name in ("tokens", "page", "X")}
        if before:
            kept = {name: value for name, value in _problem(before).items() if name != "layers"}
        try:
            chain = [*(layer.data for layer in before), {**tables, **_options(attempt)}]
            return solved(problem_of({**kept, "layers": chain}))[-1]
        except SymattnError:
            return None

    fit = fitted(page, group, words, blocks, LayerFit(learned, known))
    return None if fit is None else _Layer(group, learned, fit, {**tables, **_options(fit.best.data)}, wrong)


def _options(data: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a problem. A mask that a layer's numbers fit is its own: there is no page without it beside."""
    return {**data.get("attention", {}), **next(iter(data.get("also", ())), {})}


def _goes_on(group: Group, known: Known) -> bool:
    """Whether what a layer prints for its tokens is mostly what the layer before gives; true where it prints none."""
    printed, tokens = group.arrays.get(("X", None)), known.array("X", None, 0)
    if printed is None or tokens is None:
        return True
    near = count = 0
    for i, row in enumerate(printed):
        for j, text in enumerate(row):
            number = rational_of(text)
            value = tokens.near(i, j) if i < tokens.shape[0] and j < tokens.shape[1] else None
            if number is not None:
                count += 1
                near += value is not None and abs(Fraction(int(value.p), int(value.q)) - number) <= _FAR
    return near * 2 >= count


_FAR: Final = Fraction(1, 20)
"""How far rounding may leave a token."""


def _example(page: PageText, layer: _Layer, known: Known, parts: Parts, index: int) -> Example:
    given = {*TABLES} if index else {"X", *TABLES}
    kept = {key: prints for key, prints in layer.group.blocks.items() if key[0] in given}
    taken = [*taken_from(page, kept), *options_taken(page, layer.fit.best)]
    return Example(
        known,
        {},
        parts,
        tuple((f"{name} of layer {index + 1}", line) for name, line in taken),
        given=given_by(kept),
        digits=digits_of(page.text),
        wrong=layer.wrong,
    )
