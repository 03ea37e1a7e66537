"""The LaTeX documents as PDF."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from symattn.export.pdf import pdf
from symattn.export.sheets import latex

WRITERS: Final = tuple(
    replace(writer, file=writer.file.removesuffix(".tex") + ".pdf", finish=pdf) for writer in latex.WRITERS
)
