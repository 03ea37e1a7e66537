"""Writes the gallery: the pages that ``output/gallery`` holds, from the problems in ``examples``, and the page that
README shows.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from symattn.derive.sections import Worked, worked
from symattn.derive.topics import TOPICS, derived
from symattn.export.files import write
from symattn.parse.derived import Derived
from symattn.parse.problem import read
from symattn.render.derivation import derivation_page
from symattn.render.page import Wish, made

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = (
    "mask",
    "padding",
    "bias",
    "alibi",
    "softcap",
    "window",
    "temperature",
    "sink",
    "rotary",
    "context",
    "cache",
    "grouped",
    "layers",
)
"""One small problem for each option."""
PAGES = (
    ("napkin", "napkin", "brief"),
    ("napkin-full", "napkin", "full"),
    ("napkin-worksheet", "napkin", "worksheet"),
    ("napkin-key", "napkin", "key"),
    ("chapter", "napkin", "chapter"),
    ("pencil", "pencil", "brief"),
    ("learned", "learned", "brief"),
    ("heads", "heads", "brief"),
    ("logarithms", "logarithms", "brief"),
    ("columns", "columns", "brief"),
    *((f"option-{option}", option, "brief") for option in OPTIONS),
)
"""Name of the page, of its problem, and how much it tells."""
FORMATS = ("md", "tex")
_SHOWN = re.compile(r"(<!-- gallery: (\w+) -->\n).*?(<!-- /gallery -->)", re.DOTALL)


def example(name: str) -> Worked:
    """An example, worked."""
    return worked(read(ROOT / "examples" / f"{name}.toml"))


def pages(folder: Path) -> None:
    """Every page in every format, with its pictures."""
    for name, source, detail in PAGES:
        solved = example(source)
        for ending in FORMATS:
            page = made(solved, Wish(format=ending, detail=detail, slug=name))
            for file, text in {f"{name}.{ending}": page.text, **page.files}.items():
                write(folder / file, text.encode())
    for topic in TOPICS:
        proof = derived(topic)
        for ending in FORMATS:
            page = derivation_page(proof, Wish(format=ending, slug=topic, name=f"derive-{topic}"), Derived(topic), ())
            for file, text in {f"derive-{topic}.{ending}": page.text, **page.files}.items():
                write(folder / file, text.encode())


def shown_in(text: str) -> str:
    """The text with its gallery pages as they are now: headings two levels down, pictures from the gallery."""

    def filled(found: re.Match[str]) -> str:
        body = made(example(found[2]), Wish(flavour="github", slug=found[2])).text
        body = re.sub(r"^#", "###", body, flags=re.MULTILINE)
        body = re.sub(r"^(!\[.*\]\()", r"\1output/gallery/", body, flags=re.MULTILINE)
        return f"{found[1]}\n{body[: body.rindex('<!--')]}\n{found[3]}"

    return _SHOWN.sub(filled, text)


def main(folder: Path | None) -> None:
    """Write the pages, and into README the one it shows."""
    pages(folder or ROOT / "output" / "gallery")
    if folder is None:
        readme = ROOT / "README.md"
        write(readme, shown_in(readme.read_text(encoding="utf-8")).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
