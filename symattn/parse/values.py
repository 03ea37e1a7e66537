"""Single values of the plain data: an entry, a text, a table."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Final

from symattn.errors import SpecError, SymattnError, Where
from symattn.exact import numbers
from symattn.parse import grammar, limits
from symattn.parse.messages import kind, quoted
from symattn.parse.size import terms
from symattn.problem import Entry, Expression

_CONTROL: Final = ("Cc", "Cs", "Zl", "Zp")
_TURNS: Final = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""Characters that turn the direction of what follows: a page could read other than it is."""


def entry(value: Any, symbols: Mapping[str, str], path: str) -> Entry:
    """An entry, exact: an integer, a Fraction, a Decimal, or a text in the grammar.

    Raises:
        SpecError: It is none of these, is out of bounds, or is no real number that can be held exactly.
    """
    try:
        found = _entry(value, symbols)
        if isinstance(found, Expression):
            _held(found)
    except SymattnError as error:
        raise error.located(path=path) from None
    return found


def positive(value: Any, symbols: Mapping[str, str], path: str) -> Entry:
    """An entry that is above 0, decided exactly.

    Raises:
        SpecError: As for ``entry``; or it is not above 0, or not for whatever its symbols stand for.
        UndecidedError: No theorem settles whether it is 0.
    """
    found = entry(value, symbols, path)
    where = Where(path)
    number = numbers.number(found)
    if numbers.symbols(number):
        if not all(factor > 0 and _above_zero(term) for (term, _), factor in numbers.terms(number)):
            raise SpecError(
                f"{kind(value)} may be 0 or less",
                mend='declare its symbols "positive", and subtract nothing',
                where=where,
            )
        return found
    try:
        sign = numbers.sign(number)
    except SymattnError as error:
        raise error.located(path=path) from None
    if sign <= 0:
        raise SpecError(f"{kind(value)} is not above 0", mend="write a positive number", where=where)
    return found


def _above_zero(product: numbers.Atoms) -> bool:
    """Roots and logarithms of primes are, and pi, and what was declared so."""
    return all(atom[0] in ("root", "log", "pi", "positive") for atom, *_ in product)


def _held(found: Expression) -> None:
    """Refuse an entry that cannot be held exactly, or only at great length."""
    if terms(found) > limits.TERMS:
        raise SpecError(
            "the entry is too long a sum when it is multiplied out", mend=f"{limits.TERMS} terms are the most"
        )
    numbers.number(found)


def _entry(value: Any, symbols: Mapping[str, str]) -> Entry:
    if isinstance(value, str):
        return grammar.entry(value, symbols)
    if isinstance(value, bool):
        raise SpecError(f"{kind(value)} is not a number", mend="write 1 or 0")
    if isinstance(value, Rational):
        return _rational(value)
    if isinstance(value, Decimal) and value.is_finite():
        return grammar.entry(str(value), {})
    if isinstance(value, Decimal):
        raise SpecError(f"{str(value).lower()} is not a real number", mend="write a finite number")
    if isinstance(value, Real):
        raise SpecError(
            f"{value!r} is a binary float, and as one 0.1 is not exactly 1/10",
            mend=f'write "{value}" or Decimal("{value}")',
        )
    raise SpecError(f"{kind(value)} is not a number", mend='write a number, or a text such as "sqrt(2)/2"')


def _rational(value: Rational) -> Fraction:
    found = Fraction(int(value.numerator), int(value.denominator))
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > limits.BITS:
        raise SpecError("the number has too many digits", mend=f"{limits.DIGITS} is the most")
    grammar.bounded(found)
    return found


def text(value: Any, most: int, path: str) -> str:
    """A text on one line.

    Raises:
        SpecError: It is no text, is longer than ``most``, or holds a control character.
    """
    where = Where(path)
    if not isinstance(value, str):
        raise SpecError(f"{kind(value)} is not a text", mend="write it in quotes", where=where)
    if len(value) > most:
        raise SpecError(f"the text has {len(value)} characters", mend=f"{most} is the most", where=where)
    for character in value:
        if unicodedata.category(character) in _CONTROL or unicodedata.bidirectional(character) in _TURNS:
            raise SpecError(f"the text holds the control character {quoted(character)}", mend="remove it", where=where)
    return value


def table(value: Any, path: str) -> Mapping[str, Any]:
    """A table whose keys are texts."""
    if not isinstance(value, Mapping):
        raise SpecError(f"{kind(value)} is not a table", mend="write names and values", where=Where(path))
    for key in value:
        if not isinstance(key, str):
            raise SpecError(f"a name here is {kind(key)}", mend="names are texts", where=Where(path))
    return value


def rows(value: Any, path: str) -> list[Any] | tuple[Any, ...]:
    """A list, from a file or from Python."""
    if not isinstance(value, list | tuple):
        raise SpecError(f"{kind(value)} is not a list", mend="write it in square brackets", where=Where(path))
    return value
