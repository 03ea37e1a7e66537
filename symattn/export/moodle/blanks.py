"""The blanks of a cloze question: ``{weight:NUMERICAL:=answer:tolerance#feedback~%0%wrong:tolerance#feedback}``.

A browser shows a blank as wide as its longest alternative. Each blank ends with a wrong one that is longer than any
number asked for, so that all are equally wide and say nothing of what belongs in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from symattn.exercises.variant import Cell
from symattn.exercises.wrong import Wrong

_WHOLE: Final = "-999999"


def widest(decimals: int) -> str:
    """A number that is longer than any that is asked for."""
    return f"{_WHOLE}.{'9' * decimals}" if decimals else _WHOLE


def numerical(points: int, cell: Cell, wrong: Iterable[Wrong], told: Mapping[str, str], decimals: int) -> str:
    """A blank for a number, with feedback by mistake: ``told`` holds it as ``feedback`` makes it."""
    filler = widest(decimals)
    parts = [f"={cell.key}:{cell.tolerance}"]
    parts += [f"%0%{one.text}:{one.tolerance}#{told[one.mistake]}" for one in wrong if len(one.text) < len(filler)]
    return f"{{{points}:NUMERICAL:{'~'.join([*parts, f'%0%{filler}:0'])}}}"


def choice(points: int, choices: Iterable[str], right: int, told: Iterable[str]) -> str:
    """A choice one below the other; the right one counts in full."""
    parts = [
        f"{'=' if place == right else '%0%'}{feedback(text)}" + (f"#{feedback(why)}" if why else "")
        for place, (text, why) in enumerate(zip(choices, told, strict=True))
    ]
    return f"{{{points}:MULTICHOICE_V:{'~'.join(parts)}}}"


def feedback(text: str) -> str:
    """A text inside a blank: its end, the mark of feedback and the mark of an alternative have a meaning there."""
    return text.replace("\\", "&#92;").replace("~", "&#126;").replace("}", "\\}").replace("#", "\\#")
