"""A recipe looked at before a class sees it: what its variants cost, how they differ, and what they tell."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from symattn.exercises import fixed, walk
from symattn.exercises.choices import differ
from symattn.exercises.fair import Judge, given
from symattn.exercises.fixed import UNIT, Interval, TooFarError, point
from symattn.exercises.offer import Run, what
from symattn.exercises.recipe import WORKED
from symattn.exercises.slips import NONE, Slip
from symattn.exercises.variant import Answer, Variant
from symattn.exercises.variants import Acceptance, served
from symattn.exercises.walk import Line
from symattn.exercises.work import Work

GUARDS = range(4)
"""Guard digits with which students are tried."""


@dataclass(eq=False)
class Audit:
    """What was found.

    ``told`` counts for each mistake in how many variants it is told from the right answer and from every other mistake,
    and ``possible`` in how many it could be made; ``careless[g]`` how many numbers a student who keeps g guard digits
    and rounds to the nearest has outside the tolerance, of ``tried``.
    """

    acceptance: Acceptance = field(default_factory=Acceptance)
    seconds: float = 0
    positions: dict[str, Counter[int]] = field(default_factory=dict)
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    guards: Counter[int] = field(default_factory=Counter)
    possible: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    careless: Counter[int] = field(default_factory=Counter)
    tried: int = 0


def audit(run: Run, count: int) -> Audit:
    """So many variants of a run, looked at."""
    found, judge = Audit(), run.judge
    start = time.process_time()
    candidates: Iterator[int] = iter(range(judge.size)) if judge.size is not None else _endless()
    variants = list(served((judge.verdict(run.key, index) for index in candidates), count, found.acceptance))
    found.seconds = time.process_time() - start
    for variant in variants:
        _look(found, judge, variant)
    return found


def _endless() -> Iterator[int]:
    index = 0
    while True:
        yield index
        index += 1


def _look(found: Audit, judge: Judge, variant: Variant) -> None:
    work = judge.work(variant.drawn)
    found.guards[variant.keep - judge.recipe.rounding.decimals] += 1
    for number, answer in enumerate(variant.answers, 1):
        name = f"{number}. {what(answer.ask)}"
        if answer.choices:
            found.positions.setdefault(f"{name} ({answer.ask.kind})", Counter())[answer.right] += 1
        found.answers.setdefault(name, Counter()).update(cell.key for cell in answer.cells)
        if answer.ask.kind == "blanks":
            _try(found, judge, work, answer)
    _tell(found, judge, work, variant)


def _tell(found: Audit, judge: Judge, work: Work, variant: Variant) -> None:
    """Which mistakes are told apart by all the questions together."""
    asked = [answer for answer in variant.answers if answer.ask.kind in WORKED]
    papers = {slip: _paper(judge, work, asked, slip, variant.keep) for slip in judge.slips(variant.drawn.option)}
    right = _paper(judge, work, asked, NONE, variant.keep)
    for slip, paper in papers.items():
        if paper is None or not any(slip.shows_in(answer.ask.array) for answer in asked):
            continue
        others = [right, *(other for key, other in papers.items() if key.key != slip.key)]
        found.possible[slip.key] += 1
        found.told[slip.key] += all(other is None or differ(paper, other) for other in others)


def _paper(judge: Judge, work: Work, asked: Sequence[Answer], slip: Slip, keep: int) -> list[Interval] | None:
    """What may be handed in by a slip; None where it leaves some row without numbers."""
    found: list[Interval] = []
    places = judge.recipe.rounding.decimals
    for answer in asked:
        try:
            lines = list(judge.made(work, answer.ask, slip, keep))
        except TooFarError:
            return None
        for line in lines:
            if line is None:
                return None
            columns = range(len(line)) if answer.ask.column is None else (answer.ask.column,)
            found += [given(line[column], places) for column in columns]
    return found


def _try(found: Audit, judge: Judge, work: Work, answer: Answer) -> None:
    """Students who round each number to the nearest, with fewer or more guard digits than the sheet asks for."""
    if answer.ask.array not in ("scaled", "exponentials", "weights", "output"):
        return
    decimals = judge.recipe.rounding.decimals
    found.tried += len(answer.cells)
    for guard in GUARDS:
        lines: dict[int, Line] = {}
        for cell in answer.cells:
            if cell.row not in lines:
                lines[cell.row] = _nearest(judge, work, answer, cell.row, decimals + guard)
            handed = _round(lines[cell.row][cell.column], decimals)
            found.careless[guard] += abs(handed[0] - cell.middle) > cell.units


def _nearest(judge: Judge, work: Work, answer: Answer, row: int, places: int) -> Line:
    """A row worked with every number rounded to the nearest."""
    array, head = answer.ask.array, answer.ask.head
    course, start = judge.course(work, NONE, None), work.heads[head]
    bias = course.biases[head]
    scaled = [_round(fixed.product(point(score), course.factor), places) for score in start.scores[row]]
    if array == "scaled":
        return scaled
    mask = course.masks[head]
    logits = [course.from_scaled(entry, None if bias is None else bias[row][j]) for j, entry in enumerate(scaled)]
    powers = [
        _round(fixed.exp(_round(logit, places)), places) if mask is None or mask[row][j] else None
        for j, logit in enumerate(logits)
    ]
    if array == "exponentials":
        return [power or (0, 0) for power in powers]
    if not sum(power[0] for power in powers if power is not None):
        return [(0, 0)] * max(len(powers), len(start.value[0]))
    shares = walk.shares(powers, course.sinks[head], course.pencil, course.options.masked_row) or []
    weights = [_round(share, places) for share in shares]
    return (
        weights if array == "weights" else [_round(x, places) for x in walk.mixed(weights, start.value, course.pencil)]
    )


def _round(interval: Interval, places: int) -> Interval:
    grain = UNIT // 10**places
    middle = (interval[0] + interval[1] + grain) // (2 * grain) * grain
    return middle, middle


def lines(found: Audit, count: int) -> Iterator[str]:
    """The audit as plain lines."""
    acceptance = found.acceptance
    yield f"{acceptance.served} of {count} variants, from {acceptance.candidates} candidates"
    if acceptance.served:
        yield f"time: {1000 * found.seconds / acceptance.served:.3g} ms of processor time a variant"
    yield "refused: " + (", ".join(f"{why} {many}" for why, many in acceptance.refused.most_common()) or "none")
    yield "guard digits: " + ", ".join(f"{guard} in {many}" for guard, many in sorted(found.guards.items()))
    for name, counter in found.answers.items():
        values = sorted(counter.elements(), key=Fraction)
        if values:
            quarters = " ".join(values[len(values) * part // 4 - (part == 4)] for part in range(5))
            common = ", ".join(f"{text} {many}" for text, many in counter.most_common(3))
            yield f"answers to {name}: quarters {quarters}; {len(counter)} different, most often {common}"
    for name, places in found.positions.items():
        spread = " ".join(f"{'ABCDEFGHIJKLMNOP'[place]} {places[place]}" for place in sorted(places))
        yield f"right choice of {name}: {spread}"
    for key, many in found.possible.items():
        yield f"{key}: told from the right answer and from every other mistake in {found.told[key]} of {many}"
    if found.tried:
        rates = ", ".join(f"{guard}: {100 * found.careless[guard] / found.tried:.2f} %" for guard in GUARDS)
        yield f"numbers of careful students outside the tolerance, by guard digits kept: {rates}"
