"""Every equality that a page prints, read back from its text and worked out.

A formula is cut into chains ``A = B \\approx C`` (at wide spaces, arrows and row breaks), a chain into links. No line
may be false as printed: with ``=`` the right side is exactly what the printed left side gives (irrational numbers to
50 digits); with ``\\approx`` it is that, rounded once to the right side's own places, where a tie may go either way.

A name gets a value where the page gives it one (``d_k = 2``, ``u = e^{1/\\sqrt 2}``) and is known from there on. A link
with a name that has none is skipped, but told; what stands between the two sides of a skipped ``=`` does not part the
sides beyond it, so that in ``1 + 1 = q \\cdot k = 3`` the outer two are compared. What cannot be read and holds a
digit is told too: a caller asserts that ``false`` and ``unparsed`` are empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from mpmath import mp

from tests.pages.chains import LIKE, OTHER, Chain, chains, hides_an_equality
from tests.pages.latex import (
    OPERATORS,
    RELATIONS,
    Binary,
    Matrix,
    Name,
    Number,
    Token,
    Tree,
    Unary,
    UnreadableError,
    Vector,
    names,
    read,
    source,
    tokens,
)
from tests.pages.values import Interval, Value, has_value, rows, value

BEFORE_A_SIGN = RELATIONS | OPERATORS | set("([{,&^")
NARROW = Fraction(1, 10**50)
OF_A_HEAD = re.compile(r"\^\{\(\d+(?:,\d+)?\)\}")
"""The numbers of a layer and of a head above a letter, which are part of its name."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One link of a chain; ``true`` is None where it was skipped, and ``why`` says the reason, or the values."""

    formula: str
    left: str
    right: str
    relation: str
    true: bool | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found: the verdicts in reading order, what could not be read, and the names given two values."""

    verdicts: list[Verdict] = field(default_factory=list)
    unparsed: list[str] = field(default_factory=list)
    redefined: list[str] = field(default_factory=list)
    known: dict[str, Value] = field(default_factory=dict)

    @property
    def judged(self) -> list[Verdict]:
        """The links that are true or false."""
        return [verdict for verdict in self.verdicts if verdict.true is not None]

    @property
    def false(self) -> list[Verdict]:
        """The links that are false as printed."""
        return [verdict for verdict in self.verdicts if verdict.true is False]

    @property
    def skipped(self) -> list[Verdict]:
        """The links with a name that has no value, among them the definitions."""
        return [verdict for verdict in self.verdicts if verdict.true is None]


def equalities(formulas: Iterable[str], known: Mapping[str, Value] | None = None) -> Reading:
    """The verdict on every link of every chain, in reading order.

    Args:
        formulas: TeX without its dollars.
        known: Names that already have a value, as in ``reading.known`` of an earlier part of the page.
    """
    reading = Reading(known=dict(known or {}))
    for formula in formulas:
        for chain in chains(formula):
            if chain.relations:
                _judge(" ".join(formula.split()), chain, reading)
            elif hides_an_equality(chain.sides[0]):
                reading.unparsed.append(f"{source(chain.sides[0])}: an equality within brackets")
    return reading


def numbers(formula: str) -> list[str]:
    """Every decimal that a formula prints, as text with a point for its mark, and with the sign that belongs to it."""
    found = []
    before: Token | None = None
    signed = False
    for token in _with_prose(tokens(formula)):
        if token.number is not None and token.number.places:
            digits = f"{token.number.value.numerator * 10**token.number.places // token.number.value.denominator:d}"
            digits = digits.zfill(token.number.places + 1)
            text = f"{digits[: -token.number.places]}.{digits[-token.number.places :]}"
            found.append(("-" if signed else "") + text)
        unary = before is None or before.kind in {"row", "begin"} or before.text in BEFORE_A_SIGN

        signed = token.kind == "sign" and token.text == "-" and unary
        before = token
    return found


def _with_prose(piece: list[Token]) -> list[Token]:
    """The tokens, with what stands in text mode taken apart too."""
    found: list[Token] = []
    for token in piece:
        found += tokens(token.text) if token.kind == "prose" else [token]
    return found


@dataclass(frozen=True, slots=True)
class _Side:
    """One side: its tree if it can be read, its value if every name has one, else why not."""

    text: str
    tree: Tree | None = None
    value: Value | None = None
    problem: str = ""
    free: tuple[str, ...] = ()

    @property
    def digits(self) -> bool:
        return any(sign.isdigit() for sign in OF_A_HEAD.sub("", self.text))


def _side(piece: list[Token], known: Mapping[str, Value]) -> _Side:
    text = source(piece)
    try:
        tree = read(piece)
    except UnreadableError as error:
        return _Side(text, problem=str(error) if piece else "nothing stands on one side")
    free = tuple(dict.fromkeys(name for name in names(tree) if not has_value(name, known)))
    if free:
        return _Side(text, tree, free=free)
    try:
        return _Side(text, tree, value(tree, known))
    except (UnreadableError, OverflowError) as error:
        return _Side(text, tree, problem=str(error))


def _judge(formula: str, chain: Chain, reading: Reading) -> None:
    sides = [_side(piece, reading.known) for piece in chain.sides]
    if all(relation in OTHER for relation in chain.relations):
        return
    if (defined := _definition(chain, sides)) is not None:
        name, worth = defined
        if name not in reading.known or not _agree(reading.known[name], worth):
            if name in reading.known:
                reading.redefined.append(name)
            reading.known[name] = worth
            later = [_side(piece, reading.known) for piece in chain.sides[1:]]
            sides = [_Side(sides[0].text, sides[0].tree, free=(name,)), *later]
    carried: _Side | None = None
    for left, relation, right in zip(sides, chain.relations, sides[1:], strict=False):
        if relation in OTHER:
            carried = None
            continue
        if left.value is not None:
            carried = left
        if not (left.text or right.text):
            continue
        trouble = left.problem or right.problem or (f"no rule for {relation}" if relation in LIKE else "")
        if trouble:
            carried = None
            if not (left.digits or right.digits):
                reading.verdicts.append(Verdict(formula, left.text, right.text, relation, None, trouble))
            else:
                reading.unparsed.append(f"{left.text} {relation} {right.text} in {formula}: {trouble}")
            continue
        if left.free or right.free:
            free = ", ".join(dict.fromkeys(left.free + right.free))
            reading.verdicts.append(Verdict(formula, left.text, right.text, relation, None, f"no value: {free}"))
        if relation != "=" and right.value is None:
            carried = None
        if carried is not None and right.value is not None:
            try:
                true, why = _verdict(carried, relation, right)
            except UnreadableError as error:
                reading.unparsed.append(f"{carried.text} {relation} {right.text} in {formula}: {error}")
            else:
                reading.verdicts.append(Verdict(formula, carried.text, right.text, relation, true, why))


def _agree(one: Value, other: Value) -> bool:
    """The same value, or two narrow enclosures that meet: a name may be worked out in two ways."""
    if isinstance(one, Interval) and isinstance(other, Interval):
        return one == other or (_narrow(one) and _narrow(other) and _meet(one, other))
    return one == other


def _definition(chain: Chain, sides: list[_Side]) -> tuple[str, Value] | None:
    """The name at the head of a chain, and the first value that stands after it with nothing but ``=`` between."""
    head = sides[0].tree
    if not isinstance(head, Name) or has_value(head.text, {}):
        return None
    for relation, side in zip(chain.relations, sides[1:], strict=True):
        if relation != "=":
            return None
        if side.value is not None:
            return (head.text, side.value) if head.text not in names(side.tree or head) else None
    return None


def _verdict(left: _Side, relation: str, right: _Side) -> tuple[bool, str]:
    if left.value is None or right.value is None or right.tree is None:
        raise UnreadableError("no value")
    mine, other = rows(left.value), rows(right.value)
    why = f"{_shown(left.value)} {relation} {_shown(right.value)}"
    if [len(row) for row in mine] != [len(row) for row in other]:
        return False, f"different shapes: {why}"
    match relation:
        case "=":
            return _equal(mine, other, _printed(right.tree)), why
        case "≈":
            return _rounded(mine, other, _printed(right.tree)), why
    if len(mine) != 1 or len(mine[0]) != 1:
        raise UnreadableError(f"{relation} between more than two numbers")
    one, two = mine[0][0], other[0][0]
    match relation:
        case "<":
            return one.high < two.low, why
        case ">":
            return one.low > two.high, why
        case "≤":
            return one.high <= two.low or _same(one, two, None), why
        case "≥":
            return one.low >= two.high or _same(one, two, None), why
    return not _meet(one, two), why


_Rows = tuple[tuple[Interval, ...], ...]
_Printed = list[list[Number | None]]


def _printed(tree: Tree) -> _Printed:
    """The decimals that stand as the entries of a side, None for what is not just a number."""
    match tree:
        case Matrix(cells):
            return [[_literal(cell) for cell in row] for row in cells]
        case Unary("T", operand):
            return [list(column) for column in zip(*_printed(operand), strict=True)]
        case Vector(items) if all(isinstance(item, Vector) for item in items):
            return [[_literal(cell) for cell in item.items] for item in items if isinstance(item, Vector)]
        case Vector(items):
            return [[_literal(item) for item in items]]
    return [[_literal(tree)]]


def _literal(tree: Tree) -> Number | None:
    match tree:
        case Number():
            return tree
        case Unary("-", operand):
            return _literal(operand)
        case Unary("%", Number(printed, places, truncated)):
            return Number(printed / 100, places + 2, truncated)
        case Vector((only,)):
            return _literal(only)
        case Binary("*", Number(printed, places, truncated), Binary("^", Number(Fraction(numerator=10), 0), power)):
            match power:
                case Number(exponent, 0):
                    shift = int(exponent)
                case Unary("-", Number(exponent, 0)):
                    shift = -int(exponent)
                case _:
                    return None
            return Number(printed * Fraction(10) ** shift, places - shift, truncated)
    return None


def _equal(left: _Rows, right: _Rows, printed: _Printed | None = None) -> bool:
    if [len(row) for row in left] != [len(row) for row in right]:
        return False
    return all(
        _same(one, two, printed[i][j] if printed else None)
        for i, (mine, other) in enumerate(zip(left, right, strict=True))
        for j, (one, two) in enumerate(zip(mine, other, strict=True))
    )


def _same(left: Interval, right: Interval, literal: Number | None) -> bool:
    """Are these the same number? A truncated right side has to hold all that the left one may be."""
    if left.exact and right.exact:
        return left.low == right.low
    if not _narrow(right):
        inside = right.low <= left.low and left.high <= right.high
        if literal is not None and literal.truncated:
            inside = inside and left.high < right.high if right.low >= 0 else inside and left.low > right.low
        return inside or left == right
    if not _narrow(left) and _meet(left, right):
        raise UnreadableError("the digits printed on the left do not decide it")
    return _narrow(left) and _meet(left, right)


def _narrow(it: Interval) -> bool:
    return it.exact or it.high - it.low <= NARROW * max(1, abs(it.low))


def _meet(left: Interval, right: Interval) -> bool:
    return left.low <= right.high and right.low <= left.high


def _rounded(left: _Rows, right: _Rows, printed: _Printed) -> bool:
    """Is every entry on the right the left one, rounded once to its places? Amid decimals an integer is exact."""
    literals = [literal for row in printed for literal in row]
    decimals = any(literal is not None and literal.places > 0 for literal in literals)
    true = True
    for mine, other, shown in zip(left, right, printed, strict=True):
        for one, two, literal in zip(mine, other, shown, strict=True):
            if literal is None and two != Interval(Fraction(0), Fraction(0)):
                raise UnreadableError("what is rounded is not written as a number")
            if literal is None or literal.truncated or (decimals and literal.places == 0) or one.infinite:
                true = true and _same(one, two, literal)
                continue
            half = Fraction(1, 2) / Fraction(10) ** literal.places
            slack = Fraction(0) if one.exact else half * NARROW
            true = true and two.low - half - slack <= one.low and one.high <= two.low + half + slack
    return true


def _shown(it: Value) -> str:
    if not isinstance(it, Interval):
        return "[" + ", ".join(_shown(item) for item in it) + "]"
    if it.infinite:
        return "oo" if it.high > 0 else "-oo"
    exact = Fraction(it.low)
    if it.exact and exact.denominator < 1000:
        return str(exact)
    return _decimal(it.low) if _narrow(it) else f"{_decimal(it.low)}..{_decimal(it.high)}"


def _decimal(end: Fraction | float) -> str:
    exact = Fraction(end)
    return str(mp.nstr(mp.mpf(exact.numerator) / exact.denominator, 12))
