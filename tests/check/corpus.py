"""Public worked computations as pages: each record set in several notations, with the place of every number."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "vectors" / "corpus"
RECORDS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
assert len(RECORDS) == 40, "the corpus is not whole"

STEPS = (
    "Q",
    "K",
    "V",
    "xxt",
    "sqrt_dk",
    "scale_factor",
    "scores",
    "scaled",
    "biased",
    "exp",
    "expsum",
    "weights",
    "weights_fine",
    "output",
    "output_fine",
    "concat",
    "final",
)
INPUTS = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "scores", "scaled")
QUANTITY = {
    "Q": "query",
    "K": "key",
    "V": "value",
    "exp": "exponentials",
    "expsum": "sums",
    "scale_factor": "scale",
    "weights_fine": "weights",
    "output_fine": "output",
}

Place = tuple[str, int | None, int, int]


@dataclass
class Builder:
    """A page in the making: its text so far, and where each printed number of the record begins."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    places: dict[int, tuple[Place, str]] = field(default_factory=dict)

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def number(self, text: str, place: Place | None) -> None:
        if place is not None:
            self.places[self.length] = (place, text)
        self.add(text)

    @property
    def text(self) -> str:
        return "".join(self.parts)


def grids(record: dict[str, Any]) -> Iterator[tuple[int | None, str, list[list[str | None]], bool]]:
    """Each array of a record in the order of a page: head, name, entries, and whether it is printed (else given)."""
    parts = [(None, record)] if not record.get("heads") else list(enumerate(record["heads"]))
    for head, part in parts:
        for name in INPUTS:
            if name in part.get("inputs", {}):
                yield head, name, part["inputs"][name], False
        for name in STEPS:
            if name in part.get("printed", {}):
                yield head, name, as_grid(part["printed"][name]), True
    if record.get("heads"):
        if "W_O" in record["inputs"]:
            yield None, "W_O", record["inputs"]["W_O"], False
        for name in STEPS:
            if name in record["printed"]:
                yield None, name, as_grid(record["printed"][name]), True


def as_grid(value: Any) -> list[list[str | None]]:
    if isinstance(value, str):
        return [[value]]
    if value and not isinstance(value[0], list):
        return [[entry] for entry in value]
    return value


def sentences(record: dict[str, Any]) -> list[str]:
    """What a page says of its options."""
    options = record["options"]
    said = []
    if not options["scaled"]:
        said.append("No scaling is applied: the softmax is taken of the scores as they are.")
    elif options.get("d_k"):
        said.append(f"Every score is divided by the square root of d_k = {options['d_k']}.")
    if options["causal"]:
        said.append("A causal mask hides later tokens.")
    return said


def problem(record: dict[str, Any]) -> dict[str, Any] | None:
    """The record as a problem, in the shape of a problem file; a page that starts at the scores takes them as queries
    of unit keys.
    """
    options = record["options"]
    if record.get("heads"):
        heads = [part["inputs"] for part in record["heads"]]
        data: dict[str, Any] = {}
        for name in heads[0]:
            rows = [[entry for part in heads for entry in part[name][i]] for i in range(len(heads[0][name]))]
            data[name] = heads[0][name] if name == "X" else rows
        data["W_O"] = record["inputs"]["W_O"]
    else:
        given = record["inputs"]
        data = {name: given[name] for name in ("X", "W_Q", "W_K", "W_V", "Q", "K", "V") if name in given}
        start = given.get("scores") or given.get("scaled")
        if start:
            width = len(start[0])
            data["Q"] = [["0" if entry == "-inf" else entry for entry in row] for row in start]
            data["K"] = [[int(i == j) for j in range(width)] for i in range(width)]
            if any("-inf" in row for row in start):
                data["attention"] = {"mask": [[entry != "-inf" for entry in row] for row in start]}
        if "X" not in data and "V" not in data:
            data["V"] = [[0] for _ in data["K"]]
    attention = dict(data.get("attention", {}))
    if not options["scaled"] or (not record.get("heads") and "scaled" in record["inputs"]):
        attention["scale"] = 1
    elif not record.get("heads") and "scores" in record["inputs"]:
        attention["scale"] = f"1/sqrt({options['d_k']})"
    if options["causal"]:
        attention["causal"] = True
    if options["heads"] > 1:
        attention["num_heads"] = options["heads"]
    return {**data, **({"attention": attention} if attention else {})}


Setter = Callable[[Builder, int | None, str, list[list[str | None]], bool], None]

