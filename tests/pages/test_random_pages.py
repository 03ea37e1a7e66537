"""Pages of random problems, read back as a reader's tools read them: no line is false, every formula is typeset."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import pytest

from symattn.derive.sections import worked
from symattn.parse.problem import problem as parsed
from tests.pages import formulas
from tests.pages.accept import refused
from tests.pages.tex import Compiled, article, compile_tex
from tests.pages.tools import needs
from tests.render.reading import DECIMAL, WIDEST, apart, judged, links, signs, sound
from tests.render.sample import Case, every_case, gallery_cases, random_cases

DETAILS = ("brief", "full")
ENGINES = ("pdflatex", "lualatex")
COMPILED = 30
FLOOR = {"brief": 400, "full": 2500}
"""How many equalities are judged, at least: an empty page would have none that is false."""


def markdown(detail: str, **wish: str) -> list[str]:
    return [case.page(detail=detail, **wish) for case in every_case()]


@pytest.mark.parametrize("detail", DETAILS)
def test_no_line_of_a_markdown_page_is_false(detail):
    assert judged(sound(apart(markdown(detail)))) >= FLOOR[detail]


@needs("pandoc")
@pytest.mark.parametrize("detail", DETAILS)
def test_a_latex_page_says_what_the_markdown_page_says(detail):
    """The same equalities, each of them true; of long pages every second."""
    cases = every_case()[:: 2 if detail == "full" else 1]
    fragments = [case.page(format="tex", detail=detail, fragment=True) for case in cases]
    assert links(sound(apart(fragments, "latex"))) == links(sound(apart([case.page(detail=detail) for case in cases])))


@needs("pandoc")
@pytest.mark.parametrize("detail", [*DETAILS, "worksheet", "key"])
def test_every_formula_of_a_plain_page_reaches_the_reader(detail):
    assert formulas.survived("\n\n".join(markdown(detail)))


@needs("pandoc", "cmark-gfm")
@pytest.mark.parametrize("detail", [*DETAILS, "worksheet", "key"])
def test_every_formula_of_a_github_page_reaches_the_reader(detail):
    """Row breaks, underscores, pipes and dollars are what GitHub's parser would eat."""
    text = "\n\n".join(markdown(detail, flavour="github"))
    plain = formulas.plain("\n\n".join(markdown(detail)))
    assert formulas.emphasised(text) == []
    assert list(map(signs, formulas.survived(text, "github"))) == list(map(signs, plain))


@pytest.mark.parametrize("detail", [*DETAILS, "worksheet", "key"])
def test_every_formula_of_a_github_page_stands_between_backticks(detail):
    """Between bare dollars GitHub's parser reads backslashes, stars and underscores before MathJax does."""
    for page in markdown(detail, flavour="github"):
        bare = re.sub(r"```math\n.*?\n```|\$`[^`\n]+`\$|<!--.*?-->", "", page, flags=re.DOTALL)
        assert "$" not in bare, bare[max(0, bare.index("$") - 40) :][:80]


QKV = {"Q": [[1], [3]], "K": [[1], [2], [0]], "V": [[1, 2], [0, 5], [2, 2]]}
SPECIAL = {
    "a scale that is multiplied": QKV | {"attention": {"scale": "0.3"}},
    "a scale of 2": QKV | {"attention": {"scale": 2}},
    "a scale of 0": QKV | {"attention": {"scale": 0}},
    "a negative scale": QKV | {"attention": {"scale": "-1/2"}},
    "exponentials that all print as zero": QKV | {"Q": [[-20], [1]], "K": [[1], [2], [3]]},
    "one that prints as zero": QKV | {"K": [[1], [-9], [0]]},
    "a third root": QKV | {"Q": [["2^(1/3)"]], "K": [[-1], ["1/2"], ["1/2"]]},
    "a logarithm times pi": QKV | {"Q": [["pi*log(3)"], ["exp(1)*log(2)*sqrt(5)/7"]], "K": [["log(2)"], [1], [0]]},
    "letters": QKV | {"symbols": {"a": "real", "b": "positive"}, "Q": [["a"], ["2*b"]], "K": [["a+1"], [0], [1]]},
    "a decimal comma": QKV | {"page": {"decimal_mark": ","}},
    "significant digits": QKV | {"page": {"digits": "significant", "decimals": 4}},
    "one token": {"Q": [[2]], "K": [[3]], "V": [["1/3", -1]]},
    "one number": {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]], "page": {"decimals": 1}},
    "letters of ones own": QKV | {"page": {"notation": {"weights": "P", "scores": "G", "u": "t"}}},
}


