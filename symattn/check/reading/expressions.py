"""Tokens to trees: a parser that takes what it understands and stops before what it does not.

It never fails after it has consumed something, so a page is read in linear time: an operator without a right operand
simply ends the expression before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Items
from dataclasses import dataclass, replace
from typing import Final

from symattn.check.reading.printed import Printed
from symattn.check.reading.tokens import Token
from symattn.check.reading.tree import Call, Grid, Name, Negative, Node, Num, Operation, Sequence

_DEPTH: Final = 24
_TERMS: Final = 130
"""Of one sum or product, so that no tree is too high to be walked."""
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
MATRICES: Final = re.compile(r"(?:[bpvBV]?|small|bsmall|psmall|inline)?(?:matrix|array|cases)\*?")
FUNCTIONS: Final = {"ln": "log"} | {
    name: name for name in ("softmax", "exp", "sqrt", "log", "tanh", "cos", "sin", "sum")
}
_ARRAYS: Final = """
    array tensor Tensor Matrix asarray matrix Array ImmutableMatrix list pmatrix bmatrix DoubleTensor FloatTensor
    constant Variable as_tensor tensor1d tensor2d
"""
_TYPES: Final = """
    mathbf mathrm mathit mathsf mathtt boldsymbol bm vec text textbf textit emph operatorname mathcal hat tilde bar
    mathbb texttt textrm mbox underline boxed overline textsf pmb vb
