"""Which quantity a block of printed numbers is: by its labels, its shape, the words around it, and its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Final, TypeAlias

from flint import fmpq

from symattn.check.agreement import reach
from symattn.check.arithmetic import worth
from symattn.check.blocks import Block, sentence
from symattn.check.quantities import BEFORE_MASK, Array, Known, rough
from symattn.check.reading.labels import name_before, name_of, row_of
from symattn.check.reading.tree import Node, Num, entry, numbers_in
from symattn.check.routes import routes
from symattn.check.written import Written
from symattn.exact.values import MASKED, Value

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A block with the array that it prints; ``places[i][j]`` is where its entry stands in the array, None for none."""

    block: Block
    array: Array
    places: tuple[tuple[Place | None, ...], ...]
    labelled: bool


_PLAINLY: Final = 100
"""What it counts that a block's own label says that it is masked: as much as all its values."""
_OWN: Final = 60
_NEAR: Final = 24
_HEADING: Final = 10
_MOST: Final = 152
"""The most that values and words around can add to a rank."""
_ELSEWHERE: Final = 40
"""What speaks against another row than the one spoken of."""
_SETTLED: Final = 190
_SURE: Final = Fraction(3, 4)
_FEWEST: Final = 3
"""Of numbers that are believed by their values alone."""
_SLIP: Final = 20
"""Half units within which a slip of the pen leaves a number."""
_MOST_TRIED: Final = 4096
_ENOUGH: Final = 400
_EXPLAINED: Final = Fraction(1, 2)
_MOST_EXPLAINED: Final = 16
"""Of the numbers of a block, for asking how each was made."""
_MOST_ROADS: Final = 8
_FINE: Final = fmpq(1, 10**9)
OF_KEYS: Final = ("key", "value", "context")
"""What has a row a key, not a row a query."""
_TWINS: Final = {"logits": ("scaled", "scores"), "scaled": ("logits",), "scores": ("logits",), "weights": (),
                 "query": ("X",), "key": ("X",), "value": ("X",), "output": ("final", "concat"),
                 "concat": ("output",), "final": ("output",)}  # fmt: skip
"""What a label may also be used for."""


def match(
    block: Block, known: Known, letters: Mapping[str, Value] | None = None, written: Written | None = None
) -> Match | None:
    """The array that a block prints, or None where nothing on the page and nothing in its values says so.

    Args:
        block: The printed numbers.
        known: What they may be.
        letters: The values of letters that closed forms use.
        written: What was printed before, which a block may repeat.
    """
    single = block.shape == (1, 1)
    if single and not (block.own or block.said.near or block.said.heading):
        return None
    if known.worked.problem.page.vectors == "columns" and _is_laid_out(block):
        return _turned(block, known, letters, written)
    if block.row is None and len(block.rows) == 1 and not block.told and not block.own and block.shape[1] > 1:
        words, problem = block.said.raw[-80:], known.worked.problem
        names = problem.context_tokens if block.said.near[:1] and block.said.near[0] in OF_KEYS else problem.tokens
        before = name_before(words, names)
        block = replace(block, row=name_of(words, names) if before is None else before)
    reaches = _reaches(block, letters or {})
    decimals = _has_decimals(block)
    best: tuple[int, Fraction, int] | None = None
    chosen: Match | None = None
    rivals: list[tuple[Fraction, Match]] = []
    ranked = sorted(((-_rank(block, array), order) for order, array in enumerate(known.arrays)))
    settled = False
    highest = _MOST + (_PLAINLY if any(label.masked for label in block.own[:1]) else 0)
    for below, order in ranked:
        array, rank = known.arrays[order], -below
        tokens = known.worked.problem
        names = tokens.context_tokens if array.quantity in OF_KEYS else tokens.tokens
        if chosen is not None and best is not None and best[1] == 1 and best[0] >= _SETTLED > rank + highest:
            break
        if block.own and rank < 0 and settled:
            break
        if rank < _NEAR and (single or (rank < _HEADING and len(reaches) < _FEWEST - row_is_told(block))):
            break
        for places in _layouts(block, array, names, rank):
            good, count = _agreement(block, array, places, reaches, known, written if rank >= _HEADING else None)
            if not count:
                continue
            share = good / count
            if not _may_be(block, array, rank, share, good, decimals=decimals):
                if rank < _NEAR and share * 2 >= 1 and row_is_told(block):
                    rivals.append((share, Match(block, array, places, False)))
                continue
            score = rank + int(100 * share) + _context(block, array) - _other_row(block, names, places)
            key = (score, share, -order)
            if best is None or key > best:
                best, chosen = key, Match(block, array, places, rank >= _NEAR)
                settled = settled or (rank >= _OWN and share * 2 >= 1)
    if rivals and decimals and not block.own and best is None:
        return next((other for _, other in rivals if _is_near_print(block, other, known, letters or {})), None)
    most = max(rivals, key=lambda rival: rival[0], default=None)
    if most is not None and best is not None and _is_out_of_place(block, best[1], most[0], decimals=decimals):
        return most[1]
    return chosen


