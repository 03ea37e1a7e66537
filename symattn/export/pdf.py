"""LaTeX text as PDF, with the TeX engine found on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from symattn.errors import MissingProgramError, SymattnError

_ENGINES: Final = ("pdflatex", "lualatex", "xelatex", "tectonic")
_SECONDS: Final = 120
_OPTIONS: Final = ("-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode")
_EPOCH: Final = "1704067200"  # a fixed date makes the same page the same bytes


def pdf(text: str) -> bytes:
    """The document as PDF.

    Raises:
        MissingProgramError: There is no TeX engine.
        SymattnError: The engine refused the text, as it may with templates of one's own.
    """
    engine = next((found for name in _ENGINES if (found := shutil.which(name))), None)
    if engine is None:
        raise MissingProgramError(
            "PDF needs a TeX engine, and none is on this machine",
            mend=f"install one of {', '.join(_ENGINES)}, or ask for tex",
        )
    with tempfile.TemporaryDirectory(prefix="symattn-") as folder:
        source = Path(folder) / "page.tex"
        source.write_text(text, encoding="utf-8")
        for _ in range(2):
            _run(engine, source)
        made = source.with_suffix(".pdf")
        if not made.exists():
            raise SymattnError("the TeX engine made no page", mend="ask for tex and look at it")
        return made.read_bytes()


def _run(engine: str, source: Path) -> None:
    options = () if engine.endswith("tectonic") else _OPTIONS
    # openin_any=p keeps TeX from reading files outside its folder
    surroundings = {
        **os.environ,
        "openin_any": "p",
        "openout_any": "p",
        "SOURCE_DATE_EPOCH": _EPOCH,
        "FORCE_SOURCE_DATE": "1",
    }
    try:
        done = subprocess.run(
            [engine, *options, source.name],
            cwd=source.parent,
            env=surroundings,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SymattnError(f"the TeX engine did not end within {_SECONDS} seconds", mend="ask for tex") from None
    if done.returncode != 0:
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        said = next((line for line in lines if line.startswith("!")), "no reason given")
        raise SymattnError(f"the TeX engine refused the page: {said}", mend=_mend(said))


def _mend(said: str) -> str:
    """Pictures need TikZ, which small TeX installations lack."""
    return (
        "install TikZ, or leave the pictures away: --no-pictures"
        if "tikz.sty" in said
        else "ask for tex and look at it"
    )
