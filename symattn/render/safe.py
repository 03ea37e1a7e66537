"""LaTeX and words of our own, which no format escapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup


class Safe(Markup):
    """Markup made from a ``str`` alone, as fast as one: ``Markup`` looks first for markup of its argument's own."""

    __slots__ = ()
    if not TYPE_CHECKING:
        __new__ = str.__new__


def tex(text: str) -> Markup:
    """LaTeX that we wrote."""
    return Safe(text)
