"""The formulas of a Markdown page, as real parsers of each flavour see them.

On a plain page mathematics stands between dollars; on GitHub inline mathematics is a code span directly between
dollars and display mathematics a fence whose language is ``math``. Every parser here knows both ways of writing, so
that a page of either flavour can be put to all of them; what it does to the text in between is its own.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tests.pages.tools import program

Flavour = Literal["plain", "github"]

OPENED, CLOSED = "\ue000", "\ue001"  # emphasis, in flattened text
CODE, CODE_END = "\ue002", "\ue003"
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ESCAPED_DOLLAR = re.compile(r"(?<!\\)(?:\\\\)*\\\$|&#36;|&#x24;|&dollar;")
SPAN = re.compile(f"{CODE}([^{CODE_END}]*){CODE_END}")
DOLLARS = re.compile(
    rf"""(?<![\w\\$])(?:
        \${CODE}(?P<code>[^{CODE_END}]*){CODE_END}\$
      | \$\$(?P<display>[^$]+)\$\$
      | \$(?!\s)(?P<inline>(?:\\\$|[^$])+?)(?<![\s\\])\$
    )(?!\w)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as a parser hands it on: its TeX, and whether it stands on lines of its own."""

    tex: str
    display: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """What a parser made of a page: the formulas, the code, the dollars left in the text, what emphasis cut."""

    formulas: tuple[Formula, ...]
    code: tuple[str, ...]
    dollars: int
    emphasised: tuple[str, ...] = ()


class LostError(AssertionError):
    """A formula did not reach the reader as it was written."""


def plain(text: str) -> list[Formula]:
    """By CommonMark with tables and dollars."""
    return list(_by_commonmark(text).formulas)


def github(text: str) -> list[Formula]:
    """By GitHub's own parser; in a formula between bare dollars, what Markdown has left of it."""
    return list(_by_github(text).formulas)


def pandoc(text: str) -> list[Formula]:
    """By pandoc's Markdown."""
    return list(_by_pandoc(text).formulas)


def latex(text: str) -> list[Formula]:
    """The formulas of a LaTeX document, by pandoc; its macros are expanded, and an ``align*`` is an ``aligned``."""
    return list(_by_pandoc(text, "latex").formulas)


def emphasised(text: str) -> list[str]:
    """The formulas that a parser without mathematics breaks by emphasis (underscores or stars taken for markup)."""
    return list(_by_github(text).emphasised)


def survived(text: str, flavour: Flavour = "plain") -> list[Formula]:
    """The formulas of the page, the same to every parser that a page of this flavour has to pass.

    A plain page has to pass CommonMark with dollars and pandoc; a GitHub page GitHub's parser as well, where
    a row break between bare dollars would lose a backslash.

    Raises:
        LostError: The parsers differ in the number or the content of the formulas (white space aside), or a dollar that
            the source doesn't escape is left in the text.
    """
    by = {"plain": _by_commonmark(text), "pandoc": _by_pandoc(text)}
    if flavour == "github":
        by["github"] = _by_github(text)
    first = by["plain"].formulas
    for name, seen in by.items():
        if len(seen.formulas) != len(first):
            counts = f"plain sees {len(first)} formulas and {name} {len(seen.formulas)}"
            raise LostError(f"{counts}: {_parting(first, seen.formulas)}")
        for mine, other in zip(first, seen.formulas, strict=True):
            if _signs(mine) != _signs(other):
                raise LostError(f"plain sees {mine} and {name} {other}")
        verbatim = [formula.tex for formula in seen.formulas] + list(seen.code)
        meant = _escapes(COMMENT.sub("", text)) - sum(map(_escapes, verbatim))
        if seen.dollars != meant:
            raise LostError(f"{name} leaves {seen.dollars} dollars in the text where {meant} are meant")
        if seen.emphasised and flavour == "github":
            raise LostError(f"{name} has emphasis in {seen.emphasised}")
    return list(first)


def _signs(formula: Formula) -> tuple[str, bool]:
    return " ".join(formula.tex.split()), formula.display


def _parting(mine: tuple[Formula, ...], other: tuple[Formula, ...]) -> str:
    """The first place where two lists of formulas part."""
    for one, two in zip(mine, other, strict=False):
        if _signs(one) != _signs(two):
            return f"{one} against {two}"
    return f"the last {abs(len(mine) - len(other))} are seen by one alone"


def _formula(tex: str, display: bool) -> Formula:
    """Dollars round a code span are GitHub's notation, whatever else the parser takes them for."""
    if not display and len(tex) > 2 and tex[0] == tex[-1] == "`":
        tex = tex[1:-1]
    return Formula(tex, display)


