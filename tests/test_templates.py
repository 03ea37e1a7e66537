"""Templates present and do no more: no arithmetic, words for every key; a user's stay in their sandbox."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest
from jinja2 import nodes, pass_context
from jinja2.exceptions import TemplateError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from symattn import problem
from symattn.derive.sections import worked
from symattn.errors import SymattnError
from symattn.parse.problem import loads
from symattn.parse.problem import problem as problem_of
from symattn.parse.starter import NAPKIN
from symattn.render.environment import environment
from symattn.render.page import Wish, page
from symattn.render.safe import Safe
from symattn.render.words import words
from symattn.steps import Reason
from tests.pages.tools import ROOT

FOLDER = ROOT / "templates"
TEMPLATES = sorted(FOLDER.rglob("*.jinja"))
assert len(TEMPLATES) > 10, "no templates"
DOCUMENTED = (ROOT / "docs" / "templates.md").read_text(encoding="utf-8")
ARITHMETIC = (nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Neg, nodes.Pos)
RECKONING = {"abs", "float", "int", "max", "min", "round", "sum"}


def reckoned(source: str) -> list[int]:
    """The lines of a template on which something is calculated."""
    tree = environment().parse(source)
    filters = [node for node in tree.find_all(nodes.Filter) if node.name in RECKONING]
    return sorted(node.lineno for node in (*tree.find_all(ARITHMETIC), *filters))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_no_arithmetic_in_a_template(path):
    assert reckoned(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text", ["a + 1", "a - b", "2 * a", "a / 2", "a // 2", "a % 2", "a ** 2", "-a", "a | sum", "a | round(2)"]
)
def test_arithmetic_is_found(text):
    assert reckoned(f"one\n<%= {text} %>\n") == [2]
    assert reckoned(f"<% if {text} > 3 %>x<% endif %>") == [1]
    assert reckoned(text) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_every_template_is_used(path):
    """By another, by the package, or as the markup of a format."""
    name = path.relative_to(FOLDER).as_posix()
    sources = [*TEMPLATES, *(ROOT / "symattn").rglob("*.py")]
    texts = [source.read_text(encoding="utf-8") for source in sources if source != path]
    assert any(name in text or f"/{path.name}" in text for text in texts)


def test_every_block_of_prose_is_documented():
    """In a table whose first column names the template once."""
    template, found = "", {}
    for name, block in re.findall(r"^\| (`base/\S+`)? ?\| (?:`(\w+)`|all).*\|$", DOCUMENTED, re.MULTILINE):
        template = name.strip("`") or template
        found.setdefault(template, set()).update({block} - {""})
    assert set(found) > {"base/page.jinja", "base/chapter.jinja"}
    blocks = {
        name: {node.name for node in environment().parse((FOLDER / name).read_text("utf-8")).find_all(nodes.Block)}
        for name in found
    }
    page, head = blocks["base/page.jinja"], blocks["base/head.jinja"]
    blocks["base/chapter.jinja"] -= page
    blocks["base/chapter_head.jinja"] -= head
    assert found == blocks


def test_every_reason_has_words():
    assert set(words()["reason"]) == {reason.value for reason in Reason}


def test_every_row_of_options_has_words():
    rows = {row.name for table in (problem.Attention, problem.Page) for row, _ in problem.options(table)}
    rows |= {row.name for row in fields(problem.Problem)}
    told = words()["option"]
    assert rows - told.keys() == set()
    assert told.keys() - rows == {"problem", "entry", *(row.name for row in fields(problem.Rope))}
    assert [name for name, text in told.items() if not text.endswith(".")] == []


def _leaves(tree, path=""):
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _leaves(value, f"{path}.{key}" if path else key)
    else:
        yield path, tree


def test_words_are_whole_and_without_numbers_of_a_page():
    for path, told in _leaves(words()):
        for text in told if isinstance(told, list) else [told]:
            assert text.strip() == text != "", path
            places = "{}" if path.startswith("check.") else "<="  # a report is filled in, a number at a place
            assert not re.search(r"[<>{}]|\bTODO\b", text.replace(places, "")), path


LATEX = (
    r"{#1} {{x}} {% y %} {# z #} $(((a+b)c)+d)$ \textbf{#1} \frac{{\langle v \rangle}^2}{D} % c"
    + "\n## <!-- x --> <x> a%>b"
)


def test_our_delimiters_leave_latex_and_markdown_alone():
    assert environment().from_string(LATEX).render(escape=str) == LATEX


@pytest.fixture(scope="module")
def napkin():
    return worked(loads(NAPKIN))


def with_templates(napkin, folder, files, **wish):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return page(napkin, Wish(overrides=folder, **wish))


OVERRIDE = '<% extends "builtin/base/page.jinja" %>\n'


class AsJinjaDoes(ImmutableSandboxedEnvironment):
    """Jinja's own code for templates, which escapes for HTML what no format has escaped."""

    def getattr(self, obj, attribute):
        """What a dictionary holds comes before its methods."""
        return obj[attribute] if isinstance(obj, dict) and attribute in obj else super().getattr(obj, attribute)


