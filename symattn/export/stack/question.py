"""A variant as a STACK question of Moodle's XML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from symattn.exercises.offer import Offer, Run
from symattn.export.questions import Pages, feedback, title
from symattn.export.stack.parts import Node, Part, Tree, parts
from symattn.export.text import cdata, element, html

_VERSION: Final = "2023010400"
_PENALTY: Final = "0.1"
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
    found = list(parts(offer, pages))
    solution = pages.solution()
    page = [pages.problem()]
    for part, (number, answer) in zip(found, enumerate(offer.variant.answers, 1), strict=True):
        page += [
            pages.question(number, answer),
            f"<p>[[input:{part.name}]] [[validation:{part.name}]]</p>",
            "".join(f"[[feedback:{tree.name}]]" for tree in part.trees),
        ]
    points = sum(tree.points for part in found for tree in part.trees)
    decimals = dict(_OPTIONS) | {"decimals": offer.run.recipe.rounding.decimal_mark}
    variables = "".join(f"ta{part.name[3:]}:{part.answer};\n" for part in found)
    return (
        f'<question type="stack"><name><text>{element(title(offer))}</text></name>'
        f"{_text('questiontext', ''.join(page), 'html')}{_text('generalfeedback', solution, 'html')}"
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
        + "".join(_tests(found))
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
        f"<feedbackstyle>1</feedbackstyle><feedbackvariables><text></text></feedbackvariables>\n{nodes}</prt>\n"
    )


def _node(tree: Tree, place: int, node: Node) -> str:
    """The first node gives the points; each other says which mistake gives what was typed."""
    following = place + 1 if place + 1 < len(tree.nodes) else -1
    said = f"<p>{html(feedback()[node.mistake])}</p>" if node.mistake else ""
    score = 0 if node.mistake else 1
    return (
        f"<node><name>{place}</name><description>{node.mistake}</description><answertest>{node.test}</answertest>"
        f"<sans>{node.given}</sans><tans>{node.wanted}</tans><testoptions>{node.options}</testoptions><quiet>1</quiet>"
        f"<truescoremode>=</truescoremode><truescore>{score}</truescore><truepenalty></truepenalty>"
        f"<truenextnode>-1</truenextnode><trueanswernote>{tree.name}-{place + 1}-T</trueanswernote>"
        f"{_text('truefeedback', said, 'html')}"
        "<falsescoremode>=</falsescoremode><falsescore>0</falsescore><falsepenalty></falsepenalty>"
        f"<falsenextnode>{following}</falsenextnode><falseanswernote>{tree.name}-{place + 1}-F</falseanswernote>"
        f"{_text('falsefeedback', '', 'html')}</node>\n"
    )


def _tests(found: Sequence[Part]) -> Iterable[str]:
    """A test for the exact answer, for the rounded one, and for each mistake, with what each tree must say."""
    cases = list(dict.fromkeys(case for part in found for case in part.tests))
    for number, case in enumerate(cases, 1):
        typed = "".join(
            f"<testinput><name>{part.name}</name><value>{_typed(part, case)}</value></testinput>" for part in found
        )
        expected = "".join(_expected(tree, part, case) for part in found for tree in part.trees)
        yield (f"<qtest><testcase>{number}</testcase><description>{case}</description>{typed}{expected}</qtest>\n")


def _typed(part: Part, case: str) -> str:
    return part.tests.get(case) or part.tests.get("rounded") or part.tests["exact"]


def _expected(tree: Tree, part: Part, case: str) -> str:
    """What a tree must say: the points, or the mistake's note where the mistake is told in this blank."""
    told = [at for at, node in enumerate(tree.nodes) if node.mistake == case and case in part.tests]
    at, score, penalty = (told[0], 0, _PENALTY) if told else (0, 1, "0")
    return (
        f"<expected><name>{tree.name}</name><expectedscore>{score}</expectedscore>"
        f"<expectedpenalty>{penalty}</expectedpenalty><expectedanswernote>{tree.name}-{at + 1}-T</expectedanswernote>"
        "</expected>"
    )
