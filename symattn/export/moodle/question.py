"""A variant as a question of Moodle's XML."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from markupsafe import Markup

from symattn.exercises.offer import Offer, Run
from symattn.exercises.variant import Answer
from symattn.exercises.view import Sheet, View
from symattn.exercises.wrong import wrong
from symattn.export.embedded import pictures
from symattn.export.moodle import blanks
from symattn.export.questions import feedback
from symattn.export.sheets.pages import frame
from symattn.export.text import cdata, element, html, paragraphs
from symattn.render.environment import rendered

_PENALTY: Final = "0.3333333"
"""What a further try costs: a third, as Moodle writes it."""


def head(run: Run) -> str:
    """The beginning of the file: a category of its own for recipe and seed."""
    title = element((run.recipe.title or run.name).replace("/", "//"))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
        f'<question type="category"><category><text>$course$/top/symattn/{title} {run.seed}</text></category>'
        '<info format="html"><text></text></info><idnumber></idnumber></question>\n'
    )


def foot(_: Run) -> str:
    """The end of the file."""
    return "</quiz>\n"


def item(offer: Offer) -> str:
    """One question; nothing where none of what is asked has a blank in Moodle."""
    if not any(answer.choices or answer.ask.kind == "blanks" for answer in offer.variant.answers):
        return ""
    asks = offer.run.recipe.asks
    alone = len(asks) == 1 and asks[0].kind == "blanks" and asks[0].column is not None
    return _numerical(offer) if alone else _cloze(offer)


def _cloze(offer: Offer) -> str:
    variant, recipe = offer.variant, offer.run.recipe
    sheet = offer.sheet(html)
    view = sheet.statement()
    solution = _solution(offer, sheet, view)
    view["coded"] = True
    for question, answer in zip(view["questions"], variant.answers, strict=True):
        if answer.choices:
            question["cloze"] = _choice(offer, answer)
        elif answer.ask.kind == "blanks":
            question["cloze"] = _blanks(offer, answer)
    return (
        f'<question type="cloze">{_common(offer, _page("exercises/statement.jinja", view, offer), solution)}'
        f"<penalty>{_PENALTY}</penalty><hidden>0</hidden>{_hints(sheet, parts=True)}{_tags(recipe.name)}</question>\n"
    )


def _numerical(offer: Offer) -> str:
    (answer,) = offer.variant.answers
    (cell,) = answer.cells
    sheet = offer.sheet(html)
    view = sheet.statement()
    solution = _solution(offer, sheet, view)
    view["coded"] = True
    view["questions"][0]["bare"] = True
    told = feedback()
    found = [_answer("100", cell.key, cell.tolerance, "")]
    found += [
        _answer("0", one.text, one.tolerance, told[one.mistake])
        for one in wrong(offer.run.judge, offer.variant, answer)[0]
    ]
    found.append(_answer("0", "*", "0", ""))
    return (
        f'<question type="numerical">{_common(offer, _page("exercises/statement.jinja", view, offer), solution)}'
        f"<defaultgrade>{answer.ask.points}</defaultgrade><penalty>{_PENALTY}</penalty><hidden>0</hidden>"
        f"<idnumber>{offer.variant.code}</idnumber>{''.join(found)}"
        "<unitgradingtype>0</unitgradingtype><unitpenalty>0.1</unitpenalty><showunits>3</showunits>"
        f"<unitsleft>0</unitsleft>{_hints(sheet, parts=False)}{_tags(offer.run.recipe.name)}</question>\n"
    )


def _answer(fraction: str, text: str, tolerance: str, feedback: str) -> str:
    said = cdata(f"<p>{html(feedback)}</p>") if feedback else ""
    return (
        f'<answer fraction="{fraction}" format="moodle_auto_format"><text>{text}</text>'
        f'<feedback format="html"><text>{said}</text></feedback><tolerance>{tolerance}</tolerance></answer>'
    )


def _common(offer: Offer, text: str, solution: str) -> str:
    recipe = offer.run.recipe
    name = element(f"{recipe.title or recipe.name}, {offer.variant.code}")
    return (
        f"<name><text>{name}</text></name>"
        f'<questiontext format="html"><text>{cdata(text)}</text></questiontext>'
        f"{solution}"
    )


def _solution(offer: Offer, sheet: Sheet, view: View) -> str:
    """The general feedback: the worked solution, with its pictures beside it."""
    drawn, files = pictures(offer, sheet)
    worked = {"answered": sheet.answered(), "solution": sheet.solution(offer.run.judge), "drawn": drawn}
    text = cdata(_page("exercises/solution.jinja", view | worked, offer))
    return f'<generalfeedback format="html"><text>{text}</text>{files}</generalfeedback>'


def _page(template: str, view: dict[str, Any], offer: Offer) -> str:
    return paragraphs(rendered(template, frame("html") | view, html, offer.run.overrides))


def _hints(sheet: Sheet, *, parts: bool) -> str:
    """A hint for each try after the first, step by step; with several blanks Moodle says how many are right."""
    count = "<shownumcorrect/>" if parts else ""
    return "".join(
        f'<hint format="html"><text>{cdata(f"<p>{html(hint)}</p>")}</text>{count}</hint>' for hint in sheet.hints()
    )


def _tags(name: str) -> str:
    return f"<tags><tag><text>symattn</text></tag><tag><text>{element(name)}</text></tag></tags>"


def _blanks(offer: Offer, answer: Answer) -> list[list[Markup]]:
    """The blanks of a question row by row."""
    told, decimals = _escaped_feedback(), offer.run.recipe.rounding.decimals
    rows: dict[int, list[Markup]] = {}
    for cell, mistakes in zip(answer.cells, wrong(offer.run.judge, offer.variant, answer), strict=True):
        text = blanks.numerical(answer.ask.points, cell, mistakes, told, decimals)
        rows.setdefault(cell.row, []).append(Markup(text))  # noqa: S704 - our own markup
    return list(rows.values())


def _choice(offer: Offer, answer: Answer) -> Markup:
    """The choices of a question."""
    comes = feedback() if answer.ask.kind == "choice" else {}
    why = [html(comes.get(choice.mistake, "")) for choice in answer.choices]
    texts = [html(text) for text in offer.choices(answer)]
    return Markup(blanks.choice(answer.ask.points, texts, answer.right, why))  # noqa: S704 - our own markup


@cache
def _escaped_feedback() -> dict[str, str]:
    """The same as it stands in a blank."""
    return {key: blanks.feedback(html(sentence)) for key, sentence in feedback().items()}
