"""Each check of a page, seen to fail once: a check that has not been seen to fail is not a check."""

import pytest

from tests.pages.accept import acceptances, refused
from tests.pages.equalities import equalities, numbers
from tests.pages.formulas import Formula, LostError, emphasised, github, latex, pandoc, plain, survived
from tests.pages.tex import article, compile_tex
from tests.pages.tools import MissingToolError, needs, program

# The formulas of a worked page: dot products, scaling, a row of weights, an output, the closed form.
PAGE = [
    r"X", r"[1, 0]", r"[1, 1]\cdot[1, 1] = 1\cdot 1 + 1\cdot 1 = 2", r"1\cdot 0 + 0\cdot 1 = 0", r"d_k = 2",
    r"\sqrt{2} \approx 1.414",
    r"\frac{0}{\sqrt 2} = 0, \qquad \frac{1}{\sqrt 2} \approx 0.707, \qquad \frac{2}{\sqrt 2} = \sqrt 2 \approx 1.414",
    r"e^{s}", r"e^{1.41421\ldots} \approx 4.113", r"2.028 + 2.028 + 4.113 = 8.169", r"4.113 / 8.169 \approx 0.503",
    r"0.401\cdot[2, 0] + 0.198\cdot[0, 2] + 0.401\cdot[2, 2] = [1.604,\ 1.198]",
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right) V",
    r"u = e^{1/\sqrt 2} = 2.02811\ldots", r"e^{\sqrt 2} = u^2",
    r"\frac{u}{1+2u},\ \frac{1}{1+2u},\ \frac{u}{1+2u}", r"\left[\frac{4u}{1+2u},\ \frac{2+2u}{1+2u}\right]",
    r"-\infty", r"e^{-\infty}", r"1.50348\ldots", r"\approx",
]  # fmt: skip

TRUE = [
    r"0.248\cdot 2 + 0.503\cdot 2 = 1.502",
    r"e^{0.707} \approx 2.028",
    r"e^{1.41421\ldots} \approx 4.113",
    r"1/8 \approx 0.12",  # a tie may go either way
    r"1/8 \approx 0.13",
    r"\frac13 \approx 0{,}333",
    r"\frac13 = 0.333\ldots",
    r"-\frac13 = -0.333\ldots",
    r"\frac{1}{\sqrt2} = \frac{\sqrt2}{2}",
    r"1 \cdot (-3) + (-2) \cdot 4 = -11",
    r"e^{-2000} \approx 2.58\cdot 10^{-869}",
    r"e^{-\infty} = 0",
    r"40.1\% = 0.401",
    r"10^{3} = 1\,000",
    r"\mathbf{0.5} = \textbf{0.5}",
    r"\exp\left(\frac{1}{\sqrt 2}\right) = e^{1/\sqrt 2}",
    r"u = e^{1/\sqrt 2} = 2.02811\ldots, \qquad u(1+u) \approx 6.141",
    r"0.5 \cdot [1,\ 2] = [0.5,\ 1]",
    r"\begin{pmatrix}1&0\\0&1\end{pmatrix}\begin{bmatrix}1&2\\3&4\end{bmatrix}^T = \begin{matrix}1&3\\2&4\end{matrix}",
    r"\operatorname{softmax}\!\left([0.707,\ 0,\ 0.707]\right) \approx [0.401,\ 0.198,\ 0.401]",
    r"\begin{aligned} 1 + 1 + 3 &= 2 \\ &\quad + 3 \\ &= 5 \end{aligned}",
    r"\begin{aligned} 1\cdot(-3) &= -3 \\ -2\cdot 4 &= -8 \end{aligned}",
    r"1 + 1 = q \cdot k = 2",
]

FALSE = [
    r"0.248\cdot 2 + 0.503\cdot 2 = 1.503",
    r"e^{1.414} \approx 4.113",
    r"\sqrt 2 = 1.414",
    r"\frac{1}{3} = 0.333",
    r"1/8 \approx 0.14",
    r"0.334 = 0.333\ldots",  # a truncated decimal stops short of its next digit
    r"-0.334 = -0.333\ldots",
    r"e^{-2000} \approx 2.59\cdot 10^{-869}",
    r"e^{-2000} = 0",
    r"[1.7,\ 0.5] \approx [2,\ 0.5]",  # amid decimals an integer is meant exactly
    r"[1, 2] = [1, 2, 3]",
    r"u = e^{1/\sqrt 2} = 2.02812\ldots",
    r"u = e^{1/\sqrt 2}, \qquad \frac{u}{1+2u} \approx 0.402",
    r"\begin{pmatrix}1&0\\0&1\end{pmatrix}\begin{pmatrix}1&2\\3&4\end{pmatrix} = \begin{pmatrix}1&3\\2&4\end{pmatrix}",
    r"\begin{aligned} 0.1 + 0.2 &= 0.3 \\ &= \frac{3}{11} \end{aligned}",
    r"\begin{aligned} 1 &= 1 & 2 &= 3 \end{aligned}",
    r"1 + 1 = q \cdot k = 3",
    r"1 = 1,\ 2 = 3",
    r"\boxed{1 + 1 = 3}",
    r"0.2 < 0.1",
]

