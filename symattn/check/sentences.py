"""What sentences say that is so on every page: weights add to 1, e^-oo counts as 0, scores go over the root of d_k.

Each is a pattern with the number that has to stand in it. A number that stands there is judged although it is no entry
of any array. A pattern starts with its words, since those can be looked for fast, and matches where a word starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final

from symattn.check.quantities import Array, Known
from symattn.check.reading.printed import Printed, printed
from symattn.exact import numbers
from symattn.exact.values import Plain

Said = tuple[Printed, Fraction]
"""A number in a sentence, and what has to stand there."""

_PLAIN: Final = r"-?\d+(?:\.\d+)?"
_NUMBER: Final = rf"\$?({_PLAIN})"
_ZERO: Final = (
    r"[Nn]o token that may be seen gets " + _NUMBER,
    r"e\s*\^\s*\{?\s*[-−]\s*(?:\\infty|∞)\s*\}?\s*\$?\s*(?:counts as|is|=)\s*\$?\s*" + _NUMBER,
    r"weights? (?:are|is) (?:never negative: )?positive or " + _NUMBER,
    r"may not be seen has the weight " + _NUMBER,
    r"mask makes a weight exactly " + _NUMBER,
    r"takes every weight as " + _NUMBER,
    r"takes every weight as \d+, and the output as " + _NUMBER,
    r"M\s*\$? is " + _NUMBER + r" where a token may look",
    r"nothing is added yet, and " + _NUMBER + r" stands here",
    r"once it is near " + _NUMBER + r", changing the score changes next to nothing",
)
_ONE: Final = (
    r"p\s*\(\s*" + _NUMBER + r"\s*-\s*p\s*\)",
    r"standard deviation would be \$?\s*" + _NUMBER + r"\s*/\s*\\sqrt\{?d_k",
    r"(?:row|column) of weights (?:that sees anything )?has to add to " + _NUMBER,
    r"positive or \d+ and add to " + _NUMBER,
    r"(?:rows|columns) that add to " + _NUMBER,
    r"it adds to exactly " + _NUMBER,
    r"weights of a (?:row|column) add to less than " + _NUMBER,
    r"never negative, and together they make " + _NUMBER,
    r"Subtract the others from " + _NUMBER,
    r"Subtract the others from \d+: a (?:row|column) of weights adds to " + _NUMBER,
    r"so that weight is " + _NUMBER,
    r"temperature [^.\n]{1,20}: above " + _NUMBER,
    r"temperature [^.\n]{1,60}, below " + _NUMBER,
)
_YEAR: Final = (r"model of Vaswani and others \((\d{4})\) a token has \$?512\b",)
"""Of "Attention is all you need", NeurIPS 2017; the same authors wrote in other years too."""
_FIXED: Final = tuple(
    (re.compile(pattern), Fraction(value))
    for value, patterns in ((0, _ZERO), (1, _ONE), (2017, _YEAR))
    for pattern in patterns
)
_SCALED: Final = r"[Dd]ivided by \$?\s*(?:\\\()?(?:\\sqrt\s*\{?\s*d_k\s*\}?|√d_k)\s*(?:\\\))?\$?, (?:the )?scores have "
_STANDARD: Final = tuple(
    re.compile(_SCALED + pattern)
    for pattern in (
        r"(?:a )?(?:standard deviation|variance) (?:of )?\$?" + _NUMBER,
        r"standard deviation \$?\d+\$? [^.\n]{1,60} keys lie \$?" + _NUMBER + r"\$? apart",
    )
)
_SUPPOSED: Final = re.compile(r"\bmean (?:\\\(|\$)?0(?:\\\)|\$)? and variance (?:\\\(|\$)?1\b(?!\.\d)")
"""What makes the scores' variance 1 once they are divided by the root of d_k."""
_ROOT: Final = re.compile(r"divided by \$?\s*\\?\(?(?:\\sqrt\s*\{?\s*|√\s*)(\d+)(?![\d.])")
_TIMES: Final = re.compile(r"(queries|keys|values) are \$?\s*X\s*\$? times \$?\s*" + _NUMBER)
_ADDED: Final = re.compile(r"[Aa]dd " + _NUMBER + r" to every (?:scaled )?score")
_FACTOR: Final = re.compile(r"same factor \$?\s*e\s*\^\s*\{?\s*" + _NUMBER)
_SUMMED: Final = re.compile(
    rf"exponentials ((?:\$?{_PLAIN}\$?, ){{1,40}}\$?{_PLAIN}\$?), which add to " + _NUMBER,
)


def said(text: str, known: Known) -> Iterator[Said]:
    """Every number in such a sentence, with what has to stand there.

    Args:
        text: The page.
        known: What it is about.
    """
    for pattern, value in _FIXED:
        yield from _numbers(text, pattern, lambda _, value=value: value)  # type: ignore[misc]
    if _SUPPOSED.search(text):
        for pattern in _STANDARD:
            yield from _numbers(text, pattern, lambda _: Fraction(1))
    width = _root(known)
    if width is not None:
        yield from _numbers(text, _ROOT, lambda _: width)
    yield from _numbers(text, _TIMES, lambda found: _ratio(known, found[1]), group=2)
    added = next(_standing(text, _ADDED), None)
    if added is not None:
        yield from _numbers(text, _FACTOR, lambda _: Fraction(added[1]))
    yield from _numbers(text, _SUMMED, _sum, group=2)


def _sum(found: re.Match[str]) -> Fraction | None:
    """The sum of whole numbers; that of rounded ones may be another."""
    return None if "." in found[1] else sum(map(Fraction, re.findall(_PLAIN, found[1])), Fraction(0))


def _numbers(
    text: str, pattern: re.Pattern[str], wanted: Callable[[re.Match[str]], Fraction | None], group: int = 1
) -> Iterator[Said]:
    for found in _standing(text, pattern):
        number, value = printed(found[group], found.start(group)), wanted(found)
        if number is not None and value is not None:
            yield number, value


def _standing(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Where a pattern matches from the start of a word."""
    for found in pattern.finditer(text):
        if not text[found.start() - 1 : found.start()].replace("_", "a").isalnum():
            yield found


def _root(known: Known) -> Fraction | None:
    """What stands below the root that scores are divided by."""
    for array in known.arrays:
        value = array.rows[0][0]
        if array.quantity == "sqrt_dk" and isinstance(value, Plain):
            return numbers.rational(value.number * value.number)
    return None


def _ratio(known: Known, name: str) -> Fraction | None:
    """By what an array is X times a number; of X itself, or of queries that are copies of it."""
    made = known.array({"queries": "query", "keys": "key", "values": "value"}[name], 0, 0)
    source = known.array("X", None, 0) or known.array("query", 0, 0)
    if made is None or source is None or made.shape != source.shape:
        return None
    ratios = {b / a for a, b in zip(_rationals(source), _rationals(made), strict=True) if a is not None and a and b}
    return ratios.pop() if len(ratios) == 1 else None


def _rationals(array: Array) -> list[Fraction | None]:
    return [numbers.rational(value.number) if isinstance(value, Plain) else None for row in array.rows for value in row]
