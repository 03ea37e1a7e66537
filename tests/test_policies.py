"""Every printed number of random problems is the independent evaluator's, under both policies."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symattn.errors import SpecError
from tests.exact.common import printed_texts, solved, steady
from tests.reference import TooClose, ZeroSumError, printed, sections
from tests.strategies import log_problems, matrices, problems, surd_problems


def assert_printed_as_the_reference_prints(problem: dict[str, Any], section: int = 0) -> None:
    asked = sections(problem)[section]
    try:
        wanted = printed(asked)
    except TooClose:
        assume(False)
    except ZeroSumError:
        with pytest.raises(SpecError, match="every written exponential of row") as caught:
            printed_texts(problem, section)
        assert caught.value.where.path == "page.decimals"
        return
    found = printed_texts(problem, section)
    for head, told in zip(found["heads"], wanted["heads"], strict=True):
        assert {name: head[name] for name in told} == told
    assert found["output"] == wanted["output"]


@steady(220)
@given(problems())
def test_rational_problems(problem):
    assert_printed_as_the_reference_prints(problem)


@steady(120)
@given(surd_problems())
def test_problems_with_square_roots(problem):
    assert_printed_as_the_reference_prints(problem)


@steady(120)
@given(log_problems())
def test_problems_with_logarithms(problem):
    assert_printed_as_the_reference_prints(problem)


@steady(80)
@given(st.one_of(problems(), surd_problems(), log_problems()), st.integers(1, 6), st.booleans())
def test_significant_digits(problem, digits, carried):
    page = {"decimals": digits, "digits": "significant", "ties": problem["page"].get("ties", "half-up")}
    page["rounding"] = "carried" if carried else "nearest"
    assert_printed_as_the_reference_prints(problem | {"page": page})


@steady(40)
@given(problems())
def test_further_sections(problem):
    assume(not problem["attention"]["causal"])
    also = [{"causal": "top-left"}, {"scale": "2/7"}, {"causal": "top-left", "scale": "sqrt(3)/2"}]
    for section in range(4):
        assert_printed_as_the_reference_prints(problem | {"also": also}, section)


BIASES = st.sampled_from([0, 1, "-1/2", "0.3", "2"])


@steady(100)
@given(problems(), st.data())
def test_masks_and_biases(problem, data):
    """Any mask in which each row sees a key, and any bias; both policies."""
    shape = len(problem.get("Q", problem.get("X"))), len(problem.get("K", problem.get("X")))
    row = st.lists(st.booleans(), min_size=shape[1], max_size=shape[1]).filter(any)
    attention = problem["attention"] | {"causal": False}
    attention["mask"] = data.draw(st.lists(row, min_size=shape[0], max_size=shape[0]))
    if data.draw(st.booleans()):
        attention["bias"] = data.draw(matrices(*shape, BIASES))
    assert_printed_as_the_reference_prints(problem | {"attention": attention})


@steady(60)
@given(problems(policies=("nearest",)))
def test_many_decimals(problem):
    assert_printed_as_the_reference_prints(problem | {"page": problem["page"] | {"decimals": 40}})


SAMPLED: Counter[str] = Counter()


@steady(300)
@given(problems())
def _sample(problem):
    page = problem["page"]
    SAMPLED.update(f"{name}={page[name]}" for name in page if name != "decimals")
    SAMPLED[f"heads={problem['attention']['num_heads']}"] += 1
    SAMPLED[f"causal={problem['attention']['causal']}"] += 1
    SAMPLED.update(name for name in ("X", "Q", "W_O") if name in problem)
    views = (problem.get("Q", problem.get("X")), problem.get("K", problem.get("X")))
    SAMPLED["n_q != n_k"] += len(views[0]) != len(views[1])


def test_the_problems_are_of_every_kind():
    """What is compared above is not all of one kind."""
    _sample()
    kinds = ["rounding=carried", "row_sums=one", "ties=half-even", "heads=1", "heads=2", "heads=3", "X", "Q", "W_O"]
    kinds += ["causal=True", "causal=False", "causal=top-left", "causal=bottom-right", "n_q != n_k"]
    assert {kind: SAMPLED[kind] for kind in kinds if SAMPLED[kind] < 5} == {}


# ---------------------------------------------------------------------------------------------- row sums

UNEVEN = {"Q": [["1"]], "K": [["0"], ["1"], ["2"], ["1/2"], ["0"], ["-1"]], "V": [["1"]] * 6}


@pytest.mark.parametrize("rounding", ["nearest", "carried"])
@pytest.mark.parametrize("decimals", range(1, 8))
def test_rows_add_to_1_where_they_are_asked_to(rounding, decimals):
    page = {"rounding": rounding, "row_sums": "one", "decimals": decimals}
    (row,) = printed_texts(UNEVEN | {"page": page})["heads"][0]["weights"]
    assert sum(map(Fraction, row)) == 1


NO_SUM = [  # options, rows of weights that cannot add to 1: each number is rounded for itself
    ({"sink": "0"}, [["0.212", "0.576"]]),
    ({"mask": [[False, False]], "on_masked_row": "zero"}, [["0", "0"]]),
    ({"mask": [[False, False]], "on_masked_row": "nan"}, [["nan", "nan"]]),
]


@pytest.mark.parametrize(("options", "rows"), NO_SUM)
def test_rows_that_do_not_add_to_1_are_not_made_to(options, rows):
    """With a sink of e^0: 1/(2 + e) = 0.21194 and e/(2 + e) = 0.57611, by hand."""
    problem = {"Q": [["1"]], "K": [["0"], ["1"]], "V": [["1"], ["2"]], "page": {"row_sums": "one"}}
    assert printed_texts(problem | {"attention": {"scale": 1} | options})["heads"][0]["weights"] == rows


@pytest.mark.parametrize(
    ("rounding", "output"),
    [("nearest", [["7", "2"]]), ("carried", [["6.996", "1.998"]])],  # 0.334*3 + 0.333*6 + 0.333*12, by hand
)
def test_a_row_that_sees_nothing_and_is_uniform_adds_to_1(rounding, output):
    problem = {"Q": [["1"]], "K": [["0"], ["1"], ["2"]], "V": [["3", "0"], ["6", "1"], ["12", "5"]]}
    options = {"mask": [[False] * 3], "on_masked_row": "uniform"}
    found = printed_texts(problem | {"attention": options, "page": {"rounding": rounding, "row_sums": "one"}})
    assert found["heads"][0]["weights"] == [["0.334", "0.333", "0.333"]]
    assert found["output"] == output


@steady(60)
@given(problems(policies=("nearest",)))
def test_row_sums_change_no_output_of_nearest(problem):
    found = [printed_texts(problem | {"page": problem["page"] | {"row_sums": sums}}) for sums in ("as-is", "one")]
    assert found[0]["output"] == found[1]["output"]
    assert [head["output"] for head in found[0]["heads"]] == [head["output"] for head in found[1]["heads"]]


def test_a_moved_unit_leaves_the_nearest_text_beside_it():
    """Three equal weights: 0.334 is printed where 1/3 is nearest to 0.333, and 0.333 is kept as its nearest text."""
    thirds = {"Q": [["0"]], "K": [["0"]] * 3, "V": [["1"]] * 3, "page": {"row_sums": "one"}}
    found = solved(thirds)
    row = found.shown(found.sections[0]).heads[0].weights[0]
    assert [(entry.text, entry.nearest) for entry in row] == [
        ("0.334", "0.333"),
        ("0.333", "0.333"),
        ("0.333", "0.333"),
    ]


# ---------------------------------------------------------------------------------------------- what is flagged


def shown_output(problem: dict[str, Any]) -> Any:
    found = solved(problem)
    return found.shown(found.sections[0]).output[0][0]


FLAGS = [  # V (two equal weights), page, (text, tie, vanishes, exact)
    (["1/4", "0"], {"decimals": 2}, ("0.13", True, False, False)),
    (["1/4", "0"], {"decimals": 2, "ties": "half-even"}, ("0.12", True, False, False)),
    (["-1/4", "0"], {"decimals": 2}, ("-0.13", True, False, False)),
    (["-1/4", "0"], {"decimals": 2, "ties": "half-even"}, ("-0.12", True, False, False)),
    (["1/4", "0"], {"decimals": 3}, ("0.125", False, False, True)),
    (["1/4", "0"], {"decimals": 4}, ("0.1250", False, False, True)),
    (["4", "2"], {"decimals": 3}, ("3", False, False, True)),
    (["1/10000", "0"], {"decimals": 3}, ("0.000", False, True, False)),
    (["-1/10000", "0"], {"decimals": 3}, ("0.000", False, True, False)),
    (["-1/100", "0"], {"decimals": 2, "ties": "half-even"}, ("0.00", True, True, False)),
    (["0", "0"], {"decimals": 3}, ("0", False, False, True)),
    (["1/3", "0"], {"decimals": 3}, ("0.167", False, False, False)),
    (["sqrt(2)", "1/4-sqrt(2)"], {"decimals": 2}, ("0.13", True, False, False)),
]
assert FLAGS


@pytest.mark.parametrize(("values", "page", "wanted"), FLAGS)
def test_flags_of_an_output(values, page, wanted):
    entry = shown_output({"Q": [["0"]], "K": [["1"], ["2"]], "V": [[value] for value in values], "page": page})
    assert (entry.text, entry.tie, entry.vanishes, entry.exact) == wanted


def test_weights_near_0_and_1_are_not_printed_as_integers():
    found = solved({"Q": [["1"]], "K": [["0"], ["-2000"]], "V": [["1"], ["0"]], "page": {"decimals": 4}})
    large, small = found.shown(found.sections[0]).heads[0].weights[0]
    assert (large.text, large.exact, large.vanishes) == ("1.0000", False, False)
    assert (small.text, small.exact, small.vanishes) == ("0.0000", False, True)


# ---------------------------------------------------------------------------------------------- limits of carried


def test_a_row_of_vanishing_exponentials_is_named():
    problem = {"Q": [["1"]], "K": [["-9"], ["-8"]], "V": [["1"], ["2"]], "page": {"rounding": "carried"}}
    with pytest.raises(SpecError, match=r"row 0 \(row 1 on the page\) is 0 at 3 decimals; keep more decimals"):
        printed_texts(problem)


def test_an_exponential_too_long_to_be_written_is_refused():
    problem = {"Q": [["1"]], "K": [["10000"], ["0"]], "V": [["1"], ["2"]], "page": {"rounding": "carried"}}
    with pytest.raises(SpecError, match='too long to be written; use rounding = "nearest"'):
        printed_texts(problem)
    nearest = problem | {"page": {"decimals": 3}}
    assert printed_texts(nearest)["heads"][0]["weights"] == [["1.000", "0.000"]]