UNREADABLE = [
    r"1 \cdot -3 = -3",
    r"1\frac{1}{2} = 1.5",
    r"1/2\sqrt 2 = 0.5",
    r"2^10 = 1024",
    r"(1 + 1 = 3)",
    r"\begin{cases} 1 = 2 \end{cases}",
    r"\sqrt{2 = 3",
    r"\foo{1} = 2",
    r"1 \overset{!}{=} 2",
    r"1 \simeq 1.1",
    r"= 3",
    r"\frac{1}{0} = 1",
    r"[1, 2] + 1 = 3",
    r"0.5 \approx \frac{1}{2}",
    r"e^{1.41\ldots} = e^{1.41}",
]


def test_every_equality_of_a_sound_page_is_true():
    reading = equalities(PAGE)
    assert (reading.false, reading.unparsed, reading.redefined) == ([], [], [])
    assert len(reading.judged) == 14
    assert [verdict.left for verdict in reading.skipped] == ["d_k", r"\mathrm{Attention}(Q,K,V)", "u"]


@pytest.mark.parametrize("formula", TRUE)
def test_a_true_equality_is_judged_and_found_true(formula):
    reading = equalities([formula])
    assert reading.judged
    assert (reading.false, reading.unparsed) == ([], [])


@pytest.mark.parametrize("formula", FALSE)
def test_a_false_equality_is_found(formula):
    reading = equalities([formula])
    assert len(reading.false) == 1
    assert reading.unparsed == []


@pytest.mark.parametrize("formula", UNREADABLE)
def test_what_cannot_be_read_is_told(formula):
    assert len(equalities([formula]).unparsed) == 1


def test_one_changed_digit_anywhere_on_the_page_is_found():
    """A decimal of an equality, moved by one in its last place, makes a line false."""
    tried = 0
    for index, formula in enumerate(PAGE):
        if not equalities([formula]).judged:
            continue
        for text in numbers(formula):
            if text == "1.41421":  # the digits that follow it leave room for one more
                continue
            changed = formula.replace(text, text[:-1] + str((int(text[-1]) + 1) % 10), 1)
            assert equalities([*PAGE[:index], changed]).false, changed
            tried += 1
    assert tried == 17


def test_a_name_that_gets_a_second_value_is_told():
    reading = equalities(["d_k = 2", "d_{k} = 3", r"\sqrt{d_k} \approx 1.732"])
    assert (reading.redefined, reading.false) == (["d_{k}"], [])


def test_names_known_from_an_earlier_part_are_used():
    known = equalities(["d_k = 4"]).known
    reading = equalities([r"\sqrt{d_k} = 2", r"\sqrt{d_k} = 3"], known)
    assert [verdict.true for verdict in reading.verdicts] == [True, False]


def test_numbers_are_the_decimals_with_their_signs():
    formula = r"-0.5 + 1 - 0.250\cdot(-0.125) = [-0.000,\ 1{,}25] + \textbf{0.1}\cdot 1\,234.50"
    assert numbers(formula) == ["-0.5", "0.250", "-0.125", "-0.000", "1.25", "0.1", "1234.50"]


@needs("node")
def test_both_engines_take_a_sound_page():
    assert refused(Formula(tex, display=False) for tex in PAGE) == []


@needs("node")
@pytest.mark.parametrize(
    ("tex", "katex", "mathjax"),
    [
        (r"\frac{1}{", "end of input", "Missing close brace"),
        (r"\nosuchthing", "Undefined control sequence", "Undefined control sequence"),
        (r"a_b_c", "Double subscript", "Double subscripts"),
        (r"\begin{aligned} a \end{align}", "Mismatch", "ended with"),
        (r"\text{50%}", "comment", None),
        ("\\label{here}", "Undefined control sequence", None),
        (r"\unicode{65}", "Undefined control sequence", "Undefined control sequence"),
    ],
)
def test_each_engine_refuses_a_broken_formula(tex, katex, mathjax):
    sound, broken = acceptances([Formula("x", display=True), Formula(tex, display=True)])
    assert (sound.katex, sound.mathjax) == (None, None)
    assert (katex in (broken.katex or "")) if katex else broken.katex is None
    assert (mathjax in (broken.mathjax or "")) if mathjax else broken.mathjax is None


PLAIN = r"""Where $x_1$ costs \$5, $\frac{a}{b}$.

| a | b |
|---|---|
| $[1,\ 2]$ | $u_{1}$ |

$$
\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}
$$

<details>
<summary>More</summary>

1. $e^{s}$ and `$code`

</details>
"""
SEEN = [
    Formula("x_1", display=False),
    Formula(r"\frac{a}{b}", display=False),
    Formula(r"[1,\ 2]", display=False),
    Formula("u_{1}", display=False),
    Formula("\n\\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix}\n", display=True),
    Formula("e^{s}", display=False),
]
GITHUB = (
    PLAIN.replace("$$\n\\begin", "```math\n\\begin")
    .replace("pmatrix}\n$$", "pmatrix}\n```")
    .replace("$x_1$", "$`x_1`$")
    .replace(r"$\frac{a}{b}$", r"$`\frac{a}{b}`$")
    .replace(r"$[1,\ 2]$", r"$`[1,\ 2]`$")
    .replace("$u_{1}$", "$`u_{1}`$")
    .replace("$e^{s}$", "$`e^{s}`$")
)


