"""The reference evaluator against what is known apart from it: a textbook page, public reports, theory, SymPy, laws."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
import sympy
from hypothesis import assume, given, settings

from tests.reference import (
    PINNED,
    FullyMaskedError,
    Irrational,
    Page,
    Reading,
    TooClose,
    ZeroSumError,
    carried,
    entry,
    evaluate,
    nearest,
    nearest_significant,
    printed,
    sections,
    total,
)
from tests.strategies import log_problems, problems, surd_problems

VECTORS = {path.stem: json.loads(path.read_text()) for path in (Path(__file__).parent / "vectors").glob("*.json")}
FILES = ("seed", "carried_readings", "ties", "faults")
CASES = {
    f"{file}: {case['name']}": (file, case) for file in FILES for case in VECTORS.get(file, {"cases": []})["cases"]
}
assert {file for file, _ in CASES.values()} == set(FILES), "vectors not found"


def table(**wanted: Any) -> pytest.MarkDecorator:
    """One test for each case that has every wanted key."""
    names = [name for name, (file, case) in CASES.items() if all(key in case for key in wanted)]
    assert names, f"no case has {[*wanted]}"
    return pytest.mark.parametrize("name", names)


def part_of(part: Any, whole: Any) -> bool:
    """Whether every key of ``part`` has its value in ``whole``, at every depth."""
    if isinstance(part, dict):
        return all(key in whole and part_of(value, whole[key]) for key, value in part.items())
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(part_of, part, whole))
    return part == whole


# ---------------------------------------------------------------------------------------------- vectors


@pytest.mark.parametrize("file", FILES)
def test_every_flag_has_a_note_and_every_note_a_case(file):
    vectors = VECTORS[file]
    assert {flag for case in vectors["cases"] for flag in case["flags"]} == set(vectors["notes"])


@table(pages=True)
def test_pages(name):
    _, case = CASES[name]
    assert case["pages"]
    for page in case["pages"]:
        problem = case["problem"] | {"page": page["page"]}
        if case.get("by") == "theory":
            with pytest.raises(TooClose):
                printed(problem)
        else:
            assert part_of(page["printed"], printed(problem))


@table(source_prints=True)
def test_the_textbook_page_is_carried_with_rows_that_add_to_1(name):
    _, case = CASES[name]
    page = {"decimals": 3, "rounding": "carried", "row_sums": "one"}
    assert part_of(case["source_prints"], printed(case["problem"] | {"page": page}))


READINGS = {field.name for field in fields(Reading)} | {"half_even"}


def read_as(problem: dict[str, Any], reading: str) -> dict[str, Any]:
    if reading == "half_even":
        return carried(problem | {"page": problem["page"] | {"ties": "half-even"}})
    return carried(problem, replace(PINNED, **{reading: True}))


def result(texts: dict[str, Any]) -> Any:
    return [(head["weights"], head["output"]) for head in texts["heads"]], texts["output"]


@table(other=True)
def test_flags_are_the_readings_that_print_something_else(name):
    _, case = CASES[name]
    problem = case["problem"] | {"page": case["pages"][0]["page"]}
    pinned = result(printed(problem))
    assert part_of(case["other"]["printed"], read_as(problem, case["other"]["reading"]))
    assert case["other"]["printed"]["output"] != pinned[1]
    assert {name for name in READINGS if result(read_as(problem, name)) != pinned} == set(case["flags"])


def test_every_reading_is_caught():
    assert set(VECTORS["carried_readings"]["notes"]) == READINGS


def text_like(value: Any, text: str) -> str:
    """The value in the notation of ``text``: p/q exactly, else to as many digits as it has."""
    if "/" in text:
        return str(value)
    if "e" in text:
        return nearest_significant(value, len(text.partition("e")[0]) - 1)
    return nearest(value, len(text.partition(".")[2]))


def assert_values(values: dict[str, list[list[str]]], head: dict[str, Any]) -> None:
    for name, rows in values.items():
        assert [
            [text_like(*pair) for pair in zip(*line, strict=True)] for line in zip(head[name], rows, strict=True)
        ] == rows


@table(values=True)
def test_values(name):
    _, case = CASES[name]
    assert_values(case["values"], evaluate(case["problem"])["heads"][0])


def column_softmax(problem: dict[str, Any]) -> list[list[mpmath.mpf]]:
    scaled = evaluate(problem)["heads"][0]["scaled"]
    powers = [[mpmath.exp(mpmath.mpf(value.numerator) / value.denominator) for value in row] for row in scaled]
    return [
        [value / sum(column) for value, column in zip(row, zip(*powers, strict=True), strict=True)] for row in powers
    ]


def masked_afterwards(problem: dict[str, Any]) -> list[list[Any]]:
    weights = evaluate(problem | {"attention": {}})["heads"][0]["weights"]
    return [[value if j <= i else Fraction(0) for j, value in enumerate(row)] for i, row in enumerate(weights)]


BY_HAND = {
    "softmax over the columns": column_softmax,
    "masked after the softmax, not renormalised": masked_afterwards,
}


@table(wrong=True)
def test_what_a_named_mistake_gives(name):
    _, case = CASES[name]
    for wrong in case["wrong"]:
        if wrong["mistake"] in BY_HAND:
            head = {"weights": BY_HAND[wrong["mistake"]](case["problem"])}
        else:
            changed = {"attention": wrong["attention"]} if "attention" in wrong else wrong["change"]
            head = evaluate(case["problem"] | changed)["heads"][0]
        assert_values(wrong["values"], head)


ERRORS = {
    "fully-masked": (FullyMaskedError, "query {row} "),
    "alignment": (ValueError, "top-left"),
}


@table(error=True)
def test_errors(name):
    _, case = CASES[name]
    kind, message = ERRORS[case["error"]["kind"]]
    with pytest.raises(kind, match=message.format(**case["error"])):
        evaluate(case["problem"])


def test_a_problem_text_with_bare_decimals():
    (case,) = [case for _, case in CASES.values() if "text" in case]
    head = evaluate(json.loads(case["text"], parse_float=Decimal))["heads"][0]
    assert head["scores"] == [[Fraction(3, 10)]]
    with pytest.raises(TypeError):
        evaluate(json.loads(case["text"]))


# ---------------------------------------------------------------------------------------------- numbers

ENTRIES = [  # text, its rational value or None
    ("-3", -3),
    ("0.125", Fraction(1, 8)),
    ("1e-3", Fraction(1, 1000)),
    ("10^-3", Fraction(1, 1000)),
    ("2*3-4/8", Fraction(11, 2)),
    ("-2^2", -4),
    ("2^-1^2", Fraction(1, 2)),
    ("2^3^2", 512),
    ("1/(1/3-1/4)", 12),
    ("sqrt(9/4)", Fraction(3, 2)),
    ("sqrt(2)*sqrt(8)", 4),
    ("sqrt(12)-2*sqrt(3)", 0),
    ("1/sqrt(2)-sqrt(1/2)", 0),
    ("(1+sqrt(2))*(1-sqrt(2))", -1),
    ("2^(1/2)*sqrt(2)", 2),
    ("log(6)-log(2)-ln(3)", 0),
    ("log(1)", 0),
    ("exp(log(6)-log(4))", Fraction(3, 2)),
    ("exp(0)", 1),
    ("exp(1)/exp(1)", 1),
    ("e*exp(-1)", 1),
    ("sqrt(2)", None),
    ("log(2)", None),
    ("exp(1/2)", None),
    ("pi", None),
    ("sqrt(5+2*sqrt(6))-sqrt(2)-sqrt(3)", None),
]


@pytest.mark.parametrize(("text", "value"), ENTRIES)
def test_entries(text, value):
    assert entry(text).rational() == value


DECIMALS = [
    ("sqrt(2)", "1.4142135624"),
    ("-log(3)/2", "-0.5493061443"),
    ("pi", "3.1415926536"),
    ("1-e^2", "-6.3890560989"),
    ("sqrt(1+sqrt(2))", "1.5537739740"),
]


@pytest.mark.parametrize(("text", "digits"), DECIMALS)
def test_digits_of_entries(text, digits):
    assert nearest(entry(text).known(60), 10) == digits


@pytest.mark.parametrize(
    "text", ["", "1+", "sqrt", "sqrt 2", "(1", "1)", "a", "2 3", "sin(1)", "log(0)", "sqrt(-1)", "0..1"]
)
def test_entries_refused(text):
    with pytest.raises(ValueError):
        entry(text)


@pytest.mark.parametrize("value", [0.1, True, None, [1]])
def test_kinds_of_entry_refused(value):
    with pytest.raises(TypeError):
        entry(value)


def test_logarithms_give_rational_weights():
    problem = {"Q": [[1]], "K": [["log(3/2)"], ["log(5/2)"], ["log(sqrt(16))"]], "V": [[1], [2], [4]]}
    assert evaluate(problem)["heads"][0]["weights"] == [[Fraction(3, 16), Fraction(5, 16), Fraction(1, 2)]]


NEAREST = [  # value, places, half-up, half-even
    (Fraction(1, 8), 2, "0.13", "0.12"),
    (Fraction(3, 8), 2, "0.38", "0.38"),
    (Fraction(-1, 8), 2, "-0.13", "-0.12"),
    (Fraction(-1, 200), 2, "-0.01", "0.00"),
    (Fraction(-1, 201), 2, "0.00", "0.00"),
    (Fraction(5, 2), 0, "3", "2"),
    (Fraction(1, 2), 3, "0.500", "0.500"),
    (Fraction(9996, 10000), 3, "1.000", "1.000"),
    (Fraction(-12), 3, "-12", "-12"),
    (0, 3, "0", "0"),
    (Fraction(1, 8) + Fraction(1, 10**41), 2, "0.13", "0.13"),
    (Fraction(1, 8) - Fraction(1, 10**41), 2, "0.12", "0.12"),
    (mpmath.mpf("-2.5"), 3, "-2.500", "-2.500"),
]


@pytest.mark.parametrize(("value", "places", "half_up", "half_even"), NEAREST)
def test_nearest(value, places, half_up, half_even):
    assert (nearest(value, places), nearest(value, places, "half-even")) == (half_up, half_even)


SIGNIFICANT = [
    (Fraction(2, 3), 3, "0.667"),
    (Fraction(-2, 300000), 3, "-6.67e-6"),
    (Fraction(-2, 30000), 3, "-0.0000667"),
    (Fraction(99995, 10), 4, "10000"),
    (Fraction(1999, 2000), 3, "1.00"),
    (Fraction(123456, 10), 3, "12300"),
    (Fraction(123456, 10), 5, "12346"),
    (Fraction(10**21) + Fraction(1, 2), 3, "1.00e21"),
    (12, 3, "12"),
    (mpmath.mpf("0.25"), 3, "0.250"),
]


@pytest.mark.parametrize(("value", "digits", "text"), SIGNIFICANT)
def test_nearest_significant(value, digits, text):
    assert nearest_significant(value, digits) == text


@pytest.mark.parametrize(("value", "places"), [("0.125", 2), ("2", 3), ("0", 3), ("-0.0005", 3)])
def test_digits_alone_decide_no_tie_and_no_integer(value, places):
    with mpmath.workdps(60):
        near = mpmath.mpf(value) + mpmath.mpf(10) ** -50
    with pytest.raises(TooClose):
        nearest(near, places)


def test_an_irrational_is_no_integer():
    tiny = Irrational.near(mpmath.exp(-2000))
    assert (nearest(tiny, 4), nearest_significant(tiny, 8)) == ("0.0000", "2.5765359e-869")
    assert nearest(Irrational.near(mpmath.mpf(1)), 3) == "1.000"


# ---------------------------------------------------------------------------------------------- attention


def plain(value: Any) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


@pytest.mark.parametrize("causal", [False, True])
def test_the_napkin_by_sympy(causal):
    """Weights and outputs written out in SymPy, by hand, to 30 digits."""
    problem = {"X": [[1, 0], [0, 1], [1, 1]], "W_Q": "identity", "W_K": "identity", "W_V": [[2, 0], [0, 2]]}
    head = evaluate(problem | {"attention": {"causal": causal}})["heads"][0]
    scores, value = sympy.Matrix([[1, 0, 1], [0, 1, 1], [1, 1, 2]]), sympy.Matrix([[2, 0], [0, 2], [2, 2]])
    for i in range(3):
        powers = [sympy.exp(scores[i, j] / sympy.sqrt(2)) if j <= i or not causal else sympy.S(0) for j in range(3)]
        row = sympy.Matrix([powers]) / sum(powers)
        for given_row, wanted in ((head["weights"][i], row), (head["output"][i], row * value)):
            for number, expression in zip(given_row, wanted, strict=True):
                assert abs(sympy.N(expression, 40) - sympy.Float(str(mpmath.nstr(plain(number), 45)), 45)) < 1e-30


@settings(deadline=None, max_examples=60)
@given(problems())
def test_rows_add_to_1_and_outputs_are_means(problem):
    for head in evaluate(problem)["heads"]:
        for row, outputs in zip(head["weights"], head["output"], strict=True):
            with mpmath.workdps(60):
                assert abs(mpmath.fsum(map(plain, row)) - 1) < mpmath.mpf(10) ** -55
            seen = [line for line, weight in zip(head["value"], row, strict=True) if weight != 0]
            for value, column in zip(outputs, zip(*seen, strict=True), strict=True):
                assert min(map(plain, column)) - 1e-12 <= plain(value) <= max(map(plain, column)) + 1e-12


@settings(deadline=None, max_examples=60)
@given(problems())
def test_keys_may_be_permuted(problem):
    assume("Q" in problem and not problem["attention"]["causal"])
    turned = problem | {name: problem[name][::-1] for name in "KV"}
    one, other = evaluate(problem), evaluate(turned)
    for head, head2 in zip(one["heads"], other["heads"], strict=True):
        assert [list(map(type, row)) for row in head["output"]] == [list(map(type, row)) for row in head2["output"]]
    with mpmath.workdps(60):
        for row, row2 in zip(one["output"], other["output"], strict=True):
            assert all(abs(plain(a) - plain(b)) < mpmath.mpf(10) ** -55 for a, b in zip(row, row2, strict=True))


@settings(deadline=None, max_examples=60)
@given(problems())
def test_one_formula_in_one_expression(problem):
    """softmax(scale Q K^T) V of the first head, in mpmath from the tables that the evaluator says it multiplies."""
    head = evaluate(problem, 50)["heads"][0]
    scale = problem["attention"].get("scale")
    with mpmath.workdps(70):
        factor = 1 / mpmath.sqrt(len(head["query"][0])) if scale is None else entry(scale).at(70)
        for i, (query, outputs) in enumerate(zip(head["query"], head["output"], strict=True)):
            seen = [j for j, logit in enumerate(head["logits"][i]) if logit is not None]
            powers = [mpmath.exp(factor * plain(sum(map(Fraction.__mul__, query, head["key"][j])))) for j in seen]
            for c, output in enumerate(outputs):
                above = mpmath.fsum(power * plain(head["value"][j][c]) for power, j in zip(powers, seen, strict=True))
                assert abs(above / mpmath.fsum(powers) - plain(output)) < mpmath.mpf(10) ** -45


@pytest.mark.parametrize("kind", [problems, surd_problems, log_problems])
def test_printed_is_within_half_a_unit_and_rows_add_to_1(kind):
    @settings(deadline=None, max_examples=40)
    @given(kind())
    def law(problem):
        try:
            texts = printed(problem)
        except ZeroSumError:
            assume(False)
        page = Page.of(problem)
        for head in texts["heads"]:
            for row in head["weights"]:
                assert page.row_sums == "as-is" or sum(map(Fraction, row)) == 1
        if page.rounding == "nearest":
            for row, line in zip(texts["output"], evaluate(problem)["output"], strict=True):
                for text, value in zip(row, line, strict=True):
                    assert abs(plain(Fraction(text)) - plain(value)) <= 0.5000001 * 10**-page.decimals
                    assert text != "-0." + "0" * page.decimals

    law()


def test_sections():
    problem = {"Q": [[1], [2]], "K": [[1], [0]], "V": [[3], [5]], "also": [{"causal": True}]}
    first, second = (evaluate(section) for section in sections(problem))
    assert second["output"][0] == [3]
    assert first["output"][1] == second["output"][1]


def test_a_zero_sum_is_an_error():
    problem = {"Q": [[1]], "K": [[-9], [-8]], "V": [[1], [2]], "page": {"rounding": "carried"}}
    with pytest.raises(ZeroSumError):
        printed(problem)


def test_a_sum_that_cancels_keeps_its_digits():
    """(e^-100 - e^-101) to 60 digits, from terms that agree to none after large ones have cancelled."""
    small = total([entry("exp(100)"), entry("-exp(100)"), entry("exp(-100)"), entry("-exp(-101)")])
    with mpmath.workdps(80):
        wanted = mpmath.exp(-100) - mpmath.exp(-101)
        assert abs(small.at(60) / wanted - 1) < mpmath.mpf(10) ** -60