def _is_near_print(block: Block, other: Match, known: Known, letters: Mapping[str, Value]) -> bool:
    """Whether a row that words tell the number of is one of an array, but for slips of a few units."""
    good, count = _agreement(block, other.array, other.places, _reaches(block, letters, _SLIP), known, None)
    return block.shape[1] > 1 and good == count


def _is_out_of_place(block: Block, share: Fraction, other: Fraction, *, decimals: bool) -> bool:
    """Whether a row in running words has little of what the words around it name, and much of another array."""
    plain = not block.own and not block.told and decimals
    return plain and share * 2 < 1 <= other * 2 and share < other


def _is_laid_out(block: Block) -> bool:
    """Whether a block is a whole matrix, so that a page with a column a token has it turned."""
    return not block.by_token and len(block.rows) > 1 and len({len(row) for row in block.rows}) == 1


def _turned(block: Block, known: Known, letters: Mapping[str, Value] | None, written: Written | None) -> Match | None:
    """The match of a matrix with a column a token: that of its transpose, turned back."""
    names = block.column_names if any(block.column_names) else ()
    other = replace(block, rows=tuple(zip(*block.rows, strict=True)), row_names=names, by_token=True)
    found = match(other, known, letters, written)
    if found is None:
        return None
    return Match(block, found.array, tuple(zip(*found.places, strict=True)), found.labelled)


def _may_be(
    block: Block,
    array: Array,
    rank: int,
    share: Fraction,
    good: Fraction,
    *,
    decimals: bool,
) -> bool:
    """Whether a candidate is believed: its label says so, or its values do."""
    if share * 2 < 1 and any(node is not None and not isinstance(node, Num) for row in block.rows for node in row):
        return False
    single = block.shape == (1, 1)
    whole = block.shape == array.shape or len(block.rows) > 1
    if single and not whole:
        certain = (
            (block.told or decimals) and row_is_told(block) and (array.shape[1] == 1 or block.column is not None)
        ) or (array.shape[1] == 1 and any(block.row_names))
        return rank >= _NEAR and ((share == 1 and decimals) or (rank >= _OWN and block.told and share == 1) or certain)
    if single:
        return rank >= _OWN or (rank >= _NEAR and share == 1 and decimals)
    has_its_size = block.shape == array.shape or bool(block.own) or share * 3 >= 1
    if rank >= _NEAR and ((whole and block.told and has_its_size) or row_is_told(block)):
        return True
    if not block.told and not decimals:
        return rank >= _NEAR and share == 1
    if rank >= _OWN:
        return good > 0 or array.shape[0] == 1
    if rank >= _NEAR:
        return share * 2 >= 1 or (array.shape[0] == 1 and block.told)
    if rank >= _HEADING:
        return share * 2 >= 1 and (good >= 2 or row_is_told(block))
    if block.own and share < 1:
        return False
    return share >= _SURE and good >= (_FEWEST - 1 if share == 1 and decimals and row_is_told(block) else _FEWEST)


def _has_decimals(block: Block) -> bool:
    """Whether some number of a block is written with decimals."""
    return any(number.places > 0 for row in block.rows for node in row for number in numbers_in(node))


def row_is_told(block: Block) -> bool:
    """Whether words single out the row of a list in running text."""
    return block.row is not None


def is_misnamed(block: Block) -> bool:
    """Whether rows that add to 1, with nothing below 0, are called scores: they may be weights."""
    if block.shape[1] < 2 or not any(label.quantity in ("scores", "scaled", "logits") for label in block.own):
        return False
    for row in block.rows:
        found = [node.printed for node in row if isinstance(node, Num)]
        units = max((number.unit for number in found), default=Fraction(0))
        if len(found) < len(row) or any(number.special or number.value < 0 for number in found):
            return False
        if abs(sum((number.value for number in found), Fraction(0)) - 1) * 2 > units * len(found):
            return False
    return _has_decimals(block)


