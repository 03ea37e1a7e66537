"""The LaTeX documents as PDF."""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO, Final

from symattn.export.pdf import pdf
from symattn.export.sheets import latex


def _finish(text: BinaryIO, target: BinaryIO) -> None:
    target.write(pdf(text.read().decode()))


WRITERS: Final = tuple(
    replace(writer, file=writer.file.removesuffix(".tex") + ".pdf", finish=_finish) for writer in latex.WRITERS
)
