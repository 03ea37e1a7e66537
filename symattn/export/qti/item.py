"""A variant as an ``assessmentItem``: responses with their keys, the page with its blanks, and how it is scored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from symattn.exercises.offer import Offer
from symattn.exercises.variant import Answer
from symattn.exercises.wrong import Wrong, wrong
from symattn.export.package import line as as_line
from symattn.export.questions import LETTERS, Pages, choices, feedback, title, widened
from symattn.export.text import HTML, element, html, paragraphs
from symattn.render.environment import rendered

_NAMESPACE = (
    'xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://www.imsglobal.org/xsd/imsqti_v2p1 '
    'http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"'
)


@dataclass(frozen=True, slots=True)
class Response:
    """One response: its identifier, what is right, how far a number may be off, and what is said to what is wrong."""

    name: str
    points: int
    key: str
    tolerance: str = ""
    wrong: tuple[Wrong, ...] = ()
    told: tuple[tuple[str, str], ...] = ()

    @property
    def is_number(self) -> bool:
        """Whether a number is to be given, and not a choice."""
        return bool(self.tolerance)


def line(offer: Offer) -> str:
    """The item with its name, as a line of the package to be."""
    return as_line({"id": f"v-{offer.variant.code}", "item": item(offer)})


def item(offer: Offer) -> str:
    """The item; empty where a variant asks nothing that QTI can ask."""
    pages = Pages(offer, "qti")
    found = [(answer, list(_responses(offer, n, answer))) for n, answer in enumerate(offer.variant.answers, 1)]
    responses = [response for _, of in found for response in of]
    if not responses:
        return ""
    solution = pages.solution()
    for question, (answer, of) in zip(pages.view["questions"], found, strict=True):
        if answer.choices:
            question["cloze"] = _choice(offer, pages, answer, of[0])
        elif of:
            question["cloze"] = _blanks(answer, of)
    body = rendered("exercises/statement.jinja", pages.view | {"coded": True}, html, offer.run.overrides)
    points = sum(response.points for response in responses)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<assessmentItem {_NAMESPACE} identifier="v-{offer.variant.code}" title="{element(title(offer))}" '
        'adaptive="false" timeDependent="false">\n'
        + "".join(map(_declared, responses))
        + _outcome("SCORE", 0)
        + _outcome("MAXSCORE", points)
        + '<outcomeDeclaration identifier="FEEDBACK" cardinality="multiple" baseType="identifier"/>\n'
        + f"<itemBody>\n{paragraphs(body, (*HTML, '<choiceInteraction'))}\n</itemBody>\n"
        + f"<responseProcessing>\n{''.join(map(_scored, responses))}{_tell('SOLUTION')}</responseProcessing>\n"
        + "".join(_modal(f"M-{key}", f"<p>{html(feedback()[key])}</p>") for key in _mistakes(responses))
        + _modal("SOLUTION", solution)
        + "</assessmentItem>\n"
    )


def _responses(offer: Offer, number: int, answer: Answer) -> Iterator[Response]:
    points = answer.ask.points
    if answer.choices:
        told = tuple(
            (LETTERS[place], choice.mistake)
            for place, choice in enumerate(answer.choices)
            if answer.ask.kind == "choice" and choice.mistake
        )
        yield Response(f"R-{number}", points, LETTERS[answer.right], told=told)
    elif answer.ask.kind == "blanks":
        for cell, others in zip(answer.cells, wrong(offer.run.judge, offer.variant, answer), strict=True):
            name = f"R-{number}-{cell.row + 1}-{cell.column + 1}"
            yield Response(name, points, cell.key, cell.tolerance, tuple(others))


def _mistakes(responses: list[Response]) -> list[str]:
    keys = (key for one in responses for key in (*(w.mistake for w in one.wrong), *(key for _, key in one.told)))
    return list(dict.fromkeys(keys))


def _declared(response: Response) -> str:
    kind = "float" if response.is_number else "identifier"
    return (
        f'<responseDeclaration identifier="{response.name}" cardinality="single" baseType="{kind}">'
        f"<correctResponse><value>{response.key}</value></correctResponse></responseDeclaration>\n"
    )


def _outcome(name: str, value: int) -> str:
    return (
        f'<outcomeDeclaration identifier="{name}" cardinality="single" baseType="float">'
        f"<defaultValue><value>{value}</value></defaultValue></outcomeDeclaration>\n"
    )


def _blanks(answer: Answer, responses: list[Response]) -> list[list[Markup]]:
    """The blanks row by row, all equally wide."""
    rows: dict[int, list[Markup]] = {}
    for cell, response in zip(answer.cells, responses, strict=True):
        blank = f'<textEntryInteraction responseIdentifier="{response.name}" expectedLength="10"/>'
        rows.setdefault(cell.row, []).append(Markup(blank))  # noqa: S704 - our own markup
    return list(rows.values())


def _choice(offer: Offer, pages: Pages, answer: Answer, response: Response) -> Markup:
    texts = choices(offer, pages.sheet, answer)
    listed = "".join(
        f'<simpleChoice identifier="{letter}">{text}</simpleChoice>'
        for letter, text in zip(LETTERS, texts, strict=False)
    )
    return Markup(  # noqa: S704 - our own markup
        f'<choiceInteraction responseIdentifier="{response.name}" shuffle="false" maxChoices="1">'
        f"{listed}</choiceInteraction>"
    )


def _scored(response: Response) -> str:
    """Points for what is right; the mistake's name for what comes of one."""
    name = response.name
    right = f'<variable identifier="{name}"/><correct identifier="{name}"/>'
    test = _near(right, response.key, response.tolerance) if response.is_number else f"<match>{right}</match>"
    score = (
        f'<setOutcomeValue identifier="SCORE"><sum><variable identifier="SCORE"/>'
        f'<baseValue baseType="float">{response.points}</baseValue></sum></setOutcomeValue>'
    )
    others = [(one.text, "float", one.tolerance, one.mistake) for one in response.wrong]
    others += [(letter, "identifier", "", key) for letter, key in response.told]
    return (
        f"<responseCondition><responseIf>{test}{score}</responseIf>"
        + "".join(_else(name, *other) for other in others)
        + "</responseCondition>\n"
    )


def _else(name: str, value: str, kind: str, tolerance: str, mistake: str) -> str:
    pair = f'<variable identifier="{name}"/><baseValue baseType="{kind}">{value}</baseValue>'
    test = _near(pair, value, tolerance) if kind == "float" else f"<match>{pair}</match>"
    return f"<responseElseIf>{test}{_tell(f'M-{mistake}')}</responseElseIf>"


def _near(pair: str, value: str, tolerance: str) -> str:
    wide = widened(tolerance, value)
    return (
        f'<equal toleranceMode="absolute" tolerance="{wide} {wide}" includeLowerBound="true" '
        f'includeUpperBound="true">{pair}</equal>'
    )


def _tell(name: str) -> str:
    return (
        '<setOutcomeValue identifier="FEEDBACK"><multiple><variable identifier="FEEDBACK"/>'
        f'<baseValue baseType="identifier">{name}</baseValue></multiple></setOutcomeValue>'
    )


def _modal(name: str, page: str) -> str:
    return (
        f'<modalFeedback outcomeIdentifier="FEEDBACK" identifier="{name}" showHide="show">\n{page}\n</modalFeedback>\n'
    )
