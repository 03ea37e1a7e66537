"""Mathematics as LaTeX, written directly from exact numbers, closed forms and formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

from flint import fmpq

from symattn.exact import numbers
from symattn.exact.closed import ClosedForm
from symattn.exact.numbers import Argument, Atom, Atoms, Exact, Known
from symattn.exact.values import MASKED, Plain
from symattn.render.style import PLAIN, Style
from symattn.steps import Add, Div, Entry, Exp, Formula, Mul, Name, Num, Sum, Tanh, Where

_COMMAND = re.compile(r"\\[a-zA-Z]+$")
INFINITY = r"-\infty"
SPECIAL: Mapping[str, str] = {"-oo": INFINITY, "nan": r"\mathrm{undefined}"}
"""What is printed in place of a number."""


@dataclass(frozen=True, slots=True)
class Notation:
    """Letters of the arrays by name, the letter of closed forms, the decimal mark, named numbers as LaTeX, style."""

    letters: Mapping[str, str]
    letter: str
    decimal_mark: str
    numbers: Mapping[str, str]
    style: Style = PLAIN


@lru_cache(maxsize=1024)  # the numbers of a page stand in several places
def decimal(text: str, mark: str = ".") -> str:
    """A printed decimal: ``2.58e-869`` with a power of ten, a decimal comma without the space TeX gives one."""
    if text in SPECIAL:
        return SPECIAL[text]
    mantissa, _, exponent = text.partition("e")
    shown = mantissa.replace(".", mark if mark == "." else "{,}")
    return rf"{shown}\cdot 10^{{{exponent}}}" if exponent else shown


def factor(text: str) -> str:
    """A factor or term after an operator: bracketed if it has a sign."""
    return f"({text})" if text.startswith("-") else text


def bracketed(text: str, *, first: bool = False) -> str:
    """A factor of a product: in brackets if it is a sum, or has a sign and is not the first."""
    depth, is_sum = 0, False
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        is_sum = is_sum or (depth == 0 and position > 0 and character in "+-")
    return rf"\left({text}\right)" if is_sum or (text.startswith("-") and not first) else text


def joined(terms: Iterable[str]) -> str:
    """A sum: terms with their signs between them."""
    first, *rest = terms
    return first + "".join([f" - {term[1:]}" if term.startswith("-") else f" + {term}" for term in rest])


def exact(number: Exact | int, style: Style = PLAIN) -> str:
    """An exact number, roots below the line where that is shorter: sqrt(2)/2 is 1/sqrt(2)."""
    if not isinstance(number, numbers.Number):
        return _rational(number)
    parts = [_product(coefficient, atoms, exponent, style) for (atoms, exponent), coefficient in numbers.terms(number)]
    return joined(parts)


def _rational(number: fmpq | int) -> str:
    if isinstance(number, int):
        return str(number)
    above, below = int(number.p), int(number.q)
    if below == 1:
        return str(above)
    return rf"-\frac{{{-above}}}{{{below}}}" if above < 0 else rf"\frac{{{above}}}{{{below}}}"


def _product(coefficient: fmpq, atoms: Atoms, exponent: Exact | int, style: Style) -> str:
    above, below = abs(int(coefficient.p)), int(coefficient.q)
    factors = numbers.powers(atoms)
    radicand = prod(int(str(atom[1])) for atom, power in factors if _is_square_root(atom, power))
    others = [(atom, power) for atom, power in factors if not _is_square_root(atom, power)]
    over = [_atom(atom, power, style) for atom, power in others if power > 0]
    under = [_atom(atom, -power, style) for atom, power in others if power < 0]
    if radicand > 1 and below % radicand == 0:
        below //= radicand
        under.insert(0, rf"\sqrt{{{radicand}}}")
    elif radicand > 1:
        over.insert(0, rf"\sqrt{{{radicand}}}")
    if not numbers.is_zero(exponent):
        over.append(power_of_e(exponent, style))
    if above != 1 or not over:
        over.insert(0, str(above))
    if below != 1:
        under.insert(0, str(below))
    sign = "-" if coefficient < 0 else ""
    return sign + (rf"\frac{{{_beside(over)}}}{{{_beside(under)}}}" if under else _beside(over))


def _beside(parts: list[str]) -> str:
    """Factors side by side, logarithms last; a dot where two digits would meet, a space before a word."""
    text = ""
    for part in sorted(parts, key=lambda part: part.startswith(r"\ln")):
        meets = text[-1:].isdigit() and part[:1].isdigit()
        apart = (text and part.startswith(r"\ln")) or (_COMMAND.search(text) and part[:1].isalpha())
        text += (r" \cdot " if meets else " " if apart else "") + part
    return text


def _is_square_root(atom: Atom, power: fmpq) -> bool:
    return atom[0] == "root" and bool(power == fmpq(1, 2))


def _atom(atom: Atom, power: fmpq, style: Style) -> str:
    """An atom to a positive power."""
    kind, name = atom
    if isinstance(name, Known):
        raise ValueError("what is known by its enclosures alone has no closed form")
    if isinstance(name, Argument):
        base = rf"\{kind}\left({exact(name.number, style)}\right)"
        return base if power == 1 else f"{base}^{{{power}}}"
    if kind == "root":
        return f"{name}^{{{int(power.p)}/{int(power.q)}}}"
    base = rf"\ln {name}" if kind == "log" else r"\pi" if kind == "pi" else symbol(str(name))
    if power == 1:
        return base
    if power == fmpq(1, 2):
        return rf"\sqrt{{{base}}}"
    return rf"(\ln {name})^{{{power}}}" if kind == "log" else f"{base}^{{{power}}}"


def symbol(name: str) -> str:
    """A name as a symbol: one letter, with a subscript after an underscore, else upright."""
    head, _, subscript = name.partition("_")
    shown = head if len(head) <= 1 else rf"\mathrm{{{head}}}"
    return f"{shown}_{{{subscript.replace('_', chr(92) + '_')}}}" if subscript else shown


def letter(name: str) -> str:
    """A letter of one's own as a symbol, with its primes."""
    bare = name.rstrip("'")
    head, _, subscript = bare.partition("_")
    plain = len(head) == 1 and len(subscript) <= 1
    return (bare if plain else symbol(bare)) + "'" * (len(name) - len(bare))


