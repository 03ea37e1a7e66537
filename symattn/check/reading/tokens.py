r"""A page's text as tokens: numbers, names, relations, operators, brackets, separators and ends of rows.

One tolerant scanner serves every kind of source, since the same mathematics stands in Markdown, LaTeX, HTML, notebooks
and comments, and often without the backslashes or braces that a parser of whole TeX documents needs: a web page turned
into text ends the rows of a matrix with ``\`` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from symattn.check.reading.printed import Printed, printed

Kind = Literal["number", "name", "word", "relation", "operator", "open", "close", "separator", "cell", "row", "command",
               "line", "gap", "other"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the page. ``text`` is normalised: ``\\approx`` is ``~``, ``\\cdot`` is ``*``; spaces are left out.

    ``spaced``: white space stands before it.
    """

    kind: Kind
    text: str
    start: int
    end: int
    spaced: bool
    number: Printed | None = None


FILLER: Final = "\x1f"
"""Stands where a source spells one character with several, so that places stay those of the file."""
CELL: Final = "\x1c"
ROW: Final = "\x1d"
TABLE: Final = "\x02"
END: Final = "\x03"
"""What a reader of HTML puts for ends of cells and rows, and for the ends of a table."""

_RELATIONS: Final = {
    "=": "=", "==": "=", ":=": "=", "≈": "~", "≃": "~", "≅": "~", "~=": "~", "\\approx": "~", "\\simeq": "~",
    "\\cong": "~", "\\doteq": "~", "\\approxeq": "~", "\\equiv": "=", "\\coloneqq": "=", "→": ">", "⟶": ">", "⇒": ">",
    "->": ">", "=>": ">", "\\to": ">", "\\rightarrow": ">", "\\Rightarrow": ">", "\\longrightarrow": ">",
    "\\implies": ">", "\\leftarrow": "<", "←": "<",
}  # fmt: skip
_OPERATORS: Final = {
    "+": "+", "-": "-", "−": "-", "–": "-", "*": "*", "·": "*", "⋅": "*", "×": "*", "∙": "*", "•": "*", "@": "*",
    "/": "/", "÷": "/", "^": "^", "**": "^", "_": "_", "\\cdot": "*", "\\times": "*", "\\div": "/", "\\ast": "*",
    "\\pm": "+-", "\\over": "/", "√": "sqrt", "∑": "sum", "Σ": "sum",
}  # fmt: skip
_SPACES: Final = frozenset((
    "\\,", "\\;", "\\:", "\\!", "\\>", "\\quad", "\\qquad", "\\left", "\\right", "\\big", "\\Big", "\\bigg", "\\Bigg",
    "\\bigl", "\\bigr", "\\Bigl", "\\Bigr", "\\displaystyle", "\\textstyle", "\\limits", "\\hline", "\\toprule",
    "\\midrule", "\\bottomrule", "\\allowbreak", "\\nonumber", "\\notag", "\\thinspace", "\\enspace", "\\hspace",
    "\\phantomsection", "\\smallskip", "\\par", "\\centering",
))  # fmt: skip
_ELLIPSES: Final = ("\\ldots", "\\dots", "\\cdots", "...", "…", "⋯")
_LETTERS: Final = {"\\alpha": "alpha", "α": "alpha", "\\infty": "oo", "∞": "oo", "\\top": "T", "⊤": "T", "ᵀ": "^T",
                   "\\prime": "'", "\\e": "e", "\\sum": "sum"}  # fmt: skip
_BARS: Final = ("|", "¦", "│", "┃")

