"""The options of real layers against a plain evaluation of their definitions in mpmath, and their laws, exactly."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from symattn.check.replay import unexplained
from symattn.derive.sections import worked
from symattn.derive.worked import final_derivation, head_derivation
from symattn.exact.positions import slopes
from symattn.exact.sympy_forms import expression
from symattn.parse.problem import problem

mp = mpmath.mp.clone()
mp.dps = 50
PLACES = 25


def real(entry: Any) -> Any:
    if entry == "-oo":
        return -mp.inf
    number = Fraction(entry)
    return mp.mpf(number.numerator) / number.denominator


def rows(entries: Any) -> list[list[Any]]:
    return [[real(entry) for entry in row] for row in entries]


def product(left: list[list[Any]], right: list[list[Any]]) -> list[list[Any]]:
    return [[mp.fdot(row, column) for column in zip(*right, strict=True)] for row in left]


def turned(vectors: list[list[Any]], rope: dict[str, Any], first: int) -> list[list[Any]]:
    width = rope.get("dimensions", len(vectors[0]))
    pairs = width // 2
    found = [list(row) for row in vectors]
    for index, row in enumerate(vectors):
        for f in range(pairs):
            a, b = (2 * f, 2 * f + 1) if rope.get("interleaved") else (f, f + pairs)
            angle = (first + index) * real(rope.get("base", 10000)) ** (-mp.mpf(2 * f) / width)
            found[index][a] = row[a] * mp.cos(angle) - row[b] * mp.sin(angle)
            found[index][b] = row[a] * mp.sin(angle) + row[b] * mp.cos(angle)
    return found


def alibi_slopes(heads: int) -> list[Any]:
    """As Press et al. 2022 give them: 2^(-8/n), its powers; for other numbers every other slope of twice the power."""

    def geometric(n: int) -> list[Any]:
        return [mp.mpf(2) ** (-mp.mpf(8) * (h + 1) / n) for h in range(n)]

    power = 2 ** (heads.bit_length() - 1)
    return geometric(power) + geometric(2 * power)[0::2][: heads - power]


def evaluated(data: dict[str, Any]) -> dict[str, Any]:
    """Every head's weights and output, its log-sum-exp, and the final output, by the definitions."""
    options = data.get("attention", {})
    heads, kv = options.get("num_heads", 1), options.get("num_kv_heads") or options.get("num_heads", 1)
    source = data.get("context", data["X"])

    def projected(name: str, given: Any) -> list[list[Any]]:
        table = data[f"W_{name}"]
        found = rows(given) if table == "identity" else product(rows(given), rows(table))
        bias = [real(entry) for entry in data.get(f"b_{name}", [0] * len(found[0]))]
        return [[entry + more for entry, more in zip(row, bias, strict=True)] for row in found]

    query = projected("Q", data["X"])
    key = rows(data.get("past_key", [])) + projected("K", source)
    value = rows(data.get("past_value", [])) + projected("V", source)
    past, n_q, n_k = len(data.get("past_key", [])), len(query), len(key)
    d_k, d_v = len(query[0]) // heads, len(value[0]) // kv
    found: dict[str, Any] = {"weights": [], "output": [], "lse": []}
    for h in range(heads):
        g = h // (heads // kv)
        q = [row[h * d_k : (h + 1) * d_k] for row in query]
        k, v = [row[g * d_k : (g + 1) * d_k] for row in key], [row[g * d_v : (g + 1) * d_v] for row in value]
        if "rope" in options:
            q, k = turned(q, options["rope"], past), turned(k, options["rope"], 0)
        offset = {True: past, "top-left": 0, "bottom-right": n_k - n_q}.get(options.get("causal", False))
        weights, sums = [], []
        for i in range(n_q):
            terms: dict[int, Any] = {}
            for j in range(n_k):
                s = mp.fdot(q[i], k[j]) * (real(options["scale"]) if "scale" in options else 1 / mp.sqrt(d_k))
                if "softcap" in options:
                    s = real(options["softcap"]) * mp.tanh(s / real(options["softcap"]))
                if "bias" in options:
                    s += real(options["bias"][i][j])
                middle = i + (past if offset is None else offset)
                if options.get("alibi"):
                    s -= alibi_slopes(heads)[h] * abs(middle - j)
                left, right = options.get("window", (-1, -1))
                seen = (offset is None or j <= i + offset) and j < options.get("key_lengths", n_k)
                seen = seen and options.get("mask", [[True] * n_k] * n_q)[i][j] and s != -mp.inf
                seen = seen and (left < 0 or middle - left <= j) and (right < 0 or j <= middle + right)
                if seen:
                    terms[j] = mp.exp(s / real(options.get("temperature", 1)))
            total = mp.fsum(terms.values()) + (mp.exp(real(options["sink"])) if "sink" in options else 0)
            rule = {"uniform": mp.mpf(1) / n_k}.get(options.get("on_masked_row", ""), mp.mpf(0))
            weights.append([terms.get(j, mp.mpf(0)) / total if total else rule for j in range(n_k)])
            sums.append(mp.log(total) if total else -mp.inf)
        found["weights"].append(weights)
        found["lse"].append(sums)
        found["output"].append(product(weights, v))
    joined = [[entry for head in found["output"] for entry in head[i]] for i in range(n_q)]
    final = joined if "W_O" not in data else product(joined, rows(data["W_O"]))
    extra = [real(entry) for entry in data.get("b_O", [0] * len(final[0]))]
    found["final"] = [[entry + more for entry, more in zip(row, extra, strict=True)] for row in final]
    return found


