"""``symattn derive``: what is listed, written and refused; and that every topic has words for all it shows."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from click.testing import CliRunner

from symattn.check.laws.founded import unfounded
from symattn.check.laws.lines import unproved
from symattn.cli import main
from symattn.derive.topics import TOPICS, derived
from symattn.derive.with_numbers import checked, settable, with_numbers
from symattn.parse.problem import read
from symattn.render.words import words
from symattn.statements.proof import Law
from symattn.statements.terms import free_indices, letters
from tests.pages.equalities import equalities
from tests.pages.formulas import plain, survived
from tests.pages.tools import ROOT, needs


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str):
    return CliRunner().invoke(main, ["derive", *arguments])


def shown(*arguments: str) -> str:
    done = run(*arguments, "--out", "-")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    return done.stdout


def test_the_list_has_a_line_for_each_topic():
    lines = run("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(TOPICS)
    assert all(len(line) <= 120 for line in lines)


def test_a_topic_is_written_as_two_files(folder):
    done = run("saturation")
    assert (done.exit_code, done.stdout) == (0, "")
    files = ("saturation.md", "saturation-largest_weight.svg", "saturation.tex")
    assert done.stderr.splitlines() == [f"wrote output/{file}" for file in files]
    for file in files:
        written = (folder / "output" / file).read_text(encoding="utf-8").replace("(saturation-", "(derive-saturation-")
        assert written == (ROOT / "output" / "gallery" / f"derive-{file}").read_text(encoding="utf-8")


def test_pictures_can_be_left_away(folder):
    assert run("saturation", "--format", "md", "--no-pictures").exit_code == 0
    assert [path.name for path in (folder / "output").iterdir()] == ["saturation.md"]
    assert "![" not in (folder / "output" / "saturation.md").read_text(encoding="utf-8")


def test_closed_forms_are_those_of_the_given_problem(folder):
    assert r"A_{31} = \frac{1}{u + 2}" in shown("closed-form")
    problem = folder / "mine.toml"
    problem.write_text("Q = [[2]]\nK = [[1], [3]]\nV = [[1], [5]]\n", encoding="utf-8")
    assert r"A_{11} = \frac{1}{u + 1}" in shown("closed-form", "mine.toml")
    assert r"Z_{11} = \frac{5u + 1}{u + 1}" in shown("closed-form", "mine.toml")
    assert r"u = e^{4}" in shown("closed-form", "mine.toml")
    assert run("closed-form", "mine.toml", "--format", "md").stderr == "wrote output/mine-closed-form.md\n"


@needs("pdflatex")
def test_a_topic_is_written_as_pdf(folder):
    assert run("saturation", "--format", "pdf").exit_code == 0
    assert (folder / "output" / "saturation.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("topic", TOPICS)
def test_json_says_what_the_lines_say(topic):
    found = json.loads(shown(topic, "--format", "json"))
    assert list(found) == [
        "symattn", "topic", "assumptions", "lines", "counterexamples", "tables", "instances", "questions", "numbered",
    ]  # fmt: skip
    assert [line["name"] for line in found["lines"]] == [line.name for line in derived(topic).lines]
    assert all(line["law"] in set(Law) for line in found["lines"])
    for one in found["assumptions"]:
        kinds = ("equal", "at_least_zero", "positive", "independent", "rearranges", "gradients")
        assert any(one[kind] for kind in kinds), "what is assumed is said, and not by its name alone"
    assert {one["without"] for one in found["counterexamples"]} == {one["name"] for one in found["assumptions"]}
    assert {one["line"] for one in found["counterexamples"]} <= {line["name"] for line in found["lines"]}


def test_a_number_is_put_into_every_general_statement():
    page = shown("dot-product-variance", "--set", "d_k=64")
    part = page.partition("## With numbers put in")[2].partition("## Check")[0]
    formulas = [formula.tex.strip() for formula in plain(part)]
    assert formulas[0] == "d_k = 64"
    assert r"\mathrm{Var}(s) = 64" in formulas
    assert r"\sqrt{\mathrm{Var}(s)} = 8" in formulas
    assert r"\mathrm{Var}\left(\frac{s}{8}\right) = 1" in formulas
    found = json.loads(shown("dot-product-variance", "--set", "d_k=64", "--format", "json"))["numbered"]
    assert {"name": "variance", "left": "Var(s)", "relation": "=", "right": "64", "value": "64"} in found


@pytest.mark.parametrize("topic", TOPICS)
def test_every_letter_of_a_result_can_be_set(topic):
    """Each alone, to 3: it is gone from what is shown, and no line is false as printed."""
    proof = derived(topic)
    assert settable(proof)
    for name, letter in settable(proof).items():
        found = list(with_numbers(proof, checked(proof, {name: Fraction(3)})))
        assert found
        sides = [side for one in found for side in (one.line.left, one.line.right)]
        assert not any(name in letters(side) or name in free_indices(side) for side in sides)
        page = shown(topic, "--set", f"{name}=3")
        part = page.partition("## With numbers put in")[2].partition("## Check")[0]
        formulas = [formula.tex.strip() for formula in plain(part)]
        assert formulas[0] == f"{letter.tex} = 3"
        assert len(formulas) == len(found) + 1
        assert not equalities(formulas).false


@pytest.mark.parametrize("topic", TOPICS)
def test_all_letters_of_the_results_can_be_set_together(topic):
    """No line is false as printed."""
    proof = derived(topic)
    values = {name: Fraction(2 if letter.kind != "real" else 0) for name, letter in settable(proof).items()}
    found = list(with_numbers(proof, checked(proof, values)))
    assert found
    page = shown(topic, *(part for name, value in values.items() for part in ("--set", f"{name}={value}")))
    part = page.partition("## With numbers put in")[2].partition("## Check")[0]
    assert not equalities(formula.tex.strip() for formula in plain(part)).false


def test_results_that_a_number_is_against_are_left_out():
    """With means of 1 the variance is not d_k."""
    page = shown("dot-product-variance", "--set", "d_k=4", "--set", "mu_q=1", "--set", "mu_k=1")
    part = page.partition("## With numbers put in")[2].partition("## Check")[0]
    formulas = [formula.tex.strip() for formula in plain(part)]
    assert r"\mathrm{E}[s] = 4" in formulas
    assert r"\mathrm{Var}(s) = 4" not in formulas
    assert not any(formula.startswith((r"\sqrt", r"\frac{\kappa")) for formula in formulas)


def test_a_letter_that_goes_to_a_limit_stays_there():
    page = shown("dot-product-variance", "--set", "d_k=4", "--set", "m_q=3", "--set", "m_k=3")
    assert r"\lim_{d_k \to \infty} \frac{6}{d_k} = 0" in page
    assert r"\frac{\kappa_4(s)}{\mathrm{Var}(s)^{2}} = \frac{3}{2}" in page


def test_fractions_are_put_in_as_one_would_write_them():
    page = shown("why-not-d", "--set", "c=5/2")
    assert r"\mathrm{Var}\left(\frac{2}{5}\,s\right) = \frac{4}{25}\,d_k" in page
    assert r"\mathrm{E}[s] = -\frac{2}{3}\,d_k\,\mu_k" in shown("dot-product-variance", "--set", "mu_q=-2/3")
    assert r"e^{-5/2}" in shown("saturation", "--set", "g=5/2")


def test_long_sums_are_not_written_out():
    page = shown("positions", *(part for name in "abc" for part in ("--set", f"{name}=1")), "--set", "r=1000000")
    assert r"D = \sum_{f=1}^{1000000} \cos(0)" in page


def test_letters_that_are_not_set_stay():
    page = shown("saturation", "--set", "n=4")
    assert r"p = \frac{1}{1 + 3e^{-g}}" in page
    assert not equalities(formula.tex for formula in plain(page)).false


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "no topic is named; symattn derive --list shows them"),
        (("backprop",), "'backprop' is no topic; symattn derive --list shows them"),
        (("saturation", "--set", "d_q=2"), "--set: no general statement has the letter 'd_q'; set one of n, g"),
        (("saturation", "--set", "n=0"), "--set: n counts something; set a whole number from 1 on"),
        (("saturation", "--set", "n=1/2"), "--set: n counts something; set a whole number from 1 on"),
        (("saturation", "--set", "g=-1"), "--set: g is positive; set a number above 0"),
        (("saturation", "--set", "n=2", "--set", "n=3"), "--set: n is set twice; leave one of its numbers"),
        (("saturation", "--set", f"n={'9' * 44}"), "--set: the number under this root or logarithm is too long"),
        (("saturation", "--set", "n"), "--set: 'n' sets nothing; say it as in d_k=64"),
        (("saturation", "--set", "n=two"), "--set: "),
        (("saturation", "--set", "n=__import__('os')"), "--set: "),
        (("saturation", "--set", "n=sqrt(2)"), "--set: 'sqrt(2)' is no rational number; set an integer, 3/4 or 0.5"),
        (("saturation", "mine.toml"), "saturation is derived for no problem; leave INPUT away"),
        (("closed-form", "mine.toml"), "mine.toml"),
        (("saturation", "--format", "html"), "--format: 'html' is no format; name some of md, tex, pdf, json"),
        (("saturation", "--out", "-", "--format", "md,tex"), "--out: standard output takes one format"),
        (("saturation", "--format", "pdf", "--fragment"), "--format: a PDF is a whole page; ask for tex"),
    ],
)
def test_what_cannot_be_done_is_one_line(folder, arguments, told):
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"symattn: {told}")
    assert len(done.stderr.splitlines()) == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda path: path.stem)
def test_closed_forms_of_every_example_follow_or_are_refused_in_one_line(path):
    done = run("closed-form", str(path), "--out", "-")
    if done.exit_code == 0:
        proof = derived("closed-form", 0, read(path))
        assert (unproved(proof), unfounded(proof)) == ([], [])
        assert not equalities(formula.tex for formula in plain(done.stdout)).false
    else:
        assert done.exit_code == 2
        assert done.stderr.startswith(f"symattn: {path}: ")
        assert len(done.stderr.splitlines()) == 1


def test_a_seed_gives_other_numbers_to_the_exercises():
    pages = {shown("dot-product-variance", "--seed", str(seed)).partition("## Check yourself")[2] for seed in range(6)}
    assert len(pages) > 2
    assert shown("saturation", "--seed", "0") == shown("saturation")


def test_every_law_has_words():
    assert set(words()["law"]) == set(words()["law_sentence"]) == {law.value for law in Law}


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_has_words_for_what_it_shows_and_no_others(topic):
    proof, told = derived(topic), words()["topic"][topic]
    assert all(text.endswith(".") for text in told.get("without", {}).values())
    assert all(text.endswith((".", ":")) for part in ("table", "instance") for text in told.get(part, {}).values())
    assert not any(text.endswith((".", ":", ",")) for text in told["line"].values())
    parts = ("assumption", "without", "line", "table", "instance", "question", "answer")
    assert set(told) <= {"summary", "title", "intro", "after", *parts}
    assert set(told.get("assumption", {})) == {one.name for one in proof.assumptions}
    assert set(told.get("without", {})) == {one.without for one in proof.counterexamples}
    assert set(told.get("line", {})) <= {line.name.partition(":")[0] for line in proof.lines}
    assert set(told.get("table", {})) == {table.name for table in proof.tables}
    assert set(told.get("instance", {})) == {name for name, _ in proof.instances}
    assert set(told["question"]) == {question.name for question in proof.questions}
    answered = {question.name for question in proof.questions if question.answer is None}
    assert answered <= set(told.get("answer", {})) <= {question.name for question in proof.questions}
    assert {line.name.partition(":")[0] for line in proof.results} <= set(told["line"]), "a result is said in words"


@pytest.mark.parametrize("topic", TOPICS)
def test_no_word_of_ours_is_on_the_page(topic):
    page = shown(topic).partition("<!--")[0]
    assert not re.search(r"\bNone\b(?!\.)|Markup|opaque|Undefined|<\w+\.\w+|counting|sifting|\bProof\b|``|`", page)
    prose = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", "M", page, flags=re.DOTALL)
    assert not re.findall(r"\b([a-z]+) \1\b|\.\.| [,.;:](?=\s)|\( | \)|\. [a-z]|:\)|\n[,.;]", prose)


@needs("cmark-gfm", "pandoc")
@pytest.mark.parametrize("topic", TOPICS)
def test_every_formula_reaches_readers_on_github(topic):
    assert survived(shown(topic, "--flavour", "github"), "github")
