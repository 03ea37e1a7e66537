"""The tables of options, read by the rows of ``problem.Attention`` and ``problem.Page``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from numbers import Integral
from typing import Any, Final

from symattn.errors import SpecError, Where
from symattn.parse import limits
from symattn.parse.messages import child, kind, nearest, quoted
from symattn.parse.values import entry, rows, table, text
from symattn.problem import Also, Attention, Option, Page, Problem, options
from symattn.symbols import GENERATOR, NOTATION, SYMBOLS

FIXED: Final = ("num_heads",)
"""Options that no ``[[also]]`` can change: the widths of the arrays hang on them."""
_HOMES: Final = {
    "at the top of the file": tuple(row.name for row in fields(Problem)),
    "under [attention]": tuple(row.name for row in fields(Attention)),
    "under [[also]]": tuple(row.name for row in fields(Attention) if row.name not in FIXED),
    "under [page]": tuple(row.name for row in fields(Page)),
}
_TOP, _ATTENTION, _ALSO, _PAGE = _HOMES


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


def attention(value: Any, symbols: Mapping[str, str]) -> Attention:
    """The table ``[attention]``.

    Raises:
        SpecError: An unknown option, or a value that its row does not allow.
    """
    given = table(value, "attention")
    known(given, _ATTENTION, "attention")
    return replace(Attention(), **_read(Attention, given, symbols, "attention"))


def also(value: Any, base: Attention, symbols: Mapping[str, str]) -> tuple[Also, ...]:
    """The tables ``[[also]]``, each upon ``[attention]``.

    Raises:
        SpecError: One of them is empty, says what another says, or says something unusable.
    """
    given = rows(value, "also")
    if len(given) > limits.SECTIONS:
        raise SpecError(f"{len(given)} tables are too many", mend=f"{limits.SECTIONS} is the most", where=Where("also"))
    found = tuple(_section(item, base, symbols, child("also", i)) for i, item in enumerate(given))
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


def page(value: Any, symbols: Mapping[str, str]) -> Page:
    """The table ``[page]``.

    Raises:
        SpecError: An unknown option, a value that its row does not allow, or two that exclude each other.
    """
    given = table(value, "page")
    known(given, _PAGE, "page")
    found = replace(Page(), **_read(Page, given, symbols, "page"))
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
        row.name: _value(given[row.name], option, symbols, child(path, row.name))
        for row, option in options(rows_of)
        if row.name in given
    }


def _value(value: Any, option: Option, symbols: Mapping[str, str], path: str) -> Any:
    match option.kind:
        case "choice":
            return _choice(value, option, path)
        case "integer":
            return _integer(value, option, path)
        case "entry":
            return entry(value, symbols, path)
        case "notation":
            return _notation(value, path)


def _choice(value: Any, option: Option, path: str) -> bool | str:
    for choice in option.choices:
        if isinstance(value, bool | str) and value == choice:
            return choice
    words = [str(choice).lower() if isinstance(choice, bool) else f'"{choice}"' for choice in option.choices]
    raise SpecError(f"{kind(value)} is not a choice here", mend=f"write {' or '.join(words)}", where=Where(path))


def _integer(value: Any, option: Option, path: str) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and option.least <= int(value) <= option.most:
        return int(value)
    raise SpecError(
        f"{kind(value)} cannot stand here",
        mend=f"write an integer from {option.least} to {option.most}",
        where=Where(path),
    )


def _notation(value: Any, path: str) -> tuple[tuple[str, str], ...]:
    """The letters that differ from those of ``symbols.SYMBOLS``, in its order."""
    given = table(value, path)
    for name in given:
        if name not in NOTATION:
            near = nearest(name, NOTATION)
            mend = f"did you mean {near}?" if near else f"known here: {', '.join(NOTATION)}"
            raise SpecError(f"unknown name {quoted(name)}", mend=mend, where=Where(child(path, name)))
    usual = {name: SYMBOLS[name].letter if name in SYMBOLS else GENERATOR for name in NOTATION}
    letters = usual | {name: _letter(found, child(path, name)) for name, found in given.items()}
    for name in given:
        for other, letter in letters.items():
            if other != name and letter == letters[name]:
                raise _taken(letter, other, child(path, name))
    return tuple((name, letter) for name, letter in letters.items() if letter != usual[name])


def _letter(value: Any, path: str) -> str:
    found = text(value, limits.LETTER, path)
    if not found[:1].isalpha() or not all(c.isalpha() or c in "0123456789_'" for c in found):
        raise SpecError(
            f"{kind(found)} cannot be the letter of an array",
            mend="write a letter, and more letters, digits, _ or ' if need be",
            where=Where(path),
        )
    return found


def _taken(letter: str, other: str, path: str) -> SpecError:
    return SpecError(
        f"{quoted(letter)} is the letter of {other} already",
        mend=f"choose another, or set {other} too",
        where=Where(path),
    )