def _rank(block: Block, array: Array) -> int:
    """How plainly the labels say that a block is this array."""
    if array.quantity == "weights" and is_misnamed(block):
        return _OWN - 10
    for index, label in enumerate(block.own[:3]):
        if label.quantity == array.quantity:
            return _OWN + 30 - 8 * index
        if array.quantity in _TWINS.get(label.quantity, ()):
            return _OWN - 10 - 8 * index
    if block.own:
        return -_OWN
    for index, quantity in enumerate(block.said.near[:3]):
        if quantity == array.quantity:
            return _NEAR + 20 - 8 * index + (26 if index == 0 and row_is_told(block) else 0)
        if array.quantity in _TWINS.get(quantity, ()):
            return _NEAR - 6 * index
    return _HEADING if array.quantity in block.said.heading else -20 if block.said.near else 0


def _other_row(block: Block, names: tuple[str, ...], places: tuple[tuple[Place | None, ...], ...]) -> int:
    """What speaks against a row that is not the one that the sentence before is about."""
    if len(block.rows) > 1 or block.shape[1] < 2 or places[0][0] is None:
        return 0
    told = row_of(sentence(block.said.raw), names)
    return 0 if told is None or told == places[0][0][0] else _ELSEWHERE


def _context(block: Block, array: Array) -> int:
    """What head and mask the words speak of."""
    found = 0
    if block.said.head is not None and array.head is not None:
        found += 40 if block.said.head == array.head else -40
    if array.section:
        found += 12 if block.said.masked else -12
        found += _PLAINLY if any(label.masked for label in block.own[:1]) else 0
    return found


def _layouts(
    block: Block, array: Array, names: tuple[str, ...], rank: int
) -> list[tuple[tuple[Place | None, ...], ...]]:
    """Where a block's entries may stand in an array."""
    height, width = array.shape
    rows, columns = block.shape
    if any(block.row_names) and rows > 0:
        found = named_rows(block, array, names)
        if found is not None:
            return [_by_names(block, found)]
    if (rows, columns) == (height, width) and _is_full(block, width):
        return [_block_at(block, 0)]
    if rows == 1 and 1 < columns < width:
        return _seen(block, array, names, rank)
    if block.elided:
        return _elided(block, array)
    if rows == 1 and columns == width and (height > 1):
        return [_block_at(block, row) for row in _rows_to_try(block, height, names, rank)]
    if columns == 1 and rows == 1:
        return _cells(block, array, names, rank)
    if rows == 1 and columns == height and width == 1:
        return [(tuple((row, 0) for row in range(height)),)]
    if (columns, rows) == (height, width) and rank and all(len(row) == columns for row in block.rows):
        return [tuple(tuple((j, i) for j in range(height)) for i in range(width))]
    if columns == width and rows < height and _is_full(block, width):
        return [_block_at(block, row) for row in range(height - rows + 1)][:64]
    return []


def _seen(block: Block, array: Array, names: tuple[str, ...], rank: int) -> list[tuple[tuple[Place | None, ...], ...]]:
    """A row without the keys that it does not see: as its columns name them, else all those that it sees."""
    found: list[tuple[tuple[Place | None, ...], ...]] = []
    for row in _rows_to_try(block, array.shape[0], names, rank):
        seen = [key for key, hidden in enumerate(array.hidden[row]) if not hidden] if array.hidden else []
        if len(seen) == block.shape[1] and rank:
            found.append((tuple((row, key) for key in seen),))
    return found


def _is_full(block: Block, width: int) -> bool:
    return all(len(row) in (0, width) for row in block.rows)


def _block_at(block: Block, first: int) -> tuple[tuple[Place | None, ...], ...]:
    return tuple(tuple((first + i, j) for j in range(len(row))) for i, row in enumerate(block.rows))


def named_rows(block: Block, array: Array, names: tuple[str, ...]) -> list[int] | None:
    """The row of the array that each row of a block is, by the names of tokens; None if the names are not those."""
    height, width = array.shape
    found: list[int] = []
    lowered = [name.lower() for name in names[:height]]
    named = block.row_names or ("",) * len(block.rows)
    for index, (name, row) in enumerate(zip(named, block.rows, strict=True)):
        if row and len(row) != width:
            return None
        if name.lower() in lowered and lowered.count(name.lower()) == 1:
            found.append(lowered.index(name.lower()))
        elif len(block.rows) == height:
            found.append(index)
        else:
            return None
    return found


def _by_names(block: Block, rows: list[int]) -> tuple[tuple[Place | None, ...], ...]:
    return tuple(tuple((place, j) for j in range(len(row))) for place, row in zip(rows, block.rows, strict=True))


def _rows_to_try(block: Block, height: int, names: tuple[str, ...], rank: int) -> list[int]:
    if block.row is not None and block.row < height:
        return [block.row]
    told = row_of(block.said.raw, names)
    if told is not None and told < height and rank:
        return [told, *(row for row in range(min(height, 64)) if row != told)]
    return list(range(min(height, 64)))


