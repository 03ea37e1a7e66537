"""Numbers put into general terms by SymPy: exact values, and the tables, instances and exercises made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import sympy

from symattn.exact import numbers
from symattn.exact.numbers import Exact
from symattn.exact.values import Plain, Ratio, Value
from symattn.statements.meaning import Definitions, definitions, meaning
from symattn.statements.proof import Counterexample, Instance, Line, Question, Setting, Tabulated
from symattn.statements.terms import (
    Add,
    Chance,
    Delta,
    Derivative,
    Div,
    Fn,
    Image,
    Index,
    Item,
    Letter,
    Limit,
    Mul,
    Next,
    Num,
    Pow,
    Rank,
    Sum,
    Term,
    reindexed,
    term,
)


def at(outcomes: Iterable[tuple[Fraction | int, Mapping[str, Any]]] = (), /, **values: Any) -> Setting:
    """Numbers for letters and arrays by name; ``outcomes`` are the values of what is random, with probabilities."""
    return Setting(
        tuple((name, _frozen(value)) for name, value in values.items()),
        tuple(
            (Fraction(share), tuple((name, _frozen(value)) for name, value in one.items())) for share, one in outcomes
        ),
    )


def equally_likely(outcomes: Iterable[Mapping[str, Any]]) -> list[tuple[Fraction, Mapping[str, Any]]]:
    """Outcomes of one probability each."""
    found = list(outcomes)
    return [(Fraction(1, len(found)), outcome) for outcome in found]


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return Num(Fraction(value)) if isinstance(value, str) else term(value)


def instance(tree: Term, setting: Setting, lines: Iterable[Line] = ()) -> Instance:
    """The term at these numbers; what has none is what the lines define it as."""
    return Instance(tree, setting, value(number_of(tree, setting, lines)))


def cancelled_instance(tree: Term) -> Instance:
    """A term without letters, common factors of its value cancelled."""
    return Instance(tree, at(), value(sympy.cancel(number_of(tree, at()))))


def counterexample(without: str, lines: Sequence[Line], name: str, setting: Setting) -> Counterexample:
    """Both sides of a line at numbers at which the assumption does not hold."""
    line = next(line for line in lines if line.name == name)
    places: dict[str, Index] = {
        letter: int(found.value)
        for letter, found in setting.values
        if isinstance(found, Num) and found.value.denominator == 1
    }
    found, claimed = (instance(reindexed(side, places), setting, lines) for side in (line.left, line.right))
    return Counterexample(without, name, found, claimed)


def tabulated(name: str, columns: Sequence[Any], settings: Iterable[Setting], lines: Iterable[Line] = ()) -> Tabulated:
    """The columns at the numbers of each row. A column may be a pair: what stands above it, and its term; what has no
    number is what the lines define it as.
    """
    pairs = [(term(one[0]), term(one[1])) if isinstance(one, tuple) else (term(one), term(one)) for one in columns]
    cells = tuple(tuple(instance(tree, setting, lines) for _, tree in pairs) for setting in settings)
    return Tabulated(name, tuple(head for head, _ in pairs), tuple(tree for _, tree in pairs), cells)


def asked(name: str, tree: Term, seed: int, /, **choices: Sequence[Any]) -> Question:
    """An exercise whose answer is the term at numbers that the seed chooses."""
    chooser = Random(f"{name} {seed}")  # noqa: S311 - exercises, no secrets
    setting = at(**{letter: chooser.choice(numbers) for letter, numbers in choices.items()})
    return Question(name, setting, instance(tree, setting))


@dataclass(frozen=True, slots=True)
class _Scope:
    """The numbers of letters, arrays and indices, what others are defined as, and what stays a symbol."""

    names: Mapping[str, Any]
    outcomes: tuple[tuple[Fraction, tuple[tuple[str, Any], ...]], ...]
    indices: Mapping[str, int]
    known: Definitions
    moving: Mapping[tuple[str | int, ...], Any]

    def with_indices(self, numbers: Mapping[str, int]) -> _Scope:
        return replace(self, indices={**self.indices, **numbers})


def number_of(tree: Term, setting: Setting, lines: Iterable[Line] = ()) -> Any:
    """The term at these numbers, in SymPy.

    Raises:
        LookupError: A letter, an entry or an index has no number.
    """
    return _number(tree, _Scope(dict(setting.values), setting.outcomes, {}, definitions(lines), {}))


def _number(tree: Term, scope: _Scope) -> Any:
    def inner(part: Term) -> Any:
        return _number(part, scope)

    match tree:
        case Num(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Letter(name):
            return _letter(name, scope)
        case Item(array, indices):
            return _entry(array.name, [_place(index, scope) for index in indices], scope)
        case Add(terms):
            return sympy.Add(*map(inner, terms))
        case Mul(factors):
            return sympy.Mul(*map(inner, factors))
        case Div(above, below):
            return inner(above) / inner(below)
        case Pow(base, exponent):
            return inner(base) ** sympy.Rational(exponent.numerator, exponent.denominator)
        case Fn(name, argument):
            return getattr(sympy, name)(inner(argument))
        case Sum(index, high, body, low):
            counted = range(int(inner(low)), int(inner(high)) + 1)
            return sympy.Add(*(_number(body, scope.with_indices({index: number})) for number in counted))
        case Delta(left, right):
            return sympy.Integer(_place(left, scope) == _place(right, scope))
        case Chance(kind, body):
            return _chance(kind, body, scope)
        case Rank(entry):
            rows = scope.names[entry.array.name]
            return sympy.Integer(sympy.Matrix([[inner(cell) for cell in row] for row in rows]).rank())
        case Derivative(body, Item(array, indices) as by):
            symbol = sympy.Symbol("x", real=True)
            places = tuple(_place(index, scope) for index in indices)
            moved = _number(body, replace(scope, moving={(array.name, *places): symbol}))
            return sympy.diff(moved, symbol).subs(symbol, inner(by))
        case Limit(body, letter, to):
            symbol = sympy.Symbol(letter.name, positive=True)
            moved = _number(body, replace(scope, moving={(letter.name,): symbol}))
            return sympy.limit(moved, symbol, sympy.oo if to == "oo" else 0, "-" if to == "oo" else "+")
    raise LookupError(f"{type(tree).__name__} has no number")


def _letter(name: str, scope: _Scope) -> Any:
    return sympy.Integer(scope.indices[name]) if name in scope.indices else _entry(name, (), scope)


def _entry(name: str, places: Sequence[int], scope: _Scope) -> Any:
    """A letter or an entry that moves, that is given, or what it is defined as."""
    if (name, *places) in scope.moving:
        return scope.moving[name, *places]
    if name not in scope.names:
        right, numbers = meaning(name, places, scope.known)
        return _number(right, scope.with_indices(numbers))
    found = scope.names[name]
    for place in places:
        found = found[place - 1]
    return _number(found, scope)


def _place(index: Index, scope: _Scope) -> int:
    if isinstance(index, int):
        return index
    if isinstance(index, Next):
        return _place(index.index, scope) + 1
    if isinstance(index, Image):
        return int(_number(scope.names[index.by][_place(index.index, scope) - 1], scope))
    found = scope.indices.get(index)
    return int(_number(scope.names[index], scope)) if found is None else found


def _chance(kind: str, body: Term, scope: _Scope) -> Any:
    worth = [
        (_number(Num(share), scope), _number(body, replace(scope, names={**scope.names, **dict(one)}, outcomes=())))
        for share, one in scope.outcomes
    ]
    mean = sympy.Add(*(share * one for share, one in worth))
    central = [sympy.Add(*(share * (one - mean) ** power for share, one in worth)) for power in (2, 4)]
    return {"E": mean, "Var": central[0], "K4": central[1] - 3 * central[0] ** 2}[kind]


def value(found: Any) -> Value:
    """A SymPy number as an exact value of ours."""
    above, below = _fraction(found)
    return Plain(above) if below == 1 else _ratio(above, below)


def _ratio(above: Exact, below: Exact) -> Value:
    if len(list(numbers.terms(below))) == 1 or numbers.is_algebraic(below):
        return Plain(above * numbers.inverse(below))
    return Ratio(above, below)


def _fraction(found: Any) -> tuple[Exact, Exact]:
    match found:
        case sympy.Rational():
            return numbers.from_fraction(Fraction(int(found.p), int(found.q))), numbers.ONE
        case sympy.Add():
            return _sum_of(found.args)
        case sympy.Mul():
            above, below = numbers.ONE, numbers.ONE
            for part in found.args:
                more, under = _fraction(part)
                above, below = above * more, below * under
            return above, below
        case sympy.exp():
            return numbers.exp(_single(found.args[0])), numbers.ONE
        case sympy.Pow():
            return _power(found)
        case sympy.core.numbers.Exp1():
            return numbers.exp(numbers.ONE), numbers.ONE
        case _ if found.func is sympy.log:
            above, below = _fraction(found.args[0])
            logarithm = numbers.logarithm(above)
            return (logarithm if below == 1 else logarithm - numbers.logarithm(below)), numbers.ONE
        case _ if found.func in (sympy.cos, sympy.sin):
            return getattr(numbers, found.func.__name__)(_single(found.args[0])), numbers.ONE
    raise TypeError(f"no exact value for {found}")


def _sum_of(parts: Iterable[Any]) -> tuple[Exact, Exact]:
    """Quotients added: those of one denominator first, so that none comes in twice."""
    by_denominator: dict[Exact, Exact] = {}
    for part in parts:
        above, below = _fraction(part)
        by_denominator[below] = by_denominator.get(below, numbers.ZERO) + above
    above, below = numbers.ZERO, numbers.ONE
    for under, more in by_denominator.items():
        above, below = above * under + more * below, below * under
    return above, below


def _power(found: Any) -> tuple[Exact, Exact]:
    if isinstance(found.base, sympy.core.numbers.Exp1):
        return numbers.exp(_single(found.exp)), numbers.ONE
    above, below = _fraction(found.base)
    if found.exp < 0:
        above, below = below, above
    exponent = numbers.from_fraction(Fraction(int(abs(found.exp).p), int(found.exp.q)))
    return numbers.power(above, exponent), numbers.power(below, exponent)


def _single(found: Any) -> Exact:
    above, below = _fraction(found)
    return above if below == 1 else above * numbers.inverse(below)
