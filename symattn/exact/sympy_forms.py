"""Exact values as SymPy expressions, built by constructors from their closed forms: no parser, no simplifier."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flint import fmpq
from sympy import Add, Integer, Mul, Pow, Rational, Symbol, cos, exp, log, pi, sin, tanh

from symattn.exact import numbers
from symattn.exact.closed import closed_form, generator
from symattn.exact.numbers import Argument, Atom, Exact, Known
from symattn.exact.values import Mixed, Softmax, Value, Weight


def closed(value: Value) -> Any:
    """The reduced closed form of one value."""
    numerator, denominator = closed_form(value, generator(_rows(value))).exponential_terms()
    return Mul(_sum(numerator), Pow(_sum(denominator), -1))


def _rows(value: Value) -> tuple[Softmax, ...]:
    if isinstance(value, Weight):
        return (value.row,)
    return (value.blend.row,) if isinstance(value, Mixed) else ()


def _sum(terms: tuple[tuple[Exact, Any], ...]) -> Any:
    return Add(*(Mul(expression(factor), exp(expression(exponent))) for factor, exponent in terms))


def expression(number: Exact | int) -> Any:
    """An exact number as a SymPy expression."""
    if isinstance(number, int):
        return Integer(number)
    return Add(*(_product(factor, atoms, exponent) for (atoms, exponent), factor in numbers.terms(number)))


def _product(factor: fmpq, atoms: numbers.Atoms, exponent: Exact | int) -> Any:
    parts = [_rational(factor), *(Pow(_base(atom), _rational(power)) for atom, power in numbers.powers(atoms))]
    return Mul(*parts, exp(expression(exponent)))


def _rational(number: fmpq) -> Any:
    return Rational(int(number.p), int(number.q))


def _base(atom: Atom) -> Any:
    kind, name = atom
    if isinstance(name, Argument):
        return {"cos": cos, "ln": log, "sin": sin, "tanh": tanh}[kind](expression(name.number))
    if isinstance(name, Known):
        return _quotient(name)
    if kind == "root":
        return Integer(int(name))
    if kind == "log":
        return log(Integer(int(name)))
    return pi if kind == "pi" else Symbol(str(name), **{kind: True})


@lru_cache(maxsize=1024)  # a number stands in many terms, and holds many others
def _quotient(known: Known) -> Any:
    numerator, denominator = known.fraction()
    return Mul(expression(numerator), Pow(expression(denominator), -1))


def polynomial(terms: tuple[tuple[Any, Any], ...], letter: Any) -> Any:
    """One side of a closed form in a letter."""
    return Add(*(Mul(expression(factor), Pow(letter, power)) for factor, power in terms))
