"""Token names and titles come back as they were written, whatever signs of Markdown, HTML or TeX they hold."""

from __future__ import annotations

import json
import re
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import pytest

from symattn.derive.sections import worked
from symattn.parse.problem import problem
from tests.pages import formulas
from tests.pages.tex import article, compile_tex
from tests.pages.tools import needs, program
from tests.render.reading import WIDEST, apart, sound
from tests.render.sample import Case
from tests.render.tables import SPAN, grids, headings

LATIN = (
    "metal_50%&#1", "$5", "$x$", "a<b", "a>b", "a|b", "|", "||", "*x*", "**", "_x_", "__init__", "`c`", "``",
    "$`x`$", "[l](u)", "![i](u)", "[^1]", "[x]: u", "<b>x</b>", "<br>", "<!-- x", "-->", "</details>", "~~s~~",
    "H~2~O", "x^2^", "&amp;", "&#36;", "&lt;", "\\", "\\\\", "\\alpha", "\\|", "\\n", "\\$", "^^M", "~", "{x}",
    "{#1}", "{{x}}", "{% x %}", "<%= 7 %>", "<%# x %>", "%}", "it's", '"q"', "``q''", "a--b", "---", "...", "1.",
    "1)", "# h", "#12", "+ a", "- a", "* a", "> q", ":---", "=", "===", "@user", "a@b.cc", "http://a.bc",
    "www.a.bc", ":smile:", "x:y", "!", "!!", "?`", "!`", "<<", ">>", "fi", "ff", "CamelCase", "naïve", "Straße",
    "Łódź", "œuvre", "½", "a\u00a0b", "[1]", "(1)", "0.5", "-0.5", "-1", "</script>", "$$", "~~~", "\\begin{x}",
    "\\(x\\)", "\\[x\\]", "\\end{document}", "\\input{x}", "=1+1", "--x", "% comment", "a % b", "#", "&",
    "\\verb|x|",
)  # fmt: skip
OTHER = ("שלום", "العربية", "你好", "😀", "👩‍💻", "привет", "Ωμέγα", "한국어", "ไทย", "e\u0301", "→", "∞", "𝒳")
NAMES = (*LATIN, *OTHER)
assert len(set(NAMES)) == len(NAMES)
COUNT = 5
"""Names to a page; each also stands as its title."""


def case(names: tuple[str, ...], title: str, **page: Any) -> Case:
    """A problem of as many tokens, whose rows all differ."""
    rows = [[row % 3, 1, row] for row in range(len(names))]
    asked = {
        "title": title,
        "tokens": list(names),
        "X": rows,
        "W_Q": "identity",
        "W_K": [[0, 1], [1, 0], ["1/2", 0]],
        "W_V": [[2, 0], [0, 2], [1, 1]],
        "also": [{"causal": True}],
        "page": page,
    } | {"W_Q": [[1, 0], [0, 1], [0, "1/2"]]}
    return Case("names", asked, worked(problem(asked)))


@lru_cache(maxsize=1)
def hostile() -> tuple[Case, ...]:
    """Pages that share out the names."""
    chunks = [NAMES[at : at + COUNT] for at in range(0, len(NAMES), COUNT)]
    return tuple(case(names, names[0]) for names in chunks)


ALL = hostile()
TITLED = [(name, case(("one", "two"), name)) for name in NAMES]
DETAILS = ("brief", "full", "worksheet", "key", "chapter")
FLAVOURS = ("plain", "github")


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("detail", DETAILS)
def test_names_come_back_from_the_tables(detail, flavour):
    for one in ALL:
        tokens = one.worked.problem.tokens
        found = grids(one.page(detail=detail, flavour=flavour), dollars=flavour == "plain")
        assert {cell for grid in found for cell in grid.header} >= set(tokens)
        labels = {label for grid in found for label in grid.labels}
        assert labels >= set(tokens)


