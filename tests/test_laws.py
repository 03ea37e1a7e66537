"""Laws of attention, by decided equality: no decimal is looked at, and no expected number is written down."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any

import mpmath
import pytest
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from symattn.exact import numbers
from symattn.exact.attention import Head, Result
from symattn.exact.values import MASKED, Blend, Mixed, Plain, Total, Value, Values, Weight, softmax
from symattn.steps import Table
from tests.exact.common import near, solved, steady
from tests.reference import evaluate
from tests.strategies import log_problems, matrices, problems, surd_problems

KINDS = st.one_of(problems(), surd_problems(), log_problems())


def result(problem: dict[str, Any]) -> Result:
    return solved(problem).sections[0].result


def head(problem: dict[str, Any]) -> Head:
    return result(problem).heads[0]


def equal_rows(one: tuple[Value, ...], other: tuple[Value, ...]) -> bool:
    return len(one) == len(other) and all(a.equals(b) for a, b in zip(one, other, strict=True))


@steady(120)
@given(KINDS)
def test_every_row_of_weights_adds_to_1(problem):
    for worked in result(problem).heads:
        for row in worked.weights.rows:
            assert Total(row).equals(1)
            assert reduce(lambda left, right: left + right, row).equals(1)


@steady(120)
@given(KINDS)
def test_masked_keys_have_no_weight_and_all_others_have_one(problem):
    for worked in result(problem).heads:
        for logits, weights in zip(worked.logits.rows, worked.weights.rows, strict=True):
            assert [weight.equals(0) for weight in weights] == [logit is MASKED for logit in logits]


@steady(120)
@given(KINDS)
def test_what_is_seen_at_once_to_be_a_fraction_is_that_fraction(problem):
    for worked in result(problem).heads:
        for table in (worked.scores, worked.scaled, worked.weights, worked.output):
            for value in (value for row in table.rows for value in row if value is not MASKED):
                found = value.rational()
                assert found is None or value.equals(found)


def test_a_row_of_equal_logits_is_seen_at_once_to_be_even():
    """Two keys alike and one masked; then one of three logits is another, and a sink takes a share of its own."""
    assert [Weight(softmax([fmpq(2), None, fmpq(2)]), key).rational() for key in range(3)] == [
        fmpq(1, 2),
        0,
        fmpq(1, 2),
    ]
    assert Weight(softmax([fmpq(2), fmpq(1), fmpq(2)]), 0).rational() is None
    assert Weight(softmax([fmpq(2), fmpq(2)], fmpq(2)), 0).rational() == fmpq(1, 3)
    blend = Blend(softmax([fmpq(2), None, fmpq(2)]), Values(((fmpq(3), exact("sqrt(2)")),) * 2 + ((fmpq(4), fmpq(1)),)))
    assert [Mixed(blend, column).rational() for column in range(2)] == [fmpq(7, 2), None]


LOGITS = st.lists(
    st.sampled_from(["0", "1", "-3/2", "0.7", "sqrt(2)", "log(3)", "-log(2)/2", "2*sqrt(3)-1"]), min_size=1, max_size=5
)


def exact(text: str) -> numbers.Exact:
    from symattn.parse.grammar import entry

    return numbers.number(entry(text, {}))


@steady(100)
@given(LOGITS, st.sampled_from(["1", "-7/3", "sqrt(2)", "log(5)", "pi", "1e200"]))
def test_a_shift_of_a_row_changes_nothing(logits, shift):
    row = softmax(map(exact, logits))
    moved = softmax(exact(logit) + exact(shift) for logit in logits)
    for key in range(len(logits)):
        assert Weight(row, key).equals(Weight(moved, key))


@steady(100)
@given(LOGITS, st.randoms(use_true_random=False))
def test_the_order_of_keys_changes_no_weight(logits, order):
    places = list(range(len(logits)))
    order.shuffle(places)
    row, turned = softmax(map(exact, logits)), softmax(exact(logits[place]) for place in places)
    assert all(Weight(row, place).equals(Weight(turned, key)) for key, place in enumerate(places))


@steady(60)
@given(st.one_of(problems(), surd_problems()), st.randoms(use_true_random=False))
def test_keys_with_their_values_may_be_permuted(problem, order):
    assume("Q" in problem and not problem["attention"]["causal"])
    places = list(range(len(problem["K"])))
    order.shuffle(places)
    turned = problem | {name: [problem[name][place] for place in places] for name in "KV"}
    one, other = result(problem), result(turned)
    assert one.output.equals(other.output)
    for left, right in zip(one.heads, other.heads, strict=True):
        for i, j in right.weights.places():
            assert right.weights[i, j].equals(left.weights[i, places[j]])


@steady(60)
@given(st.one_of(problems(), surd_problems()), st.data())
def test_queries_may_be_permuted(problem, data):
    assume("Q" in problem and not problem["attention"]["causal"])
    places = data.draw(st.permutations(range(len(problem["Q"]))))
    turned = problem | {"Q": [problem["Q"][place] for place in places]}
    one, other = result(problem), result(turned)
    assert all(equal_rows(other.output.rows[i], one.output.rows[place]) for i, place in enumerate(places))


def cut(problem: dict[str, Any], count: int) -> dict[str, Any]:
    """The first ``count`` tokens alone."""
    return problem | {name: problem[name][:count] for name in ("X", "Q", "K", "V") if name in problem}


@steady(60)
@given(st.one_of(problems(), surd_problems()), st.data())
def test_a_causal_row_does_not_see_what_comes_after_it(problem, data):
    rows = problem.get("X") or problem["Q"]
    assume(len(rows) == len(problem.get("X") or problem["K"]) > 1)
    count = data.draw(st.integers(1, len(rows) - 1))
    asked = problem | {"attention": problem["attention"] | {"causal": True}}
    whole, part = result(asked), result(cut(asked, count))
    for row in range(count):
        assert equal_rows(part.output.rows[row], whole.output.rows[row])
        for left, right in zip(whole.heads, part.heads, strict=True):
            assert equal_rows(right.weights.rows[row], left.weights.rows[row][:count])
            assert all(weight.equals(0) for weight in left.weights.rows[row][row + 1 :])


@steady(40)
@given(st.one_of(problems(), surd_problems()), st.data())
def test_the_last_query_of_bottom_right_sees_every_key(problem, data):
    assume("Q" in problem and len(problem["K"]) >= len(problem["Q"]))
    shapes = {
        causal: problem | {"attention": problem["attention"] | {"causal": causal}} for causal in (False, "bottom-right")
    }
    free, masked = (result(asked) for asked in shapes.values())
    assert equal_rows(free.output.rows[-1], masked.output.rows[-1])
    seen = len(problem["K"]) - len(problem["Q"]) + 1
    alone = shapes[False] | {"Q": problem["Q"][:1], "K": problem["K"][:seen], "V": problem["V"][:seen]}
    assert equal_rows(result(alone).output.rows[0], masked.output.rows[0])


@steady(40)
@given(st.one_of(problems(), surd_problems()))
def test_one_key_returns_its_value(problem):
    assume("Q" in problem)
    alone = problem | {"K": problem["K"][:1], "V": problem["V"][:1]}
    alone = alone | {"attention": alone["attention"] | {"causal": False}}
    alone.pop("W_O", None)
    found = result(alone)
    for row in found.output.rows:
        assert [rational(value) for value in row] == [rational(Plain(exact(str(entry)))) for entry in problem["V"][0]]


def rational(value: Value) -> Any:
    """The value as one exact number: numerator over denominator, where the denominator is a single product."""
    numerator, denominator = value.fraction()
    return numerator * numbers.inverse(denominator)


@steady(60)
@given(st.one_of(problems(), surd_problems()))
def test_a_scale_of_zero_gives_the_plain_mean(problem):
    asked = problem | {"attention": problem["attention"] | {"scale": 0}}
    for worked in result(asked).heads:
        for logits, weights, outputs in zip(worked.logits.rows, worked.weights.rows, worked.output.rows, strict=True):
            seen = [key for key, logit in enumerate(logits) if logit is not MASKED]
            assert all(weights[key].equals(fmpq(1, len(seen))) for key in seen)
            for column, output in enumerate(outputs):
                total = sum((worked.value[key, column].number for key in seen), numbers.ZERO)
                assert output.equals(Plain(total * fmpq(1, len(seen))))


@steady(60)
@given(st.one_of(problems(heads=st.just(2)), problems(heads=st.just(3))))
def test_heads_are_attention_on_their_columns(problem):
    """Each head alone, from its own columns, is the same; without W_O the output is the heads side by side."""
    assume("Q" in problem)
    found = result(problem)
    count = problem["attention"]["num_heads"]
    for index, worked in enumerate(found.heads):
        alone = {name: columns(problem[name], count, index) for name in "QKV"}
        other = head(alone | {"attention": problem["attention"] | {"num_heads": 1}})
        assert worked.weights.equals(other.weights)
        assert worked.output.equals(other.output)
    if "W_O" not in problem:
        joined = tuple(sum((worked.output.rows[i] for worked in found.heads), ()) for i in range(len(problem["Q"])))
        assert found.output.equals(Table(joined))


def columns(rows: list[list[Any]], count: int, index: int) -> list[list[Any]]:
    width = len(rows[0]) // count
    return [row[index * width : (index + 1) * width] for row in rows]


@steady(40)
@given(problems(heads=st.sampled_from([1, 2])))
def test_the_output_after_w_o_is_the_product(problem):
    """By decided equality, from each head's own output, against the shares that the package mixes in one go."""
    assume("W_O" in problem)
    found = result(problem)
    side = [sum((worked.output.rows[i] for worked in found.heads), ()) for i in range(found.output.shape[0])]
    table = [[Plain(exact(str(entry))) for entry in row] for row in problem["W_O"]]
    for i, j in found.output.places():
        parts = [side[i][k] * table[k][j] for k in range(len(table))]
        assert reduce(lambda left, right: left + right, parts).equals(found.output[i, j])


