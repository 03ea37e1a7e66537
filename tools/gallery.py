"""Writes the gallery: the pages that ``output/gallery`` holds, from the problems in ``examples``."""

from __future__ import annotations

import sys
from pathlib import Path

from symattn.derive.sections import worked
from symattn.export.files import write
from symattn.parse.problem import read
from symattn.render.page import Wish, page

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    ("napkin", "napkin", "brief"),
    ("napkin-full", "napkin", "full"),
    ("napkin-worksheet", "napkin", "worksheet"),
    ("napkin-key", "napkin", "key"),
    ("pencil", "pencil", "brief"),
    ("learned", "learned", "brief"),
    ("heads", "heads", "brief"),
    ("logarithms", "logarithms", "brief"),
)
"""Name of the page, of its problem, and how much it tells."""
FORMATS = ("md", "tex")


def main(folder: Path) -> None:
    """Write every page in every format."""
    for name, source, detail in PAGES:
        solved = worked(read(ROOT / "examples" / f"{source}.toml"))
        for ending in FORMATS:
            write(folder / f"{name}.{ending}", page(solved, Wish(format=ending, detail=detail, slug=name)).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "output" / "gallery")
