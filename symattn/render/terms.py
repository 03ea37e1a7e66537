"""General terms as LaTeX, as they were written: nothing is rearranged."""

from __future__ import annotations

from fractions import Fraction

from symattn.statements.terms import (
    Add,
    Array,
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

RELATIONS = {"=": "=", ">=": r"\ge", "<=": r"\le"}
_CHANCES = {"Var": r"\mathrm{Var}", "K4": r"\kappa_4"}
_FUNCTIONS = {"log": r"\ln", "sin": r"\sin", "cos": r"\cos"}


def tex(tree: Term) -> str:
    """The term."""
    match tree:
        case Num(value):
            return number(value)
        case Letter(_, text):
            return text
        case Item(Array(_, symbol, _, "map"), (index,)):
            return f"{symbol}({_index(index)})"
        case Item(array, indices):
            return subscripted(array.tex, indices)
        case Add(terms):
            return _sum(terms)
        case Mul(factors):
            return _product(factors)
        case Div(above, below):
            return rf"\frac{{{tex(above)}}}{{{tex(below)}}}"
        case Pow(base, Fraction(numerator=1, denominator=2)):
            return rf"\sqrt{{{tex(base)}}}"
        case Pow(base, exponent):
            return f"{_base(base)}^{{{_slashed(exponent)}}}"
        case Fn("exp", argument):
            return f"e^{{{inline(argument)}}}"
        case Fn(name, argument):
            return _FUNCTIONS[name] + bracketed(tex(argument))
        case Sum(index, high, body, low):
            under = f"{index}={tex(low)}"
            return rf"\sum_{{{under}}}^{{{tex(high)}}} {_summand(body)}"
        case Delta(left, right):
            return subscripted(r"\delta", (left, right))
        case Chance("E", body):
            return r"\mathrm{E}" + bracketed(tex(body), "[]")
        case Chance(kind, body):
            return _CHANCES[kind] + bracketed(tex(body))
        case Derivative(Letter() | Item() as body, by):
            return rf"\frac{{\partial {tex(body)}}}{{\partial {tex(by)}}}"
        case Derivative(body, by):
            return rf"\frac{{\partial}}{{\partial {tex(by)}}}" + bracketed(tex(body))
        case Limit(body, letter, to):
            goal = r"\infty" if to == "oo" else "0^{+}"
            return rf"\lim_{{{letter.tex} \to {goal}}} {_summand(body)}"
        case Rank(entry):
            return rf"\mathrm{{rank}}({entry.array.tex})"
        case Infinity():
            return r"\infty"


def bracketed(text: str, kind: str = "()") -> str:
    """In brackets, as tall as what stands within."""
    tall = r"\frac" in text or r"\sum" in text
    return rf"\left{kind[0]}{text}\right{kind[1]}" if tall else f"{kind[0]}{text}{kind[1]}"


def number(value: Fraction) -> str:
    """A rational number."""
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _slashed(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def inline(tree: Term) -> str:
    """A term for an exponent: a quotient of short terms with a slash."""
    match tree:
        case Num(value):
            return _slashed(value)
        case Div(above, below) if not isinstance(above, Add | Sum) and not isinstance(below, Add | Mul | Sum | Div):
            return f"{tex(above)}/{tex(below)}"
        case Mul((Num(Fraction(numerator=-1, denominator=1)), Div() as rest)):
            return f"-{inline(rest)}"
        case _:
            return tex(tree)


def subscripted(symbol: str, indices: tuple[Index, ...]) -> str:
    """A symbol with its indices; a symbol that has marks already is put in braces."""
    shown = [_index(index) for index in indices]
    text = ("" if all(len(one) == 1 for one in shown) else ",").join(shown)
    return f"{{{symbol}}}_{{{text}}}" if set("_^'") & set(symbol) else f"{symbol}_{{{text}}}"


def _index(index: Index) -> str:
    if isinstance(index, Image):
        return rf"\{index.by}({index.index})"
    return f"{index.index}+1" if isinstance(index, Next) else str(index)


def _sum(terms: tuple[Term, ...]) -> str:
    text = tex(terms[0])
    for part in terms[1:]:
        shown = bracketed(tex(part)) if isinstance(part, Add) else tex(part)
        text += f" - {shown[1:]}" if shown.startswith("-") else f" + {shown}"
    return text


def _product(factors: tuple[Term, ...]) -> str:
    first, *rest = factors
    if rest and isinstance(first, Num) and first.value < 0:
        positive = () if first.value == -1 else (Num(-first.value),)
        return f"-{_product((*positive, *rest))}"
    text = _factor(first)
    for place, factor in enumerate(rest):
        shown = _factor(factor, last=place == len(rest) - 1)
        text += _between(text, shown) + shown
    return text


def _between(before: str, after: str) -> str:
    """A dot where two digits would meet or a sign would follow, else a thin space."""
    if after[0].isdigit() or (after.startswith((r"\frac{", "-")) and before[-1].isdigit()):
        return r" \cdot "
    return r"\," if not before[-1].isdigit() or after.startswith("\\") else ""


def _factor(tree: Term, *, last: bool = False) -> str:
    bare = not isinstance(tree, Add | Derivative | Limit | Sum) or (isinstance(tree, Sum) and last)
    bare = bare or (isinstance(tree, Derivative) and isinstance(tree.body, Letter | Item))
    negative = isinstance(tree, Num) and tree.value < 0
    return tex(tree) if bare and not negative else bracketed(tex(tree))


def _base(tree: Term) -> str:
    whole = isinstance(tree, Num) and tree.value >= 0 and tree.value.denominator == 1
    return tex(tree) if whole or isinstance(tree, Item | Letter | Chance) else bracketed(tex(tree))


def _summand(tree: Term) -> str:
    return bracketed(tex(tree)) if isinstance(tree, Add) else tex(tree)
