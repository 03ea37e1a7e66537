"""STACK questions, evaluated by Maxima: every answer to 15 digits, every test of every question, and closed forms."""

from __future__ import annotations

import re
import subprocess
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from symattn.exact.maxima_forms import maxima, number
from symattn.parse.problem import loads
from tests.exercises.recipes import KINDS
from tests.exercises.test_fair import reference
from tests.exercises.test_marking import key
from tests.formats.hostile import missing, recipe
from tests.formats.readers import stack
from tests.formats.table import RECIPES, content
from tests.formats.test_hostile import KNOWN, Shown
from tests.pages.tools import needs, program
from tests.reference import fraction

COUNT = 2
SETUP = (
    "display2d:false$ fpprec:30$ keepfloat:false$"
    "NumAbsolute(a,b,t):=is(abs(float(a)-float(b))<=t)$"
    "AlgEquiv(a,b,t):=is(ratsimp(a-b)=0)$"
)


def asked(lines: list[str]) -> list[str]:
    """What Maxima answers to each line, in one process."""
    source = SETUP + "\n" + "\n".join(f'print("@@", {line})$' for line in lines)
    done = subprocess.run(
        [program("maxima"), "--very-quiet"], input=source, capture_output=True, text=True, check=True, timeout=120
    )
    found = re.findall(r"^@@ (.*?)\s*$", done.stdout, re.MULTILINE)
    assert len(found) == len(lines), done.stdout[-2000:]
    return found


def assigned(variables: str) -> list[tuple[str, str]]:
    """The question variables, each with its value; texts hold semicolons, so quotes are counted."""
    found, rest = [], variables
    while rest.strip():
        matched = re.match(r'\s*(\w+):((?:"(?:\\.|[^"\\])*"|[^";])*);', rest, re.DOTALL)
        assert matched, rest[:80]
        found.append((matched[1], matched[2]))
        rest = rest[matched.end() :]
    return found


@needs("maxima")
@pytest.mark.parametrize("name", RECIPES)
def test_every_test_of_every_question_passes(name):
    """The question's own tests: Maxima decides each node, the trees are walked, score, penalty and note must agree."""
    lines: list[str] = []
    checks: list[tuple[Any, ...]] = []
    for question in stack.questions(content("stack", RECIPES[name], COUNT)):
        known = dict(assigned(question.variables))
        tests = question.root.findall("qtest")
        assert len(tests) >= 2
        for test in tests:
            typed = {it.findtext("name"): it.findtext("value") for it in test.findall("testinput")}
            assert typed.keys() == question.inputs.keys()
            expected = {it.findtext("name"): it for it in test.findall("expected")}
            assert expected.keys() == {tree.name for tree in question.trees}
            for tree in question.trees:
                for node in tree.nodes.values():
                    given = node.findtext("sans")
                    value = typed[given.partition("[")[0]]
                    wanted = known.get(node.findtext("tans"), node.findtext("tans"))
                    options = node.findtext("testoptions") or "0"
                    lines.append(f"{node.findtext('answertest')}(({value}){given.partition('[')[1]}"
                                 f"{given.partition('[')[2]},{wanted},{options})")  # fmt: skip
                    checks.append((question.code, test.findtext("description"), tree, node, expected[tree.name]))
    verdicts = dict(zip(((id(c[4]), id(c[3])) for c in checks), asked(lines), strict=True))
    assert set(verdicts.values()) == {"true", "false"}
    for code, case, tree, _, expected in checks:
        score, note, _ = tree.walked(lambda node, expected=expected: verdicts[id(expected), id(node)] == "true")
        assert score == Fraction(expected.findtext("expectedscore")), (code, case, tree.name)
        assert note == expected.findtext("expectedanswernote"), (code, case, tree.name)
        assert Fraction(expected.findtext("expectedpenalty")) == (0 if score else Fraction("0.1"))


