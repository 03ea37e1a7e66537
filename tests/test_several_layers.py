"""Several layers in a row: every printed number against the reference evaluator, laws, what is exact, and bad input."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from click.testing import CliRunner
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from symattn import Problem, solve
from symattn.check.replay import unexplained
from symattn.cli import main
from symattn.derive.differences import differences
from symattn.derive.sections import worked
from symattn.derive.worked import final_derivation, head_derivation
from symattn.errors import AbsentError, PlaceError, SpecError, UndecidedError
from symattn.exact import numbers
from symattn.exact.layers import Outputs
from symattn.exact.values import Plain, Weight, softmax
from symattn.parse.plain import plain
from symattn.parse.problem import problem as parsed
from symattn.policies import Grid
from symattn.render.json_view import json_view
from symattn.render.only import only
from symattn.render.page import Wish, page
from symattn.steps import Step, Table
from tests.exact.common import solved, steady, texts
from tests.pages.equalities import Reading, equalities
from tests.reference import ZeroSumError, printed_layers
from tests.render.reading import apart, judged
from tests.strategies import ENTRIES, matrices, pages

CLOSE = mpmath.mpf(10) ** -40
SMALL = st.one_of(st.integers(-2, 2), st.sampled_from(["1/2", "-0.5", "1/3", "0.25"]))


COPY = "identity"
PLAIN: dict[str, Any] = {"W_Q": COPY, "W_K": COPY, "W_V": COPY}
X = [[1, 0], [0, 1], [1, 1]]
CAUSAL = PLAIN | {"causal": True}


def layers(*given: dict[str, Any], **options: Any) -> Problem:
    return Problem(**{"X": X, **options}, layers=list(given))


@st.composite
def layered(
    draw: st.DrawFn, policies: tuple[str, ...] = ("nearest", "carried"), entries: Any = SMALL
) -> dict[str, Any]:
    """Two or three layers whose sizes are all different where they can be."""
    n, d_model, d_k, d_v, wide = draw(st.permutations([1, 2, 3, 4, 5]))
    problem: dict[str, Any] = {"X": draw(matrices(n, d_model, ENTRIES)), "layers": []}
    problem["attention"] = draw(st.sampled_from([{}, {"causal": True}, {"scale": "1/3"}]))
    width = d_model
    for index in range(draw(st.integers(2, 3))):
        heads = draw(st.sampled_from([1, 1, 2]))
        layer: dict[str, Any] = {"num_heads": heads}
        for name, columns in (("W_Q", heads * d_k), ("W_K", heads * d_k), ("W_V", heads * d_v)):
            layer[name] = draw(matrices(width, columns, entries))
        after = draw(st.sampled_from([width, wide])) if heads > 1 or draw(st.booleans()) else heads * d_v
        if heads > 1 or after != d_v:
            layer["W_O"] = draw(matrices(heads * d_v, after, entries))
        layer |= draw(st.sampled_from([{}, {}, {"causal": True}, {"causal": False}, {"scale": "1/2"}]))
        if after == width:
            layer["residual"] = draw(st.booleans())
        width = after
        problem["layers"].append(layer)
        assert index < 3
    return problem | {"page": draw(pages(policies))}


def agrees(mine: Any, right: Any, page: dict[str, Any]) -> bool:
    """Whether a text is the reference's; where that is too close to say, whether it is one that may be right."""
    if right is None or isinstance(right, str):
        return right is None or mine == right
    half = mpmath.mpf(10) ** -page.get("decimals", 3) / 2
    away = abs(mpmath.mpf(mine) - right)
    return bool(away < CLOSE if "." not in mine else away < half + CLOSE)


def all_agree(mine: Grid | None, right: list[Any], page: dict[str, Any], name: str) -> None:
    assert mine is not None
    for i, (line, wanted) in enumerate(zip(texts(mine), right, strict=True)):
        if wanted is not None:
            for j, pair in enumerate(zip(line, wanted, strict=True)):
                assert agrees(*pair, page), (name, i, j, pair)


