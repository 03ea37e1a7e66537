"""A variant as a STACK question of Moodle's XML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from symattn.exercises.offer import Offer, Run
from symattn.export.embedded import pictures
from symattn.export.questions import Pages, consequence, feedback, title
from symattn.export.stack.cases import Case, cases
from symattn.export.stack.follow import Earlier
from symattn.export.stack.parts import Node, Part, Tree, parts
from symattn.export.text import cdata, element, html

_VERSION: Final = "2023010400"
_PENALTY: Final = "0.1"
_SEED: Final = "stack_seed"
"""STACK deploys and tests only questions that refer to it, or draw at random. All is drawn here, so one is enough."""
_OPTIONS: Final = (
    ("decimals", "."), ("scientificnotation", "*10"), ("multiplicationsign", "dot"), ("sqrtsign", "1"),
    ("complexno", "i"), ("inversetrig", "cos-1"), ("logicsymbol", "lang"), ("matrixparens", "["),
    ("variantsselectionseed", ""),
)  # fmt: skip
_INPUT: Final = (
    ("strictsyntax", "1"), ("insertstars", "0"), ("syntaxhint", ""), ("syntaxattribute", "0"), ("forbidwords", ""),
    ("allowwords", ""), ("forbidfloat", "0"), ("requirelowestterms", "0"), ("checkanswertype", "0"),
    ("mustverify", "1"), ("showvalidation", "1"), ("options", ""),
)  # fmt: skip


def foot(_: Run) -> str:
    """The end of the file."""
    return "</quiz>\n"


def item(offer: Offer) -> str:
    """One question."""
    pages = Pages(offer)
    earlier = Earlier(offer)
    found = list(parts(offer, pages, earlier))
    drawn, files = pictures(offer, pages.sheet)
    solution = f"<text>{cdata(pages.solution(drawn))}</text>{files}"
    page = [pages.problem()]
    for part, (number, answer) in zip(found, enumerate(offer.variant.answers, 1), strict=True):
        page += [
            pages.question(number, answer),
            f"<p>[[input:{part.name}]] [[validation:{part.name}]]</p>",
            "".join(f"[[feedback:{tree.name}]]" for tree in part.trees),
        ]
    points = sum(tree.points for part in found for tree in part.trees)
    decimals = dict(_OPTIONS) | {"decimals": offer.run.recipe.rounding.decimal_mark}
    variables = f"seed:{_SEED};\n" + earlier.functions(tree.variables for part in found for tree in part.trees)
    variables += "".join(f"ta{part.name[3:]}:{part.answer};\n" for part in found)
    return (
        f'<question type="stack"><name><text>{element(title(offer))}</text></name>'
        f'{_text("questiontext", "".join(page), "html")}<generalfeedback format="html">{solution}</generalfeedback>'
        f"<defaultgrade>{points}</defaultgrade><penalty>{_PENALTY}</penalty><hidden>0</hidden>"
        f"<idnumber>{offer.variant.code}</idnumber><stackversion><text>{_VERSION}</text></stackversion>"
        f"{_text('questionvariables', variables)}{_text('specificfeedback', '', 'html')}"
        f"{_text('questionnote', offer.variant.code, 'html')}{_text('questiondescription', '', 'html')}"
        "<questionsimplify>1</questionsimplify><assumepositive>1</assumepositive><assumereal>0</assumereal>"
        + "".join(_text(name, "", "html") for name in ("prtcorrect", "prtpartiallycorrect", "prtincorrect"))
        + "".join(f"<{name}>{value}</{name}>" for name, value in decimals.items())
        + "\n"
        + "".join(map(_input, found))
        + "".join(_tree(tree) for part in found for tree in part.trees)
        + "<deployedseed>1</deployedseed>\n"
        + "".join(_test(number, case, found) for number, case in enumerate(cases(offer, found), 1))
        + f"<tags><tag><text>symattn</text></tag><tag><text>{element(offer.run.recipe.name)}</text></tag></tags>"
        "</question>\n"
    )


def _text(name: str, text: str, format: str = "") -> str:
    kind = f' format="{format}"' if format else ""
    return f"<{name}{kind}><text>{cdata(text) if text else ''}</text></{name}>"


def _input(part: Part) -> str:
    fields = {"name": part.name, "type": part.kind, "tans": f"ta{part.name[3:]}", "boxsize": str(part.width)}
    return "<input>" + "".join(f"<{k}>{v}</{k}>" for k, v in (*fields.items(), *_INPUT)) + "</input>\n"


def _tree(tree: Tree) -> str:
    nodes = "".join(_node(tree, place, node) for place, node in enumerate(tree.nodes))
    return (
        f"<prt><name>{tree.name}</name><value>{tree.points}</value><autosimplify>1</autosimplify>"
        f"<feedbackstyle>1</feedbackstyle>{_text('feedbackvariables', tree.variables)}\n{nodes}</prt>\n"
    )


def _node(tree: Tree, place: int, node: Node) -> str:
    """A right answer gives the points, and so does what follows from earlier ones; a mistake is told."""
    following = place + 1 if place + 1 < len(tree.nodes) else -1
    told = consequence() if node.follows else feedback()[node.mistake] if node.mistake else ""
    said = f"<p>{html(told)}</p>" if told else ""
    return (
        f"<node><name>{place}</name><description>{node.mistake}</description><answertest>{node.test}</answertest>"
        f"<sans>{node.given}</sans><tans>{node.wanted}</tans><testoptions>{node.options}</testoptions><quiet>1</quiet>"
        f"<truescoremode>=</truescoremode><truescore>{_score(node)}</truescore><truepenalty></truepenalty>"
        f"<truenextnode>-1</truenextnode><trueanswernote>{_note(tree, place, 'T')}</trueanswernote>"
        f"{_text('truefeedback', said, 'html')}"
        "<falsescoremode>=</falsescoremode><falsescore>0</falsescore><falsepenalty></falsepenalty>"
        f"<falsenextnode>{following}</falsenextnode><falseanswernote>{_note(tree, place, 'F')}</falseanswernote>"
        f"{_text('falsefeedback', '', 'html')}</node>\n"
    )


def _score(node: Node) -> int:
    return 0 if node.mistake else 1


def _note(tree: Tree, place: int, outcome: str) -> str:
    return f"{tree.name}-{place + 1}-{outcome}"


def _test(number: int, case: Case, found: Sequence[Part]) -> str:
    """A test: what is typed into each part, and what each tree must say."""
    typed = "".join(
        f"<testinput><name>{name}</name><value>{text}</value></testinput>" for name, text in case.typed.items()
    )
    expected = "".join(_expected(tree, case.ends[tree.name]) for part in found for tree in part.trees)
    return f"<qtest><testcase>{number}</testcase><description>{case.name}</description>{typed}{expected}</qtest>\n"


def _expected(tree: Tree, end: int | None) -> str:
    score = 0 if end is None else _score(tree.nodes[end])
    note = _note(tree, len(tree.nodes) - 1, "F") if end is None else _note(tree, end, "T")
    return (
        f"<expected><name>{tree.name}</name><expectedscore>{score}</expectedscore>"
        f"<expectedpenalty>{0 if score else _PENALTY}</expectedpenalty><expectedanswernote>{note}</expectedanswernote>"
        "</expected>"
    )
