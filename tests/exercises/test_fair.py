"""Keys, tolerances and the exclusion of mistakes, against simulated students and the reference evaluator."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from symattn.exercises.slips import KEYS
from tests.exercises.common import key, offers
from tests.exercises.recipes import ALL
from tests.exercises.students import Student, handed_in
from tests.reference import evaluate, nearest

VARIANTS, CAREFUL, MISTAKEN = 6, 8, 2
RECIPES = pytest.mark.parametrize("name", ALL)
assert ALL


def is_right(given: Fraction | None, answer: dict[str, str]) -> bool:
    return given is not None and abs(given - Fraction(answer["key"])) <= Fraction(answer["tolerance"])


def reference(problem: dict[str, Any], question: dict[str, Any]) -> Any:
    found = evaluate(problem)
    array = question["what"].partition("[")[0]
    return found["output"] if array == "final" else found["heads"][question["head"]][array]


@RECIPES
def test_keys_are_the_reference_values(name):
    found = key(ALL[name], VARIANTS)
    checked = 0
    for variant in found["variants"]:
        if "temperature" in variant["problem"].get("attention", {}):
            continue  # the reference evaluator has no temperature; students have
        for question in variant["questions"]:
            if question["what"].startswith("exponentials"):
                continue
            table = reference(variant["problem"], question)
            for answer in question["answers"]:
                i, j = answer["at"]
                assert answer["key"] == nearest(table[i][j], found["decimals"])
                checked += 1
    assert checked or name == "heads"


@RECIPES
def test_every_careful_student_is_right(name):
    found = key(ALL[name], VARIANTS)
    assert found["variants"]
    for place, variant in enumerate(found["variants"]):
        for turn in range(CAREFUL):
            student = Student(variant["keep"], Random(f"{place} {turn}"))
            for question in variant["questions"]:
                given = handed_in(student, variant["problem"], question, found["decimals"])
                for value, answer in zip(given, question["answers"], strict=True):
                    assert is_right(value, answer), (variant["code"], question["what"], answer, float(value))


def mistakes(variant: dict[str, Any], allowed: frozenset[str]) -> list[str]:
    """The mistakes that can be made in a variant, told from its data alone."""
    problem = variant["problem"]
    options = problem.get("attention", {})
    found = ["softmax_over_queries", "scores_times_value"]
    wide = problem["Q"] if "Q" in problem else problem["X"] if problem["W_Q"] == "identity" else problem["W_Q"]
    d_k = len(wide[0]) // options.get("num_heads", 1)
    found += ["unscaled", "scaled_by_d_k", "scaled_twice"]
    if "X" in problem and len(problem["X"][0]) != d_k:
        found.append("scaled_by_sqrt_d_model")
    if options.get("causal") or "key_lengths" in options:
        found += ["mask_ignored", "mask_after_softmax", "mask_inverted"]
    if options.get("causal"):
        found.append("strict_causal")
    if "bias" in options:
        found += ["bias_ignored", "bias_sign"]
    if "X" in problem and "context" not in problem:
        found.append("queries_and_keys_swapped")
    learned = [problem[table] for table in ("W_Q", "W_K", "W_V") if problem.get(table, "identity") != "identity"]
    if learned and all(len(table) == len(table[0]) for table in learned):
        found.append("weights_transposed")
    assert set(found) <= set(KEYS)
    return [name for name in found if name not in allowed]


ORDER = ("query", "key", "value", "scores", "scaled", "exponentials", "weights", "output", "final")


@RECIPES
def test_every_mistake_is_wrong_somewhere(name):
    found = key(ALL[name], VARIANTS)
    allowed = offers(ALL[name], VARIANTS)[0].run.recipe.allowed
    told = 0
    for place, variant in enumerate(found["variants"]):
        if not any(question["what"].startswith(("weights", "output", "final")) for question in variant["questions"]):
            continue
        for mistake in mistakes(variant, allowed):
            for turn in range(MISTAKEN):
                student = Student(variant["keep"], Random(f"{place} {turn}"), mistake)
                verdicts = [
                    is_right(value, answer)
                    for question in variant["questions"]
                    for value, answer in zip(
                        handed_in(student, variant["problem"], question, found["decimals"]),
                        question["answers"],
                        strict=True,
                    )
                ]
                assert not all(verdicts), (variant["code"], mistake)
                told += 1
    assert told


def test_a_tighter_tolerance_would_be_unfair():
    """The derived bound is near what careful students reach: half of it refuses some of them."""
    found = key(ALL["weights"], VARIANTS)
    refused = 0
    for place, variant in enumerate(found["variants"]):
        for turn in range(200):
            student = Student(variant["keep"], Random(f"{place} {turn}"))
            for question in variant["questions"]:
                given = handed_in(student, variant["problem"], question, found["decimals"])
                halved = [
                    answer | {"tolerance": str(Fraction(answer["tolerance"]) / 2)} for answer in question["answers"]
                ]
                refused += sum(not is_right(*pair) for pair in zip(given, halved, strict=True))
    assert refused