def _escapes(text: str) -> int:
    return len(ESCAPED_DOLLAR.findall(text))


def _dollars(text: str) -> int:
    return COMMENT.sub("", text).count("$")


def _by_commonmark(text: str) -> Seen:
    parser = MarkdownIt("commonmark").enable("table")
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, allow_labels=False, double_inline=True)
    formulas: list[Formula] = []
    code: list[str] = []
    dollars = 0
    for block in parser.parse(text):
        for token in (block, *(block.children or ())):
            if token.type.startswith("math_"):
                formulas.append(_formula(token.content, display=token.type != "math_inline"))
            elif token.type == "fence" and token.info.strip() == "math":
                formulas.append(_formula(token.content, display=True))
            elif token.type in {"code_inline", "code_block", "fence"}:
                code.append(token.content)
            elif token.type in {"text", "html_block", "html_inline"}:
                dollars += _dollars(token.content)
            elif token.type == "image":
                dollars += sum(_dollars(part.content) for part in token.children or () if part.type == "text")
    return Seen(tuple(formulas), tuple(code), dollars)


def _by_pandoc(text: str, source: str = "markdown") -> Seen:
    formulas: list[Formula] = []
    code: list[str] = []
    dollars = 0
    for kind, content in _nodes(json.loads(_run(["pandoc", "-f", source, "-t", "json"], text))["blocks"]):
        match kind, content:
            case "Math", [{"t": how}, tex]:
                formulas.append(_formula(tex, display=how == "DisplayMath"))
            case "CodeBlock", [[_, ["math"], _], tex]:
                formulas.append(_formula(tex, display=True))
            case "Str", str(words):
                dollars += _dollars(words)
            case (("Code" | "CodeBlock"), [_, str(words)]):
                code.append(words)
            case (("RawBlock" | "RawInline"), [_, str(words)]):
                dollars += _dollars(words)
    return Seen(tuple(formulas), tuple(code), dollars)


def _nodes(tree: Any) -> Iterator[tuple[str, Any]]:
    """Every node of pandoc's tree, in reading order."""
    if isinstance(tree, dict):
        if "t" in tree:
            yield tree["t"], tree.get("c")
        yield from _nodes(list(tree.values()))
    elif isinstance(tree, list):
        for branch in tree:
            yield from _nodes(branch)


def _by_github(text: str) -> Seen:
    formulas: list[Formula] = []
    code: list[str] = []
    cut: list[str] = []
    dollars = 0
    page = _run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-t", "xml"], text)
    root = ElementTree.fromstring(page)  # noqa: S314  the parser's own output
    for block in root.iter():
        content = block.text or ""
        match block.tag.rpartition("}")[2]:
            case "code_block" if block.get("info") == "math":
                formulas.append(_formula(content, display=True))
            case "code_block":
                code.append(content)
            case "html_block":
                dollars += _dollars(content)
            case "image":
                dollars += _dollars("".join(block.itertext()))
            case "paragraph" | "heading" | "table_cell":
                line = _flattened(block)
                for found in DOLLARS.finditer(line):
                    tex = found["code"] or found["display"] or found["inline"] or ""
                    if OPENED in tex or CLOSED in tex:
                        cut.append(_bare(found[0]))
                    formulas.append(Formula(_bare(tex), display=found["display"] is not None))
                rest = DOLLARS.sub("", line)
                code += SPAN.findall(rest)
                dollars += _dollars(SPAN.sub("", rest))
    return Seen(tuple(formulas), tuple(code), dollars, tuple(cut))


def _flattened(block: ElementTree.Element) -> str:
    """The text of a block in one line, with marks where emphasis and code begin and end."""
    text = ""
    for inline in block:
        match inline.tag.rpartition("}")[2]:
            case "emph" | "strong":
                text += OPENED + _flattened(inline) + CLOSED
            case "image":
                pass  # its alternative text is an attribute of a page, in which no dollar is mathematics
            case "code":
                text += CODE + (inline.text or "") + CODE_END
            case "softbreak" | "linebreak":
                text += "\n"
            case "text" | "html_inline":
                text += inline.text or ""
            case _:
                text += _flattened(inline)
    return text


def _bare(text: str) -> str:
    return re.sub(f"[{OPENED}{CLOSED}{CODE}{CODE_END}]", "", text)


def _run(command: list[str], text: str) -> str:
    name, *options = command
    return subprocess.run(
        [program(name), *options], input=text, capture_output=True, encoding="utf-8", timeout=60, check=True
    ).stdout
