"""A call read and checked: arrays with named axes, then one exact ``Head`` after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq

from symattn.arrays.options import Rules, Sizes
from symattn.arrays.reading import dyadic, exact, floats, numpy, shaped
from symattn.errors import ShapeError, SpecError, Where
from symattn.exact.arrays.head import Head

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

_LAYOUTS: Final = ("bhsd", "bshd")


@dataclass(frozen=True)
class Arrays:
    """Query, key and value as (..., heads, n, d), the cache's rows first; ``past`` counts these."""

    query: Array
    key: Array
    value: Array
    past: int
    swapped: bool
    bare: bool

    @property
    def sizes(self) -> Sizes:
        """Sizes by name."""
        *batch, heads, n_q, _ = self.query.shape
        return Sizes(tuple(batch), heads, self.key.shape[-3], n_q, self.key.shape[-2], self.past)

    def outward(self, found: Array, *, wide: bool = True) -> Array:
        """An array (..., heads, n, d), or (..., heads, n) if not ``wide``, as the caller has them.

        Weights and log-sum-exps keep the heads before the rows in every layout.
        """
        if self.bare:
            return found[0]  # type: ignore[no-any-return]
        return found.swapaxes(-2, -3) if self.swapped and wide else found

    def inward(self, given: Any, name: str) -> Array:
        """A caller's array as (..., heads, n, d)."""
        return _placed(floats(given, name), self.swapped, name)


def arrays(
    query: Any, key: Any, value: Any, past_key: Any, past_value: Any, layout: str | None, num_kv_heads: int | None
) -> Arrays:
    """The arrays of a call.

    Raises:
        SpecError: One cannot be read, the layout is unknown or left open, or the cache is of another type.
        ShapeError: Sizes do not go together.
    """
    given = {"query": floats(query, "query"), "key": floats(key, "key"), "value": floats(value, "value")}
    swapped = _is_swapped(layout, given, num_kv_heads)
    found = {name: _placed(table, swapped, name) for name, table in given.items()}
    if (past_key is None) != (past_value is None):
        raise SpecError("a cache has keys and values", mend="give past_key and past_value together")
    past = 0
    if past_key is not None:
        old_key, old_value = (
            _placed(floats(table, name), swapped, name)
            for table, name in ((past_key, "past_key"), (past_value, "past_value"))
        )
        past = old_key.shape[-2]
        found["key"] = _joined(old_key, found["key"], "past_key")
        found["value"] = _joined(old_value, found["value"], "past_value")
    _check(found, num_kv_heads)
    bare = all(table.ndim == 2 for table in given.values())
    return Arrays(**found, past=past, swapped=swapped, bare=bare)


def _is_swapped(layout: str | None, given: dict[str, Array], num_kv_heads: int | None) -> bool:
    if layout is None:
        fitting = [name for name in _LAYOUTS if _fits(given, name == "bshd", num_kv_heads)]
        if len(fitting) != 1:
            raise SpecError(
                "the sizes leave the layout open" if fitting else "the sizes fit no layout",
                mend='name it: "bhsd" or "bshd"',
                where=Where("layout"),
            )
        layout = fitting[0]
    if layout not in _LAYOUTS:
        raise SpecError(f"{layout!r} is no layout", mend='take "bhsd" or "bshd"', where=Where("layout"))
    return layout == "bshd"


def _fits(given: dict[str, Array], swapped: bool, num_kv_heads: int | None) -> bool:
    try:
        _check({name: _placed(table, swapped, name) for name, table in given.items()}, num_kv_heads)
    except ShapeError:
        return False
    return True


def _placed(found: Array, swapped: bool, name: str) -> Array:
    if found.ndim < 2:
        raise ShapeError(f"sizes {found.shape} have no rows", mend="give (..., heads, n, d)", where=Where(name))
    if found.ndim == 2:
        found = found[None]
    elif swapped:
        found = found.swapaxes(-2, -3)
    if 0 in found.shape:
        raise ShapeError(f"sizes {found.shape} hold no number", mend="leave empty arrays out", where=Where(name))
    return found


