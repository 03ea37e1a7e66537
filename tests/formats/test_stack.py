"""STACK questions, evaluated by Maxima: every answer to 15 digits, every test of every question, and closed forms."""

from __future__ import annotations

import re
import subprocess
from base64 import b64decode
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest

from symattn.exact.maxima_forms import maxima, number
from symattn.exercises.marking import Verdict, marked
from symattn.parse.problem import loads
from tests.exercises.recipes import ALL, KINDS, MIXED, PROJECTIONS, STEPS
from tests.exercises.students import Student
from tests.exercises.test_fair import mistakes, reference
from tests.exercises.test_marking import answers, key
from tests.formats.hostile import missing, recipe
from tests.formats.readers import stack
from tests.formats.table import RECIPES, content
from tests.formats.test_hostile import KNOWN, Shown
from tests.pages.tools import needs, program
from tests.reference import fraction

COUNT = 2
FOLLOWED = {"steps": STEPS, "projections": PROJECTIONS, "mixed": MIXED}
SETUP = (
    "display2d:false$ fpprec:30$ keepfloat:false$"
    "NumAbsolute(a,b,t):=is(abs(float(a)-float(b))<=t)$"
    "AlgEquiv(a,b,t):=is(ratsimp(a-b)=0)$"
)


def asked(lines: list[str]) -> list[str]:
    """What Maxima answers to each line, in one process; a line that ends with a semicolon is only done."""
    source = (
        SETUP + "\n" + "\n".join(f"{line[:-1]}$" if line.endswith(";") else f'print("@@", {line})$' for line in lines)
    )
    done = subprocess.run(
        [program("maxima"), "--very-quiet"], input=source, capture_output=True, text=True, check=True, timeout=120
    )
    found = re.findall(r"^@@ (.*?)\s*$", done.stdout, re.MULTILINE)
    assert len(found) == sum(not line.endswith(";") for line in lines), done.stdout[-2000:]
    assert not re.search("incorrect syntax|an error", done.stdout), done.stdout[-2000:]
    return found


def assigned(variables: str) -> list[tuple[str, str]]:
    """The question variables, each with its value; texts hold semicolons, so quotes are counted."""
    found, rest = [], "\n".join(line for line in variables.splitlines() if ":=" not in line)
    while rest.strip():
        matched = re.match(r'\s*(\w+):((?:"(?:\\.|[^"\\])*"|[^";])*);', rest, re.DOTALL)
        assert matched, rest[:80]
        found.append((matched[1], matched[2]))
        rest = rest[matched.end() :]
    return found


def noted(tree: stack.Tree, at: str = "0") -> str:
    """The note at which a tree ends, for Maxima to find: each node's test leads to its note, or to the next node."""
    node = tree.nodes[at]
    assert node.findtext("truenextnode") == "-1"
    parts = [node.findtext("sans"), node.findtext("tans"), node.findtext("testoptions") or "0"]
    following = node.findtext("falsenextnode")
    rest = f'"{node.findtext("falseanswernote")}"' if following == "-1" else noted(tree, following)
    return f'if {node.findtext("answertest")}({",".join(parts)}) then "{node.findtext("trueanswernote")}" else {rest}'


def walked(papers: list[tuple[stack.Question, dict[str, str]]]) -> list[dict[str, tuple[Fraction, str]]]:
    """What each tree of a question says of what is typed into its inputs: score and last note, every test by Maxima."""
    lines: list[str] = []
    before = None
    for question, typed in papers:
        assert typed.keys() == question.inputs.keys()
        if question is not before:
            lines += ["kill(all);", SETUP[:-1] + ";", *question.variables.splitlines()]
        before = question
        lines += [f"{name}:{text};" for name, text in typed.items()]
        for tree in question.trees:
            lines += [tree.variables, noted(tree)] if tree.variables else [noted(tree)]
    notes = iter(asked(lines))
    found = []
    for question, _ in papers:
        said = {}
        for tree in question.trees:
            note = next(notes)
            scores = {
                node.findtext(f"{branch}answernote"): Fraction(node.findtext(f"{branch}score"))
                for node in tree.nodes.values()
                for branch in ("true", "false")
            }
            said[tree.name] = scores[note], note
        found.append(said)
    return found


def passed(found: list[stack.Question]) -> int:
    """How many tests the questions bring, where each passes: Maxima decides each node, the trees are walked.

    Raises:
        AssertionError: A score, a penalty or a note is not as a test says.
    """
    tests = [(question, test) for question in found for test in question.root.findall("qtest")]
    said = walked([(question, typed(test)) for question, test in tests])
    for (question, test), trees in zip(tests, said, strict=True):
        case = question.code, test.findtext("description")
        expected = {it.findtext("name"): it for it in test.findall("expected")}
        assert expected.keys() == trees.keys()
        for tree, (score, note) in trees.items():
            assert score == Fraction(expected[tree].findtext("expectedscore")), (*case, tree)
            assert note == expected[tree].findtext("expectedanswernote"), (*case, tree)
            assert Fraction(expected[tree].findtext("expectedpenalty")) == (0 if score else Fraction("0.1"))
    return len(tests)


@needs("maxima")
@pytest.mark.parametrize("name", [*RECIPES, *FOLLOWED])
def test_every_test_of_every_question_passes(name):
    found = stack.questions(content("stack", FOLLOWED.get(name) or RECIPES[name], COUNT))
    assert passed(found) >= 2 * COUNT


