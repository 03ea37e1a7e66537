"""Compiling LaTeX as a reader would, and what the engine had to say about it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.pages.tools import program

Engine = Literal["pdflatex", "lualatex"]

RUNS = 2  # the second one resolves the references of the first
SECONDS = 240
ERROR = re.compile(r"^(?:! .*|[^\s:]+\.\w+:\d+: .*)$", re.MULTILINE)
OVERFULL = re.compile(r"^Overfull \\[hv]box \(([\d.]+)pt too (?:wide|high)\).*$", re.MULTILINE)
MISSING = re.compile(r"^Missing character: There is no (.*)!$", re.MULTILINE)
REFERENCES = re.compile(r"^(?:LaTeX|Package \w+) Warning: .*(?:[Rr]eference|[Cc]itation|[Ll]abel).*$", re.MULTILINE)
OPTIONS = ("-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "-file-line-error")

ARTICLE = r"""\documentclass{article}
\usepackage{iftex}
\ifpdftex\usepackage[T1]{fontenc}\fi
\usepackage{lmodern}
\usepackage{amsmath,amssymb}
%s
\begin{document}
%s
\end{document}
"""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What came of a LaTeX file.

    ``overfull`` holds by how many points each overfull box sticks out, ``boxes`` the engine's whole line on each;
    ``missing`` the characters that the fonts lack, ``references`` the warnings about labels and citations.
    """

    ok: bool
    errors: tuple[str, ...]
    overfull: tuple[float, ...]
    boxes: tuple[str, ...]
    missing: tuple[str, ...]
    references: tuple[str, ...]
    pdf: bytes
    text: str
    log: str

    @property
    def complaints(self) -> list[str]:
        """Everything the engine said that a page to be printed must not provoke."""
        return [*self.errors, *self.boxes, *self.missing, *self.references]


def article(fragment: str, preamble: str = "") -> str:
    """A smallest document round a fragment."""
    return ARTICLE % (preamble, fragment)


def compile_tex(source: Path | str, engine: Engine = "pdflatex", beside: Iterable[Path] = ()) -> Compiled:
    """Compile a file, or a text, twice in a folder of its own.

    Args:
        source: A path, or the text of a document.
        engine: Which engine is to run; neither may run other programs, or read or write outside the folder.
        beside: Files, such as figures, that are to lie beside the document.
    """
    with tempfile.TemporaryDirectory(prefix="page-") as name:
        folder = Path(name)
        for file in beside:
            shutil.copy(file, folder)
        text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
        (folder / "page.tex").write_text(text, encoding="utf-8")
        stopped = _run(engine, folder)
        log = _read(folder / "page.log")
        pdf = folder / "page.pdf"
        content = pdf.read_bytes() if pdf.is_file() and stopped is None else b""
        errors = tuple(dict.fromkeys(ERROR.findall(log)))
        if stopped and not errors:
            errors = (stopped,)
        return Compiled(
            ok=bool(content) and not errors,
            errors=errors,
            overfull=tuple(float(points) for points in OVERFULL.findall(log)),
            boxes=tuple(found[0] for found in OVERFULL.finditer(log)),
            missing=tuple(dict.fromkeys(MISSING.findall(log))),
            references=tuple(dict.fromkeys(REFERENCES.findall(log))),
            pdf=content,
            text=_text(pdf) if content else "",
            log=log,
        )


def _run(engine: Engine, folder: Path) -> str | None:
    """Why the engine stopped before its last run was done, or None."""
    bounds = {"openin_any": "p", "openout_any": "p", "max_print_line": "1000", "error_line": "254"}
    for _ in range(RUNS):
        try:
            done = subprocess.run(
                [program(engine), *OPTIONS, "page.tex"],
                cwd=folder,
                env=os.environ | bounds,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{engine} was not done after {SECONDS} seconds"
        if done.returncode:
            return f"{engine} exited with {done.returncode}"
    return None


def _read(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""


def _text(pdf: Path) -> str:
    """The words of a PDF, laid out as on the page."""
    command = [program("pdftotext"), "-layout", "-enc", "UTF-8", str(pdf), "-"]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=True).stdout
