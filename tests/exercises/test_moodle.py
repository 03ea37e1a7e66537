"""Moodle's XML, read back by a reader of our own and by one from PyPI, and marked again."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree
from moodle_xml_parser.parser import parse_bytes

from symattn.exercises.marking import Verdict, marked
from symattn.render.words import words
from tests.exercises import cloze
from tests.exercises.common import text
from tests.exercises.recipes import ALL, KINDS
from tests.exercises.students import Student
from tests.exercises.test_fair import mistakes
from tests.exercises.test_marking import answers, key
from tests.reference import evaluate, nearest

COUNT = 3
NAMES = pytest.mark.parametrize("name", ALL)


def moodle(source: str, count: int = COUNT, **wishes: Any) -> str:
    return text("moodle", 0, source, count, **wishes)


@NAMES
def test_marks_are_those_of_the_key(name):
    """Careful students, and each mistake: every blank gets in Moodle what symattn mark gives it."""
    data, variants = key(ALL[name], COUNT)
    questions = cloze.questions(moodle(ALL[name]))
    assert len(questions) == COUNT
    for place, (variant, question) in enumerate(zip(data["variants"], questions, strict=True)):
        for mistake in ("", *mistakes(variant, frozenset())):
            student = Student(variant["keep"], Random(f"{place}"), mistake)
            given = answers(student, variant, data["decimals"])
            ours = marked(variants[variant["code"]], "s1", given, Fraction(0))
            assert len(question.blanks) == len(ours.marks)
            for blank, mark in zip(question.blanks, ours.marks, strict=True):
                fraction = blank.mark(mark.given)[0] if mark.given else Fraction(0)
                assert fraction == (mark.verdict == Verdict.RIGHT), (mark, mistake)
                assert blank.weight == mark.most


def test_feedback_names_the_mistake():
    data, _ = key(ALL["weights"], COUNT)
    told = words()["mistake"]
    named = 0
    for variant, question in zip(data["variants"], cloze.questions(moodle(ALL["weights"])), strict=True):
        student = Student(variant["keep"], Random(1), "unscaled")
        given = list(answers(student, variant, data["decimals"]).values())
        said = [blank.mark(value)[1] for blank, value in zip(question.blanks, given, strict=True)]
        named += any(told["unscaled"] in feedback for feedback in said)
        assert "DOCTYPE" not in question.text
    assert named == COUNT


@NAMES
def test_blanks_are_equally_wide(name):
    widths = {blank.width for question in cloze.questions(moodle(ALL[name])) for blank in question.blanks}
    assert len(widths) == 1


def test_a_question_of_one_number_is_numerical():
    source = ALL["causal"].split("[[ask]]")[0] + '[[ask]]\nwhat = "output[2][0]"\npoints = 3\n'
    data, _ = key(source, COUNT)
    questions = cloze.questions(moodle(source))
    for variant, question in zip(data["variants"], questions, strict=True):
        assert question.kind == "numerical"
        (answer,) = variant["questions"][0]["answers"]
        (blank,) = question.blanks
        assert blank.weight == 3
        assert blank.mark(answer["key"])[0] == 1
        edge = Fraction(answer["key"]) + Fraction(answer["tolerance"])
        assert blank.mark(str(edge))[0] == 1
        assert blank.mark(str(edge + Fraction(1, 10**9)))[0] == 0


def test_choices_are_read_back():
    data, _ = key(KINDS, COUNT)
    for variant, question in zip(data["variants"], cloze.questions(moodle(KINDS)), strict=True):
        asked = [q for q in variant["questions"] if "choices" in q]
        assert len(asked) == len(question.blanks)
        for wanted, blank in zip(asked, question.blanks, strict=True):
            right = [one.fraction == 1 for one in blank.alternatives]
            assert right.index(True) == wanted["right"]
            assert len(right) == len(wanted["choices"])


def test_an_independent_reader_finds_the_same_blanks():
    """moodle-xml-parser takes cloze questions apart: weights, keys, tolerances, wrong answers with their feedback."""
    data, variants = key(ALL["weights"], COUNT)
    found = parse_bytes(moodle(ALL["weights"]).encode())["cloze"]
    for question, variant in zip(found, data["variants"], strict=True):
        gaps = [gap for gap in question.gaps if gap.sub_type == "NUMERICAL"]
        wanted = [
            (asked["points"], f"{answer['key']}:{answer['tolerance']}")
            for asked in variant["questions"]
            for answer in asked["answers"]
        ]
        assert [(gap.sub_grade, gap.options[0].answer) for gap in gaps] == wanted
        assert {gap.options[0].score for gap in gaps} == {100}
        assert {option.score for gap in gaps for option in gap.options[1:]} == {0}
        assert any(option.feedback for gap in gaps for option in gap.options)
        assert variant["code"] in question.name
    assert len(variants) == len(found)


def test_an_independent_reader_finds_the_same_choices():
    """It knows no type with an underscore, takes every brace of LaTeX for a blank of unknown kind, and reads no
    questions that are numerical alone.
    """
    data, _ = key(KINDS, COUNT)
    found = parse_bytes(moodle(KINDS, pictures=True).replace("MULTICHOICE_V", "MULTICHOICE").encode())["cloze"]
    for question, variant in zip(found, data["variants"], strict=True):
        asked = [it for it in variant["questions"] if it["kind"] != "closed"]
        gaps = [gap for gap in question.gaps if gap.sub_type == "MULTICHOICE"]
        for gap, wanted in zip(gaps, asked, strict=True):
            assert gap.sub_grade == wanted["points"]
            assert [option.score for option in gap.options].index(100) == wanted["right"]
            assert len(gap.options) == len(wanted["choices"])


@pytest.mark.parametrize("name", ALL)
def test_pictures_stand_beside_the_solution_and_say_its_numbers(name):
    data, _ = key(ALL[name], COUNT)
    for variant, question in zip(data["variants"], cloze.questions(moodle(ALL[name], pictures=True)), strict=True):
        assert question.files
        heads = evaluate(known_to_it(variant["problem"]))["heads"]
        for number, head in enumerate(heads, 1):
            drawn = etree.fromstring(question.files[f"weights-{number}.svg"])
            shown = [it.text for it in drawn.iter("{*}text") if it.text and re.fullmatch(r"[\d.]+", it.text)]
            assert shown == [nearest(weight, data["decimals"]) for row in head["weights"] for weight in row]
        assert set(question.files) <= {f"{kind}-{n}.svg" for kind in ("weights", "outputs") for n in (1, 2)}


def known_to_it(problem: dict[str, Any]) -> dict[str, Any]:
    """The problem without what the reference evaluator does not know, folded into what it does."""
    options = dict(problem.get("attention", {}))
    temperature = Fraction(options.pop("temperature", 1))
    assert temperature == 1 or "scale" not in options
    if temperature != 1:
        width = len(problem["W_Q"][0]) // options.get("num_heads", 1)
        options["scale"] = f"1/({temperature}*sqrt({width}))"
    return problem | {"attention": options}


def test_what_is_asked_for_is_all_that_pictures_show():
    """No picture of weights where scores are asked for, and none where nobody wished for any."""
    scores = ALL["weights"].replace('what = "weights"', 'what = "scores"').partition('[[ask]]\nwhat = "output"')[0]
    assert not any(question.files for question in cloze.questions(moodle(scores, pictures=True)))
    assert "PLUGINFILE" not in moodle(ALL["weights"])


@pytest.mark.parametrize("start", [0, 4])
def test_names_in_pictures_stay_text(start):
    names = HOSTILE[start : start + 4]
    source = with_tokens(ALL["weights"], names)
    for question in cloze.questions(moodle(source, pictures=True)):
        (image,) = Shown(question.feedback).images
        assert image.keys() == {"src", "alt"}
        assert sum(name in image["alt"] for name in names) >= 3
        assert not re.search(r"\\\(x|\$\$x|\{1:SA", question.feedback)
        (drawn,) = map(etree.fromstring, question.files.values())
        assert {etree.QName(it).localname for it in drawn.iter()} <= {
            "svg",
            "title",
            "desc",
            "rect",
            "g",
            "path",
            "text",
        }
        assert sum(name in drawn.findtext("{*}desc") for name in names) >= 3


def test_each_recipe_and_seed_has_a_category_and_each_question_its_tags_and_tries():
    """A slash in a name is doubled there, or it would open a category within."""
    slashed = ALL["weights"].replace('title = "Weights"', 'title = "Weights 1/2"')
    files = [etree.fromstring(text("moodle", 0, *made).encode()) for made in ((ALL["weights"], 2, 1), (slashed, 2, 1))]
    files.append(etree.fromstring(text("moodle", 0, ALL["weights"], 2, 2).encode()))
    names = [file.findtext("question/category/text") for file in files]
    assert names == [f"$course$/top/symattn/{name}" for name in ("Weights 1", "Weights 1//2 1", "Weights 2")]
    for file in files:
        for question in file.findall("question")[1:]:
            assert [it.findtext("text") for it in question.iter("tag")] == ["symattn", "recipe"]
            assert question.findtext("penalty") == "0.3333333"  # the share that Moodle offers as a third
            assert len(question.findall("hint")) >= 2


HOSTILE = [
    "]]>",
    "{1:SA:=x}",
    "<script>alert(1)</script>",
    r"\(x\)",
    "$$x$$",
    "a~b#c}d",
    "&amp;",
    "@@PLUGINFILE@@",
    "=cmd()",
    "\U0001f600",
]


class Shown(HTMLParser):
    """What a browser shows of a page, and the elements in it."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.tags, self.images = "", set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "img":
            self.images.append(dict(attrs))

    def handle_data(self, data):
        self.text += data


