"""Numbers that other numbers of the page say too: what a token takes from another, an average told before it is worked,
a series that restates two columns of a table, columns of which one is made from another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Final

from flint import fmpq

from symattn.check.agreement import is_exactly, stand
from symattn.check.arithmetic import worth
from symattn.check.blocks import around
from symattn.check.quantities import Known
from symattn.check.reading import labels
from symattn.check.reading.page import Item, PageText
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import Cell, Node, Num, Operation, Statement, Table, numbers_in
from symattn.check.reading.tree import Sequence as Listed
from symattn.check.written import Written
from symattn.exact import numbers
from symattn.exact.values import Plain, Value

Wrong = tuple[Printed, "Value | Fraction | None"]

_OF_PAIRS: Final = ("weights", "scores", "scaled", "exponentials")
_BEFORE: Final = re.compile(r"(?:\b(?:with|is|takes|gets|gives|has|weight|score)|[=:≈])\s*\$?\s*$")
_AFTER: Final = re.compile(r"\s*\$?\s*(?:[,.;:()]|$|(?:even|from|on|for|to|and)\b)")
_CLAUSE: Final = re.compile(r"[;:!?]|\.(?=\s|$)|\n\s*\n")
_TABLE_SAYS: Final = re.compile(r"\bthe table says \$?(?P<number>\d+\.\d+)(?![\d\\])")
_WIDTH: Final = re.compile(r"[\s$]*d[\s_{]*k[\s}$]*")
_OF_SO_MANY: Final = re.compile(
    r"(?<![\d.])(?P<value>\d+\.\d+)\$? for (?:queries|keys|vectors) of \$?(?P<number>\d+)\$? numbers\b"
)


def of_pairs(page: PageText, known: Known, written: Written, statement: Statement) -> Wrong | None:
    """A number that a clause gives for two tokens: ``*it* looking at *was*, with 0``; None where it is theirs."""
    node = statement.members[0].node
    if len(statement.members) > 1 or not isinstance(node, Num) or node.printed.special:
        return None
    number, source = node.printed, page.source
    start = max(
        (found.end() for found in _CLAUSE.finditer(source, max(0, number.start - 160), number.start)), default=0
    )
    ended = _CLAUSE.search(source, number.end, number.end + 80)
    clause = source[start : ended.start() if ended is not None else number.end]
    if not _BEFORE.search(source[start : number.start]) or not _AFTER.match(source[number.end : number.end + 12]):
        return None
    problem = known.worked.problem
    pair = labels.pair_of(clause, problem.tokens, problem.context_tokens)
    if pair is None or len(re.findall(r"\d+(?:\.\d+)?", clause)) != 1 + len(
        re.findall(r"\b(?:step|head|row) \d", clause)
    ):
        return None
    near = around(page, number.start, number.end, start)
    words = (*labels.of_words(clause), *(name for text in near.headings[:1] for name in labels.of_words(text)))
    quantity = next((name for name in words if name in _OF_PAIRS), "weights" if 0 < number.value < 1 else "")
    found = [array for array in known.arrays if array.quantity in _OF_PAIRS and pair[0] < array.shape[0]]
    values = [(array.quantity, array.rows[pair[0]][pair[1]]) for array in found if pair[1] < array.shape[1]]
    others = [value for name, value in values if name in (quantity, "weights", "scores", "scaled")]
    if not quantity or any(_prints(number, value) or _is_cut(number, value) for value in others):
        return None
    meant = [array for array in found if array.quantity != "exponentials" or quantity not in ("scores", "scaled")]
    cells = (cell for array in meant for cell in written.cells(array.quantity, array.head, array.section, *pair))
    if any(cell.value == number.value for cell in cells):
        return None
    wanted = next((value for name, value in values if name == quantity), None)
    return None if wanted is None else (number, wanted)


def _is_cut(number: Printed, value: Value) -> bool:
    return not number.is_integer and stand(number, value) == "truncated"


def told_before(page: PageText, statement: Statement, before: Sequence[Item]) -> Wrong | None:
    """The one number of an average that the sentence before it, of the items ``before``, gives otherwise than the line
    that works it.
    """
    terms = _products(statement.members[0].node)
    if len(statement.members) < 2 or len(terms) < 2:
        return None
    lead = page.text[max(0, statement.start - _LONGEST) : statement.start].rstrip(" \n$\\[")
    floor = max(0, statement.start - _LONGEST) + lead.rfind("\n\n")
    told: list[tuple[Node, Fraction]] = []
    for item in before:
        if isinstance(item, Statement) and floor < item.start < statement.start and len(item.members) == 1:
            node = item.members[0].node
            parts = node.items if isinstance(node, Listed) else (node,)
            told += [(part, value) for part in parts if part is not None and (value := _rational(part)) is not None]
    for order in ((1, 0), (0, 1)):
        said = [term[which] for which in order for term in terms]
        if len(said) != len(told):
            continue
        wrong = [index for index, (_, value) in enumerate(told) if value != said[index]]
        first = _first_number(told[wrong[0]][0]) if len(wrong) == 1 else None
        if first is not None:
            return first, said[wrong[0]]
    return None


def _products(node: Node) -> list[tuple[Fraction, Fraction]]:
    found: list[tuple[Fraction, Fraction]] = []
    while True:
        term = node.right if isinstance(node, Operation) and node.sign == "+" else node
        if not isinstance(term, Operation) or term.sign != "*":
            return []
        left, right = _rational(term.left), _rational(term.right)
        if left is None or right is None:
            return []
        found.insert(0, (left, right))
        if term is node or not isinstance(node, Operation):
            return found
        node = node.left


def _rational(node: Node) -> Fraction | None:
    value = worth(node, {})
    exact = numbers.rational(value.number) if isinstance(value, Plain) else None
    return None if exact is None else Fraction(int(exact.numerator), int(exact.denominator))


def _first_number(node: Node) -> Printed | None:
    while isinstance(node, Operation):
        node = node.left
    return node.printed if isinstance(node, Num) else None


Column = tuple[Printed | None, ...]
_AT: Final = re.compile(r"(?<![\d.])(?P<value>-?\d+(?:\.\d+)?) at (?P<at>-?\d+(?:\.\d+)?)(?=,|\.(?!\d)|;|\s|$)")
_FEWEST: Final = 3
_LONGEST: Final = 600
_NEARBY: Final = 80


def restated(page: PageText, start: int, end: int, blamed: Container[int]) -> Iterator[Wrong]:
    """The one number of a series, ``0.731 at 1, 0.881 at 4``, that differs from the two columns that it restates; where
    that of the column is not ``blamed`` already.
    """
    columns = [column for item in page.items if isinstance(item, Table) for column in _columns(item)]
    run: list[re.Match[str]] = []
    before: list[re.Match[str]] = []
    for found in [*_AT.finditer(page.text, start, end), None]:
        if run and (found is None or found.start() - run[-1].end() > len(", and ")):
            yield from _differing(run, columns, blamed)
            yield from _same_elsewhere(run)
            yield from _other_places(before, run)
            before, run = run, []
        if found is not None:
            run.append(found)


def _same_elsewhere(run: Sequence[re.Match[str]]) -> Iterator[Wrong]:
    """Of a series that stays the same, the one value that does not."""
    counted = Counter(found["value"] for found in run)
    if len(run) > _FEWEST and len(counted) == 2 and min(counted.values()) == 1:
        most = max(counted, key=lambda text: counted[text])
        for found in run:
            if found["value"] != most:
                yield _at(found, "value"), Fraction(most)


def _other_places(before: Sequence[re.Match[str]], run: Sequence[re.Match[str]]) -> Iterator[Wrong]:
    """Of two series over the same places, one after the other: the one place that differs."""
    wrong = [(a, b) for a, b in zip(before, run, strict=False) if a["at"] != b["at"]]
    if len(before) == len(run) > _FEWEST and len(wrong) == 1 and run[0].start() - before[-1].end() < _NEARBY:
        yield _at(wrong[0][1], "at"), Fraction(wrong[0][0]["at"])


def named_columns(page: PageText, table: Table, end: int) -> Iterator[Wrong]:
    """A number that a sentence after a table calls as one of its columns is called, and that does not stand there."""
    for cell, column in zip(table.rows[0], _columns(table), strict=False):
        words = cell.text.removeprefix("its ").strip()
        cells = [number for number in column if number is not None]
        if len(words) < len("slope") or not cells or not words.replace(" ", "").isalpha():
            continue
        for found in re.finditer(
            rf"\b{re.escape(words)}(?: is|,)?\s+\$?(\d+\.\d+)(?![\d\\])", page.text[table.end : end], re.IGNORECASE
        ):
            places = len(found[1].partition(".")[2])
            like = [number for number in cells if number.places == places]
            if like and Fraction(found[1]) not in {number.value for number in like}:
                at = table.end + found.start(1)
                nearest = min(like, key=lambda one: abs(one.value - Fraction(found[1])))
                yield Printed(found[1], at, at + len(found[1]), Fraction(found[1]), places), nearest.value


def of_tables(page: PageText, table: Table, end: int) -> Iterator[Wrong]:
    """What a sentence after a table says of it and it does not say: ``the table says 1.000``; of a table by d_k
    ``0.000335 for queries of 64 numbers``, where 64 stands first in the row that has 0.000335.
    """
    rows = [[one.value for cell in row if (one := _number(cell)) is not None] for row in table.rows]
    values = [value for row in rows for value in row]
    following = min(
        (item.start for item in page.items if isinstance(item, Table) and item.start > table.start), default=end
    )
    for found in _TABLE_SAYS.finditer(page.text, table.end, min(following, end)):
        number = _at(found, "number")
        nearest = min(values, key=lambda value: abs(value - number.value), default=number.value)
        if 2 * abs(nearest - number.value) * 10**number.places > 1:
            yield number, nearest
    if not _WIDTH.fullmatch(table.rows[0][0].text):
        return
    for found in _OF_SO_MANY.finditer(page.text, table.end, end):
        first = {row[0] for row in rows if Fraction(found["value"]) in row[1:]}
        number = _at(found, "number")
        if len(first) == 1 and number.value not in first:
            yield number, first.pop()


def _differing(run: Sequence[re.Match[str]], columns: Sequence[Column], blamed: Container[int]) -> Iterator[Wrong]:
    if len(run) < _FEWEST:
        return
    said = [[_at(found, name) for found in run] for name in ("at", "value")]
    best: list[tuple[Printed, Printed]] | None = None
    for pair in permutations([column for column in columns if len(column) == len(run)], 2):
        cells = [cell for column in pair for cell in column]
        if None in cells:
            continue
        wrong = [
            (number, cell)
            for number, cell in zip([*said[0], *said[1]], cells, strict=True)
            if cell is not None and number.value != cell.value
        ]
        if best is None or len(wrong) < len(best):
            best = wrong
    if best is not None and len(best) == 1 and best[0][1].start not in blamed:
        yield best[0][0], best[0][1].value


def _at(found: re.Match[str], name: str) -> Printed:
    text = found[name]
    places = len(text.partition(".")[2])
    return Printed(text, found.start(name), found.end(name), Fraction(text), places)


def _columns(table: Table) -> list[Column]:
    width = min(map(len, table.rows))
    return [tuple(_number(row[column]) for row in table.rows[1:]) for column in range(width)]


def _number(cell: Cell) -> Printed | None:
    if len(cell.statements) != 1 or len(cell.statements[0].members) != 1:
        return None
    node = cell.statements[0].members[0].node
    if isinstance(node, Num):
        return node.printed
    value, first = _rational(node), next(numbers_in(node), None)
    return None if value is None or first is None else replace(first, value=value, places=_FINE)


def _root(value: Fraction) -> Value:
    return Plain(numbers.power(numbers.from_fraction(value), fmpq(1, 2)))


def _logistic(value: Fraction) -> Value:
    grown = numbers.exp(numbers.from_fraction(value))
    return Plain(grown) / Plain(grown + numbers.ONE)


def _slope(value: Fraction) -> Value:
    grown = numbers.exp(numbers.from_fraction(value))
    below = Plain(grown + numbers.ONE)
    return Plain(grown) / (below * below)


def _value(cell: Printed | None) -> Fraction | None:
    return None if cell is None else cell.value


def _prints(number: Printed, value: Value) -> bool:
    return is_exactly(number, value) if number.is_integer else stand(number, value) == "correct"


_FINE: Final = 24
_MAKES: Final[tuple[Callable[[Fraction], Value], ...]] = (_root, _logistic, _slope)
"""By what one column of a table may be made from another: a root, the weight of the larger of two scores, its slope."""
_LARGEST: Final = 1000


def made_from(table: Table) -> Iterator[Wrong]:
    """The one number of a column that is not made from another column's as all its others are."""
    columns = [column for column in _columns(table) if len(column) > _FEWEST + 1 and None not in column]
    blamed: Counter[int] = Counter()
    found: list[tuple[Printed, Printed, Value]] = []
    for one, other in permutations(columns, 2):
        if len({cell.value for cell in one if cell is not None}) < len(one) or len({*map(_value, other)}) < _FEWEST:
            continue
        for make in _MAKES:
            pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
            if any(not 0 < a.value <= _LARGEST for a, _ in pairs):
                continue
            values = [make(a.value) for a, _ in pairs]
            wrong = [(a, b, value) for (a, b), value in zip(pairs, values, strict=True) if not _prints(b, value)]
            if len(wrong) == 1:
                found.append(wrong[0])
                blamed[wrong[0][0].start] += 1
                blamed[wrong[0][1].start] += 1
    if found:
        a, b, value = max(found, key=lambda one: (blamed[one[1].start], blamed[one[0].start]))
        number, wanted = (a, None) if blamed[a.start] > blamed[b.start] else (b, value)
        yield (number, wanted) if number.places < _FINE else (replace(number, value=Fraction(0), places=0), None)
