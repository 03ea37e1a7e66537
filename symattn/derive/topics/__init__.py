"""The topics that can be derived. A topic is one module here that has the topic's name, and a function ``proof`` of
a seed for the numbers of its exercises.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from symattn.problem import Problem
from symattn.statements.proof import Proof

TOPICS: Final = (
    "weighted-average",
    "dot-product-variance",
    "why-not-d",
    "saturation",
    "temperature",
    "softmax-shift",
    "closed-form",
    "softmax-jacobian",
    "attention-backward",
    "online-softmax",
    "causal-prefix",
    "permutation",
    "positions",
    "bilinear",
    "multi-head-cost",
    "linear-attention",
)
"""In the order of the list, which is that of a course."""


OF_A_PROBLEM: Final = ("closed-form",)
"""Those that are derived for a given problem."""


def derived(topic: str, seed: int = 0, problem: Problem | None = None) -> Proof:
    """The derivation of a topic; the seed chooses the numbers of its exercises."""
    module = import_module(f"symattn.derive.topics.{topic.replace('-', '_')}")
    found: Proof = module.proof(seed) if problem is None else module.proof(seed, problem)
    return found