@pytest.mark.parametrize("detail", ["brief", "full", "worksheet", "key", "chapter"])
@pytest.mark.parametrize("format", ["md", "tex"])
@pytest.mark.parametrize("example", ["napkin", "heads", "hostile"])
def test_the_short_code_says_what_jinjas_own_says(format, detail, example, monkeypatch):
    given = {"tokens": ["a<b", "$5", "metal_50%&#1"], "title": "{{ 1 }} | <%= 2 %>", "Q": [[1, 2], [0, 1], [1, 0]]}
    given |= {"K": [[1, 0], [2, 1], [0, 3]], "V": [[1], [2], [-3]]}
    texts = {"napkin": NAPKIN, "heads": (ROOT / "examples" / "heads.toml").read_text("utf-8")}
    found = worked(problem_of(given) if example == "hostile" else loads(texts[example]))
    wish = Wish(format=format, detail=detail)
    ours = page(found, wish)

    def plainly(overrides=None):
        made = environment(overrides, AsJinjaDoes)
        made.finalize = escaped
        return made

    @pass_context
    def escaped(context, value):
        return value if isinstance(value, Markup) else Safe(context["escape"](str(value)))

    monkeypatch.setattr("symattn.render.environment.environment", plainly)
    assert page(found, wish) == ours


def test_a_macro_takes_its_arguments_in_order_or_by_name():
    made = environment().from_string(
        "<% macro m(a, b=2, c=3) %><%= a %>-<%= b %>-<%= c %><% endmacro %>"
        "<% macro around() %>[<%= caller() %>]<% endmacro %>"
        "<%= m(1) %> <%= m(1, c=5) %> <%= m(b=7, a=1) %> <% call around() %>x<% endcall %>"
    )
    assert made.render(escape=str) == "1-2-3 1-2-5 1-7-3 [x]"
    for wrong in ("m(1, 2, 3, 4)", "m(1, d=2)", "m(1, a=2)"):
        text = "<% macro m(a, b=2, c=3) %><%= a %><% endmacro %><%= " + wrong + " %>"
        with pytest.raises(TypeError, match=r"m|argument"):
            environment().from_string(text).render(escape=str)
    with pytest.raises(UndefinedError, match="parameter 'a'"):
        environment().from_string("<% macro m(a) %><%= a %><% endmacro %><%= m() %>").render(escape=str)


@pytest.mark.parametrize("format", ["md", "tex"])
def test_a_folder_replaces_one_block(napkin, tmp_path, format):
    text = (
        OVERRIDE
        + "<% block caption %>\nIn one line, for <%= tokens | length %> tokens: "
        + LATEX
        + "\n<% endblock %>\n"
    )
    found = with_templates(napkin, tmp_path, {"base/page.jinja": text}, format=format)
    ours = page(napkin, Wish(format=format))
    assert "In one line, for 3 tokens: " + LATEX in found
    assert "The four steps in one line" not in found
    assert "The four steps in one line" in ours
    assert [line for line in ours.splitlines() if "0.503" in line] == [
        line for line in found.splitlines() if "0.503" in line
    ]


