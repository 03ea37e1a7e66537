"""The problem that a page says, as a problem file to look over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

_ORDER: Final = ("X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V")


def proposal(data: Mapping[str, Any], missing: tuple[str, ...] = ()) -> str:
    """A problem file in TOML; what the page does not say stands in it as a comment."""
    lines = [f"{name} = {_texts(data[name])}" for name in ("tokens", "context_tokens") if name in data]
    lines += [f"{name} = {_matrix(data[name])}" for name in _ORDER if name in data]
    lines += [f"{name} = {_value(data[name])}" for name in ("b_Q", "b_K", "b_V", "b_O") if name in data]
    lines += [f"# {name} = [[...]]  # not found on the page" for name in missing]
    attention = data.get("attention") or {}
    if attention:
        lines += ["", "[attention]", *(f"{name} = {_value(value)}" for name, value in attention.items())]
    for also in data.get("also", ()):
        lines += ["", "[[also]]", *(f"{name} = {_value(value)}" for name, value in also.items())]
    for layer in data.get("layers", ()):
        lines += ["", "[[layers]]", *(f"{name} = {_value(value)}" for name, value in layer.items())]
    return "\n".join(lines) + "\n"


def _texts(names: Any) -> str:
    return "[" + ", ".join(json.dumps(name, ensure_ascii=False) for name in names) + "]"


def _matrix(rows: Any) -> str:
    if isinstance(rows, str):
        return json.dumps(rows)
    return "[" + ", ".join("[" + ", ".join(map(_value, row)) + "]" for row in rows) + "]"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_value(inner)}" for name, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    text = str(value)
    return text if text.lstrip("-").isdigit() else json.dumps(text)
