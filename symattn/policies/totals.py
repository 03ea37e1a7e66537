"""The sum of a row's exponentials, as a page prints it."""

from __future__ import annotations

from symattn.exact import numbers
from symattn.exact.attention import Head
from symattn.exact.numbers import ZERO
from symattn.exact.values import Denominator, Exponential
from symattn.policies.printing import PrintedHead, rounded
from symattn.problem import Page
from symattn.rounding import positional


def row_total(head: Head, shown: PrintedHead, row: int, page: Page) -> str:
    """The sum of a row's exponentials: of the exact ones, rounded once; of the written ones under ``carried``, as it
    is.

    Empty where one of them is not printed.
    """
    entries = [entry for entry in shown.exponentials[row] if entry is not None]
    if len(entries) < len(shown.exponentials[row]):
        return ""
    if page.rounding != "carried":
        return rounded(Denominator(head.rows[row]), page).text
    texts = [entry.text for entry in entries]
    if head.sink is not None:
        texts.append(rounded(Exponential(head.sink), page).text)
    total = sum(map(numbers.from_decimal, texts), ZERO)
    places = 0
    while (total * 10**places).q != 1:
        places += 1
    return positional(int((total * 10**places).p), places)