"""
_WRAPPERS: Final = frozenset(_ARRAYS.split())
"""Calls that make an array of their first argument."""
_FONTS: Final = frozenset(f"\\{name}" for name in _TYPES.split())
"""Commands that only change how their argument looks."""
_PLACE: Final = re.compile(r"_\d{1,3}(?:,\d{1,3})?")
_INDEX: Final = re.compile(r"\d{1,4}(?:,(?:\d{1,4}|:))?")
_VIEWS: Final = ("tolist", "numpy", "detach", "cpu", "item", "round", "squeeze")
"""Methods that leave an array what it is."""
_PLAIN_FUNCTIONS: Final = ("ln", "log", "exp", "sqrt", "tanh", "cos", "sin")
"""Functions that may stand before a number without brackets: ``ln 2``."""
_PLACES: Final = re.compile(r"[1-9](?:,[1-9])?")
_DOTTED: Final = re.compile(r"[qQ]\w{0,2}\.[kK]\w{0,2}|[kK]\w{0,2}\.[qQ]\w{0,2}")
"""A dot product written with a full stop."""
_JOINED: Final = re.compile(r"[QKVXASPZOEWHC]+T?")
_FACTORS: Final = ("\\frac", "\\dfrac", "\\tfrac", "\\sqrt", "\\tanh", "\\exp", "\\cos", "\\sin")
_LEVEL: Final = {"+": 1, "-": 1, "*": 2, "/": 2}


def matching(tokens: Items[Token]) -> dict[int, int]:
    """For each bracket that opens, where it closes."""
    found: dict[int, int] = {}
    open_: list[tuple[str, int]] = []
    for index, token in enumerate(tokens):
        if token.kind == "open":
            open_.append((token.text, index))
            if len(open_) > 4 * _DEPTH:
                del open_[0]
        elif token.kind == "close":
            for back in range(len(open_) - 1, max(-1, len(open_) - 4), -1):
                if _PAIRS[open_[back][0]] == token.text:
                    found[open_[back][1]] = index
                    del open_[back:]
                    break
    return found


def environments(tokens: Items[Token]) -> dict[int, int]:
    """For each ``\\begin``, the token of its ``\\end``; those nested beyond reason are left out."""
    found: dict[int, int] = {}
    open_: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "command" and token.text == "\\begin":
            open_.append(index)
        elif token.kind == "command" and token.text == "\\end" and open_:
            begin = open_.pop()
            if len(open_) < _DEPTH:
                found[begin] = index
    return found


class Parser:
    """Trees from one page's tokens; each bracket is read once."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.pairs = matching(tokens)
        self._ends = environments(tokens)
        self._known: dict[int, tuple[Node, int] | None] = {}

    def expression(self, at: int, end: int, depth: int = 0, *, listed: bool = False) -> tuple[Node, int] | None:
        """The expression that starts at a token, and the token after it; ``listed``: items end at white space."""
        return self._binary(at, end, 1, depth, listed)

    def _binary(self, at: int, end: int, level: int, depth: int, listed: bool) -> tuple[Node, int] | None:
        first = self._power(at, end, depth, listed)
        if first is None:
            return None
        left, at = first
        for _ in range(_TERMS):
            if at >= end:
                break
            at = self._past_break(at, end) if level == 1 and not depth and not listed else at
            token = self.tokens[at]
            sign = "*" if token.text == "times" else token.text if token.kind == "operator" else ""
            if sign in _LEVEL and not (listed and self._starts_item(at)):
                if _LEVEL[sign] < level:
                    break
                after = self._past_lines(at + 1, end)
                right = self._binary(after, end, _LEVEL[sign] + 1, depth, listed)
                if right is None:
                    break
                left, at = Operation(sign, left, right[0]), right[1]
            elif level <= 2 and self._multiplies(at, left, listed):
                right = self._power(at, end, depth, listed)
                if right is None:
                    break
                left, at = Operation("*", left, right[0]), right[1]
            else:
                break
        return left, at

    def _past_lines(self, at: int, end: int) -> int:
        """An operator at a line's end goes on in the next line, also after the mark of an alignment."""
        here = at
        while here < end and here < at + 3 and self.tokens[here].kind in ("line", "cell", "row"):
            here += 1
        return here

    def _past_break(self, at: int, end: int) -> int:
        """A sum goes on after the break of an aligned display where its next line begins, past the mark of the
        alignment, with a sign that stands apart.
        """
        here = at
        for kind in ("row", "line", "cell"):
            if here < end and self.tokens[here].kind == kind:
                here += 1
            elif kind != "line":
                return at
        after = self.tokens[here + 1] if here + 1 < end else None
        signed = here < end and self.tokens[here].kind == "operator" and self.tokens[here].text in "+-"
        return here if signed and after is not None and after.spaced else at

    def _starts_item(self, at: int) -> bool:
        """Whether a sign belongs to the next number of a list whose items stand beside one another."""
        token = self.tokens[at]
        after = self.tokens[at + 1] if at + 1 < len(self.tokens) else token
        return token.text in "+-" and token.spaced and not after.spaced

    def _multiplies(self, at: int, left: Node, listed: bool) -> bool:
        """Whether what follows is a factor without a sign between: ``2u``, ``\\frac12 x``, ``Q K^T``."""
        token, before = self.tokens[at], self.tokens[at - 1]
        if isinstance(left, (Grid, Sequence)):
            return self._joins(at, left)
        if token.kind == "command" and token.text == "\\begin":
            return isinstance(left, Num) and not listed
        if token.kind == "command":
            known = token.text in _FONTS or token.text in _FACTORS
            return known and not _ends_in_word(left)
        if token.kind == "name":
            if not token.spaced:
                return _is_letter(token.text) or token.text in FUNCTIONS
            turned = isinstance(left, Call) and left.function == "transpose"
            return not listed and _is_letter(token.text) and (turned or (token.text[0].isupper() and _is_capital(left)))
        if token.kind == "open" and token.text == "(":
            return not token.spaced and before.kind in ("close", "number") and not listed
        if token.text == "{" and not listed and _is_capital(left):
            close = self.pairs.get(at)
            return close is not None and close + 1 < len(self.tokens) and self.tokens[close + 1].text in ("^", "_")
        return token.kind == "operator" and token.text == "sqrt" and not token.spaced

    def _joins(self, at: int, left: Node) -> bool:
        """Whether a matrix follows a matrix, or a transposed vector a vector: their product."""
        token = self.tokens[at]
        if token.kind == "command" and token.text == "\\begin":
            return isinstance(left, Grid)
        close = self.pairs.get(at) if token.kind == "open" else None
        after = None if close is None or close + 1 >= len(self.tokens) else self.tokens[close + 1]
        return after is not None and after.text in ("^", "^T")

    def _power(self, at: int, end: int, depth: int, listed: bool) -> tuple[Node, int] | None:
        found = self._atom(at, end, depth, listed)
        if found is None:
            return None
        node, at = found
        for _ in range(_DEPTH):
            if at >= end:
                break
            token = self.tokens[at]
            if token.text == "^T":
                node, at = Call("transpose", (node,)), at + 1
                continue
            if token.kind != "operator" or token.text not in ("^", "_"):
                break
            script = self._script(at + 1, end, depth)
            if script is None:
                break
            if token.text == "_":
                node, at = self._with_place(node, at, end), script[1]
                continue
            inner, at = script
            if isinstance(inner, Name) and inner.text in ("T", "t", "intercal", "transp"):
                node = Call("transpose", (node,))
            elif isinstance(node, Name) and isinstance(inner, Name):
                node = Name(f"{node.text}_{inner.text}")
            elif isinstance(node, Name) and node.text == "e":
                node = Call("exp", (inner,))
            else:
                node = Operation("^", node, inner)
        return node, at

    def _with_place(self, node: Node, at: int, end: int) -> Node:
        """A letter with something above it and the numbers below: ``Z^{(1)}_{2,3}``; other subscripts say nothing."""
        match node:
            case Operation("^", Name(text), above):
                named, _ = self._subscripted("", at, end)
                if isinstance(named, Name) and _PLACE.fullmatch(named.text):
                    return Operation("^", Name(text + named.text), above)
        return node

    def _script(self, at: int, end: int, depth: int) -> tuple[Node, int] | None:
        """A sub- or superscript: a group, or one sign."""
        if at >= end:
            return None
        token = self.tokens[at]
        if token.kind == "open" and token.text in "{(" and at in self.pairs:
            close = self.pairs[at]
            inner = self._inside(at + 1, close, depth + 1)
            if inner is None:
                text = "".join(part.text for part in self.tokens[at + 1 : min(close, at + 12)])
                return Name(text), close + 1
            return inner, close + 1
        return self._atom(at, end, depth, False)

    def _inside(self, at: int, close: int, depth: int) -> Node | None:
        """The expression that fills a group; None if the group holds something else."""
        found = self.expression(at, close, depth)
        return found[0] if found is not None and found[1] == close else None

    def _atom(self, at: int, end: int, depth: int, listed: bool) -> tuple[Node, int] | None:
        if at >= end or depth > _DEPTH:
            return None
        token = self.tokens[at]
        match token.kind:
            case "number":
                return None if token.number is None else (Num(token.number), at + 1)
            case "operator" if token.text in "+-" and token.text != "":
                return self._negative(at, end, depth, listed)
            case "operator" if token.text == "sqrt":
                found = self._atom(at + 1, end, depth + 1, listed)
                return None if found is None else (Call("sqrt", (found[0],)), found[1])
            case "name":
                return self._named(at, end, depth)
            case "command":
                return self._command(at, end, depth)
            case "open":
                return self._bracketed(at, end, depth)
        return None

    def _negative(self, at: int, end: int, depth: int, listed: bool) -> tuple[Node, int] | None:
        token = self.tokens[at]
        found = self._power(at + 1, end, depth + 1, listed)
        if found is None:
            return None
        node, after = found
        if isinstance(node, Num) and not node.printed.special.startswith("-"):
            return Num(self._with_sign(node.printed, token)), after
        return (node if token.text == "+" else Negative(node)), after

    def _with_sign(self, number: Printed, sign: Token) -> Printed:
        """The number with the sign before it, which is its first character."""
        minus = sign.text == "-"
        return replace(
            number,
            text=self.text[sign.start : number.end],
            start=sign.start,
            value=-number.value if minus else number.value,
            special="-oo" if minus and number.special == "oo" else number.special,
        )

    def _named(self, at: int, end: int, depth: int) -> tuple[Node, int] | None:
        token = self.tokens[at]
        text = token.text
        if _DOTTED.fullmatch(text):
            left, _, right = text.partition(".")
            return Operation("*", _letters(left), _letters(right)), at + 1
        base, _, last = text.rpartition(".")
        if base and last in ("T", "t", "mT", "transpose"):
            after = at + 1
            if last == "transpose" and after < end and self.tokens[after].text == "(" and after in self.pairs:
                after = self.pairs[after] + 1
            return Call("transpose", (_letters(base),)), after
        if base and last in _VIEWS and base not in ("np", "numpy", "torch", "jnp", "tf"):
            after = at + 1
            if after < end and self.tokens[after].text == "(" and after in self.pairs:
                after = self.pairs[after] + 1
            return _letters(base.rpartition(".")[2]), after
        if (base and last == "softmax") or text in ("softmax", "Softmax"):
            text = "softmax"
        elif base:
            text = last
        following = self.tokens[at + 1] if at + 1 < end else None
        if following is not None and following.number is not None and text in _PLAIN_FUNCTIONS:
            return Call(FUNCTIONS[text], (Num(following.number),)), at + 2
        if following is not None and following.kind == "open" and (at + 1) in self.pairs:
            close = self.pairs[at + 1]
            if following.text in "([" and text.lower() in FUNCTIONS:
                inner = self._arguments(at + 1, close, depth)
                if inner:
                    return Call(FUNCTIONS[text.lower()], inner), close + 1
            if following.text == "(" and text in _WRAPPERS:
                inner = self._arguments(at + 1, close, depth, first=True)
                if inner:
                    return inner[0], close + 1
            if following.text == "(" and text == "Attention":
                return Call("attention", self._arguments(at + 1, close, depth)), close + 1
        return self._subscripted(text, at + 1, end)

    def _subscripted(self, text: str, at: int, end: int) -> tuple[Node, int]:
        """A name with its subscript: ``W_Q``, ``d_{k}``, ``attn_weights``."""
        while at + 1 < end and self.tokens[at].kind == "operator" and self.tokens[at].text == "_":
            token = self.tokens[at + 1]
            if token.kind == "open" and (at + 1) in self.pairs and self.pairs[at + 1] < end:
                close = self.pairs[at + 1]
                inside = self.tokens[at + 2 : min(close, at + 14)]
                piece = "".join(part.text for part in inside if part.kind not in ("open", "close", "command"))
                text, at = f"{text}_{piece}", close + 1
            elif token.kind in ("name", "number"):
                text, at = f"{text}_{token.text}", at + 2
            elif token.kind == "command" and token.text in _FONTS and at + 2 < end and (at + 2) in self.pairs:
                close = self.pairs[at + 2]
                text, at = (
                    f"{text}_{''.join(part.text for part in self.tokens[at + 3 : min(close, at + 9)])}",
                    close + 1,
                )
            else:
                break
        if at < end and self.tokens[at].text == "[" and not self.tokens[at].spaced and at in self.pairs:
            close = self.pairs[at]
            index = "".join(part.text for part in self.tokens[at + 1 : min(close, at + 7)])
            if _INDEX.fullmatch(index):
                second = self._second_index(close + 1, end) if index.isdigit() else None
                return (
                    (Name(f"{text}[{index}]"), close + 1)
                    if second is None
                    else (Name(f"{text}[{index},{second}]"), close + 4)
                )
        return self._counted(text, at, end) or (_letters(text), at)

    def _second_index(self, at: int, end: int) -> str | None:
        """The column behind a row: ``weights[1][0]``."""
        inside = self.tokens[at : at + 3]
        joined = [token.text for token in inside if not token.spaced]
        is_index = at + 2 < end and joined[:1] == ["["] and joined[2:] == ["]"] and _INDEX.fullmatch(joined[1])
        return joined[1] if is_index else None

    def _counted(self, text: str, at: int, end: int) -> tuple[Node, int] | None:
        """An entry as a function of its places, which count from 1: ``score(1,2)``."""
        if at >= end or self.tokens[at].text != "(" or self.tokens[at].spaced or at not in self.pairs or len(text) < 2:
            return None
        close = self.pairs[at]
        index = "".join(part.text for part in self.tokens[at + 1 : min(close, at + 5)])
        return (Name(f"{text}_{index}"), close + 1) if close <= at + 4 and _PLACES.fullmatch(index) else None

    def _command(self, at: int, end: int, depth: int) -> tuple[Node, int] | None:
        token = self.tokens[at]
        name = token.text
        if name == "\\begin":
            return self._environment(at, end, depth)
        if name in ("\\frac", "\\dfrac", "\\tfrac", "\\cfrac"):
            above = self._argument(at + 1, end, depth)
            below = above and self._argument(above[1], end, depth)
            if above is None or below is None:
                return None
            return Operation("/", above[0], below[0]), below[1]
        if name == "\\sqrt":
            found = self._argument(at + 1, end, depth)
            return None if found is None else (Call("sqrt", (found[0],)), found[1])
        if name[1:] in FUNCTIONS:
            found = self._atom(at + 1, end, depth + 1, False)
            return None if found is None else (Call(FUNCTIONS[name[1:]], (found[0],)), found[1])
        if name in _FONTS or name in ("\\bigl", "\\mathop"):
            return self._font(at, end, depth)
        return None

    def _font(self, at: int, end: int, depth: int) -> tuple[Node, int] | None:
        """A letter, number or word in another type: the name or function that it is."""
        group = at + 1
        if group >= end or self.tokens[group].text != "{" or group not in self.pairs:
            return None
        close = self.pairs[group]
        inside = self.tokens[group + 1 : close]
        word = inside[0].text if len(inside) == 1 and inside[0].kind == "name" else ""
        if word.lower() in FUNCTIONS or word == "Attention":
            after = close + 1
            if after < end and self.tokens[after].kind == "open" and after in self.pairs:
                arguments = self._arguments(after, self.pairs[after], depth)
                name = "attention" if word == "Attention" else FUNCTIONS[word.lower()]
                return (Call(name, arguments), self.pairs[after] + 1) if arguments else None
            return Name(word.lower()), after
        if word:
            return self._subscripted(word, close + 1, end)
        inner = self._inside(group + 1, close, depth + 1)
        if inner is not None:
            return inner, close + 1
        text = " ".join(part.text for part in inside[:8])
        return (Name(text), close + 1) if text else None

    def _argument(self, at: int, end: int, depth: int) -> tuple[Node, int] | None:
        """The argument of a TeX command: a group, or one sign."""
        if at >= end:
            return None
        if self.tokens[at].text == "{" and at in self.pairs:
            close = self.pairs[at]
            inner = self._inside(at + 1, close, depth + 1)
            return None if inner is None else (inner, close + 1)
        return self._atom(at, end, depth + 1, False)

    def _arguments(self, open_: int, close: int, depth: int, *, first: bool = False) -> tuple[Node, ...]:
        """What stands between brackets, by commas; named arguments are left out."""
        found: list[Node] = []
        at = open_ + 1
        while at < close:
            while at < close and self.tokens[at].kind in ("line", "separator", "row"):
                at += 1
            inner = self.expression(at, close, depth + 1)
            if inner is None:
                break
            node, at = inner
            if at < close and self.tokens[at].kind == "relation":
                break
            found.append(node)
            if first:
                break
        return tuple(found)

    def _bracketed(self, at: int, end: int, depth: int) -> tuple[Node, int] | None:
        """A group, a vector, or rows of numbers."""
        close = self.pairs.get(at)
        if close is None or close > end:
            return None
        if at not in self._known:
            self._known[at] = None
            self._known[at] = self._read_bracket(at, close, depth)
        return self._known[at]

    def _read_bracket(self, at: int, close: int, depth: int) -> tuple[Node, int] | None:
        bracket = self.tokens[at].text
        if bracket != "[":
            inner = self._inside(at + 1, close, depth + 1)
            if inner is not None:
                return inner, close + 1
        node = self._items(at + 1, close, depth + 1, bracket)
        return None if node is None else (node, close + 1)

    def _items(self, at: int, close: int, depth: int, bracket: str) -> Node | None:
        """The items of a list; None if something else stands among them."""
        rows: list[list[Node | None]] = [[]]
        elided = loose = False
        while at < close:
            token = self.tokens[at]
            if token.kind == "separator" or token.kind in ("line", "row", "cell"):
                if (token.text == ";" or (token.kind == "row" and token.text != "\\")) and rows[-1]:
                    rows.append([])
                at += 1
                continue
            if token.text == "...":
                elided = True
                rows[-1].append(None)
                at += 1
                continue
            if token.text == "|":
                at += 1
                continue
            found = self.expression(at, close, depth, listed=True)
            if found is None or found[1] <= at:
                return None
            if rows[-1] and self.tokens[at - 1].kind not in ("separator", "row", "cell"):
                loose = True
            rows[-1].append(found[0])
            at = found[1]
        kept = [row for row in rows if row]
        if not kept:
            return None
        if len(kept) > 1 and all(len(row) == len(kept[0]) for row in kept) and len(kept[0]) > 1:
            return Grid(tuple(map(tuple, kept)), elided=elided)
        items = [item for row in kept for item in row]
        if all(isinstance(item, Grid) for item in items if item is not None):
            return items[0] if len(items) == 1 else Sequence(tuple(items), bracket)
        if len(items) >= 1 and all(item is None or isinstance(item, Sequence) for item in items) and any(items):
            made = tuple(None if item is None else item.items for item in items)  # type: ignore[union-attr]
            return _trimmed(Grid(made, elided=elided or any(None in row for row in made if row)))
        if any(isinstance(item, (Sequence, Grid)) for item in items):
            return Sequence(tuple(items), bracket)
        if loose and any(not isinstance(item, Num) for item in items if item is not None):
            return None
        return Sequence(tuple(items), bracket)

    def _environment(self, at: int, end: int, depth: int) -> tuple[Node, int] | None:
        """A matrix of TeX: cells by &, rows by \\\\, \\cr, or the single \\ that a conversion to text leaves."""
        found = self.environment(at, end)
        if found is None or not MATRICES.fullmatch(found.name):
            return None
        rows: list[tuple[Node | None, ...]] = []
        for cells in split_cells(self.tokens, found.first, found.last, self.pairs):
            entries = tuple(self._inside_cell(first, last, depth + 1) for first, last in cells)
            rows.append(entries)
        if not rows or not any(entry is not None for row in rows for entry in row):
            return None
        return Grid(tuple(rows)), found.after

    def _inside_cell(self, at: int, end: int, depth: int) -> Node | None:
        while at < end and self.tokens[at].kind == "line":
            at += 1
        while at < end and (self.tokens[end - 1].kind in ("line", "row") or self.tokens[end - 1].text in (".", ",")):
            end -= 1
        if at >= end:
            return None
        return self._inside(at, end, depth)

    def environment(self, at: int, end: int) -> Environment | None:
        """The TeX environment that opens at ``\\begin``: its name, and where its contents are."""
        name, body = self._environment_name(at, end)
        if not name:
            return None
        here = self._ends.get(at, end)
        if here >= end:
            return None
        after = here + 1
        if after < end and self.tokens[after].text == "{" and after in self.pairs:
            after = self.pairs[after] + 1
        if "array" in name or "tabular" in name or "NiceMatrix" in name:
            for _ in range(3):
                if body < here and self.tokens[body].text in "{[" and body in self.pairs:
                    body = self.pairs[body] + 1
        return Environment(name, body, here, after)

    def _environment_name(self, at: int, end: int) -> tuple[str, int]:
        group = at + 1
        if group >= end or self.tokens[group].text != "{" or group not in self.pairs:
            return "", at
        close = self.pairs[group]
        return "".join(part.text for part in self.tokens[group + 1 : min(close, group + 4)]), close + 1


