"""What a worksheet's templates see: what is given, and the labels of the blanks. No answer is in it."""

from __future__ import annotations

from typing import Any, Final

from symattn.policies import exponential_table
from symattn.render.sheet import Sheet, View

_HARMLESS: Final = ("reorder", "shift", "average", "row_sum", "values_doubled", "not_negative", "what_weights_see")
"""Questions that state no answer."""


def worksheet_view(paper: Sheet, view: View) -> View:
    """The page's view with every answer taken out."""
    problem = paper.problem
    kept = {name: view[name] for name in _KEPT}
    columns = [column for column in view["start"]["columns"] if problem.X is None or column["name"] == "X"]
    grids = [grid for grid in view["start"]["grids"] if problem.X is None or grid["name"] == "X"]
    return kept | {
        "start": view["start"] | {"columns": columns, "grids": grids, "width": len(columns) + 1},
        "projected": None,
        "also": [_also(section) for section in view["also"]],
        "questions": [question for question in view["questions"] if question["kind"] in _HARMLESS],
        "definition": None,
    }


def worksheet_layer(paper: Sheet, layer: View) -> View:
    """A layer's view with every answer taken out."""
    final, residual = layer["final"], layer["residual"]
    return layer | {
        "scale": layer["scale"] | {"begins": ""},
        "heads": [_head(paper, head, index) for index, head in enumerate(layer["heads"])],
        "final": None if final is None else {"learned": final["learned"], "output": _blank(final["output"])},
        "residual": None if residual is None else {"output": _blank(residual["output"])},
        "inputs": [],
        "differences": None,
    }


_KEPT: Final = [
    "title",
    "slug",
    "tokens",
    "key_tokens",
    "self_attention",
    "decimals",
    "significant",
    "carried",
    "to_one",
    "symbolic",
    "letters",
    "letter",
    "vectors",
    "separator",
    "powers",
    "selves",
    "past",
    "context",
    "from_tokens",
    "learned",
    "learned_groups",
    "layered",
]


def _blank(blocks: list[View]) -> list[View]:
    """The header and the labels of a table's blocks."""
    return [
        {
            "header": block["header"],
            "labels": [row["label"] for row in block["rows"]],
            "columns": block["columns"],
            "columns_with_sum": block["columns"] + 1,
        }
        for block in blocks
    ]


def _head(paper: Sheet, head: View, index: int) -> View:
    answers = _answers(paper, head, index)
    blanks = [
        answer | {"blocks": _blank(answer["blocks"]), "sum": answer["name"] == "exponentials"} for answer in answers
    ]
    return {
        "number": head["number"],
        "index": index,
        "kv_head": head["kv_head"],
        "masked": bool(head["masked"]),
        "blanks": [blank | {"sum": blank["sum"] and len(blank["blocks"]) == 1} for blank in blanks],
        "guess": _guess(head["guess"]),
    }


def _answers(paper: Sheet, head: View, index: int) -> list[View]:
    """Every array that the student works out, in reading order: what a worksheet blanks, and what a key shows."""
    result, shown = paper.worked.sections[0].result.heads[index], paper.shown[0].heads[index]
    found = [
        _array(name, paper.numbered_grid(getattr(result, name), getattr(shown, name), labels))
        for name, labels in (("query", paper.tokens), ("key", paper.key_tokens), ("value", paper.key_tokens))
        if _is_worked_out(paper, name)
    ]
    found += [_array(name, head[name], square=True) for name in ("scores", "scaled")]
    found += [_array(stage["name"], stage["blocks"], square=True) for stage in head["stages"]]
    powers = paper.grid(exponential_table(result), shown.exponentials)
    return [
        *found,
        _array("exponentials", powers, square=True),
        _array("weights", head["weights"], square=True),
        _array("output", head["output_grid"]),
    ]


def _is_worked_out(paper: Sheet, array: str) -> bool:
    """Whether queries, keys or values are made by more than a plain copy."""
    table = {"query": "W_Q", "key": "W_K", "value": "W_V"}[array]
    problem = paper.problem
    copied = getattr(problem, table) == "identity" and getattr(problem, f"b_{table[-1]}") is None
    return problem.X is not None and not (copied and problem.attention.num_heads == 1)


def _array(name: str, blocks: list[View], *, square: bool = False) -> View:
    return {"name": name, "blocks": blocks, "square": square}


def _guess(guess: Any) -> View | None:
    return None if guess is None else {"row": guess["row"]}


def _also(section: View) -> View:
    heads = [
        {"number": part["number"], "weights": _blank(part["weights"]), "output": _blank(part["output"])}
        for part in section["heads"]
    ]
    kept = {name: section[name] for name in ("number", "changed", "off", "causal", "option", "scale")}
    return kept | {"heads": heads, "final": _blank(section["final"])}


def key_view(view: View) -> View:
    """The page's view with the questions of a worksheet."""
    return view | {"questions": [question for question in view["questions"] if question["kind"] in _HARMLESS]}


def key_heads(paper: Sheet, heads: list[View]) -> list[View]:
    """The heads with the answers of a worksheet in a list."""
    return [head | {"answers": _answers(paper, head, index)} for index, head in enumerate(heads)]