def compared(problem: dict[str, Any]) -> None:
    """Every number of every layer."""
    try:
        right = printed_layers(problem)
    except ZeroSumError:
        with pytest.raises(SpecError):
            _ = [layer.shown(layer.sections[0]) for layer in solved(problem).layers]
        return
    with mpmath.workdps(80):
        for index, (layer, wanted) in enumerate(zip(solved(problem).layers, right, strict=True)):
            shown = layer.shown(layer.sections[0])
            for mine, head in zip(shown.heads, wanted["heads"], strict=True):
                for name in head:
                    all_agree(getattr(mine, name), head[name], problem["page"], f"{index} {name}")
            all_agree(shown.output, wanted["output"], problem["page"], f"{index} output")
            all_agree(shown.whole, wanted["whole"], problem["page"], f"{index} whole")


@steady(60)
@given(layered())
def test_every_printed_number_is_the_reference_value(problem):
    compared(problem)


@steady(40)
@given(layered(policies=("nearest",), entries=st.integers(-1, 1)))
def test_small_integers_where_numbers_are_often_exact_or_equal(problem):
    compared(problem | {"X": [[entry if entry in (0, 1, -1) else 1 for entry in row] for row in problem["X"]]})


@steady(40)
@given(
    matrices(3, 2, st.integers(-2, 2)),
    st.lists(matrices(2, 2, SMALL), min_size=3, max_size=3),
    pages(("carried",)),
    st.booleans(),
)
def test_a_pencil_worker_adds_the_tokens_to_what_is_written(tokens, tables, page, causal):
    layer = dict(zip(("W_Q", "W_K", "W_V"), tables, strict=True)) | {"residual": True, "causal": causal, "scale": "1/8"}
    thirds = [[f"{entry}/3" for entry in row] for row in tokens]
    compared({"X": thirds, "layers": [layer] * 3, "page": page | {"decimals": 4}})


@steady(25)
@given(layered(policies=("nearest",)))
def test_what_honest_work_gives_in_a_later_layer_is_told(problem):
    """The last digits of a pencil worker, with rows of weights as they are and with rows that add to 1."""
    page = problem["page"] | {"decimals": 4, "row_sums": "as-is"}
    try:
        ways = [
            printed_layers(problem | {"page": page | {"rounding": "carried", "row_sums": sums}})
            for sums in ("as-is", "one")
        ]
    except ZeroSumError:
        return
    for layer, *written in zip(solved(problem | {"page": page}).layers, *ways, strict=True):
        section = layer.sections[0]
        told = differences(layer, layer.shown(section)).rows
        near = {"output": [head.output for head in layer.shown(section).heads]}
        near["weights"] = [head.weights for head in layer.shown(section).heads]
        rows = {(row.array, row.head, row.row, row.column): (row.carried, row.to_one) for row in told}
        for array, heads in near.items():
            for number, grid in enumerate(heads):
                for i, line in enumerate(texts(grid)):
                    for j, text in enumerate(line):
                        pair = tuple(way["heads"][number][array][i][j] for way in written)
                        assert rows.get((array, number, i, j), (text, text)) == pair


def test_a_layer_shows_the_tokens_as_they_were_written():
    found = worked(layers(CAUSAL | {"W_V": [["1/7", 2], ["2/3", 1]]}, PLAIN, rounding="carried", decimals=1))
    first = found.layers[0]
    written = texts(first.shown(first.sections[0]).whole)
    assert json.loads(only(found, "layers[1].X", Wish(format="json")))["decimal"] == written
    nearest = worked(layers(CAUSAL | {"W_V": [["1/7", 2], ["2/3", 1]]}, PLAIN, decimals=1)).layers[0]
    assert written != texts(nearest.shown(nearest.sections[0]).whole)


def test_outputs_that_are_equal_are_one_and_those_that_lie_close_are_two():
    outputs = Outputs()

    def weight(*logits: int) -> Any:
        return outputs.number(Weight(softmax(map(fmpq, logits)), 0))

    assert weight(0, 200) == weight(1, 201) == weight(-7, 193)
    assert weight(0, 200) != weight(0, 201)
    assert weight(5, 5) == fmpq(1, 2)
    assert weight(3) == 1


VECTORS = json.loads((Path(__file__).parent / "vectors" / "layers.json").read_text(encoding="utf-8"))["cases"]
assert VECTORS, "vectors not found"


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: f"{len(case['problem']['layers'])} layers")
def test_pytorch_gives_the_same_layer_by_layer(case):
    as_recorded(case)


