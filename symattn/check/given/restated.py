"""Values of options that formulas say again, and those that follow from others: each has to be the one that is taken.

``2 tanh(s / 2)``, ``stays between -2 and 2`` and the formula in one line say one cap. A value that only one number of
these gives, while the page's numbers are made with another, is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from symattn.check.quantities import Known
from symattn.check.reading.printed import Printed, printed
from symattn.exact import numbers
from symattn.exact.values import Plain

Wrong = tuple[Printed, Fraction]

_NUMBER: Final = r"\d+(?:\.\d+)?"
_OPEN: Final = r"\s*(?:\\!)?\s*(?:\\left)?\s*\(\s*"
_FRACTION: Final = r"\\[dt]?frac\{(?P<above>\d+)\}\{(?P<below>\d+)\}"
_SAID: Final = (
    ("softcap", re.compile(rf"(?<![\d.])(?P<value>{_NUMBER})\s*(?:\\,|\\cdot|[·*×])?\s*\\?tanh\b")),
    ("softcap", re.compile(rf"\\?tanh{_OPEN}[A-Za-z_']+\s*/\s*(?P<value>{_NUMBER})")),
    ("softcap", re.compile(rf"\\?tanh{_OPEN}{_FRACTION}")),
    ("softcap", re.compile(rf"\\?tanh[^\n]{{0,60}}?between\s+\$?(?P<low>[-−]?{_NUMBER})\$?\s+and\b")),
    ("softcap", re.compile(rf"\\?tanh[^\n]{{0,60}}?between\s+\$?[-−]?{_NUMBER}\$?\s+and\s+\$?(?P<value>{_NUMBER})")),
    ("temperature", re.compile(rf"\b[Dd]ivided? by the temperature\s+\$?(?P<value>{_NUMBER})")),
    ("temperature", re.compile(rf"\bsoftmax\}}?{_OPEN}{_FRACTION}\s*(?:\\left)?\s*\(")),
)
_STEP: Final = re.compile(
    rf"\bminus\s+\$?\s*(?:{_FRACTION}|(?P<value>{_NUMBER}))\s*\$?\s+(?:for each|per)\s+(?:step|token)"
)
_FROM: Final = re.compile(r"\bturned by (?:its|their) position\b[^.\n]{0,20}?counted from (?P<value>\d+)")
_PAIR: Final = re.compile(r"\bnumbers (?P<first>\d+) and (?P<value>\d+) by the angle")


def values(words: str, start: int) -> dict[str, list[str]]:
    """Every value of each option that some formula gives, the most frequent first, as a problem file writes it."""
    found: dict[str, list[Fraction]] = {}
    for name, _, value, _ in _mentions(words, start):
        found.setdefault(name, []).append(value)
    return {
        name: [str(value) for value in sorted({*kept}, key=lambda one: -kept.count(one))]
        for name, kept in found.items()
    }


def _mentions(words: str, start: int) -> Iterator[tuple[str, Printed, Fraction, Fraction]]:
    """The option, the number that gives it, the value given, and what the number gives the value times."""
    for name, pattern in _SAID:
        for found in pattern.finditer(words):
            groups = found.groupdict()
            if groups.get("low"):
                number = printed(found["low"], start + found.start("low"))
                if number is not None:
                    yield name, number, -number.value, Fraction(-1)
            elif groups.get("value"):
                number = printed(found["value"], start + found.start("value"))
                if number is not None:
                    yield name, number, number.value, Fraction(1)
            elif groups.get("above") and int(found["above"]):
                above = printed(found["above"], start + found.start("above"))
                below = printed(found["below"], start + found.start("below"))
                if above is not None and below is not None:
                    number = below if above.value == 1 else above
                    yield name, number, below.value / above.value, above.value


def disagreeing(words: str, start: int, attention: Mapping[str, Any], known: Known) -> Iterator[Wrong]:
    """The one number of all that give an option's value with which another value is said.

    Args:
        words: A part of the page.
        start: Where on the page it begins.
        attention: The options that were taken.
        known: What the page is about.
    """
    for name in dict.fromkeys(name for name, _ in _SAID):
        if name not in attention:
            continue
        taken = Fraction(str(attention[name]))
        said = [mention for mention in _mentions(words, start) if mention[0] == name]
        others = [mention for mention in said if mention[2] != taken]
        if len(others) == 1 and len(said) > 1:
            _, number, _, above = others[0]
            yield number, taken * above if above < 0 else Fraction(1) if number.value == above != 1 else taken
    if attention.get("alibi"):
        yield from _slopes(words, start, known)
    if "rope" in attention:
        yield from _turns(words, start)


def _slopes(words: str, start: int, known: Known) -> Iterator[Wrong]:
    """What a bias that grows with the distance takes away for each step: the slope of some head."""
    slopes = set()
    for array in known.arrays:
        if array.quantity == "bias" and array.shape[0] > 1:
            first = array.rows[1][0]
            exact = numbers.rational(first.number) if isinstance(first, Plain) else None
            slopes.add(None if exact is None else -Fraction(int(exact.numerator), int(exact.denominator)))
    for found in _STEP.finditer(words):
        group = "value" if found["value"] else "above"
        value = Fraction(found["value"]) if found["value"] else Fraction(int(found["above"]), int(found["below"]) or 1)
        number = printed(found[group], start + found.start(group))
        if slopes and None not in slopes and value not in slopes and number is not None:
            yield number, min(slope for slope in slopes if slope is not None)


def _turns(words: str, start: int) -> Iterator[Wrong]:
    """From where positions count, and which numbers are turned together: the first and second, the third and fourth."""
    for found in _FROM.finditer(words):
        number = printed(found["value"], start + found.start("value"))
        if number is not None and number.value > 0:
            yield number, Fraction(0)
    for found in _PAIR.finditer(words):
        second = printed(found["value"], start + found.start("value"))
        if second is not None and second.value != int(found["first"]) + 1:
            yield second, Fraction(int(found["first"]) + 1)
