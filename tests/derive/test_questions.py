"""Questions with answers: the mistake's row is what the mistake gives, it shows, and nothing else gives it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symattn.derive.questions import Asked, Question, questions
from symattn.derive.story import story
from symattn.errors import SpecError
from tests.exact.common import near, solved, steady
from tests.reference import Page, TooClose, entry, evaluate, nearest, nearest_significant, printed, sections
from tests.strategies import problems, surd_problems


def asked(problem: dict[str, Any]) -> tuple[Question, ...]:
    found = solved(problem)
    shown = [found.shown(section) for section in found.sections]
    told = story(found.sections[0].result.heads[0], shown[0].heads[0])
    parts = [Asked(i or None, section.result, shown[i]) for i, section in enumerate(found.sections)]
    return questions(told, tuple(parts), found.problem.page)


# ---------------------------------------------------------------------------------------------- mistakes by mpmath

Rows = list[list[Any]]


def softmax(logits: list[mpmath.mpf | None]) -> list[mpmath.mpf]:
    powers = [mpmath.mpf(0) if logit is None else mpmath.exp(logit) for logit in logits]
    total = mpmath.fsum(powers)
    return [power / total if power else power for power in powers]


def scale(problem: dict[str, Any], d_k: int) -> mpmath.mpf:
    given_ = problem.get("attention", {}).get("scale")
    return 1 / mpmath.sqrt(d_k) if given_ is None else entry(given_).at(mpmath.mp.dps)


def rescaled(factor: Callable[[mpmath.mpf, int], mpmath.mpf]) -> Callable[..., Rows]:
    def rows(scores: Rows, mask: Rows, by: mpmath.mpf, d_k: int) -> Rows:
        pairs = [zip(*pair, strict=True) for pair in zip(scores, mask, strict=True)]
        return [softmax([score * factor(by, d_k) if may else None for score, may in row]) for row in pairs]

    return rows


def as_asked(by: mpmath.mpf, _: int) -> mpmath.mpf:
    return by


def over_queries(scores: Rows, mask: Rows, by: mpmath.mpf, d_k: int) -> Rows:
    turned = rescaled(as_asked)(transposed(scores), transposed(mask), by, d_k)
    return transposed(turned)


def transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def mask_ignored(scores: Rows, mask: Rows, by: mpmath.mpf, d_k: int) -> Rows:
    return rescaled(as_asked)(scores, [[True] * len(row) for row in mask], by, d_k)


def masked_afterwards(scores: Rows, mask: Rows, by: mpmath.mpf, d_k: int) -> Rows:
    rows = zip(mask_ignored(scores, mask, by, d_k), mask, strict=True)
    return [[weight if may else Fraction(0) for weight, may in zip(*row, strict=True)] for row in rows]


MISTAKES: dict[str, Callable[..., Rows]] = {
    "unscaled": rescaled(lambda *_: mpmath.mpf(1)),
    "scaled_by_d_k": rescaled(lambda _, d_k: mpmath.mpf(1) / d_k),
    "scaled_twice": rescaled(lambda by, _: by * by),
    "softmax_over_queries": over_queries,
    "mask_after_softmax": masked_afterwards,
    "mask_ignored": mask_ignored,
}
OF_THE_MASK = ("mask_after_softmax", "mask_ignored")


def made(key: str, problem: dict[str, Any]) -> Rows:
    """The weights that the mistake gives."""
    with mpmath.workdps(60):
        scores, mask, d_k = scored(problem)
        return MISTAKES[key](scores, mask, scale(problem, d_k), d_k)


def scored(problem: dict[str, Any]) -> tuple[Rows, Rows, int]:
    """Scores, mask and d_k by the reference; the values, which no mistake here looks at, are one column of zeros."""
    bare = {name: value for name, value in problem.items() if name not in ("W_O", "also", "page")}
    rows = "W_V" if "X" in problem else "V"
    bare[rows] = [[0]] * len(problem["X"][0] if rows == "W_V" else problem["V"])
    head = evaluate(bare, 60)["heads"][0]
    scores = [[near(value) for value in row] for row in head["scores"]]
    return scores, [[logit is not None for logit in row] for row in head["logits"]], len(head["query"][0])


def prints(row: list[str], values: list[Any], page: Page) -> bool:
    """Whether these texts are the values rounded: by their distance, so that no tie and no integer needs a proof."""
    return len(row) == len(values) and all(fits(*pair, page) for pair in zip(row, values, strict=True))


def fits(text: str, value: Any, page: Page) -> bool:
    with mpmath.workdps(60):
        number, told = near(value), near(Fraction(text))
        if page.digits == "significant" and number != 0:
            unit = mpmath.mpf(10) ** (
                mpmath.floor(mpmath.log10(abs(number)) + mpmath.mpf(10) ** -40) + 1 - page.decimals
            )
        else:
            unit = mpmath.mpf(10) ** -page.decimals
        whole = "." not in text and "e" not in text
        slack = mpmath.mpf(10) ** -40 if whole and page.digits == "places" else unit / 2 + mpmath.mpf(10) ** -40
        return abs(number - told) <= slack


FRIENDLY = st.one_of(
    problems(policies=("nearest",), heads=st.just(1)), surd_problems(policies=("nearest",), heads=st.just(1))
)


@steady(100)
@given(FRIENDLY, st.booleans())
def test_a_mistaken_row_is_what_the_mistake_gives_and_nothing_else(problem, masked_too):
    options = problem["page"] | {"row_sums": "as-is"}
    problem = problem | {"page": options}
    square = len(problem.get("X") or problem["Q"]) == len(problem.get("X") or problem["K"])
    if masked_too and square and not problem["attention"]["causal"]:
        problem = problem | {"also": [{"causal": True}]}
    page = Page.of(problem)
    found = [question for question in asked(problem) if question.kind in MISTAKES]
    for question in found:
        part = sections(problem)[question.section or 0]
        try:
            right = printed(part | {"page": options})["heads"][0]["weights"][question.row]
        except TooClose:
            assume(False)
        row = list(question.numbers)
        assert prints(row, made(question.kind, part)[question.row], page), question
        differing = sum(Fraction(a) != Fraction(b) for a, b in zip(row, right, strict=True))
        assert differing >= min(2, len(row)), question
        masked = not all(map(all, scored(part)[1]))
        others = [key for key in MISTAKES if key != question.kind and (masked or key not in OF_THE_MASK)]
        for other in others:
            assert not surely_prints(row, made(other, part)[question.row], page), (question, other)
        assert Fraction(question.total) == sum(map(Fraction, row)), question


def surely_prints(row: list[str], values: list[Any], page: Page) -> bool:
    """Whether the values round to these very texts, with no value near a tie; an integer must be one."""
    write = nearest_significant if page.digits == "significant" else nearest
    with mpmath.workdps(60):
        try:
            return row == [write(value, page.decimals, page.ties) for value in values]
        except TooClose:
            return False


def test_catalogues_are_the_same():
    from symattn.mistakes.rows import ROWS

    assert set(MISTAKES) == set(ROWS)


NAPKIN = {"X": [[1, 0], [0, 1], [1, 1]], **dict.fromkeys(("W_Q", "W_K"), "identity"), "W_V": [[2, 0], [0, 2]]}


def kinds(problem: dict[str, Any]) -> list[str]:
    return [question.kind for question in asked(problem)]


def test_the_napkin():
    """Rows 1 and 2 hold the same scores in another order; without scaling row 3 is 1/(2+e), 1/(2+e), e/(2+e)."""
    found = {question.kind: question for question in asked(NAPKIN)}
    assert (found["same_scores"].row, found["same_scores"].other) == (0, 1)
    with mpmath.workdps(40):
        share = 1 / (2 + mpmath.e)
        row = (nearest(share, 3), nearest(share, 3), nearest(mpmath.e * share, 3))
    assert (found["unscaled"].row, found["unscaled"].numbers) == (2, row)
    assert found["unscaled"].total == "1"
    with_mask = {question.kind: question for question in asked(NAPKIN | {"also": [{"causal": True}]})}
    assert with_mask["first_row"].section == 1
    assert {"mask_after_softmax", "mask_ignored"} & with_mask.keys()


COUNTS: Counter[int] = Counter()


@steady(150)
@given(st.one_of(problems(), surd_problems()), st.booleans())
def _count(problem, masked_too):
    rows = len(problem.get("X") or problem["Q"])
    keys = len(problem.get("X") or problem["K"])
    assume(rows > 1 and keys > 1)
    if masked_too and rows == keys and not problem["attention"]["causal"]:
        problem = problem | {"also": [{"causal": True}]}
    try:
        found = kinds(problem)
    except SpecError:
        assume(False)
    assert 3 <= len(found) <= 6
    assert len(set(found)) == len(found)
    COUNTS[len(found)] += 1


def test_ordinary_problems_have_four_to_six_questions_each_of_its_own_kind():
    _count()
    assert COUNTS.total() > 100
    assert COUNTS[3] < COUNTS.total() / 10


@steady(80)
@given(problems())
def test_a_question_of_the_first_row_is_asked_where_it_sees_one_key(problem):
    keys = len(problem.get("X") or problem["K"])
    try:
        found = {question.kind: question for question in asked(problem)}
    except SpecError:
        assume(False)
    logits = evaluate(problem)["heads"][0]["logits"][0]
    alone = [logit is not None for logit in logits] == [True] + [False] * (keys - 1) and keys > 1
    assert ("first_row" in found) <= alone
    if alone:
        assert found["first_row"].section is None


@steady(60)
@given(problems())
def test_a_question_of_equal_scores_names_rows_with_equal_scores(problem):
    try:
        found = [question for question in asked(problem) if question.kind == "same_scores"]
    except SpecError:
        assume(False)
    for question in found:
        logits = evaluate(problem, 60)["heads"][0]["logits"]
        with mpmath.workdps(50):
            rows = [
                sorted(mpmath.nstr(near(value), 40) for value in logits[row] if value is not None)
                for row in (question.row, question.other)
            ]
        assert rows[0] == rows[1]
        assert question.row < question.other


def test_letters_have_questions_without_numbers():
    letters = {"Q": [["a"], [1]], "K": [[1], [0]], "V": [[1], [2]], "symbols": {"a": "real"}}
    found = asked(letters)
    assert len(found) >= 3
    assert all(question.numbers == () for question in found)


@pytest.mark.parametrize("causal", [False, True])
def test_a_mistake_that_does_not_show_is_not_asked_for(causal):
    """Equal scores: whatever the scale, the weights are the same."""
    flat = {"Q": [[0], [0]], "K": [[1], [2]], "V": [[1], [2]], "attention": {"causal": causal}}
    assert not {"unscaled", "scaled_by_d_k", "scaled_twice"} & set(kinds(flat))


def test_a_row_that_shows_its_mistake_only_in_how_zeros_are_written_is_not_asked_for():
    """Without the mask the second row is 0.269, 0.731, 0.000, 0.000, where 0, 0 are hidden: the first row shows it."""
    rows = {"Q": [[1], [1], [1], [1]], "K": [[0], [1], [-30], [-31]], "V": [[0, 1], [1, 0], [2, 3], [4, 1]]}
    found = {question.kind: question for question in asked(rows | {"attention": {"causal": True}})}
    assert found["mask_ignored"].row == 0
    assert found["mask_ignored"].numbers[:2] == ("0.269", "0.731")
