"""A page is written for readers: none of the words that we use among ourselves stands on it."""

from __future__ import annotations

import re

import pytest

from tests.render.reading import COMMENT
from tests.render.sample import Case, every_case

DETAILS = ("brief", "full", "worksheet", "key", "chapter")
OURS = re.compile(
    r"""(?x)
    carried | nearest | half-up | half-even | as-is | row_sums | \bpolic(?:y|ies)\b | logits | softmax_over_queries
    | top-left | bottom-right | (?:mask_after|mask_ignored|scaled_by|scaled_twice|same_scores|first_row|row_sum)\w*
    | \b(?:None|True|False|nan|inf)\b | Markup | Undefined | \bobject\b | 0x[0-9a-f]{6} | <\w+\.\w+ | \w+\(\w+=
    | \bdict\b | \btuple\b | \[\] | \{\} | \bdot_product\b
    | weighted_mean | output_projection | num_heads | decimal_mark
    | <% | %> | \{\{ [^}]* \}\} (?!\}) | -oo
    """
)
TEX_COMMANDS = re.compile(r"\\(?:phantomsection)?\\?label\{[^}]*\}|\\[a-zA-Z]+|\{\}")


def read(page: str, case: Case) -> str:
    """What a reader sees: no comment, no label, no preamble, and none of what the problem itself says."""
    seen = page.partition(r"\section*{")[2] if r"\section*{" in page else page
    seen = TEX_COMMANDS.sub(" ", COMMENT.sub("", seen)) if seen is not page else COMMENT.sub("", seen)
    for text in (case.worked.problem.title, *case.worked.problem.tokens):
        seen = seen.replace(text, " ") if text else seen
    return seen


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("format", ["md", "tex"])
def test_no_word_of_ours_is_on_a_page(format, detail):
    for case in every_case():
        found = OURS.findall(read(case.page(format=format, detail=detail), case))
        assert found == [], case.problem


@pytest.mark.parametrize(
    "word", ["carried", "half-even", "None", "policy", "row_sums", "mask_after_softmax", "<symattn.steps", "Step(name="]
)
def test_a_word_of_ours_is_found(word):
    case = next(case for case in every_case() if case.name == "napkin")
    assert OURS.search(read(case.page() + f"\nIt is {word} here.\n", case))
    assert not OURS.search(read(case.page() + f"\n<!-- {word} -->\n", case))


def test_the_sign_for_rounded_is_explained_once_and_before_it_is_used():
    for case in every_case():
        page = COMMENT.sub("", case.page())
        assert len(re.findall(r"\\approx\$ means", page)) == 1
        assert page.index(r"\approx") == page.index(r"\approx$ means")


SLIP = re.compile(
    r"\b([a-z]+) \1\b|\.\.|[,;:]{2}| [,.;:](?=\s)|\n[,.;]|\( | \)|\b[Oo]ne (?:tokens|decimals|columns|heads|sums)\b"
    r"|\b(?:two|three|four) (?:token|decimal|column|head|sum)\b|\bno tokens?\b(?! sees)|\. [a-z]"
)


def slips(page: str) -> list[str]:
    """Doubled words and stops, stops after a blank or at the head of a line, one of many, many of one."""
    text = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", "M", COMMENT.sub("", page), flags=re.DOTALL)
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
    return [found[0] for found in SLIP.finditer(prose)]


@pytest.mark.parametrize("detail", DETAILS)
def test_sentences_are_whole(detail):
    for case in every_case():
        assert slips(case.page(detail=detail)) == [], case.problem


@pytest.mark.parametrize("text", ["it is is", "so .", "so..", "one tokens", "two decimal", "so ( here)", "here. then"])
def test_a_slip_is_found(text):
    assert slips(f"# Title\n\nA line, {text} of it.")
