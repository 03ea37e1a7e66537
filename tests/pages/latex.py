"""LaTeX arithmetic -> a tree of what is printed.

Only what a page on attention prints is read: numbers, names, the four operations, fractions, roots, powers,
exponentials, vectors and matrices. Everything else is unreadable, and so is what a reader could take in two ways:
a sign after an operator, two numbers side by side, a mixed number, a factor that follows a fraction's slash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


class UnreadableError(ValueError):
    """This is not arithmetic that can be read in one way only."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as printed, without its sign: with ``truncated``, digits follow that are not shown."""

    value: Fraction
    places: int
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A letter or a word, with whatever is attached to tell it from others."""

    text: str


@dataclass(frozen=True, slots=True)
class Unary:
    """``-``, ``%``, ``T`` (transposed) and the functions."""

    operator: str
    operand: Tree


@dataclass(frozen=True, slots=True)
class Binary:
    """``+ - * / ^``."""

    operator: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Vector:
    """A row of things between brackets, or parted by commas."""

    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of cells."""

    rows: tuple[tuple[Tree, ...], ...]


Tree: TypeAlias = Number | Name | Unary | Binary | Vector | Matrix

TOKEN = re.compile(
    r"""
    (?P<number> (?: \d{1,3}(?:\\,\d{3})+(?!\d) | \d+ )
                (?: (?:\.|\{,\}|\{\.\})\d+(?:\\,\d{3})*(?:\\,\d{1,2}(?!\d))?
                    (?P<more>\s*(?:\\ldots|\\dots|\\cdots|\.\.\.|…)(?![a-zA-Z]))? )? )
  | (?P<row>     \\\\\*?(?:\[-?[\d.]+\s*(?:pt|ex|em|mm|cm|jot)\])? )
  | (?P<prose>   \\(?:text|mbox|textrm|textit|emph|textbf|textsf)\s*\{(?P<words>(?:\\.|[^{}\\$])*)\} )
  | (?P<begin>   \\begin\s*\{(?P<opened>\w+\*?)\}(?:\[[tbc]\])? )
  | (?P<end>     \\end\s*\{(?P<closed>\w+\*?)\} )
  | (?P<size>    \\(?:left|right|middle|[bB]igg?[lrm]?)(?![a-zA-Z])\s*\.? )
  | (?P<space>   \s+ | \\[,;:!>\ ] | ~ | \{\}
               | \\(?:displaystyle|textstyle|scriptstyle|limits|nolimits|nonumber|notag|thinspace|hfill)(?![a-zA-Z]) )
  | (?P<command> \\[a-zA-Z]+ | \\. )
  | (?P<sign>    . )
    """,
    re.VERBOSE | re.DOTALL,
)
SAME = {
    r"\lbrack": "[", r"\rbrack": "]", r"\{": "(", r"\}": ")", r"\lbrace": "(", r"\rbrace": ")",
    r"\times": "*", r"\cdot": "*", r"\ast": "*", "·": "*", "×": "*", r"\div": "/", "÷": "/", "−": "-",
    r"\approx": "≈", r"\ne": "≠", r"\neq": "≠", r"\le": "≤", r"\leq": "≤", r"\leqslant": "≤", r"\ge": "≥",
    r"\geq": "≥", r"\geqslant": "≥", r"\lt": "<", r"\gt": ">", r"\coloneqq": "=", r"\equiv": "=", r"\dots": r"\ldots",
    r"\cdots": r"\ldots", "…": r"\ldots", "√": r"\sqrt", "π": r"\pi", "∞": r"\infty", r"\vert": "|", r"\mid": "|",
}  # fmt: skip
OPEN, CLOSE = frozenset("([{"), frozenset(")]}")
GREEK = frozenset(
    re.findall(
        r"\w+",
        "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau "
        "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega ell ",
    )
)
BIG = {r"\sum", r"\prod", r"\lim", r"\partial", r"\ldots", r"\odot", r"\oplus", r"\mathop"}
WRAPPERS = frozenset(
    re.findall(
        r"\w+",
        "mathbf mathrm mathit mathsf mathtt mathcal mathbb boldsymbol bm symbf symbfit operatorname boxed "
        "underline hat tilde bar vec overline ",
    )
)
PLAIN = {r"\mathbf", r"\boldsymbol", r"\bm", r"\symbf", r"\mathrm", r"\boxed", r"\underline", r"\mathit"}
FUNCTIONS = {
    r"\sin": "sin",
    r"\cos": "cos",
    r"\exp": "exp",
    r"\ln": "ln",
    r"\tanh": "tanh",
    r"\log": "ln",
    r"\max": "max",
    r"\min": "min",
}
WORDS = {"exp", "ln", "tanh", "softmax", "max", "min"}
MATRICES = {"matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "array"}
TRANSPOSED = {r"\top", "T", r"\intercal", r"\mathsf T", r"\mathrm T", r"\mathsf{T}", r"\mathrm{T}", r"\mathtt{T}"}
MARK = re.compile(r"\(.*\)|[A-Z]|\*|\\prime|\\mathrm\{\w+\}")  # above a name, part of the name
RELATIONS = frozenset("=≈≠<>≤≥")
OPERATORS = frozenset("+-*/")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of TeX: its kind, its text with synonyms made one, and the number that it prints."""

    kind: str
    text: str
    number: Number | None = None


def tokens(tex: str) -> list[Token]:
    """The pieces of a formula; spaces and the sizes of brackets are dropped."""
    found: list[Token] = []
    for match in TOKEN.finditer(tex):
        kind = match.lastgroup or ""
        text = match[0]
        if match["number"]:
            found.append(Token("number", text, _number(match["number"], match["more"] or "")))
        elif match["prose"]:
            found.append(Token("prose", match["words"]))
        elif match["begin"] or match["end"]:
            found.append(Token("begin" if match["begin"] else "end", match["opened"] or match["closed"]))
        elif match["row"]:
            found.append(Token("row", r"\\"))
        elif kind not in {"space", "size"}:
            found.append(Token("sign", SAME.get(text, text)))
    return found


def _number(printed: str, more: str) -> Number:
    digits = re.sub(r"\\,", "", printed.removesuffix(more)).replace("{,}", ".").replace("{.}", ".")
    return Number(Fraction(digits), len(digits.partition(".")[2]), bool(more))


def source(piece: list[Token]) -> str:
    """The text of some tokens, for messages and for names."""
    text = ""
    for token in piece:
        shown = rf"\{token.kind}{{{token.text}}}" if token.kind in {"begin", "end"} else token.text
        apart = re.search(r"\\[a-zA-Z]+$|\d$", text) and re.match(r"[a-zA-Z]" if text[-1].isalpha() else r"\d", shown)
        text += " " + shown if apart else shown
    return text


def read(piece: list[Token]) -> Tree:
    """The tree of one side of an equality; a list parted by commas is a vector.

    Raises:
        UnreadableError: It is not arithmetic, or could be taken in two ways.
    """
    parser = _Parser(piece)
    items = parser.items()
    if parser.here is not None:
        raise UnreadableError(f"{parser.here.text!r} is not expected in {source(piece)!r}")
    return items[0] if len(items) == 1 else Vector(items)


class _Parser:
    """Recursive descent over the tokens of one side."""

    def __init__(self, piece: list[Token]) -> None:
        self.piece = list(piece)
        self.at = 0

    @property
    def here(self) -> Token | None:
        return self.piece[self.at] if self.at < len(self.piece) else None

    def sees(self, *texts: str) -> bool:
        return self.here is not None and self.here.kind == "sign" and self.here.text in texts

    def take(self) -> Token:
        if self.here is None:
            raise UnreadableError(f"something is missing at the end of {source(self.piece)!r}")
        self.at += 1
        return self.piece[self.at - 1]

    def takes(self, *texts: str) -> bool:
        if self.sees(*texts):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.takes(text):
            raise UnreadableError(f"{text!r} is missing in {source(self.piece)!r}")

    def items(self) -> tuple[Tree, ...]:
        found = [self.sum()]
        while self.takes(",", ";"):
            found.append(self.sum())
        return tuple(found)

    def sum(self) -> Tree:
        negative = False
        if self.sees("+", "-"):
            negative = self.take().text == "-"
        value = self.product()
        if negative:
            value = Unary("-", value)
        while self.sees("+", "-"):
            operator = self.take().text
            value = Binary(operator, value, self.product())
        return value

    def product(self) -> Tree:
        value = last = self.factor()
        slash = False
        while self.here is not None:
            if self.sees("*", "/"):
                operator = self.take().text
                slash = operator == "/"
                last = self.factor()
            elif self.begins_factor():
                operator = "*"
                fraction = self.sees(r"\frac", r"\tfrac", r"\dfrac")
                following = self.factor()
                if slash:
                    raise UnreadableError(f"does the slash end before the last factor of {source(self.piece)!r}?")
                if isinstance(last, Number) and (isinstance(following, Number) or (fraction and _digits(following))):
                    raise UnreadableError(f"two numbers side by side in {source(self.piece)!r}")
                if isinstance(following, Number) and not _is_operator(last):
                    raise UnreadableError(f"a number after its factor in {source(self.piece)!r}")
                last = following
            else:
                break
            value = Binary(operator, value, last)
        return value

    def begins_factor(self) -> bool:
        token = self.here
        if token is None or token.kind in {"end", "row"}:
            return False
        return token.kind != "sign" or not (
            token.text in RELATIONS | OPERATORS | CLOSE | {",", ";", ".", ":", "&", "|"} or token.text in {"^", "_"}
        )

    def factor(self) -> Tree:
        value = self.atom()
        while self.sees("^", "_", "'", r"\%"):
            mark = self.take().text
            if mark == r"\%":
                value = Unary("%", value)
            elif mark == "'":
                value = Name(_name(value) + "'")
            elif mark == "_":
                value = Name(f"{_name(value)}_{{{source(self.argument())}}}")
            else:
                value = self.raised(value)
        return value

    def raised(self, base: Tree) -> Tree:
        above = self.argument()
        text = source(above)
        if text in TRANSPOSED:
            return Unary("T", base)
        mark = any(token.kind == "prose" for token in above) or MARK.fullmatch(text)
        if isinstance(base, Name) and mark and base.text != "e":
            return Name(f"{base.text}^{{{text}}}")
        return Binary("^", base, read(above))

    def argument(self) -> list[Token]:
        """What TeX takes as an argument: a group, or one sign, which of a number is one digit."""
        token = self.take()
        if token.kind == "number":
            first, rest = token.text[0], token.text[1:]
            if rest:
                self.at -= 1
                self.piece[self.at : self.at + 1] = tokens(rest)
            return tokens(first)
        if token.kind == "sign" and token.text == "{":
            return self.until("{", "}")
        if token.kind == "sign" and (token.text[1:] in WRAPPERS or token.text in {r"\frac", r"\sqrt"}):
            count = 2 if token.text == r"\frac" else 1
            found = [token]
            for _ in range(count):
                found += [Token("sign", "{"), *self.argument(), Token("sign", "}")]
            return found
        if token.kind not in {"sign", "prose"}:
            raise UnreadableError(f"{token.text!r} as an argument in {source(self.piece)!r}")
        return [token]

    def until(self, opening: str, closing: str) -> list[Token]:
        """The tokens up to the bracket that closes the one just taken."""
        found: list[Token] = []
        depth = 1
        while True:
            token = self.take()
            if token.kind == "sign":
                depth += (token.text == opening) - (token.text == closing)
            if not depth:
                return found
            found.append(token)

    def atom(self) -> Tree:
        token = self.take()
        if token.kind == "number":
            if token.number is None:
                raise UnreadableError(token.text)
            return token.number
        if token.kind == "prose":
            if token.text in WORDS and self.sees("(", "["):
                return self.function(token.text)
            return _words(token.text)
        if token.kind == "begin":
            return self.matrix(token.text)
        if token.kind == "sign":
            text = token.text
            if text in {"(", "["}:
                inside = self.items()
                if not self.takes(")", "]"):
                    raise UnreadableError(f"a bracket is not closed in {source(self.piece)!r}")
                return inside[0] if text == "(" and len(inside) == 1 else Vector(inside)
            if text == "{":
                return read(self.until("{", "}"))
            if re.fullmatch(r"[^\W\d_]", text) or text[1:] in GREEK or text in {r"\pi", r"\infty"}:
                return Name(text)
            if text.startswith("\\"):
                return self.command(text)
        raise UnreadableError(f"{token.text!r} is not expected in {source(self.piece)!r}")

    def command(self, text: str) -> Tree:
        match text:
            case r"\frac" | r"\tfrac" | r"\dfrac" | r"\cfrac":
                above = read(self.argument())
                return Binary("/", above, read(self.argument()))
            case r"\sqrt":
                if self.takes("["):
                    degree = read(self.until("[", "]"))
                    return Binary("^", read(self.argument()), Binary("/", Number(Fraction(1), 0), degree))
                return Unary("sqrt", read(self.argument()))
            case r"\underbrace" | r"\overbrace":
                value = read(self.argument())
                if self.takes("_", "^"):
                    self.argument()
                return value
            case r"\phantom" | r"\hphantom" | r"\vphantom" | r"\tag" | r"\label":
                self.argument()
                return self.factor()
            case _ if text in FUNCTIONS:
                return self.function(FUNCTIONS[text])
            case _ if text in BIG:
                return Name(text)
            case _ if text[1:] in WRAPPERS:
                return self.wrapped(text)
        raise UnreadableError(f"{text} in {source(self.piece)!r}")

    def function(self, name: str) -> Tree:
        if self.sees("_", "^"):
            self.take()
            return Name(f"{name}_{{{source(self.argument())}}}")
        if not self.begins_factor():
            return Name(name)
        return Unary(name, self.atom() if self.sees("(", "[", "{") else self.factor())

    def wrapped(self, wrapper: str) -> Tree:
        inside = self.argument()
        text = source(inside)
        if wrapper == r"\mathrm" and text == "e":
            return Name("e")
        if text in WORDS and self.sees("(", "["):
            return self.function(text)
        if wrapper in PLAIN and not text.isalpha():
            return read(inside)
        return Name(f"{wrapper}{{{text}}}")

    def matrix(self, kind: str) -> Tree:
        if kind not in MATRICES:
            raise UnreadableError(rf"\begin{{{kind}}} within {source(self.piece)!r}")
        if kind == "array":
            self.argument()
        rows: list[list[Tree]] = [[self.sum()]]
        while True:
            token = self.take()
            if token.kind == "sign" and token.text == "&":
                rows[-1].append(self.sum())
            elif token.kind == "row":
                if self.here is not None and self.here.kind != "end":
                    rows.append([self.sum()])
            elif token.kind == "end" and token.text == kind:
                break
            else:
                raise UnreadableError(f"{token.text!r} in a matrix")
        if len({len(row) for row in rows}) != 1:
            raise UnreadableError("the rows of a matrix differ in length")
        return Matrix(tuple(tuple(row) for row in rows))


def _is_operator(tree: Tree) -> bool:
    """Is this a sum or a limit sign, with what stands below and above it?"""
    if isinstance(tree, Binary) and tree.operator == "^":
        return _is_operator(tree.left)
    return isinstance(tree, Name) and tree.text.startswith((r"\sum", r"\lim"))


def _digits(tree: Tree) -> bool:
    """Is this a fraction of two numbers?"""
    return isinstance(tree, Binary) and isinstance(tree.left, Number) and isinstance(tree.right, Number)


def _name(tree: Tree) -> str:
    if isinstance(tree, Name):
        return tree.text
    raise UnreadableError("an index on what is not a name")


def _words(text: str) -> Tree:
    """What stands in text mode: a number, or a name."""
    inside = tokens(text.strip())
    if len(inside) == 1 and inside[0].number is not None:
        return inside[0].number
    return Name(rf"\text{{{text}}}")


def names(tree: Tree) -> Iterator[str]:
    """Every name in a tree."""
    match tree:
        case Name(text):
            yield text
        case Unary(_, operand):
            yield from names(operand)
        case Binary(_, left, right):
            yield from names(left)
            yield from names(right)
        case Vector(items):
            for item in items:
                yield from names(item)
        case Matrix(rows):
            for row in rows:
                for cell in row:
                    yield from names(cell)
