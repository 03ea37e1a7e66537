"""Packages for QTI 2.1 and Canvas: whole by an independent check, like those of another producer, the same bytes."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from fractions import Fraction
from zipfile import ZIP_STORED, ZipFile

import pytest
from onyx2moodle.parser import parse_item
from qti_package_maker.common.package_integrity import check_package
from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

from symattn.export.package import Grown
from symattn.export.questions import widened
from tests.exercises.test_marking import key
from tests.formats.readers import canvas, qti21
from tests.formats.table import COUNT, RECIPES, content

PACKAGES = pytest.mark.parametrize("format", ["qti21", "qti12"])


@pytest.mark.parametrize("name", RECIPES)
@PACKAGES
def test_a_package_is_whole(format, name, tmp_path):
    path = tmp_path / "package.zip"
    path.write_bytes(content(format, RECIPES[name], COUNT))
    assert check_package(str(path)) == []


@PACKAGES
def test_the_check_finds_what_is_missing(format, tmp_path):
    path = tmp_path / "package.zip"
    with ZipFile(io.BytesIO(content(format, RECIPES["kinds"], 1))) as whole, ZipFile(path, "w") as torn:
        for name in whole.namelist():
            if name == "imsmanifest.xml" or not name.endswith(".xml"):
                torn.writestr(name, whole.read(name))
    assert check_package(str(path))


@PACKAGES
def test_members_carry_no_time_and_are_stored(format):
    with ZipFile(io.BytesIO(content(format, RECIPES["kinds"], 2))) as package:
        for info in package.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0)
            assert info.compress_type == ZIP_STORED
            assert info.create_system == 3


def test_groups_pick_as_many_as_are_wished():
    data, variants = key(RECIPES["weights"], COUNT)
    root = canvas.assessment(content("qti12", RECIPES["weights"], COUNT, pick=2))
    groups = root.findall(f"{canvas.N}assessment/{canvas.N}section/{canvas.N}section")
    assert len(groups) == len(data["variants"][0]["questions"])
    for number, group in enumerate(groups):
        question = data["variants"][0]["questions"][number]
        assert next(group.iter(f"{canvas.N}selection_number")).text == "2"
        assert next(group.iter(f"{canvas.N}points_per_item")).text == str(question["points"])
        assert len(group.findall(f"{canvas.N}item")) == COUNT * len(question["answers"])
    package = content("qti21", RECIPES["weights"], COUNT, pick=2)
    with ZipFile(io.BytesIO(package)) as opened:
        test = ET.fromstring(opened.read("test.xml"))  # noqa: S314 - our own file
    assert next(test.iter(f"{qti21.N}selection")).get("select") == "2"
    assert len(qti21.items(package)) == len(variants)
    with ZipFile(io.BytesIO(content("qti21", RECIPES["weights"], COUNT, pick=99))) as opened:
        test = ET.fromstring(opened.read("test.xml"))  # noqa: S314
    assert next(test.iter(f"{qti21.N}selection")).get("select") == str(COUNT)


QUIZ = """
Quiz title: Q

1. Number
... all
= 0.40 +- 0.006

2. Choice
a) one
*b) two
"""


def shape(it: ET.Element) -> tuple[object, ...]:
    """Elements and attributes, but for what names things, and the order of conditions that only speak."""
    kept = {name: value for name, value in it.attrib.items() if name not in ("ident", "title", "linkrefid")}
    inner = [shape(part) for part in it]
    return it.tag, tuple(sorted(kept.items())), tuple(inner)


def test_canvas_items_are_built_like_those_of_text2qti():
    """Their numerical and their choice item, against ours: the same elements with the same attributes, part by part."""
    stream = io.BytesIO()
    QTI(Quiz(QUIZ, config=Config())).write(stream)
    theirs = {
        canvas.fields(it)["question_type"]: it for it in canvas.assessment(stream.getvalue()).iter(f"{canvas.N}item")
    }
    ours = {
        canvas.fields(it)["question_type"]: it
        for it in canvas.assessment(content("qti12", RECIPES["weights"], 1)).iter(f"{canvas.N}item")
    } | {
        canvas.fields(it)["question_type"]: it
        for it in canvas.assessment(content("qti12", RECIPES["kinds"], 1)).iter(f"{canvas.N}item")
    }
    assert theirs.keys() == ours.keys()
    for kind, item in ours.items():
        other = theirs[kind]
        assert shape(item.find(f"{canvas.N}itemmetadata")) == shape(other.find(f"{canvas.N}itemmetadata"))
        mine, other_asked = (it.find(f"{canvas.N}presentation") for it in (item, other))
        assert {shape(part)[:2] for part in mine.iter()} == {shape(part)[:2] for part in other_asked.iter()}
        scored, other_scored = (
            [it for it in one.iter(f"{canvas.N}respcondition") if it.find(f"{canvas.N}setvar") is not None]
            for one in (item, other)
        )
        assert list(map(shape, scored)) == list(map(shape, other_scored))


@pytest.mark.parametrize(
    ("value", "tolerance"),
    [("0.40", "0.00612"), ("9.99", "0"), ("-0.03", "0.005"), ("12345.67", "0.0051"), ("99999999.5", "0.0701")],
)
def test_bounds_hold_in_binary_floats_and_little_more(value, tolerance):
    wide = float(widened(tolerance, value))
    exact, half = Fraction(value), Fraction(tolerance)
    for side in (-1, 1):
        edge = float(exact + side * half)
        assert float(value) - wide <= edge <= float(value) + wide
        beyond = float(exact + side * (half + Fraction(1, 10**6)))
        assert not float(value) - wide <= beyond <= float(value) + wide


def test_lines_are_gone_through_as_often_as_one_likes():
    grown = Grown(io.BytesIO(b'{"id": 1}\n{"a": 1}\n{"a": 2}'))
    assert grown.run == {"id": 1}
    assert [list(grown.variants()) for _ in range(2)] == [[{"a": 1}, {"a": 2}]] * 2


def test_an_independent_reader_finds_what_an_item_asks(tmp_path):
    """onyx2moodle reads QTI 2.1 to make Moodle XML of it: keys, blanks, choices and feedback are as the key says."""
    _, variants = key(RECIPES["kinds"], COUNT)
    _, numbers = key(RECIPES["weights"], COUNT)
    for name, known in (("kinds", variants), ("weights", numbers)):
        for item, variant in zip(qti21.items(content("qti21", RECIPES[name], COUNT)), known.values(), strict=True):
            path = tmp_path / "item.xml"
            path.write_bytes(ET.tostring(item))
            found = parse_item(path)
            keys, choices = [], []
            for question in variant.questions:
                if question.choices:
                    keys.append("ABCDEFGH"[question.answer.right])
                    choices.append(len(question.choices))
                elif question.answer.ask.kind == "blanks":
                    keys += [cell.key for cell in question.answer.cells]
            assert [one.correct_values for one in found.response_decls.values()] == [[one] for one in keys]
            assert [one.response_identifier for one in found.interactions] == list(found.response_decls)
            assert [len(one.choices) for one in found.interactions if one.kind == "choice"] == choices
            assert {one.kind for one in found.interactions} <= {"choice", "textEntry"}
            assert "SOLUTION" in {one.identifier for one in found.feedback}
