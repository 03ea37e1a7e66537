"""A page's items as blocks of numbers, each with the labels that say what it may be."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from symattn.check.reading import labels
from symattn.check.reading.above import label_above, of_formula
from symattn.check.reading.labels import Label
from symattn.check.reading.page import Item, PageText
from symattn.check.reading.sources import PICTURE
from symattn.check.reading.tree import (
    Call,
    Cell,
    Grid,
    Member,
    Name,
    Node,
    Num,
    Operation,
    Sequence,
    Statement,
    Table,
    entry,
    numbers_in,
)

Rows = tuple[tuple[Node | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What the words around a block say.

    Attributes:
        near: Quantities that the words before it name, nearest first.
        heading: Quantities that the headings above it name, nearest first.
        head: The head that is spoken of, counted from 0.
        masked: Whether a mask is spoken of.
        words: The words before it.
        raw: The same as the file has them, with the marks of emphasis.
        after: The words after it, to the end of its sentence.
    """

    near: tuple[str, ...] = ()
    heading: tuple[str, ...] = ()
    head: int | None = None
    masked: bool = False
    words: str = ""
    raw: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Rows of entries that belong together.

    Attributes:
        rows: The entries; None where nothing stands.
        said: What the words around it say.
        own: Labels that are its own: what an equation or a table's heading calls it, nearest first.
        row_names, column_names: The names of its rows and columns, where a table gives them.
        by_token: Each row is one token's vector, however the page lays out its matrices.
        row, column: The row, and for a single number the column, that words or a label single out, counted from 0.
        trimmed: An array print without zeros at the end.
        told: It stands in an equation or a table, not in running words alone.
        elided: Rows or entries are left out by dots.
        statement: The statement that it is a side of.
        named: It is one number whose row's name says where it belongs.
        policy: What a table says of its numbers: ``carried`` for those from rounded numbers, ``one`` for those whose
            rows add to 1 besides.
    """

    rows: Rows
    start: int
    end: int
    said: Said
    own: tuple[Label, ...] = ()
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()
    by_token: bool = False
    row: int | None = None
    column: int | None = None
    trimmed: bool = False
    told: bool = True
    elided: bool = False
    statement: Statement | None = None
    named: bool = False
    policy: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), max(map(len, self.rows), default=0)

    @property
    def is_exact(self) -> bool:
        """Whether words say that its integers are not rounded."""
        return bool(_EXACTLY.search(self.said.words))


_EXACTLY: Final = re.compile(r"\bexactly[\s$\\({\[]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Around:
    """The words around a place: those before it in its paragraph, the headings above it, and what code calls it."""

    before: str
    headings: tuple[str, ...]
    after: str
    raw: str
    code: Label | None = None


def around(page: PageText, start: int, end: int, floor: int) -> Around:
    """The words around a place, none of them before ``floor``, the end of the block before."""
    text = page.text[max(floor, start - 300) : start]
    cut = text.rfind("\n\n", 0, max(0, len(text.rstrip()) - 1))
    paragraph = text[cut + 1 :] if cut >= 0 else text
    while cut > 0 and not _COMMANDS.sub("", paragraph):
        earlier = text[: cut + 1 if cut >= 0 else 0]
        cut = earlier.rstrip().rfind("\n\n")
        paragraph = earlier[cut + 1 :] + paragraph
    raw = page.source[start - len(paragraph) : start]
    return Around(paragraph, _above(page, start), _END.split(page.source[end : end + 160], maxsplit=1)[0], raw)


_COMMANDS: Final = re.compile(r"\\[A-Za-z]+|[^A-Za-z\\]+|\\")
"""What leaves nothing of a paragraph that says nothing."""
_END: Final = re.compile(r"[.!?](?=\s|$)|\n\n")


def _above(page: PageText, start: int) -> tuple[str, ...]:
    found: list[str] = []
    level = 99
    for heading in reversed(page.headings):
        if heading.start < start and heading.level < level:
            found.append(heading.text)
            level = heading.level
            if level == 1 or len(found) == 4:
                break
    return tuple(found)


def blocks(page: PageText) -> Iterator[Block]:
    """Every block of a page, in reading order. Numbers in a picture label what is drawn: no words around say what they
    are.
    """
    floor = 0
    from_one = _counts_from_one(page.text)
    drawn = [found.span() for found in PICTURE.finditer(page.source)]
    for item in page.items:
        before = bisect_left(drawn, (item.end, 0))
        if isinstance(item, Statement) and before and item.start < drawn[before - 1][1]:
            continue
        near = around(page, item.start, item.end, floor)
        if isinstance(item, Table) or _is_shown(item):
            near = replace(near, code=label_above(page.text, item.start))
        if isinstance(item, Statement):
            yield from _of_statement(item, near, 1 if from_one else 0)
        else:
            yield from _of_table(item, near)
        if not _is_lone(item):
            floor = item.end


def _is_shown(item: Statement) -> bool:
    """Whether an array stands by itself, as a program shows it."""
    return len(item.members) == 1 and isinstance(item.members[0].node, (Grid, Sequence))


def _is_lone(item: Item) -> bool:
    """A number by itself, such as that of a row, or the root that scores are divided by, does not end the words of
    what follows.
    """
    if not isinstance(item, Statement):
        return False
    first, last = item.members[0].node, item.members[-1].node
    is_root = isinstance(first, Call) and first.function == "sqrt" and (first is last or isinstance(last, Num))
    return is_root or (first is last and isinstance(last, Num))


def _said(near: Around) -> Said:
    if not near.headings and not any(map(str.isalpha, near.before)):
        return Said(words=near.before, raw=near.raw, after=near.after)
    above = " ; ".join(reversed(near.headings))
    head = labels.head_of(near.before)
    return Said(
        near=labels.of_words(near.before),
        heading=tuple(quantity for text in near.headings for quantity in labels.of_words(text)),
        head=labels.head_of(above) if head is None else head,
        masked=labels.is_masked(f"{above} ; {near.before}"),
        words=near.before,
        raw=near.raw,
        after=near.after,
    )


_BY_INDEX: Final = re.compile(r"(?<!\w)[A-Za-z_]\w*+\[(\d{1,2})\]")


def _counts_from_one(text: str) -> bool:
    """Whether the indices in square brackets on a page count from 1: there are several, and none is 0."""
    found = {int(match[1]) for match in _BY_INDEX.finditer(text)}
    return 0 not in found and {1, 2} <= found


def _of_statement(statement: Statement, near: Around, first: int) -> Iterator[Block]:
    """The blocks of a statement: each side that holds an array, with the sides before it as its labels; ``first`` is
    what indices in square brackets count from.
    """
    own: list[Label] = [] if near.code is None else [near.code]
    for member in statement.members:
        node = member.node
        found = labels.of_node(node)
        if found is not None:
            own.append(_from_zero(found, first) if found.is_index else found)
        rows = as_rows(node)
        if rows is None:
            yield from _inside(member, near, own)
            continue
        rows = _lying(rows, statement, own)
        context = _said(near)
        lone = next((label for label in reversed(own) if label.head is not None), None)
        if lone is not None:
            context = replace(context, head=lone.head)
        if any(label.masked for label in own):
            context = replace(context, masked=True)
        told = len(statement.members) > 1 or isinstance(node, Grid)
        row = next((label.row for label in reversed(own) if label.row is not None), None)
        last = sentence(near.before)
        if row is None and len(rows) == 1:
            row = labels.row_after(near.after) if len(rows[0]) > 1 else None
            row = labels.row_of(labels.without_row_after(last), ()) if row is None else row
        column = next((label.column for label in reversed(own) if label.column is not None), None)
        yield Block(
            rows,
            member.start,
            member.end,
            own=tuple(reversed(own)),
            trimmed=isinstance(node, Grid) and node.trimmed,
            elided=isinstance(node, Grid) and node.elided,
            told=told,
            row=row,
            column=labels.column_of(last) if column is None and rows == ((node,),) else column,
            statement=statement,
            said=context,
        )


def _from_zero(label: Label, first: int) -> Label:
    return replace(
        label,
        row=None if label.row is None else max(0, label.row - first),
        column=None if label.column is None else max(0, label.column - first),
    )


def _lying(rows: Rows, statement: Statement, own: list[Label]) -> Rows:
    """A vector that is set upright, as the row that it is: ``q_1`` of one column."""
    first = statement.members[0].node
    is_vector = any(label.row is not None for label in own) or (isinstance(first, Name) and first.text in _VECTORS)
    if len(rows) < 2 or any(len(row) != 1 for row in rows) or not is_vector:
        return rows
    return (tuple(row[0] for row in rows),)


_VECTORS: Final = ("q", "k", "v", "x", "z", "o", "c", "y")


def sentence(text: str) -> str:
    """The last sentence that has begun."""
    return re.split(r"[.!?](?=\s)", text)[-1]


def _inside(member: Member, near: Around, own: list[Label]) -> Iterator[Block]:
    """What softmax is taken of, within a formula."""
    stack: list[Node] = [member.node]
    while stack:
        node = stack.pop()
        if isinstance(node, Operation):
            stack += [node.right, node.left]
        if not isinstance(node, Call) or node.function != "softmax":
            continue
        only = node.arguments[0] if len(node.arguments) == 1 else Sequence(node.arguments)
        rows = as_rows(only)
        numbers = list(numbers_in(only))
        if rows is not None and len(numbers) > 1:
            row = next((label.row for label in own if label.row is not None), None)
            yield Block(
                rows,
                numbers[0].start,
                member.end,
                own=(Label("logits", row=row),),
                told=False,
                row=row,
                said=_said(near),
            )


def as_rows(node: Node) -> Rows | None:
    """The entries of an array; None for a formula."""
    match node:
        case Grid(rows):
            kept = tuple(row if row is not None else () for row in rows)
            return kept if any(any(True for _ in numbers_in(entry)) for row in kept for entry in row) else None
        case Sequence(items) if any(True for _ in numbers_in(node)) and not any(
            isinstance(item, (Grid, Sequence)) for item in items
        ):
            return (items,)
        case Num():
            return ((node,),)
        case Call("transpose", (Sequence() as inner,)):
            return as_rows(inner)
    return None


def _of_table(table: Table, near: Around) -> Iterator[Block]:
    """The blocks of a table: whole, or by rows or columns where these are named after quantities."""
    header = table.rows[0] if len(table.rows) > 1 and _is_header(table.rows[0], table.rows[1]) else None
    body = table.rows[1:] if header is not None else table.rows
    if not body:
        return
    named = _has_row_names(body) or (header is not None and _is_corner(header[0].text) and _is_counted(header, body))
    heads = tuple(cell.text for cell in header) if header is not None else ()
    width = max(map(len, body))
    if any(len(_entries(cell)) > 1 for row in body for cell in row[1 if named else 0 :]):
        yield from _by_vectors(table, body, heads, named, near)
        return
    if named and heads and all(row and _CELL_NAME.search(row[0].text) for row in body):
        yield from _by_cells(body, heads)
        return
    first = 1 if named else 0
    by_row = [labels.of_words(row[0].text) if named and row else () for row in body]
    by_column = [labels.of_words(text) or of_formula(text) for text in heads[first:]]
    if named and sum(map(bool, by_row)) * 2 > len(body) and len(body) > 0 and _distinct(by_row):
        yield from _by_rows(body, heads, by_row, near)
    elif heads and sum(bool(found) for found in by_column) * 2 > len(by_column) and _distinct(by_column):
        yield from _by_columns(table, body, by_column, first, near)
    else:
        yield from _whole(table, body, heads, first, width, near)


def _is_header(row: tuple[Cell, ...], below: tuple[Cell, ...]) -> bool:
    """Whether a row names columns: words, or their numbers 1, 2, 3 below a name of rows."""
    entries = [_entries(cell) for cell in row[1:]]
    if not any(entries):
        return True
    if _entries(row[0]) or not any(map(str.isalpha, below[0].text if below else "")):
        return False
    numbers = [entry(found[0]) if len(found) == 1 else None for found in entries]
    if all(number is not None and number.is_integer for number in numbers):
        values = [number.value for number in numbers if number is not None]
        if len(values) != len(entries):
            return False
        fits = max(sum(value == first + index for index, value in enumerate(values)) for first in (0, 1))
        return fits == len(values) or (fits == len(values) - 1 > 0 and _is_corner(row[0].text))
    return not all(entries) and not any(number is not None and number.places > 0 for number in numbers)


def _distinct(found: list[tuple[str, ...]]) -> bool:
    firsts = [names[0] for names in found if names]
    return len(set(firsts)) > 1 or len(firsts) == 1


def _has_row_names(body: tuple[tuple[Cell, ...], ...]) -> bool:
    return all(not row or not _entries(row[0]) or any(map(str.isalpha, row[0].text)) for row in body) or all(
        bool(row) and not row[0].text for row in body
    )


def _is_corner(text: str) -> bool:
    """Whether the first cell of a heading is no column's name: empty, or what the whole table is called."""
    return not text or bool(labels.of_words(text))