@lru_cache(maxsize=256)  # a row's weights and outputs all name its few powers
def power_of_e(exponent: Exact | int, style: Style = PLAIN) -> str:
    """e to an exact exponent, in one line: e^{1/sqrt 2}."""
    return style.e if exponent == 1 else style.power(inline(exponent, style))


def inline(number: Exact | int, style: Style = PLAIN) -> str:
    """An exact number without a fraction bar, for exponents."""
    pairs = list(numbers.terms(number))
    if len(pairs) == 1 and pairs[0][1].q != 1:
        text = exact(number, style)
        sign = "-" if text.startswith("-") else ""
        body = text.removeprefix("-")
        if body.startswith(r"\frac{"):
            over, under = _halves(body.removeprefix(r"\frac"))
            return f"{sign}{over}/{under if _is_one_factor(under) else '(' + under + ')'}"
    return exact(number, style)


def _halves(text: str) -> tuple[str, str]:
    """The two brace groups of a fraction."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return text[1:position], text[position + 2 : -1]
    raise ValueError(text)


def _is_one_factor(text: str) -> bool:
    return text.isdigit() or (text.startswith(r"\sqrt{") and text.count("{") == 1)


def closed(form: ClosedForm, letter: str, style: Style = PLAIN) -> str:
    """A closed form as a fraction in the letter, or in powers of e."""
    if not form.numerator:
        return "0"
    top, under = side(form.numerator, form, letter, style), side(form.denominator, form, letter, style)
    if under == "1":
        return top
    if top.startswith("-") and len(form.numerator) == 1:
        return rf"-\frac{{{top[1:]}}}{{{under}}}"
    return rf"\frac{{{top}}}{{{under}}}"


def side(terms: Sequence[tuple[Any, Any]], form: ClosedForm, letter: str, style: Style = PLAIN) -> str:
    """The numerator or the denominator of a closed form."""
    of_e = form.generator is None
    if not of_e and all(type(coefficient) is int for coefficient, _ in terms):
        return _polynomial(tuple(terms), letter)
    return joined([term(coefficient, power, letter, style, of_e=of_e) for coefficient, power in terms])


@lru_cache(maxsize=256)  # the forms of a row share their denominator
def _polynomial(terms: tuple[tuple[int, int], ...], letter: str) -> str:
    """Integers times powers of a letter."""
    return joined([term(coefficient, power, letter, of_e=False) for coefficient, power in terms])


def term(coefficient: Exact | int, power: Any, letter: str, style: Style = PLAIN, *, of_e: bool) -> str:
    """coefficient * letter^power, or coefficient * e^power."""
    if not power:
        return exact(coefficient, style)
    base = power_of_e(power, style) if of_e else letter if power == 1 else f"{letter}^{{{power}}}"
    if isinstance(coefficient, int | fmpq) and abs(coefficient) == 1:
        return base if coefficient > 0 else f"-{base}"
    text = exact(coefficient, style)
    several = isinstance(coefficient, numbers.Number) and len(coefficient.terms) > 1
    return (
        rf"\left({text}\right){base}"
        if several
        else f"{text}{' ' if text[-1].isdigit() and 'ln' in text else ''}{base}"
    )


def formula(tree: Formula, notation: Notation) -> str:
    """A formula, before numbers or with numbers put in."""
    match tree:
        case Num(value, text):
            return _number(value, text, notation)
        case Entry(array, row, column):
            return entry(array, row, column, notation)
        case Name(name):
            return notation.numbers[name]
        case Add(terms):
            return joined(formula(part, notation) for part in terms)
        case Mul(factors):
            first, *rest = (formula(part, notation) for part in factors)
            beside = all(isinstance(part, Entry) for part in factors) or (
                isinstance(factors[0], Entry) and not any(text[:1].isdigit() for text in rest)
            )
            sign = r"\," if beside else r" \cdot "
            return sign.join([first, *map(factor, rest)])
        case Div(numerator, denominator):
            return rf"\frac{{{formula(numerator, notation)}}}{{{formula(denominator, notation)}}}"
        case Exp(exponent):
            return notation.style.power(formula(exponent, notation))
        case Tanh(argument):
            return rf"\tanh\left({formula(argument, notation)}\right)"
        case Sum(index, size, body):
            return rf"\sum_{{{index}=1}}^{{{SIZES[size]}}} {formula(body, notation)}"
        case Where(_, _, then):
            return formula(then, notation)


SIZES: Mapping[str, str] = {
    "n_q": "n_q",
    "n_k": "n_k",
    "d_k": "d_k",
    "d_v": "d_v",
    "d_model": r"d_{\mathrm{model}}",
    "width": "m",
}
"""Sizes as symbols."""


def entry(array: str, row: str | int, column: str | int, notation: Notation) -> str:
    """An entry of an array; numbers count from 1 on a page."""
    columns = notation.style.columns
    i, j = (_index(place, turned=columns) for place in ((column, row) if columns else (row, column)))
    letter = notation.letters[array]
    base, mark = (letter[:-1], "'") if letter.endswith("'") else (letter, "")
    return f"{{{base}}}{mark}_{{{i},{j}}}" if "_" in base else f"{base}{mark}_{{{i},{j}}}"


def _index(place: str | int, *, turned: bool) -> str:
    """An index as it is printed; where vectors are columns, i still counts rows and j columns."""
    if isinstance(place, int):
        return str(place + 1)
    return {"i": "j", "j": "i"}.get(place, place) if turned else place


def turned(tree: Formula) -> Formula:
    """The formula with the factors of each product of two arrays in the other order: W X for X W."""
    match tree:
        case Mul(factors) if all(isinstance(factor, Entry | Num) for factor in factors):
            return Mul(factors[::-1])
        case Add(terms):
            return Add(tuple(map(turned, terms)))
        case Sum(index, size, body):
            return Sum(index, size, turned(body))
        case _:
            return tree


def _number(value: Any, text: str | None, notation: Notation) -> str:
    if value is MASKED:
        return INFINITY
    if text is not None:
        return decimal(text, notation.decimal_mark)
    return exact(value.number, notation.style) if isinstance(value, Plain) else "?"


@lru_cache(maxsize=128)  # most pages share the few factors 1/sqrt(d_k)
def scaled_by(number: Exact, style: Style = PLAIN) -> tuple[str, str]:
    """How a scale is said: ("divide", sqrt 2) for 1/sqrt(2), ("divide", 2) for 1/2, ("multiply", ...) else."""
    if numbers.is_zero(number):
        return "multiply", "0"
    text = exact(number, style)
    if _invertible(number):
        inverse = exact(numbers.inverse(number), style)
        if len(inverse) <= len(text) and not inverse.startswith((r"\frac", "-")):
            return "divide", inverse
    return "multiply", text


def _invertible(number: Exact) -> bool:
    return len(list(numbers.terms(number))) == 1 and not numbers.symbols(number)