@dataclass(frozen=True, slots=True)
class Environment:
    """A TeX environment: its contents are the tokens from ``first`` up to ``last``, and ``after`` follows its end."""

    name: str
    first: int
    last: int
    after: int


def split_cells(tokens: Items[Token], first: int, last: int, pairs: dict[int, int]) -> list[list[tuple[int, int]]]:
    """The cells of rows, as ranges of tokens; only ends of cells and rows outside of brackets count."""
    whole = any(token.kind == "row" and token.text != "\\" for token in tokens[first:last])
    rows: list[list[tuple[int, int]]] = []
    cells: list[tuple[int, int]] = []
    start = at = first
    while at < last:
        token = tokens[at]
        if token.kind == "open" and at in pairs and pairs[at] < last:
            at = pairs[at]
        elif token.kind == "cell":
            cells.append((start, at))
            start = at + 1
        elif token.kind == "row" and (token.text != "\\" or not whole):
            cells.append((start, at))
            rows.append(cells)
            cells, start = [], at + 1
        at += 1
    if cells or _has_content(tokens, start, last):
        cells.append((start, last))
        rows.append(cells)
    return rows


def _has_content(tokens: Items[Token], first: int, last: int) -> bool:
    return any(tokens[index].kind not in ("line", "row", "cell") for index in range(first, last))