def _is_counted(header: tuple[Cell, ...], body: tuple[tuple[Cell, ...], ...]) -> bool:
    """Whether the first column numbers the rows; below an empty corner all but one, where the columns have names."""
    body = body[:-1] if len(body) > 1 and body[-1] and _SUM.fullmatch(_name(body[-1][0].text)) else body
    numbers = [entry(found[0]) if len(found := _entries(row[0])) == 1 else None for row in body if row]
    texts = [number.text if number is not None else "" for number in numbers]
    wrong = sum(text != str(1 + index) for index, text in enumerate(texts))
    named = not header[0].text and all(any(map(str.isalpha, cell.text)) for cell in header[1:])
    return wrong == 0 or (wrong == 1 < len(texts) and named and all(text.isdigit() for text in texts))


def _entries(cell: Cell) -> tuple[Node, ...]:
    """The numbers of a cell: those of its vector, or those beside one another; of an equation its last side."""
    found: list[Node] = []
    for statement in cell.statements:
        node = statement.members[-1].node
        rows = as_rows(node)
        if rows is not None and not isinstance(node, Num):
            found += [entry for row in rows for entry in row if entry is not None]
        elif any(True for _ in numbers_in(node)) or isinstance(node, Name):
            found.append(node)
    return tuple(found) if any(any(True for _ in numbers_in(node)) for node in found) else ()


