"""LaTeX as PDF: the same bytes each time, nothing read from elsewhere, and clear errors."""

from __future__ import annotations

import subprocess
import time

import pytest

from symattn.derive.sections import worked
from symattn.errors import MissingProgramError, SymattnError
from symattn.export import pdf as module
from symattn.export.pdf import pdf
from symattn.parse.problem import loads
from symattn.parse.starter import NAPKIN
from symattn.render.page import Wish, page
from tests.pages.tex import article
from tests.pages.tools import needs, program


def text_of(content: bytes, folder) -> str:
    path = folder / "page.pdf"
    path.write_bytes(content)
    return subprocess.run(
        [program("pdftotext"), "-layout", str(path), "-"], capture_output=True, encoding="utf-8", check=True
    ).stdout


@needs("pdflatex", "pdftotext")
def test_the_napkin_is_the_same_bytes_twice(tmp_path):
    text = page(worked(loads(NAPKIN)), Wish(format="tex"))
    first = pdf(text)
    time.sleep(1.1)  # a date to the second would differ
    assert pdf(text) == first
    assert first.startswith(b"%PDF")
    assert {"0.401", "0.198", "0.503", "1.604"} <= set(
        text_of(first, tmp_path).replace("[", " ").replace(",", " ").split()
    )


@needs("pdflatex", "pdftotext")
def test_references_are_resolved(tmp_path):
    found = pdf(article(r"See \eqref{two}. \begin{equation} 2 \label{two} \end{equation}"))
    assert "See (1)" in text_of(found, tmp_path)


@needs("pdflatex")
def test_a_refusal_says_what_tex_said():
    with pytest.raises(SymattnError) as caught:
        pdf(article(r"\nosuchthing"))
    assert not isinstance(caught.value, MissingProgramError)
    assert "Undefined control sequence" in caught.value.message
    assert "\n" not in caught.value.message


@needs("pdflatex")
def test_a_document_without_pages_is_refused():
    with pytest.raises(SymattnError):
        pdf(article(""))


@needs("pdflatex")
@pytest.mark.parametrize("text", [r"\input{%s}", r"\input{|cat %s}", r"\immediate\write18{cp %s stolen}x"])
def test_nothing_is_read_or_run_from_elsewhere(tmp_path, text):
    secret = tmp_path / "secret.tex"
    secret.write_text("SECRET", encoding="utf-8")
    try:
        found = pdf(article(text % secret))
    except SymattnError:
        return
    assert "SECRET" not in text_of(found, tmp_path)


def test_a_missing_engine_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingProgramError, match="pdflatex"):
        pdf(article("x"))


@needs("pdflatex")
def test_an_engine_that_does_not_end_is_stopped(monkeypatch):
    monkeypatch.setattr(module, "_SECONDS", 2)
    with pytest.raises(SymattnError, match="2 seconds"):
        pdf(article(r"\def\x{\x}\x"))


@needs("pdflatex")
def test_no_folder_is_left_behind(monkeypatch, tmp_path):
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    pdf(article("x"))
    with pytest.raises(SymattnError):
        pdf(article(r"\nosuchthing"))
    assert list(tmp_path.iterdir()) == []
