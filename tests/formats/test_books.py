"""MyST, Quarto and PreTeXt, read by programs that know them: linked by label, same numbers, hostile names as text."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

from symattn.export.formats import writers
from tests.exercises.common import offers, run
from tests.exercises.recipes import KINDS, LOGARITHMS
from tests.exercises.test_marking import key
from tests.formats.hostile import missing, recipe
from tests.pages.tools import REQUIRED, needs, program

COUNT = 2
STUDENT, TEACHER = 0, 1
SOURCES = {"kinds": KINDS, "logarithms": LOGARITHMS, "hostile": recipe()}


def made(format: str, flavour: str, source: str, file: int) -> str:
    writer, of = writers(format, flavour)[file], run(source, flavour=flavour)
    items = [writer.item(offer) for offer in offers(source, COUNT, flavour=flavour)]
    return writer.head(of) + writer.between.join(items) + writer.foot(of)


def codes(source: str) -> list[str]:
    return list(key(source, COUNT)[1])


def answers(source: str) -> list[list[str]]:
    """The numbers of every key, row by row, of the questions that ask for numbers."""
    return [
        [cell.key for cell in question.answer.cells]
        for variant in key(source, COUNT)[1].values()
        for question in variant.questions
        if question.answer.ask.kind == "blanks"
    ]


def held(tables: list[list[str]], source: str) -> None:
    """The keys' numbers stand among the tables, each question's in one of them."""
    for wanted in answers(source):
        assert any(" ".join(wanted) in " ".join(cells).replace("\u2212", "-") for cells in tables), wanted


# ------------------------------------------------------------------------------------------------ MyST


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of all sources, built by Sphinx with warnings as errors: pages by name."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "conf.py").write_text(
        'extensions = ["myst_parser", "sphinx_exercise"]\nmyst_enable_extensions = ["dollarmath"]\n'
        "smartquotes = False\n"  # a book's own wish, which would change quotes in any text
    )
    for name, source in SOURCES.items():
        (folder / f"{name}.md").write_text(made("md", "myst", source, TEACHER), encoding="utf-8")
    listed = "\n".join(SOURCES)
    (folder / "index.md").write_text(f"# Book\n\n```{{toctree}}\n{listed}\n```\n")
    subprocess.run([sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", ".", "out"], cwd=folder, check=True)
    return {name: html.parse(folder / "out" / f"{name}.html").getroot() for name in SOURCES}


def bodies(page: Any) -> list[list[str]]:
    """The number cells of each table of a page of HTML."""
    rows = ([cell.text_content().strip().strip("\\()") for cell in table.iter("td")] for table in page.iter("table"))
    return [[cell for cell in cells if cell.lstrip("-")[:1].isdigit()] for cells in rows]


@pytest.mark.parametrize("name", SOURCES)
def test_sphinx_builds_exercises_with_their_solutions(book, name):
    page = book[name]
    for code in codes(SOURCES[name]):
        (exercise,) = page.xpath(f'//div[@id="exr-{code}"]')
        assert "exercise" in exercise.get("class")
        (solution,) = page.xpath(f'//div[@id="sol-{code}"]')
        assert {"solution", "dropdown"} <= set(solution.get("class").split())
        assert solution.xpath(f'.//a[@href="#exr-{code}"]')
        assert exercise.xpath(".//table")
        assert solution.xpath(".//table")
    held(bodies(page), SOURCES[name])


def test_hostile_names_are_text_in_myst(book):
    page = book["hostile"]
    for part in page.xpath("//script | //style"):
        part.drop_tree()
    (main,) = page.xpath('//div[@class="body"]')
    assert missing(main.text_content()) == []
    assert {math.text_content() for math in main.xpath('.//span[contains(@class, "math")]')}.isdisjoint({"\\(x\\)"})
    assert not main.xpath('.//a[contains(@href, "example.org") or @href="i"]')


# ---------------------------------------------------------------------------------------------- Quarto


def words_of(part: Any) -> str:
    """The text of what pandoc read, mathematics left out."""
    if isinstance(part, list):
        return "".join(map(words_of, part))
    if not isinstance(part, dict):
        return ""
    match part.get("t"):
        case "Str":
            return part["c"]
        case "Space" | "SoftBreak" | "LineBreak":
            return " "
        case "Math" | "RawInline" | "RawBlock" | "Code":
            return f" ({part['t']}) "
        case "Header":
            return words_of(part["c"][2]) + "\n"
        case "Quoted":
            return f"({part['c'][0]['t']})" + words_of(part["c"][1])
        case "Para" | "Plain":
            return words_of(part["c"]) + "\n"
    return "".join(words_of(each) for each in part.values())


def blocks(part: Any, kind: str) -> list[Any]:
    """All elements of a kind, wherever they stand."""
    if isinstance(part, list):
        return [found for each in part for found in blocks(each, kind)]
    if not isinstance(part, dict):
        return []
    mine = [part["c"]] if part.get("t") == kind else []
    return mine + [found for each in part.values() for found in blocks(each, kind)]


def pandoc(text: str) -> Any:
    done = subprocess.run(
        [program("pandoc"), "--from", "markdown", "--to", "json"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)["blocks"]


@needs("pandoc")
@pytest.mark.parametrize("name", SOURCES)
def test_quarto_finds_exercises_and_solutions(name):
    found = pandoc(made("md", "quarto", SOURCES[name], TEACHER))
    divisions = {attributes[0]: body for attributes, body in blocks(found, "Div") if attributes[0]}
    assert list(divisions) == [f"exr-{code}" for code in codes(SOURCES[name])]
    solutions = [(attributes, body) for attributes, body in blocks(found, "Div") if "callout-tip" in attributes[1]]
    for code, (attributes, body) in zip(codes(SOURCES[name]), solutions, strict=True):
        assert attributes[2] == [["collapse", "true"]]
        assert [cited["citationId"] for cite, _ in blocks(body, "Cite") for cited in cite] == [f"exr-{code}"]
        assert blocks(body, "Table")
    assert not blocks(found, "RawInline")
    assert not blocks(found, "RawBlock")
    tables = []
    for table in blocks(found, "Table"):
        cells = [words_of(cell) + "".join(math for _, math in blocks(cell, "Math")) for cell in blocks_of_cells(table)]
        tables.append([cell.replace("(Math)", "").strip() for cell in cells])
    held([[cell for cell in cells if cell.lstrip("-")[:1].isdigit()] for cells in tables], SOURCES[name])


def blocks_of_cells(table: Any) -> list[Any]:
    """The cells of the bodies of a table as pandoc has it."""
    return [cell[4] for body in table[4] for row in body[3] for cell in row[1]]


@needs("pandoc")
def test_hostile_names_are_text_in_quarto():
    assert missing(words_of(pandoc(made("md", "quarto", SOURCES["hostile"], TEACHER)))) == []


# --------------------------------------------------------------------------------------------- PreTeXt

PRETEXT = find_spec("pretext")
needs_schema = pytest.mark.skipif(
    PRETEXT is None and os.environ.get("SYMATTN_TEST_TOOLS") != REQUIRED,
    reason="pretext is not installed: make .venv/tools",
)


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The RELAX NG schema that PreTeXt's own program comes with."""
    assert PRETEXT is not None, "pretext is not installed"
    assert PRETEXT.origin is not None
    folder = tmp_path_factory.mktemp("schema")
    with zipfile.ZipFile(Path(PRETEXT.origin).parent / "resources" / "core.zip") as core:
        for member in core.namelist():
            if member.endswith(".rng"):
                (folder / Path(member).name).write_bytes(core.read(member))
    path = folder / "pretext.rng"  # libxml2 mixes the names of a grammar with those of one that it refers to
    text = re.sub(r'<externalRef href="[^"]*"/>', "<notAllowed/>", path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    return etree.RelaxNG(etree.parse(folder / "pretext.rng"))


@needs_schema
@pytest.mark.parametrize("file", [STUDENT, TEACHER])
def test_pretext_is_valid_by_its_schema(schema, file):
    for source in SOURCES.values():
        schema.assertValid(etree.fromstring(made("pretext", "plain", source, file).encode()))
    wrong = (
        made("pretext", "plain", KINDS, file).replace("<statement>", "<problem>").replace("</statement>", "</problem>")
    )
    assert not schema.validate(etree.fromstring(wrong.encode()))


@pytest.mark.parametrize("name", SOURCES)
def test_pretext_holds_the_same_numbers(name):
    root = ET.fromstring(made("pretext", "plain", SOURCES[name], TEACHER))  # noqa: S314 - our own file
    exercises = root.findall("exercise")
    assert [exercise.get("label") for exercise in exercises] == [f"exr-{code}" for code in codes(SOURCES[name])]
    for exercise in exercises:
        names = [part.tag for part in exercise]
        assert names[:2] == ["title", "statement"]
        assert names[-2:] == ["answer", "solution"]
        assert set(names[2:-2]) == {"hint"}
    tables = [["".join(cell.itertext()) for cell in table.iter("cell")] for table in root.iter("tabular")]
    held([[cell for cell in cells if cell.lstrip("-")[:1].isdigit()] for cells in tables], SOURCES[name])


def test_hostile_names_are_text_in_pretext():
    root = ET.fromstring(made("pretext", "plain", SOURCES["hostile"], TEACHER))  # noqa: S314
    for math in root.iter("m"):
        math.text = ""
    assert missing(" ".join(root.itertext())) == []


# ------------------------------------------------------------------------------------------ students'


@pytest.mark.parametrize(("format", "flavour"), [("md", "myst"), ("md", "quarto"), ("pretext", "plain")])
@pytest.mark.parametrize("name", SOURCES)
def test_a_students_file_holds_no_answer(format, flavour, name):
    data, variants = key(SOURCES[name], COUNT)
    text = made(format, flavour, SOURCES[name], STUDENT)
    assert data["recipe"]["sha256"][:8] not in text
    for word in ("solution", "answer>", "candidate", "seed"):
        assert word not in text.lower().replace(data["recipe"]["title"].lower(), "")
    if name != "kinds":  # a judged array holds numbers that may be right
        for variant in variants.values():
            keys = {c.key for q in variant.questions for c in q.answer.cells if "." in c.key}
            assert not [one for one in keys if f">{one}<" in text or f" {one} " in text]
