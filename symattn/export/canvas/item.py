"""The numbers and choices of a variant as items of QTI 1.2, each with the whole problem in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from symattn.exercises.fixed import UNIT
from symattn.exercises.offer import Offer
from symattn.exercises.recipe import Ask, Recipe
from symattn.exercises.variant import Answer, Cell
from symattn.exercises.wrong import Wrong, wrong
from symattn.export.package import line as as_line
from symattn.export.questions import LETTERS, Pages, alone, choices, feedback, title
from symattn.export.text import element, html
from symattn.rounding.decimal import positional

_KEPT: Final = 4
"""Decimals that Canvas keeps of what a student types."""


def lacks(recipe: Recipe, ask: Ask) -> str:
    """The words that say why it cannot put or mark a question; empty where it can."""
    if ask.kind == "blanks" and recipe.rounding.decimals > _KEPT:
        return "four_decimals"
    return "expression" if ask.kind == "closed" else ""


def line(offer: Offer) -> str:
    """The items with the numbers of their questions, as a line of the package to be."""
    return as_line({"groups": [[number, points, item] for number, points, item in items(offer)]})


def items(offer: Offer) -> Iterator[tuple[int, int, str]]:
    """Each item with the question it belongs to, and its points."""
    put = [(n, it) for n, it in enumerate(offer.variant.answers, 1) if not lacks(offer.run.recipe, it.ask)]
    if not put:
        return
    pages = Pages(offer)
    problem, solution = pages.problem(), pages.solution()
    for number, answer in put:
        if answer.choices:
            page = problem + pages.question(number, answer)
            yield number, answer.ask.points, _choice(offer, pages, number, answer, page, solution)
        else:
            for cell, others in zip(answer.cells, wrong(offer.run.judge, offer.variant, answer), strict=True):
                page = problem + pages.question(number, alone(answer, cell))
                yield number, answer.ask.points, _number(offer, number, answer, cell, others, page, solution)


def _number(
    offer: Offer, number: int, answer: Answer, cell: Cell, others: Iterable[Wrong], page: str, solution: str
) -> str:
    """A number: the exact value, which Canvas shows as the answer, and the range that it accepts."""
    name = f"v-{offer.variant.code}-{number}-{cell.row + 1}-{cell.column + 1}"
    low, high = (_decimal(cell.middle + side * cell.units) for side in (-1, 1))
    told = "".join(f"<p>{_about(one)}: {html(feedback()[one.mistake])}</p>" for one in others)
    asked = (
        '<response_str ident="response1" rcardinality="Single"><render_fib fibtype="Decimal">'
        '<response_label ident="answer1"/></render_fib></response_str>'
    )
    right = (
        f'<or><varequal respident="response1">{cell.key}</varequal><and><vargte respident="response1">{low}</vargte>'
        f'<varlte respident="response1">{high}</varlte></and></or>'
    )
    return _item(offer, name, "numerical_question", answer.ask.points, page, asked, right, [], solution + told)


def _about(one: Wrong) -> str:
    return f"{one.text} ± {one.tolerance}" if one.units else one.text


def _decimal(units: int) -> str:
    """Units of 10^-30 as a decimal."""
    places = 0
    while units * 10**places % UNIT:
        places += 1
    return positional(int(Fraction(units * 10**places, UNIT)), places)


def _choice(offer: Offer, pages: Pages, number: int, answer: Answer, page: str, solution: str) -> str:
    name = f"v-{offer.variant.code}-{number}"
    texts = choices(offer, pages.sheet, answer)
    listed = "".join(
        f'<response_label ident="{letter}"><material><mattext texttype="text/html">{element(text)}</mattext>'
        "</material></response_label>"
        for letter, text in zip(LETTERS, texts, strict=False)
    )
    asked = (
        f'<response_lid ident="response1" rcardinality="Single"><render_choice>{listed}</render_choice></response_lid>'
    )
    right = f'<varequal respident="response1">{LETTERS[answer.right]}</varequal>'
    told = [
        (LETTERS[place], f"<p>{html(feedback()[choice.mistake])}</p>")
        for place, choice in enumerate(answer.choices)
        if answer.ask.kind == "choice" and choice.mistake
    ]
    return _item(offer, name, "multiple_choice_question", answer.ask.points, page, asked, right, told, solution)


def _item(
    offer: Offer,
    name: str,
    kind: str,
    points: int,
    page: str,
    asked: str,
    right: str,
    told: list[tuple[str, str]],
    solution: str,
) -> str:
    letters = ",".join(LETTERS[: asked.count("<response_label")]) if kind == "multiple_choice_question" else "answer1"
    facts = {
        "question_type": kind,
        "points_possible": str(points),
        "original_answer_ids": letters,
        "assessment_question_identifierref": f"{name}-q",
    }
    fields = "".join(
        f"<qtimetadatafield><fieldlabel>{label}</fieldlabel><fieldentry>{entry}</fieldentry></qtimetadatafield>"
        for label, entry in facts.items()
    )
    return (
        f'<item ident="{name}" title="{element(title(offer))}">'
        f"<itemmetadata><qtimetadata>{fields}</qtimetadata></itemmetadata>\n"
        f'<presentation><material><mattext texttype="text/html">{element(page)}</mattext></material>{asked}'
        "</presentation>\n<resprocessing><outcomes>"
        '<decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>\n'
        + _condition("<other/>", "general_fb")
        + "".join(
            _condition(f'<varequal respident="response1">{letter}</varequal>', f"{letter}_fb") for letter, _ in told
        )
        + f'<respcondition continue="No"><conditionvar>{right}</conditionvar>'
        '<setvar action="Set" varname="SCORE">100</setvar></respcondition></resprocessing>\n'
        + _feedback("general_fb", solution)
        + "".join(_feedback(f"{letter}_fb", said) for letter, said in told)
        + "</item>\n"
    )


def _condition(when: str, name: str) -> str:
    return (
        f'<respcondition continue="Yes"><conditionvar>{when}</conditionvar>'
        f'<displayfeedback feedbacktype="Response" linkrefid="{name}"/></respcondition>\n'
    )


def _feedback(name: str, page: str) -> str:
    return (
        f'<itemfeedback ident="{name}"><flow_mat><material><mattext texttype="text/html">{element(page)}</mattext>'
        "</material></flow_mat></itemfeedback>\n"
    )
