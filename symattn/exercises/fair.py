"""Whether a candidate is fair: keys, derived tolerances, and every mistake outside them.

For each answer the walk with a pencil gives the interval of everything that careful work may lead to; half a unit of
the answer's last place at each end is the student's last rounding. The tolerance is the least distance from the key
that holds all of this, and the walk of each mistake, rounded on the way and at the end, has to lie outside it in at
least one number that is asked. Where that fails, or the tolerance is too wide to mean anything, more decimals are kept
on the way, up to the recipe's most; then the candidate is refused.

Comparisons of intervals decide nearly everything. A rounding or a limit that falls within an interval is decided by the
exact numbers of ``exact``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import combinations, islice
from typing import Final

from symattn.exact.values import Value
from symattn.exercises import draw, walk
from symattn.exercises.draw import Drawn
from symattn.exercises.fixed import PLACES, UNIT, Interval, TooFarError, has_places
from symattn.exercises.limits import Unfair, balanced, within_pencil
from symattn.exercises.recipe import CHOSEN, WORKED, Ask, Recipe
from symattn.exercises.slips import NONE, Slip, slip, slips
from symattn.exercises.variant import Answer, Cell, Refused, Variant
from symattn.exercises.walk import Course, Pencil
from symattn.exercises.work import Work
from symattn.mistakes.catalogue import deviations
from symattn.rounding.decimal import nearest, positional

MOST_PAIRS: Final = 300
"""Pairs of mistakes that are looked at."""
_WIDEST: Final = 2
"""Units of an answer's last place that a tolerance may be: were it wider, too little would be kept on the way."""
_CODE: Final = 10
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(eq=False)
class Judge:
    """What judging the candidates of one recipe shares: courses, and numbers that were met before."""

    recipe: Recipe
    courses: dict[tuple[int, Slip, int | None], Course] = field(default_factory=dict)
    known: dict[int, tuple[Slip, ...]] = field(default_factory=dict)
    pairs: dict[int, tuple[Slip, ...]] = field(default_factory=dict)

    @cached_property
    def size(self) -> int | None:
        """How many candidates there are, where they are few."""
        return draw.ways(self.recipe)

    def course(self, work: Work, slip: Slip, keep: int | None) -> Course:
        """The course of a slip under a candidate's options."""
        key = (work.drawn.option, slip, keep)
        found = self.courses.get(key)
        if found is None:
            sample = self.recipe.samples[work.drawn.option]
            found = self.courses[key] = walk.course(sample, slip.deviation, Pencil(keep))
        return found

    def slips(self, option: int) -> tuple[Slip, ...]:
        """The readings of mistakes that must not go unnoticed under a set of options."""
        if option not in self.known:
            found = slips(self.recipe.samples[option])
            self.known[option] = tuple(one for one in found if one.key not in self.recipe.allowed)
        return self.known[option]

    def couples(self, option: int) -> tuple[Slip, ...]:
        """Two mistakes at once, as far as they go together; the first few hundred."""
        if option not in self.pairs:
            keys = tuple(dict.fromkeys(one.key for one in self.slips(option)))
            found = (slip("+".join(pair), both) for pair in combinations(keys, 2) for both in deviations(pair))
            self.pairs[option] = tuple(islice(found, MOST_PAIRS))
        return self.pairs[option]

    def verdict(self, key: bytes, index: int) -> Variant | Refused:
        """Candidate ``index`` of a run: a fair variant, or why it is not one."""
        found = draw.drawn(self.recipe, key, index, self.size)
        try:
            return self.judged(found, index)
        except Unfair as unfair:
            return Refused(unfair.why)
        except TooFarError:
            return Refused("largest_score")

    def judged(self, found: Drawn, index: int) -> Variant:
        """A fair variant of what was drawn.

        Raises:
            Unfair: It is none.
            TooFarError: An exponential is too large.
        """
        work = self.work(found)
        within_pencil(work)
        balanced(work, self.course(work, NONE, None))
        keep, answers = self.answered(work)
        name = code(found)
        if any(ask.kind in CHOSEN for ask in self.recipe.asks):
            from symattn.exercises.choices import Poser

            poser = Poser(self, work, keep, name)
            answers = tuple(poser.posed(number, answer) for number, answer in enumerate(answers))
        return Variant(index, name, found, work.problem, keep, answers)

    def work(self, found: Drawn) -> Work:
        """A candidate ready to be judged."""
        options = draw.options(self.recipe, found)
        mixing = (found.arrays.get("W_O"), found.arrays.get("b_O"))
        return Work(self.recipe, found, options, walk.starts(found, options), mixing)

    def answered(self, work: Work) -> tuple[int, tuple[Answer, ...]]:
        """The decimals that are kept, and the answers, with the fewest guard digits that tell every mistake."""
        rounding = self.recipe.rounding
        hidden: Slip | None = None
        widest = _WIDEST * UNIT // 10**rounding.decimals
        for guard in range(rounding.guard, rounding.most_guard + 1):
            keep = rounding.decimals + guard
            answers = tuple(self.answer(work, ask, keep) for ask in self.recipe.asks)
            if any(cell.units > widest for answer in answers for cell in answer.cells):
                hidden = None
                continue
            hidden = next(self.untold(work, answers, keep), None)
            if hidden is None:
                return keep, answers
            if not self.could_be_told(work, answers, hidden):
                break
        raise Unfair("tolerance" if hidden is None else f"mistake {hidden.key}")

    def could_be_told(self, work: Work, answers: Sequence[Answer], slip: Slip) -> bool:
        """Whether more decimals on the way may tell a mistake: its exact answers are not all within a last rounding."""
        showing = (answer for answer in answers if slip.shows_in(answer.ask.array))
        return any(self.tells(work, answer, slip, None) for answer in showing)

    def answer(self, work: Work, ask: Ask, keep: int) -> Answer:
        """The numbers of one question with their tolerances."""
        exact, honest = self.made(work, ask, NONE, None), self.made(work, ask, NONE, keep)
        places = self.recipe.rounding.decimals
        cells: list[Cell] = []
        for row, line, loose in zip(rows_asked(ask, work), exact, honest, strict=True):
            if line is None or loose is None:
                raise Unfair("no answer")
            columns = range(len(line)) if ask.column is None else (ask.column,)
            cells += [self._cell(work, ask, (row, j), line[j], loose[j], places, keep) for j in columns]
        return Answer(ask, tuple(cells))

    def _cell(
        self, work: Work, ask: Ask, place: tuple[int, int], exact: Interval, honest: Interval, places: int, keep: int
    ) -> Cell:
        row, column = place
        exact = work.sharp(exact, ask, place, self.course(work, NONE, None))
        text, middle = rounded(exact, places, lambda: work.value(ask, row, column))
        units = distance(given(honest, places), middle, keep + 1)
        return Cell(row, column, text, decimal_of(units, keep + 1), middle, units, exact)

    def untold(self, work: Work, answers: Sequence[Answer], keep: int) -> Iterator[Slip]:
        """The mistakes that apply, may not go unnoticed, and are not told by any answer."""
        for one in self.slips(work.drawn.option):
            showing = [a for a in answers if a.ask.kind in WORKED and one.shows_in(a.ask.array)]
            if showing and not any(self.tells(work, answer, one, keep) for answer in showing):
                yield one

    def tells(self, work: Work, answer: Answer, slip: Slip, keep: int | None) -> bool:
        """Whether whoever makes the mistake, rounding as asked, is off in at least one number."""
        ask, places = answer.ask, self.recipe.rounding.decimals
        cells = iter(answer.cells)
        for line in self.made(work, ask, slip, keep):
            for column in columns_asked(ask, line, answer):
                cell = next(cells)
                if line is None:
                    continue
                low, high = given(line[column], places)
                units = cell.units if keep is not None else distance(given(cell.exact, places), cell.middle, PLACES)
                if low > cell.middle + units or high < cell.middle - units:
                    return True
        return False

    def made(self, work: Work, ask: Ask, slip: Slip, keep: int | None) -> Iterator[walk.Line | None]:
        """The rows that are asked for as a slip makes them; None for a row that it leaves without numbers."""
        heads = work.heads_by(slip)
        return walk.lines(self.course(work, slip, keep), heads, ask.array, ask.head, rows_asked(ask, work), work.mixing)

    def bounded(self, work: Work, ask: Ask, slip: Slip, keep: int | None) -> Iterator[walk.Line | None]:
        """The same, with None also for a row that has no bounds: its exponentials may all be written as 0."""
        done = 0
        try:
            for line in self.made(work, ask, slip, keep):
                yield line
                done += 1
        except TooFarError:
            yield from (self._row(work, replace(ask, row=row), slip, keep) for row in rows_asked(ask, work)[done:])

    def _row(self, work: Work, ask: Ask, slip: Slip, keep: int | None) -> walk.Line | None:
        try:
            return next(self.made(work, ask, slip, keep))
        except TooFarError:
            return None


