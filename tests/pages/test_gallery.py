"""The gallery is what its generator makes, on every machine, and each of its pages is fit to be printed."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import pytest

from tests.pages import formulas
from tests.pages.accept import refused
from tests.pages.tex import Compiled, compile_tex
from tests.pages.tools import ROOT, needs
from tests.render.reading import COMMENT, DECIMAL, WIDEST, apart, judged, sound
from tests.render.sample import gallery_cases

GALLERY = ROOT / "output" / "gallery"
PAGES = sorted(GALLERY.glob("*.md"))
TEX = sorted(GALLERY.glob("*.tex"))
assert PAGES, "the gallery holds no Markdown"
assert [page.stem for page in PAGES] == [page.stem for page in TEX]

ENGINES = ("pdflatex", "lualatex")
LINES = {"napkin": 140, "learned": 250}
"""The longest that a brief page of three tokens, and of four, may be."""
WITHOUT_EQUALITIES = {"napkin-worksheet", "napkin-key"}


def names(path: Path) -> str:
    return path.name


def generated(folder: Path, seed: str) -> dict[str, bytes]:
    """What the generator writes in a process of its own, with this seed for the order of sets."""
    command = [sys.executable, str(ROOT / "tools" / "gallery.py"), str(folder)]
    subprocess.run(command, check=True, cwd=folder.parent, env={**os.environ, "PYTHONHASHSEED": seed}, timeout=120)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The names of the files that are not the same, or that only one side has."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


@pytest.mark.parametrize("seed", ["0", "1", "31415"])
def test_the_gallery_is_what_the_generator_makes(tmp_path, seed):
    committed = {path.name: path.read_bytes() for path in sorted(GALLERY.iterdir())}
    assert differing(committed, generated(tmp_path / "gallery", seed)) == []


def test_a_changed_a_missing_and_an_additional_page_would_be_found():
    committed = {path.name: path.read_bytes() for path in GALLERY.iterdir()}
    changed = committed | {"napkin.md": committed["napkin.md"] + b"\n", "new.md": b""}
    del changed["pencil.tex"]
    assert differing(committed, changed) == ["napkin.md", "new.md", "pencil.tex"]


def test_the_page_that_the_readme_shows_is_current():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown_in = runpy.run_path(str(ROOT / "tools" / "gallery.py"))["shown_in"]
    assert "<!-- gallery: " in text
    assert shown_in(text) == text
    assert shown_in(text.replace("how good was your guess", "how bad was your guess")) == text


@pytest.mark.parametrize(("name", "most"), LINES.items())
def test_a_brief_page_is_brief(name, most):
    assert len((GALLERY / f"{name}.md").read_text(encoding="utf-8").splitlines()) <= most


def test_the_pencil_page_shows_and_explains_its_numbers():
    """0.504 and 1.504 are honest pencil work; the correct rounding of the exact answer is another."""
    text = COMMENT.sub("", (GALLERY / "pencil.md").read_text(encoding="utf-8"))
    page, explained = text.split("## If your last digit differs\n")
    weights, output = (part for part in page.split("\n\n") if part.startswith(("| weights", "| token | value before")))
    assert [cell.strip() for cell in weights.splitlines()[-1].split("|")[2:5]] == ["0.248", "0.248", "0.504"]
    assert r"$[1.504,\ 1.504]$" in output.splitlines()[-1]
    table = [
        [cell.strip() for cell in line.split("|")[2:6]] for line in explained.splitlines() if line.startswith("| ")
    ]
    assert [r"$0.50348\ldots$", "0.503", "0.503", "0.504"] in table
    assert [r"$1.50348\ldots$", "1.503", "1.502", "1.504"] in table
    assert "pencil" in explained


@pytest.mark.parametrize("path", [*PAGES, *(pytest.param(path, marks=needs("pandoc")) for path in TEX)], ids=names)
def test_no_line_of_a_page_is_false(path):
    parser = "plain" if path.suffix == ".md" else "latex"
    readings = sound(apart([path.read_text(encoding="utf-8")], parser))
    if path.stem not in WITHOUT_EQUALITIES and not path.stem.startswith("derive-"):
        assert judged(readings) >= 3


def test_the_pages_in_full_have_many_lines_to_judge():
    text = (GALLERY / "napkin-full.md").read_text(encoding="utf-8")
    assert judged(sound(apart([text]))) > 45


@needs("pandoc")
@pytest.mark.parametrize("path", PAGES, ids=names)
def test_every_formula_reaches_the_reader(path):
    assert formulas.survived(path.read_text(encoding="utf-8"))


@needs("node")
def test_both_engines_typeset_every_formula():
    seen = [formula for path in PAGES for formula in formulas.plain(path.read_text(encoding="utf-8"))]
    assert len(seen) > 200
    assert refused(dict.fromkeys(seen)) == []


def by_engine(engine: str) -> list[Path]:
    """What is compiled by an engine: derivations look alike, so that one of them is enough for the second."""
    alike = [path for path in TEX if path.stem.startswith("derive-") and path.stem != "derive-saturation"]
    return TEX if engine == ENGINES[0] else [path for path in TEX if path not in alike]


@lru_cache(maxsize=1)
def compiled() -> dict[tuple[str, str], Compiled]:
    jobs = [(path, engine) for engine in ENGINES for path in by_engine(engine)]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda job: compile_tex(*job), jobs))
    return {(path.stem, engine): result for (path, engine), result in zip(jobs, done, strict=True)}


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ENGINES)
def test_every_page_compiles_and_no_line_sticks_out(engine):
    done = {path.stem: compiled()[path.stem, engine] for path in by_engine(engine)}
    assert {name: result.errors for name, result in done.items() if not result.ok} == {}
    assert {name: result.boxes for name, result in done.items() if max(result.overfull, default=0) > WIDEST} == {}
    assert {name: result.missing for name, result in done.items() if result.missing} == {}
    assert {name: result.references for name, result in done.items() if result.references} == {}


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", gallery_cases(), ids=lambda case: case.name)
def test_the_pdf_holds_the_weights_and_outputs(case, engine):
    seen = set(DECIMAL.findall(compiled()[case.name, engine].text))
    for section in case.sections():
        entries = [
            entry for head in section["heads"] for key in ("weights", "output") for row in head[key] for entry in row
        ]
        assert {entry.removeprefix("-") for entry in entries if "." in entry} - seen == set()


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ENGINES)
def test_the_pdf_of_a_worksheet_holds_no_answer(engine):
    assert DECIMAL.findall(compiled()["napkin-worksheet", engine].text) == []
    assert "0.503" in DECIMAL.findall(compiled()["napkin-key", engine].text)
