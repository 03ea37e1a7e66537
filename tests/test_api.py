"""What ``symattn`` offers in Python, used as a person in a notebook uses it."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import symattn
from symattn import Problem, Solution, solve
from symattn.errors import ShapeError, SpecError, SymattnError
from tests.exact.common import near, steady
from tests.reference import evaluate, nearest, printed, sections
from tests.strategies import log_problems, problems, surd_problems

NAPKIN = {"X": [[1, 0], [0, 1], [1, 1]], "W_Q": "identity", "W_K": "identity", "W_V": [[2, 0], [0, 2]]}
ARRAYS = ("query", "key", "value", "scores", "scaled", "logits", "weights", "output")
TWO_HEADS = {"Q": [[1, 1], [2, 0]], "K": [[1, 0], [0, 1]], "V": [[1, 1], [0, 3]], "num_heads": 2, "scale": 1}


def test_what_is_offered():
    assert {"Problem", "Solution", "solve"} <= set(symattn.__all__)
    assert symattn.__all__ == sorted(symattn.__all__)
    assert [getattr(symattn, name).__name__ for name in symattn.__all__] == symattn.__all__
    assert isinstance(symattn.__version__, str)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = symattn.nothing


def test_the_napkin():
    """Weights u/(1+2u) and 1/(1+2u) with u = e^(1/sqrt 2), by hand."""
    found = solve(Problem(**NAPKIN))
    assert isinstance(found, Solution)
    assert isinstance(found.weights.exact, sympy.ImmutableMatrix)
    u = sympy.exp(sympy.sqrt(2) / 2)
    wanted = sympy.Matrix([[u, 1, u], [1, u, u], [u, u, u**2]])
    sums = [1 + 2 * u, 1 + 2 * u, 2 * u + u**2]
    for i in range(3):
        for j in range(3):
            assert sympy.simplify(found.weights.exact[i, j] - wanted[i, j] / sums[i]) == 0
    assert found.weights.decimals(3) == [
        ["0.401", "0.198", "0.401"],
        ["0.198", "0.401", "0.401"],
        ["0.248", "0.248", "0.503"],
    ]
    assert found.weights.shape == (3, 3)
    assert found.scores.exact == sympy.ImmutableMatrix([[1, 0, 1], [0, 1, 1], [1, 1, 2]])
    assert found.weights[2, 0] == found.weights.exact[2, 0]
    assert found.weights.generator == u
    assert str(found.weights.closed_form(0, 0)) == "u/(2*u + 1)"


def test_options_stand_beside_the_arrays_or_in_their_tables():
    flat = Problem(**NAPKIN, causal=True, scale="1/2", decimals=4, rounding="carried", row_sums="one", ties="half-even")
    page = {"decimals": 4, "rounding": "carried", "row_sums": "one", "ties": "half-even"}
    tables = Problem(**NAPKIN, attention={"causal": True, "scale": Fraction(1, 2)}, page=page)
    mixed = Problem(**NAPKIN, attention={"causal": True}, scale=Decimal("0.5"), page=page)
    assert flat == tables == mixed
    assert flat.attention.causal is True
    assert flat.page.decimals == 4
    assert page == {"decimals": 4, "rounding": "carried", "row_sums": "one", "ties": "half-even"}, "left as it was"


def test_a_problem_may_be_read_from_a_file(tmp_path):
    toml = tmp_path / "napkin.toml"
    toml.write_text('X = [[1, 0], [0, 1], [1, 1]]\nW_Q = "identity"\nW_K = "identity"\nW_V = [[2, 0], [0, 2]]\n')
    text = tmp_path / "napkin.json"
    text.write_text(json.dumps(NAPKIN))
    assert Problem.read(toml) == Problem.read(str(text)) == Problem(**NAPKIN)
    assert isinstance(Problem.read(toml), Problem)
    (tmp_path / "broken.toml").write_text("X = [[1, 0.1.2]]")
    with pytest.raises(SymattnError, match=r"broken\.toml"):
        Problem.read(tmp_path / "broken.toml")


REFUSED = [
    ({"Q": [[0.1]], "K": [[1]], "V": [[1]]}, SpecError, r"Q\[0\]\[0\] .*0\.1 is a binary float.*\"0\.1\""),
    ({**NAPKIN, "scale": 0.5}, SpecError, r"attention\.scale.*binary float"),
    ({"Q": [[True]], "K": [[1]], "V": [[1]]}, SpecError, r"Q\[0\]\[0\]"),
    ({**NAPKIN, "decimal": 3}, SpecError, "did you mean"),
    ({**NAPKIN, "decimals": 0}, SpecError, r"page\.decimals.*from 1 to 60"),
    ({**NAPKIN, "attention": 3}, SpecError, "attention: 3 is not a table"),
    ({**NAPKIN, "attention": 3, "causal": True}, SpecError, "attention|causal"),
    ({**NAPKIN, "page": None, "decimals": 3}, SpecError, "page|decimals"),
    ({"Q": [[1, 2]], "K": [[1]], "V": [[1]]}, ShapeError, None),
    ({"Q": [["__import__('os')"]], "K": [[1]], "V": [[1]]}, SpecError, r"Q\[0\]\[0\]"),
    ({"Q": [["9^9^9^9"]], "K": [[1]], "V": [[1]]}, SpecError, r"Q\[0\]\[0\]"),
    ({}, SymattnError, None),
]
assert REFUSED


@pytest.mark.parametrize(("given_", "kind", "message"), REFUSED)
def test_what_is_refused_is_said(given_, kind, message):
    with pytest.raises(kind, match=message):
        Problem(**given_)


def test_several_heads_are_asked_for_by_number():
    found = solve(Problem(**TWO_HEADS))
    for name in ARRAYS:
        if name != "output":
            with pytest.raises(SpecError, match=rf"there are 2 heads; write .heads\[0\].{name}"):
                getattr(found, name)
    assert len(found.heads) == 2
    assert found.heads[1].weights.decimals(3) == [["0.269", "0.731"], ["0.500", "0.500"]]
    assert found.output.shape == (2, 2)
    with pytest.raises(AttributeError):
        _ = found.nothing
    with pytest.raises(AttributeError):
        _ = found.heads[0].nothing


def test_further_sections():
    problem = {**NAPKIN, "also": [{"causal": True}, {"scale": 1}]}
    found = solve(Problem(**problem))
    assert len(found.also) == 2
    for part, asked in zip((found, *found.also), sections(problem), strict=True):
        assert part.weights.decimals() == printed(asked)["heads"][0]["weights"]
        assert part.output.decimals() == printed(asked)["output"]
    assert found.also[0].logits.decimals()[0] == ["0.707", "-oo", "-oo"]
    assert solve(Problem(**NAPKIN)).also == ()


def test_masked_logits_are_minus_infinity_in_every_view():
    logits = solve(Problem(**NAPKIN, causal=True)).logits
    assert logits.exact[0, 1] == -sympy.oo
    assert logits.closed_form(0, 1) == -sympy.oo
    assert logits.decimals(5)[0] == ["0.70711", "-oo", "-oo"]
    assert r"-\infty" in logits._repr_latex_()
    assert "-oo" in logits._repr_markdown_()


HIDDEN = {"Q": [[1], [2]], "K": [[0], [1]], "V": [[1], [2]], "mask": [[False, False], [True, True]]}


@pytest.mark.parametrize(
    ("rule", "weight", "text"), [("nan", sympy.nan, "nan"), ("zero", 0, "0"), ("uniform", sympy.S.Half, "0.500")]
)
def test_a_row_with_nothing_allowed_in_every_view(rule, weight, text):
    found = solve(Problem(**HIDDEN, on_masked_row=rule))
    assert found.weights.exact[0, 0] is sympy.sympify(weight)
    assert found.weights.closed_form(0, 1) is sympy.sympify(weight)
    assert found.weights.decimals()[0] == [text] * 2
    assert found.weights.decimals(2)[0] == [text.replace("0.500", "0.50")] * 2
    for array in (found.weights, found.output, found.logits):
        assert array._repr_latex_()
        assert array._repr_markdown_()


def test_arrays_that_options_ask_for():
    """ln(1 + e^(2 tanh(1/2))) and 2 tanh(1/2), by mpmath."""
    found = solve(Problem(Q=[[1]], K=[[0], [1]], V=[[1], [2]], lse=True, softcap=2))
    with mpmath.workdps(40):
        capped = 2 * mpmath.tanh(mpmath.mpf(1) / 2)
        wanted = nearest(capped, 20), nearest(mpmath.log(1 + mpmath.exp(capped)), 20)
    assert (found.capped.decimals(20)[0][1], found.lse.decimals(20)[0][0]) == wanted
    with mpmath.workdps(30):
        assert abs(near(found.lse.closed_form(0, 0)) - mpmath.log(1 + mpmath.exp(2 * mpmath.tanh(0.5)))) < 1e-25
    assert found.lse._repr_latex_().startswith("$")
    with pytest.raises(AttributeError):
        _ = found.biased


def test_symbols_have_closed_forms_and_no_decimals():
    found = solve(Problem(Q=[["a"]], K=[[1], [0]], V=[["b"], [2]], scale=1, symbols={"a": "real", "b": "positive"}))
    a, b = sympy.Symbol("a", real=True), sympy.Symbol("b", positive=True)
    assert sympy.simplify(found.weights.exact[0, 0] - sympy.exp(a) / (1 + sympy.exp(a))) == 0
    assert sympy.simplify(found.output.exact[0, 0] - (b * sympy.exp(a) + 2) / (1 + sympy.exp(a))) == 0
    assert found.output.decimals() == [[None]]
    assert found.output.decimals(5) == [[None]]
    assert found.key.decimals() == [["1"], ["0"]]


@pytest.mark.parametrize("problem", [NAPKIN, {**NAPKIN, "causal": True, "rounding": "carried"}, TWO_HEADS])
def test_views_in_a_notebook_are_texts(problem):
    found = solve(Problem(**problem))
    arrays = [getattr(head, name) for head in found.heads for name in ARRAYS]
    for shown in (found, found.output, *arrays):
        for text in (shown._repr_latex_(), shown._repr_markdown_()):
            assert isinstance(text, str)
            assert text.strip()
    for array in arrays:
        assert array._repr_latex_().startswith("$")
        rows = array._repr_markdown_().splitlines()
        assert len(rows) == array.shape[0] + 2
        assert all(row.count("|") == array.shape[1] + 1 for row in rows)
    assert "# " in found.page("md")
    assert "\\begin{document}" in found.page("tex")


def test_a_page_links_to_pictures_only_where_they_are_asked_for():
    found = solve(Problem(**NAPKIN, causal=True))
    assert "![" not in found.page() + found._repr_markdown_()
    text, files = found.page(pictures=True, slug="mine"), found.pictures(slug="mine")
    assert sorted(re.findall(r"^!\[.*\]\((.*)\)&nbsp;$", text, re.MULTILINE)) == sorted(files)
    assert sorted(files) == ["mine-mask-1.svg", "mine-outputs-1.svg", "mine-weights-1.svg"]
    assert all(file.startswith("<svg ") for file in files.values())
    assert "tikzpicture" in found.page("tex")
    assert "tikzpicture" not in found.page("tex", pictures=False)


def test_decimals_by_the_page_and_by_wish():
    found = solve(Problem(**NAPKIN, rounding="carried", row_sums="one"))
    assert found.weights.decimals()[2] == ["0.248", "0.248", "0.504"]
    assert found.weights.decimals(3)[2] == ["0.248", "0.248", "0.503"]
    with mpmath.workdps(40):
        share = 1 / (2 + mpmath.exp(1 / mpmath.sqrt(2)))
        wanted = [nearest(share, 12), nearest(share, 12), nearest(1 - 2 * share, 12)]
    assert found.weights.decimals(12)[2] == wanted
    assert found.output.decimals()[2] == ["1.504", "1.504"]


def test_a_derivation_is_data():
    found = solve(Problem(**NAPKIN)).derivation()
    assert [step.name for step in found.steps][-4:] == ["logits", "exponentials", "weights", "output"]


@steady(60)
@given(st.one_of(*(kind(policies=("nearest",)) for kind in (problems, surd_problems, log_problems))))
def test_a_closed_form_with_its_generator_put_in_is_the_exact_entry(problem):
    found = solve(Problem(**problem))
    wanted = evaluate(problem, 60)
    with mpmath.workdps(55):
        for head, told in zip(found.heads, wanted["heads"], strict=True):
            for name in ("scores", "logits", "weights", "output"):
                array = getattr(head, name)
                for i in range(array.shape[0]):
                    for j in range(array.shape[1]):
                        form = array.closed_form(i, j)
                        if told[name][i][j] is None:
                            assert form == -sympy.oo
                            continue
                        u = sympy.Symbol("u", positive=True)
                        assert form.free_symbols <= {u}
                        assert (array.generator is None) <= (form.free_symbols == set())
                        value = form if array.generator is None else form.subs(u, array.generator)
                        expected = near(told[name][i][j])
                        assert abs(near(value) - expected) <= mpmath.mpf(10) ** -50 * max(1, abs(expected))