def drawn(seed: int, **sizes: int) -> dict[str, Any]:
    """X with learned tables, all sizes different, and small rational entries."""
    dice = random.Random(seed)  # noqa: S311 - drawn the same each time
    n, d_model, width, kv_width, v_width = (
        sizes.get(name, default) for name, default in zip(("n", "d", "w", "k", "v"), (3, 4, 2, 2, 5), strict=True)
    )

    def matrix(height: int, length: int) -> list[list[str]]:
        return [
            [str(Fraction(dice.randint(-4, 4), dice.choice((1, 2, 3)))) for _ in range(length)] for _ in range(height)
        ]

    found = {"X": matrix(n, d_model), "W_Q": matrix(d_model, width), "W_K": matrix(d_model, kv_width)}
    return found | {"W_V": matrix(d_model, v_width), "page": {"decimals": PLACES}}


BIAS = [["1/2", 0, "-oo"], [-1, "2/3", 1], [0, 1, 0]]
MASK = [[True, False, True], [True, True, False], [False, True, False]]
DEAD = [[True, False, True], [False, False, False], [True, True, True]]
CASES: dict[str, dict[str, Any]] = {
    "mask": drawn(1) | {"attention": {"mask": MASK}},
    "a dead row is zero": drawn(2) | {"attention": {"mask": DEAD, "on_masked_row": "zero"}},
    "a dead row is the mean": drawn(3) | {"attention": {"mask": DEAD, "on_masked_row": "uniform"}},
    "key_lengths": drawn(4) | {"attention": {"key_lengths": 2}},
    "bias": drawn(5) | {"attention": {"bias": BIAS, "scale": "2/3"}},
    "alibi": drawn(6, w=6, k=6, v=3) | {"attention": {"alibi": True, "causal": True, "num_heads": 3}},
    "softcap": drawn(7) | {"attention": {"softcap": "3/2"}},
    "window": drawn(8, n=5) | {"attention": {"causal": True, "window": [1, 0]}},
    "window, both sides": drawn(9, n=5) | {"attention": {"window": [1, 2]}},
    "temperature": drawn(10) | {"attention": {"temperature": "1/2", "causal": True}},
    "sink": drawn(11) | {"attention": {"sink": "3/2", "lse": True}},
    "rope": drawn(12, w=4, k=4) | {"attention": {"rope": {"base": 100}}},
    "rope, interleaved, part of the width": drawn(13, w=6, k=6)
    | {"attention": {"rope": {"base": 10000, "dimensions": 4, "interleaved": True}}},
    "lse": drawn(14) | {"attention": {"lse": True, "causal": True}},
    "context": drawn(15) | {"context": [["1/2", 1, 0, 2], [0, -1, "1/3", 1]], "b_V": [1, 0, "1/2", 0, -1]},
    "cache": drawn(16, n=2)
    | {"past_key": [["1/2", 1], [0, "-3/2"], [2, 1]], "past_value": [[1, 0, 2, 0, 1], [0, 1, 0, 1, 0], [1, 1, 1, 1, 1]]}
    | {"attention": {"causal": True, "rope": {"base": 10}}},
    "grouped heads": drawn(17, n=2, w=8, k=4, v=6)
    | {"W_O": [[1, 0], [0, 1], [1, 1], ["1/2", 0], [0, 2], [1, -1], [0, 0], [1, 0], [2, 1], [0, 1], [1, 0], [1, 1]]}
    | {"b_O": ["1/3", -2], "attention": {"num_heads": 4, "num_kv_heads": 2, "alibi": True}},
    "all at once": drawn(18, w=4, k=4)
    | {
        "attention": {
            "causal": True,
            "softcap": 4,
            "bias": BIAS,
            "temperature": "3/2",
            "sink": 0,
            "rope": {},
            "lse": True,
        }
    },
}