def as_recorded(case: dict[str, Any]) -> None:
    """What another system computed is what each layer gives, as near as its arithmetic comes."""
    found = solve(Problem(**case["problem"]))
    for layer, wanted in zip(found.layers, case["results"], strict=True):
        for row, right in zip(layer.output.decimals(25), wanted, strict=True):
            for mine, theirs in zip(row, right, strict=True):
                exact = Fraction(float(theirs))
                assert abs(Fraction(mine) - exact) <= Fraction(case["within"]) * max(1, abs(exact))


# ------------------------------------------------------------------------------------------------- laws


@steady(25)
@given(layered())
def test_a_layer_alone_is_the_plain_problem(problem):
    """Its arrays and options at the top, and under [[layers]]."""
    (first, *_), rest = problem["layers"], {name: problem[name] for name in ("X", "page")}
    tables = {name: value for name, value in first.items() if name.startswith("W_")}
    options = problem["attention"] | {name: value for name, value in first.items() if name not in tables}
    alone = worked(parsed(problem | {"layers": [first]}))
    plain = worked(parsed(rest | tables | {"attention": options}))
    try:
        assert alone.shown(alone.sections[0]) == plain.shown(plain.sections[0])
    except SpecError:
        assume(False)


@steady(25)
@given(layered(policies=("nearest",)), st.data())
def test_values_of_zero_and_a_residual_give_the_tokens(problem, data):
    """Whatever the weights are, exactly."""
    width = len(problem["X"][0])
    wide = data.draw(st.integers(1, 3))
    still = {name: data.draw(matrices(width, wide, SMALL)) for name in ("W_Q", "W_K")}
    still |= {"W_V": [[0] * width] * width, "residual": True}
    found = worked(parsed({"X": problem["X"], "layers": [still] * 3}))
    start = parsed({"Q": problem["X"], "K": problem["X"], "V": problem["X"]}).Q
    for layer in found.layers:
        for row, tokens in zip(layer.sections[0].result.whole.rows, start, strict=True):
            assert all(entry.equals(numbers.number(token)) for entry, token in zip(row, tokens, strict=True))


@steady(20)
@given(layered(policies=("nearest",)))
def test_under_a_causal_mask_a_token_needs_the_earlier_ones_alone(problem):
    problem = problem | {"layers": [layer | {"causal": True} for layer in problem["layers"]]}
    whole = solve(Problem(**problem))
    for count in range(1, len(problem["X"])):
        part = solve(Problem(**problem | {"X": problem["X"][:count]}))
        assert part.output.decimals(12) == whole.output.decimals(12)[:count]


@steady(20)
@given(layered(policies=("nearest",)), st.randoms(use_true_random=False))
def test_other_orders_of_the_tokens_give_the_outputs_in_that_order(problem, chance):
    problem = problem | {"layers": [layer | {"causal": False} for layer in problem["layers"]]}
    order = list(range(len(problem["X"])))
    chance.shuffle(order)
    straight = solve(Problem(**problem)).output.decimals(12)
    turned = solve(Problem(**problem | {"X": [problem["X"][place] for place in order]})).output.decimals(12)
    assert turned == [straight[place] for place in order]


def test_options_stand_in_a_layer_or_for_all():
    """Three ways to say the same."""
    ways = (
        layers(CAUSAL, CAUSAL, PLAIN),
        layers(PLAIN, PLAIN, PLAIN | {"causal": False}, causal=True),
        layers(CAUSAL, PLAIN, PLAIN | {"causal": False}, attention={"causal": True}),
    )
    assert len({str(solve(way).output.decimals(20)) for way in ways}) == 1


# ------------------------------------------------------------------------------------------------- what is exact


def test_a_token_that_sees_itself_alone_stays_exact():
    """The first row under a causal mask: its value, three times doubled."""
    doubled = CAUSAL | {"W_V": [[2, 0], [0, 2]]}
    found = solve(layers(doubled, doubled, doubled, X=[["1/3", 5], [2, 7]]))
    for number, layer in enumerate(found.layers, start=1):
        assert layer.weights.decimals()[0] == ["1", "0"]
        assert list(layer.output.exact[0, :]) == [Fraction(2**number, 3), 5 * 2**number]