@steady(40)
@given(problems())
def test_an_identity_table_is_the_identity_matrix(problem):
    assume("X" in problem)
    size = len(problem["X"][0])
    count = problem["attention"]["num_heads"]
    assume(size % count == 0)
    spelled = [[int(i == j) for j in range(size)] for i in range(size)]
    named = problem | dict.fromkeys(("W_Q", "W_K", "W_V"), "identity")
    named.pop("W_O", None)
    one, other = result(named), result(named | dict.fromkeys(("W_Q", "W_K", "W_V"), spelled))
    assert one.output.equals(other.output)
    for left, right in zip(one.heads, other.heads, strict=True):
        assert left.scores.equals(right.scores)


@steady(40)
@given(problems(), st.sampled_from(["2", "-1/3", "sqrt(2)"]))
def test_the_output_is_linear_in_the_values(problem, factor):
    assume("Q" in problem)
    times = [[f"({factor})*({entry})" for entry in row] for row in problem["V"]]
    one, other = result(problem), result(problem | {"V": times})
    for place in one.output.places():
        assert (one.output[place] * Plain(exact(factor))).equals(other.output[place])


@steady(60)
@given(problems(heads=st.just(1)), st.data())
def test_options_in_their_order_by_one_formula(problem, data):
    """Scaled, capped, biased, over the temperature, softmax with a sink: written out in mpmath from the scores."""
    draw = data.draw
    shape = len(problem.get("Q", problem.get("X"))), len(problem.get("K", problem.get("X")))
    options = {
        "softcap": draw(st.sampled_from([None, "2", "1/3"])),
        "bias": draw(st.none() | matrices(*shape, st.sampled_from([0, 1, "-1/2"]))),
        "temperature": draw(st.sampled_from([None, "2", "0.7"])),
        "sink": draw(st.sampled_from([None, "0", "-3/2"])),
    }
    options = {name: value for name, value in options.items() if value is not None}
    found = head(problem | {"attention": problem["attention"] | options})
    plain = evaluate(problem, 60)["heads"][0]
    with mpmath.workdps(50):
        number = {name: None if name == "bias" else near(Fraction(value)) for name, value in options.items()}
        for i, row in enumerate(plain["logits"]):
            powers = []
            for j, value in enumerate(row):
                logit = mpmath.ninf if value is None else near(value)
                if "softcap" in options and value is not None:
                    logit = number["softcap"] * mpmath.tanh(logit / number["softcap"])
                if "bias" in options:
                    logit += near(Fraction(options["bias"][i][j]))
                powers.append(mpmath.exp(logit / number.get("temperature", 1)))
            total = mpmath.fsum(powers) + (mpmath.exp(number["sink"]) if "sink" in options else 0)
            for j, power in enumerate(powers):
                assert abs(near(found.weights[i, j].to_sympy()) - power / total) < mpmath.mpf(10) ** -40
            for c, output in enumerate(found.output.rows[i]):
                mean = mpmath.fsum(p * near(row[c]) for p, row in zip(powers, plain["value"], strict=True)) / total
                assert abs(near(output.to_sympy()) - mean) < mpmath.mpf(10) ** -40 * max(1, abs(mean))


NAMES = ("query", "key", "value", "scores", "scaled", "logits", "weights", "output")


@pytest.mark.parametrize("kind", [problems, surd_problems, log_problems])
def test_sympy_expressions_have_the_references_digits(kind):
    """``to_sympy`` at 50 digits, by SymPy's own arithmetic, against the independent evaluator."""

    @steady(35)
    @given(kind())
    def law(problem):
        wanted, found = evaluate(problem, 60), result(problem)
        with mpmath.workdps(55):
            for told, worked in zip(wanted["heads"], found.heads, strict=True):
                for name in NAMES:
                    assert_near(getattr(worked, name).to_sympy(), told[name])
            assert_near(found.output.to_sympy(), wanted["output"])

    law()


def assert_near(matrix: Any, rows: list[list[Any]]) -> None:
    assert matrix.shape == (len(rows), len(rows[0]))
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if value is None:
                assert str(matrix[i, j]) == "-oo"
            else:
                wanted = near(value)
                assert abs(near(matrix[i, j]) - wanted) <= mpmath.mpf(10) ** -50 * max(1, abs(wanted))