@pytest.mark.parametrize("block", ["hook", "rounding", "caption", "exact", "last_digit", "questions", "why_divide"])
def test_each_block_of_prose_can_be_switched_off(napkin, tmp_path, block):
    name = "base/head.jinja" if block == "why_divide" else "base/page.jinja"
    text = f'<% extends "builtin/{name}" %>\n<% block {block} %><% endblock %>\n'
    found = with_templates(napkin, tmp_path, {name: text})
    assert "0.503" in found
    assert len(found) <= len(page(napkin, Wish()))


def test_a_block_can_be_added_to(napkin, tmp_path):
    text = OVERRIDE + "<% block hook %>Mine first.\n\n<%= super() %><% endblock %>"
    found = with_templates(napkin, tmp_path, {"base/page.jinja": text})
    assert found.index("Mine first.") < found.index("Attention lets every token")


def test_what_a_template_prints_is_escaped(napkin, tmp_path):
    text = OVERRIDE + "<% block hook %><%= 'a_b*c*<d>' %> <%= 'a_b*c*<d>' | safe %><% endblock %>"
    found = with_templates(napkin, tmp_path, {"base/page.jinja": text})
    assert r"a\_b\*c\*\<d\> a_b*c*<d>" in found


OUTSIDE = [
    "../secret.jinja",
    "base/../../secret.jinja",
    "/etc/passwd",
    "link.jinja",
    "folder/secret.jinja",
    "builtin/../secret.jinja",
]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("how", ["include", "import", "extends"])
def test_a_template_reads_nothing_outside_its_folder(napkin, tmp_path, name, how):
    (tmp_path / "outside").mkdir()
    for place in ("secret.jinja", "outside/secret.jinja"):
        (tmp_path / place).write_text("SECRET", encoding="utf-8")
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "link.jinja").symlink_to(tmp_path / "secret.jinja")
    (folder / "folder").symlink_to(tmp_path / "outside")
    statement = {
        "include": f'<% include "{name}" %>',
        "import": f'<% import "{name}" as x %>',
        "extends": f'<% extends "{name}" %>',
    }
    text = statement[how] if how == "extends" else OVERRIDE + f"<% block hook %>{statement[how]}<% endblock %>"
    with pytest.raises((TemplateError, SymattnError)):
        with_templates(napkin, folder, {"base/page.jinja": text})


def test_an_edit_shows_at_once(napkin, tmp_path):
    """Also within one process, as in a notebook; and the folder is the one that is meant now."""
    for text in ("FIRST", "SECOND"):
        found = with_templates(
            napkin, tmp_path, {"base/page.jinja": OVERRIDE + f"<% block caption %>{text}<% endblock %>"}
        )
        assert text in found


ESCAPES = [
    "''.__class__",
    "title.__class__.__mro__",
    "tokens.__class__",
    "().__class__.__base__.__subclasses__()",
    "title | attr('__class__')",
    "'{0.__class__}'.format(title)",
    "('%s' ~ '') . __class__",
    "self._TemplateReference__context",
    "self.__init__.__globals__",
    "p.count.__globals__",
    "f.m.__init__",
    "escape.__globals__",
    "caller.__code__",
    "tokens.append('x')",
    "tokens.clear()",
    "letters.update({'S': 'x'})",
    "words.clear()",
    "range(10000000) | list",
    "lipsum(5)",
    "cycler('a')",
    "namespace(a=1)",
    "config",
    "nothing_of_this_name",
]


@pytest.mark.parametrize("expression", ESCAPES)
def test_a_template_cannot_leave_the_sandbox(napkin, tmp_path, expression):
    text = OVERRIDE + f"<% block caption %><%= {expression} %><% endblock %>"
    with pytest.raises((TemplateError, SymattnError, OverflowError)):
        with_templates(napkin, tmp_path, {"base/page.jinja": text})


def test_the_napkin_is_the_same_after_a_hostile_template(napkin):
    assert page(napkin, Wish(slug="napkin")) == (ROOT / "output" / "gallery" / "napkin.md").read_text(encoding="utf-8")