def with_tokens(source: str, names: list[str]) -> str:
    """A recipe with these tokens, and the first as its title."""
    listed = ", ".join(json.dumps(name, ensure_ascii=False) for name in names)
    head, _, rest = source.partition("tokens = [")
    return f"{head}tokens = [{listed}]{rest.partition(']')[2]}".replace(
        'title = "Weights"', f"title = {json.dumps(names[0], ensure_ascii=False)}"
    )


@pytest.mark.parametrize("start", range(0, len(HOSTILE) - 3, 2))
def test_hostile_names_stay_text(start):
    names = HOSTILE[start : start + 4]
    source = with_tokens(ALL["weights"], names)
    questions = cloze.questions(moodle(source))
    assert len(questions) == COUNT
    for question in questions:
        assert len(question.blanks) == 3 * 3 + 3 * 4
        assert question.name.startswith(names[0])
        for page in (question.text, question.feedback):
            shown = Shown(page)
            assert shown.tags <= {"p", "table", "tbody", "tr", "td", "th", "strong", "em", "span"}
            assert sum(name in shown.text for name in names) >= 3
            assert not re.search(r"\\\(x\\\)|\$\$x", re.sub(r"<[^>]*>", "\0", page))


@pytest.mark.parametrize("pictures", [False, True])
@pytest.mark.parametrize("source", [*ALL.values(), KINDS], ids=[*ALL, "kinds"])
def test_the_file_is_what_moodle_imports(source, pictures):
    schema = etree.RelaxNG(etree.parse(Path(__file__).parent / "moodle.rng"))
    schema.assertValid(etree.fromstring(moodle(source, pictures=pictures).encode()))


def test_the_schema_refuses_what_moodle_would():
    schema = etree.RelaxNG(etree.parse(Path(__file__).parent / "moodle.rng"))
    found = moodle(ALL["weights"])
    for right, wrong in (
        ("<hidden>0", "<hidden>2"),
        ("<penalty>0.3333333", "<penalty>a third"),
        ('format="html"', 'format="tex"'),
    ):
        assert right in found
        assert not schema.validate(etree.fromstring(found.replace(right, wrong).encode()))
