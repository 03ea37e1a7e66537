"""Pages spoiled as files are in life: torn, joined, saved by another program, with numbers that are none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Final

Mutation = Callable[[str, Random], str]

NUMBER: Final = re.compile(r"[-−]?\d+(?:\.\d+)?")
BRACKET: Final = re.compile(r"\\left|\\right|\\begin\{\w+\*?\}|\\end\{\w+\*?\}|[][(){}|$&]|\\\\|</?t[rdh][^>\n]*>|\"")
STRANGE: Final = (
    "nan", "NaN", "inf", "-inf", "−∞", r"-\infty", r"\infty", "1e999", "1e-999", "-1e400", "1e99999999999", "9" * 50,
    "9" * 5000, "0." + "0" * 60 + "1",
    "", "−", "--1", "+-1", "-", ".", "1.", ".5", "1..2", "1.2.3", "0x1F", "1_000", "1,5", "1{,}5", "٣.١٤", "１２", "²",
    "½", "Ⅳ", "೬", "-0", "-0.000", "00.7",
    "0/0", "1/0", r"\frac{1}{0}", r"\frac{1}{2}", r"\sqrt{-1}", r"\sqrt{2}", "e^{400}", "e^{-400}", "e^{e^{e^{9}}}",
    "10^{400}", "2^{-10^{9}}", r"\log 0", r"\ln(-1)",
    "1/3", "5 %", "5\\%", r"3\cdot 10^{-400}", r"3\times10^{5}", "1e5", "u", "x_1", "…", "0.3…", "?", "True", "null",
    "[1, 2]", "[[1]]", "(1, 2)", "\x00", "\x1f", "\u2028",
)  # fmt: skip
SPACES: Final = ("\u00a0", "\t", "\x1c", "\x0b", "\u3000", "  ", "\u200b")
NESTED: Final = (
    ("{", "}"), ("\\mathbf{", "}"), ("\\frac{1}{", "}"), ("\\left(", "\\right)"), ("[", "]"), ("**", "**"),
    ("\\sqrt{", "}"), ("<b>", "</b>"), ("e^{", "}"), ("-(", ")"),
)  # fmt: skip
PIECES: Final = (
    "$$", "\\[", "\\]", "```\n", "<!--", "-->", "\\begin{bmatrix}", "\\end{bmatrix}", "\\begin{align}",
    "\\end{tabular}", "<table>", "</table>", "<td>", "%", "&", "\\\\",
    "\\frac{", "{" * 40, "}" * 40, "[" * 40, "(" * 300, "\\left(", "|---|---|\n", "||||",
    "| 1 | 2 |\n|---|---|\n| 3 | 4 |\n", "Q = [[1, 2], [3, 4]]\n", "d_k = 0\n",
    "d_k = 1e400", "Row 0 of the weights is (1, 2).", "weights[9][9] = 3", "= = =", "1 = 2 = 3", "softmax(", "e^",
    "sum of 3, which add to", "## Head 0\n", "## Head 99999999999\n",
    "causal mask", "temperature 0", "window of 0", "add up to nan", "scaled by 0", "divided by √0",
    "divided by $\\sqrt{0}$", "&frac12;", "&#1114112;", "&#xD800;", "\\ud800", "\ud7ff",
    "\\begin{tikzpicture}", "*" * 30, "\\sqrt{" * 30, "a_{" * 30, "^" * 30, "-" * 30, "e^{-" * 12 + "1" + "}" * 12,
    "1/" * 30, "\\label{", "\\documentclass",
)  # fmt: skip


def _lines(text: str, random: Random) -> tuple[list[str], int, int]:
    """The lines, and two places among them in order."""
    lines = text.splitlines(keepends=True) or [""]
    first, last = sorted((random.randrange(len(lines)), random.randrange(len(lines))))
    return lines, first, last


def line_deleted(text: str, random: Random) -> str:
    lines, first, _ = _lines(text, random)
    return "".join(lines[:first] + lines[first + 1 :])


def lines_deleted(text: str, random: Random) -> str:
    lines, first, last = _lines(text, random)
    return "".join(lines[:first] + lines[min(last, first + 12) :])


def lines_swapped(text: str, random: Random) -> str:
    lines, first, last = _lines(text, random)
    lines[first], lines[last] = lines[last], lines[first]
    return "".join(lines)


def lines_moved(text: str, random: Random) -> str:
    lines, first, last = _lines(text, random)
    last = min(last, first + 20)
    at = random.randrange(len(lines))
    return "".join(lines[:first] + lines[last:][:at] + lines[first:last] + lines[last:][at:])


def line_repeated(text: str, random: Random) -> str:
    lines, first, last = _lines(text, random)
    return "".join(lines[:last] + lines[first : first + random.randrange(1, 9)] * random.randrange(1, 4) + lines[last:])


def lines_joined(text: str, random: Random) -> str:
    lines, first, _ = _lines(text, random)
    lines[first] = lines[first].rstrip("\r\n") + random.choice(("", " "))
    return "".join(lines)


def line_torn(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(("\n", "\n\n", "\r", "\r\n")) + text[at:]


def cut_short(text: str, random: Random) -> str:
    return text[: random.randrange(len(text) + 1)]


def beginning_lost(text: str, random: Random) -> str:
    return text[random.randrange(len(text) + 1) :]


def piece_lost(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + text[at + random.randrange(1, 60) :]


def bracket_lost(text: str, random: Random) -> str:
    return _one(BRACKET, text, random, lambda _: "")


def bracket_doubled(text: str, random: Random) -> str:
    return _one(BRACKET, text, random, lambda found: found * random.choice((2, 2, 3, 50)))


def bracket_other(text: str, random: Random) -> str:
    return _one(BRACKET, text, random, lambda _: random.choice(PIECES))


def number_strange(text: str, random: Random) -> str:
    return _one(NUMBER, text, random, lambda _: random.choice(STRANGE))


def number_moved(text: str, random: Random) -> str:
    return _one(NUMBER, text, random, lambda found: found[:-1] + str((int(found[-1]) + random.randrange(1, 10)) % 10))


def number_negated(text: str, random: Random) -> str:
    return _one(NUMBER, text, random, lambda found: found[1:] if found[0] in "-−" else f"-{found}")


def number_of_another_size(text: str, random: Random) -> str:
    return _one(NUMBER, text, random, lambda found: found + str(random.randrange(10 ** random.randrange(1, 9))))


def number_elsewhere(text: str, random: Random) -> str:
    other = random.choice(NUMBER.findall(text) or [""])
    return _one(NUMBER, text, random, lambda _: other)


def numbers_strange(text: str, random: Random) -> str:
    strange = random.choice(STRANGE)
    return NUMBER.sub(lambda found: strange if random.random() < 0.02 else found.group(), text)


def numbers_moved(text: str, random: Random) -> str:
    def moved(found: re.Match[str]) -> str:
        return found.group()[:-1] + str(random.randrange(10)) if random.random() < 0.05 else found.group()

    return NUMBER.sub(moved, text)


def one_number_everywhere(text: str, random: Random) -> str:
    """As by a hasty replacement in an editor."""
    numbers = NUMBER.findall(text)
    return text.replace(random.choice(numbers), random.choice(STRANGE + tuple(numbers))) if numbers else text


def digits_of_another_script(text: str, random: Random) -> str:
    shift = ord(random.choice("٠०０")) - ord("0")
    return _one(NUMBER, text, random, lambda found: "".join(chr(ord(x) + shift) if x.isdigit() else x for x in found))


def piece_put_in(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(PIECES + STRANGE) + text[at:]


def character_put_in(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + chr(random.randrange(random.choice((32, 128, 0xD800)))) + text[at:]


def other_spaces(text: str, random: Random) -> str:
    space = random.choice(SPACES)
    return re.sub(" ", lambda _: space if random.random() < 0.1 else " ", text)


def carriage_returns(text: str, random: Random) -> str:
    return re.sub("\r?\n", random.choice(("\r\n", "\r\n", "\r", "\n\r")), text)


def byte_order_mark(text: str, random: Random) -> str:
    return "\ufeff" + text


def nested(text: str, random: Random) -> str:
    """A number within ever more marks."""
    opened, closed = random.choice(NESTED)
    depth = random.choice((1, 2, 5, 30, 200))
    return _one(NUMBER, text, random, lambda found: opened * depth + found + closed * depth)


def declaration_torn(text: str, random: Random) -> str:
    """Something else within what a generated page declares."""
    found = re.search(r"\{\"symattn\":\{[^\n]*", text)
    if found is None:
        return text
    change = random.choice((number_strange, number_moved, bracket_lost, piece_lost, number_of_another_size))
    return text[: found.start()] + change(found.group(), random) + text[found.end() :]


def _one(pattern: re.Pattern[str], text: str, random: Random, change: Callable[[str], str]) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = random.choice(found)
    return text[: match.start()] + change(match.group()) + text[match.end() :]


MUTATIONS: Final[tuple[Mutation, ...]] = (
    line_deleted, lines_deleted, lines_swapped, lines_moved, line_repeated, lines_joined, line_torn, cut_short,
    beginning_lost, piece_lost, bracket_lost, bracket_doubled, bracket_other, number_strange, number_moved,
    number_negated, number_of_another_size, number_elsewhere, numbers_strange, numbers_moved, one_number_everywhere,
    digits_of_another_script, piece_put_in, character_put_in, other_spaces, carriage_returns, byte_order_mark, nested,
    declaration_torn,
)  # fmt: skip


def as_notebook(text: str) -> str:
    """A page of Markdown in the cells of a notebook, paragraph by paragraph, the last ones as printed output."""
    parts = text.split("\n\n")
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": (part + "\n").splitlines(keepends=True)} for part in parts
    ]
    if len(parts) > 1:
        output = {"output_type": "stream", "name": "stdout", "text": parts[-1].splitlines(keepends=True)}
        cells[-1] = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [output], "source": []}
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False
    )


def as_comments(text: str) -> str:
    """A page in the comments of a program."""
    return "".join(f"# {line}\n" for line in text.split("\n")) + "print(1)\n"