def _stripped(formulas):
    return [Formula(formula.tex.strip(), formula.display) for formula in formulas]


def test_plain_reads_formulas_in_order():
    assert plain(PLAIN) == SEEN


@needs("pandoc")
def test_a_plain_page_survives():
    assert survived(PLAIN) == pandoc(PLAIN) == SEEN


@needs("pandoc", "cmark-gfm")
def test_a_github_page_survives():
    assert _stripped(survived(GITHUB, "github")) == _stripped(github(GITHUB)) == _stripped(SEEN)
    assert emphasised(GITHUB) == []


@needs("pandoc", "cmark-gfm")
def test_a_row_break_between_bare_dollars_is_lost_on_github():
    assert github(PLAIN)[4].tex.count("\\") == SEEN[4].tex.count("\\") - 1
    with pytest.raises(LostError, match="github"):
        survived(PLAIN, "github")


@needs("pandoc")
@pytest.mark.parametrize(
    "page",
    [
        "| a | b |\n|---|---|\n| $|x|$ | 2 |\n",  # a pipe ends a cell
        "<div>\n$x$\n</div>\n",  # within a block of HTML
        "$ x$ has a space",
        "3$x$ has a digit before it",
        "one $ too many",
        "$x$ and <!-- $ --> $",
    ],
)
def test_a_formula_that_does_not_reach_the_reader_is_found(page):
    with pytest.raises(LostError):
        survived(page)


@needs("cmark-gfm")
def test_underscores_taken_for_emphasis_are_found():
    line = r"The dot product of $\mathbf{q}_{1}$ and $\mathbf{k}_{1}$."
    assert len(emphasised(line)) == 2
    assert emphasised(r"The dot product of $`\mathbf{q}_{1}`$ and $`\mathbf{k}_{1}`$.") == []
    assert emphasised("Of **$x_1$** and *$y_1$*.") == []


@needs("pandoc")
def test_latex_gives_the_formulas_of_a_document():
    found = latex(article(r"$\tfrac12$ \begin{align*} a &= b \\ &= c \end{align*}"))
    assert [formula.display for formula in found] == [False, True]
    assert r"\\" in found[1].tex


ENGINES = [pytest.param(name, marks=needs(name, "pdftotext")) for name in ("pdflatex", "lualatex")]


@pytest.mark.parametrize("engine", ENGINES)
class TestCompiling:
    def test_a_sound_document_draws_no_complaint(self, engine):
        done = compile_tex(article(r"See \eqref{two}. \begin{equation} 1 + 1 = 2 \label{two} \end{equation}"), engine)
        assert (done.ok, done.complaints) == (True, [])
        assert done.pdf.startswith(b"%PDF")
        assert "See (1)" in done.text

    def test_an_overfull_box_is_found(self, engine):
        wide = r"\[" + "+".join([r"0.401\cdot[2, 0]"] * 12) + r"\]"
        done = compile_tex(article(wide + r"\vbox to 1pt{\hbox{A}\hbox{A}}"), engine)
        assert done.ok
        assert done.overfull[0] > 100
        assert any(r"\vbox" in box for box in done.boxes)

    def test_an_error_is_found(self, engine):
        done = compile_tex(article(r"\nosuchthing"), engine)
        assert (done.ok, done.pdf) == (False, b"")
        assert any("Undefined control sequence" in error for error in done.errors)

    def test_a_reference_to_nothing_is_found(self, engine):
        done = compile_tex(article(r"See \ref{nowhere}."), engine)
        assert any("nowhere" in warning for warning in done.references)

    def test_a_character_that_the_font_lacks_is_found(self, engine):
        done = compile_tex(article(r"\font\old=cmtt10 \old \char200"), engine)
        assert len(done.missing) == 1

    def test_files_elsewhere_are_out_of_reach(self, engine, tmp_path):
        outside = tmp_path / "outside.tex"
        outside.write_text("SECRET", encoding="utf-8")
        assert "SECRET" not in compile_tex(article(rf"\input{{{outside}}}"), engine).text

    def test_a_figure_may_lie_beside_the_document(self, engine, tmp_path):
        beside = tmp_path / "figure.tex"
        beside.write_text("FIGURE", encoding="utf-8")
        assert "FIGURE" in compile_tex(article(r"\input{figure}"), engine, beside=[beside]).text


def test_a_missing_program_skips_with_its_reason_or_fails_where_it_is_required(monkeypatch):
    monkeypatch.delenv("SYMATTN_TEST_TOOLS", raising=False)
    mark = needs("no-such-program").mark
    assert (mark.args, mark.kwargs) == ((True,), {"reason": "no-such-program is not on the path"})
    monkeypatch.setenv("SYMATTN_TEST_TOOLS", "required")
    assert needs("no-such-program").mark.args == (False,)
    with pytest.raises(MissingToolError, match="no-such-program"):
        program("no-such-program")