def _joined(old: Array, new: Array, name: str) -> Array:
    if old.dtype != new.dtype:
        raise SpecError(
            f"it is {old.dtype} where the new rows are {new.dtype}", mend="give one type", where=Where(name)
        )
    if old.shape[:-2] + old.shape[-1:] != new.shape[:-2] + new.shape[-1:]:
        raise ShapeError(
            f"sizes {old.shape} where the new rows are {new.shape}",
            mend="a cache differs in its number of rows alone",
            where=Where(name),
        )
    return numpy().concatenate([old, new], axis=-2)  # type: ignore[no-any-return]


def _check(found: dict[str, Array], num_kv_heads: int | None) -> None:
    query, key, value = found["query"].shape, found["key"].shape, found["value"].shape
    if key[:-1] != value[:-1]:
        raise ShapeError(f"keys are {key} and values {value}", mend="they differ in their width alone")
    if query[-1] != key[-1]:
        raise ShapeError(f"queries are {query[-1]} wide and keys {key[-1]}", mend="give both the width of a head")
    if query[:-3] != key[:-3]:
        raise ShapeError(f"queries are {query} and keys {key}", mend="give both the same leading axes")
    if num_kv_heads is not None and num_kv_heads != key[-3]:
        raise ShapeError(
            f"{num_kv_heads} key heads are named, and keys have {key[-3]}",
            mend="give keys of that many heads, and look at the layout",
            where=Where("num_kv_heads"),
        )
    if query[-3] % key[-3]:
        raise ShapeError(
            f"{query[-3]} heads do not share {key[-3]} key heads evenly",
            mend="take a multiple, and look at the layout",
        )


@dataclass(frozen=True)
class Scaling:
    """What makes logits of scores, exact: scale * sqrt(radical), the cap, and the sinks (..., heads)."""

    scale: fmpq
    radical: int
    cap: fmpq | None
    sinks: Array | None


def scaling(scale: Any, softcap: Any, sink: Any, sizes: Sizes, width: int) -> Scaling:
    """The numbers among the options.

    Raises:
        SpecError: One of them is not a finite number, or the cap is not positive.
        ShapeError: There are not as many sinks as heads.
    """
    cap = None if softcap is None else exact(softcap, "softcap")
    if cap is not None and cap <= 0:
        raise SpecError("a cap is positive", mend="leave it out for none", where=Where("softcap"))
    factor, radical = _root(width) if scale is None else (exact(scale, "scale"), 1)
    sinks = None
    if sink is not None:
        np = numpy()
        found = floats(sink, "sink")
        if (np.isnan(found) | np.isposinf(found)).any():
            raise SpecError("a sink is a number, or -inf for none", where=Where("sink"))
        sinks = shaped(found, (*sizes.batch, sizes.heads), "sink", "give one number, or one a head")
    return Scaling(factor, radical, cap, sinks)


def _root(width: int) -> tuple[fmpq, int]:
    """1/sqrt(width) as rational * sqrt(radical), the radical free of squares."""
    square = max(root for root in range(1, isqrt(width) + 1) if width % (root * root) == 0)
    radical = width // (square * square)
    return fmpq(1, square * radical), radical


@dataclass(frozen=True)
class Special:
    """What is not finite in a head.

    ``nan_rows`` are NaN by their scores; ``values`` has 0 where a value is finite, and is None if all are.
    """

    nan_rows: Array
    values: Array | None
    allowed: Array | None


@dataclass(frozen=True)
class Place:
    """A head and where it stands: leading indices, its number, and that of its key head."""

    at: tuple[int, ...]
    number: int
    shared: int
    head: Head
    special: Special

    @property
    def dead_rows(self) -> list[int]:
        """Rows that may attend to nothing."""
        return [row for row in range(self.head.n_q) if self.head.is_dead(row)]

    @property
    def is_wild(self) -> bool:
        """Whether a row attends to a number that is not finite."""
        seen, values = self.special.allowed, self.special.values
        if values is not None and (seen is None or ((values != 0).any(axis=1) & seen).any()):
            return True
        return bool(self.special.nan_rows.any())


