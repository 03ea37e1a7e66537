"""A page checked: every number that can be matched is judged, the rest is reported as unread."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final

from symattn.check import policy
from symattn.check.agreement import certified, stand
from symattn.check.arithmetic import Worth, worth
from symattn.check.blocks import Block, blocks, sentence
from symattn.check.chains import culprit, holds
from symattn.check.declared import declaration
from symattn.check.diagnosis import Diagnosis, diagnosis
from symattn.check.fix import REWRITTEN
from symattn.check.given import Example, declared_example, examples
from symattn.check.inputs import rounded_inputs
from symattn.check.match import OF_KEYS, Match, is_misnamed, match, named_rows
from symattn.check.operands import Wrong, mix, rows_of, wrong_operands
from symattn.check.quantities import BEFORE_MASK, Array
from symattn.check.reading.labels import cell_of, follows, is_quoted, name_before, named_row, of_node, row_of
from symattn.check.reading.page import PageText, page_text
from symattn.check.reading.printed import Printed, printed, respelled
from symattn.check.reading.sources import kind_of, readable
from symattn.check.reading.tree import Grid, Name, Node, Num, Sequence, Statement, Table, entry, numbers_in
from symattn.check.report import Because, Finding, Report, Taken, Unread
from symattn.check.routes import Route, routes
from symattn.check.sentences import said
from symattn.check.twin import Place, places
from symattn.check.verdicts import ERRATA, Opinion, adjusted, opinion
from symattn.check.written import Judged, Written
from symattn.errors import SpecError, SymattnError
from symattn.exact.text_forms import Writer
from symattn.exact.values import MASKED, Plain, Value
from symattn.parse.plain import plain
from symattn.problem import Problem
from symattn.rounding import nearest

_MORE_PLACES: Final = 6
_NEARBY: Final = 160
_LAST_WORDS: Final = 40
_COUNTED: Final = re.compile(
    r"(?:\b(?:rows?|columns?|entr(?:y|ies)|numbers?|tokens?|heads?|steps?|chapters?|figures?|fig\.|tables?|sections?|pages?"
    r"|eq(?:uation)?s?\.?|questions?|exercises?|examples?|layers?|version|part)\s*[#(]?|^\s*\#{1,6}\s+)$",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(r"\battention\b|\bsoftmax\b", re.IGNORECASE)
_PROPORTION: Final = re.compile(r"in proportion|proportional", re.IGNORECASE)
_ADDS: Final = re.compile(r"\b(?:adds?|sums?)\s+(?:up\s+)?to\s+\$?\s*$", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"[\s\\\])$,;*_]*(?:and|new|then)?(?:\s+new)?[\s\\\[($*_]*")
_ITEM: Final = re.compile(r"\d{1,3}[.)]\s")


Twin = Callable[[Problem | str, str], str | None]
"""Makes a page anew from what it declares, as like to the given text as can be; None where it makes no such pages."""


def check(
    file: str,
    source: str,
    problem: Problem | None = None,
    *,
    declares: bool = False,
    name: str = "",
    twin: Twin | None = None,
) -> Report:
    """Every number of a page, judged.

    Args:
        file: The page's name; its end says what kind of source it is.
        source: The page's text.
        problem: What its numbers belong to; without it, what the page itself declares, or else says.
        declares: Whether ``problem`` declares the page's policy.
        name: What the problem is called in the report.
        twin: Makes a declared page anew, so that what no reading reaches is compared too.
    Returns:
        Findings in reading order, and the numbers that match nothing.
    Raises:
        SpecError: Layers or a residual connection, and no twin: only the twin knows what such a page says.
    """
    own = declaration(source) if problem is None else None
    if own is not None:
        declares, name = True, "declaration"
    if isinstance(own, Problem):
        problem = own
    chained = problem is not None and bool(problem.layers or problem.attention.residual)
    page = page_text(source, readable(source, kind_of(file, source)))
    found = []
    if not chained and (problem is not None or any(map(_holds_array, page.items))):
        found = list(blocks(page))
    missing: tuple[str, ...] = ()
    partial: dict[str, Any] = {}
    made: list[Example] = []
    if problem is not None and not chained:
        made = [declared_example(problem, plain(problem), len(source), declared=declares, name=name)]
    elif own is None and not chained:
        made, missing, partial = examples(page, found)
    checker = _Checker(file, page, made)
    for block in found:
        checker.block(block)
    checker.rest()
    made_anew = twin(own, source) if twin is not None and own is not None else None
    if made_anew is not None:
        checker.compare(places(source, made_anew), vouched=chained)
    elif chained:
        raise SpecError(
            "with layers or a residual connection only a page that symattn made is checked, beside itself made anew",
            mend="leave these out: the X of a further layer is the output before it",
        )
    return Report(
        file,
        tuple(sorted(checker.findings.values(), key=lambda finding: finding.start)),
        tuple(checker.unread),
        tuple(Taken(*taken) for example in made for taken in example.taken)
        or ((Taken("declaration", 0),) if own is not None else ()),
        missing,
        tuple(example.data for example in made) or ((partial,) if partial else ()),
        declares,
    )


@dataclass(slots=True)
class _Ruled:
    """An example at work: what has been printed of it so far, and how its closed forms are written."""

    example: Example
    written: Written
    writer: Writer | None = None
    last: tuple[int | None, int] = (None, 0)
    spoken: tuple[str, int | None, int] = ("", None, 0)
    names: dict[str, Value] = field(default_factory=dict)

    def diagnosis(self) -> Diagnosis:
        """What mistakes would give, worked when it is first asked for."""
        return diagnosis(self.example.known)

    def exact(self, value: Value) -> str | None:
        """The closed form of a value."""
        if self.writer is None:
            self.writer = Writer(self.example.known.worked.generator())
        try:
            return self.writer.value(value)
        except SymattnError:
            return None


class _Checker:
    """Goes through the blocks of a page in reading order."""

    def __init__(self, file: str, page: PageText, made: list[Example]) -> None:
        self.file, self.page = file, page
        self.ruled = [_Ruled(example, Written(len(example.known.worked.sections))) for example in made]
        self.findings: dict[int, Finding] = {}
        self.unread: list[Unread] = []
        self.given: set[int] = set()
        self.quoted: list[Fraction] = []
        self.about: bool | None = None
        for item in page.items:
            if isinstance(item, Statement) and (ruled := self._rules(item.start)) is not None:
                self._bind(ruled, item)

    def _rules(self, offset: int) -> _Ruled | None:
        """The example that rules a place; examples stand one after the other."""
        index = bisect_right(self.ruled, offset, key=lambda ruled: ruled.example.start) - 1
        return self.ruled[index] if index >= 0 and offset < self.ruled[index].example.end else None

    def block(self, block: Block) -> None:
        """Judge one block, if something is known of it."""
        ruled = self._rules(block.start)
        if ruled is None:
            self._impossible(block)
            return
        if id(block) in ruled.example.given:
            self._take(ruled, block)
            return
        if self._by_words(ruled, block):
            return
        found = match(block, ruled.example.known, ruled.names) or self._beside(ruled, block) or self._next(ruled, block)
        claims = self._claims(ruled, block)
        if found is not None and claims is not None and _is_result(block, claims, found):
            found = None
        if found is not None:
            self._judge(ruled, found, claims)
        elif claims is not None:
            self._judge_claims(ruled, block, claims)

    def _impossible(self, block: Block) -> None:
        """Weights that no inputs give: below 0, above 1, nan, or rows that roundings alone keep from adding to 1."""
        if self.about is None:
            self.about = bool(_ABOUT.search(self.page.text))
        named = any(label.quantity == "weights" for label in block.own)
        if not self.about or not named or not block.told or block.shape[1] < 2:
            return
        for row in block.rows:
            numbers = [number for node in row if (number := entry(node)) is not None]
            for number in numbers:
                if number.special or not 0 <= number.value <= 1:
                    self._add(number, "weights", None, None, "wrong", because=Because("impossible"))
            if len(numbers) != len(row) or len(row) < 2 or any(number.start in self.findings for number in numbers):
                continue
            total = sum((number.value for number in numbers), Fraction(0))
            unit = max(number.unit if number.places > 0 else Fraction(0) for number in numbers)
            if abs(total - 1) * 2 > unit * len(numbers):
                parts = (nearest(total, max(number.places for number in numbers)).text,)
                self._add(numbers[0], "weights", None, None, "wrong", because=Because("row_sum", parts))

    def _take(self, ruled: _Ruled, block: Block) -> None:
        """A block that is given: its numbers are what the rest is judged by."""
        found = match(block, ruled.example.known, ruled.names)
        cells: dict[tuple[int, int], Judged] = {}
        for row, line in enumerate(block.rows):
            for column, node in enumerate(line):
                number = entry(node)
                self.given |= {inner.start for inner in numbers_in(node)}
                if number is not None:
                    place = found.places[row][column] if found is not None else (row, column)
                    if place is not None:
                        cells[place] = Judged(number, "correct")
        if found is not None:
            ruled.written.add((found.array.quantity, found.array.head, found.array.section), cells)

    def _beside(self, ruled: _Ruled, block: Block) -> Match | None:
        """A row or a sum that belongs to the row printed right before it."""
        row, end = ruled.last
        if row is None or block.row is not None or len(block.rows) != 1 or not 0 <= block.start - end <= _NEARBY:
            return None
        if not block.own and (block.told or block.said.near[:1] not in (("sums",), ("exponentials",), ("weights",))):
            return None
        return match(replace(block, row=row), ruled.example.known, ruled.names)

    def _next(self, ruled: _Ruled, block: Block) -> Match | None:
        """A vector that goes on with those before it: ``the values it [2, 0], was [0, 2] and tired [2, 2]``."""
        quantity, head, end = ruled.spoken
        between = self.page.source[end : block.start]
        if block.told or block.own or block.said.near or not 0 < len(between) <= _NEARBY or not quantity:
            return None
        problem = ruled.example.known.worked.problem
        names = problem.context_tokens if quantity in OF_KEYS else problem.tokens
        row = name_before(between, names)
        if row is None or not _GOES_ON.fullmatch(between.replace(names[row], "", 1)):
            return None
        said = replace(block.said, near=(quantity,), head=head)
        return match(replace(block, row=row, said=said), ruled.example.known, ruled.names)

    def _by_words(self, ruled: _Ruled, block: Block) -> bool:
        """Blocks that the words around them explain: sums of rows, table rows on one entry, quoted mistakes."""
        if is_total(block) or any(label.quantity == "ones" for label in block.own):
            return self._total(ruled, block)
        return (
            self._entry(ruled, block)
            or self._for_name(ruled, block)
            or self._quoted(ruled, block)
            or self._proportions(ruled, block)
        )

    def _entry(self, ruled: _Ruled, block: Block) -> bool:
        """A number that its row's name says the place of."""
        number = entry(block.rows[0][0])
        if number is None or not block.named or not block.own:
            return False
        known = ruled.example.known
        problem = known.worked.problem
        place = cell_of(block.said.words, problem.tokens, problem.context_tokens)
        quantity = block.own[0].quantity
        head = block.said.head
        heads = known.worked.sections[0].result.heads
        array = known.array(quantity, 0 if head is None and len(heads) == 1 else head, 0)
        if quantity == "output" and array is None:
            array = known.array("final", None, 0)
        if place is None or array is None or place[0] >= array.shape[0] or place[1] >= array.shape[1]:
            return False
        value = array.rows[place[0]][place[1]]
        wanted = self._by_policy(ruled, number, array, place, block.policy)
        if block.policy and wanted is None:
            return True
        verdict = stand(number, value) if wanted is None else stand(number, wanted)
        word = {"correct": "correct", "truncated": "truncated", "near": "last_digit", "far": "wrong"}[verdict]
        self._add(
            number, array.quantity, array.head if len(heads) > 1 else None, place, word,
            exact=ruled.exact(value), value=value, wanted=wanted, because=None if word == "correct" else Because(word),
        )  # fmt: skip
        return True

    @staticmethod
    def _by_policy(ruled: _Ruled, number: Printed, array: Array, place: tuple[int, int], named: str) -> Fraction | None:
        """What a named policy prints in a place: at a number's places, or at its digits where a page says neither."""
        if not named:
            return None
        worked = ruled.example.known.worked
        wanted = policy.value(worked, array, place, number.places, named)
        if ruled.example.declared or wanted == number.value:
            return wanted
        digits = len(str(abs((number.value / number.unit).numerator)))
        counted = policy.value(policy.significant(worked, digits), array, place, number.places, named)
        return counted if counted == number.value else wanted

    def _for_name(self, ruled: _Ruled, block: Block) -> bool:
        """A number of a row in running words, with the token that it is for: ``Row it: 0.401 for it``."""
        known = ruled.example.known
        problem = known.worked.problem
        number = entry(block.rows[0][0]) if block.shape == (1, 1) and not block.told else None
        if number is None or "weights" not in (*block.said.near, *block.said.heading):
            return False
        row = named_row(block.said.raw, problem.tokens)
        column = next(
            (index for index, key in enumerate(problem.context_tokens) if follows(block.said.after, key)), None
        )
        head = 0 if block.said.head is None else block.said.head
        found = [array for array in known.arrays if array.quantity == "weights" and array.head == head]
        if row is None or column is None or not found:
            return False
        array = next((array for array in found if bool(array.section) == block.said.masked), found[0])
        if row >= array.shape[0] or column >= array.shape[1]:
            return False
        made = self._opinion(ruled, number, array, (row, column), None, None)
        if made.verdict in ERRATA:
            cells = ruled.written.cells("weights", array.head, array.section, row, column)
            same = next((one for one in cells if one.printed.value == number.value and one.verdict == "adjusted"), None)
            if same is not None:
                made.verdict, made.route = "carried", Route(same.value, "same", (same,))
        several = len(known.worked.sections[0].result.heads) > 1
        value = array.rows[row][column]
        self._add(
            number, "weights", head if several else None, (row, column), made.verdict, exact=ruled.exact(value),
            value=value, because=_because(made, None, [made]), wanted=made.wanted,
        )  # fmt: skip
        return True

    def _quoted(self, ruled: _Ruled, block: Block) -> bool:
        """A row that someone else is said to have got by a mistake."""
        if len(block.rows) != 1 or block.shape[1] < 2 or block.told or not is_quoted(block.said.words):
            return False
        known = ruled.example.known
        numbers = [entry(node) for node in block.rows[0]]
        row = row_of(f"{block.said.raw} {block.said.after}", known.worked.problem.tokens)
        for array in known.arrays:
            if array.quantity not in ("weights", "output") or array.shape[1] != len(numbers):
                continue
            if block.said.head is not None and array.head not in (block.said.head, None):
                continue
            for index in range(array.shape[0]) if row is None else (row,):
                printed = {(index, column): number for column, number in enumerate(numbers) if number is not None}
                mistake = ruled.diagnosis().named(array, printed) if index < array.shape[0] else None
                if mistake is not None:
                    self.quoted.append(sum((number.value for number in printed.values()), Fraction(0)))
                    for place, number in printed.items():
                        self._add(number, array.quantity, array.head, place, "correct", mistake=mistake)
                    return True
        total = sum((number.value for number in numbers if number is not None), Fraction(0))
        for printed_number in numbers:
            if printed_number is not None and row is not None:
                parts = (nearest(total, max(printed_number.places, 1)).text,)
                self._add(printed_number, "weights", None, None, "wrong", because=Because("no_mistake", parts))
        return True

    def _proportions(self, ruled: _Ruled, block: Block) -> bool:
        """Rows that are said to be in proportion to the weights."""
        if not _PROPORTION.search(block.said.words) or len(block.rows) < 1:
            return False
        claims = [[worth(node, ruled.names) if node is not None else None for node in row] for row in block.rows]
        known = ruled.example.known
        for array in known.arrays:
            if array.quantity != "weights" or block.said.head not in (None, array.head):
                continue
            if block.shape[1] != array.shape[1] or bool(array.section) != block.said.masked:
                continue
            places = named_rows(block, array, known.worked.problem.tokens)
            if places is None:
                continue
            for index, row, line in zip(places, block.rows, claims, strict=True):
                self._proportional(ruled, array, index, row, line)
            return True
        return False

    def _proportional(self, ruled: _Ruled, array: Array, index: int, row: Any, claims: list[Any]) -> None:
        """One row: each claim over the first sound one is as weight over weight."""
        weights = array.rows[index]
        usable = [column for column, claim in enumerate(claims) if isinstance(claim, Value)]
        pivot = next((column for column in usable if _ratios(claims, weights, column, usable) * 2 > len(usable)), None)
        if pivot is None:
            return
        for column in usable:
            verdict = "correct" if _same_ratio(claims, weights, pivot, column) else "wrong"
            for number in numbers_in(row[column]):
                self._add(
                    number, "weights", array.head, (index, column), verdict, exact=ruled.exact(weights[column]),
                    value=weights[column], because=None if verdict == "correct" else Because("not_equal"),
                )  # fmt: skip

    @staticmethod
    def _bind(ruled: _Ruled, statement: Statement) -> None:
        """Letters that a page gives an exact value, such as u = e^(1/sqrt 2)."""
        first, *rest = statement.members
        if not isinstance(first.node, Name) or len(first.node.text) > 2 or of_node(first.node) is not None:
            return
        for member in rest:
            if all(number.is_integer for number in numbers_in(member.node)):
                value = worth(member.node, ruled.names)
                if isinstance(value, Value):
                    ruled.names[first.node.text] = value
                    return

    def _total(self, ruled: _Ruled, block: Block) -> bool:
        """What a printed row of weights adds to; 1, where it is the law that is told."""
        number = entry(block.rows[0][0])
        if number is None or "exponential" in sentence(block.said.words):
            return False
        known = ruled.example.known
        told = row_of(block.said.raw, known.worked.problem.tokens)
        totals: list[Fraction] = []
        for array in known.arrays:
            if array.quantity != "weights" or block.said.head not in (None, array.head):
                continue
            for row in range(array.shape[0]) if told is None else (told,):
                seen = [key for key in range(array.shape[1]) if not array.hidden or not array.hidden[row][key]]
                lines = [
                    *ruled.written.rows(array.quantity, array.head, array.section, row, array.shape[1]),
                    *ruled.written.parts(array.quantity, array.head, array.section, row, seen),
                ]
                totals += [sum((judged.value for judged in line), Fraction(0)) for line in lines]
        totals += self.quoted
        if number.value in totals or (number.value == 1 and number.is_integer):
            self._add(number, "ones", None, None, "correct", value=number.value)
            return True
        if not totals or (told is None and not (self.quoted and number.places > 0)):
            return False
        parts = (nearest(totals[0], max(number.places, 1)).text,)
        self._add(number, "ones", None, None, "wrong", value=totals[0], because=Because("row_sum", parts))
        return True

    def _claims(self, ruled: _Ruled, block: Block) -> Worth | None:
        """What the side before a block is worth: what the block claims to be."""
        statement = block.statement
        if statement is None:
            return None
        found: Worth | None = None
        for member in statement.members:
            if member.start >= block.start:
                break
            value = worth(member.node, ruled.names)
            if value is not None:
                found = value
        return found

    def _judge(self, ruled: _Ruled, found: Match, claims: Worth | None) -> None:
        array = found.array
        places = _common_places(found.block) if found.block.trimmed else None
        cells: dict[tuple[int, int], Judged] = {}
        lines: list[list[Opinion | None]] = []
        for i, row in enumerate(found.block.rows):
            line: list[Opinion | None] = []
            for j, node in enumerate(row):
                place = found.places[i][j]
                number = entry(node)
                if place is None or node is None:
                    line.append(None)
                    continue
                if number is None:
                    self._closed(ruled, node, array, place)
                    line.append(None)
                    continue
                line.append(self._opinion(ruled, number, array, place, places, _at(claims, i, j, found.block)))
            if array.quantity == "weights" and not ruled.example.declared and len(line) == array.shape[1]:
                adjusted(line, places)
            for place, made in zip(found.places[i], line, strict=True):
                if place is not None and made is not None:
                    cells[place] = made.judged()
            lines.append(line)
        whole = self._mistake(ruled, found, lines, places) if len(lines) > 1 else None
        for i, line in enumerate(lines):
            self._record(ruled, found, i, line, places, whole)
        if array.quantity == "weights" and is_misnamed(found.block):
            self._misnamed(found.block)
        ruled.written.add((array.quantity, array.head, array.section), cells)
        first = next((place for place in found.places[0] if place is not None), None)
        ruled.spoken = (array.quantity, array.head, found.block.end)
        ruled.last = (first[0] if first is not None and len(found.places) == 1 else None, found.block.end)

    def _misnamed(self, block: Block) -> None:
        """A warning at the first number of weights that are called scores."""
        first = next(number for node in block.rows[0] for number in numbers_in(node))
        known = self.findings.get(first.start)
        if known is not None and known.because is None:
            self.findings[first.start] = replace(known, because=Because("misnamed"))

    def _opinion(
        self,
        ruled: _Ruled,
        number: Printed,
        array: Array,
        place: tuple[int, int],
        places: int | None,
        claim: Value | None,
    ) -> Opinion:
        value = array.rows[place[0]][place[1]]
        known = ruled.example.known
        if number.special == "-oo" and array.quantity in BEFORE_MASK:
            hidden = any(_is_hidden(section, array.head or 0, place) for section in known.worked.sections)
            return Opinion(number, value, "correct" if hidden else "wrong")
        also = _unmasked(ruled, array, place) if value is MASKED or array.quantity == "exponentials" else None
        if ruled.example.declared:
            wanted = policy.value(known.worked, array, place, number.places)
            if wanted is not None:
                same = number.value == wanted
                return Opinion(number, value, "correct" if same else policy.off(number, wanted), wanted=wanted)

        def roads() -> Iterator[Route]:
            if claim is not None:
                yield Route(claim, "follows", ())
            yield from routes(known, ruled.written, array, *place)

        made = opinion(number, value, roads(), places, also=also)
        if made.verdict in (*ERRATA, "truncated") and ruled.example.rounded:
            reach = rounded_inputs(ruled.example.start_at, ruled.written, known, array, place)
            if reach is not None and reach.holds(number, places):
                made.verdict = "input_rounding"
        return made

    @staticmethod
    def _mistake(
        ruled: _Ruled, found: Match, lines: list[list[Opinion | None]], places: int | None, first: int = 0
    ) -> str | None:
        """The mistake that gives every number of some rows, from the row ``first`` of the block on."""
        if not any(made is not None and made.verdict in ERRATA for line in lines for made in line):
            return None
        rows = {
            place: made.printed
            for at, line in zip(found.places[first : first + len(lines)], lines, strict=True)
            for place, made in zip(at, line, strict=True)
            if place is not None and made is not None
        }
        return ruled.diagnosis().named(found.array, rows, places)

    def _record(
        self,
        ruled: _Ruled,
        found: Match,
        index: int,
        line: list[Opinion | None],
        places: int | None,
        whole: str | None,
    ) -> None:
        """The findings of one row; ``whole`` is the mistake that gives all rows."""
        array = found.array
        mistake = whole or self._mistake(ruled, found, [line], places, index)
        for place, made in zip(found.places[index], line, strict=True):
            if place is None or made is None:
                continue
            is_wrong = made.verdict in ERRATA
            self._add(
                made.printed,
                array.quantity,
                array.head if len(ruled.example.known.worked.sections[0].result.heads) > 1 else None,
                place,
                made.verdict,
                exact=ruled.exact(made.value) if isinstance(made.value, Value) else None,
                value=made.value,
                mistake=mistake if is_wrong else None,
                because=_because(made, mistake if is_wrong else None, line),
                places=places,
                wanted=made.wanted,
            )

    def _add(
        self,
        number: Printed,
        quantity: str,
        head: int | None,
        place: tuple[int, int] | None,
        verdict: str,
        *,
        exact: str | None = None,
        value: Value | Fraction | None = None,
        mistake: str | None = None,
        because: Because | None = None,
        places: int | None = None,
        wanted: Fraction | None = None,
    ) -> None:
        line, column = self.page.place(number.start)
        should = None
        if value is not None and verdict in REWRITTEN and not number.special:
            kept = number.places if places is None else max(places, number.places)
            should = self._wanted(number, value if wanted is None else wanted, kept)
        more = max(number.places, 0) + _MORE_PLACES
        row, col = place if place is not None else (None, None)
        self.findings[number.start] = Finding(
            file=self.file,
            line=line,
            column=column,
            start=number.start,
            end=number.end,
            printed=self.page.source[number.start : number.end],
            quantity=quantity,
            head=head,
            row=row,
            col=col,
            verdict=verdict,
            exact=exact,
            value=None if value is None else certified(value, more),
            mistake=mistake,
            because=because,
            wanted=should,
        )

    @staticmethod
    def _wanted(number: Printed, value: Value | Fraction, places: int) -> str | None:
        """What should stand there, in the number's own style."""
        try:
            return respelled(number, Fraction(nearest(value, places).units) / Fraction(10) ** places, places)
        except (SymattnError, ArithmeticError):
            return None

    def _closed(self, ruled: _Ruled, node: Node, array: Array, place: tuple[int, int]) -> None:
        """A closed form: an exact claim, decided exactly."""
        value = array.rows[place[0]][place[1]]
        claim = worth(node, ruled.names)
        if not isinstance(claim, Value) or value is MASKED:
            return
        try:
            verdict = "correct" if claim.equals(value) else "wrong"
        except (SymattnError, ArithmeticError):
            return
        for number in numbers_in(node):
            self._add(
                number, array.quantity, array.head, place, verdict, exact=ruled.exact(value), value=value,
                because=None if verdict == "correct" else Because("not_equal"),
            )  # fmt: skip

    def _judge_claims(self, ruled: _Ruled, block: Block, claims: Worth) -> None:
        """Numbers that are no known quantity but the result of what is written out before them."""
        for i, row in enumerate(block.rows):
            for j, node in enumerate(row):
                number, claim = entry(node), _at(claims, i, j, block)
                if number is None or claim is None or number.special:
                    continue
                how = stand(number, claim)
                if how == "correct":
                    ruled.written.told(claim, Judged(number, how))
                verdict = {"correct": "correct", "truncated": "truncated", "near": "last_digit", "far": "wrong"}[how]
                self._add(
                    number, "arithmetic", None, None, verdict, exact=ruled.exact(claim), value=claim,
                    because=None if verdict == "correct" else Because("not_followed"),
                )  # fmt: skip

    def rest(self) -> None:
        """What was not judged: numbers within formulas, and numbers that match nothing."""
        for ruled in self.ruled:
            self._sentences(ruled)
        known = {finding.printed: finding for finding in self.findings.values() if not finding.is_erratum}
        for item in self.page.items:
            for statement in _statements(item):
                self._operands(statement, known)
            for number in _numbers_of(item):
                if number.start not in self.findings and number.start not in self.given and not self._counts(number):
                    line, column = self.page.place(number.start)
                    self.unread.append(Unread(line, column, self.page.source[number.start : number.end]))

    def _sentences(self, ruled: _Ruled) -> None:
        """Numbers of sentences that say what is always so."""
        start, end = ruled.example.start, ruled.example.end
        for number, wanted in said(self.page.text[start:end], ruled.example.known):
            at = replace(number, start=start + number.start, end=start + number.end)
            if at.start not in self.findings and at.start not in self.given:
                verdict = "correct" if stand(at, wanted) == "correct" else "wrong"
                because = None if verdict == "correct" else Because("law")
                self._add(at, "text", None, None, verdict, value=wanted, because=because)

    def compare(self, found: tuple[Place, ...], *, vouched: bool = False) -> None:
        """What the page's twin says: a number that differs is wrong, and no other one of them is to blame for it.

        ``vouched``: a number that does not differ is correct, as nothing else says.
        """
        if vouched:
            for same in found:
                self._by_twin(same)
            return
        if not any(place.differs for place in found):
            return
        inside = {start: place for place in found for start in range(place.start, place.end)}
        for start, finding in list(self.findings.items()):
            place = inside.get(start)
            if place is not None and not place.differs and finding.verdict in REWRITTEN:
                self.findings[start] = replace(finding, verdict="correct", because=None, wanted=None, mistake=None)
        for place in found:
            if place.differs:
                self._by_twin(place)

    def _by_twin(self, place: Place) -> None:
        """A number that the declared page has as well, or has otherwise."""
        number = printed(place.printed, place.start)
        wanted = printed(place.wanted, place.start)
        close = number is not None and wanted is not None and abs(number.value - wanted.value) == number.unit
        verdict = "last_digit" if close and number is not None and number.places > 0 else "wrong"
        verdict = verdict if place.differs else "correct"
        known = next((self.findings.pop(at) for at in range(place.start, place.end) if at in self.findings), None)
        self.unread = [one for one in self.unread if (one.line, one.column) != self.page.place(place.start)]
        if known is not None and known.verdict in ERRATA:
            verdict = known.verdict
        line, column = self.page.place(place.start)
        self.findings[place.start] = Finding(
            file=self.file,
            line=line,
            column=column,
            start=place.start,
            end=place.end,
            printed=place.printed,
            quantity=known.quantity if known is not None else "text",
            head=known.head if known is not None else None,
            row=known.row if known is not None else None,
            col=known.col if known is not None else None,
            verdict=verdict,
            exact=known.exact if known is not None else None,
            value=known.value if known is not None else None,
            mistake=known.mistake if known is not None else None,
            because=Because("declared", (place.wanted,)) if place.differs else None,
            wanted=place.wanted if place.differs else None,
        )

    def _counts(self, number: Printed) -> bool:
        """Whether a number only counts rows, steps, pages or items."""
        if not number.is_integer:
            return False
        before = self.page.source[max(0, number.start - _NEARBY) : number.start]
        before = before[before.rfind("\n") + 1 :]
        after = self.page.source[number.start : number.start + 6]
        return bool(_COUNTED.search(before[-_LAST_WORDS:]) or (_ITEM.match(after) and not before.strip()))

    def _operands(self, statement: Statement, known: Mapping[str, Finding]) -> None:
        """Numbers within a formula: sound where it holds, or where they repeat a number of the page."""
        ruled = self._rules(statement.start)
        if ruled is None:
            return
        true = holds(statement, ruled.names) if len(statement.members) > 1 else None
        for number, wanted in (*wrong_operands(statement, ruled.example.known), *self._wrong_weights(ruled, statement)):
            if number.start not in self.given or true:
                self._add(number, "arithmetic", None, None, "wrong", value=wanted, because=Because("false_line"))
        doubtful: set[int] = set()
        for member in statement.members:
            if isinstance(member.node, Num) and len(statement.members) == 1:
                continue
            for number in numbers_in(member.node):
                if number.start in self.findings or number.start in self.given:
                    continue
                same = known.get(number.text)
                if true is False and (same is None or number.is_integer):
                    doubtful.add(number.start)
                if same is not None and not isinstance(member.node, (Num, Sequence)):
                    self._repeat(number, same)
                elif true:
                    self._add(number, "arithmetic", None, None, "correct", value=number.value)
        if true is False and not self._is_blamed(statement):
            self._blame(ruled, statement, doubtful)

    def _wrong_weights(self, ruled: _Ruled, statement: Statement) -> Iterator[Wrong]:
        """Of values mixed to an output that is known: the weights that are not those of its row."""
        mixed = next((found for member in statement.members if (found := mix(member.node)) is not None), None)
        made = next(
            (
                self.findings[number.start]
                for number in numbers_in(statement.members[-1].node)
                if number.start in self.findings and self.findings[number.start].quantity == "output"
            ),
            None,
        )
        if mixed is None or made is None or made.row is None:
            return
        known = ruled.example.known
        values = known.array("value", made.head or 0, 0)
        best: list[Wrong] | None = None
        for array in known.arrays:
            if array.quantity != "weights" or array.head != (made.head or 0) or values is None:
                continue
            keys = rows_of(array, mixed, values)
            if keys is None:
                return
            wrong: list[Wrong] = []
            for number, key in zip(mixed.weights, keys, strict=True):
                cells = ruled.written.cells("weights", array.head, array.section, made.row, key)
                value = array.rows[made.row][key]
                if stand(number, value) != "correct" and number.value not in {cell.value for cell in cells}:
                    wrong.append((number, value))
            if best is None or len(wrong) < len(best):
                best = wrong
        yield from best or ()

    def _is_blamed(self, statement: Statement) -> bool:
        """Whether a number of a statement is wrong already, or follows from a wrong one."""
        numbers = [number.start for member in statement.members for number in numbers_in(member.node)]
        return any(start in self.findings and self.findings[start].verdict != "correct" for start in numbers)

    def _blame(self, ruled: _Ruled, statement: Statement, doubtful: set[int]) -> None:
        """A false statement: the number in it that nothing else on the page supports."""
        found = culprit(statement, ruled.names, doubtful)
        if found is not None:
            number, wanted = found
            self._add(number, "arithmetic", None, None, "wrong", value=wanted, because=Because("false_line"))

    def _repeat(self, number: Printed, same: Finding) -> None:
        line, column = self.page.place(number.start)
        self.findings[number.start] = replace(same, line=line, column=column, start=number.start, end=number.end)


