"""General terms as text in SymPy syntax."""

from __future__ import annotations

from fractions import Fraction

from symattn.statements.terms import (
    Add,
    Chance,
    Delta,
    Derivative,
    Div,
    Fn,
    Image,
    Index,
    Infinity,
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
)


def text(tree: Term) -> str:
    """The term."""
    match tree:
        case Num(value):
            return str(value) if value >= 0 else f"({value})"
        case Letter(name):
            return name
        case Item(array, indices):
            return f"{array.name}[{', '.join(map(_index, indices))}]"
        case Add(terms):
            return "(" + " + ".join(map(text, terms)) + ")"
        case Mul(factors):
            return "*".join(map(_factor, factors))
        case Div(above, below):
            return f"{_factor(above)}/({text(below)})"
        case Pow(base, Fraction(numerator=1, denominator=2)):
            return f"sqrt({text(base)})"
        case Pow(base, exponent):
            return f"({text(base)})**{exponent if exponent.denominator == 1 else f'({exponent})'}"
        case Fn(name, argument):
            return f"{name}({text(argument)})"
        case Sum(index, high, body, low):
            return f"Sum({text(body)}, ({index}, {text(low)}, {text(high)}))"
        case Delta(left, right):
            return f"KroneckerDelta({_index(left)}, {_index(right)})"
        case Chance(kind, body):
            return f"{kind}({text(body)})"
        case Derivative(body, by):
            return f"Derivative({text(body)}, {text(by)})"
        case Limit(body, letter, to):
            return f"Limit({text(body)}, {letter.name}, {to})"
        case Rank(entry):
            return f"rank({entry.array.name})"
        case Infinity():
            return "oo"


def _factor(tree: Term) -> str:
    found = text(tree)
    return f"({found})" if isinstance(tree, Num) and tree.value.denominator != 1 else found


def _index(index: Index) -> str:
    match index:
        case Image(by, inner):
            return f"{by}({inner})"
        case Next(inner):
            return f"{inner} + 1"
    return str(index)
