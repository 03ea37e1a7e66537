"""The tables of options, read by the rows of ``problem.Attention`` and ``problem.Page``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from symattn.errors import SpecError, Where
from symattn.parse import limits
from symattn.parse.arrays import array, vector
from symattn.parse.kinds import value
from symattn.parse.messages import child, nearest, quoted
from symattn.parse.values import rows, table
from symattn.problem import TABLES, VECTORS, Also, Attention, Layer, Page, Problem, options

FIXED: Final = ("num_heads", "num_kv_heads", "residual")
"""Options that no ``[[also]]`` can change: the widths of the arrays hang on them, and what is added to the output."""
POSITIVE: Final = ("softcap", "temperature")
"""Options that are divided by: above 0, so that they keep the order of the logits."""
_HOMES: Final = {
    "at the top of the file": tuple(row.name for row in fields(Problem)),
    "under [attention]": tuple(row.name for row in fields(Attention)),
    "under [[also]]": tuple(row.name for row in fields(Attention) if row.name not in FIXED),
    "under [[layers]]": (*TABLES, *VECTORS, *(row.name for row in fields(Attention))),
    "under [page]": tuple(row.name for row in fields(Page)),
}
_TOP, _ATTENTION, _ALSO, _LAYERS, _PAGE = _HOMES


def known(names: Iterable[str], home: str = _TOP, path: str = "") -> None:
    """Refuse a name that has no meaning here, saying where it has one, or which was meant."""
    for name in names:
        if name not in _HOMES[home]:
            changed = home == _ALSO and name in FIXED
            what = f"{name} cannot change from section to section" if changed else f"unknown name {quoted(name)}"
            raise SpecError(what, mend=_meant(name, home), where=Where(child(path, name)))


def _meant(name: str, home: str) -> str:
    for other, names in _HOMES.items():
        if name in names:
            return f"write it {other}"
    if near := nearest(name, _HOMES[home]):
        return f"did you mean {near}?"
    for other, names in _HOMES.items():
        if near := nearest(name, names):
            return f"did you mean {near}, {other}?"
    return f"known here: {', '.join(_HOMES[home])}"


def attention(given: Any, symbols: Mapping[str, str]) -> Attention:
    """The table ``[attention]``.

    Raises:
        SpecError: An unknown option, a value that its row does not allow, or key heads that do not divide the heads.
    """
    found = table(given, "attention")
    known(found, _ATTENTION, "attention")
    options = replace(Attention(), **_read(Attention, found, symbols, "attention"))
    _shared_evenly(options, "attention.num_kv_heads")
    return options


def _shared_evenly(options: Attention, path: str) -> None:
    if options.num_heads % options.kv_heads:
        raise SpecError(
            f"{options.num_heads} heads cannot share {options.kv_heads} key heads evenly",
            mend="choose num_kv_heads so that it divides num_heads",
            where=Where(path),
        )


def also(given: Any, base: Attention, symbols: Mapping[str, str]) -> tuple[Also, ...]:
    """The tables ``[[also]]``, each upon ``[attention]``.

    Raises:
        SpecError: One of them is empty, says what another says, or says something unusable.
    """
    tables = rows(given, "also")
    if len(tables) > limits.SECTIONS:
        raise SpecError(
            f"{len(tables)} tables are too many", mend=f"{limits.SECTIONS} is the most", where=Where("also")
        )
    found = tuple(_section(item, base, symbols, child("also", i)) for i, item in enumerate(tables))
    names = {base: "attention"}
    for i, section in enumerate(found):
        place = child("also", i)
        first = names.setdefault(section.attention, place)
        if first != place:
            raise SpecError(f"the same options as {first}", mend="change one, or remove it", where=Where(place))
    return found


def _section(item: Any, base: Attention, symbols: Mapping[str, str], path: str) -> Also:
    given = table(item, path)
    if not given:
        raise SpecError("the table is empty", mend="say what changes, as in causal = true", where=Where(path))
    known(given, _ALSO, path)
    changed = _read(Attention, given, symbols, path)
    return Also(replace(base, **changed), tuple(changed))


def layers(given: Any, base: Attention, symbols: Mapping[str, str]) -> tuple[Layer, ...]:
    """The tables ``[[layers]]``, each with its arrays, and with its options upon ``[attention]``.

    Raises:
        SpecError: There is none, or too many; one lacks a table, or says something unusable.
        ShapeError: An array that is empty, ragged or too large.
    """
    tables = rows(given, "layers")
    if not 1 <= len(tables) <= limits.LAYERS:
        what = f"{len(tables)} tables are too many" if tables else "the list is empty"
        raise SpecError(what, mend=f"write 1 to {limits.LAYERS} layers", where=Where("layers"))
    return tuple(_layer(item, base, symbols, child("layers", i)) for i, item in enumerate(tables))


def _layer(item: Any, base: Attention, symbols: Mapping[str, str], path: str) -> Layer:
    given = table(item, path)
    known(given, _LAYERS, path)
    for name in TABLES[:3]:
        if name not in given:
            mend = f'write {name} = "identity" for a plain copy'
            raise SpecError(f"{name} is missing", mend=mend, where=Where(child(path, name)))
    arrays: dict[str, Any] = {
        name: (array if name in TABLES else vector)(given[name], symbols, child(path, name))
        for name in (*TABLES, *VECTORS)
        if name in given
    }
    changed = _read(Attention, given, symbols, path)
    options = replace(base, **changed)
    _shared_evenly(options, child(path, "num_kv_heads"))
    return Layer(**arrays, attention=options, changed=tuple(changed))


def page(given: Any, symbols: Mapping[str, str]) -> Page:
    """The table ``[page]``.

    Raises:
        SpecError: An unknown option, a value that its row does not allow, or two that exclude each other.
    """
    options = table(given, "page")
    known(options, _PAGE, "page")
    found = replace(Page(), **_read(Page, options, symbols, "page"))
    if found.row_sums == "one" and found.digits == "significant":
        raise SpecError(
            'row_sums = "one" needs one unit for the whole row, and significant digits have one for each number',
            mend='set digits = "places"',
            where=Where("page.row_sums"),
        )
    if found.rounding == "carried" and symbols:
        raise SpecError(
            "carried rounding needs numbers, but symbols are declared",
            mend='set rounding = "nearest", or put numbers in for the symbols',
            where=Where("page.rounding"),
        )
    return found


def _read(
    rows_of: type[Attention] | type[Page], given: Mapping[str, Any], symbols: Mapping[str, str], path: str
) -> dict[str, Any]:
    return {
        row.name: value(given[row.name], option, symbols, child(path, row.name), above_zero=row.name in POSITIVE)
        for row, option in options(rows_of)
        if row.name in given
    }