def _statements(item: Statement | Table) -> Iterator[Statement]:
    if isinstance(item, Statement):
        yield item
    else:
        yield from (statement for row in item.rows for cell in row for statement in cell.statements)


def _holds_array(item: Statement | Table) -> bool:
    """Whether an item may say what is given: without any such, no words need to be read."""
    return isinstance(item, Table) or any(isinstance(member.node, (Grid, Sequence)) for member in item.members)


def _numbers_of(item: Statement | Table) -> Iterator[Printed]:
    if isinstance(item, Statement):
        for member in item.members:
            yield from numbers_in(member.node)
    else:
        for row in item.rows:
            for cell in row:
                for statement in cell.statements:
                    yield from _numbers_of(statement)


def _common_places(block: Block) -> int:
    """The most places of any entry: the unit of an array print whose zeros at the end are left out."""
    return max((number.places for row in block.rows for node in row for number in numbers_in(node)), default=0)


def _at(claims: Worth | None, row: int, column: int, block: Block) -> Value | None:
    """The entry of what is claimed, where it has the block's shape."""
    if claims is None:
        return None
    if isinstance(claims, Value):
        return claims if block.shape == (1, 1) else None
    height, width = block.shape
    rows = claims if all(isinstance(part, tuple) for part in claims) else (claims,)
    if len(rows) != height:
        return None
    line = rows[row]
    if not isinstance(line, tuple) or len(line) != width:
        return None
    found = line[column]
    return found if isinstance(found, Value) else None


