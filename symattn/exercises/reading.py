"""A recipe from TOML, or one clear error.

What a recipe says of options and arrays is read by the readers of problem files: a first candidate is put together as a
problem file would be, so that every rule of problem files holds for recipes too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Final

from flint import fmpq

from symattn.errors import SpecError, SymattnError, Where
from symattn.exact import numbers
from symattn.exercises.fixed import Number
from symattn.exercises.recipe import ASKED, KINDS, Ask, Limits, Recipe, Rounding, Source
from symattn.exercises.slips import KEYS
from symattn.parse import document
from symattn.parse import problem as problems
from symattn.parse.arrays import matrix, vector
from symattn.parse.messages import child, kind, nearest, quoted
from symattn.parse.plain import plain
from symattn.parse.values import entry, rows, table, text
from symattn.problem import VECTORS, Entry, Problem

_TOP: Final = (
    "title",
    "about",
    "intro",
    "tokens",
    "context_tokens",
    "sizes",
    "entries",
    "attention",
    "rounding",
    "limits",
    "allow",
    "ask",
)
_SIZES: Final = ("tokens", "queries", "keys", "past", "d_model", "d_k", "d_v", "d_out")
_ASK: Final = ("what", "kind", "points", "choices", "head")
_SIDE: Final = 12
"""Rows or columns of a recipe's arrays at most."""
_OPTION_SETS: Final = 256
_ENTRIES: Final = 1000
_TEXT: Final = 2000
_WHAT: Final = re.compile(r"([a-z]+)(?:\[(\d{1,3})\](?:\[(\d{1,3})\])?)?")


def read(path: Path) -> Recipe:
    """The recipe in a TOML file.

    Raises:
        SymattnError: What is wrong; the place names the file, the line where it is known, and the path.
    """
    try:
        return loads(document.text(path), path.stem)
    except SymattnError as error:
        raise error.located(file=str(path)) from None


def loads(source: str, name: str) -> Recipe:
    """The recipe that a text says."""
    data = document.data(source, "toml")
    try:
        return recipe(data, name)
    except SymattnError as error:
        raise error.located(line=document.line(source, error.where.path)) from None


def recipe(data: Mapping[str, Any], name: str) -> Recipe:
    """The recipe that plain data say.

    Raises:
        SpecError: Something unknown, missing or out of bounds.
        ShapeError: Arrays whose sizes do not go together.
    """
    _known(data, _TOP, "")
    sizes = _sizes(data.get("sizes", {}))
    arrays = _arrays(data, sizes)
    names = dict(arrays)
    option_sets = _option_sets(data.get("attention", {}))
    n_q, n_k = _counts(names)
    tokens = _tokens(data.get("tokens"), n_q, "tokens", "t")
    keys: tuple[str, ...] = ()
    if n_q != n_k or "context_tokens" in data:
        keys = _tokens(data.get("context_tokens"), n_k, "context_tokens", "k")
    first = _first(names, option_sets, tokens[:n_q], keys[:n_k])
    return Recipe(
        name=name,
        title=text(data.get("title", ""), 200, "title"),
        about=text(data.get("about", ""), 400, "about"),
        intro=text(data.get("intro", ""), _TEXT, "intro"),
        tokens=tokens,
        context_tokens=keys,
        arrays=arrays,
        samples=tuple(first),
        asks=_asks(data.get("ask"), first[0]),
        n_q=first[0].n_q,
        n_k=first[0].n_k,
        rounding=_rounding(data.get("rounding", {})),
        limits=_limits(data.get("limits", {})),
        allowed=_allowed(data.get("allow", [])),
        digest=sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest(),
    )


def _known(given: Mapping[str, Any], names: Sequence[str], path: str) -> None:
    for name in table(given, path):
        if name not in names:
            near = nearest(name, names)
            mend = f"did you mean {near}?" if near else f"known here: {', '.join(names)}"
            raise SpecError(f"unknown name {quoted(name)}", mend=mend, where=Where(child(path, name)))


