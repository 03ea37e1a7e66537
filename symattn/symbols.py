"""The one table of names and shapes: what each array is called, its shape, and the letter a page gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Symbol:
    """An array: its name in files, JSON and Python, its shape, and the letter it has on a page."""

    name: str
    shape: tuple[str, str]
    letter: str


_ROWS: Final = (
    Symbol("X", ("n", "d_model"), "X"),
    Symbol("context", ("n_k", "d_model"), "C"),
    Symbol("W_Q", ("d_model", "num_heads * d_k"), "W_Q"),
    Symbol("W_K", ("d_model", "num_heads * d_k"), "W_K"),
    Symbol("W_V", ("d_model", "num_heads * d_v"), "W_V"),
    Symbol("W_O", ("num_heads * d_v", "d_model"), "W_O"),
    Symbol("b_Q", ("1", "num_heads * d_k"), "b_Q"),
    Symbol("b_K", ("1", "num_heads * d_k"), "b_K"),
    Symbol("b_V", ("1", "num_heads * d_v"), "b_V"),
    Symbol("b_O", ("1", "d_model"), "b_O"),
    Symbol("query", ("n_q", "d_k"), "Q"),
    Symbol("key", ("n_k", "d_k"), "K"),
    Symbol("value", ("n_k", "d_v"), "V"),
    Symbol("rotated_query", ("n_q", "d_k"), "Q'"),
    Symbol("rotated_key", ("n_k", "d_k"), "K'"),
    Symbol("scores", ("n_q", "n_k"), "S"),
    Symbol("scaled", ("n_q", "n_k"), "S'"),
    Symbol("capped", ("n_q", "n_k"), "T"),
    Symbol("bias", ("n_q", "n_k"), "B"),
    Symbol("biased", ("n_q", "n_k"), "U"),
    Symbol("mask", ("n_q", "n_k"), "M"),
    Symbol("logits", ("n_q", "n_k"), "L"),
    Symbol("exponentials", ("n_q", "n_k"), "E"),
    Symbol("weights", ("n_q", "n_k"), "A"),
    Symbol("output", ("n_q", "d_v"), "Z"),
    Symbol("concat", ("n_q", "num_heads * d_v"), "H"),
    Symbol("final", ("n_q", "d_model"), "Y"),
    Symbol("residual", ("n_q", "d_model"), "X'"),
)

SYMBOLS: Final = {row.name: row for row in _ROWS}

GENERATOR: Final = "u"
"""The letter of closed forms, ``u = e^(1/(L sqrt(d_k)))``; ``[page] notation`` may change it under this name."""

NOTATION: Final = (*SYMBOLS, GENERATOR)
"""The names whose letters ``[page] notation`` may change."""
