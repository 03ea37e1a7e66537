"""What a page declares in a comment: its problem, with policy and decimals."""

from __future__ import annotations

import json
import re
from typing import Final

from symattn.errors import SymattnError
from symattn.parse import problem as parse
from symattn.parse.derived import Derived, derived
from symattn.problem import Problem

_COMMENT: Final = re.compile(r"(?:<!--|^%)[ \t]*(\{\"symattn\":\{.*\}\})[ \t]*(?:-->|$)", re.MULTILINE)


def declaration(source: str) -> Problem | Derived | None:
    """The problem in a page's comment ``{"symattn": {...}}``, or what the page derives; None where there is none that
    can be read.
    """
    for found in _COMMENT.finditer(source):
        try:
            data = json.loads(found[1])["symattn"]
            if isinstance(data, dict) and isinstance(data.get("derive"), str):
                return derived(data)
            return parse.loads(json.dumps(data), "json")
        except (ValueError, KeyError, TypeError, RecursionError, SymattnError):
            continue
    return None
