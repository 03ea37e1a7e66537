"""Simulated students: attention worked step by step with a pencil, each number rounded honestly at random.

Written apart from symattn, with integers and mpmath. A student may make one mistake, named as the catalogue names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import mul
from random import Random
from typing import Any

import mpmath

from tests.reference import entry

Rows = list[list[Any]]
DIGITS = 60
PLACES = 120
ONE = 10**PLACES
"""Numbers are integers in units of 10^-120, so that decimals and products of two are exact, and fast."""
GRAIN = [10 ** (PLACES - places) for places in range(PLACES + 1)]


@lru_cache(maxsize=4096)
def number(value: Any) -> int:
    """An entry of a problem file."""
    return units(entry(value).known(DIGITS))


def units(value: Fraction | mpmath.mpf) -> int:
    """The value in units: an mpf is the dyadic number that it is."""
    if isinstance(value, Fraction):
        return value.numerator * ONE // value.denominator
    sign, mantissa, power, _ = value._mpf_
    above = (-int(mantissa) if sign else int(mantissa)) * ONE
    return above << power if power >= 0 else above >> -power


def times(left: int, right: int) -> int:
    return left * right // ONE


def over(left: int, right: int) -> int:
    return left * ONE // right


@lru_cache(maxsize=200_000)
def power_of_e(logit: int) -> int:
    with mpmath.workdps(DIGITS):
        return ONE if logit == 0 else units(mpmath.exp(mpmath.mpf(logit) / ONE))


@dataclass
class Student:
    """``keep`` decimals at least are kept on the way; ``mistake`` is made all along."""

    keep: int
    chance: Random
    mistake: str = ""
    reading: int = 0

    def writes(self, value: int) -> int:
        """The number as it is written down: to at least ``keep`` decimals, midpoints either way."""
        if value % GRAIN[self.keep] == 0:
            return value
        return self.rounds(value, self.keep + (0, 0, 0, 0, 1, 2, 9)[int(7 * self.chance.random())])

    def rounds(self, value: int, places: int) -> int:
        grain = GRAIN[places]
        whole, rest = divmod(value, grain)
        up = 2 * rest > grain or (2 * rest == grain and self.chance.random() < 0.5)
        return (whole + up) * grain

    def hands_in(self, value: int, decimals: int) -> Fraction:
        """A final answer, to at least the decimals asked for."""
        places = decimals + (0, 0, 0, 1, 2)[int(5 * self.chance.random())]
        return Fraction(self.rounds(value, places) // GRAIN[places], 10**places)

    # ------------------------------------------------------------------------------------- the steps

    def product(self, left: Rows, right: Rows) -> Rows:
        return [[self.dot(row, column) for column in zip(*right, strict=True)] for row in left]

    def dot(self, row: Any, column: Any) -> int:
        if self.chance.random() < 0.5:
            return self.writes(sum(self.writes(times(a, b)) for a, b in zip(row, column, strict=True)))
        return self.writes(sum(map(mul, row, column)) // ONE)

    def exactly(self, left: Rows, right: Rows) -> Rows:
        return [[sum(map(mul, row, column)) // ONE for column in zip(*right, strict=True)] for row in left]

    def tables(self, problem: dict[str, Any]) -> dict[str, Any]:
        names = ("X", "context", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V")
        found = {
            name: problem[name]
            if problem[name] == "identity"
            else [[number(cell) for cell in row] for row in problem[name]]
            for name in names
            if name in problem
        }
        if self.mistake == "weights_transposed":
            for name in ("W_Q", "W_K", "W_V", "W_O")[: 4 if self.reading else 3]:
                if name in found and found[name] != "identity":
                    found[name] = [list(row) for row in zip(*found[name], strict=True)]
        return found

    def views(self, tables: dict[str, Any]) -> tuple[Rows, Rows, Rows]:
        if "Q" in tables:
            found = [tables[name] for name in "QKV"]
        else:
            sources = (tables["X"], tables.get("context", tables["X"]), tables.get("context", tables["X"]))
            learned = [tables[f"W_{name}"] for name in "QKV"]
            found = [
                source if table == "identity" else self.exactly(source, table)
                for source, table in zip(sources, learned, strict=True)
            ]
        return tuple([[self.writes(cell) for cell in row] for row in rows] for rows in found)

    def factor(self, width: int, scale: Any) -> int:
        """What scores are multiplied by; an exact root where the catalogue's mistakes have one."""
        if self.mistake == "scaled_by_sqrt_d_model":
            return number(f"1/sqrt({self.d_model})")
        factor = number(scale) if scale is not None else number(f"1/sqrt({width})")
        if self.mistake == "scaled_twice":
            return number(f"1/{width}") if scale is None else times(factor, factor)
        return factor

    def scaled(self, score: int, width: int, scale: Any) -> int:
        if self.mistake == "unscaled":
            return score
        if self.mistake == "scaled_by_d_k":
            return self.writes(score // width)
        factor = self.factor(width, scale)
        way = int(3 * self.chance.random())
        if way == 0:
            return self.writes(times(score, factor))
        if way == 1:
            return self.writes(times(score, self.writes(factor)))
        return self.writes(over(score, self.writes(over(ONE, factor))))

    def power(self, logit: int) -> int:
        return self.writes(power_of_e(logit))

    def shares(self, powers: list[int | None]) -> list[int]:
        seen = [power for power in powers if power is not None]
        total = sum(seen)
        if len(seen) > 1 and self.chance.random() < 0.5:
            total = self.writes(total)
        return [0 if power is None else self.writes(over(power, total)) for power in powers]

    def mask(self, problem: dict[str, Any], n_q: int, n_k: int) -> list[list[bool]]:
        options = problem.get("attention", {})
        causal = options.get("causal", False)
        offset = {False: n_k, True: 0, "top-left": 0, "bottom-right": n_k - n_q}[causal]
        if self.mistake == "strict_causal":
            offset -= 1
        given = options.get("mask") or [[True] * n_k] * n_q
        real = options.get("key_lengths", n_k)
        found = [[j <= i + offset and given[i][j] and j < real for j in range(n_k)] for i in range(n_q)]
        if self.mistake == "mask_inverted":
            found = [[not seen for seen in row] for row in found]
        if self.mistake == "mask_ignored":
            found = [[True] * n_k] * n_q
        return found

    def head(self, problem: dict[str, Any], query: Rows, key: Rows, value: Rows) -> dict[str, Rows]:
        options = problem.get("attention", {})
        written = query, key
        if self.mistake == "queries_and_keys_swapped":
            query, key = key, query
        if self.mistake == "value_is_key":
            value = key
        scores = self.product(query, [list(row) for row in zip(*key, strict=True)])
        scaled = [[self.scaled(score, len(query[0]), options.get("scale")) for score in row] for row in scores]
        logits = scaled
        if "bias" in options and self.mistake != "bias_ignored":
            sign = -1 if self.mistake == "bias_sign" else 1
            logits = [
                [self.writes(a + sign * self.writes(number(b))) for a, b in zip(*rows, strict=True)]
                for rows in zip(scaled, options["bias"], strict=True)
            ]
        if "temperature" in options:
            logits = [[self.writes(over(entry, number(options["temperature"]))) for entry in row] for row in logits]
        mask = self.mask(problem, len(query), len(key))
        before = [[True] * len(key)] * len(query) if self.mistake == "mask_after_softmax" else mask
        shown = [
            [self.power(entry) if seen else None for entry, seen in zip(*rows, strict=True)]
            for rows in zip(logits, before, strict=True)
        ]
        if self.mistake == "scores_times_value":
            weights = [
                [entry if seen else 0 for entry, seen in zip(*rows, strict=True)]
                for rows in zip(logits, mask, strict=True)
            ]
        elif self.mistake == "softmax_over_queries":
            columns = [self.shares(list(column)) for column in zip(*shown, strict=True)]
            weights = [list(row) for row in zip(*columns, strict=True)]
        else:
            weights = [self.shares(row) if any(cell is not None for cell in row) else None for row in shown]
        if self.mistake == "mask_after_softmax":
            weights = [
                [w if seen else 0 for w, seen in zip(*rows, strict=True)] for rows in zip(weights, mask, strict=True)
            ]
        output = [
            None if row is None else [self.dot(row, column) for column in zip(*value, strict=True)] for row in weights
        ]
        powers = [
            [
                0 if cell is None or (self.mistake == "mask_after_softmax" and not seen) else cell
                for cell, seen in zip(*rows, strict=True)
            ]
            for rows in zip(shown, mask, strict=True)
        ]
        return {
            "query": written[0],
            "key": written[1],
            "value": value,
            "scores": scores,
            "scaled": scaled,
            "exponentials": powers,
            "weights": weights,
            "output": output,
        }

    def works(self, problem: dict[str, Any]) -> dict[str, Any]:
        """Every array of every head, and the final output."""
        found = self.worked(problem)
        heads = [{name: _fractions(rows) for name, rows in head.items()} for head in found["heads"]]
        return {"heads": heads, "final": _fractions(found["final"])}

    def worked(self, problem: dict[str, Any]) -> dict[str, Any]:
        """The same in units."""
        tables = self.tables(problem)
        query, key, value = self.views(tables)
        count = problem.get("attention", {}).get("num_heads", 1)
        self.d_model = len(tables["X"][0]) if "X" in tables else len(query[0])
        cut = [_columns(rows, count) for rows in (query, key, value)]
        heads = [self.head(problem, *parts) for parts in zip(*cut, strict=True)]
        joined = [
            None if any(row is None for row in rows) else [cell for row in rows for cell in row]
            for rows in zip(*(head["output"] for head in heads), strict=True)
        ]
        if tables.get("W_O") not in (None, "identity"):
            columns = list(zip(*tables["W_O"], strict=True))
            joined = [None if row is None else [self.dot(row, column) for column in columns] for row in joined]
        if "b_O" in problem:
            added = [number(entry) for entry in problem["b_O"]]
            joined = [
                None if row is None else [self.writes(a + b) for a, b in zip(row, added, strict=True)] for row in joined
            ]
        return {"heads": heads, "final": joined}


def _fractions(rows: Rows) -> Rows:
    return [None if row is None else [Fraction(cell, ONE) for cell in row] for row in rows]


def _columns(rows: Rows, count: int) -> list[Rows]:
    width = len(rows[0]) // count
    return [[row[head * width : (head + 1) * width] for row in rows] for head in range(count)]


def handed_in(
    student: Student, problem: dict[str, Any], question: dict[str, Any], decimals: int
) -> list[Fraction | None]:
    """What the student hands in for the blanks of one question of a key."""
    return answered(student, attempt(student, problem), question, decimals)


def attempt(student: Student, problem: dict[str, Any]) -> dict[str, Any] | None:
    """The working; None where every exponential was written as 0, so that there is nothing to hand in."""
    try:
        return student.worked(problem)
    except ZeroDivisionError:
        return None


def answered(
    student: Student, found: dict[str, Any] | None, question: dict[str, Any], decimals: int
) -> list[Fraction | None]:
    """What of a working the student writes into the blanks of one question."""
    if found is None:
        return [None] * len(question["answers"])
    array = question["what"].partition("[")[0]
    table = found["final"] if array == "final" else found["heads"][question["head"]][array]
    places = [answer["at"] for answer in question["answers"]]
    return [None if table[i] is None else student.hands_in(table[i][j], decimals) for i, j in places]
