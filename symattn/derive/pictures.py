"""The pictures of a worked problem: weights as grids, masks, and the values' hull with the outputs in it.

A picture is made where it can be read: at most eight rows and columns, and no symbol left in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

from symattn.derive.sections import Section, Worked
from symattn.errors import UndecidedError
from symattn.exact.attention import Head, Result
from symattn.exact.hull import hull
from symattn.exact.values import UNDEFINED
from symattn.pictures import Cell, Grid, Hull, Mask, Picture, Spot
from symattn.policies import Grid as Texts
from symattn.policies import PrintedHead
from symattn.steps import Table

Names: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]

T = TypeVar("T")

MOST: Final = 8
"""The most queries, and keys, of a picture."""


def pictures(worked: Worked) -> dict[str, Picture]:
    """Every picture by its key: ``weights-1``, ``mask-1`` and ``outputs-1`` of the first head, and so on; of a further
    section the masks and weights: ``also-1-mask-1``; of a further layer the weights: ``layer-2-weights-1``.
    """
    problem = worked.problem
    if max(problem.n_q, problem.n_k) > MOST:
        return {}
    names = (problem.tokens, problem.context_tokens or problem.tokens)
    main, *further = worked.sections
    turned = problem.page.vectors == "columns"
    found: dict[str, Picture] = dict(_masks(main, names, turned, "mask"))
    for index, section in enumerate(further, start=1):
        if section.result.allowed != main.result.allowed:
            found.update(_masks(section, names, turned, f"also-{index}-mask"))
        found.update(_grids(worked, section, names, f"also-{index}-weights"))
    found.update(_grids(worked, main, names, "weights"))
    for number, (head, shown) in enumerate(zip(main.result.heads, worked.shown(main).heads, strict=True), start=1):
        outputs = _outputs(main.result, head, shown, names)
        found |= {f"outputs-{number}": outputs} if outputs else {}
    for layer in worked.further:
        found.update(_grids(layer, layer.sections[0], names, f"layer-{layer.index + 1}-weights"))
    return found


def _grids(worked: Worked, section: Section, names: Names, key: str) -> Iterator[tuple[str, Grid]]:
    """The weights of each head."""
    for number, (head, shown) in enumerate(zip(section.result.heads, worked.shown(section).heads, strict=True), 1):
        cells = _weights(head, shown)
        if cells:
            turned = worked.problem.page.vectors == "columns"
            yield f"{key}-{number}", Grid(*names[::-1], _across(cells), turned=True) if turned else Grid(*names, cells)


def _masks(section: Section, names: Names, turned: bool, key: str) -> Iterator[tuple[str, Mask]]:
    """One for each mask that hides something, and that no earlier head has."""
    found = []
    for number, head in enumerate(section.result.heads, start=1):
        if head.allowed is not None and head.allowed not in found and not all(map(all, head.allowed)):
            found.append(head.allowed)
            seen = tuple(map(tuple, head.allowed))
            yield f"{key}-{number}", Mask(*names[::-1], _across(seen), turned=True) if turned else Mask(*names, seen)


def _across(rows: tuple[tuple[T, ...], ...]) -> tuple[tuple[T, ...], ...]:
    """The rows as columns."""
    return tuple(zip(*rows, strict=True))


def _weights(head: Head, shown: PrintedHead) -> tuple[tuple[Cell, ...], ...]:
    """The weights query by query; none where a symbol is left, or a row is undefined."""
    cells = []
    for i, (values, texts) in enumerate(zip(head.weights.rows, shown.weights, strict=True)):
        row = []
        for j, (value, text) in enumerate(zip(values, texts, strict=True)):
            if text is None or value is UNDEFINED:
                return ()
            row.append(Cell(value, text.text, head.allowed is None or head.allowed[i][j]))
        cells.append(tuple(row))
    return tuple(cells)


def _outputs(result: Result, head: Head, shown: PrintedHead, names: Names) -> Hull | None:
    """Where values are pairs of numbers and every output is an average of them."""
    if head.value.shape[1] != 2 or not result.rows_add_to_one:
        return None
    values, outputs = _spots(head.value, shown.value, names[1]), _spots(head.output, shown.output, names[0])
    if not values or not outputs:
        return None
    try:
        return Hull(values, hull([(spot.x.number, spot.y.number) for spot in values]), outputs)
    except UndecidedError:
        return None


def _spots(table: Table, texts: Texts, names: Sequence[str]) -> tuple[Spot, ...]:
    """The rows as points, equal ones that are printed alike as one; none where a symbol is left."""
    found: list[Spot] = []
    for (x, y), shown, name in zip(table.rows, texts, names, strict=True):
        if shown[0] is None or shown[1] is None:
            return ()
        told = shown[0].text, shown[1].text
        alike = (index for index, spot in enumerate(found) if spot.texts == told)
        same = next((index for index in alike if found[index].x.equals(x) and found[index].y.equals(y)), None)
        if same is None:
            found.append(Spot((name,), x, y, told))
        else:
            found[same] = Spot((*found[same].names, name), x, y, found[same].texts)
    return tuple(found)
