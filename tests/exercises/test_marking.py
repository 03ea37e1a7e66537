"""Marks and diagnoses of simulated classes, and what is read of what students write."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from symattn.errors import SpecError
from symattn.exercises import key as keys
from symattn.exercises.answered import given
from symattn.exercises.classroom import overridden, tally
from symattn.exercises.marking import Paper, Verdict, marked
from symattn.exercises.papers import parts
from tests.exercises.common import text
from tests.exercises.recipes import ALL, KINDS, STEPS, WEIGHTS
from tests.exercises.students import ONE, Student, answered, attempt
from tests.exercises.test_fair import mistakes

COUNT = 4


def key(source: str, count: int = COUNT) -> tuple[dict[str, Any], dict[str, keys.KeyVariant]]:
    found = text("json", 0, source, count)
    return json.loads(found), keys.loads(found)


def decimal(value: Fraction, comma: str = ".") -> str:
    places = next(places for places in range(60) if 10**places % value.denominator == 0)
    whole = abs(int(value * 10**places))
    digits = str(whole).rjust(places + 1, "0")
    body = f"{digits[:-places]}{comma}{digits[-places:]}" if places else digits
    return f"-{body}" if value < 0 else body


def answers(student: Student, variant: dict[str, Any], decimals: int, comma: str = ".") -> dict[str, str]:
    """What a simulated student, who works the problem once, writes into the blanks, by their names."""
    found, worked = {}, attempt(student, variant["problem"])
    for number, question in enumerate(variant["questions"], 1):
        array = question["what"].partition("[")[0]
        head = f"head{question['head']}." if question["head"] else ""
        values = answered(student, worked, question, decimals)
        for value, answer in zip(values, question["answers"], strict=True):
            i, j = answer["at"]
            found[f"{number}.{head}{array}[{i}][{j}]"] = "" if value is None else decimal(value, comma)
    return found


def paper(variants: dict[str, keys.KeyVariant], code: str, given: dict[str, str]) -> Paper:
    return marked(variants[code], "s1", given)


@pytest.mark.parametrize("name", ALL)
def test_careful_students_get_every_point(name):
    data, variants = key(ALL[name])
    for place, variant in enumerate(data["variants"]):
        student = Student(variant["keep"], Random(place))
        found = paper(variants, variant["code"], answers(student, variant, data["decimals"], ",."[place % 2]))
        assert {mark.verdict for mark in found.marks} == {Verdict.RIGHT}
        assert found.points == found.most > 0
        assert found.mistakes == ()


@pytest.mark.parametrize("name", ["weights", "causal", "direct", "heads"])
def test_each_mistake_is_diagnosed_by_name(name):
    data, variants = key(ALL[name])
    diagnosed = 0
    for place, variant in enumerate(data["variants"]):
        for mistake in mistakes(variant, frozenset()):
            student = Student(variant["keep"], Random(f"{place}"), mistake)
            found = paper(variants, variant["code"], answers(student, variant, data["decimals"]))
            assert mistake in found.mistakes, (variant["code"], mistake, found.mistakes)
            assert found.points < found.most
            diagnosed += 1
    assert diagnosed


SMALL = """
title = "A small exponential"
allow = ["scaled_by_sqrt_d_model", "scaled_twice", "strict_causal", "other_causal_alignment"]
[sizes]
tokens = 2
d_k = 2
d_v = 2
[entries]
Q = [[5, 0], [1, 1]]
K = [[-2, 0], [1, 0]]
V = [[0, 3], [2, 1]]
[attention]
causal = true
[[ask]]
what = "weights[1]"
[[ask]]
what = "output"
"""


def test_a_mistake_is_named_though_a_row_has_no_bounds():
    """Left unscaled, the only exponential of the first row, e^-10, may be written as 0, by which nobody can divide."""
    data, variants = key(SMALL, 1)
    (variant,) = data["variants"]
    given_answers = answers(Student(2 * variant["keep"], Random(1), "unscaled"), variant, data["decimals"])
    found = paper(variants, variant["code"], given_answers)
    assert found.mistakes == ("unscaled",)


def test_two_mistakes_at_once_are_diagnosed():
    data, variants = key(WEIGHTS)

    for place, variant in enumerate(data["variants"]):
        other = variant["problem"] | {"attention": {"scale": 1}}
        right = answers(
            Student(variant["keep"], Random(place), "softmax_over_queries"),
            variant | {"problem": other},
            data["decimals"],
        )
        found = paper(variants, variant["code"], right)
        assert set(found.mistakes) == {"unscaled", "softmax_over_queries"}


def test_a_later_step_that_follows_from_wrong_numbers_earns_its_points():
    """Scores with one wrong, and everything after worked from them without a mistake."""
    data, variants = key(STEPS)
    for place, variant in enumerate(data["variants"]):
        shifted = Shifted(variant["keep"], Random(place))
        given_answers = answers(shifted, variant, data["decimals"])
        found = paper(variants, variant["code"], given_answers)
        verdicts = {mark.blank: mark.verdict for mark in found.marks}
        assert verdicts["1.scores[0][0]"] == Verdict.WRONG
        assert Verdict.WRONG not in {v for name, v in verdicts.items() if name != "1.scores[0][0]"}
        assert Verdict.FOLLOWS in verdicts.values()
        assert found.points == found.most - 1
        half = marked(variants[variant["code"]], "s1", given_answers, Fraction(1, 2))
        follows = sum(v == Verdict.FOLLOWS for v in verdicts.values())
        assert half.points == found.points - Fraction(follows, 2)


class Shifted(Student):
    """One score is off by one, and the student goes on with it."""

    def product(self, left, right):
        found = super().product(left, right)
        found[0][0] += ONE
        return found


def test_what_students_write_is_read():
    assert given("0,50").decimal == given(" 0.50 ").decimal == given(".5").decimal == Fraction(1, 2)
    assert given("−0.5").decimal == Fraction(-1, 2)
    assert given("0,50").places == 2
    assert given("1/2").exact is not None
    assert given("").is_missing
    for written in (
        "=cmd()",
        "0.5.5",
        "1,000,5",
        "nan",
        "inf",
        "1e999",
        "9" * 300,
        "x",
        "__import__('os')",
        "5 %",
        "\x00",
        "1/0",
    ):
        found = given(written)
        assert found.decimal is None
        assert found.exact is None


def test_exact_answers_are_compared_exactly():
    data, variants = key(KINDS, 3)
    for variant in data["variants"]:
        known = variants[variant["code"]]
        number = next(q for q, question in enumerate(variant["questions"], 1) if question["kind"] == "closed")
        cell = variant["questions"][number - 1]["answers"][0]
        i, j = cell["at"]
        exact = known.result.heads[0].weights[i, j]
        powers = known.generator.powers(exact.row)
        counts = exact.row.counts
        below = "+".join(f"{count}u^{power}" for count, power in zip(counts, powers, strict=True))
        above = f"u^{powers[exact.row.groups[j]]}"
        assert verdict(known, number, f"{above}/({below})") == Verdict.RIGHT
        assert verdict(known, number, f"2*{above}/(2*({below}))") == Verdict.RIGHT
        assert verdict(known, number, f"{above}/({below}+1/1000000000)") == Verdict.WRONG
        assert verdict(known, number, cell["key"]) == Verdict.WRONG
        assert verdict(known, number, "v/2") == Verdict.UNREADABLE
        assert verdict(known, number, "") == Verdict.MISSING


def verdict(variant: keys.KeyVariant, number: int, written: str) -> Verdict:
    found = marked(variant, "s1", {str(number): written})
    return next(mark.verdict for mark in found.marks if mark.blank == str(number))


def test_choices_are_marked_by_letter_and_by_text():
    data, variants = key(KINDS, 3)
    chosen = 0
    for variant in data["variants"]:
        known = variants[variant["code"]]
        for number, question in enumerate(variant["questions"], 1):
            for place, choice in enumerate(question.get("choices", ())):
                wanted = Verdict.RIGHT if place == question["right"] else Verdict.WRONG
                assert verdict(known, number, "ABCDEFGHIJ"[place]) == wanted
                assert verdict(known, number, choice["text"]) == wanted
                chosen += 1
            if "choices" in question:
                assert verdict(known, number, "Z") == Verdict.UNREADABLE
    assert chosen


def test_a_chosen_mistake_is_diagnosed():
    data, variants = key(KINDS, 3)
    for variant in data["variants"]:
        number, question = next((n, q) for n, q in enumerate(variant["questions"], 1) if q["kind"] == "choice")
        wrong = next(place for place in range(4) if place != question["right"])
        found = marked(variants[variant["code"]], "s1", {str(number): "ABCD"[wrong]})
        assert question["choices"][wrong]["mistake"] in found.mistakes


def test_moodle_responses_are_taken_apart():
    assert parts("part 1: 0.40; part 2: ; part 3: 0.16; 0.67; part 4: it", 4) == ["0.40", "", "0.16; 0.67", "it"]
    assert parts("0.5", 1) == ["0.5"]
    assert parts("Teil 2: 1,5", 2) == ["", "1,5"]


def test_a_teachers_marks_are_kept(tmp_path):
    data, variants = key(WEIGHTS)
    variant = data["variants"][0]
    found = [marked(variants[variant["code"]], "ann", {})]
    marks = tmp_path / "mine.csv"
    marks.write_text("id,blank,points,note\nann,1.weights[0][0],1,said it in class\n")
    after = overridden(found, marks)
    assert after[0].points == 1
    assert after[0].marks[0].note == "said it in class"
    for line, what in (
        ("bob,1.weights[0][0],1,", "nobody"),
        ("ann,9.x,1,", "no blank"),
        ("ann,1.weights[0][0],-1,", "negative"),
    ):
        marks.write_text(f"id,blank,points,note\n{line}\n")
        with pytest.raises(SpecError, match=what):
            overridden(found, marks)


def test_mistakes_are_counted():
    papers = [Paper("a", "x", (), ("unscaled",)), Paper("b", "y", (), ("unscaled", "value_is_key"))]
    assert tally(papers) == {"unscaled": 2, "value_is_key": 1}


@pytest.mark.parametrize(
    "written",
    [
        "exp(exp(99))",
        "exp(99^9)",
        "e^(e^(e^9))",
        "(1+u)^64/(1-u)^64",
        "(1+u+sqrt(2)+sqrt(3)+pi)^40",
        "log(2)*log(3)",
        "u^(10^30)",
        "10^200",
        "exp(sqrt(2)*10^9)",
        "=HYPERLINK(1)",
        "((((((((1))))))))u",
    ],
)
def test_no_answer_stops_the_marking(written):
    data, variants = key(KINDS, 1)
    variant = variants[data["variants"][0]["code"]]
    found = marked(variant, "s1", {name: written for question in variant.questions for name in question.blanks})
    assert {mark.verdict for mark in found.marks} <= {Verdict.WRONG, Verdict.UNREADABLE}
    assert found.points == 0
