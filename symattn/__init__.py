"""Exact attention: worked pages, answer keys and checks in which every printed digit is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.api import Problem, Solution, solve
    from symattn.arrays import Comparison, compare, reference

__version__ = "0.1.0"
__all__ = ["Comparison", "Problem", "Solution", "compare", "reference", "solve"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("Comparison", "compare", "reference"):
        from symattn import arrays

        return getattr(arrays, name)
    from symattn import api

    return getattr(api, name)
