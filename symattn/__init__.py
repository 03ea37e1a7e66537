"""Exact attention: worked pages, answer keys and checks in which every printed digit is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.api import Problem, Solution, solve

__version__ = "0.1.0"
__all__ = ["Problem", "Solution", "solve"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from symattn import api

    return getattr(api, name)