def _trimmed(grid: Grid) -> Grid:
    """Whether an array print leaves out zeros at the end: some entry ends with its point."""
    numbers = [entry.printed for row in grid.rows for entry in row or () if isinstance(entry, Num)]
    if any(number.text.endswith(".") for number in numbers):
        return replace(grid, trimmed=True)
    return grid


def _is_letter(text: str) -> bool:
    return len(text) == 1 or (len(text) <= 3 and bool(_JOINED.fullmatch(text))) or text in ("alpha",)


def _is_capital(node: Node) -> bool:
    match node:
        case Name(text):
            return text[0] in "QKVXAWSPZOEH" and (len(text) == 1 or "_" in text or bool(_JOINED.fullmatch(text)))
        case Operation("*", _, right):
            return _is_capital(right)
        case Call("transpose", _):
            return True
    return False


def _ends_in_word(node: Node) -> bool:
    match node:
        case Name(text):
            return len(text) > 1 and "_" not in text and text not in ("alpha",)
        case Operation(_, _, right):
            return _ends_in_word(right)
    return False


def _letters(text: str) -> Node:
    """A name; letters of matrices written together are their product: ``QK``, ``AV``."""
    if len(text) > 1 and _JOINED.fullmatch(text):
        rest = text[:-1] if text.endswith("T") else text
        node: Node = Name(rest[0])
        for letter in rest[1:]:
            node = Operation("*", node, Name(letter))
        if rest is not text and isinstance(node, Operation):
            return Operation("*", node.left, Call("transpose", (node.right,)))
        return node
    head, _, tail = text.partition("_")
    if len(head) == 2 and head[1] == "W" and tail:
        return Operation("*", Name(head[0]), Name(f"W_{tail}"))
    return Name(text)
