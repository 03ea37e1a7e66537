"""Every format against one table: what is read back marks each answer as ``symattn mark`` does."""

from __future__ import annotations

import pytest

from tests.exercises.test_marking import key
from tests.formats.table import COUNT, FORMATS, RECIPES, agrees, cases, content, told

EVERY = pytest.mark.parametrize("format", FORMATS)
NAMES = pytest.mark.parametrize("name", RECIPES)


@NAMES
@EVERY
def test_marks_are_those_of_symattn(format, name):
    right, wrong = agrees(format, name)
    assert right
    assert wrong


@NAMES
@EVERY
def test_numbers_are_the_same_texts(format, name):
    way = FORMATS[format]
    data, variants = key(RECIPES[name], COUNT)
    found = way.read(content(format, RECIPES[name], COUNT, file=way.file))
    assert list(found) == [variant["code"] for variant in data["variants"]]
    for code, variant in variants.items():
        keys = [
            cell.key if question.answer.ask.kind == "blanks" else None
            for question in variant.questions
            if question.answer.ask.kind in way.asks
            for cell in (question.answer.cells if question.answer.ask.kind == "blanks" else (None,))
        ]
        for blank, wanted in zip(found[code], keys, strict=True):
            assert blank.key in (wanted, None)


@EVERY
def test_feedback_names_the_mistake(format):
    way = FORMATS[format]
    found = way.read(content(format, RECIPES["weights"], COUNT, file=way.file))
    named = set()
    for case in cases("weights"):
        if case.mistake == "unscaled":
            said = [blank.mark(mark.given)[1] for blank, mark in zip(found[case.code], case.marks, strict=True)]
            if any(told("unscaled") in text for text in said):
                named.add(case.code)
    assert len(named) == COUNT


@EVERY
def test_the_same_bytes(format):
    files = range(1 + FORMATS[format].file)
    for file in files:
        assert content(format, RECIPES["kinds"], 2, file=file) == content(format, RECIPES["kinds"], 2, file=file)
