"""Exact attention: worked pages, answer keys and checks in which every printed digit is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.api import Problem, Solution, solve
    from symattn.arrays import reference

__version__ = "0.1.0"
__all__ = ["Problem", "Solution", "reference", "solve"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "reference":
        from symattn import arrays

        return arrays.reference
    from symattn import api

    return getattr(api, name)