_TEX = {
    "W_Q": "W_Q",
    "W_K": "W_K",
    "W_V": "W_V",
    "W_O": "W_O",
    "scores": r"Q K^{\top}",
    "sqrt_dk": r"\sqrt{d_k}",
    "scale_factor": r"\frac{1}{\sqrt{d_k}}",
    "scaled": r"\frac{Q K^{\top}}{\sqrt{d_k}}",
    "exp": "E",
    "expsum": r"\text{sum}",
    "weights": r"A = \mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right)",
    "weights_fine": "A",
    "output": "Z = A V",
    "output_fine": "Z",
    "concat": r"\text{concat}",
    "final": r"\text{final}",
    "xxt": r"X X^{\top}",
}


def latex(page: Builder, head: int | None, name: str, rows: list[list[str | None]], printed: bool) -> None:
    page.add("\\[\n" + _TEX.get(name, name) + (r" \approx " if printed else " = "))
    if len(rows) == 1 == len(rows[0]):
        page.number(rows[0][0] or "", (name, head, 0, 0) if printed else None)
    else:
        page.add("\\begin{bmatrix}\n")
        for i, row in enumerate(rows):
            for j, entry in enumerate(row):
                page.add(" & " if j else "")
                shown = "" if entry is None else entry.replace("-inf", "-\\infty")
                page.number(shown, (name, head, i, j) if printed and entry is not None else None)
            page.add(" \\\\\n")
        page.add("\\end{bmatrix}")
    page.add("\n\\]\n\n")


_CODE = {
    "sqrt_dk": "sqrt_dk",
    "scale_factor": "scale",
    "exp": "exp_scores",
    "expsum": "sums",
    "weights": "attn_weights",
    "weights_fine": "attn_weights",
    "output_fine": "output",
}


def numpy(page: Builder, head: int | None, name: str, rows: list[list[str | None]], printed: bool) -> None:
    def line(i: int, row: list[str | None]) -> None:
        page.add("[")
        width = max(len(entry or "") for other in rows for entry in other)
        for j, entry in enumerate(row):
            page.add(" " if j else "")
            page.number(entry or "", (name, head, i, j) if printed else None)
            if j < len(row) - 1:
                page.add(" " * (width - len(entry or "")))
        page.add("]")

    label = _CODE.get(name, name)
    if len(rows) == 1 == len(rows[0]):
        page.add(f"{label} = ")
        page.number(rows[0][0] or "", (name, head, 0, 0) if printed else None)
        page.add("\n\n")
        return
    if any(entry is None for row in rows for entry in row):
        for i, row in enumerate(rows):
            if None not in row:
                page.add(f"{label}[{i}] = ")
                line(i, row)
                page.add("\n")
            else:
                for j, entry in enumerate(row):
                    if entry is not None:
                        page.add(f"{label}[{i}, {j}] = ")
                        page.number(entry, (name, head, i, j) if printed else None)
                        page.add("\n")
        page.add("\n")
        return
    page.add(f"{label} =\n[")
    for i, row in enumerate(rows):
        page.add("\n " if i else "")
        line(i, row)
    page.add("]\n\n")


_WORDS = {
    "X": "X",
    "W_Q": "the query table W_Q",
    "W_K": "the key table W_K",
    "W_V": "the value table W_V",
    "W_O": "the output table W_O",
    "Q": "the queries Q",
    "K": "the keys K",
    "V": "the values V",
    "scores": "the scores",
    "scaled": "the scaled scores",
    "exp": "the exponentials",
    "weights": "the attention weights",
    "weights_fine": "the attention weights",
    "output": "the output",
    "output_fine": "the output",
    "concat": "the concatenated heads",
    "final": "the final output",
}


def running(page: Builder, head: int | None, name: str, rows: list[list[str | None]], printed: bool) -> None:
    if name in ("sqrt_dk", "scale_factor"):
        page.add("The square root of d_k: √d_k ≈ " if name == "sqrt_dk" else "The scale factor: 1/√d_k ≈ ")
        page.number(rows[0][0] or "", (name, head, 0, 0))
        page.add(".\n\n")
        return
    if name == "expsum":
        for i, (entry,) in enumerate(rows):
            if entry is not None:
                page.add(f"The exponentials of row {i + 1} add up to ")
                page.number(entry, (name, head, i, 0))
                page.add(". ")
        page.add("\n\n")
        return
    for i, row in enumerate(rows):
        if all(entry is None for entry in row):
            continue
        if None in row:
            for j, entry in enumerate(row):
                if entry is not None:
                    page.add(f"In row {i + 1} of {_WORDS[name]}, entry {j + 1} is ")
                    page.number(entry, (name, head, i, j) if printed else None)
                    page.add(". ")
            continue
        page.add(f"Row {i + 1} of {_WORDS[name]} is (")
        for j, entry in enumerate(row):
            page.add(", " if j else "")
            page.number((entry or "").replace("-inf", "−∞"), (name, head, i, j) if printed else None)
        page.add("). ")
    page.add("\n\n")


