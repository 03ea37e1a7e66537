"""The topics that can be derived. A topic is one module here that has the topic's name, and a function ``proof`` of
a seed for the numbers of its exercises.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from symattn.statements.proof import Proof

TOPICS: Final = (
    "weighted-average",
    "dot-product-variance",
    "why-not-d",
    "saturation",
    "temperature",
    "softmax-shift",
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


def derived(topic: str, seed: int = 0) -> Proof:
    """The derivation of a topic; the seed chooses the numbers of its exercises."""
    found: Proof = import_module(f"symattn.derive.topics.{topic.replace('-', '_')}").proof(seed)
    return found
