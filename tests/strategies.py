"""Hypothesis strategies for problems, as plain dicts in the shape of the problem file.

Sizes are all different where they can be, so that a swapped axis can't pass; no causal variant leaves a row empty.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

Rows = list[list[Any]]
Problem = dict[str, Any]

ENTRIES = st.one_of(
    st.integers(-3, 3),
    st.integers(-5, 5).map(lambda n: f"{n}/2"),
    st.integers(-20, 20).map(lambda n: str(n / 10)),
    st.integers(-150, 150).map(lambda n: f"{'-' if n < 0 else ''}{abs(n) // 100}.{abs(n) % 100:02d}"),
    st.integers(-4, 4).map(lambda n: f"{n}/3"),
    st.integers(-4, 4).map(lambda n: Fraction(n, 4)).map(str),
)
SURDS = st.one_of(
    st.integers(-2, 2),
    st.sampled_from(
        ["sqrt(2)", "-sqrt(2)", "sqrt(2)/2", "sqrt(3)", "sqrt(3)/2", "1-sqrt(2)", "sqrt(8)", "sqrt(6)/3", "2*sqrt(5)"]
    ),
)
LOGS = st.one_of(
    st.sampled_from(["0", "log(2)", "log(3)", "log(5)", "-log(2)", "log(3/2)", "log(5/2)", "2*log(2)", "ln(6)"]),
    st.integers(2, 9).map(lambda n: f"log({n})"),
)


def matrices(rows: int, columns: int, entries: st.SearchStrategy[Any] = ENTRIES) -> st.SearchStrategy[Rows]:
    return st.lists(st.lists(entries, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def distinct_sizes(draw: st.DrawFn, count: int, most: int = 5) -> tuple[int, ...]:
    """Sizes in 1..most, all different three times out of four."""
    if draw(st.integers(0, 3)):
        return tuple(draw(st.permutations(range(1, most + 1)))[:count])
    return tuple(draw(st.integers(1, most)) for _ in range(count))


def causals(n_q: int, n_k: int) -> st.SearchStrategy[bool | str]:
    """What ``causal`` may be without a row that sees no key."""
    allowed: list[bool | str] = [False, "top-left"]
    if n_q == n_k:
        allowed.append(True)
    if n_k >= n_q:
        allowed.append("bottom-right")
    return st.sampled_from(allowed)


HEADS = st.sampled_from([1, 1, 2, 3])
SCALES = st.sampled_from([None, None, None, 1, "1/2", "0.3", "-1", "1/sqrt(5)"])


@st.composite
def pages(draw: st.DrawFn, policies: tuple[str, ...] = ("nearest", "carried")) -> Problem:
    """A ``[page]`` table; options at their default are left out half the time."""
    page = {
        "decimals": draw(st.integers(1, 5)),
        "rounding": draw(st.sampled_from(policies)),
        "row_sums": draw(st.sampled_from(["as-is", "one"])),
        "ties": draw(st.sampled_from(["half-up", "half-even"])),
    }
    default = {"decimals": 3, "rounding": "nearest", "row_sums": "as-is", "ties": "half-up"}
    if draw(st.booleans()):
        page = {name: value for name, value in page.items() if value != default[name]}
    return page


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    most: int = 5,
    entries: st.SearchStrategy[Any] = ENTRIES,
    heads: st.SearchStrategy[int] = HEADS,
    scales: st.SearchStrategy[Any] = SCALES,
    policies: tuple[str, ...] = ("nearest", "carried"),
    square: bool = False,
) -> Problem:
    """X with W_Q W_K W_V (``square`` output: W_O has d_model columns), or Q K V; causal, scale, heads with W_O, page.

    Args:
        most: The largest size of n_q, n_k, d_model, d_k, d_v; with several heads they stop at 3.
        entries: What an entry is.
        heads: num_heads.
        scales: ``None`` leaves the default.
        policies: The values of ``[page] rounding``.
        square: Whether W_O must have as many columns as the tokens have numbers (Q's columns in the QKV form).
    """
    num_heads = draw(heads)
    top = most if num_heads == 1 else min(most, 3)
    n_q, n_k, d_k, d_v = draw(distinct_sizes(4, max(top, 4)))
    if num_heads > 1:
        n_q, n_k, d_k, d_v = (min(size, top) for size in (n_q, n_k, d_k, d_v))
    problem: Problem
    if draw(st.booleans()):
        d_model = draw(st.integers(1, most))
        n_k = n_q
        copy = num_heads * d_k == d_model
        tables = {
            "W_Q": draw(matrices(d_model, num_heads * d_k, entries)),
            "W_K": draw(matrices(d_model, num_heads * d_k, entries)),
            "W_V": draw(matrices(d_model, num_heads * d_v, entries)),
        }
        if copy and draw(st.booleans()):
            tables |= {"W_Q": "identity", "W_K": "identity"}
        problem = {"X": draw(matrices(n_q, d_model, entries))} | tables
    else:
        d_model = num_heads * d_k
        problem = {
            "Q": draw(matrices(n_q, num_heads * d_k, entries)),
            "K": draw(matrices(n_k, num_heads * d_k, entries)),
            "V": draw(matrices(n_k, num_heads * d_v, entries)),
        }
    if num_heads > 1 or draw(st.integers(0, 4)) == 0:
        d_out = d_model if square else draw(st.integers(1, top))
        if num_heads == 1 or draw(st.integers(0, 3)):
            problem["W_O"] = draw(matrices(num_heads * d_v, d_out, entries))
    attention: Problem = {"causal": draw(causals(n_q, n_k)), "num_heads": num_heads}
    scale = draw(scales)
    if scale is not None:
        attention["scale"] = scale
    return problem | {"attention": attention, "page": draw(pages(policies))}


def surd_problems(**options: Any) -> st.SearchStrategy[Problem]:
    """Problems whose entries are square roots and small integers."""
    return problems(**{"entries": SURDS, "most": 3, "heads": st.sampled_from([1, 1, 1, 2])} | options)


@st.composite
def log_problems(draw: st.DrawFn, *, policies: tuple[str, ...] = ("nearest", "carried")) -> Problem:
    """Scores that are logarithms of rationals, so that weights are rational: unit queries pick them out of the keys."""
    n_q, n_k, d_v = draw(distinct_sizes(3, 4))
    logs = draw(matrices(n_k, n_q, LOGS))
    return {
        "Q": [[int(i == j) for j in range(n_q)] for i in range(n_q)],
        "K": logs,
        "V": draw(matrices(n_k, d_v)),
        "attention": {"causal": draw(causals(n_q, n_k)), "scale": 1},
        "page": draw(pages(policies)),
    }