def typed(test: Any) -> dict[str, str]:
    return {it.findtext("name"): it.findtext("value") for it in test.findall("testinput")}


def spelled(asked_for: Any, names: list[str], given: dict[str, str]) -> str:
    """What a student types into one part."""
    columns = len({answer["at"][1] for answer in asked_for["answers"]})
    texts = [given[name] for name in names]
    rows = [texts[at : at + columns] for at in range(0, len(texts), columns)]
    return texts[0] if len(texts) == 1 else f"matrix({','.join(f'[{chr(44).join(row)}]' for row in rows)})"


def papers(variant: Any, decimals: int) -> list[dict[str, str]]:
    """Careful students, each mistake, and mixtures of two: early parts of one paper, later parts of another."""
    alone = []
    for mistake in ("", "", *mistakes(variant, frozenset())):
        student = Student(variant["keep"], Random(f"{mistake} {len(alone)}"), mistake)
        alone.append(answers(student, variant, decimals))
    mixtures = []
    for place, paper in enumerate(alone):
        other = alone[(place + 1) % len(alone)]
        cut = 1 + place % (len(variant["questions"]) - 1)
        mixtures.append({name: (paper if int(name.partition(".")[0]) <= cut else other)[name] for name in paper})
    return [paper for paper in (*alone, *mixtures) if all(paper.values())]


@needs("maxima")
@pytest.mark.parametrize("name", ["weights", "causal", "direct", "logarithms", *FOLLOWED])
def test_follow_through_earns_what_it_does_elsewhere(name):
    """Where a student goes on from a mistake, each tree gives a blank its points just when ``symattn mark`` does."""
    source = FOLLOWED.get(name) or RECIPES[name]
    data, known = key(source, COUNT)
    typed, marks = [], []
    for question, variant in zip(stack.questions(content("stack", source, COUNT)), data["variants"], strict=True):
        for paper in papers(variant, data["decimals"]):
            parts = zip(variant["questions"], known[variant["code"]].questions, strict=True)
            inputs = {f"ans{n}": spelled(asked, its.blanks, paper) for n, (asked, its) in enumerate(parts, 1)}
            typed.append((question, inputs))
            marks.append(marked(known[variant["code"]], "s", paper).marks)
    counts: Counter[Verdict] = Counter()
    for (question, inputs), trees, wanted in zip(typed, walked(typed), marks, strict=True):
        for (tree, (score, note)), mark in zip(trees.items(), wanted, strict=True):
            case = question.code, tree, note, mark, inputs
            assert score == (mark.verdict in (Verdict.RIGHT, Verdict.FOLLOWS)), case
            assert note.endswith("-2-T") or mark.verdict != Verdict.FOLLOWS, case
            counts[mark.verdict] += 1
    assert counts.keys() == {Verdict.RIGHT, Verdict.FOLLOWS, Verdict.WRONG}, counts


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


@pytest.mark.parametrize("name", [*ALL, *FOLLOWED])
def test_what_a_student_sees_holds_no_answer(name):
    """Question text and inputs: neither a number of the key, nor a hint, nor a box as wide as its answer."""
    source = FOLLOWED.get(name) or RECIPES[name]
    data, _ = key(source, COUNT)
    for question, variant in zip(stack.questions(content("stack", source, COUNT)), data["variants"], strict=True):
        page = question.root.findtext("questiontext/text")
        keys = {cell["key"] for it in variant["questions"] for cell in it["answers"] if "." in cell["key"]}
        assert not [one for one in keys if re.search(rf"(?<![\d.]){re.escape(one)}(?!\d)", page)]
        assert "follow" not in page
        assert {it.findtext("syntaxhint") for it in question.inputs.values()} == {""}
        assert len({it.findtext("boxsize") for it in question.inputs.values()}) == 1
        assert all(re.fullmatch(r"ta\d+", it.findtext("tans")) for it in question.inputs.values())
        for name in ("specificfeedback", "prtcorrect", "prtpartiallycorrect", "prtincorrect", "questiondescription"):
            assert not question.root.findtext(f"{name}/text")


def test_pictures_stand_in_the_solution_alone():
    for question in stack.questions(content("stack", RECIPES["weights"], 2, pictures=True)):
        (file,) = question.root.iter("file")
        assert file in question.root.find("generalfeedback")
        assert b"<svg" in b64decode(file.text)
        for text in question.root.iter("text"):
            shown = re.findall(r"@@PLUGINFILE@@/([^\"]*)", text.text or "")
            assert shown == ([file.get("name")] if text is question.root.find("generalfeedback/text") else [])
    assert b"PLUGINFILE" not in content("stack", RECIPES["weights"], 2)


def test_hostile_names_are_text():
    for question in stack.questions(content("stack", recipe(), 2)):
        text = question.root.findtext("questiontext/text")
        pages = [re.sub(r"\[\[\w+:\w+\]\]", "", text), question.root.findtext("generalfeedback/text")]
        shown = [Shown(page) for page in pages]
        assert set().union(*(one.tags for one in shown)) <= KNOWN
        assert missing(" ".join([*(one.text for one in shown), question.root.findtext("name/text")])) == []
        assert not re.search(r"\[\[(?!input:|validation:|feedback:)|\{[@#]", text)
