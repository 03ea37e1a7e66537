"""HTML to readable text of the same length: tags are white, entities one character, tables and MathML have marks."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Final

from symattn.check.reading.tokens import CELL, END, FILLER, ROW, TABLE

_SKIPPED: Final = ("style", "head", "annotation", "annotation-xml", "svg", "noscript", "template")
_VOID: Final = frozenset(("br", "img", "hr", "input", "meta", "link", "wbr", "col", "area", "base", "embed", "source"))
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_OPEN: Final = re.compile(r"<(?![!?])(?![^<>]{0,2000}>)")
"""A tag that does not end: the parser would look for its end in all the rest of the page, again for each of them."""
_BLOCKS: Final = frozenset(
    ("p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "br", "section", "pre", "ul", "ol", "dt", "dd")
)
_INNER: Final = {"msup": "^", "msub": "_", "mfrac": "", "msubsup": "_", "munder": "_", "mover": "^"}


def readable(text: str) -> str:
    """The text of a page, with every character of it at its own place."""
    reader = _Reader(text)
    reader.feed(_OPEN.sub(" ", text))
    reader.close()
    return "".join(reader.out)


class _Reader(HTMLParser):
    """Writes into a row of spaces what the page shows, each piece at the place where it stands."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.text = text
        self.out = ["\n" if character == "\n" else " " for character in text]
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._skipped = 0
        self._script = ""
        self._open: list[str] = []
        self._math: list[list[str | int]] = []
        self._tables = 0

    def _here(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def _put(self, start: int, text: str) -> None:
        for offset, character in enumerate(text):
            if start + offset < len(self.out):
                self.out[start + offset] = character

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag opens: marks of tables and mathematics; what no reader sees is skipped."""
        start = self._here()
        if tag in _VOID:
            if tag == "br" and not self._skipped:
                self._put(start, "\n")
            return
        given = dict(attrs)
        if (
            self._skipped
            or tag in _SKIPPED
            or (given.get("aria-hidden") == "true" and tag != "svg" and "mjx" not in tag)
        ):
            self._skipped += 1
            self._open.append(tag)
            return
        self._open.append(tag)
        if tag == "script":
            self._script = given.get("type") or "text/javascript"
            return
        self._mark(tag, start)

    def _mark(self, tag: str, start: int) -> None:
        if self._math or tag == "math":
            self._open_math(tag, start)
        elif tag == "table":
            self._tables += 1
            self._put(start, TABLE)
        elif tag in ("sub", "sup") and not self.text.startswith("<a", start + len(tag) + 2):
            self._put(start, "_{" if tag == "sub" else "^{")
        elif tag in ("td", "th") or tag == "tr":
            return
        elif tag in _BLOCKS:
            self._put(start, f"\n{'#' * int(tag[1])} "[: len(tag) + 2] if re.fullmatch("h[1-6]", tag) else "\n")

    def _open_math(self, tag: str, start: int) -> None:
        parent = self._math[-1] if self._math else ["", 0]
        before = ""
        if parent[0] in _INNER and isinstance(parent[1], int):
            before = str(_INNER[str(parent[0])]) if parent[1] == 1 else "^" if parent[1] == 2 else ""
            parent[1] += 1
        root = "{\\sqrt{" if parent[0] == "mfrac" else "\\sqrt{"
        opening = {"msqrt": root, "mfrac": "\\frac", "mtable": "", "mtd": "", "mtr": "", "math": " "}.get(tag)
        if tag == "mtable":
            opening = "[["
        elif tag == "mtr":
            opening = "["
        elif opening is None:
            opening = "{" if before or (parent[0] in _INNER) else " "
        length = len(f"<{tag}>")
        self._put(start, f"{before}{opening}"[:length] if tag != "mtable" else "[")
        self._math.append([tag, 0])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """A tag without contents shows nothing, but a break ends its line."""
        if tag == "br" and not self._skipped:
            self._put(self._here(), "\n")

    def handle_endtag(self, tag: str) -> None:
        """A tag closes: the ends of cells, rows, tables and groups of mathematics."""
        if tag not in self._open[-40:]:
            return
        start = self._here()
        while self._open:
            closed = self._open.pop()
            if self._skipped:
                self._skipped -= 1
            elif closed == "script":
                self._script = ""
            else:
                self._close(closed, start)
            if closed == tag:
                break

    def _close(self, tag: str, start: int) -> None:
        if self._math:
            name, _ = self._math.pop()
            parent = self._math[-1][0] if self._math else ""
            ends = {"mtable": "]", "mtr": "],", "mtd": ",", "msqrt": "}}" if parent == "mfrac" else "}"}
            closing = ends.get(tag, "}" if parent in _INNER and name != "mfrac" else " ")
            self._put(start, closing)
        elif tag in ("sub", "sup"):
            self._put(start, "}" if self._is_group(start) else " ")
        elif tag in ("td", "th") and self._tables:
            self._put(start, CELL)
        elif tag == "tr" and self._tables:
            self._put(start, ROW)
        elif tag == "table" and self._tables:
            self._tables -= 1
            self._put(start, END)
        elif tag in _BLOCKS:
            self._put(start, "\n")

    def _is_group(self, start: int) -> bool:
        """Whether the group that ends here was opened."""
        opened = "".join(self.out[max(0, start - 80) : start])
        return opened.rfind("{") > opened.rfind("}")

    def handle_data(self, data: str) -> None:
        """Text as it stands; of scripts only those that hold TeX."""
        if not self._skipped and (not self._script or self._script.startswith("math/tex")):
            self._put(self._here(), data)

    def handle_entityref(self, name: str) -> None:  # noqa: ARG002
        """``&minus;`` as its character."""
        self._entity()

    def handle_charref(self, name: str) -> None:  # noqa: ARG002
        """``&#8722;`` as its character."""
        self._entity()

    def _entity(self) -> None:
        start = self._here()
        found = _ENTITY.match(self.text, start)
        if found is None or self._skipped:
            return
        shown = unescape(found.group())
        if len(shown) == 1:
            shown = " " if shown == "\xa0" else shown
            self._put(start, shown + FILLER * (len(found.group()) - 1))