def _cells(block: Block, array: Array, names: tuple[str, ...], rank: int) -> list[tuple[tuple[Place | None, ...], ...]]:
    """Where a single number may stand."""
    height, width = array.shape
    if (height, width) == (1, 1):
        return [(((0, 0),),)]
    if not rank:
        return []
    if width == 1:
        rows = _rows_to_try(block, height, names, rank)
        return [(((row, 0),),) for row in (rows[:1] if block.row is not None or any(block.row_names) else rows)]
    if height * width > _MOST_TRIED:
        return []
    columns = range(width) if block.column is None or block.column >= width else (block.column,)
    return [(((row, column),),) for row in _rows_to_try(block, height, names, rank) for column in columns]


def _elided(block: Block, array: Array) -> list[tuple[tuple[Place | None, ...], ...]]:
    """An array print whose middle is left out: what stands before the dots counts from the start, the rest from the
    end.
    """
    height, width = array.shape
    gap = next((index for index, row in enumerate(block.rows) if not row), len(block.rows))
    after = len(block.rows) - gap - 1
    if gap + max(after, 0) > height:
        return []
    found: list[tuple[Place | None, ...]] = []
    for index, row in enumerate(block.rows):
        place = index if index < gap else height - (len(block.rows) - index)
        hole = next((column for column, node in enumerate(row) if node is None), len(row))
        line: list[Place | None] = []
        for column, node in enumerate(row):
            at = column if column < hole else width - (len(row) - column)
            line.append(None if node is None or not 0 <= at < width else (place, at))
        found.append(tuple(line))
    return [tuple(found)]


Reach: TypeAlias = tuple[fmpq, fmpq]
"""The least and the most that an entry may be."""


def _reaches(block: Block, letters: Mapping[str, Value], halves: int = 3) -> dict[int, Reach | None]:
    """Where the value of each entry of a block lies, by the entry's identity; None for one without a value."""
    found: dict[int, Reach | None] = {}
    units = halves if block.told or block.shape != (1, 1) else 1
    for row in block.rows:
        for node in row:
            if isinstance(node, Num):
                found[id(node)] = reach(node.printed, 0 if node.printed.is_integer and _is_exact(block) else units)
            elif node is not None:
                value = worth(node, letters)
                form = rough(value) if isinstance(value, Value) else None
                found[id(node)] = None if form is None else (form - _FINE, form + _FINE)
    return found


def _is_exact(block: Block) -> bool:
    """Whether whole numbers stand for themselves: in running words they are no roundings."""
    return block.is_exact or (not block.told and not block.own and block.shape[1] > 1)


def _agreement(
    block: Block,
    array: Array,
    places: tuple[tuple[Place | None, ...], ...],
    reaches: Mapping[int, Reach | None],
    known: Known,
    written: Written | None,
) -> tuple[Fraction, int]:
    """How many numbers of a block may be those of an array, and how many there are; one that only earlier numbers
    explain counts less.
    """
    by = written if len(reaches) <= _MOST_EXPLAINED else None
    good, count = Fraction(0), 0
    for row, line in zip(block.rows, places, strict=True):
        for node, place in zip(row, line, strict=True):
            if node is None or place is None:
                continue
            count += 1
            within = reaches[id(node)]
            if within is None:
                hidden = isinstance(node, Num) and node.printed.special == "-oo"
                good += hidden and (array.quantity in BEFORE_MASK or array.rows[place[0]][place[1]] is MASKED)
                continue
            near = array.near(*place)
            if near is not None and within[0] <= near <= within[1]:
                good += 1
            elif by is not None and _is_explained(node, array, place, known, by):
                good += _EXPLAINED
            if count >= _ENOUGH:
                return good, count
    return good, count


def _is_explained(node: Node, array: Array, place: Place, known: Known, written: Written) -> bool:
    """Whether an entry was printed before with these decimals, or follows from what was."""
    number = entry(node)
    if number is None or number.special:
        return False
    cells = written.cells(array.quantity, array.head, array.section, *place)
    if not number.is_integer and any(cell.printed.text == number.text for cell in cells):
        return True
    found = reach(number, 1)
    for road in islice(routes(known, written, array, *place), _MOST_ROADS):
        value = road.value
        near = rough(value) if isinstance(value, Value) else fmpq(value.numerator, value.denominator)
        if found is not None and near is not None and found[0] <= near <= found[1]:
            return True
    return False


__all__ = ["Match", "Node", "match"]
