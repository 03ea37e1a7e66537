"""Several layers in a row: every printed number against the reference evaluator, laws, what is exact, and bad input."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import SpecError
from symattn.policies import Grid
from tests.exact.common import solved, steady, texts
from tests.reference import ZeroSumError, printed_layers
from tests.strategies import ENTRIES, matrices, pages

ARRAYS = ("query", "key", "value", "scores", "scaled", "logits", "weights", "output")
CLOSE = mpmath.mpf(10) ** -40
SMALL = st.one_of(st.integers(-2, 2), st.sampled_from(["1/2", "-0.5", "1/3", "0.25"]))


@st.composite
def layered(
    draw: st.DrawFn, policies: tuple[str, ...] = ("nearest", "carried"), entries: Any = SMALL
) -> dict[str, Any]:
    """Two or three layers whose sizes are all different where they can be."""
    n, d_model, d_k, d_v, wide = draw(st.permutations([1, 2, 3, 4, 5]))
    problem: dict[str, Any] = {"X": draw(matrices(n, d_model, ENTRIES)), "layers": []}
    problem["attention"] = draw(st.sampled_from([{}, {"causal": True}, {"scale": "1/3"}]))
    width = d_model
    for index in range(draw(st.integers(2, 3))):
        heads = draw(st.sampled_from([1, 1, 2]))
        layer: dict[str, Any] = {"num_heads": heads}
        for name, columns in (("W_Q", heads * d_k), ("W_K", heads * d_k), ("W_V", heads * d_v)):
            layer[name] = draw(matrices(width, columns, entries))
        after = draw(st.sampled_from([width, wide])) if heads > 1 or draw(st.booleans()) else heads * d_v
        if heads > 1 or after != d_v:
            layer["W_O"] = draw(matrices(heads * d_v, after, entries))
        layer |= draw(st.sampled_from([{}, {}, {"causal": True}, {"causal": False}, {"scale": "1/2"}]))
        if after == width:
            layer["residual"] = draw(st.booleans())
        width = after
        problem["layers"].append(layer)
        assert index < 3
    return problem | {"page": draw(pages(policies))}


def agrees(mine: Any, right: Any, page: dict[str, Any]) -> bool:
    """Whether a text is the reference's; where that is too close to say, whether it is one that may be right."""
    if right is None or isinstance(right, str):
        return right is None or mine == right
    half = mpmath.mpf(10) ** -page.get("decimals", 3) / 2
    away = abs(mpmath.mpf(mine) - right)
    return bool(away < CLOSE if "." not in mine else away < half + CLOSE)


def all_agree(mine: Grid | None, right: list[Any], page: dict[str, Any], name: str) -> None:
    assert mine is not None
    for i, (line, wanted) in enumerate(zip(texts(mine), right, strict=True)):
        if wanted is not None:
            for j, pair in enumerate(zip(line, wanted, strict=True)):
                assert agrees(*pair, page), (name, i, j, pair)


def compared(problem: dict[str, Any]) -> None:
    """Every number of every layer."""
    try:
        right = printed_layers(problem)
    except ZeroSumError:
        with pytest.raises(SpecError):
            _ = [layer.shown(layer.sections[0]) for layer in solved(problem).layers]
        return
    with mpmath.workdps(80):
        for index, (layer, wanted) in enumerate(zip(solved(problem).layers, right, strict=True)):
            shown = layer.shown(layer.sections[0])
            for mine, head in zip(shown.heads, wanted["heads"], strict=True):
                for name in head:
                    all_agree(getattr(mine, name), head[name], problem["page"], f"{index} {name}")
            all_agree(shown.output, wanted["output"], problem["page"], f"{index} output")
            all_agree(shown.whole, wanted["whole"], problem["page"], f"{index} whole")


@steady(60)
@given(layered())
def test_every_printed_number_is_the_reference_value(problem):
    compared(problem)


@steady(40)
@given(layered(policies=("nearest",), entries=st.integers(-1, 1)))
def test_small_integers_where_numbers_are_often_exact_or_equal(problem):
    compared(problem | {"X": [[entry if entry in (0, 1, -1) else 1 for entry in row] for row in problem["X"]]})
