"""The formulas of pages cut apart: several pages are read by one run of a parser, and each head of a page on its own.

Each head names the entries of its own arrays anew, so that ``S_{1,1}`` is one number under one heading.
"""

from __future__ import annotations

import re

from tests.pages import formulas
from tests.pages.equalities import Reading, equalities
from tests.pages.formulas import Formula

WIDEST = 1.0
"""Points by which a box may stick out unseen."""
DECIMAL = re.compile(r"\d+\.\d+")
COMMENT = re.compile(r"<!--.*?-->|^%.*?$", re.DOTALL | re.MULTILINE)
LABEL = re.compile(r"\\label\{[^}]*\}")
_HEAD = re.compile(r"^(?:## |\\subsection\*\{)(?:Head \d+|The heads together)\}?$", re.MULTILINE)
_CUT = r"\mathrm{cut}"


def apart(pages: list[str], parser: str = "plain") -> list[list[Formula]]:
    """The formulas of each page, and within it of each head, without their labels."""
    mark = f"\n\n${_CUT}$\n\n"
    found: list[list[Formula]] = [[]]
    for formula in getattr(formulas, parser)(_HEAD.sub(lambda _: mark, mark.join(pages))):
        if formula.tex == _CUT:
            found.append([])
        else:
            found[-1].append(Formula(LABEL.sub("", formula.tex), formula.display))
    assert len(found) == len(pages) + sum(len(_HEAD.findall(page)) for page in pages)
    return found


def sound(parts: list[list[Formula]]) -> list[Reading]:
    """The equalities of each part; none may be false or unread, and no name may get two values."""
    readings = [equalities(formula.tex for formula in part) for part in parts]
    assert [reading.false for reading in readings if reading.false] == []
    assert [reading.unparsed for reading in readings if reading.unparsed] == []
    assert [reading.redefined for reading in readings if reading.redefined] == []
    return readings


def judged(readings: list[Reading]) -> int:
    """How many equalities were found true or false."""
    return sum(len(reading.judged) for reading in readings)


def links(readings: list[Reading]) -> list[tuple[str, str, str]]:
    """What each equality says, judged or not."""
    return [(one.left, one.relation, one.right) for reading in readings for one in reading.verdicts]


def signs(formula: Formula) -> tuple[str, bool]:
    """A formula, white space aside."""
    return " ".join(formula.tex.split()), formula.display
