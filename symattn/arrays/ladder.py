"""A ladder of calls on which an implementation is tried: sizes at the edges of tiles, and one option after another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any, Final

from symattn.arrays.compare import compare
from symattn.arrays.comparison import Comparison
from symattn.arrays.reading import numpy

_MOVED: Final = ("query", "key", "value", "past_key", "past_value")
_PLAIN: Final = (
    (1, 1, 1, 1, 1, 1, 1),
    (1, 1, 1, 2, 3, 5, 4),
    (2, 3, 3, 7, 5, 4, 3),
    (1, 2, 2, 17, 31, 8, 16),
    (1, 1, 1, 64, 65, 32, 16),
    (1, 1, 1, 65, 129, 16, 8),
)
_SQUARE: Final = (2, 2, 2, 17, 17, 8, 4)
_WIDE: Final = (2, 2, 2, 7, 19, 8, 4)
_SHARED: Final = (2, 6, 2, 7, 19, 8, 4)


@dataclass(frozen=True)
class Rung:
    """A call: sizes (batch, heads, kv_heads, n_q, n_k, d_k, d_v), options, and how large queries and keys are."""

    name: str
    sizes: tuple[int, ...]
    options: dict[str, Any] = field(default_factory=dict)
    size: float = 1.0

    def __str__(self) -> str:
        return f"{self.name} {self.sizes}"

    @property
    def needs(self) -> frozenset[str]:
        """The parameters that an implementation must have."""
        shared = {"num_kv_heads"} if self.sizes[1] != self.sizes[2] else set()
        return frozenset(self.options) | shared


def accepted(function: Callable[..., Any], names: Collection[str]) -> frozenset[str]:
    """Which of these parameters a function takes."""
    parameters = signature(function).parameters
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values()):
        return frozenset(names)
    return frozenset(names) & frozenset(parameters)


def rungs() -> Iterator[Rung]:
    """Every call, the smallest first."""
    np = numpy()
    chance = np.random.default_rng(20)
    for sizes in _PLAIN:
        yield Rung("plain", sizes)
    yield Rung("large logits", _WIDE, size=8.0)
    yield Rung("scale", _WIDE, {"scale": 0.375})
    yield Rung("causal", _SQUARE, {"causal": True})
    yield Rung("causal, 65 tokens", (1, 1, 1, 65, 65, 8, 4), {"causal": True})
    for alignment in ("top-left", "bottom-right"):
        yield Rung(f"causal, {alignment}", _WIDE, {"causal": alignment})
    mask = chance.random((2, 2, 7, 19)) < 0.6
    mask[..., 3] = True
    yield Rung("mask", _WIDE, {"mask": mask})
    yield Rung("mask and causal", _SQUARE, {"mask": _with_diagonal(chance.random((17, 17)) < 0.5), "causal": True})
    dead = mask.copy()
    dead[:, :, 4] = False
    for rule in ("zero", "uniform", "nan"):
        yield Rung(f"masked row, {rule}", _WIDE, {"mask": dead, "on_masked_row": rule})
    yield Rung("bias", _WIDE, {"bias": chance.standard_normal((2, 7, 19))})
    yield Rung("softcap", _WIDE, {"softcap": 2.0})
    yield Rung("softcap and mask", _WIDE, {"softcap": 2.0, "mask": mask})
    yield Rung("window", _SQUARE, {"window": (3, 2)})
    yield Rung("window and causal", _SQUARE, {"window": (3, 0), "causal": True})
    yield Rung("key lengths", _WIDE, {"key_lengths": np.array([5, 19])})
    yield Rung("sink", _WIDE, {"sink": np.array([0.5, -1.0])})
    yield Rung("shared key heads", _SHARED)
    yield Rung("shared key heads, causal", (1, 6, 2, 17, 17, 8, 4), {"causal": True})
    yield Rung("cache", (2, 2, 2, 3, 5, 8, 4), {"past_key": 4, "past_value": 4, "causal": True})


def _with_diagonal(mask: Any) -> Any:
    return mask | numpy().eye(len(mask), dtype=bool)


def inputs(rung: Rung, dtype: str, seed: int, *, equal_widths: bool = False) -> dict[str, Any]:
    """The arguments of a rung, (batch, heads, n, d)."""
    np = numpy()
    batch, heads, shared, n_q, n_k, d_k, d_v = rung.sizes
    d_v = d_k if equal_widths else d_v
    chance = np.random.default_rng([seed, *rung.sizes])

    def normal(*shape: int) -> Any:
        return chance.standard_normal(shape).astype(dtype)

    found = {
        "query": normal(batch, heads, n_q, d_k) * np.dtype(dtype).type(rung.size),
        "key": normal(batch, shared, n_k, d_k),
        "value": normal(batch, shared, n_k, d_v),
    }
    options = dict(rung.options)
    if "past_key" in options:
        options["past_key"] = normal(batch, shared, options["past_key"], d_k)
        options["past_value"] = normal(batch, shared, options["past_value"], d_v)
    for name in ("bias", "sink"):
        if name in options:
            options[name] = options[name].astype(dtype)
    if heads != shared:
        options["num_kv_heads"] = shared
    return found | options


def climbed(
    function: Callable[..., Any],
    *,
    dtype: str = "float32",
    options: Collection[str] | None = None,
    layout: str = "bhsd",
    equal_widths: bool = False,
    max_ulp: float | None = None,
    convert: Callable[[Any], Any] | None = None,
    seed: int = 0,
) -> Iterator[tuple[Rung, Comparison]]:
    """A function on every call that it takes, each beside the exact result, with the arguments of ``testing``."""
    names = {name for rung in rungs() for name in rung.needs}
    takes = frozenset(options) if options is not None else accepted(function, names)
    for rung in rungs():
        if not rung.needs <= takes:
            continue
        given = inputs(rung, dtype, seed, equal_widths=equal_widths)
        if layout == "bshd":
            given = {name: entry.swapaxes(1, 2) if name in _MOVED else entry for name, entry in given.items()}
        passed = {
            name: convert(entry) if convert is not None and hasattr(entry, "dtype") else entry
            for name, entry in given.items()
        }
        arrays = [passed.pop(name) for name in ("query", "key", "value")]
        yield rung, compare(function(*arrays, **passed), **given, layout=layout, max_ulp=max_ulp)
