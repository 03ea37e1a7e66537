"""A page checked: every number that can be matched is judged, the rest is reported as unread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Final

from symattn.check.blocks import Block, blocks
from symattn.check.by_words import by_words
from symattn.check.compared import compare, compare_untold
from symattn.check.counting import counts
from symattn.check.declared import declaration
from symattn.check.findings import Findings
from symattn.check.formulas import operands, sentences
from symattn.check.given import Example, declared_examples, examples
from symattn.check.given.options import are_columns
from symattn.check.impossible import impossible
from symattn.check.judging import claims_of, is_result, judge, judge_claims
from symattn.check.placing import placed, take
from symattn.check.reading.layers import Layers, layers_of, without_numbers
from symattn.check.reading.page import PageText, page_text
from symattn.check.reading.printed import Printed
from symattn.check.reading.sources import kind_of, readable
from symattn.check.reading.tree import Grid, Sequence, Statement, Table, numbers_in
from symattn.check.report import Because, Report, Taken, Unread
from symattn.check.ruled import Ruled, Rules, bind
from symattn.check.shares import slipped
from symattn.check.slips import slipped_operand
from symattn.check.twin import places
from symattn.check.written import Written
from symattn.errors import SpecError
from symattn.parse.derived import Derived
from symattn.problem import Problem

Twin = Callable[[Problem | Derived, str], str | None]
"""Makes a page anew from what it declares, as like to the given text as can be; None where it makes no such pages."""
_SEEDS: Final = range(6)
"""Choices of the numbers in exercises that a page is laid beside where it does not declare its own."""


def check(
    file: str,
    source: str,
    problem: Problem | None = None,
    *,
    declares: bool = False,
    name: str = "",
    twin: Twin | None = None,
    titled: Callable[[str], Derived | None] | None = None,
) -> Report:
    """Every number of a page, judged.

    Args:
        file: The page's name; its end says what kind of source it is.
        source: The page's text.
        problem: What its numbers belong to; without it, what the page itself declares, or else says.
        declares: Whether ``problem`` declares the page's policy.
        name: What the problem is called in the report.
        twin: Makes a declared page anew, so that what no reading reaches is compared too.
        titled: The derivation that a page without a declaration has the title of.
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
    if problem is not None and not declares and are_columns(source):
        problem = replace(problem, page=replace(problem.page, vectors="columns"))
    text = readable(source, kind_of(file, source))
    page, layers = _read(source, text, layered=problem is None or bool(problem.layers))
    found = list(blocks(page)) if problem is not None or any(map(_holds_array, page.items)) else []
    missing: tuple[str, ...] = ()
    proposed: Mapping[str, Any] = {}
    made: list[Example] = []
    if problem is not None:
        made = declared_examples(problem, page, layers, declared=declares, name=name)
    elif own is None:
        given = examples(page, found, layers)
        made, missing, proposed = given.examples, given.missing, given.partial
    to = Findings(file, page)
    ruled = Rules(list(_ruled(made)))
    _judge_all(to, ruled, found)
    for number, should in layers.wrong if len(made) > 1 else ():
        value = None if should is None else Fraction(should)
        to.add(number, "text", None, None, "wrong", value=value, because=Because("miscounted"))
    made_anew = twin(own, source) if twin is not None and own is not None else None
    derives = problem is None and own is None and _is_derivation(to, twin, titled)
    if made_anew is not None:
        compare(to, places(source, made_anew), vouched=len(made) != 1)
    elif problem is not None and not made:
        raise SpecError(
            f"the problem has {len(problem.layers)} layers, and the page has not one heading for each",
            mend="head each by its name, Layer 1, Layer 2, or give the problem of one layer alone",
        )
    return Report(
        file,
        tuple(sorted(to.found.values(), key=lambda finding: finding.start)),
        tuple(to.unread),
        (*(Taken(*taken) for example in made for taken in example.taken), *([Taken("title", 0)] if derives else []))
        or ((Taken("declaration", 0),) if own is not None else ()),
        () if derives else missing,
        tuple(example.data for example in made if example.data) or ((proposed,) if proposed else ()),
        declares,
    )


def _read(source: str, text: str, *, layered: bool = True) -> tuple[PageText, Layers]:
    """What stands on a page, and where each of several layers does, unless it is known to have one only."""
    page = page_text(source, text)
    layers = layers_of(page) if layered else Layers()
    return (page_text(source, without_numbers(text)) if layers.parts else page), layers


def _ruled(made: list[Example]) -> Iterator[Ruled]:
    """Examples at work, a layer after the one that it reads."""
    before: Ruled | None = None
    for example in made:
        known, tokens = example.known, None
        if known.worked.index and before is not None:
            given = before.example.known.whole()
            tokens = partial(before.written.cells, given.quantity, given.head, 0)
        before = Ruled(example, Written(len(known.worked.sections), known.shares, tokens))
        yield before


def _is_derivation(to: Findings, twin: Twin | None, titled: Callable[[str], Derived | None] | None) -> bool:
    """Whether the page is a derivation by its title; then its numbers are judged."""
    source = to.page.source
    derived = None if titled is None else titled(source)
    if twin is None or derived is None:
        return False
    twins = [twin(replace(derived, seed=seed), source) for seed in _SEEDS]
    return None not in twins and compare_untold(to, [places(source, one) for one in twins if one is not None])


def _judge_all(to: Findings, ruled: Rules, found: list[Block]) -> None:
    """Blocks in reading order, then what stands in no block."""
    for item in to.page.items:
        if isinstance(item, Statement) and (one := ruled.at(item.start)) is not None:
            bind(one, item)
    for block in found:
        _judge_block(to, ruled.at(block.start), block)
    _rest(to, ruled)


def _judge_block(to: Findings, ruled: Ruled | None, block: Block) -> None:
    """Judge one block, if something is known of it."""
    if ruled is None:
        impossible(to, block)
        return
    if id(block) in ruled.example.given:
        take(to, ruled, block)
        return
    if by_words(to, ruled, block):
        return
    found = placed(to, ruled, block)
    claims = claims_of(ruled, block)
    if found is not None and claims is not None and is_result(block, claims, found):
        found = None
    if found is not None:
        judge(to, ruled, found, claims)
    elif claims is not None and not slipped(to, ruled, block) and not slipped_operand(to, ruled, block):
        judge_claims(to, ruled, block, claims)


def _rest(to: Findings, ruled: Rules) -> None:
    """What was not judged: numbers within formulas, and numbers that match nothing."""
    for one in ruled.all:
        sentences(to, one)
    known = {finding.printed: finding for finding in to.found.values() if not finding.is_erratum}
    for item in to.page.items:
        for statement in _statements(item):
            operands(to, ruled.at(statement.start), statement, known)
        for number in _numbers_of(item):
            if number.start not in to.found and number.start not in to.given and not counts(to.page, number):
                line, column = to.page.place(number.start)
                to.unread.append(Unread(line, column, to.page.source[number.start : number.end]))


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
