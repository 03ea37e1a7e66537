"""The value of one option, read as the kind in its row says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from numbers import Integral
from typing import Any, Final, TypeVar

from symattn.errors import ShapeError, SpecError, Where
from symattn.parse import limits
from symattn.parse.arrays import grid, vector
from symattn.parse.messages import child, kind, nearest, quoted
from symattn.parse.values import entry, positive, rows, table, text
from symattn.problem import Bias, Entry, Mask, Option, Rope
from symattn.symbols import GENERATOR, NOTATION, SYMBOLS

Item = TypeVar("Item")

HIDING: Final = ("-oo", "-inf", "-infinity")
"""How minus infinity may be written, the bias that hides a key; the last is how a Decimal writes it."""
ROPE: Final = ("base", "dimensions", "interleaved")


def value(given: Any, option: Option, symbols: Mapping[str, str], path: str, *, above_zero: bool = False) -> Any:
    """The value of an option, as its field in ``problem`` holds it; an entry ``above_zero`` where that is asked.

    Raises:
        SpecError: The row does not allow it.
        ShapeError: It is a list that is empty, ragged or too large.
    """
    match option.kind:
        case "choice":
            return _choice(given, option.choices, path)
        case "integer":
            return _integer(given, option.least, option.most, path)
        case "entry":
            return (positive if above_zero else entry)(given, symbols, path)
        case "notation":
            return _notation(given, path)
        case "window":
            return _window(given, path)
        case "entries":
            return _entries(given, symbols, path)
        case "masks":
            return _masks(given, path)
        case "biases":
            return _biases(given, symbols, path)
        case "rope":
            return _rope(given, symbols, path)


def _choice(given: Any, choices: tuple[bool | str, ...], path: str) -> bool | str:
    for choice in choices:
        if isinstance(given, bool | str) and given == choice:
            return choice
    words = [str(choice).lower() if isinstance(choice, bool) else f'"{choice}"' for choice in choices]
    raise SpecError(f"{kind(given)} is not a choice here", mend=f"write {' or '.join(words)}", where=Where(path))


def _integer(given: Any, least: int, most: int, path: str) -> int:
    if isinstance(given, Integral) and not isinstance(given, bool) and least <= int(given) <= most:
        return int(given)
    raise SpecError(
        f"{kind(given)} cannot stand here", mend=f"write an integer from {least} to {most}", where=Where(path)
    )


def _window(given: Any, path: str) -> tuple[int, int]:
    found = rows(given, path)
    if len(found) != 2:
        raise SpecError(
            f"a list of {len(found)} is not a window",
            mend="write [left, right]: how many keys back and ahead a query sees, -1 for all",
            where=Where(path),
        )
    left, right = (_integer(side, -1, limits.WINDOW, child(path, i)) for i, side in enumerate(found))
    return left, right


def _entries(given: Any, symbols: Mapping[str, str], path: str) -> tuple[Entry, ...]:
    """One entry for all heads, or a list."""
    return vector(given, symbols, path) if isinstance(given, list | tuple) else (entry(given, symbols, path),)


def _masks(given: Any, path: str) -> tuple[Mask, ...]:
    return _each_head(given, _may_attend, path, limits.MASKED)


def _may_attend(given: Any, path: str) -> bool:
    if isinstance(given, bool):
        return given
    raise SpecError(
        f"{kind(given)} is not true or false",
        mend="write true where the query may attend to the key and false where it may not; "
        'numbers are a bias, in which 0 and 1 hide nothing and "-oo" hides the key',
        where=Where(path),
    )


def _biases(given: Any, symbols: Mapping[str, str], path: str) -> tuple[Bias, ...]:
    return _each_head(given, lambda found, place: _added(found, symbols, place), path, limits.ENTRIES)


def _added(given: Any, symbols: Mapping[str, str], path: str) -> Entry | None:
    """An entry, or None for minus infinity."""
    infinite = isinstance(given, str | float | Decimal) and str(given).strip().lower() in HIDING
    return None if infinite else entry(given, symbols, path)


def _each_head(
    given: Any, item: Callable[[Any, str], Item], path: str, most: int
) -> tuple[tuple[tuple[Item, ...], ...], ...]:
    """A matrix for all heads, or a list of such, one a head; ``most`` entries in all."""
    if not _nested(given):
        return (grid(given, item, path, most),)
    if len(given) > limits.HEADS:
        raise ShapeError(f"{len(given)} matrices are too many", mend=f"{limits.HEADS} is the most", where=Where(path))
    return tuple(grid(one, item, child(path, head), most // len(given)) for head, one in enumerate(given))


def _nested(given: Any) -> bool:
    """Whether it is a list of lists of lists, as its first item says."""
    for _ in range(2):
        if not isinstance(given, list | tuple) or not given:
            return False
        given = given[0]
    return isinstance(given, list | tuple)


def _rope(given: Any, symbols: Mapping[str, str], path: str) -> Rope:
    found = table(given, path)
    _names(found, ROPE, path)
    usual = Rope()
    dimensions = usual.dimensions
    if "dimensions" in found:
        dimensions = _integer(found["dimensions"], 2, limits.SIDE, child(path, "dimensions"))
        if dimensions % 2:
            where = Where(child(path, "dimensions"))
            raise SpecError(
                f"{dimensions} is odd", mend="rotary positions turn pairs: write an even number", where=where
            )
    return Rope(
        base=positive(found["base"], symbols, child(path, "base")) if "base" in found else usual.base,
        dimensions=dimensions,
        interleaved=bool(
            _choice(found.get("interleaved", usual.interleaved), (False, True), child(path, "interleaved"))
        ),
    )


def _names(given: Mapping[str, Any], known: tuple[str, ...], path: str) -> None:
    for name in given:
        if name not in known:
            near = nearest(name, known)
            mend = f"did you mean {near}?" if near else f"known here: {', '.join(known)}"
            raise SpecError(f"unknown name {quoted(name)}", mend=mend, where=Where(child(path, name)))


def _notation(given: Any, path: str) -> tuple[tuple[str, str], ...]:
    """The letters that differ from those of ``symbols.SYMBOLS``, in its order."""
    found = table(given, path)
    _names(found, NOTATION, path)
    usual = {name: SYMBOLS[name].letter if name in SYMBOLS else GENERATOR for name in NOTATION}
    letters = usual | {name: _letter(letter, child(path, name)) for name, letter in found.items()}
    for name in found:
        for other, letter in letters.items():
            if other != name and letter == letters[name]:
                raise _taken(letter, other, child(path, name))
    return tuple((name, letter) for name, letter in letters.items() if letter != usual[name])


def _letter(given: Any, path: str) -> str:
    found = text(given, limits.LETTER, path)
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