def test_names_take_no_more_room_than_they_have():
    """Where names are escaped at length the tables are cut no sooner: a width is that of what a reader sees."""
    for flavour in FLAVOURS:
        page = case(("$5", "$x$", "a_b", "#1", "50%"), "Prices").page(detail="key", flavour=flavour)
        assert max(len(grid.header) for grid in grids(page, dollars=False)) == 6


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_titles_come_back(flavour):
    for name, one in TITLED:
        assert headings(one.page(flavour=flavour), dollars=flavour == "plain") == [name]


OURS = ("<details>", "</details>", "<summary>", "</summary>", "<!--", *SPAN)


def told_by_pandoc(text: str, source: str) -> tuple[set[str], set[str]]:
    """The titles, and the cells of tables and the emphases, by pandoc."""
    command = [program("pandoc"), "-f", source, "-t", "json", "--wrap=preserve"]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", timeout=60, check=True)
    titles, others = set(), set()
    for node in nodes(json.loads(done.stdout)["blocks"]):
        match node:
            case {"t": "Header", "c": [1, _, inlines]}:
                titles.add(words(inlines))
            case {"t": "Plain" | "Emph" | "Strong", "c": inlines}:
                others.add(words(inlines))
            case {"t": "Note" | "RawInline" | "RawBlock", "c": [_, raw]} if not raw.startswith(OURS):
                raise AssertionError(raw)
    return titles, others


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        yield from nodes(list(tree.values()))
    elif isinstance(tree, list):
        for branch in tree:
            yield from nodes(branch)


def words(inlines: Any) -> str:
    """The text of some inlines; nothing but text may be in them."""
    found = ""
    for node in nodes(inlines):
        match node:
            case {"t": "Str", "c": text}:
                found += text
            case {"t": "Space"}:
                found += " "
            case {"t": "Strong" | "Emph" | "Link"}:  # an address becomes a link to itself
                pass
            case {"t": "RawInline", "c": [_, raw]} if raw in SPAN:
                pass
            case {"t": kind}:
                found += f"<{kind}>"
    return found


def told_by_github(text: str) -> tuple[set[str], set[str]]:
    """The same by GitHub's parser."""
    options = [
        part
        for extension in ("table", "strikethrough", "autolink", "tasklist", "footnotes")
        for part in ("-e", extension)
    ]
    command = [program("cmark-gfm"), "--unsafe", *options, "-t", "xml"]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", timeout=60, check=True)
    titles, others = set(), set()
    for node in ElementTree.fromstring(done.stdout).iter():  # noqa: S314 - the parser's own output
        kind = node.tag.rpartition("}")[2]
        if kind == "heading" and node.get("level") == "1":
            titles.add(flat(node))
        elif kind in {"table_cell", "emph", "strong"}:
            others.add(flat(node))
    return titles, others


def flat(node: ElementTree.Element) -> str:
    found = ""
    for inner in node.iter():
        kind = inner.tag.rpartition("}")[2]
        if kind == "text":
            found += inner.text or ""
        elif inner is not node and kind not in {"strong", "emph", "link"} and inner.text not in SPAN:
            found += f"<{kind}>"
    return found


READERS = [
    pytest.param(told_by_github, {"flavour": "github"}, marks=needs("cmark-gfm"), id="cmark-gfm"),
    pytest.param(
        lambda text: told_by_pandoc(text, "gfm"), {"flavour": "github"}, marks=needs("pandoc"), id="pandoc-gfm"
    ),
    pytest.param(lambda text: told_by_pandoc(text, "markdown-smart"), {}, marks=needs("pandoc"), id="pandoc"),
]


@pytest.mark.parametrize(("told", "wish"), READERS)
def test_names_and_titles_come_back_from_other_parsers(told, wish):
    titles, others = told("\n\n".join(one.page(**wish) for one in ALL))
    assert composed(NAMES) - composed(others) == set()
    titles, _ = told("\n\n".join(one.page(detail="key", **wish) for _, one in TITLED))
    assert composed(titles) == composed(NAMES)


def composed(texts: Iterable[str]) -> set[str]:
    """The texts with their accents put on: pandoc does that to what it reads."""
    return {unicodedata.normalize("NFC", text) for text in texts}