def test_equal_tokens_have_equal_rows_and_uniform_weights_are_fractions():
    found = solve(layers(PLAIN, PLAIN, X=[[1, 2], [1, 2], [1, 2]]))
    assert found.output.decimals() == [["1", "2"]] * 3
    found = solve(layers(PLAIN | {"W_Q": [[0], [0]], "W_K": [[1], [1]]}, PLAIN, X=[[1, 0], [0, 1]]))
    assert found.output.decimals() == [["0.500", "0.500"]] * 2
    assert found.layers[1].weights.exact[0, 0] == Fraction(1, 2)


def test_what_cancels_between_outputs_is_seen():
    """With X the identity an output is (w, 1 - w): its sum is 1 however w is, in a query, a score and an output."""
    one = [[1], [1]]
    summed = {"W_Q": one, "W_K": one, "W_V": one}
    found = solve(layers(PLAIN, summed, X=[[1, 0], [0, 1]])).layers[1]
    for array in (found.query, found.key, found.scores, found.output):
        assert {text for row in array.decimals() for text in row} == {"1"}
    assert {text for row in found.weights.decimals() for text in row} == {"0.500"}


def test_logits_equal_by_symmetry_are_seen_to_be_equal():
    """Two tokens and their mirror images: each looks at itself as the other does, so the two weights swap."""
    found = solve(layers(PLAIN, PLAIN, PLAIN, X=[[1, 0], [0, 1]]))
    for layer in found.layers:
        (a, b), (c, d) = layer.weights.decimals(30)
        assert (a, b) == (d, c)
        row, other = layer._worked.sections[0].result.heads[0].rows
        assert set(row.exponents) == set(other.exponents)


def test_the_score_that_is_four():
    """(2 + 2u)/(2 + u) * (2/(1 + u) + 2) is 4: no ball says so, the quotients do."""
    second = {"W_Q": COPY, "W_K": [[1, 1], [0, 1]], "W_V": COPY, "causal": True}
    found = solve(layers(CAUSAL | {"W_V": [[2, 0], [0, 2]]}, second)).layers[1].scores
    assert found.decimals()[2][1] == "4"
    assert found.decimals(50)[2][1] == "4"


def test_a_number_that_nothing_decides_is_refused_with_its_place(monkeypatch):
    """At a place where an exact integer stands, with the way from a number to its quotient closed."""
    monkeypatch.setattr(numbers, "is_shown_zero", numbers.is_zero)
    monkeypatch.setattr(numbers, "LARGEST_PRECISION", 1 << 10)
    second = {"W_Q": COPY, "W_K": [[1, 1], [0, 1]], "W_V": COPY, "causal": True}
    found = solve(layers(CAUSAL | {"W_V": [[2, 0], [0, 2]]}, second))
    with pytest.raises(UndecidedError) as raised:
        _ = found.output
    assert raised.value.where.path == "layers[1].key[1][1]"
    assert "undecided" in raised.value.message
    assert "\n" not in raised.value.message


# ------------------------------------------------------------------------------------------------- in Python


def test_layers_have_their_arrays_and_the_whole_has_the_last_output():
    found = solve(layers(CAUSAL, CAUSAL | {"residual": True}, X=[[1, 0], [0, 2]]))
    assert len(found.layers) == 2
    assert found.output.decimals(9) == found.layers[1].output.decimals(9)
    tokens, final, whole = (found.layers[0].output, found.layers[1].final, found.layers[1].output)
    for rows in zip(tokens.decimals(30), final.decimals(30), whole.decimals(30), strict=True):
        for a, b, c in zip(*rows, strict=True):
            assert abs(Fraction(a) + Fraction(b) - Fraction(c)) <= Fraction(3, 2 * 10**30)
    with pytest.raises(SpecError, match=r"there are 2 layers; write \.layers\[0\]\.weights"):
        _ = found.weights
    with pytest.raises(SpecError, match=r"write \.layers\[0\]\.heads"):
        _ = found.heads
    with pytest.raises(PlaceError, match="there is no layer 2; they count from 0 to 1"):
        _ = found.layers[2]
    with pytest.raises(AbsentError):
        _ = found.layers[1].heads[0].lse
    with pytest.raises(SpecError, match="a layer has no page of its own"):
        found.layers[1].page()
    assert "2 layers" in repr(found)
    assert "## Layer 2" in found.page()


