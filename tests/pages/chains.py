"""A formula cut into chains of sides and the relations between them.

Wide spaces, arrows, prose and row breaks part one chain from the next, but a row that begins with a relation or an
operator goes on with the chain above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.pages.latex import OPERATORS, RELATIONS, Token, tokens

ALIGNED = re.compile(r"(?:aligned|align|split|gathered|gather|multlined|multline|equation)\*?")
WIDE = {r"\quad", r"\qquad", ";"}
ARROWS = {r"\to", r"\rightarrow", r"\Rightarrow", r"\implies", r"\iff", r"\Leftrightarrow", r"\mapsto", r"\colon"}
LIKE = {r"\simeq", r"\doteq", r"\cong", r"\fallingdotseq", "≃"}  # as good as an equality, with no rule to judge it by
OTHER = {r"\in", r"\propto", r"\sim", r"\subset", r"\ll", r"\gg"}  # no equality


@dataclass(frozen=True, slots=True)
class Chain:
    """Sides and the relations between them: one more side than relations."""

    sides: list[list[Token]]
    relations: list[str]


def chains(formula: str) -> list[Chain]:
    """The chains of a formula, in reading order; a row that begins with a relation or an operator goes on."""
    found: list[Chain] = []
    for row in _rows(_unwrapped(tokens(formula))):
        pieces = [_chain(piece) for part in _parts(row.tokens) for piece in _listed(part)]
        if found and pieces and not row.anew and _goes_on(found[-1], pieces[0]):
            found[-1] = _joined(found[-1], pieces.pop(0))
        found += pieces
    return found


def hides_an_equality(piece: list[Token]) -> bool:
    """Is there a relation within brackets, other than an index, that has to do with numbers?"""
    scripts = depth = 0
    before = ""
    for token in piece:
        sign = _sign(token) or ""
        depth += (sign == "{") - (sign == "}")
        if sign == "{" and before == "_" and not scripts:
            scripts = depth
        if sign == "}" and depth < scripts:
            scripts = 0
        if sign in {"=", "≈"} and not scripts:
            return any(token.number is not None for token in piece)
        before = sign
    return False


def _unwrapped(piece: list[Token]) -> list[Token]:
    """Without a box or braces round the whole, or an emphasis with an equality in it."""
    while piece and _sign(piece[-1]) in {",", ".", ";", ":"}:
        piece = piece[:-1]
    start = 1 if piece and _sign(piece[0]) in {r"\boxed", r"\mathbf", r"\boldsymbol"} else 0
    opened = len(piece) > start and _sign(piece[start]) == "{"
    if opened and _closing(piece, start) == len(piece) - 1 and any(_sign(token) in RELATIONS for token in piece):
        return _unwrapped(piece[start + 1 : -1])
    return piece


def _closing(piece: list[Token], start: int) -> int:
    depth = 0
    for at in range(start, len(piece)):
        depth += (_sign(piece[at]) == "{") - (_sign(piece[at]) == "}")
        if depth == 0:
            return at
    return len(piece)


def _sign(token: Token) -> str | None:
    return token.text if token.kind == "sign" else None


def _cut(piece: list[Token], here: set[str] | frozenset[str]) -> list[tuple[str, list[Token]]]:
    """The piece cut at these signs, outside of all brackets; each part with the sign in front of it."""
    parts: list[tuple[str, list[Token]]] = [("", [])]
    depth = 0
    for token in piece:
        sign = _sign(token)
        if sign is not None and sign in here and depth == 0:
            parts.append((sign, []))
            continue
        depth += _deeper(token)
        parts[-1][1].append(token)
    return parts


@dataclass(slots=True)
class _Row:
    """A row; ``anew`` if something stands in front of its first ``&``, so that it can't go on with the row above."""

    tokens: list[Token]
    marks: int = 0
    anew: bool = False


def _rows(piece: list[Token]) -> list[_Row]:
    """The rows of the formula and of its outermost alignments; in a row, every second ``&`` becomes a wide space."""
    found = [_Row([])]
    depth = 0
    for token in piece:
        row = found[-1]
        if depth == 0 and (token.kind == "row" or (token.kind in {"begin", "end"} and ALIGNED.fullmatch(token.text))):
            found.append(_Row([]))
        elif depth == 0 and _sign(token) == "&":
            row.marks += 1
            if row.marks == 1:
                row.anew = bool(row.tokens)
            elif row.marks % 2 == 0:
                row.tokens.append(Token("sign", r"\qquad"))
        else:
            depth += _deeper(token)
            row.tokens.append(token)
    return [row for row in found if row.tokens]


def _deeper(token: Token) -> int:
    """By how much brackets are deeper after this token."""
    sign = _sign(token)
    return (sign in {"(", "[", "{"} or token.kind == "begin") - (sign in {")", "]", "}"} or token.kind == "end")


def _parts(row: list[Token]) -> list[list[Token]]:
    """The row cut at wide spaces, arrows and words between spaces; without the punctuation at the end of a part."""
    marked = [Token("sign", r"\qquad") if _is_prose(token) else token for token in row]
    found = []
    for _, part in _cut(marked, WIDE | ARROWS):
        while part and _sign(part[-1]) in {",", ".", ":"}:
            part.pop()
        if part:
            found.append(part)
    return found


def _is_prose(token: Token) -> bool:
    return token.kind == "prose" and token.text != token.text.strip()


def _listed(part: list[Token]) -> list[list[Token]]:
    """``a = 1, b = 2`` is two; ``w = 1, 2`` is one, with a list for its right side."""
    pieces = [piece for _, piece in _cut(part, {","})]
    whole = all(any(_sign(token) in RELATIONS for token in piece) for piece in pieces)
    return pieces if whole else [part]


def _chain(piece: list[Token]) -> Chain:
    colonless = [t for t, after in zip(piece, [*piece[1:], None], strict=True) if not _defines(t, after)]
    parts = _cut(colonless, RELATIONS | LIKE | OTHER)
    return Chain([part for _, part in parts], [relation for relation, _ in parts[1:]])


def _defines(token: Token, after: Token | None) -> bool:
    """Is it the colon of ``:=``?"""
    return _sign(token) == ":" and after is not None and _sign(after) == "="


def _goes_on(before: Chain, after: Chain) -> bool:
    first = after.sides[0]
    last = before.sides[-1]
    return (
        (not first and bool(after.relations))
        or (bool(first) and _sign(first[0]) in OPERATORS and bool(before.relations))
        or (bool(last) and _sign(last[-1]) in OPERATORS)
        or (not last and bool(before.relations))
    )


def _joined(before: Chain, after: Chain) -> Chain:
    if not after.sides[0] and before.sides[-1]:
        return Chain(before.sides + after.sides[1:], before.relations + after.relations)
    seam = before.sides[-1] + after.sides[0]
    return Chain([*before.sides[:-1], seam, *after.sides[1:]], before.relations + after.relations)