_CELL_NAME: Final = re.compile(r"\b(?:weight|output|score|query|key|value|final output) of\b", re.IGNORECASE)
_CARRIED: Final = re.compile(r"from rounded|rounded numbers", re.IGNORECASE)
_ONE: Final = re.compile(r"adds? to 1", re.IGNORECASE)


def _by_cells(body: tuple[tuple[Cell, ...], ...], heads: tuple[str, ...]) -> Iterator[Block]:
    """A table each of whose rows is about one number, printed in several ways."""
    for row in body:
        name = row[0].text
        said = Said(near=labels.of_words(name)[-1:], head=labels.head_of(name), words=name)
        for column, cell in enumerate(row[1:], start=1):
            node = _scalar(cell)
            if node is not None:
                head = heads[column] if column < len(heads) else ""
                policy = "one" if _ONE.search(head) else "carried" if _CARRIED.search(head) else ""
                own = tuple(Label(quantity) for quantity in labels.of_words(name)[-1:])
                yield Block(((node,),), cell.start, cell.start, said, own=own, named=True, policy=policy)


def _by_vectors(
    table: Table, body: tuple[tuple[Cell, ...], ...], heads: tuple[str, ...], named: bool, near: Around
) -> Iterator[Block]:
    """Each column of vectors as an array, its rows named by the first column."""
    first = 1 if named else 0
    names = tuple(_name(row[0].text) if named and row else "" for row in body)
    for column in range(first, max(map(len, body))):
        rows = tuple(_entries(row[column]) if column < len(row) else () for row in body)
        if not any(rows):
            continue
        title = heads[column] if column < len(heads) else ""
        yield Block(
            rows,
            next(cell_start(row, column) for row in body if column < len(row)),
            table.end,
            own=tuple(Label(quantity) for quantity in labels.of_title(title)),
            row_names=names,
            by_token=True,
            said=_said(near),
        )


