"""The small grammar of entries: numbers, ``+ - * / ^``, brackets, ``sqrt log ln exp``, ``pi``, ``e``, declared symbols.

A reader of its own, since anything that evaluates text as Python can be made to run code or to hang, and since numbers
must be taken from their text: 0.1 is 1/10. Closed by these invariants:
- nothing is computed but rational arithmetic, within the bounds of ``limits``;
- a tree that is given back can be written out and read again (see ``bounded``).

    sum     = product (("+" | "-") product)*
    product = unary (("*" | "/") unary)*
    unary   = "-" unary | power
    power   = primary ["^" unary]
    primary = number | name | function "(" sum ")" | "√" primary | "(" sum ")"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from symattn.errors import SpecError
from symattn.parse import limits
from symattn.parse.messages import nearest, quoted
from symattn.parse.written import written
from symattn.problem import Entry, Expression

_Function = Literal["sqrt", "log", "exp"]
_Constant = Literal["pi", "e"]

_FUNCTIONS: Final[Mapping[str, _Function]] = {"sqrt": "sqrt", "log": "log", "ln": "log", "exp": "exp"}
_CONSTANTS: Final[Mapping[str, _Constant]] = {"pi": "pi", "e": "e"}
RESERVED: Final = (*_FUNCTIONS, *_CONSTANTS)
"""The names that have a meaning already."""

_SAME: Final = {"**": "^", "−": "-", "·": "*", "⋅": "*", "×": "*", "π": "pi"}
_TOKEN: Final = re.compile(
    r"""[ \t]*(?:
        (?P<number> (?:[0-9]+\.?[0-9]* | \.[0-9]+) (?:[eE][+-]?[0-9]+)? )
      | (?P<name>   [A-Za-z_][A-Za-z_0-9]* | π )
      | (?P<sign>   \*\* | [-+*/^()√−·⋅×] )
      | (?P<end>    \Z )
    )""",
    re.VERBOSE,
)


def entry(text: str, symbols: Mapping[str, str]) -> Entry:
    """The entry that a text says: a Fraction where it is rational arithmetic, else a tree of Expressions.

    Args:
        text: In the grammar above. ``**`` is ``^``; ``−`` is ``-``; ``·`` and ``×`` are ``*``.
        symbols: The declared symbols, each with what is assumed of it.
    Raises:
        SpecError: The text is not in the grammar, divides by zero, or goes beyond a bound.
    Example:
        >>> entry("-2^2 + 0.1", {})
        Fraction(-39, 10)
    """
    tree = _Reader(tuple(_tokens(text)), symbols).whole()
    bounded(tree)
    return tree


def bounded(tree: Entry) -> None:
    """Refuse a tree that is too high, or too long when written out.

    Raises:
        SpecError: The tree could not be read back.
    """
    level = [tree]
    for _ in range(limits.HEIGHT + 1):
        level = [operand for node in level if isinstance(node, Expression) for operand in node.operands]
    if level:
        raise SpecError("the entry is nested too deeply", mend="write it with fewer brackets, signs and powers")
    text = written(tree)
    if len(text) <= limits.DIGITS:
        return
    try:
        for token in _tokens(text):
            _ = token.kind == "number" and _number(token)
    except SpecError:
        raise SpecError("the entry is too long once it is worked out", mend="write smaller numbers") from None


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"{quoted(self.text)} in column {self.column}"


def _tokens(text: str) -> Iterator[_Token]:
    if len(text) > limits.CHARACTERS:
        raise SpecError(f"the entry has {len(text)} characters", mend=f"at most {limits.CHARACTERS} can be read")
    position = count = 0
    while found := _TOKEN.match(text, position):
        kind = found.lastgroup or ""
        yield _Token(kind, _SAME.get(found[kind], found[kind]), found.start(kind) + 1)
        if kind == "end":
            return
        position, count = found.end(), count + 1
        if count > limits.TOKENS:
            raise SpecError("the entry is too long", mend=f"at most {limits.TOKENS} numbers, names and signs are read")
    column = position + 1 + len(text[position:]) - len(text[position:].lstrip(" \t"))
    raise SpecError(
        f"unexpected {quoted(text[column - 1])} in column {column}",
        mend="an entry holds numbers, names, brackets and the signs + - * / ^",
    )


def _number(token: _Token) -> Fraction:
    mantissa, _, exponent = token.text.lower().partition("e")
    if len(mantissa.replace(".", "")) > limits.DIGITS:
        raise SpecError(f"the number in column {token.column} has too many digits", mend=f"{limits.DIGITS} is the most")
    if abs(int(exponent or "0")) > limits.EXPONENT:
        raise SpecError(
            f"the exponent of ten in column {token.column} is too large", mend=f"{limits.EXPONENT} is the most"
        )
    return Fraction(token.text)


class _Reader:
    """One text being read, from left to right; ``depth`` counts what encloses the place."""

    def __init__(self, tokens: tuple[_Token, ...], symbols: Mapping[str, str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._symbols = symbols

    def whole(self) -> Entry:
        if self._next.kind == "end":
            raise SpecError("the entry is empty", mend="write a number")
        tree = self._sum(0)
        if self._next.kind in ("number", "name") or self._next.text == "(":
            raise SpecError(f"unexpected {self._next}", mend="write a sign before it: 2*a, not 2a")
        self._expect("end")
        return tree

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += 1
        return token

    def _expect(self, what: str) -> None:
        if what not in (self._next.text, self._next.kind):
            mend = "a bracket is not closed" if what == ")" else ""
            raise SpecError(f"unexpected {self._next}", mend=mend)
        self._take()

    def _deeper(self, depth: int) -> int:
        if depth >= limits.DEPTH:
            raise SpecError(f"nested too deeply at {self._next}", mend=f"{limits.DEPTH} levels are the most")
        return depth + 1

    def _sum(self, depth: int) -> Entry:
        terms = [self._product(depth)]
        while self._next.text in ("+", "-"):
            sign, term = self._take().text, self._product(depth)
            _join(terms, _negative(term) if sign == "-" else term, "add")
        return _collected(terms, "add")

    def _product(self, depth: int) -> Entry:
        factors = [self._unary(depth)]
        while self._next.text in ("*", "/"):
            sign = self._take()
            factor = self._unary(depth)
            if sign.text == "*":
                _join(factors, factor, "mul")
            else:
                factors = [_quotient(_collected(factors, "mul"), factor, sign)]
        return _collected(factors, "mul")

    def _unary(self, depth: int) -> Entry:
        if self._next.text != "-":
            return self._power(depth)
        self._take()
        return _negative(self._unary(self._deeper(depth)))

    def _power(self, depth: int) -> Entry:
        base = self._primary(depth)
        if self._next.text != "^":
            return base
        sign = self._take()
        return _power(base, self._unary(self._deeper(depth)), sign)

    def _primary(self, depth: int) -> Entry:
        token = self._take()
        if token.kind == "number":
            return _number(token)
        if token.kind == "name":
            return self._name(token, depth)
        if token.text == "√":
            return Expression("sqrt", (self._primary(self._deeper(depth)),))
        if token.text == "(":
            return self._closed(depth)
        raise SpecError(f"unexpected {token}", mend="a number, a name or a bracket is expected there")

    def _closed(self, depth: int) -> Entry:
        """What follows an opening bracket, up to the closing one."""
        inside = self._sum(self._deeper(depth))
        self._expect(")")
        return inside

    def _name(self, token: _Token, depth: int) -> Entry:
        if function := _FUNCTIONS.get(token.text):
            if self._next.text != "(":
                raise SpecError(f"{token} stands without brackets", mend=f"write {token.text}(...)")
            self._take()
            return Expression(function, (self._closed(depth),))
        if constant := _CONSTANTS.get(token.text):
            return Expression(constant)
        if token.text in self._symbols:
            return Expression("symbol", name=token.text, positive=self._symbols[token.text] == "positive")
        known = (*RESERVED, *self._symbols)
        near = nearest(token.text, known)
        mend = f"did you mean {near}?" if near else f"known here: {', '.join(sorted(known)[:20])}"
        raise SpecError(f"unknown name {token}", mend=mend)


def _join(operands: list[Entry], operand: Entry, operator: Literal["add", "mul"]) -> None:
    """Append an operand, or work it in while everything so far is rational."""
    first = operands[0]
    if len(operands) > 1 or not (isinstance(first, Fraction) and isinstance(operand, Fraction)):
        operands.append(operand)
    else:
        operands[0] = _small(first + operand if operator == "add" else first * operand)


def _collected(operands: list[Entry], operator: Literal["add", "mul"]) -> Entry:
    return operands[0] if len(operands) == 1 else Expression(operator, tuple(operands))


def _negative(operand: Entry) -> Entry:
    return -operand if isinstance(operand, Fraction) else Expression("neg", (operand,))


def _quotient(left: Entry, right: Entry, sign: _Token) -> Entry:
    if right == 0:
        raise SpecError(f"division by zero at {sign}")
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return _small(left / right)
    return Expression("div", (left, right))


def _power(base: Entry, power: Entry, sign: _Token) -> Entry:
    if isinstance(power, Fraction):
        if abs(power) > limits.POWER or power.denominator > limits.POWER:
            raise SpecError(f"too large a power at {sign}", mend=f"powers and roots go up to {limits.POWER}")
        if base == 0 and power < 0:
            raise SpecError(f"division by zero at {sign}")
        if isinstance(base, Fraction) and power.denominator == 1:
            return _small(base**power.numerator)
    return Expression("pow", (base, power))


def _small(number: Fraction) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > limits.BITS:
        raise SpecError("the entry grows too large when it is worked out", mend="write smaller numbers")
    return number
