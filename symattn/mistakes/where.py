"""Where a mistake can be made at all: which of them apply to a problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from symattn.mistakes.catalogue import CATALOGUE
from symattn.mistakes.spoiled import model_width
from symattn.problem import Problem, allowed_from, causal_offset


@dataclass(frozen=True, slots=True)
class Features:
    """What decides whether a mistake can be made: sizes, and which options are used.

    ``masked``: some key is masked for some query; ``dead_rows``: some row has nothing allowed, and no sink;
    ``offset``: o of the causal mask.
    """

    n_q: int
    n_k: int
    past: int
    heads: int
    kv_heads: int
    d_k: int
    d_v: int
    d_model: int
    square_tables: bool
    rope: bool
    cap: bool
    bias: bool
    masked: bool
    dead_rows: bool
    offset: int | None


_NEEDS: Final[dict[str, Callable[[Features], bool]]] = {
    "scaled_by_sqrt_d_model": lambda has: has.d_model != has.d_k,
    "mask_ignored": lambda has: has.masked,
    "mask_inverted": lambda has: has.masked,
    "mask_after_softmax": lambda has: has.masked,
    "other_causal_alignment": lambda has: has.offset is not None and has.n_q != has.n_k,
    "strict_causal": lambda has: has.offset is not None,
    "cache_ignored_by_causal": lambda has: has.offset is not None and has.past > 0 and has.offset != 0,
    "finite_mask": lambda has: has.masked,
    "bias_ignored": lambda has: has.bias,
    "bias_sign": lambda has: has.bias,
    "cap_ignored": lambda has: has.cap,
    "cap_after_mask": lambda has: has.cap and has.masked,
    "queries_and_keys_swapped": lambda has: has.n_q == has.n_k,
    "weights_transposed": lambda has: has.square_tables,
    "value_is_key": lambda has: has.d_k == has.d_v,
    "heads_reshaped_without_transpose": lambda has: has.heads > 1,
    "kv_heads_tiled": lambda has: 1 < has.kv_heads < has.heads,
    "rope_other_layout": lambda has: has.rope,
    "masked_row_zero": lambda has: has.dead_rows,
    "masked_row_uniform": lambda has: has.dead_rows,
    "masked_row_nan": lambda has: has.dead_rows,
    "grad_group_not_summed": lambda has: has.kv_heads < has.heads,
}
"""What a mistake needs; the others can be made anywhere."""


def applicable(has: Features | Problem) -> tuple[str, ...]:
    """The mistakes that can be made here, in the catalogue's order; whether one shows is for the numbers to say."""
    found = has if isinstance(has, Features) else features(has)
    return tuple(key for key in CATALOGUE if key not in _NEEDS or _NEEDS[key](found))


def features(problem: Problem) -> Features:
    """What decides for a problem, without regard to its further sections."""
    options = problem.attention
    heads, kv_heads = options.num_heads, options.kv_heads
    offset = causal_offset(options, problem.n_q, problem.n_k, problem.past)
    masks = [
        allowed_from(options, problem.n_q, problem.n_k, problem.past, head, offset)
        for head in range(max(len(options.mask), len(options.bias), 1))
    ]
    d_k = _columns(problem, "Q") // heads
    tables = [table for table in (problem.W_Q, problem.W_K, problem.W_V) if isinstance(table, tuple)]
    return Features(
        n_q=problem.n_q,
        n_k=problem.n_k,
        past=problem.past,
        heads=heads,
        kv_heads=kv_heads,
        d_k=d_k,
        d_v=_columns(problem, "V") // kv_heads,
        d_model=model_width(problem, d_k),
        square_tables=bool(tables) and all(len(table) == len(table[0]) for table in tables),
        rope=options.rope is not None,
        cap=options.softcap is not None,
        bias=bool(options.bias) or options.alibi,
        masked=not all(seen for mask in masks for row in mask for seen in row),
        dead_rows=not options.sink and any(not any(row) for mask in masks for row in mask),
        offset=offset,
    )


def _columns(problem: Problem, direct: str) -> int:
    given = getattr(problem, direct)
    if given is not None:
        return len(given[0])
    table = getattr(problem, f"W_{direct}")
    source = problem.X if direct == "Q" or problem.context is None else problem.context
    assert source is not None  # noqa: S101 - parse makes no other problem
    return len(source[0]) if table == "identity" else len(table[0])