@pytest.mark.parametrize("problem", SPECIAL.values(), ids=SPECIAL)
@pytest.mark.parametrize("detail", DETAILS)
def test_a_page_of_a_special_problem_is_sound(problem, detail):
    case = Case("special", problem, worked(parsed(problem)))
    sound(apart([case.page(detail=detail)]))
    assert formulas.survived(case.page(detail=detail))
    assert formulas.survived(case.page(detail=detail, flavour="github"), "github")


@needs("node")
def test_both_engines_typeset_every_formula():
    """One run for all: brief and full pages, worksheets and keys, of both flavours (whose formulas are the same)."""
    seen = {
        formula
        for detail in (*DETAILS, "worksheet", "key")
        for page in markdown(detail)
        for formula in formulas.plain(page)
    }
    assert len(seen) > 1000
    assert refused(sorted(seen, key=lambda formula: formula.tex)) == []


@pytest.mark.parametrize("flavour", ["plain", "github"])
def test_no_display_formula_stands_in_a_folded_part(flavour):
    """GitHub shows the source of one instead."""
    folded = [
        part
        for page in markdown("brief", flavour=flavour)
        for part in re.findall(r"<details>.*?</details>", page, re.DOTALL)
    ]
    assert len(folded) == len(every_case())
    assert [part for part in folded if "$$" in part or "```" in part] == []


def compiled_details() -> dict[str, str]:
    """How much each compiled page tells."""
    details = ("full", "brief", "worksheet", "brief", "key")
    return {case.name: details[number % 5] for number, case in enumerate(random_cases()[:COMPILED])}


@lru_cache(maxsize=1)
def compiled() -> dict[tuple[str, str], Compiled]:
    """Pages of random problems, each by both engines."""
    details = compiled_details()
    pages = {case.name: case.page(format="tex", detail=details[case.name]) for case in random_cases()[:COMPILED]}
    jobs = [(name, engine) for name in pages for engine in ENGINES]
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda job: compile_tex(pages[job[0]], job[1]), jobs)
        return dict(zip(jobs, done, strict=True))


@needs("pdflatex", "lualatex", "pdftotext")
def test_every_latex_page_compiles_and_no_line_sticks_out():
    done = compiled()
    assert len(done) == COMPILED * len(ENGINES)
    assert {job: result.errors for job, result in done.items() if not result.ok} == {}
    assert {job: result.boxes for job, result in done.items() if max(result.overfull, default=0) > WIDEST} == {}
    assert {
        job: result.missing + result.references for job, result in done.items() if result.missing or result.references
    } == {}


def decimals(case: Case) -> set[str]:
    """The decimals of the weights and outputs, without their signs."""
    heads = next(case.sections())["heads"]
    entries = [entry for head in heads for name in ("weights", "output") for row in head[name] for entry in row]
    return {entry.removeprefix("-") for entry in entries if "." in entry and "e" not in entry}


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ENGINES)
def test_the_pdf_holds_the_weights_and_outputs(engine):
    held = 0
    for case in random_cases()[:COMPILED]:
        seen = set(DECIMAL.findall(compiled()[case.name, engine].text))
        if compiled_details()[case.name] != "worksheet":
            assert decimals(case) - seen == set(), case.problem
            held += len(decimals(case))
    assert held > 100


@needs("pdflatex", "lualatex", "pdftotext")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_fragment_compiles_within_a_small_article(engine):
    """With the packages that its first comment names, and nothing else of ours; twice over in one document."""
    one, two = (case.page(format="tex", fragment=True) for case in gallery_cases()[:2])
    named = re.search(r"needs of its document: ([\w, ]+)\.", one)
    assert named
    assert r"\usepackage" not in one
    assert r"\documentclass" not in one
    preamble = rf"\usepackage{{{named[1]}}}\usepackage[margin=2.5cm]{{geometry}}"
    done = compile_tex(article(one + "\n\n" + two, preamble), engine)
    assert done.ok, done.errors
    assert max(done.overfull, default=0) <= WIDEST
    assert done.references == done.missing == ()


def false_by_one_digit(page: str) -> str:
    """The page with the last digit after its first sign of rounding moved by one."""
    found = re.search(r"\\approx -?\d+\.\d+", page)
    assert found
    text = found[0]
    return page.replace(text, text[:-1] + str((int(text[-1]) + 1) % 10), 1)


def test_one_changed_digit_is_found():
    changed = [false_by_one_digit(case.page()) for case in gallery_cases() if r"\approx 1" in case.page()]
    assert len(changed) >= 3
    for page in changed:
        with pytest.raises(AssertionError):
            sound(apart([page]))


@needs("pdflatex", "pdftotext")
def test_a_missing_number_is_found():
    case = next(case for case in gallery_cases() if case.name == "heads")
    text = compile_tex(case.page(format="tex")).text
    some = max(decimals(case))
    assert decimals(case) - set(DECIMAL.findall(text)) == set()
    assert decimals(case) - set(DECIMAL.findall(text.replace(some, f"{some}9"))) == {some}