_POINT: Final = r"(?:\d+\.\d+|\d+\.(?=[\s\],;)])|\d+(?!\.\d)|\d+|\.\d+)"
_COMMA: Final = r"(?:\d+(?:,|\{,\})\d+|\d+)"
_TEN: Final = r"\s{0,3}(?:\\times|\\cdot|×|·)\s{0,3}10\s{0,3}\^\s{0,3}(?:\{\s{0,3}[-−]?\d+\s{0,3}\}|\d)"
_PERCENT: Final = r"(?:(?:\s|~|\\[,;:!\s])?\\?%)?"
_REST: Final = r"""
    (?P<break>\\\x1f?\\(?:\[[^\]\n]{0,20}\])?|\\cr(?![A-Za-z])|\\tabularnewline)
  | (?P<fence>```+|~~~+)
  | (?P<command>\\[A-Za-z]+\*?|\\[^A-Za-z0-9\s])
  | (?P<web>\\(?=[\s\d]|$))
  | (?P<infinity>[-−–]?\s?(?:inf(?:inity)?|Infinity)\b|[-−–]?∞)
  | (?P<nan>\b(?:nan|NaN)\b)
  | (?P<dots>\.\.\.|…|⋯)
  | (?P<relation>:=|==|=>|->|~=|[=≈≃≅→⟶⇒←])
  | (?P<operator>\*\*|[-+−–*·⋅×∙•@/÷^_√∑Σ])
  | (?P<index>(?<=_)\d{1,4}(?![\d.]))
  | (?P<name>[A-Za-zͰ-Ͽ𝐀-𝟿](?:[A-Za-z0-9Ͱ-Ͽ']|\.(?=[A-Za-z]))*)
  | (?P<open>[(\[{⟨⎡⎢⎣⎛⎜⎝])
  | (?P<close>[)\]}⟩⎤⎥⎦⎞⎟⎠])
  | (?P<line>\n)
  | (?P<space>[^\S\n\x1c\x1d\x02\x03]+)
  | (?P<mark>[\x1c\x1d\x02\x03])
  | (?P<other>.)
"""


def _scanner(number: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<number>(?<![A-Za-z0-9_.]){number}(?:[eE][-+−]?\d+(?![\d.])|{_TEN})?{_PERCENT})" + "|" + _REST,
        re.VERBOSE,
    )


_SCANNERS: Final = {".": _scanner(_POINT), ",": _scanner(_COMMA)}
_AFTER_COMMAND: Final = {
    mark: re.compile(rf"{number}(?:[eE][-+−]?\d+(?![\d.])|{_TEN})?{_PERCENT}")
    for mark, number in ((".", _POINT), (",", _COMMA))
}
_ARGUMENTS: Final = {"\\frac": 2, "\\dfrac": 2, "\\tfrac": 2, "\\cfrac": 2, "\\sqrt": 1}
"""Commands that take one digit each where no brace stands: ``\\frac12``, ``\\sqrt2``."""
_SIGNED_COMMA: Final = re.compile(r"(?<![\d,.])\d+(?:,|\{,\})\d{2,}(?![\d,.]*\.\d)")
_POINTED: Final = re.compile(r"\d\.\d")
_BRACED_COMMA: Final = re.compile(r"\d\{,\}\d")


_DIGIT: Final = re.compile(r"\.?[0-9]")


def decimal_mark(text: str) -> str:
    """``","`` where a page writes 0,5 for one half and no number has a point."""
    if _BRACED_COMMA.search(text):
        return ","
    return "," if not _POINTED.search(text) and _SIGNED_COMMA.search(text) else "."


