"""Moodle's XML by the reader of its cloze grammar."""

from __future__ import annotations

import re
from fractions import Fraction
from html import unescape

from tests.exercises import cloze
from tests.formats.readers import Blank, Read


def read(content: bytes) -> Read:
    found: Read = {}
    for question in cloze.questions(content.decode()):
        code = re.findall(r"[a-z0-9]{10}", question.name)[-1]
        found[code] = [_blank(blank) for blank in question.blanks]
    return found


def _blank(blank: cloze.Blank) -> Blank:
    right = next(one.text for one in blank.alternatives if one.fraction == 1)

    def mark(answer: str) -> tuple[Fraction, str]:
        if not answer:
            return Fraction(0), ""
        if blank.kind == "choice":
            answer = blank.alternatives["ABCDEFGHIJ".index(answer)].text
        share, told = blank.mark(answer)
        return share, unescape(told)

    return Blank(blank.weight, mark, None if blank.kind == "choice" else right)
