"""Printed equalities that are true as printed.

The right side of a line is what its printed left side gives, rounded once. Where the printed numbers do not give it,
the line takes the fewest guard digits with which they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import add, mul
from typing import Final, TypeAlias

from flint import fmpq

from symattn.exact import numbers
from symattn.exact.layers import is_open
from symattn.exact.numbers import Exact, Number
from symattn.exact.values import Plain, Value
from symattn.policies import rounded
from symattn.problem import Page
from symattn.rounding import nearest, significant
from symattn.steps import Add, Div, Exp, Formula, Mul, Name, Num, Printed, Tanh

Names: TypeAlias = Mapping[str, Value]
NO_NAMES: Final[Names] = {}
_MOST_GUARD_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Line:
    """``left`` = or ≈ ``right``, true as printed; ``exact`` tells which sign. A vector's line has a formula and a text
    each coordinate.
    """

    left: tuple[Formula, ...]
    right: tuple[str, ...]
    exact: bool


def true_line(left: Formula | None, right: Printed | None, page: Page, names: Names = NO_NAMES) -> Line | None:
    """The line of one number with the fewest guard digits that make it true; None if no reasonable number does."""
    return true_lines((left,), (right,), page, names)


def true_lines(
    left: Sequence[Formula | None],
    right: Sequence[Printed | None],
    page: Page,
    names: Names = NO_NAMES,
    within: Callable[[Line], bool] = lambda _: True,
) -> Line | None:
    """The same for a vector, whose coordinates share the guard digits; ``names``: numbers with names of their own.

    A line with guard digits is longer than one without, so where that is not ``within`` bounds none is looked for.
    """
    formulas = tuple(formula for formula in left if formula is not None)
    targets = tuple(target.text for target in right if target is not None)
    if (
        len(formulas) < len(left)
        or len(targets) < len(right)
        or "-oo" in targets
        or not all(map(_is_printed, formulas))
    ):
        return None
    if not all(target is not None and target.exact for target in right) and not within(Line(formulas, targets, False)):
        return None
    for shown in _ways(formulas, right, page):
        try:
            values = [evaluated(formula, names) for formula in shown]
        except ZeroDivisionError:
            continue
        found = [rounded(value, page) for value in values]
        if all(one.text == target for one, target in zip(found, targets, strict=True)):
            return Line(shown, targets, all(one.exact for one in found))
    return None


def _ways(formulas: tuple[Formula, ...], right: Sequence[Printed | None], page: Page) -> Iterator[tuple[Formula, ...]]:
    """As printed; in exact fractions where the result is exact and they are rational; with guard digits."""
    yield formulas
    if all(target is not None and target.exact for target in right):
        fractions = tuple(in_fractions(formula) for formula in formulas)
        if None not in fractions:
            yield tuple(formula for formula in fractions if formula is not None)
    for guard in range(1, _MOST_GUARD_DIGITS + 1):
        yield tuple(with_digits(formula, guard, page) for formula in formulas)


def in_fractions(formula: Formula) -> Formula | None:
    """The sum of products with its numbers as exact fractions; None where one is not rational."""
    match formula:
        case Num(value, text):
            if text == "-oo":
                return None
            above, below = value.fraction()
            if isinstance(above, Number) or isinstance(below, Number):
                return None
            return Num(Plain(above / below))
        case Add(parts) | Mul(parts):
            found = [in_fractions(part) for part in parts]
            return None if None in found else type(formula)(tuple(part for part in found if part is not None))
        case _:
            return None


def _is_printed(formula: Formula) -> bool:
    """Whether every number in it has a printed text."""
    match formula:
        case Num(_, text):
            return text is not None
        case Add(parts) | Mul(parts):
            return all(map(_is_printed, parts))
        case Div(numerator, denominator):
            return _is_printed(numerator) and _is_printed(denominator)
        case Exp(part) | Tanh(part):
            return _is_printed(part)
        case Name():
            return True
        case _:
            return False


@dataclass(frozen=True, slots=True)
class ScaledLine:
    """A printed score times the exact scale: ``value`` as an exact number, and its decimal."""

    score: str
    value: Exact
    right: str
    exact: bool


def scaled_line(
    score: Printed | None, exact_score: Value, scale: Exact, right: Printed | None, page: Page
) -> ScaledLine | None:
    """The scaled score from the score as printed; where that gives another digit, from the exact one, written in closed
    form, or if it has none from the fewest guard digits that do.
    """
    if score is None or right is None:
        return None
    for text in (score.text, *_finer(exact_score, page)):
        value = numbers.from_decimal(text) * scale if text else exact_score.fraction()[0] * scale
        if rounded(Plain(value), page).text == right.text:
            return ScaledLine(text, value, right.text, Plain(value).equals(plain(right.text)))
    return None


def _finer(score: Value, page: Page) -> Iterator[str]:
    """The score with guard digits; nothing, for its closed form, where it has one."""
    if not is_open(score):
        yield ""
        return
    rounding = significant if page.digits == "significant" else nearest
    for guard in range(1, _MOST_GUARD_DIGITS + 1):
        yield rounding(score, page.decimals + guard, page.ties).text


def with_digits(formula: Formula, guard: int, page: Page) -> Formula:
    """The formula with its numbers printed to ``guard`` more digits."""
    match formula:
        case Num(value, text):
            if text is not None and (guard == 0 or text == "-oo" or _says_all(value, text)):
                return formula
            rounding = significant if page.digits == "significant" else nearest
            return Num(value, rounding(value, page.decimals + guard, page.ties).text)
        case Add(terms):
            return Add(tuple(with_digits(term, guard, page) for term in terms))
        case Mul(factors):
            return Mul(tuple(with_digits(factor, guard, page) for factor in factors))
        case Div(numerator, denominator):
            return Div(with_digits(numerator, guard, page), with_digits(denominator, guard, page))
        case Exp(exponent):
            return Exp(with_digits(exponent, guard, page))
        case Tanh(argument):
            return Tanh(with_digits(argument, guard, page))
        case _:
            return formula


def _says_all(value: Value, text: str) -> bool:
    """Whether the printed text is the very number, so that more digits would be zeros."""
    return isinstance(value, Plain) and bool(value.number == numbers.from_decimal(text))


def evaluated(formula: Formula, names: Names = NO_NAMES) -> Value:
    """The value of the printed numbers: each number counts as its text says.

    Raises:
        ZeroDivisionError: A denominator is printed as 0.
    """
    number = _fraction(formula)
    if number is not None:
        return Plain(number)
    match formula:
        case Num(value, text):
            return value if text is None else plain(text)
        case Name(name):
            return names[name]
        case Add(terms):
            return reduce(add, [evaluated(term, names) for term in terms])
        case Mul(factors):
            return reduce(mul, [evaluated(factor, names) for factor in factors])
        case Div(numerator, denominator):
            below = evaluated(denominator, names)
            if below.equals(0):
                raise ZeroDivisionError
            return evaluated(numerator, names) / below
        case Exp(Num(_, "-oo")):
            return plain("0")
        case Exp(exponent):
            return Plain(numbers.exp(_number(evaluated(exponent, names))))
        case Tanh(argument):
            return Plain(numbers.tanh(_number(evaluated(argument, names))))
        case _:
            raise TypeError(f"no printed number: {formula!r}")


def _fraction(formula: Formula) -> fmpq | None:
    """The value of a sum of products of printed numbers; None of anything else."""
    match formula:
        case Num(_, text):
            return None if text is None or text == "-oo" else numbers.from_decimal(text)
        case Add(parts) | Mul(parts):
            found = [_fraction(part) for part in parts]
            return None if None in found else reduce(add if isinstance(formula, Add) else mul, found)
        case _:
            return None


def _number(value: Value) -> Exact:
    above, below = value.fraction()
    return above * numbers.inverse(below)


@lru_cache(maxsize=256)
def plain(text: str) -> Value:
    """A printed number as a value."""
    return Plain(numbers.from_decimal(text))


def without_zeros(formula: Formula) -> Formula:
    """A sum without its terms that are exactly zero: masked keys."""
    if isinstance(formula, Div):
        return Div(formula.numerator, without_zeros(formula.denominator))
    if not isinstance(formula, Add):
        return formula
    kept = tuple(term for term in formula.terms if not _is_zero(term))
    if not kept:
        return formula
    return Add(kept) if len(kept) > 1 else kept[0]


def _is_zero(formula: Formula) -> bool:
    return isinstance(formula, Num) and formula.text == "0"


def pairs(total: Formula) -> list[tuple[Num, Num]]:
    """The pairs of factors of a sum of products."""
    found = []
    for term in total.terms if isinstance(total, Add) else (total,):
        match term:
            case Mul((Num() as left, Num() as right)):
                found.append((left, right))
    return found