def heads(given: Arrays, rules: Rules, numbers: Scaling) -> Iterator[list[Place]]:
    """Every head of a call: those that share a key head together.

    Raises:
        SpecError: There is a cap, and a score is infinite.
    """
    np = numpy()
    sizes = given.sizes
    share = sizes.heads // sizes.kv_heads
    for at in np.ndindex(*sizes.batch):
        for shared in range(sizes.kv_heads):
            key, value = given.key[at][shared], given.value[at][shared]
            keys, values = dyadic(key), dyadic(value)
            wild = None if np.isfinite(value).all() else _wild(value)
            together = []
            for number in range(shared * share, (shared + 1) * share):
                query = given.query[at][number][rules.rows]
                allowed, nan_rows = _special(query, key, rules, at, number, numbers)
                bias = rules.added(at, number)
                head = Head(
                    query=dyadic(query),
                    key=keys,
                    value=values,
                    scale=numbers.scale,
                    radical=numbers.radical,
                    allowed=None if allowed is None else [row.tobytes() for row in allowed],
                    cap=numbers.cap,
                    bias=None if bias is None else dyadic(_hidden(bias, allowed)),
                    sink=_sink(numbers, at, number),
                )
                together.append(Place(at, number, shared, head, Special(nan_rows, wild, allowed)))
            yield together


def _wild(value: Array) -> Array:
    """What is not finite, and 0 elsewhere."""
    np = numpy()
    return np.where(np.isfinite(value), value.dtype.type(0), value).astype(np.float32)  # type: ignore[no-any-return]


def _hidden(bias: Array, allowed: Array | None) -> Array:
    """The bias with 0 at masked keys: what stands there, however large, costs no precision."""
    return bias if allowed is None else numpy().where(allowed, bias, bias.dtype.type(0))


def _sink(numbers: Scaling, at: tuple[int, ...], number: int) -> tuple[int, int] | None:
    if numbers.sinks is None or numpy().isneginf(numbers.sinks[at][number]):
        return None
    table = dyadic(numbers.sinks[at][number].reshape(1, 1))
    return table.rows[0][0], table.exponent


def _special(
    query: Array, key: Array, rules: Rules, at: tuple[int, ...], number: int, numbers: Scaling
) -> tuple[Array | None, Array]:
    """Who may attend to whom, less the scores of -inf; and the rows in which a visible score is NaN or +inf."""
    np = numpy()
    allowed = rules.allowed(at, number)
    bias = rules.added(at, number)
    bad = np.zeros(len(query), bool)
    if (
        np.isfinite(query).all()
        and np.isfinite(key).all()
        and (bias is None or (np.isfinite(bias) | np.isneginf(bias)).all())
    ):
        return allowed, bad
    with np.errstate(invalid="ignore"):
        scores = np.einsum("id,jd->ij", _kinds(query), _kinds(key)) * np.float32(
            int(numbers.scale > 0) - int(numbers.scale < 0)
        )
        logits = scores if bias is None else scores + _kinds(bias)
    seen = np.ones(logits.shape, bool) if allowed is None else allowed
    if numbers.cap is not None and (np.isinf(scores) & seen).any():
        i, j = (int(index) for index in np.argwhere(np.isinf(scores) & seen)[0])
        raise SpecError(
            f"the score of query {int(rules.rows[i])} and key {j} is infinite under a cap",
            mend="mask that key",
            where=Where("softcap"),
        )
    hidden = np.isneginf(logits)
    bad = ((np.isnan(logits) | np.isposinf(logits)) & seen).any(axis=1)
    return seen & ~hidden, bad


def _kinds(table: Array) -> Array:
    """-1, 0 or 1 for what is finite; the rest as it is."""
    np = numpy()
    finite = np.isfinite(table)
    with np.errstate(over="ignore"):
        return np.where(finite, np.sign(table), table).astype(np.float32)  # type: ignore[no-any-return]