def test_a_plain_problem_is_its_only_layer_and_may_have_a_residual():
    found = solve(Problem(X=X, **PLAIN, residual=True, decimals=5))
    assert found.layers[0] is found
    bare = solve(Problem(X=X, **PLAIN, decimals=5))
    assert found.final.decimals() == bare.output.decimals()
    for row, tokens, shown in zip(bare.output.exact.tolist(), X, found.output.exact.tolist(), strict=True):
        for a, b, c in zip(row, tokens, shown, strict=True):
            assert abs((a + b - c).evalf(30)) < 1e-25


def test_exact_values_of_a_later_layer_are_expressions_and_closed_forms_none():
    found = solve(layers(PLAIN, PLAIN, X=[[1, 0], [0, 1]])).layers[1]
    assert found.weights.generator is None
    text = found.weights.decimals(20)[0][0]
    assert abs(found.weights.exact[0, 0].evalf(30) - Fraction(text)) < Fraction(1, 10**20)


UNDEFINED = CAUSAL | {"mask": [[False] * 3, [True] * 3, [True] * 3], "on_masked_row": "nan"}


def test_a_row_that_is_undefined_goes_no_further():
    assert solve(layers(PLAIN, UNDEFINED)).output.decimals()[0] == ["nan", "nan"]
    with pytest.raises(SpecError, match=r"layers\[0\].*: an output of this layer is undefined"):
        solve(layers(UNDEFINED, PLAIN))


# ------------------------------------------------------------------------------------------------- replay, JSON, pages

NAPKIN = layers(
    CAUSAL | {"W_V": [[2, 0], [0, 2]]},
    {"W_Q": COPY, "W_K": [[1, 1], [0, 1]], "W_V": COPY, "num_heads": 2, "W_O": [[1, 2, 0], [0, 1, 1]]},
    {"W_Q": [[1], [0], [2]], "W_K": [[1], [1], [0]], "W_V": COPY, "residual": True, "causal": True},
)


def test_every_step_of_every_layer_is_replayed():
    for layer in worked(NAPKIN).layers:
        section = layer.sections[0]
        shown = layer.shown(section)
        for head in range(len(section.result.heads)):
            derivation = head_derivation(layer.problem, section.result, shown, head, layer.tokens)
            assert unexplained(derivation) == []
            assert unexplained(replace(derivation, steps=tuple(map(_one_more, derivation.steps)))) != []
        final = final_derivation(layer.problem, section.result, shown, layer.tokens)
        assert final is None or unexplained(final) == []
    last = final_derivation(layer.problem, section.result, shown, layer.tokens)
    assert last is not None
    broken = tuple(_one_more(step, "residual") for step in last.steps)
    assert unexplained(replace(last, steps=broken)) == ["residual"]


def _one_more(step: Step, lhs: str = "scores") -> Step:
    """The step with 1 added to its first entry."""
    if step.lhs != lhs:
        return step
    first, *rest = step.exact.rows
    return replace(step, exact=Table(((first[0] + Plain(numbers.ONE), *first[1:]), *rest)))


def test_json_holds_each_layer_and_no_closed_form_that_is_none():
    view = json_view(worked(NAPKIN), "")
    assert list(view) == ["symattn", "problem", "layers", "output", "also"]
    assert [len(layer["heads"]) for layer in view["layers"]] == [1, 2, 1]
    assert [sorted(layer) for layer in view["layers"]] == [["heads", "output"]] * 2 + [["final", "heads", "output"]]
    assert view["output"] == view["layers"][-1]["output"]
    assert plain(parsed(view["problem"])) == plain(NAPKIN)
    first, *later = view["layers"]
    assert None not in [text for row in first["heads"][0]["weights"]["exact"] for text in row]
    assert later[0]["heads"][0]["query"]["exact"] == [["2"], [None], [None]]
    assert later[1]["heads"][0]["weights"]["exact"] == [["1", "0", "0"], [None, None, "0"], [None, None, None]]


@pytest.mark.parametrize(("detail", "floor"), [("brief", 100), ("full", 700)])
def test_no_line_of_a_page_with_layers_is_false(detail, floor):
    made = []

    @steady(15)
    @given(layered())
    def collected(problem):
        with suppress(SpecError):
            made.append(page(worked(parsed(problem)), Wish(detail=detail)))

    collected()
    made.append(page(worked(LONG), Wish(detail=detail)))
    assert judged([_read(text) for text in made]) >= floor


