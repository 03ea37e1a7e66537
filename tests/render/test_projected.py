"""The entry that a page works first, of the arrays that a learned table makes: whose it is, and when there is none."""

from __future__ import annotations

from symattn.derive.sections import worked
from symattn.parse.problem import problem
from symattn.render.page import Wish, made

TABLES = {"W_Q": "identity", "W_K": "identity", "W_V": [[1, 2], [0, 3]]}


def page(**more):
    return made(worked(problem({"X": [[1, 1]], **TABLES, **more})), Wish(format="md", slug="page")).text


def test_a_value_belongs_to_a_token_of_the_context():
    """C W_V with C = [1, 0], [0, 1]: the first value is that of the first token of the context."""
    text = page(tokens=["it"], context=[[1, 0], [0, 1]], context_tokens=["she", "read"])
    assert "the first number of *she* among the values is" in text


def test_values_that_come_out_of_a_cache_are_not_worked():
    text = page(tokens=["it"], past_key=[[1, 0]], past_value=[[7, 9]])
    assert "A cache holds" in text
    assert "among the values" not in text