def columns_asked(ask: Ask, line: walk.Line | None, answer: Answer) -> Sequence[int]:
    """The columns that a question asks for."""
    if ask.column is not None:
        return (ask.column,)
    return range(len(line) if line is not None else 1 + max(cell.column for cell in answer.cells))


def rows_asked(ask: Ask, work: Work) -> Sequence[int]:
    """The rows that a question asks for."""
    if ask.row is not None:
        return (ask.row,)
    start = work.heads[ask.head]
    return range(len(getattr(start, ask.array)) if ask.array in ("query", "key", "value") else len(start.query))


def given(interval: Interval, places: int) -> Interval:
    """What may be handed in for a number of the interval, with at least so many decimals."""
    if has_places(interval, UNIT // 10**places):
        return interval
    half = UNIT // 10**places // 2
    return interval[0] - half, interval[1] + half


def distance(interval: Interval, middle: int, places: int) -> int:
    """The least multiple of 10^-places around the middle that holds the interval, in units of 10^-30."""
    grain = UNIT // 10**places
    far: int = max(interval[1] - middle, middle - interval[0])
    found: int = -(-far // grain) * grain
    return found


def decimal_of(units: int, places: int) -> str:
    """A multiple of 10^-places, in units of 10^-30, as a decimal without zeros at its end."""
    text = positional(units // (UNIT // 10**places), places)
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded(exact: Interval, places: int, value: Callable[[], Value]) -> tuple[str, int]:
    """The exact number correctly rounded, as text and in units of 10^-30; an exact integer is written as one."""
    low, high = exact
    grain = UNIT // 10**places
    if low == high:
        if low % UNIT == 0:
            return str(low // UNIT), low
        units, rest = divmod(low, grain)
        units += 2 * rest > grain or (2 * rest == grain and low > 0)
        return positional(units, places), units * grain
    units, last = (2 * low + grain) // (2 * grain), (2 * high + grain) // (2 * grain)
    whole = -(-low // UNIT) * UNIT
    if units != last or (2 * low + grain) % (2 * grain) == 0 or low <= whole <= high:
        found = nearest(value(), places)
        return found.text, found.units * grain
    return positional(units, places), units * grain


def code(found: Drawn) -> str:
    """A name for students: a hash of what stands on the sheet, from which neither seed nor number can be told."""
    shown = repr((found.tokens, sorted((name, str(rows)) for name, rows in found.arrays.items()), found.option))
    number = int.from_bytes(blake2b(shown.encode(), digest_size=16).digest(), "big")
    letters = []
    for _ in range(_CODE):
        number, rest = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[rest])
    return "".join(letters)


assert PLACES >= 2 * 10  # noqa: S101 - eight decimals and ten guard digits leave room for halves
