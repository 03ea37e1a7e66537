"""The built-in problem."""

from typing import Final

NAPKIN: Final = """\
title = "Three tokens on a napkin"
tokens = ["it", "was", "tired"]
X = [[1, 0], [0, 1], [1, 1]]
W_Q = "identity"
W_K = "identity"
W_V = [[2, 0], [0, 2]]

[[also]]
causal = true
"""
