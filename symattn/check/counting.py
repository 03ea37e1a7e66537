"""Numbers that only count: rows, steps, pages, items of a list."""

from __future__ import annotations

import re
from typing import Final

from symattn.check.reading.page import PageText
from symattn.check.reading.printed import Printed

_NEARBY: Final = 160
_LAST_WORDS: Final = 40
_COUNTED: Final = re.compile(
    r"(?:\b(?:rows?|columns?|entr(?:y|ies)|numbers?|tokens?|heads?|steps?|chapters?|figures?|fig\.|tables?|sections?|pages?"
    r"|eq(?:uation)?s?\.?|questions?|exercises?|examples?|layers?|version|part"
    r"|quer(?:y|ies)|keys?|words?|dim(?:ension)?s?|positions?|problems?)\s*[#(]?|^\s*\#{1,6}\s+)$",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"\d{1,3}[.)]\s")


def counts(page: PageText, number: Printed) -> bool:
    """Whether a number only counts rows, steps, pages or items."""
    if not number.is_integer:
        return False
    before = page.source[max(0, number.start - _NEARBY) : number.start]
    before = before[before.rfind("\n") + 1 :]
    after = page.source[number.start : number.start + 6]
    return bool(_COUNTED.search(before[-_LAST_WORDS:]) or (_ITEM.match(after) and not before.strip()))
