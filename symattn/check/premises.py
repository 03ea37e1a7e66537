"""What follows from what a sentence supposes: moments of products, and formulas that say a sentence again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from symattn.check.reading.page import PageText
from symattn.check.reading.printed import Printed, printed
from symattn.check.reading.tree import Num, Statement, numbers_in

Wrong = tuple[Printed, Fraction]

_MOMENTS: Final = re.compile(
    r"\bmean (?P<mean>\d+) and variance (?P<variance>\d+)\b[^\n]{0,60}?"
    r"\bproducts? has mean (?P<product_mean>\d+) and variance (?P<product_variance>\d+)\b"
)
_SENTENCE: Final = re.compile(r"[.!?](?=\s)|\n\s*\n")
_SUCH_HEADS: Final = re.compile(
    r"[.\s$]*(?:\\\)[.\s]*)?To compare two [a-z]+ takes \$?(\d+)\$? multiplications in [a-z]+ such heads\b"
)
_INTEGER: Final = re.compile(r"(?<![\d.(])\d{2,6}(?![\d.)])")
_NEAR: Final = 9
_LONGEST: Final = 300


def moments(text: str, start: int) -> Iterator[Wrong]:
    """Of a product of two independent numbers of one mean m and variance v: mean m^2, variance (v + m^2)^2 - m^4."""
    for found in _MOMENTS.finditer(text):
        mean, variance = int(found["mean"]), int(found["variance"])
        wanted = {"product_mean": mean**2, "product_variance": (variance + mean**2) ** 2 - mean**4}
        wrong = [name for name, value in wanted.items() if int(found[name]) != value]
        if not wrong:
            continue
        is_supposed = len(wrong) > 1 and int(found["product_mean"]) == 0
        name, value = ("mean", 0) if is_supposed else (wrong[0], wanted[wrong[0]])
        number = printed(found[name], start + found.start(name))
        if number is not None:
            yield number, Fraction(value)


def said_again(page: PageText, statement: Statement) -> Iterator[Wrong]:
    """Of ``512 numbers, and eight heads of 64: 8*64 = 512``: the one number that the formula has not."""
    if len(statement.members) < 2:
        return
    first = max(0, statement.start - _LONGEST)
    lead = page.text[first : statement.start].rstrip(" $\n\\([")
    if not lead.endswith(":"):
        return
    begin = max((found.end() for found in _SENTENCE.finditer(lead)), default=0)
    told = [
        number
        for found in _INTEGER.finditer(lead, begin)
        if (number := printed(found[0], first + found.start())) is not None
    ]
    formula = [
        number.value
        for member in statement.members
        for number in numbers_in(member.node)
        if number.is_integer and number.value >= 10
    ]
    wrong = [number for number in told if number.value not in formula]
    missing = [value for value in formula if value not in {number.value for number in told}]
    if len(told) == len(formula) > 1 and len(wrong) == 1 == len(missing) and abs(wrong[0].value - missing[0]) <= _NEAR:
        yield wrong[0], missing[0]


def of_such_heads(page: PageText, statement: Statement) -> Iterator[Wrong]:
    """``8*64 = 512. To compare two tokens takes 512 multiplications in eight such heads``: it is the product."""
    found = _SUCH_HEADS.match(page.text, statement.end) if len(statement.members) > 1 else None
    last = statement.members[-1].node
    number = None if found is None else printed(found[1], found.start(1))
    if number is not None and isinstance(last, Num) and number.value != last.printed.value:
        yield number, last.printed.value
