"""A block that was matched, judged: each number's word, by itself, within its row and by a mistake of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from symattn.check import policy
from symattn.check.agreement import is_exactly, stand
from symattn.check.arithmetic import Worth, worth
from symattn.check.blocks import Block
from symattn.check.findings import Findings
from symattn.check.forms import is_worth, repair
from symattn.check.inputs import rounded_inputs
from symattn.check.match import Match, is_misnamed
from symattn.check.quantities import BEFORE_MASK, Array
from symattn.check.reading.printed import Printed
from symattn.check.reading.tree import Call, Node, Num, entry, numbers_in
from symattn.check.report import Because
from symattn.check.routes import Route, routes
from symattn.check.ruled import Ruled
from symattn.check.verdicts import ERRATA, Opinion, adjusted, against, opinion
from symattn.check.written import TAINTED, Judged
from symattn.exact import numbers
from symattn.exact.values import MASKED, Plain, Value

_NEAR: Final = 1
"""How far a slip in what e is raised to leaves it from the number that is meant."""


def judge(to: Findings, ruled: Ruled, found: Match, claims: Worth | None) -> None:
    """The findings of a block, row by row, under the array that it prints; ``claims`` is what stands before it."""
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
                _closed(to, ruled, node, array, place)
                line.append(None)
                continue
            one = opinion_of(ruled, number, array, place, places, _at(claims, i, j, found.block))
            if found.block.is_exact and number.is_integer and not number.special and not is_exactly(number, one.value):
                one.verdict = "wrong"
            line.append(one)
        if array.quantity == "weights" and not ruled.example.declared and len(line) == array.shape[1]:
            adjusted(line, places)
        for place, made in zip(found.places[i], line, strict=True):
            if place is not None and made is not None:
                cells[place] = made.judged()
        lines.append(line)
    whole = _mistake(ruled, found, lines, places) if len(lines) > 1 else None
    for i, line in enumerate(lines):
        _record(to, ruled, found, i, line, places, whole)
    if array.quantity == "weights" and is_misnamed(found.block):
        _misnamed(to, found.block)
    ruled.written.add((array.quantity, array.head, array.section), cells)
    first = next((place for place in found.places[0] if place is not None), None)
    ruled.spoken = (array.quantity, array.head, found.block.end)
    ruled.last = (first[0] if first is not None and len(found.places) == 1 else None, found.block.end)


def _misnamed(to: Findings, block: Block) -> None:
    """A warning at the first number of weights that are called scores."""
    first = next(number for node in block.rows[0] for number in numbers_in(node))
    known = to.found.get(first.start)
    if known is not None and known.because is None:
        to.found[first.start] = replace(known, because=Because("misnamed"))


def opinion_of(
    ruled: Ruled,
    number: Printed,
    array: Array,
    place: tuple[int, int],
    places: int | None,
    claim: Value | None,
) -> Opinion:
    """The word for one number: by the declared policy, else by itself and by how it can have been made."""
    value = array.rows[place[0]][place[1]]
    known = ruled.example.known
    if number.special == "-oo" and array.quantity in BEFORE_MASK:
        hidden = any(_is_hidden(section, array.head or 0, place) for section in known.worked.sections)
        return Opinion(number, value, "correct" if hidden else "wrong")
    also = _unmasked(ruled, array, place) if value is MASKED or array.quantity == "exponentials" else None
    if ruled.example.declared and not number.cut:
        wanted = policy.value(known.worked, array, place, number.places)
        if wanted is not None:
            same = number.value == wanted
            return Opinion(number, value, "correct" if same else policy.off(number, wanted), wanted=wanted)

    number = _in_digits(number, ruled.example.digits)

    def roads() -> Iterator[Route]:
        if claim is not None:
            yield Route(claim, "follows", ())
        yield from routes(known, ruled.written, array, *place)

    made = opinion(number, value, roads(), places, also=also)
    if made.verdict == "correct" and ruled.written.is_tainted and not number.special:
        made.route = against(number, roads(), places)
    if made.verdict in (*ERRATA, "truncated") and ruled.example.rounded:
        reach = rounded_inputs(ruled.example.start_at, ruled.written, known, array, place)
        if reach is not None and reach.holds(number, places):
            made.verdict = "input_rounding"
    return made


def _in_digits(number: Printed, digits: int) -> Printed:
    """A large integer of a page that counts digits: its unit is that of its last digit that counts."""
    whole = str(abs(number.value.numerator))
    kept = len(whole) - len(whole.rstrip("0"))
    more = len(whole) - digits
    if not digits or number.places != 0 or number.special or not 0 < more <= kept:
        return number
    return replace(number, places=-more)


def _mistake(
    ruled: Ruled, found: Match, lines: list[list[Opinion | None]], places: int | None, first: int = 0
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
    to: Findings,
    ruled: Ruled,
    found: Match,
    index: int,
    line: list[Opinion | None],
    places: int | None,
    whole: str | None,
) -> None:
    """The findings of one row; ``whole`` is the mistake that gives all rows."""
    array = found.array
    mistake = whole or _mistake(ruled, found, [line], places, index)
    for place, made in zip(found.places[index], line, strict=True):
        if place is None or made is None:
            continue
        is_wrong = made.verdict in ERRATA
        to.add(
            made.printed,
            array.quantity,
            array.head if len(ruled.example.known.worked.sections[0].result.heads) > 1 else None,
            place,
            made.verdict,
            exact=ruled.exact(made.value) if isinstance(made.value, Value) else None,
            value=made.value,
            mistake=mistake if is_wrong else None,
            because=because_of(made, mistake if is_wrong else None, line),
            places=places,
            wanted=made.wanted,
        )


def _closed(to: Findings, ruled: Ruled, node: Node, array: Array, place: tuple[int, int]) -> None:
    """A closed form: an exact claim, decided exactly."""
    value = array.rows[place[0]][place[1]]
    is_right = None if value is MASKED else is_worth(node, value, ruled.names)
    if is_right is None:
        return
    if is_right is False and any(number.places > 0 for number in numbers_in(node)):
        return  # with a decimal in it, such as a rounded root, a form claims no exact value
    blamed = None if is_right else repair(node, value, ruled.names)
    for number in numbers_in(node):
        is_good = is_right or (blamed is not None and blamed[0] is not number)
        to.add(
            number, array.quantity, array.head, place, "correct" if is_good else "wrong", exact=ruled.exact(value),
            value=value, because=None if is_good else Because("not_equal"),
            wanted=blamed[1] if blamed is not None else None, is_part=True,
        )  # fmt: skip


def judge_claims(to: Findings, ruled: Ruled, block: Block, claims: Worth) -> None:
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
            argument = _raised(block)
            meant = _meant(ruled, argument, number) if argument is not None and how != "correct" else None
            if argument is not None and meant is not None:
                to.add(argument, "arithmetic", None, None, "wrong", value=meant.value, because=Because("false_line"))
                argument, verdict, claim = meant.printed, "correct", _exponential(meant.value)
            if argument is not None:
                ruled.written.raised(argument, Judged(number, verdict))
            to.add(
                number, "arithmetic", None, None, verdict, exact=ruled.exact(claim), value=claim,
                because=None if verdict == "correct" else Because("not_followed"),
            )  # fmt: skip


def _raised(block: Block) -> Printed | None:
    """The printed number that e is raised to, where a block is what comes of it."""
    for member in block.statement.members if block.statement is not None else ():
        match member.node:
            case Call("exp", (Num(argument),)):
                return argument
    return None


def _meant(ruled: Ruled, argument: Printed, number: Printed) -> Judged | None:
    """The printed logit whose exponential a number is, where the line raises e to one that no logit is."""
    printed = [judged for judged in ruled.written.logits() if not judged.printed.special]
    if any(judged.value == argument.value for judged in printed):
        return None
    near = (judged for judged in printed if abs(judged.value - argument.value) < _NEAR)
    return next((one for one in near if stand(number, _exponential(one.value)) == "correct"), None)


def _exponential(value: Fraction) -> Value:
    return Plain(numbers.exp(numbers.from_fraction(value)))


def claims_of(ruled: Ruled, block: Block) -> Worth | None:
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


def is_result(block: Block, claims: Worth, found: Match) -> bool:
    """Whether a number without a name of its own is what the side before it says, and not what its value may recall."""
    number, claim = entry(block.rows[0][0]), _at(claims, 0, 0, block)
    place = found.places[0][0]
    if block.own or number is None or claim is None or place is None or number.special:
        return False
    return stand(number, claim) == "correct" and stand(number, found.array.rows[place[0]][place[1]]) != "correct"


def _is_hidden(section: Any, head: int, place: tuple[int, int]) -> bool:
    allowed = section.result.heads[head].allowed
    return allowed is not None and not allowed[place[0]][place[1]]


def _unmasked(ruled: Ruled, array: Array, place: tuple[int, int]) -> Value | None:
    """What a masked logit was before it was masked, and what its exponential would be."""
    scaled = ruled.example.known.array("scaled", array.head, array.section)
    logits = ruled.example.known.array("logits", array.head, array.section)
    if scaled is None or logits is None or logits.rows[place[0]][place[1]] is not MASKED:
        return None
    value = scaled.rows[place[0]][place[1]]
    if array.quantity == "exponentials":
        return Plain(numbers.exp(value.number)) if isinstance(value, Plain) else None
    return value


def because_of(made: Opinion, mistake: str | None, line: list[Opinion | None]) -> Because | None:
    """Why: the road with its printed numbers, the row that was made to add to 1, or the mistake."""
    match made.verdict:
        case "carried" | "propagated" if made.route is not None:
            return Because(made.route.how, tuple(source.printed.text for source in made.route.sources[:12]))
        case "correct" if made.route is not None:
            wrong = (source.printed.text for source in made.route.sources if source.verdict in TAINTED)
            return Because("although", tuple(wrong)[:12])
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