def integer(value: Any, path: str, least: int, most: int) -> int:
    """An integer within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SpecError(
            f"{kind(value)} does not fit", mend=f"write an integer from {least} to {most}", where=Where(path)
        )
    return value


def _sizes(given: Any) -> dict[str, int]:
    _known(table(given, "sizes"), _SIZES, "sizes")
    return {name: integer(value, child("sizes", name), 1, _SIDE) for name, value in given.items()}


def _shape(name: str, sizes: Mapping[str, int]) -> tuple[int, int]:
    """Rows and columns of an array by the sizes that were given; 0 rows for a vector."""

    def size(*names: str) -> int:
        for known in names:
            if known in sizes:
                return sizes[known]
        raise SpecError(
            f"the size of {name} is not known",
            mend=f"write {names[0]} under [sizes]",
            where=Where(child("entries", name)),
        )

    queries, keys = ("queries", "tokens"), ("keys", "tokens")
    shapes = {
        "X": (queries, ("d_model",)),
        "context": (keys, ("d_model",)),
        "W_Q": (("d_model",), ("d_k",)),
        "W_K": (("d_model",), ("d_k",)),
        "W_V": (("d_model",), ("d_v",)),
        "W_O": (("d_v",), ("d_out", "d_model")),
        "Q": (queries, ("d_k",)),
        "K": (keys, ("d_k",)),
        "V": (keys, ("d_v",)),
        "past_key": (("past",), ("d_k",)),
        "past_value": (("past",), ("d_v",)),
    }
    if name in VECTORS:
        return 0, size({"b_V": "d_v", "b_O": "d_out"}.get(name, "d_k"), *(("d_model",) if name == "b_O" else ()))
    if name not in shapes:
        near = nearest(name, (*shapes, *VECTORS))
        mend = f"did you mean {near}?" if near else f"arrays are {', '.join((*shapes, *VECTORS))}"
        raise SpecError(f"unknown array {quoted(name)}", mend=mend, where=Where(child("entries", name)))
    return size(*shapes[name][0]), size(*shapes[name][1])


def _arrays(data: Mapping[str, Any], sizes: Mapping[str, int]) -> tuple[tuple[str, Source], ...]:
    given = table(data.get("entries", {}), "entries")
    if not given:
        raise SpecError("no array is given", mend="write an [entries] table: X, W_Q, W_K and W_V, or Q, K and V")
    order = [row.name for row in fields(Problem)]
    names = sorted(given, key=lambda name: order.index(name) if name in order else 0)
    return tuple((name, _source(given[name], name, sizes)) for name in names)


def _source(value: Any, name: str, sizes: Mapping[str, int]) -> Source:
    """An array of a recipe: the list of entries to draw from, a whole matrix, or "identity"."""
    path = child("entries", name)
    if value == "identity":
        return Source(*_shape(name, sizes), fixed="identity")
    given = rows(value, path)
    if not given:
        raise SpecError("there is nothing to draw from", mend="list the entries, as in [0, 1, 2]", where=Where(path))
    if isinstance(given[0], list | tuple):
        fixed = (vector(given[0], {}, path),) if name in VECTORS else matrix(given, {}, path)
        found = tuple(tuple(map(_number, row)) for row in fixed)
        return Source(len(fixed), len(fixed[0]), fixed=fixed, fixed_numbers=found)
    if len(given) > _ENTRIES:
        raise SpecError(f"{len(given)} entries are too many", mend=f"{_ENTRIES} is the most", where=Where(path))
    drawn = tuple(entry(item, {}, child(path, i)) for i, item in enumerate(given))
    return Source(*_shape(name, sizes), entries=drawn, numbers=tuple(map(_number, drawn)))


def _number(given: Entry) -> Number:
    found = numbers.number(given)
    return int(found.p) if isinstance(found, fmpq) and found.q == 1 else found


def _option_sets(given: Any) -> tuple[dict[str, Any], ...]:
    """Every choice of options: an option that is drawn is written ``{any = [...]}``."""
    named = table(given, "attention")
    choices: list[list[tuple[str, Any]]] = []
    for name, value in named.items():
        drawn = isinstance(value, Mapping) and set(value) == {"any"}
        path = child("attention", name)
        values = rows(value["any"], child(path, "any")) if drawn else [value]
        if not values:
            raise SpecError("there is nothing to draw from", mend="list the values", where=Where(child(path, "any")))
        choices.append([(name, item) for item in values])
    count = 1
    for values in choices:
        count *= len(values)
        if count > _OPTION_SETS:
            raise SpecError("too many choices of options", mend=f"{_OPTION_SETS} is the most", where=Where("attention"))
    return tuple(dict(chosen) for chosen in product(*choices))


def _counts(names: Mapping[str, Source]) -> tuple[int, int]:
    """Queries and keys, as far as the arrays say; the rest is refused when the first candidate is read."""
    queries = names.get("X") or names.get("Q")
    keys = names.get("K") or names.get("context") or names.get("X")
    past = names.get("past_key")
    return (queries.rows if queries else 1), (keys.rows if keys else 1) + (past.rows if past else 0)


def _tokens(given: Any, count: int, path: str, letter: str) -> tuple[str, ...]:
    if given is None:
        return tuple(f"{letter}{i + 1}" for i in range(count))
    found = rows(given, path)
    if len(found) < count:
        raise SpecError(
            f"{len(found)} tokens for {count} rows", mend="give as many names, or more to draw from", where=Where(path)
        )
    if len(found) > _ENTRIES:
        raise SpecError(f"{len(found)} tokens are too many", mend=f"{_ENTRIES} is the most", where=Where(path))
    names = tuple(text(name, 100, child(path, i)) for i, name in enumerate(found))
    for i, name in enumerate(names):
        if not name.strip() or name in names[:i]:
            raise SpecError("tokens need names that differ", mend="name each once", where=Where(child(path, i)))
    return names


def _first(
    names: Mapping[str, Source], option_sets: Iterable[Mapping[str, Any]], tokens: Sequence[str], keys: Sequence[str]
) -> list[Problem]:
    """A candidate as a problem file for each choice of options: what cannot be one is refused here."""
    given: dict[str, Any] = {name: _sample(source) for name, source in names.items()}
    given["tokens"] = list(tokens)
    if keys:
        given["context_tokens"] = list(keys)
    found = []
    for chosen in option_sets:
        try:
            made = problems.problem({**given, "attention": chosen})
        except SymattnError as error:
            raise type(error)(error.what, mend=error.mend, where=Where(_moved(error.where.path))) from None
        if made.attention.masked_row == "nan":
            raise SpecError("an answer cannot be nan", mend='choose "zero"', where=Where("attention.on_masked_row"))
        found.append(made)
    return found


def _moved(path: str) -> str:
    """The path in the recipe of a place in a problem file."""
    return child("entries", path) if re.match(r"X|context\b|[WbQKV](_|\b)|past_", path) else path


def _sample(source: Source) -> Any:
    if source.fixed == "identity":
        return "identity"
    if source.fixed is not None:
        found = [list(row) for row in source.fixed]
        return [[_plain(cell) for cell in row] for row in found] if source.rows else [_plain(cell) for cell in found[0]]
    cell = _plain(source.entries[0])
    return [[cell] * source.columns for _ in range(source.rows)] if source.rows else [cell] * source.columns


def _plain(cell: Entry) -> Any:
    if isinstance(cell, Fraction):
        return cell
    return plain(Problem(Q=((cell,),), K=((cell,),), V=((cell,),)))["Q"][0][0]


def _asks(given: Any, first: Problem) -> tuple[Ask, ...]:
    if given is None:
        raise SpecError("nothing is asked", mend='write an [[ask]] table: what = "weights"')
    found = rows(given, "ask")
    if not 1 <= len(found) <= 20:
        raise SpecError(f"{len(found)} questions", mend="ask from 1 to 20", where=Where("ask"))
    return tuple(_ask(item, child("ask", i), first) for i, item in enumerate(found))


def _ask(given: Any, path: str, first: Problem) -> Ask:
    item = table(given, path)
    _known(item, _ASK, path)
    where = Where(child(path, "what"))
    what = text(item.get("what", ""), 40, child(path, "what"))
    matched = _WHAT.fullmatch(what)
    if not matched or matched[1] not in ASKED:
        near = nearest(what.partition("[")[0], ASKED)
        mend = f"did you mean {near}?" if near else f"ask for one of {', '.join(ASKED)}, or weights[0], output[0][1]"
        raise SpecError(f"{quoted(what)} cannot be asked", mend=mend, where=where)
    chosen = item.get("kind", "blanks")
    if not isinstance(chosen, str) or chosen not in KINDS:
        raise SpecError(
            f"{kind(chosen)} is no kind of question",
            mend=f"write one of {', '.join(KINDS)}",
            where=Where(child(path, "kind")),
        )
    row, column = (None if part is None else int(part) for part in (matched[2], matched[3]))
    heads = first.attention.num_heads
    head = integer(item.get("head", 0), child(path, "head"), 0, heads - 1)
    ask = Ask(
        matched[1],
        chosen,
        row,
        column,
        head,
        integer(item.get("points", 1), child(path, "points"), 1, 1000),
        integer(item.get("choices", 4), child(path, "choices"), 2, 8),
    )
    _fits(ask, first, where)
    return ask


def shape(array: str, problem: Problem) -> tuple[int, int]:
    """Rows and columns of an array of one head, or of the final output."""
    heads, kv_heads = problem.attention.num_heads, problem.attention.kv_heads

    def width(direct: str) -> int:
        given = getattr(problem, direct)
        if given is not None:
            return len(given[0])
        source = problem.X if direct == "Q" or problem.context is None else problem.context
        learned = getattr(problem, f"W_{direct}")
        return len((source or ((),))[0]) if learned == "identity" else len(learned[0])

    d_k, d_v = width("Q") // heads, width("V") // kv_heads
    final = heads * d_v if problem.W_O is None or problem.W_O == "identity" else len(problem.W_O[0])
    known = {
        "query": (problem.n_q, d_k),
        "key": (problem.n_k, d_k),
        "value": (problem.n_k, d_v),
        "output": (problem.n_q, d_v),
        "final": (problem.n_q, final),
    }
    return known.get(array, (problem.n_q, problem.n_k))


def _fits(ask: Ask, first: Problem, where: Where) -> None:
    height, width = shape(ask.array, first)
    if (ask.row or 0) >= height or (ask.column or 0) >= width:
        raise SpecError(
            f"{ask.array} has {height} rows and {width} columns", mend="rows and columns count from 0", where=where
        )
    if ask.kind == "most" and ask.array not in ("weights", "scores", "scaled"):
        raise SpecError(
            "only a row of weights or scores tells where it looks most", mend='ask for "weights[0]"', where=where
        )
    if ask.kind in ("most", "choice") and ask.row is None:
        raise SpecError(
            f"a question of kind {ask.kind} is about one row or entry",
            mend=f'write what = "{ask.array}[0]"',
            where=where,
        )
    if ask.kind == "closed" and ask.column is None:
        raise SpecError("a closed form is asked of one entry", mend=f'write what = "{ask.array}[0][0]"', where=where)
    if ask.array == "final" and first.W_O is None and first.attention.num_heads == 1:
        raise SpecError("there is no final output beside the output", mend='ask for "output"', where=where)


def _fraction(value: Any, path: str) -> Fraction:
    found = entry(value, {}, path)
    if not isinstance(found, Fraction):
        raise SpecError(f"{kind(value)} is no plain number", mend="write a decimal or a fraction", where=Where(path))
    return found


def _rounding(given: Any) -> Rounding:
    names = [row.name for row in fields(Rounding)]
    _known(table(given, "rounding"), names, "rounding")
    default = Rounding()
    decimals = integer(given.get("decimals", default.decimals), "rounding.decimals", 0, 8)
    guard = integer(given.get("guard", default.guard), "rounding.guard", 0, 8)
    most = integer(given.get("most_guard", max(guard, default.most_guard)), "rounding.most_guard", guard, 10)
    mark = given.get("decimal_mark", default.decimal_mark)
    if mark not in (".", ","):
        raise SpecError(
            f"{kind(mark)} is no decimal mark", mend='write "." or ","', where=Where("rounding.decimal_mark")
        )
    return Rounding(decimals, guard, most, mark)


def _limits(given: Any) -> Limits:
    names = [row.name for row in fields(Limits)]
    _known(table(given, "limits"), names, "limits")
    found: dict[str, Any] = {}
    for name, value in given.items():
        path = child("limits", name)
        found[name] = integer(value, path, 0, 12) if name == "places" else _fraction(value, path)
    limits = Limits(**found)
    if not 0 <= limits.least < limits.most <= 1:
        raise SpecError("least and most are weights", mend="write 0 <= least < most <= 1", where=Where("limits"))
    return limits


def _allowed(given: Any) -> frozenset[str]:
    found = rows(given, "allow")
    for i, key in enumerate(found):
        if not isinstance(key, str) or key not in KEYS:
            near = nearest(key, KEYS) if isinstance(key, str) else None
            mend = f"did you mean {near}?" if near else f"mistakes are {', '.join(KEYS)}"
            raise SpecError(f"{kind(key)} is no mistake of the catalogue", mend=mend, where=Where(child("allow", i)))
    return frozenset(found)
