"""Recipes that between them use every way to draw and to ask; sizes are distinct so that no transposition hides."""

from __future__ import annotations

WEIGHTS = """
title = "Weights"
tokens = ["it", "was", "tired", "sad"]
[sizes]
tokens = 3
d_model = 2
d_k = 2
d_v = 4
[entries]
X = [-1, 0, 1, 2]
W_Q = [-1, 0, 1]
W_K = [-1, 0, 1]
W_V = [-2, 0, 1, 2]
[[ask]]
what = "weights"
[[ask]]
what = "output"
points = 2
"""

CAUSAL = """
title = "No looking ahead"
[sizes]
tokens = 4
d_model = 3
d_k = 3
d_v = 3
[entries]
X = [-1, 0, 1]
W_Q = [-1, 0, 1]
W_K = [-1, 0, 1]
W_V = [0, 1, 2]
[attention]
causal = true
[rounding]
decimals = 3
guard = 1
[limits]
least = 0
most = 1
spread = "1/100"
[[ask]]
what = "weights[3]"
[[ask]]
what = "scaled"
[[ask]]
what = "output[2][0]"
"""

DIRECT = """
title = "Queries from elsewhere"
[sizes]
queries = 2
keys = 4
d_k = 3
d_v = 5
[entries]
Q = ["1/2", "-1/3", 1, "0.25"]
K = [-1, 0, "1.5", 2]
V = [0, 1, "2/3", -4]
[attention]
scale = {any = [1, "1/2", "1/sqrt(5)"]}
bias = [[0, 1, "1/3", 0], ["-1/2", 0, 0, 1]]
[rounding]
guard = 3
[limits]
least = "1/100"
most = "49/50"
[[ask]]
what = "exponentials"
[[ask]]
what = "output"
"""

HEADS = """
title = "Two heads"
[sizes]
tokens = 3
d_model = 4
d_k = 4
d_v = 2
d_out = 3
[entries]
X = [0, 1, 2]
W_Q = [-1, 0, 1]
W_K = [-1, 0, 1]
W_V = [0, 1, 2]
W_O = [0, 1, -1]
[attention]
num_heads = 2
causal = {any = [true, false]}
temperature = 2
[limits]
least = 0
most = 1
spread = "1/100"
[[ask]]
what = "weights[1]"
head = 1
[[ask]]
what = "final"
"""

LOGARITHMS = """
title = "No calculator"
[sizes]
queries = 1
keys = 3
d_k = 1
d_v = 2
[entries]
Q = [1, 2]
K = ["log(1)", "log(2)", "log(3)", "log(4)", "log(5)"]
V = [0, 1, 2, 3, 6]
[attention]
scale = 1
[limits]
largest_score = 5
[[ask]]
what = "weights"
[[ask]]
what = "output"
"""
LOGARITHMS = LOGARITHMS.replace("[sizes]", 'allow = ["unscaled", "scaled_by_d_k", "scaled_twice"]\n[sizes]')

ALL = {
    "weights": WEIGHTS,
    "causal": CAUSAL,
    "direct": DIRECT,
    "heads": HEADS,
    "logarithms": LOGARITHMS,
}

STEPS = """
title = "Step by step"
[sizes]
tokens = 3
d_k = 2
d_v = 4
[entries]
Q = [-1, 0, 1, 2]
K = [-1, 0, 1, 2]
V = [-2, 0, 1, 2, 3]
[attention]
causal = false
[rounding]
decimals = 3
guard = 2
[[ask]]
what = "scores"
[[ask]]
what = "scaled"
[[ask]]
what = "exponentials"
[[ask]]
what = "weights"
[[ask]]
what = "output"
"""

KINDS = """
title = "Every kind"
tokens = ["it", "was", "tired"]
[sizes]
tokens = 3
d_model = 2
d_k = 2
d_v = 4
[entries]
X = [-1, 0, 1, 2]
W_Q = [-1, 0, 1]
W_K = [-1, 0, 1]
W_V = [0, 1, 2]
[[ask]]
what = "weights[1]"
kind = "choice"
[[ask]]
what = "weights[2]"
kind = "most"
[[ask]]
what = "weights"
kind = "true-false"
[[ask]]
what = "output"
kind = "find-mistake"
[[ask]]
what = "weights[0][1]"
kind = "closed"
"""

PROJECTIONS = """
title = "From the tables on"
[sizes]
tokens = 3
d_model = 2
d_k = 2
d_v = 4
[entries]
X = [-1, 0, 1, 2]
W_Q = [-1, 0, 1]
W_K = [-1, 0, 1]
W_V = [-2, 0, 1, 2]
[attention]
scale = "1/sqrt(5)"
softcap = 3
bias = [[0, 1, "1/3"], ["-1/2", 0, 0], [1, "1/4", -1]]
temperature = "3/2"
sink = 0.5
[limits]
least = "1/100"
[[ask]]
what = "query"
[[ask]]
what = "key"
[[ask]]
what = "scores"
[[ask]]
what = "value"
[[ask]]
what = "weights[1]"
[[ask]]
what = "output"
"""

MIXED = """
title = "Two heads and a last table"
[sizes]
tokens = 3
d_model = 4
d_k = 4
d_v = 2
d_out = 5
[entries]
X = [0, 1, 2]
W_Q = [-1, 0, 1]
W_K = [-1, 0, 1]
W_V = [0, 1, 2]
W_O = [0, 1, -1]
b_O = [0, "1/2", 1]
[attention]
num_heads = 2
causal = true
[limits]
least = 0
most = 1
spread = "1/100"
[[ask]]
what = "output"
head = 0
[[ask]]
what = "output"
head = 1
[[ask]]
what = "final"
"""