@needs("pandoc", "cmark-gfm")
def test_names_leave_the_formulas_alone():
    assert formulas.survived("\n\n".join(one.page() for one in ALL))
    sound(apart([one.page(detail="full") for one in ALL]))
    names = [name for name in NAMES if "$" not in name]
    github = "\n\n".join(
        case(tuple(names[at : at + COUNT]), names[at]).page(flavour="github") for at in range(0, len(names), COUNT)
    )
    assert formulas.survived(github, "github")
    assert formulas.emphasised(github) == []


@needs("cmark-gfm")
def test_no_two_dollars_of_names_make_a_formula_on_github():
    """GitHub looks for dollars in the text that Markdown has made, where a backslash before one is gone."""
    page = case(("$5", "$x$", "\\$", "$$", "a$"), "From $1 to $2").page(flavour="github")
    command = [program("cmark-gfm"), "--unsafe", "-e", "table", "-t", "html"]
    html = subprocess.run(command, input=page, capture_output=True, encoding="utf-8", timeout=60, check=True).stdout
    assert "<code>" in html
    runs = re.split(r"<(?:code|pre)[^>]*>.*?</(?:code|pre)>|</?(?:p|li|t[hdr]|h\d|span)\b[^>]*>", html, flags=re.DOTALL)
    texts = [re.sub(r"<[^>]*>", "", run) for run in runs]
    assert [text for text in texts if re.search(r"(?<![\w$])\$(?!\s)[^$]+(?<!\s)\$(?!\w)|\$\$[^$]+\$\$", text)] == []


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_pages_with_hostile_names_compile(engine):
    """All names in one document, each page a fragment; the Latin ones come back from the PDF."""
    fragments = [one.page(format="tex", fragment=True, slug=f"page-{number}") for number, one in enumerate(ALL)]
    named = re.search(r"needs of its document: ([\w, ]+)\.", fragments[0])
    assert named
    done = compile_tex(
        article("\n\\clearpage\n".join(fragments), rf"\usepackage{{{named[1]}}}\usepackage[margin=2.5cm]{{geometry}}"),
        engine,
    )
    assert done.ok, done.errors
    assert [box for box, points in zip(done.boxes, done.overfull, strict=True) if points > WIDEST] == []
    assert done.references == ()
    assert done.missing == ()
    text = squeezed(done.text)
    assert [name for name in LATIN if squeezed(name) not in text] == []


def squeezed(text: str) -> str:
    """Without white space, which a PDF does not hold; ligatures taken apart."""
    return re.sub(r"\s+", "", text).replace("\ufb01", "fi").replace("\ufb00", "ff").replace("\u2212", "-")


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_a_whole_document_with_hostile_names_compiles(engine):
    one = case(("metal_50%&#1", "$5", "a<b", "|", "שלום", "😀"), "50 % & #1_x^2 ~ \\ {y} <z> | 😀 שלום")
    done = compile_tex(one.page(format="tex"), engine)
    assert done.ok, done.errors
    assert max(done.overfull, default=0) <= WIDEST
    assert (done.references, done.missing) == ((), ())
    assert {name for name in ("metal_50%&#1", "$5", "a<b") if name not in done.text} == set()


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_twelve_columns_and_a_decimal_comma_fit(engine):
    names = tuple(f"token{number}" for number in range(12))
    one = case(names, "Twelve tokens", decimals=5, decimal_mark=",")
    done = compile_tex(one.page(format="tex"), engine)
    assert done.ok, done.errors
    assert [box for box, points in zip(done.boxes, done.overfull, strict=True) if points > WIDEST] == []
    texts = {text for head in next(one.sections())["heads"] for row in head["weights"] for text in row}
    seen = set(re.findall(r"\d+,\d+", done.text))
    assert {text.replace(".", ",") for text in texts if "." in text} - seen == set()
    assert re.findall(r"\d\.\d", done.text) == []


def test_a_decimal_comma_is_on_every_line():
    one = case(("one", "two", "three"), "Commas", decimal_mark=",")
    for detail in DETAILS:
        page = re.sub(r"<!--.*?-->", "", one.page(detail=detail), flags=re.DOTALL)
        assert re.findall(r"\d\.\d", page) == []
    assert "{,}" in one.page()
    sound(apart([one.page(detail="full")]))