def tables(page: Builder, head: int | None, name: str, rows: list[list[str | None]], printed: bool) -> None:
    if len(rows) == 1 == len(rows[0]) and name in ("sqrt_dk", "scale_factor"):
        page.add("$\\sqrt{d_k} \\approx " if name == "sqrt_dk" else "$1/\\sqrt{d_k} \\approx ")
        page.number(rows[0][0] or "", (name, head, 0, 0))
        page.add("$\n\n")
        return
    corner = {
        "exp": "exponentials",
        "expsum": "sum of exponentials",
        "scaled": "scaled scores",
        "weights_fine": "weights",
        "output_fine": "output",
    }.get(name, name)
    page.add(f"| {corner} | " + " | ".join(f"c{j + 1}" for j in range(len(rows[0]))) + " |\n")
    page.add("|---" * (len(rows[0]) + 1) + "|\n")
    for i, row in enumerate(rows):
        page.add(f"| **t{i + 1}** |")
        for j, entry in enumerate(row):
            page.add(" ")
            page.number(entry or "", (name, head, i, j) if printed and entry is not None else None)
            page.add(" |")
        page.add("\n")
    page.add("\n")


def html(page: Builder, head: int | None, name: str, rows: list[list[str | None]], printed: bool) -> None:
    label = {
        "exp": "exponentials",
        "expsum": "sums",
        "scale_factor": "scale factor",
        "scaled": "scaled scores",
        "sqrt_dk": "&radic;d_k",
        "weights_fine": "weights",
        "output_fine": "output",
    }.get(name, name)
    if len(rows) == 1 == len(rows[0]):
        page.add(f"<p>{label} = <b>")
        page.number(rows[0][0] or "", (name, head, 0, 0) if printed else None)
        page.add("</b></p>\n")
        return
    page.add(f"<table><tr><th>{label}</th>" + "".join(f"<th>c{j + 1}</th>" for j in range(len(rows[0]))) + "</tr>\n")
    for i, row in enumerate(rows):
        page.add(f"<tr><th>t{i + 1}</th>")
        for j, entry in enumerate(row):
            page.add('<td class="n">')
            shown = re.sub("^-", "&minus;", escape(entry or "").replace("-inf", "&minus;&infin;"))
            page.number(shown, (name, head, i, j) if printed and entry is not None else None)
            page.add("</td>")
        page.add("</tr>\n")
    page.add("</table>\n")


NOTATIONS: dict[str, tuple[str, Setter]] = {
    "latex": ("page.tex", latex),
    "numpy": ("page.txt", numpy),
    "text": ("page.txt", running),
    "table": ("page.md", tables),
    "html": ("page.html", html),
}


def page(record: dict[str, Any], notation: str) -> tuple[str, str, dict[int, tuple[Place, str]]]:
    """A record as a page: its file name, its text, and the printed number that begins at each place."""
    name, setter = NOTATIONS[notation]
    built = Builder()
    heading = {"latex": "\\section*{{{}}}\n\n", "html": "<h2>{}</h2>\n", "table": "## {}\n\n"}.get(notation, "{}\n\n")
    built.add(heading.format("Attention by hand"))
    for sentence in sentences(record):
        built.add(
            f"<p>{sentence}</p>\n"
            if notation == "html"
            else sentence.replace("d_k", "$d_k$") + "\n\n"
            if notation == "latex"
            else sentence + "\n\n"
        )
    before: int | None = -1
    for head, what, rows, printed in grids(record):
        if record.get("heads") and head != before:
            built.add(heading.format("All heads together" if head is None else f"Head {head + 1}"))
            before = head
        setter(built, head, what, rows, printed)
    return name, built.text, built.places


def labels(record: dict[str, Any]) -> dict[Place, str]:
    """The verdict of every number that is not correct."""
    return {
        (entry["step"], entry.get("head"), entry["row"], entry["col"] or 0): entry["label"]
        for entry in record["not_correct"]
    }
