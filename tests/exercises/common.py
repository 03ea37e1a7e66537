"""Runs of recipes for tests, in this process and in memory."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from symattn.exercises.offer import Offer, Run
from symattn.exercises.variants import Acceptance, served
from symattn.export.formats import writers

SEED = 7


def run(source: str, seed: int = SEED, name: str = "recipe", **wishes: Any) -> Run:
    return Run(source, name, seed, "0.0.0", **wishes)


@cache
def offers(source: str, count: int, seed: int = SEED, **wishes: Any) -> tuple[Offer, ...]:
    """The first variants of a recipe."""
    made = run(source, seed, **wishes)
    judge = made.judge
    candidates = range(judge.size) if judge.size is not None else range(10**9)
    verdicts = (judge.verdict(made.key, index) for index in candidates)
    return tuple(Offer(made, variant) for variant in served(verdicts, count, Acceptance()))


def text(format: str, file: int, source: str, count: int, seed: int = SEED, **wishes: Any) -> str:
    """One file of a format, put together from its items."""
    writer, made = writers(format)[file], run(source, seed, **wishes)
    items = [writer.item(offer) for offer in offers(source, count, seed, **wishes)]
    return writer.head(made) + writer.between.join(items) + writer.foot(made)


@cache
def key(source: str, count: int, seed: int = SEED) -> Any:
    """The key as JSON says it."""
    return json.loads(text("json", 0, source, count, seed))
