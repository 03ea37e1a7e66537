"""Replay explains every derivation, and names the step that was broken: a check that never failed is not one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.check.replay import unexplained
from symattn.derive.worked import final_derivation, head_derivation
from symattn.exact.values import MASKED, Plain
from symattn.steps import Derivation, Div, Entry, Exp, Mul, Num, Reason, Step, Sum, Table, Where
from tests.exact.common import solved, steady
from tests.strategies import log_problems, matrices, problems, surd_problems

# Every size differs, no entry is 0, and no row, column or number is like another: whatever is wrong shows.
PROJECTED = {
    "X": [["1", "-2", "3", "1/2"], ["2", "5", "-1", "3"], ["-3", "1", "4", "-5/2"]],
    "W_Q": [["1", "2"], ["3", "-1"], ["1/2", "4"], ["-2", "5"]],
    "W_K": [["2", "-3"], ["1", "7"], ["5", "1/3"], ["-1", "6"]],
    "W_V": [
        ["1", "3", "5", "7", "9"],
        ["2", "-4", "6", "8", "1"],
        ["3", "1", "-2", "5", "4"],
        ["7", "2", "9", "-6", "3"],
    ],
    "attention": {"causal": True},
}
WIDE = {
    "Q": [["1", "-2", "2"], ["3", "1/2", "-1"]],
    "K": [["2", "1", "5"], ["-1", "3", "4"], ["4", "5", "-3"], ["6", "-2", "7"]],
    "V": [
        ["1", "2", "7", "-3", "5"],
        ["4", "-5", "3", "8", "9"],
        ["6", "9", "2", "5", "-1"],
        ["8", "3", "-4", "7", "11"],
    ],
    "attention": {"scale": "2/3", "causal": "bottom-right"},
}
HEADS = {
    "X": [["1", "-2", "3", "5"], ["2", "7", "-1", "4"], ["-3", "1", "4", "6"]],
    **dict.fromkeys(("W_Q", "W_K"), "identity"),
    "W_V": [
        ["1", "3", "5", "7", "9", "2"],
        ["2", "-4", "6", "8", "1", "3"],
        ["3", "1", "-2", "5", "4", "7"],
        ["7", "2", "9", "-6", "3", "1"],
    ],
    "W_O": [["1", "2"], ["3", "5"], ["7", "-1"], ["4", "9"], ["-2", "3"], ["5", "8"]],
    "attention": {"num_heads": 2},
}
COPIED = {"X": [["1", "-2"], ["3", "5"], ["7", "4"]], **dict.fromkeys(("W_Q", "W_K", "W_V"), "identity")}
PROBLEMS = {"projected": PROJECTED, "wide": WIDE, "heads": HEADS, "copied": COPIED}


def derivations(problem: dict[str, Any]) -> list[Derivation]:
    found = solved(problem)
    result, shown = found.sections[0].result, found.shown(found.sections[0])
    heads = [head_derivation(found.problem, result, shown, index) for index in range(len(result.heads))]
    last = final_derivation(found.problem, result, shown)
    return heads if last is None else [*heads, last]


@steady(120)
@given(
    st.one_of(
        problems(policies=("nearest",)), surd_problems(policies=("nearest",)), log_problems(policies=("nearest",))
    )
)
def test_random_derivations_are_explained(problem):
    for derivation in derivations(problem):
        assert unexplained(derivation) == []


@steady(40)
@given(problems(policies=("nearest",)), st.data())
def test_random_derivations_with_masks_and_biases_are_explained(problem, data):
    shape = len(problem.get("Q", problem.get("X"))), len(problem.get("K", problem.get("X")))
    row = st.lists(st.booleans(), min_size=shape[1], max_size=shape[1]).filter(any)
    attention = problem["attention"] | {"causal": False}
    attention["mask"] = data.draw(st.lists(row, min_size=shape[0], max_size=shape[0]))
    attention["bias"] = data.draw(matrices(*shape, st.sampled_from([0, 1, "-1/2"])))
    for derivation in derivations(problem | {"attention": attention}):
        assert unexplained(derivation) == []


@pytest.mark.parametrize("name", PROBLEMS)
def test_these_derivations_are_explained(name):
    assert [unexplained(derivation) for derivation in derivations(PROBLEMS[name])] == [[]] * len(
        derivations(PROBLEMS[name])
    )


STEPS = [
    (name, number, step.name)
    for name, problem in PROBLEMS.items()
    for number, derivation in enumerate(derivations(problem))
    for step in derivation.steps
]
COMPUTED = [
    (name, number, step)
    for name, number, step in STEPS
    if derivations(PROBLEMS[name])[number].step(step).reason not in (Reason.GIVEN, Reason.CONCATENATION)
]
LOPSIDED = [case for case in COMPUTED if case[0] in ("projected", "wide") or case[2] == "final"]
"""Steps of problems without any symmetry, in which another formula gives another value."""
assert len(COMPUTED) > 30
assert len(LOPSIDED) > 15


def up_to(derivation: Derivation, step: Step) -> Derivation:
    """The derivation ending with this step in place of its own of that name."""
    names = [old.name for old in derivation.steps]
    return replace(derivation, steps=(*derivation.steps[: names.index(step.name)], step))


def with_entry(table: Table, row: int, column: int, plus: Any) -> Table:
    value = table[row, column]
    changed = Plain(plus) if value is MASKED else value + Plain(plus)
    rows = [list(line) for line in table.rows]
    rows[row][column] = changed
    return Table(tuple(map(tuple, rows)))


@pytest.mark.parametrize(("name", "number", "step"), COMPUTED)
def test_a_broken_entry_is_named(name, number, step):
    """Every entry of every step in turn, made larger by 1 and by 10^-60."""
    derivation = derivations(PROBLEMS[name])[number]
    right = derivation.step(step)
    for row, column in right.exact.places():
        for plus in (fmpq(1), fmpq(1, 10**60)):
            broken = replace(right, exact=with_entry(right.exact, row, column, plus))
            assert unexplained(up_to(derivation, broken)) == [step]


@pytest.mark.parametrize(("name", "number", "step"), COMPUTED)
def test_the_broken_step_is_the_first_that_is_named(name, number, step):
    """With the rest of the derivation standing, what was made from the broken value does not follow from it either."""
    derivation = derivations(PROBLEMS[name])[number]
    broken = replace(derivation.step(step), exact=with_entry(derivation.step(step).exact, 0, 0, fmpq(1)))
    steps = tuple(broken if old.name == step else old for old in derivation.steps)
    assert unexplained(replace(derivation, steps=steps))[0] == step


@pytest.mark.parametrize(("name", "number", "step"), [case for case in STEPS if case not in COMPUTED])
def test_a_given_array_is_taken_as_it_is(name, number, step):
    """Broken, it is not named, but what was made from it is."""
    derivation = derivations(PROBLEMS[name])[number]
    given_ = derivation.step(step)
    broken = replace(given_, exact=Table(given_.exact.map(lambda value: value + Plain(fmpq(1)))))
    steps = tuple(broken if old.name == step else old for old in derivation.steps)
    users = [old.name for old in derivation.steps if step in old.uses]
    assert unexplained(replace(derivation, steps=steps))[:1] == users[:1]
    assert users


def mutations(formula: Any, change: Any) -> Iterator[Any]:
    """The formula with one of its parts changed, for each part in turn; ``change(part)`` gives replacements."""
    yield from change(formula)
    if isinstance(formula, Num) or not is_dataclass(formula):
        return
    for field in fields(formula):
        part = getattr(formula, field.name)
        if isinstance(part, tuple):
            for index, inner in enumerate(part):
                for other in mutations(inner, change):
                    yield replace(formula, **{field.name: (*part[:index], other, *part[index + 1 :])})
        elif is_dataclass(part):
            for other in mutations(part, change):
                yield replace(formula, **{field.name: other})


def factors(part: Any) -> Iterator[Any]:
    for factor in (fmpq(2), fmpq(-1), fmpq(10**60 + 1, 10**60)):
        yield Mul((Num(Plain(factor)), part))


def indices(part: Any) -> Iterator[Any]:
    """Other indices of an entry, or of the sum and the mask around it."""
    if isinstance(part, Entry | Where):
        for row, column in (
            (part.column, part.row),
            (part.row, part.row),
            (part.column, part.column),
            (0, part.column),
        ):
            if (row, column) != (part.row, part.column):
                yield replace(part, row=row, column=column)
    if isinstance(part, Sum):
        yield from (replace(part, size=size) for size in ("n_q", "n_k", "d_k", "d_v", "d_model") if size != part.size)


def shapes(part: Any) -> Iterator[Any]:
    """A denominator, an exponential, a sum or a mask left out; an array taken for another."""
    if isinstance(part, Div):
        yield part.numerator
        yield replace(part, numerator=part.denominator, denominator=part.numerator)
    if isinstance(part, Exp):
        yield part.exponent
    if isinstance(part, Where):
        yield part.then
    if isinstance(part, Mul):
        yield from part.factors
    if isinstance(part, Entry):
        yield from (replace(part, array=array) for array in ("query", "key", "value", "scores", "nothing"))


@pytest.mark.parametrize("change", [factors, indices, shapes])
@pytest.mark.parametrize(("name", "number", "step"), LOPSIDED)
def test_a_broken_formula_is_named(name, number, step, change):
    """A wrong factor, a swapped or fixed index, another size, a part left out: each of them, at each place."""
    derivation = derivations(PROBLEMS[name])[number]
    right = derivation.step(step)
    tried, sizes = 0, dict(derivation.sizes)
    for formula in mutations(right.formula, change):
        if counted(formula, sizes) == counted(right.formula, sizes):
            continue
        tried += 1
        assert unexplained(up_to(derivation, replace(right, formula=formula))) == [step], formula
    assert tried or change is shapes


def counted(formula: Any, sizes: dict[str, int]) -> Any:
    """The formula with the names of its sizes replaced by their numbers: where n_q = n_k, both are one size."""
    if not is_dataclass(formula) or isinstance(formula, Num):
        return formula
    found = {}
    for field in fields(formula):
        part = getattr(formula, field.name)
        inner = tuple(counted(one, sizes) for one in part) if isinstance(part, tuple) else counted(part, sizes)
        found[field.name] = sizes.get(part, part) if field.name == "size" else inner
    return replace(formula, **found)


def test_a_wrong_scale_is_named():
    (derivation,) = derivations(WIDE)
    for scale in (fmpq(1), fmpq(3, 2), fmpq(2, 3) + fmpq(1, 10**50)):
        numbers = tuple((name, Plain(scale) if name == "scale" else value) for name, value in derivation.numbers)
        assert unexplained(replace(derivation, numbers=numbers)) == ["scaled"]


def test_a_wrong_mask_is_named():
    (derivation,) = derivations(WIDE)
    for allowed in (None, ((True, False, False), (True, True, True)), ((True, True, True), (True, True, False))):
        assert unexplained(replace(derivation, allowed=allowed)) == ["logits"]


@pytest.mark.parametrize(("name", "number", "step"), [case for case in COMPUTED if case[2] != "final"])
def test_a_missing_row_or_column_is_named(name, number, step):
    derivation = derivations(PROBLEMS[name])[number]
    right = derivation.step(step)
    fewer = [Table(right.exact.rows[:-1]), Table(tuple(row[:-1] for row in right.exact.rows))]
    for table in fewer:
        if table.rows and table.rows[0]:
            assert unexplained(up_to(derivation, replace(right, exact=table))) == [step]


@pytest.mark.parametrize(("name", "number", "step"), COMPUTED)
def test_a_step_whose_sources_are_missing_is_named(name, number, step):
    derivation = derivations(PROBLEMS[name])[number]
    right = derivation.step(step)
    for source in right.uses:
        steps = tuple(old for old in up_to(derivation, right).steps if old.name != source)
        assert step in unexplained(replace(derivation, steps=steps))


def test_a_formula_without_reason_is_no_formula():
    (derivation,) = derivations(COPIED)
    bare = replace(derivation.step("scores"), formula=None)
    assert unexplained(up_to(derivation, bare)) == ["scores"]


def test_values_are_compared_exactly():
    """A weight 1/2 + 10^-200 beside e^0/(e^0 + e^0)."""
    (derivation,) = derivations({"Q": [["0"]], "K": [["1"], ["2"]], "V": [["1"], ["2"]]})
    right = derivation.step("weights")
    broken = replace(right, exact=with_entry(right.exact, 0, 0, fmpq(1, 10**200)))
    assert unexplained(up_to(derivation, broken)) == ["weights"]
    assert Fraction(1, 2) == Fraction(str(right.exact[0, 0].to_sympy()))
