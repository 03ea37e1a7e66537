"""Random numbers for the letters and arrays of each topic, such that its assumptions hold. Sizes differ."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from mpmath import mp

from symattn.derive.topics import derived, softmax_jacobian
from symattn.derive.topics import saturation as saturation_topic
from symattn.statements.proof import Law, Proof
from symattn.statements.terms import Array, Delta, Item, Letter
from tests.derive.evaluator import World

WORLDS: dict[str, Callable[[Random], World]] = {}


def world_of(topic: str) -> Callable[[Callable[[Random], dict[str, Any]]], Callable[[Random], World]]:
    """Registers the numbers of a topic; its definitions are added."""

    def registered(numbers: Callable[[Random], dict[str, Any]]) -> Callable[[Random], World]:
        def made(rng: Random) -> World:
            found = numbers(rng)
            outcomes, by_line = found.pop("outcomes", ()), found.pop("by_line", {})
            lines = {name: proof_of(topic).line(line) for name, line in by_line.items()}
            shorter = {name: ((line.left, line.right),) for name, line in lines.items()}
            own = {name: (pair,) for name, pair in found.pop("defined", {}).items()}
            return World(found, outcomes, {**definitions(topic), **shorter, **own})

        WORLDS[topic] = made
        return made

    return registered


@lru_cache
def proof_of(topic: str) -> Proof:
    return derived(topic)


@lru_cache
def definitions(topic: str) -> dict[str, Any]:
    """What each name stands for: by a definition, or by an assumption that sets a letter or every entry."""
    proof = proof_of(topic)
    defined = [(line.left, line.right) for line in proof.lines if line.law in (Law.DEFINITION, Law.RECURSION)]
    set_so = [pair for one in proof.assumptions if one.within is None for pair in one.equal]
    found: dict[str, Any] = {}
    for left, right in (*defined, *set_so):
        if isinstance(left, Item | Letter):
            name = left.array.name if isinstance(left, Item) else left.name
            found[name] = (*found.get(name, ()), (left, right))
    return found


def real(rng: Random) -> Any:
    return mp.mpf(rng.randint(-40, 40)) / 8 + mp.mpf(1) / 64


def positive(rng: Random) -> Any:
    return mp.mpf(rng.randint(1, 40)) / 8


def rows(rng: Random, *shape: int, number: Callable[[Random], Any] = real) -> Any:
    return [rows(rng, *shape[1:], number=number) if shape[1:] else number(rng) for _ in range(shape[0])]


@world_of("dot-product-variance")
def dot_product(rng: Random) -> dict[str, Any]:
    """Entries of queries and of keys with two values each, drawn with unequal chances; all independent."""
    width = rng.choice((1, 2))
    laws, moments = {}, {}
    for name in ("q", "k"):
        share = Fraction(rng.randint(1, 7), 8)
        # mean 0 and variance 1: the law of two values is fixed by the chance of the first
        first = mp.sqrt(
            mp.mpf((1 - share).numerator) / (1 - share).denominator / (mp.mpf(share.numerator) / share.denominator)
        )
        laws[name] = ((share, first), (1 - share, -1 / first))
        moments[f"m_{name}"] = sum(mp.mpf(p.numerator) / p.denominator * x**4 for p, x in laws[name])
    outcomes = []
    for q in product(laws["q"], repeat=width):
        for k in product(laws["k"], repeat=width):
            share = mp.mpf(1)
            for p, _ in (*q, *k):
                share *= mp.mpf(p.numerator) / p.denominator
            outcomes.append((share, {"q": [x for _, x in q], "k": [x for _, x in k]}))
    standard = {"mu_q": 0, "mu_k": 0, "sigma_q": 1, "sigma_k": 1}
    return {"d_k": width, "i": rng.randint(1, width), **standard, **moments, "outcomes": tuple(outcomes)}


@world_of("softmax-jacobian")
def softmax(rng: Random) -> dict[str, Any]:
    """A row with one score ahead, also while the gap moves."""
    size = rng.choice((2, 3, 4))
    return {
        "n": size, "i": rng.randint(1, size), "j": rng.randint(1, size), "g": positive(rng), "c": real(rng),
        "defined": one_ahead(softmax_jacobian.Z, softmax_jacobian.C, softmax_jacobian.G),
        "by_line": {"F": "norm_in_weights"},
    }  # fmt: skip


def one_ahead(scores: Array, common: Letter, gap: Letter) -> dict[str, Any]:
    """The first score is the common number and the gap, the others are the common number."""
    return {scores.name: (scores["l"], common + gap * Delta("l", 1))}


@world_of("saturation")
def saturation(rng: Random) -> dict[str, Any]:
    names = {"z": real, "g": positive, "T": positive, "x": real, "y": real}
    ahead = {"defined": one_ahead(saturation_topic.S, saturation_topic.Z, saturation_topic.G)}
    sizes = {"n": rng.choice((2, 3, 5, 8)), "d_k": rng.choice((1, 4, 7, 64)), "i": rng.randint(1, 2)}
    return sizes | ahead | {k: v(rng) for k, v in names.items()}


def shares(rng: Random, count: int) -> list[Any]:
    found = [positive(rng) for _ in range(count)]
    return [one / sum(found) for one in found]


@world_of("weighted-average")
def weighted_average(rng: Random) -> dict[str, Any]:
    size = rng.choice((1, 2, 3, 5))
    values = rows(rng, size)
    return {
        "n": size, "w": shares(rng, size), "v": values, "low": min(values) - rng.choice((0, 1)),
        "high": max(values) + rng.choice((0, 2)), "k": rng.randint(1, size),
    }  # fmt: skip


@world_of("why-not-d")
def why_not_d(rng: Random) -> dict[str, Any]:
    """A score that is plus or minus the root of its width."""
    width = rng.choice((1, 2, 5, 64))
    outcomes = tuple((mp.mpf(1) / 2, {"s": sign * mp.sqrt(width)}) for sign in (-1, 1))
    return {"d_k": width, "c": positive(rng), "outcomes": outcomes}


@world_of("softmax-shift")
def softmax_shift(rng: Random) -> dict[str, Any]:
    row = rows(rng, rng.choice((2, 3, 5)))
    at = row.index(max(row)) + 1
    return {"n": len(row), "z": row, "c": real(rng), "m": max(row), "K": at, "i": rng.randint(1, len(row))}


@world_of("temperature")
def temperature(rng: Random) -> dict[str, Any]:
    m, r = rng.choice((1, 2, 3)), rng.choice((1, 2, 4))
    return {
        "m": m, "r": r, "T": positive(rng), "g": rows(rng, r, number=positive), "v": rows(rng, m), "u": rows(rng, r),
        "l": rng.randint(1, r),
    }  # fmt: skip


@world_of("bilinear")
def bilinear(rng: Random) -> dict[str, Any]:
    """R is any table, T the transpose of its inverse."""
    d, d_k, n = rng.choice(((3, 2, 4), (4, 3, 2), (2, 1, 3)))
    table = mp.matrix(rows(rng, d_k, d_k)) + 40 * mp.eye(d_k)
    other = (table**-1).T
    as_rows = [[[matrix[i, j] for j in range(d_k)] for i in range(d_k)] for matrix in (table, other)]
    places = {name: rng.randint(1, n) for name in "ij"} | {name: rng.randint(1, d) for name in "ab"}
    places |= {name: rng.randint(1, d_k) for name in "cef"}
    arrays = {"X": rows(rng, n, d), "W_Q": rows(rng, d, d_k), "W_K": rows(rng, d, d_k)}
    return {"d_model": d, "d_k": d_k, "n": n, "R": as_rows[0], "T": as_rows[1], **places, **arrays}


@world_of("multi-head-cost")
def multi_head_cost(rng: Random) -> dict[str, Any]:
    heads, width = rng.choice(((2, 8), (4, 64), (8, 512), (3, 6)))
    return {"h": heads, "d_model": width, "g": rng.choice((1, 2)), "n": rng.choice((5, 1000))}


def places(rng: Random, size: int, names: str) -> dict[str, int]:
    return {name: rng.randint(1, size) for name in names}


@world_of("online-softmax")
def online_softmax(rng: Random) -> dict[str, Any]:
    """The numbers that are subtracted need not be maxima."""
    size, blocks = rng.choice(((4, 2), (7, 3), (8, 5)))
    ends = [*sorted(rng.sample(range(1, size), blocks - 1)), size]
    shifts = {name: rows(rng, blocks) for name in "hm"}
    places = {"b": rng.randint(1, blocks - 1), "B": rng.randint(1, blocks - 1)}
    row = {"s": rows(rng, size), "v": rows(rng, size)}
    return {"n": size, "blocks": blocks, "e": ends, **row, **shifts, **places}


@world_of("causal-prefix")
def causal_prefix(rng: Random) -> dict[str, Any]:
    n, d_k, d_v = rng.choice(((4, 2, 3), (5, 3, 1), (3, 1, 2)))
    at = rng.randint(1, n - 1)
    keys, values = rows(rng, n, d_k), rows(rng, n, d_v)
    mask = [[int(j <= i) for j in range(n)] for i in range(n)]
    arrays = {"Q": rows(rng, n, d_k), "K": keys, "V": values, "old_K": keys, "old_V": values, "M": mask}
    return {"n": n, "d_k": d_k, "t": at, "j": rng.randint(1, at), "c": rng.randint(1, d_v), **arrays}


@world_of("permutation")
def permutation(rng: Random) -> dict[str, Any]:
    n, d_k, d_v = rng.choice(((4, 2, 3), (5, 3, 1), (3, 1, 2)))
    order = rng.sample(range(1, n + 1), n)
    arrays = {"Q": rows(rng, n, d_k), "K": rows(rng, n, d_k), "V": rows(rng, n, d_v), "pi": order}
    arrays |= {"M": [[1] * n] * n, "B": [[0] * n] * n}
    return {"n": n, "d_k": d_k, "c": rng.randint(1, d_v), "a": 1, **places(rng, n, "ij"), **arrays}


@world_of("positions")
def positions(rng: Random) -> dict[str, Any]:
    speeds = rng.choice((1, 2, 3))
    arrays = {name: rows(rng, speeds) for name in ("w", "q", "p", "k", "l")}
    return {"r": speeds, "f": rng.randint(1, speeds), **{name: rng.randint(0, 50) for name in "abc"}, **arrays}


@world_of("linear-attention")
def linear_attention(rng: Random) -> dict[str, Any]:
    n, r, d_v = rng.choice(((4, 2, 3), (5, 3, 1), (3, 4, 2)))
    features = {name: rows(rng, n, r, number=positive) for name in "FG"}
    at = {**places(rng, n, "ij"), "c": rng.randint(1, d_v), "f": rng.randint(1, r)}
    return {"n": n, "r": r, "d": rng.choice((2, 64)), "V": rows(rng, n, d_v), **features, **at}


@world_of("attention-backward")
def attention_backward(rng: Random) -> dict[str, Any]:
    """The gradients are differences of the loss, the sum of dZ times Z, worked here from the arrays themselves."""
    n_q, n_k, d_k, d_v = rng.choice(((2, 3, 1, 2), (1, 2, 2, 1)))
    scale = positive(rng)
    queries, keys, values = rows(rng, n_q, d_k), rows(rng, n_k, d_k), rows(rng, n_k, d_v)
    slopes = rows(rng, n_q, d_v)

    def dots(queries: Any, keys: Any) -> Any:
        return [[scale * sum(q * k for q, k in zip(query, key, strict=True)) for key in keys] for query in queries]

    def softmax(scores: Any) -> Any:
        powers = [[mp.exp(score) for score in row] for row in scores]
        return [[power / sum(row) for power in row] for row in powers]

    def loss(weights: Any, values: Any) -> Any:
        return sum(
            slope * sum(w * v[c] for w, v in zip(row, values, strict=True))
            for row, line in zip(weights, slopes, strict=True)
            for c, slope in enumerate(line)
        )

    def gradient(of: Callable[[Any], Any], at: Any) -> Any:
        def moved(i: int, j: int, x: Any) -> Any:
            return [[x if (i, j) == (r, c) else old for c, old in enumerate(row)] for r, row in enumerate(at)]

        return [
            [mp.diff(lambda x, i=i, j=j: of(moved(i, j, x)), at[i][j]) for j in range(len(at[0]))]
            for i in range(len(at))
        ]

    scores = dots(queries, keys)
    weights = softmax(scores)
    gradients = {
        "dV": gradient(lambda it: loss(weights, it), values),
        "dA": gradient(lambda it: loss(it, values), weights),
        "dT": gradient(lambda it: loss(softmax(it), values), scores),
        "dQ": gradient(lambda it: loss(softmax(dots(it, keys)), values), queries),
        "dK": gradient(lambda it: loss(softmax(dots(queries, it)), values), keys),
    }
    at = {**places(rng, n_q, "ik"), **places(rng, n_k, "jl"), "a": rng.randint(1, d_k), **places(rng, d_v, "bc")}
    sizes = {"n_q": n_q, "n_k": n_k, "d_k": d_k, "d_v": d_v, "scale": scale}
    return {**sizes, **at, "Q": queries, "K": keys, "V": values, "dZ": slopes, **gradients}


@world_of("closed-form")
def closed_form(rng: Random) -> dict[str, Any]:
    """Steps of any length from any number: the scores of the general lines."""
    size, base, step = rng.choice((2, 3, 5)), real(rng), positive(rng)
    counts = [rng.randint(-3, 3) for _ in range(size)]
    scores = [base + count * step for count in counts]
    return {"n": size, "j": rng.randint(1, size), "b": base, "g": step, "m": counts, "s": scores}