@pytest.mark.parametrize("name", CASES)
def test_every_printed_number_is_that_of_the_definition(name):
    data = CASES[name]
    solved = worked(problem(data))
    shown = solved.shown(solved.sections[0], exponentials=False)
    expected = evaluated(data)
    for h, head in enumerate(shown.heads):
        assert_near(head.weights, expected["weights"][h])
        assert_near(head.output, expected["output"][h])
        if head.lse is not None:
            assert_near(head.lse, [[entry] for entry in expected["lse"][h]])
    assert_near(shown.output, expected["final"])


def assert_near(printed: Any, expected: Any) -> None:
    for row, line in zip(printed, expected, strict=True):
        for entry, value in zip(row, line, strict=True):
            assert abs(mp.mpf(entry.text) - value) <= mp.mpf(10) ** -PLACES * mp.mpf("0.5000001")


@pytest.mark.parametrize("name", CASES)
def test_every_step_follows_from_its_formula(name):
    asked = problem(CASES[name])
    solved = worked(asked)
    result, shown = solved.sections[0].result, solved.shown(solved.sections[0])
    for head in range(len(result.heads)):
        assert unexplained(head_derivation(asked, result, shown, head)) == []
    final = final_derivation(asked, result, shown)
    assert final is None or unexplained(final) == []


def exact(data: dict[str, Any]) -> Any:
    return worked(problem(data)).sections[0].result


def test_a_step_with_a_cache_is_the_last_row_of_the_whole():
    whole = drawn(20, n=4) | {"attention": {"causal": True}}
    result = exact(whole)
    key, value = (
        [[text(entry) for entry in row] for row in getattr(result.heads[0], name).rows[:3]] for name in ("key", "value")
    )
    step = whole | {"X": whole["X"][3:], "past_key": key, "past_value": value}
    one = exact(step).heads[0]
    assert all(a.equals(b) for a, b in zip(one.weights.rows[0], result.heads[0].weights.rows[3], strict=True))
    assert all(a.equals(b) for a, b in zip(one.output.rows[0], result.heads[0].output.rows[3], strict=True))


def text(value: Any) -> str:
    return str(expression(value.number))


def test_rotary_scores_depend_on_the_distance_alone():
    """The same vectors two places further on have the same scores, exactly."""
    data = {
        "Q": [[1, 2, "1/2", 0]] * 5,
        "K": [[3, -1, 1, "1/3"]] * 5,
        "V": [[1]] * 5,
        "attention": {"rope": {"base": 100}},
    }
    scores = exact(data).heads[0].scores
    for i in range(3):
        for j in range(3):
            assert scores[i, j].equals(scores[i + 2, j + 2])
    assert not scores[0, 1].equals(scores[1, 0])


def test_repeated_key_heads_are_grouped_heads():
    grouped = drawn(21, w=4, k=2, v=3) | {"attention": {"num_heads": 2, "num_kv_heads": 1}}
    repeated = {**grouped, "attention": {"num_heads": 2}}
    for name in ("W_K", "W_V"):
        repeated[name] = [[*row, *row] for row in grouped[name]]
    assert exact(grouped).output.equals(exact(repeated).output)


def test_a_uniform_dead_row_is_the_mean_of_all_values():
    data = {"Q": [[1]], "K": [[1], [2], [3]], "V": [[1, 0], [2, 0], [6, 1]]}
    result = exact(data | {"attention": {"mask": [[False] * 3], "on_masked_row": "uniform"}})
    assert [str(value.number) for value in result.output.rows[0]] == ["3", "1/3"]


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 6, 8, 12, 16])
def test_slopes_are_those_of_the_paper(heads):
    found = [mp.mpf(str(expression(slope).evalf(40))) for slope in slopes(heads)]
    assert len(found) == heads
    assert all(abs(a - b) < mp.mpf(10) ** -35 for a, b in zip(found, alibi_slopes(heads), strict=True))


def test_eight_heads_have_the_slopes_that_the_paper_prints():
    assert [str(slope) for slope in slopes(8)] == [f"1/{2**h}" for h in range(1, 9)]