def tokens(text: str) -> list[Token]:
    """All tokens of a page."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    mark = decimal_mark(text)
    scanner = _SCANNERS[mark]
    spaced, square, place, before = True, 0, 0, ""
    length = len(text)
    while place < length:
        found = scanner.match(text, place)
        assert found is not None  # noqa: S101 - the last alternative takes any character
        kind, piece = found.lastgroup or "other", found.group()
        start, place = place, found.end()
        if kind == "space":
            spaced = True
            continue
        if kind == "number" and piece[-1:] == "." and not square:
            piece, place = piece[:-1], place - 1
        token = _token(kind, piece, start, place, spaced, text)
        if token is None:
            spaced = True
            continue
        if token.kind == "open":
            square += 1
        elif token.kind == "close":
            square = max(0, square - 1)
        elif token.kind == "line" and before == "line":
            square = 0
        before = token.kind
        yield token
        spaced = token.kind == "line"
        if token.number is not None and token.number.cut:
            place += next(len(dots) for dots in _ELLIPSES if text.startswith(dots, place))
        if kind == "command" and _DIGIT.match(text, place):
            for digits in _digits(piece, text, place, mark):
                yield _number(digits, place, place + len(digits), spaced, text)
                place += len(digits)


def _digits(command: str, text: str, place: int, mark: str) -> list[str]:
    """The numbers right behind a command: single digits where they are its arguments, else one number."""
    if command in _ARGUMENTS:
        return [digit for digit in text[place : place + _ARGUMENTS[command]] if digit in "0123456789"]
    found = _AFTER_COMMAND[mark].match(text, place)
    return [found.group()] if found is not None else []


def _number(piece: str, start: int, end: int, spaced: bool, text: str) -> Token:
    cut = text[end : end + 8].startswith(_ELLIPSES)
    return Token("number", piece, start, end, spaced, printed(piece, start, cut=cut))


_PLAIN: Final = {"⟨": "(", "⟩": ")", "⎡": "[", "⎛": "[", "⎦": "]", "⎠": "]"}
_GOES_ON: Final = "⎢⎣⎜⎝"
_ENDS_ROW: Final = "⎤⎥⎞⎟"
"""Of brackets that are drawn over several lines: what begins a further row, and what ends one that is not the last."""


def _token(kind: str, piece: str, start: int, end: int, spaced: bool, text: str) -> Token | None:
    match kind:
        case "number":
            return _number(piece, start, end, spaced, text)
        case "infinity":
            special: Literal["-oo", "oo"] = "-oo" if piece[0] in "-−–" else "oo"
            return Token("number", special, start, end, spaced, _special(piece, start, special))
        case "nan":
            return Token("number", piece, start, end, spaced, _special(piece, start, "nan"))
        case "break":
            return Token("row", "\\\\", start, end, spaced)
        case "web":
            return Token("row", "\\", start, end, spaced)
        case "command":
            return _command(piece, start, end, spaced)
        case "relation":
            return Token("relation", _RELATIONS[piece], start, end, spaced)
        case "operator":
            return Token("operator", _OPERATORS[piece], start, end, spaced)
        case "name" | "index":
            return Token("name", _LETTERS.get(piece, piece), start, end, spaced)
        case "open" | "close":
            if piece in _GOES_ON:
                return None
            if piece in _ENDS_ROW:
                return Token("separator", ";", start, end, spaced)
            return Token("open" if kind == "open" else "close", _PLAIN.get(piece, piece), start, end, spaced)
        case "line":
            return Token("line", "\n", start, end, spaced)
        case "mark":
            return Token({CELL: "cell", ROW: "row"}.get(piece, "other"), piece, start, end, spaced)  # type: ignore[arg-type]
        case "dots":
            return Token("other", "...", start, end, spaced)
    if piece == "&":
        return Token("cell", "&", start, end, spaced)
    if piece in ",;":
        return Token("separator", piece, start, end, spaced)
    if piece in _BARS:
        return Token("other", "|", start, end, spaced)
    if piece == "$":
        return None
    return Token("other", _LETTERS.get(piece, piece), start, end, spaced)


def _special(piece: str, start: int, special: Literal["-oo", "oo", "nan"]) -> Printed:
    from fractions import Fraction

    return Printed(piece, start, start + len(piece), Fraction(0), 0, special=special)


def _command(piece: str, start: int, end: int, spaced: bool) -> Token | None:
    if piece in _SPACES or piece == "\\$":
        return None
    if piece in _RELATIONS:
        return Token("relation", _RELATIONS[piece], start, end, spaced)
    if piece == "\\infty":
        return Token("number", "oo", start, end, spaced, _special(piece, start, "oo"))
    if piece in _OPERATORS:
        return Token("operator", _OPERATORS[piece], start, end, spaced)
    if piece in ("\\{", "\\langle"):
        return Token("open", "(", start, end, spaced)
    if piece in ("\\}", "\\rangle"):
        return Token("close", ")", start, end, spaced)
    if piece in ("\\[", "\\("):
        return None
    if piece in ("\\]", "\\)"):
        return None
    if piece in ("\\&",):
        return Token("other", "&", start, end, spaced)
    if piece in _ELLIPSES:
        return Token("other", "...", start, end, spaced)
    if piece == "\\_":
        return Token("operator", "_", start, end, spaced)
    if piece in _LETTERS:
        return Token("name", _LETTERS[piece], start, end, spaced)
    return Token("command", piece.rstrip("*"), start, end, spaced)