LONG = layers(PLAIN, PLAIN | {"W_Q": [[60, 0], [0, 70]]})
"""Exponentials of a second layer that are too long to be read."""


def _read(text: str) -> Reading:
    """The equalities of a page; d_k may be another in each layer."""
    reading = equalities(formula.tex for (part,) in [apart([text])] for formula in part)
    assert reading.false == []
    assert reading.unparsed == []
    assert [name for name in reading.redefined if "d_k" not in str(name)] == []
    return reading


def test_a_worksheet_holds_no_answer_and_its_key_holds_them():
    found = worked(NAPKIN)
    sheet, key = (page(found, Wish(detail=detail)) for detail in ("worksheet", "key"))
    answers = {text for layer in found.layers for row in texts(layer.shown(layer.sections[0]).whole) for text in row}
    answers = {text for text in answers if text and "." in text}
    assert len(answers) > 6
    assert not [text for text in answers if text in sheet]
    assert not [text for text in answers if text not in key]


def test_a_generated_page_is_checked_against_itself(tmp_path):
    for ending in ("md", "tex"):
        path = tmp_path / f"page.{ending}"
        path.write_text(page(worked(NAPKIN), Wish(format=ending, pictures=ending == "tex")), encoding="utf-8")
        assert CliRunner().invoke(main, ["check", str(path)]).exit_code == 0
        text = path.read_text(encoding="utf-8")
        whole = texts(worked(NAPKIN).layers[-1].shown(worked(NAPKIN).layers[-1].sections[0]).whole)
        right = whole[-1][0]
        path.write_text(text.replace(right, right[:-1] + str((int(right[-1]) + 1) % 10), 1), encoding="utf-8")
        done = CliRunner().invoke(main, ["check", str(path)])
        assert done.exit_code == 1
        assert "that is declared has" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "layers.toml", "--chapter"], "a chapter is about one layer"),
        (["solve", "layers.toml", "--only", "weights"], "names no layer; write layers[0] to layers[2] and a point"),
        (["solve", "layers.toml", "--only", "layers[3].weights"], "names no layer"),
        (["solve", "--only", "layers[0].weights"], "this problem has no layers"),
        (["solve", "layers.toml", "--only", "layers[0].residual"], "the tokens are not added here"),
        (["check", "page.md", "--problem", "layers.toml"], "has not one heading for each"),
        (["compare", "layers.toml", "result.json"], "compared with a single layer"),
    ],
)
def test_what_cannot_be_had_of_layers_is_refused_in_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layers.toml").write_text(FILE, encoding="utf-8")
    (tmp_path / "page.md").write_text("The weights are 0.5 and 0.5.", encoding="utf-8")
    (tmp_path / "result.json").write_text('{"weights": [[1]]}', encoding="utf-8")
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


FILE = """
X = [[1, 0], [0, 1]]
[[layers]]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
[[layers]]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
[[layers]]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
residual = true
"""


def test_only_one_array_row_or_number_of_a_layer(tmp_path):
    path = tmp_path / "layers.toml"
    path.write_text(FILE, encoding="utf-8")
    found = solve(Problem.read(path)).layers[2]
    for name, array in {"weights": found.weights, "final": found.final, "residual": found.output}.items():
        done = CliRunner().invoke(main, ["solve", str(path), "--only", f"layers[2].{name}[1][0]"])
        assert done.stdout.strip() == array.decimals()[1][0]


def test_a_place_in_a_page_is_filled_with_an_array_of_a_layer(tmp_path):
    (tmp_path / "layers.toml").write_text(FILE, encoding="utf-8")
    text = "It is <!-- symattn: layers.toml layers[1].weights[0][0] -->0.5<!-- /symattn --> here.\n"
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    assert CliRunner().invoke(main, ["fill", str(tmp_path / "page.md")]).exit_code == 0
    right = solve(Problem.read(tmp_path / "layers.toml")).layers[1].weights.decimals()[0][0]
    assert f"-->{right}<!--" in (tmp_path / "page.md").read_text(encoding="utf-8")
