"""What a comparison found, as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from symattn.render.environment import rendered
from symattn.render.words import words

_WIDTH: Final = 40
"""Of the longest bar."""
_INDENT: Final = 14


def comparison(found: Mapping[str, Any], limit: float | None = None) -> str:
    """The text of a comparison in the shape of its JSON; ``limit`` is the error that was allowed."""
    return rendered("text/comparison.jinja", _view(found, limit), str)


def ladder(calls: Sequence[Mapping[str, Any]], limit: float | None = None) -> str:
    """The text of many: a line for each that is right, all of the others."""
    wide = max(len(found["call"]) for found in calls)
    view = [
        {
            "call": found["call"].ljust(wide),
            "ok": found["ok"],
            "text": "" if found["ok"] else comparison(found, limit),
            "max_ulp": _number(found["arrays"]["output"]["max_ulp"]),
            "plain_ratio": _number(found["arrays"]["output"]["plain_ratio"]),
        }
        for found in calls
    ]
    return rendered("text/ladder.jinja", {"calls": view}, str)


def _view(found: Mapping[str, Any], limit: float | None) -> dict[str, Any]:
    said = words()["mistake"]

    def mistakes(keys: Any) -> list[dict[str, str]]:
        return [{"key": key, "words": said[key]} for key in keys]

    return {
        "arrays": [_array(name, array, found["rows"]) for name, array in found["arrays"].items()],
        "ok": found["ok"],
        "limit": "" if limit is None else _number(limit),
        "explanations": [mistakes(keys) for keys in found["explanations"]],
        "precision": [_precision(key) for key in found["precision"]],
        "hidden": mistakes(found["hidden"]),
    }


def _array(name: str, found: Mapping[str, Any], rows: str) -> dict[str, Any]:
    numbers = ("max_ulp", "median_ulp", "max_ulp_pointwise", "best_ulp", "plain_ulp", "plain_ratio")
    view = {key: _number(found[key]) for key in numbers}
    most = max((count for _, count in found["histogram"]), default=1)
    bars = [
        {
            "bound": ("oo" if bound is None else _number(bound)).rjust(_INDENT),
            "count": str(count).rjust(len(str(most))),
            "bar": "#" * -(-_WIDTH * count // most),
        }
        for bound, count in found["histogram"]
    ]
    places = {key: str(found[key]) for key in ("at", "special_at")}
    counted = {"special_mismatches": found["special_mismatches"], "dtype": found["dtype"], "histogram": bars}
    return {"name": name, "rows": rows, **view, **places, **counted}


def _precision(key: str) -> dict[str, str]:
    stage, dtype = key.split("_")
    return {"stage": words()["precision"][stage], "dtype": dtype}


def _number(value: float | None) -> str:
    """Three digits; None is what JSON has for an infinite one."""
    return "infinitely many" if value is None else f"{value:.3g}"
