"""Titles, names and words against every format come back as the same text, and bring no element with them."""

from __future__ import annotations

import csv
import html
import json
import re
import subprocess
from html.parser import HTMLParser

from markdown_it import MarkdownIt

from tests.exercises import cloze
from tests.formats.hostile import INTRO, TITLE, TOKENS, missing, recipe
from tests.formats.readers import canvas, qti21
from tests.formats.table import content
from tests.pages.tools import needs

KNOWN = {"p", "table", "tbody", "tr", "td", "th", "strong", "em", "span", "h2"}


class Shown(HTMLParser):
    """What a browser shows of a page but for mathematics, and the elements in it."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", set()
        self.feed(re.sub(r"\\\(.*?\\\)|\\\[.*?\\\]", "", page))
        self.close()

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - as the parser calls it
        self.tags.add(tag)

    def handle_data(self, data):
        self.text += data


def shown_alone(pages: list[str], *titles: str) -> None:
    found = [Shown(page) for page in pages]
    assert set().union(*(one.tags for one in found)) <= KNOWN
    assert missing(" ".join([*(one.text for one in found), *titles])) == []


def test_moodle():
    questions = cloze.questions(content("moodle", recipe(), 2).decode())
    assert len(questions) == 2
    for question in questions:
        assert len(question.blanks) == 4 * 4 + 4 * 4
        shown_alone([cloze.BLANK.sub("", question.text), question.feedback], question.name)


def test_qti21():
    items = qti21.items(content("qti21", recipe(), 2))
    assert len(items) == 2
    for item in items:
        assert {it.tag.removeprefix(qti21.N) for it in item.find(f"{qti21.N}itemBody").iter()} <= {
            *KNOWN, "itemBody", "textEntryInteraction"
        }  # fmt: skip
        text = "".join(item.find(f"{qti21.N}itemBody").itertext())
        assert missing(f"{text} {item.get('title')}") == []


def test_canvas():
    items = list(canvas.assessment(content("qti12", recipe(), 1)).iter(f"{canvas.N}item"))
    assert items
    for item in items:
        pages = [it.text for it in item.iter(f"{canvas.N}mattext")]
        shown_alone(pages, item.get("title"))


def test_notebooks():
    for file in (0, 1):
        found = json.loads(content("ipynb", recipe(), 1, file=file))
        pages = ["".join(cell["source"]) for cell in found["cells"] if cell["cell_type"] == "markdown"]
        made = MarkdownIt("commonmark").enable("table")
        parts = [re.sub(r"(?<!\\)\$.*?(?<!\\)\$", "", page) for page in pages]
        shown = [Shown(made.render(part)) for part in parts]
        assert set().union(*(one.tags for one in shown)) <= {*KNOWN, "h1", "thead"}
        assert missing(" ".join(one.text for one in shown)) == []
        code = "".join("".join(cell["source"]) for cell in found["cells"] if cell["id"].endswith("-answer"))
        assert all(f"# {name}\n" in code for name in TOKENS)


NOT_IN = (set(), {TITLE, INTRO})
"""What need not stand on the sheet, and in the key."""
FORMULAS = re.compile(r"\$\$.*?\$\$|(?<!\\)\$.*?(?<!\\)\$", re.DOTALL)


def test_sheets_and_keys_in_markdown():
    for file in (0, 1):
        page = FORMULAS.sub("", content("md", recipe(), 1, file=file).decode())
        shown = MarkdownIt("commonmark").enable("table").render(page)
        assert Shown(shown).tags <= {*KNOWN, "h1", "h3", "hr", "thead", "ul", "li"}
        assert set(missing(html.unescape(re.sub("<[^>]*>", "", shown)))) <= NOT_IN[file]


@needs("pdflatex", "pdftotext")
def test_sheets_and_keys_in_pdf():
    """What the font has no sign for is said by its number."""
    for file in (0, 1):
        made = content("pdf", recipe(), 1, file=file)
        shown = subprocess.run(["pdftotext", "-raw", "-", "-"], input=made, capture_output=True, check=True).stdout
        text = shown.decode().translate({ord("\N{RIGHT SINGLE QUOTATION MARK}"): "'"})
        for sign in "\U0001f600\u05d0\u05d1":
            text = text.replace(f"U+{ord(sign):04X}", sign)
        assert set(missing(re.sub("\u05d0\\s+\u05d1", "\u05d0\u05d1", text))) <= NOT_IN[file]


def test_keys_for_programs():
    data = json.loads(content("json", recipe(), 1))
    assert set(data["variants"][0]["problem"]["tokens"]) == set(TOKENS)
    assert data["recipe"]["title"] == TITLE
    rows = csv.reader(content("csv", recipe(), 1).decode().splitlines())
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]


def test_hostile_texts_are_hostile():
    """The texts would do harm if they were put into a page as they are."""
    assert set(Shown(html.unescape(TOKENS[0])).tags) == {"b"}
    assert cloze.BLANK.search("x{1:SA:=x}") is not None
