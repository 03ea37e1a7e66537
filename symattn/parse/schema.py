"""The JSON Schema of the problem file, read off the rows of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from symattn.parse import limits
from symattn.parse.options import FIXED
from symattn.problem import ASSUMPTIONS, MATRICES, TABLES, Attention, Option, Page, options
from symattn.symbols import NOTATION

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PROJECTED: Final = ("X", "W_Q", "W_K", "W_V")
_DIRECT: Final = ("Q", "K", "V")


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
        "symbols": _symbols(),
        "attention": _table(Attention, words),
        "also": {"type": "array", "maxItems": limits.SECTIONS, "items": _section(words)},
        "page": _table(Page, words),
    }
    return {
        "$schema": _DIALECT,
        "description": words["problem"],
        "type": "object",
        "properties": _described(top, words),
        "additionalProperties": False,
        "oneOf": [_either(_PROJECTED, _DIRECT), _either(_DIRECT, _PROJECTED)],
        "$defs": {"entry": _entry(words), "matrix": _matrix(), "table": {"anyOf": [_identity(), _ref("matrix")]}},
    }


def _described(properties: Mapping[str, dict[str, Any]], words: Mapping[str, str]) -> dict[str, Any]:
    return {name: {"description": words[name], **value} for name, value in properties.items()}


def _either(required: tuple[str, ...], excluded: tuple[str, ...]) -> dict[str, Any]:
    return {"required": list(required), "properties": dict.fromkeys(excluded, False)}


def _table(table: type[Attention] | type[Page], words: Mapping[str, str]) -> dict[str, Any]:
    rows = {row.name: _option(option, row.default) for row, option in options(table)}
    return {"type": "object", "properties": _described(rows, words), "additionalProperties": False}


def _section(words: Mapping[str, str]) -> dict[str, Any]:
    """A table of ``[[also]]``: the options of ``[attention]`` that may change, with no defaults of their own."""
    rows = {row.name: _option(option, None) for row, option in options(Attention) if row.name not in FIXED}
    return {
        "type": "object",
        "minProperties": 1,
        "properties": _described(rows, words),
        "additionalProperties": False,
    }


def _option(option: Option, default: Any) -> dict[str, Any]:
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


def _matrix() -> dict[str, Any]:
    row = {"type": "array", "minItems": 1, "maxItems": limits.SIDE, "items": _ref("entry")}
    return {"type": "array", "minItems": 1, "maxItems": limits.SIDE, "items": row}


def _identity() -> dict[str, Any]:
    return {"const": "identity"}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}
