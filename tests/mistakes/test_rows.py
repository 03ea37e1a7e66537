"""The catalogue of mistakes, entry by entry, against the same mistake made in mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.exact.values import Total
from symattn.mistakes.rows import ROWS
from tests.derive.test_questions import MISTAKES, OF_THE_MASK, made
from tests.exact.common import near, solved, steady
from tests.strategies import log_problems, problems, surd_problems

KINDS = st.one_of(problems(heads=st.just(1)), surd_problems(heads=st.just(1)), log_problems())
assert ROWS


def weights(key: str, problem: dict[str, Any]) -> Any:
    result = solved(problem).sections[0].result
    return ROWS[key].weights(result.heads[0], result)


@pytest.mark.parametrize("key", ROWS)
def test_a_mistake_is_what_its_name_says(key):
    @steady(20)
    @given(KINDS)
    def law(problem):
        table, wanted = weights(key, problem), made(key, problem)
        with mpmath.workdps(50):
            for i, j in table.places():
                assert abs(near(table[i, j].to_sympy()) - near(wanted[i][j])) < mpmath.mpf(10) ** -40

    law()


def test_the_catalogue_is_known():
    assert set(ROWS) == set(MISTAKES)
    assert all(mistake.key == key for key, mistake in ROWS.items())
    assert {key for key, mistake in ROWS.items() if mistake.needs_mask} == set(OF_THE_MASK)


@pytest.mark.parametrize("key", [key for key in ROWS if key != "softmax_over_queries" and key not in OF_THE_MASK[:1]])
def test_rows_still_add_to_1_where_the_mistake_keeps_the_softmax(key):
    @steady(15)
    @given(KINDS)
    def law(problem):
        assert all(Total(row).equals(1) for row in weights(key, problem).rows)

    law()


def test_columns_add_to_1_where_the_softmax_runs_over_the_queries():
    table = weights("softmax_over_queries", {"Q": [[1], [2], [3]], "K": [[1], [2]], "V": [[1], [2]]})
    assert all(Total(tuple(column)).equals(1) for column in zip(*table.rows, strict=True))
    assert not Total(table.rows[0]).equals(1)


NAMED = [  # the public reports, to six digits: key, problem, rows
    (
        "scaled_by_d_k",
        {"Q": [[1, 1, 0, 0]], "K": [[1, 1, 0, 0], [0, 0, 1, 1]], "V": [[1], [0]]},
        [["0.622459", "0.377541"]],
    ),
    ("unscaled", {"Q": [[1, 1, 0, 0]], "K": [[1, 1, 0, 0], [0, 0, 1, 1]], "V": [[1], [0]]}, [["0.880797", "0.119203"]]),
    (
        "softmax_over_queries",
        {"Q": [[1, 0], [0, 1]], "K": [[1, 3], [2, 5]], "V": [[1], [0]], "attention": {"scale": 1}},
        [["0.119203", "0.047426"], ["0.880797", "0.952574"]],
    ),
    (
        "mask_after_softmax",
        {"Q": [[1, 0], [0, 1], [1, 1]], "K": [[1, 0], [0, 1], [1, 1]], "V": [[1]] * 3, "attention": {"causal": True}},
        [
            ["0.401112", "0.000000", "0.000000"],
            ["0.197776", "0.401112", "0.000000"],
            ["0.248255", "0.248255", "0.503490"],
        ],
    ),
]


@pytest.mark.parametrize(("key", "problem", "rows"), NAMED)
def test_reported_mistakes(key, problem, rows):
    table = weights(key, problem)
    for i, row in enumerate(rows):
        for j, text in enumerate(row):
            assert abs(near(table[i, j].to_sympy()) - mpmath.mpf(text)) <= mpmath.mpf("0.0000005")
