"""The tokens: names of the queries and of the keys, as given or as they are numbered."""

from __future__ import annotations

from typing import Any

from symattn.errors import SpecError, Where
from symattn.parse import limits
from symattn.parse.messages import child, kind, quoted
from symattn.parse.values import rows, text
from symattn.problem import Problem


def tokens(value: Any, count: int, path: str) -> tuple[str, ...]:
    """Names for ``count`` rows, each used once.

    Raises:
        SpecError: They are not as many as the rows, or one is no text, empty, or used twice.
    """
    found = rows(value, path)
    if len(found) != count:
        raise SpecError(f"{len(found)} tokens for {count} rows", mend="name every row once", where=Where(path))
    first: dict[str, int] = {}
    for i, item in enumerate(found):
        place = child(path, i)
        token = text(item, limits.TOKEN, place)
        if not token.strip():
            raise SpecError("the token is empty", mend="give it a name", where=Where(place))
        if first.setdefault(token, i) != i:
            raise SpecError(
                f"{kind(token)} is used twice, first as number {first[token] + 1}",
                mend="tell them apart, as in the_1 and the_2",
                where=Where(place),
            )
    return tuple(first)


def query_names(problem: Problem) -> tuple[str, ...]:
    """Names of the queries where none are given: t1, t2, ..."""
    return _numbered("t", problem.n_q)


def key_names(problem: Problem, queries: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the keys where none are given: p1, p2, ... in the cache, then those of the other keys.

    Keys made of X have the queries' names, and those of a context c1, c2, ...; keys given directly have the queries'
    names where they are as many, else k1, k2, ...

    Raises:
        SpecError: A query's name is that of a row of the cache.
    """
    cached = _numbered("p", problem.past)
    count = problem.n_k - problem.past
    if problem.context is not None:
        return cached + _numbered("c", count)
    if problem.X is None and count != len(queries):
        return cached + _numbered("k", count)
    for i, name in enumerate(queries):
        if name in cached:
            raise SpecError(
                f"{quoted(name)} is the name of a row of the cache already",
                mend="choose another, or name all keys in context_tokens, those of the cache first",
                where=Where(child("tokens", i)),
            )
    return cached + queries


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(1, count + 1))
