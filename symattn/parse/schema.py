"""The JSON Schema of the problem file, read off the rows of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from symattn.parse import limits
from symattn.parse.options import FIXED
from symattn.problem import ASSUMPTIONS, MATRICES, TABLES, VECTORS, Attention, Option, Page, Rope, options
from symattn.symbols import NOTATION

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PROJECTED: Final = ("X", "W_Q", "W_K", "W_V")
_DIRECT: Final = ("Q", "K", "V")
_ONLY_PROJECTED: Final = (*_PROJECTED, "context", "b_Q", "b_K", "b_V")
_NOT_WITH_LAYERS: Final = (
    *(name for name in (*MATRICES, *VECTORS) if name not in ("X", "context")),
    *("also", "symbols"),
)
_TOGETHER: Final = {"past_key": ["past_value"], "past_value": ["past_key"], "b_O": ["W_O"]}


def schema(words: Mapping[str, str]) -> dict[str, Any]:
    """JSON Schema 2020-12 of a problem file.

    It says what one value may be; whether the arrays go together is for ``parse.problem`` to say.

    Args:
        words: A description for each name that a problem file may hold, for ``problem`` (the file) and for ``entry``.
    """
    top = {
        "title": {"type": "string", "maxLength": limits.TITLE},
        "tokens": _tokens(),
        "context_tokens": _tokens(),
        **{name: {"$ref": "#/$defs/table" if name in TABLES else "#/$defs/matrix"} for name in MATRICES},
        **{name: _ref("vector") for name in VECTORS},
        "symbols": _symbols(),
        "attention": _table(Attention, words),
        "also": {"type": "array", "maxItems": limits.SECTIONS, "items": _section(words)},
        "layers": {"type": "array", "minItems": 1, "maxItems": limits.LAYERS, "items": _layer(words)},
        "page": _table(Page, words),
    }
    return {
        "$schema": _DIALECT,
        "description": words["problem"],
        "type": "object",
        "properties": _described(top, words),
        "additionalProperties": False,
        "oneOf": [
            _either(_PROJECTED, (*_DIRECT, "layers")),
            _either(_DIRECT, (*_ONLY_PROJECTED, "layers")),
            _either(("X", "layers"), _NOT_WITH_LAYERS),
        ],
        "dependentRequired": _TOGETHER,
        "$defs": {
            "entry": _entry(words),
            "vector": _list(_ref("entry")),
            "matrix": _list(_list(_ref("entry"))),
            "table": {"anyOf": [_identity(), _ref("matrix")]},
            "mask": _list(_list({"type": "boolean"})),
            "bias": _list(_list(_ref("entry"))),
        },
    }


def _described(properties: Mapping[str, dict[str, Any]], words: Mapping[str, str]) -> dict[str, Any]:
    return {name: {"description": words[name], **value} for name, value in properties.items()}


def _either(required: tuple[str, ...], excluded: tuple[str, ...]) -> dict[str, Any]:
    return {"required": list(required), "properties": dict.fromkeys(excluded, False)}


def _table(table: type[Attention] | type[Page], words: Mapping[str, str]) -> dict[str, Any]:
    rows = {row.name: _option(option, row.default, words) for row, option in options(table)}
    return {"type": "object", "properties": _described(rows, words), "additionalProperties": False}


def _layer(words: Mapping[str, str]) -> dict[str, Any]:
    """A table of ``[[layers]]``: its arrays, and options with no defaults of their own."""
    rows = {
        **{name: _ref("table") for name in TABLES},
        **{name: _ref("vector") for name in VECTORS},
        **{row.name: _option(option, None, words) for row, option in options(Attention)},
    }
    return {
        "type": "object",
        "required": list(TABLES[:3]),
        "properties": _described(rows, words),
        "additionalProperties": False,
    }


def _section(words: Mapping[str, str]) -> dict[str, Any]:
    """A table of ``[[also]]``: the options of ``[attention]`` that may change, with no defaults of their own."""
    rows = {row.name: _option(option, None, words) for row, option in options(Attention) if row.name not in FIXED}
    return {
        "type": "object",
        "minProperties": 1,
        "properties": _described(rows, words),
        "additionalProperties": False,
    }


def _option(option: Option, default: Any, words: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {} if default in (None, ()) else {"default": default}
    match option.kind:
        case "choice":
            return {**found, "enum": list(option.choices)}
        case "integer":
            return {**found, "type": "integer", "minimum": option.least, "maximum": option.most}
        case "entry":
            return {**found, **_ref("entry")}
        case "notation":
            letter = {"type": "string", "minLength": 1, "maxLength": limits.LETTER}
            return {"type": "object", "properties": dict.fromkeys(NOTATION, letter), "additionalProperties": False}
        case "window":
            side = {"type": "integer", "minimum": -1, "maximum": limits.WINDOW}
            return {"type": "array", "minItems": 2, "maxItems": 2, "items": side}
        case "entries":
            return {"anyOf": [_ref("entry"), _list(_ref("entry"), limits.HEADS)]}
        case "masks":
            return {"anyOf": [_ref("mask"), _list(_ref("mask"), limits.HEADS)]}
        case "biases":
            return {"anyOf": [_ref("bias"), _list(_ref("bias"), limits.HEADS)]}
        case "rope":
            return _rope(words)


def _rope(words: Mapping[str, str]) -> dict[str, Any]:
    usual = Rope()
    rows = {
        "base": {"default": int(str(usual.base)), **_ref("entry")},
        "dimensions": {"type": "integer", "minimum": 2, "maximum": limits.SIDE, "multipleOf": 2},
        "interleaved": {"default": usual.interleaved, "type": "boolean"},
    }
    return {"type": "object", "properties": _described(rows, words), "additionalProperties": False}


def _tokens() -> dict[str, Any]:
    token = {"type": "string", "minLength": 1, "maxLength": limits.TOKEN}
    return {"type": "array", "minItems": 1, "maxItems": limits.SIDE, "uniqueItems": True, "items": token}


def _symbols() -> dict[str, Any]:
    return {
        "type": "object",
        "maxProperties": limits.SYMBOLS,
        "propertyNames": {"pattern": "^[A-Za-z][A-Za-z0-9_]*$", "maxLength": limits.SYMBOLS},
        "additionalProperties": {"enum": list(ASSUMPTIONS)},
    }


def _entry(words: Mapping[str, str]) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "maxLength": limits.CHARACTERS}
    return {"description": words["entry"], "anyOf": [{"type": "number"}, text]}


def _list(items: dict[str, Any], most: int = limits.SIDE) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "maxItems": most, "items": items}


def _identity() -> dict[str, Any]:
    return {"const": "identity"}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}
