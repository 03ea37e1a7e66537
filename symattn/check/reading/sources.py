"""A file's text to the text that is read: the same length, with what is no content of the page made white.

Places in it are places in the file. What a source spells with several characters (an entity of HTML, an escape of
JSON) becomes one character and fillers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal

from symattn.check.reading.html import readable as html
from symattn.check.reading.notebook import readable as notebook
from symattn.check.reading.programs import readable as program
from symattn.check.reading.programs import without_asides
from symattn.check.reading.white import blank, blanked

Kind = Literal["markdown", "latex", "html", "notebook", "source", "text"]

_ENDINGS: Final[dict[str, Kind]] = {
    ".md": "markdown", ".markdown": "markdown", ".qmd": "markdown", ".rmd": "markdown", ".myst": "markdown",
    ".tex": "latex", ".ltx": "latex", ".html": "html", ".htm": "html", ".xhtml": "html", ".ipynb": "notebook",
    ".py": "source", ".js": "source", ".ts": "source", ".c": "source", ".cc": "source", ".cpp": "source",
    ".h": "source", ".cu": "source", ".rs": "source", ".go": "source", ".java": "source", ".jl": "source",
    ".rb": "source", ".swift": "source", ".kt": "source", ".cs": "source", ".cuh": "source", ".hpp": "source",
    ".cxx": "source", ".m": "source", ".r": "source", ".mjs": "source", ".scala": "source", ".lua": "source",
    ".zig": "source", ".pyi": "source", ".metal": "source", ".cl": "source",
}  # fmt: skip


def kind_of(name: str, text: str) -> Kind:
    """What kind of source a file is, by the end of its name, else by how it begins."""
    found = _ENDINGS.get(name[name.rfind(".") :].lower() if "." in name else "")
    if found is not None:
        return found
    start = text[:2000].lstrip()
    if start[:200].lower().startswith(("<!doctype html", "<html")):
        return "html"
    if start.startswith("\\documentclass"):
        return "latex"
    return "text"


def readable(text: str, kind: Kind) -> str:
    """The text to read, of the same length."""
    found = _READERS[kind](text)
    assert len(found) == len(text)  # noqa: S101 - places count in both
    return found


_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG: Final = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>\n]{0,300})?/?>")
_LINK: Final = re.compile(r"(?<=\])\([^()\s]{1,500}\)|https?://[^\s)>\]]{1,500}")
_STRONG: Final = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]{1,300})(?<=[^\s*])\1(?![\w*])")
_FENCE: Final = re.compile(r"^[ \t]{0,3}(?:```+|~~~+)[^\n]*", re.MULTILINE)
_TICKS: Final = re.compile(r"`+")
_HTML_ROW: Final = re.compile(r"<table\b", re.IGNORECASE)


_ALT: Final = re.compile(r"!\[(?:[^\[\]\n\\]|\\.){1,5000}\]\(")
_ESCAPED: Final = re.compile(r"\\([\[\]])")


def _alt(found: re.Match[str]) -> str:
    """The words of a picture, whose brackets are escaped."""
    return _ESCAPED.sub(r" \1", found.group())


def _markdown(text: str) -> str:
    text = _ALT.sub(_alt, blanked(without_asides(text), _COMMENT))
    if _HTML_ROW.search(text):
        return html(text)
    text = blanked(text, _TAG, _LINK, _FENCE, _TICKS)
    return _STRONG.sub(lambda found: " " * len(found[1]) + found[2] + " " * len(found[1]), text)


_TEX_COMMENT: Final = re.compile(r"(?<!\\)(?:\\\\)*%[^\n]*")
_TEX_REFERENCE: Final = re.compile(
    r"\\(?:label|ref|eqref|cite[a-z]*|includegraphics|url|href|hypersetup|usepackage|documentclass|vspace|hspace|input"
    r"|setlength|pagestyle|geometry|phantomsection\\label|bibliography|providecommand|newcommand|renewcommand|setcounter)"
    r"\*?\s{0,3}(?:\[[^\]\n]{0,200}\])?(?:\{[^{}\n]{0,300}\})?(?:\{[^{}\n]{0,300}\})?"
)
_KERN: Final = re.compile(
    r"\\kern\s?-?[\d.]+(?:pt|em|ex|mu)(?:\{\})?|\\rule(?:\[[^\]\n]{0,40}\])?\{[^{}\n]{0,40}\}\{[^{}\n]{0,40}\}"
    r"|(?<=\\\\)\[\s?-?[\d.]+\s?(?:pt|em|ex|mm|cm|in|mu)\]|\bFEFF(?:[0-9A-F]{4})+"
)
"""Lengths, and texts for readers of the screen, in code units of UTF-16."""
_PREAMBLE: Final = re.compile(r"\\documentclass.{0,20000}?(?=\\begin\s*\{document\})", re.DOTALL)


PICTURE: Final = re.compile(r"\\begin\s*\{tikzpicture\}.*?(?:\\end\s*\{tikzpicture\}|\Z)", re.DOTALL)
_LAYOUT: Final = re.compile(r"(?:\\[A-Za-z]+\*?|[{\s])++\Z")
_MOST_LAYOUT: Final = 200
_SHOWN: Final = re.compile(r"\$[^$\n]{1,300}\$")


def caption_before(text: str, at: int, start: int = 0) -> str:
    """The words before a place, without the commands of LaTeX that lay out what begins there."""
    return _LAYOUT.sub("", text[max(start, at - _MOST_LAYOUT) : at])


def _drawing(found: re.Match[str]) -> str:
    """A picture's formulas: what only says where and how something is drawn is no content."""
    picture, parts, at = found.group(), [], 0
    for shown in _SHOWN.finditer(picture):
        parts += [blank(picture[at : shown.start()]), shown.group()]
        at = shown.end()
    return "".join((*parts, blank(picture[at:])))


def _latex(text: str) -> str:
    def comment(found: re.Match[str]) -> str:
        kept = found.group().index("%")
        return found.group()[:kept] + " " * (len(found.group()) - kept)

    return blanked(PICTURE.sub(_drawing, _TEX_COMMENT.sub(comment, text)), _PREAMBLE, _TEX_REFERENCE, _KERN)


def _text(text: str) -> str:
    return without_asides(text)


_READERS: Final[dict[Kind, Callable[[str], str]]] = {
    "markdown": _markdown,
    "latex": _latex,
    "html": html,
    "notebook": lambda text: program(notebook(text)),
    "source": program,
    "text": _text,
}
