"""Every topic: each line follows by its law, each reason it names is needed, and numbers agree with mpmath."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest
from mpmath import mp

from symattn.check.laws.founded import unfounded
from symattn.check.laws.lines import follows, unproved
from symattn.derive.topics import TOPICS, derived
from symattn.exact.balls import precision
from symattn.exact.values import Plain
from symattn.statements.proof import Assumption, Instance, Law, Line, Proof, Setting
from symattn.statements.terms import (
    Delta,
    Derivative,
    Infinity,
    Item,
    Letter,
    Limit,
    Num,
    Sum,
    free_indices,
    letters,
    walk,
)
from tests.derive.broken import broken, otherwise
from tests.derive.evaluator import World, number
from tests.derive.worlds import WORLDS, proof_of

LINES = [
    pytest.param(topic, line.name, id=f"{topic} {line.name}") for topic in TOPICS for line in proof_of(topic).lines
]
assert len(LINES) > 50


def with_line(proof: Proof, name: str, other: Line) -> Proof:
    """The derivation up to a line, which is another."""
    place = next(place for place, line in enumerate(proof.lines) if line.name == name)
    return replace(proof, lines=(*proof.lines[:place], other))


def before(proof: Proof, name: str) -> dict[str, Assumption | Line]:
    """What is known when a line is reached."""
    place = next(place for place, line in enumerate(proof.lines) if line.name == name)
    return {one.name: one for one in (*proof.assumptions, *proof.lines[:place])}


@pytest.mark.parametrize("topic", TOPICS)
def test_every_line_follows_and_every_number_is_founded(topic):
    assert unproved(proof_of(topic)) == []
    assert unfounded(proof_of(topic)) == []


@pytest.mark.parametrize(("topic", "name"), LINES)
def test_a_broken_line_is_named(topic, name):
    """By a sign, a factor, an index and what else its right side has: no other line is named before it."""
    proof = proof_of(topic)
    line = proof.line(name)
    mutants = broken(line)
    assert len(mutants) >= 2
    assert unproved(with_line(proof, name, mutants[0][1])) == [name]
    for what, other in mutants:
        assert not follows(other, before(proof, name), proof), what


@pytest.mark.parametrize(("topic", "name"), LINES)
def test_a_line_is_broken_by_a_sign_a_factor_and_an_index(topic, name):
    """Where it has one: 0 and infinity have neither sign nor factor, and an order is kept by a factor."""
    line = proof_of(topic).line(name)
    meant = line.law in (Law.DEFINITION, Law.RECURSION, Law.HYPOTHESIS)
    kinds = {what for what, _ in (*broken(line), *(otherwise(line) if meant else ()))}
    none = isinstance(line.right, Infinity) or line.right == Num(Fraction(0)) or line.law is Law.RANK
    assert none or {"a sign", "a factor"} <= kinds
    held = any(isinstance(part, Item | Delta) for part in walk(line.right))
    assert not held or kinds & {"an index", "another place", "of every place"}


MEANT = [
    pytest.param(topic, line.name, id=f"{topic} {line.name}")
    for topic in TOPICS
    for line in proof_of(topic).lines
    if line.law in (Law.DEFINITION, Law.RECURSION, Law.HYPOTHESIS)
]


HARMLESS = {
    ("saturation", "cooled", "a letter doubled"): "the limits are those of any multiple of g or T",
    **{
        ("permutation", name, what): "the mask is 1 and what is added is 0, whatever the places"
        for name in ("output", "new_output")
        for what in ("a sign within", "indices exchanged")
    },
}


@pytest.mark.parametrize(("topic", "name"), MEANT)
def test_what_is_meant_otherwise_no_longer_leads_on(topic, name):
    """A line that uses a definition does not follow from another one: no sign, factor or place in it goes unused."""
    proof = proof_of(topic)
    mutants = otherwise(proof.line(name))
    assert len(mutants) >= 2
    harmless = set()
    for what, other in mutants:
        changed = replace(proof, lines=tuple(other if line.name == name else line for line in proof.lines))
        users = [line for line in changed.lines if name in line.uses]
        assert users
        if all(follows(line, before(changed, line.name), changed) for line in users):
            harmless.add((topic, name, what))
    assert harmless == {key for key in HARMLESS if key[:2] == (topic, name)}


@pytest.mark.parametrize(("topic", "name"), LINES)
def test_every_reason_that_a_line_names_is_needed(topic, name):
    proof = proof_of(topic)
    line = proof.line(name)
    for used in line.uses:
        less = replace(line, uses=tuple(other for other in line.uses if other != used))
        assert not follows(less, before(proof, name), proof), used
    if line.law not in (Law.ALGEBRA, Law.DEFINITION):
        assert not follows(replace(line, law=Law.ALGEBRA), before(proof, name), proof)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_assumption_is_used(topic):
    proof = proof_of(topic)
    used = {name for line in proof.lines for name in line.uses}
    assert {one.name for one in proof.assumptions} <= used
    names = [one.name for one in (*proof.assumptions, *proof.lines)]
    assert len(set(names)) == len(names)
    assert proof.results


@pytest.mark.parametrize("topic", TOPICS)
def test_no_size_is_ever_a_number(topic):
    """What is said of any size is proved for any size: no sum of a line ends at a number, and no line sets a size."""
    proof = proof_of(topic)
    for line in proof.lines:
        for side in (line.left, line.right):
            assert not any(isinstance(part, Sum) and isinstance(part.high, Num) for part in walk(side)), line.name
    for one in proof.assumptions:
        assert not any(
            isinstance(left, Letter) and left.kind == "natural" and isinstance(right, Num) for left, right in one.equal
        )


GENERAL = {
    "dot-product-variance": {"general": {"d_k"}, "variance": {"d_k"}, "deviation": {"d_k"}, "excess": {"d_k"}},
    "softmax-jacobian": {"jacobian": {"i", "j"}, "row_sum": {"i", "n"}, "in_the_gap": {"n", "g"}, "rate": {"n"}},
    "weighted-average": {"not_above": {"high"}, "share": {"n"}},
    "why-not-d": {"any": {"d_k", "c"}, "steady": {"d_k"}, "shrunk": {"d_k"}},
    "softmax-shift": {"same": {"i"}, "at_least_one": {"n"}},
    "temperature": {"never_less": {"l"}, "cold_share": {"m"}, "cold_mix": {"m"}, "hot_mix": {"m", "r"}},
    "online-softmax": {"sum": {"b"}, "mix": {"b"}, "output": {"b"}},
    "causal-prefix": {"prefix": {"t", "c"}, "same_row": {"t", "c"}},
    "permutation": {"moves_along": {"i", "c"}},
    "positions": {"distance": {"r", "a", "b"}, "rotary": {"r", "a", "b"}},
    "linear-attention": {"regrouped": {"r"}, "pairs_counted": {"n", "d"}, "saved": {"n", "d"}},
    "attention-backward": {"values": {"n_q"}, "to_weights": {"d_v"}, "to_queries": {"n_k"}, "to_keys": {"n_q"}},
    "closed-form": {"in_steps": {"n", "g"}},
    "bilinear": {"bilinear": {"d_model"}, "rank": {"d_k"}},
    "multi-head-cost": {"free_of_heads": {"d_model"}, "token_cost": {"d_model", "n"}, "grouped_size": {"g", "h"}},
    "saturation": {"in_the_gap": {"n", "g"}, "root_of_the_odds": {"d_k"}, "entropy_in_the_gap": {"n", "g"}},
}
"""Letters and free places that the final statement must still hold."""


@pytest.mark.parametrize("topic", TOPICS)
def test_the_letter_is_still_there_in_the_final_statement(topic):
    proof = proof_of(topic)
    for name, expected in GENERAL[topic].items():
        line = proof.line(name)
        assert line.result
        assert expected <= open_in(line), name
    for line in proof.results:
        assert open_in(line), line.name


def open_in(line: Line) -> set[str]:
    """The letters and the free indices of a line."""
    return set().union(*(letters(side).keys() | free_indices(side) for side in (line.left, line.right)))


@pytest.mark.parametrize("topic", TOPICS)
def test_both_sides_of_every_line_have_one_value(topic):
    """Fifty random instances of the results, four of the other lines: both sides worked by mpmath."""
    rng = Random(topic)  # noqa: S311 - numbers of a test
    proof = proof_of(topic)
    for count in range(50):
        with mp.workdps(50):
            world = WORLDS[topic](rng)
            for line in proof.lines if count < 4 else proof.results:
                if line.law is Law.DEFINITION or isinstance(line.right, Infinity):
                    continue
                rough = any(isinstance(part, Derivative | Limit) for part in (*walk(line.left), *walk(line.right)))
                digits = 400 if any(isinstance(part, Limit) for part in walk(line.left)) else 30
                with mp.workdps(digits):
                    left, right = number(line.left, world), number(line.right, world)
                bound = (
                    mp.mpf("0.05")
                    if digits > 30
                    else mp.mpf("1e-8")
                    if rough or topic == "attention-backward"
                    else mp.mpf("1e-20")
                )
                close = abs(left - right) <= bound * max(1, abs(right))
                good = left <= right if line.relation == "<=" else left >= right if line.relation == ">=" else close
                assert good, (line.name, mpmath.nstr(left), mpmath.nstr(right))


@pytest.mark.parametrize("topic", TOPICS)
def test_a_wrong_number_is_named(topic):
    """In a table, in an exercise, and a counterexample that is none."""
    proof = proof_of(topic)

    def moved(one: Instance) -> Instance:
        return replace(one, value=one.value + Plain(1))

    for table in proof.tables:
        wrong = replace(table, cells=(*table.cells[:-1], (*table.cells[-1][:-1], moved(table.cells[-1][-1]))))
        others = tuple(wrong if one.name == table.name else one for one in proof.tables)
        assert unfounded(replace(proof, tables=others)) == [table.name]
    for question in proof.questions:
        if question.answer:
            wrong = replace(question, answer=moved(question.answer))
            assert unfounded(replace(proof, questions=(wrong,), tables=())) == [question.name]
    for example in proof.counterexamples:
        none = replace(example, claimed=example.found)
        others = tuple(none if one == example else one for one in proof.counterexamples)
        assert unfounded(replace(proof, counterexamples=others)) == [f"without {example.without}"]


def world_of_setting(proof: Proof, setting: Setting) -> World:
    """The numbers of a setting; what has none there has that of its definition, and none by an assumption."""
    defined: dict[str, tuple] = {}
    for line in proof.lines:
        if line.law in (Law.DEFINITION, Law.RECURSION):
            name = line.left.array.name if isinstance(line.left, Item) else line.left.name
            defined[name] = (*defined.get(name, ()), (line.left, line.right))
    world = World({}, (), defined)

    def numbers(value: Any) -> Any:
        return [numbers(one) for one in value] if isinstance(value, tuple) else number(value, world)

    for name, value in setting.values:
        world = world.having(**{name: numbers(value)})
    outcomes = tuple(
        (mp.mpf(share.numerator) / share.denominator, {name: numbers(value) for name, value in one})
        for share, one in setting.outcomes
    )
    return replace(world, outcomes=outcomes)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_counterexample_is_one_by_mpmath(topic):
    """The line is false at its numbers, and what is said of both sides is so; a limit is looked at far out."""
    proof = proof_of(topic)
    assert {one.without for one in proof.counterexamples} == {one.name for one in proof.assumptions}
    for example in proof.counterexamples:
        with mp.workdps(40):
            world = world_of_setting(proof, example.found.at)
            line = proof.line(example.line)
            left, right = number(line.left, world), number(line.right, world)
            assert {"=": left != right, ">=": left < right, "<=": left > right}[line.relation], example.without
            for value, one in ((left, example.found), (right, example.claimed)):
                with precision(200):
                    shown = mp.mpf(str(one.value.ball().mid().str(30, radius=False)))
                rough = isinstance(one.term, Limit)
                assert abs(value - shown) < mp.mpf("1e-2" if rough else "1e-12"), example.without


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_has_what_its_page_needs(topic):
    proof = proof_of(topic)
    assert proof.topic == topic
    assert proof.tables
    assert len(proof.questions) >= 2
    assert any(question.answer for question in proof.questions)
    assert derived(topic, 1).lines == proof.lines