def _is_result(block: Block, claims: Worth, found: Match) -> bool:
    """Whether a number without a name of its own is what the side before it says, and not what its value may recall."""
    number, claim = entry(block.rows[0][0]), _at(claims, 0, 0, block)
    place = found.places[0][0]
    if block.own or number is None or claim is None or place is None or number.special:
        return False
    return stand(number, claim) == "correct" and stand(number, found.array.rows[place[0]][place[1]]) != "correct"


def _is_hidden(section: Any, head: int, place: tuple[int, int]) -> bool:
    allowed = section.result.heads[head].allowed
    return allowed is not None and not allowed[place[0]][place[1]]


def _unmasked(ruled: _Ruled, array: Array, place: tuple[int, int]) -> Value | None:
    """What a masked logit was before it was masked, and what its exponential would be."""
    from symattn.exact import numbers

    scaled = ruled.example.known.array("scaled", array.head, array.section)
    logits = ruled.example.known.array("logits", array.head, array.section)
    if scaled is None or logits is None or logits.rows[place[0]][place[1]] is not MASKED:
        return None
    value = scaled.rows[place[0]][place[1]]
    if array.quantity == "exponentials":
        return Plain(numbers.exp(value.number)) if isinstance(value, Plain) else None
    return value


def _because(made: Opinion, mistake: str | None, line: list[Opinion | None]) -> Because | None:
    """Why: the road with its printed numbers, the row that was made to add to 1, or the mistake."""
    match made.verdict:
        case "carried" | "propagated" if made.route is not None:
            return Because(made.route.how, tuple(source.printed.text for source in made.route.sources[:12]))
        case "adjusted":
            return Because(
                "adjusted", tuple(other.printed.text for other in line if other is not None and other is not made)
            )
        case "truncated" | "input_rounding":
            return Because(made.verdict)
        case "last_digit" | "wrong":
            if mistake is not None:
                return Because("mistake", (mistake,))
            return Because(made.verdict)
    return None


def _same_ratio(claims: list[Any], weights: Any, pivot: int, column: int) -> bool:
    """claim_pivot : claim_column = weight_pivot : weight_column, decided exactly."""
    try:
        return bool((claims[column] * weights[pivot]).equals(weights[column] * claims[pivot]))
    except (SymattnError, ArithmeticError):
        return False


def _ratios(claims: list[Any], weights: Any, pivot: int, usable: list[int]) -> int:
    return sum(_same_ratio(claims, weights, pivot, column) for column in usable)


def is_total(block: Block) -> bool:
    """Whether words say of a number that something adds to it."""
    return block.shape == (1, 1) and not block.told and bool(_ADDS.search(block.said.words[-_LAST_WORDS:]))


__all__ = ["Grid", "Mapping", "Num", "Sequence", "check"]