def cell_start(row: tuple[Cell, ...], column: int) -> int:
    """Where a cell begins."""
    return row[column].start


def _scalar(cell: Cell) -> Node | None:
    found = _entries(cell)
    return found[0] if len(found) == 1 else None


def _name(text: str) -> str:
    return re.sub(r"^(?:token|query|row)\s+", "", text.strip(" :*_"))


_SUM: Final = re.compile(r"(?:row )?sums?|totals?|Σ", re.IGNORECASE)


def _by_rows(
    body: tuple[tuple[Cell, ...], ...],
    heads: tuple[str, ...],
    found: list[tuple[str, ...]],
    near: Around,
) -> Iterator[Block]:
    """Each row as a quantity of its own: scaled scores, exponentials, weights of one query; a last column of sums."""
    total = _sum_column(heads)
    context = _said(near)
    sinks = [index for index, text in enumerate(heads) if text.lower() == "sink"]
    for row, quantities in zip(body, found, strict=True):
        last = total if total is not None else len(row)
        entries = tuple(_scalar(cell) for index, cell in enumerate(row[1:last], start=1) if index not in sinks)
        own = tuple(Label(quantity) for quantity in _leading(row[0].text, quantities))
        if any(entry is not None for entry in entries):
            yield Block((entries,), row[0].start, row[-1].start, own=own, said=context)
        for column in sinks:
            quantity = {"scaled": "sink", "exponentials": "sink_exponential"}.get(own[0].quantity if own else "", "")
            if quantity and column < len(row) and (entry := _scalar(row[column])) is not None:
                yield Block(((entry,),), row[column].start, row[-1].start, own=(Label(quantity),), said=context)
        if total is not None and total < len(row) and (entry := _scalar(row[total])) is not None:
            quantity = "sums" if own and own[0].quantity == "exponentials" else "ones"
            yield Block(((entry,),), row[total].start, row[-1].start, own=(Label(quantity),), said=context)