@needs("maxima")
@pytest.mark.parametrize("name", [name for name in RECIPES if name not in ("kinds", "heads")])
def test_every_answer_is_the_reference_evaluators_to_fifteen_digits(name):
    data, _ = key(RECIPES[name], COUNT)
    lines, wanted = [], []
    for question, variant in zip(
        stack.questions(content("stack", RECIPES[name], COUNT)), data["variants"], strict=True
    ):
        known = dict(assigned(question.variables))
        for place, asked_for in enumerate(variant["questions"], 1):
            if asked_for["what"].startswith("exponentials"):
                continue  # the evaluator has none
            table = reference(variant["problem"], asked_for)
            cells = [table[i][j] for i, j in (answer["at"] for answer in asked_for["answers"])]
            text = known[f"ta{place}"]
            for at, cell in enumerate(cells, 1):
                entry = f"flatten(args({text}))[{at}]" if len(cells) > 1 else text
                lines.append(f"string(bfloat({entry}))")
                wanted.append(cell)
    assert lines
    for found, cell in zip(asked(lines), wanted, strict=True):
        with mpmath.workdps(40):
            value, exact = fraction(mpmath.mpf(found.replace("b", "e"))), fraction(cell)
            assert abs(value - exact) <= Fraction(1, 10**15) * max(1, abs(exact)), (found, exact)


@needs("maxima")
def test_a_closed_form_is_compared_as_an_expression():
    """Other ways to write it are right, and neighbours of it are wrong."""
    (question,) = stack.questions(content("stack", KINDS, 1))
    name, text = assigned(question.variables)[-1]
    assert question.inputs[f"ans{name[2:]}"].findtext("type") == "algebraic"
    ways = [text, f"expand({text})", f"1-(1-({text}))", f"({text})*(1+u)/(1+u)"]
    wrong = [f"({text})+1/10^12", f"({text})*u", f"1-({text})", f"subst(u=u+1,{text})"]
    assert asked([f"AlgEquiv({way},{text},0)" for way in ways]) == ["true"] * 4
    assert asked([f"AlgEquiv({way},{text},0)" for way in wrong]) == ["false"] * 4


@needs("maxima")
def test_numbers_of_every_sort_are_maximas():
    """Roots, logarithms, exponentials and pi, printed for Maxima and for mpmath from the same entries."""
    texts = [
        "1/3",
        "sqrt(2)/2",
        "-3*sqrt(5)",
        "log(3)",
        "log(2)*sqrt(7)",
        "exp(1)",
        "pi/4",
        "2^(1/3)",
        "exp(sqrt(2)/3)",
    ]
    problem = loads(f'X = [[{", ".join(chr(34) + text + chr(34) for text in texts)}]]\n'
                    'W_Q = "identity"\nW_K = "identity"\nW_V = "identity"\n')  # fmt: skip
    from symattn.exact.numbers import number as exact

    assert problem.X is not None
    found = asked([f"string(bfloat({number(exact(entry))}))" for entry in problem.X[0]])
    for text, value in zip(texts, found, strict=True):
        with mpmath.workdps(30):
            names = {"sqrt": mpmath.sqrt, "log": mpmath.log, "exp": mpmath.exp, "pi": mpmath.pi, "mpf": mpmath.mpf}
            plain = re.sub(r"(\d+)", r"mpf(\1)", text).replace("^", "**")
            wanted = eval(plain, {"__builtins__": {}}, names)  # noqa: S307 - the texts above
            assert abs(mpmath.mpf(value.replace("b", "e")) - wanted) < mpmath.mpf(10) ** -20
    assert maxima.__doc__


def test_hostile_names_are_text():
    for question in stack.questions(content("stack", recipe(), 2)):
        text = question.root.findtext("questiontext/text")
        pages = [re.sub(r"\[\[\w+:\w+\]\]", "", text), question.root.findtext("generalfeedback/text")]
        shown = [Shown(page) for page in pages]
        assert set().union(*(one.tags for one in shown)) <= KNOWN
        assert missing(" ".join([*(one.text for one in shown), question.root.findtext("name/text")])) == []
        assert not re.search(r"\[\[(?!input:|validation:|feedback:)|\{[@#]", text)