def _sum_column(heads: tuple[str, ...]) -> int | None:
    """The column of sums, after the entries that are added."""
    return next((index for index, text in enumerate(heads) if index > 1 and _SUM.fullmatch(text)), None)


def _leading(text: str, quantities: tuple[str, ...]) -> tuple[str, ...]:
    """What a row's name begins with counts most: ``weight = e^s / sum`` are weights."""
    first = labels.of_words(re.split(r"[=:(/]", text)[0])
    return tuple(dict.fromkeys((*first, *quantities)))


def _by_columns(
    table: Table,
    body: tuple[tuple[Cell, ...], ...],
    found: list[tuple[str, ...]],
    first: int,
    near: Around,
) -> Iterator[Block]:
    """Each column as a quantity of one query, its rows the keys."""
    context = _said(near)
    total = body[-1] if first and len(body) > 1 and _SUM.fullmatch(_name(body[-1][0].text)) else None
    keys = body[:-1] if total is not None else body
    for column, quantities in enumerate(found, start=first):
        if not quantities:
            continue
        entries = tuple(_scalar(row[column]) if column < len(row) else None for row in keys)
        if any(entry is not None for entry in entries):
            own = tuple(Label(quantity) for quantity in quantities)
            start, end = (row[min(column, len(row) - 1)].start for row in (keys[0], keys[-1]))
            yield Block((entries,), start, end, own=own, said=context)
        if total is not None and column < len(total) and (entry := _scalar(total[column])) is not None:
            quantity = "sums" if quantities[0] == "exponentials" else "ones"
            yield Block(((entry,),), total[column].start, table.end, own=(Label(quantity),), said=context)


def _whole(
    table: Table, body: tuple[tuple[Cell, ...], ...], heads: tuple[str, ...], first: int, width: int, near: Around
) -> Iterator[Block]:
    """The table as one array, its corner a label."""
    total = _sum_column(heads)
    total = width if total is None or not first else total
    names = tuple(_name(row[0].text) if first else "" for row in body)
    corner = heads[0] if heads and first else ""
    own = tuple(Label(quantity) for quantity in labels.of_words(corner)) or (() if near.code is None else (near.code,))
    context = _said(near)
    left_out = () if "proportion" in near.before else (("sink",), ("Sink",))
    kept = [column for column in range(first, total) if heads[column : column + 1] not in left_out]
    rows = tuple(tuple(_scalar(row[column]) if column < len(row) else None for column in kept) for row in body)
    if any(entry is not None for row in rows for entry in row):
        yield Block(
            rows,
            table.start,
            table.end,
            own=own,
            row_names=names,
            said=context,
            column_names=tuple(heads[column] for column in kept if column < len(heads)),
        )
    if total < width:
        for index, row in enumerate(body):
            if total < len(row) and (entry := _scalar(row[total])) is not None:
                yield Block(
                    ((entry,),),
                    row[total].start,
                    table.end,
                    own=(Label("sums"),),
                    row_names=(names[index],),
                    said=context,
                )
