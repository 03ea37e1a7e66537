"""What a worksheet's templates see: what is given, and the labels of the blanks. No answer is in it."""

from __future__ import annotations

from typing import Any, Final

from symattn.render.sheet import Sheet, View

_HARMLESS: Final = ("reorder", "shift", "average", "row_sum")
"""Questions that state no answer."""


def worksheet_view(paper: Sheet, view: View) -> View:
    """The page's view with every answer taken out."""
    problem = paper.problem
    kept = {name: view[name] for name in _KEPT}
    columns = [column for column in view["start"]["columns"] if problem.X is None or column["name"] == "X"]
    grids = [grid for grid in view["start"]["grids"] if problem.X is None or grid["name"] == "X"]
    return kept | {
        "scale": view["scale"] | {"begins": ""},
        "start": view["start"] | {"columns": columns, "grids": grids, "width": len(columns) + 1},
        "projected": None,
        "heads": [_head(paper, head, index) for index, head in enumerate(view["heads"])],
        "final": None
        if view["final"] is None
        else {"learned": view["final"]["learned"], "output": _blank(view["final"]["output"])},
        "also": [_also(section) for section in view["also"]],
        "questions": [question for question in view["questions"] if question["kind"] in _HARMLESS],
        "definition": None,
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
    "d_k",
    "causal",
    "masked",
    "selves",
    "option",
    "past",
    "context",
    "num_heads",
    "from_tokens",
    "learned",
    "learned_groups",
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
    result = paper.worked.sections[0].result
    parts: list[View] = []
    if paper.problem.X is not None:
        exact, shown = result.heads[index], paper.shown[0].heads[index]
        for name, labels in (("query", paper.tokens), ("key", paper.key_tokens), ("value", paper.key_tokens)):
            parts.append(_part(name, paper.numbered_grid(getattr(exact, name), getattr(shown, name), labels)))
    parts += [
        _part(name, head[source], square=True)
        for name, source in (("scores", "scores"), ("scaled", "scaled"))
        if head[source]
    ]
    if head["masked"]:
        parts.append(_part("logits", head["masked"], square=True))
    parts += [
        _part("exponentials", head["scores"], square=True) | {"sum": len(head["scores"]) == 1},
        _part("weights", head["weights"], square=True),
        _part("output", head["output_grid"]),
    ]
    return {
        "number": head["number"],
        "index": index,
        "kv_head": head["kv_head"],
        "masked": bool(head["masked"]),
        "blanks": parts,
        "guess": _guess(head["guess"]),
    }


def _guess(guess: Any) -> View | None:
    return None if guess is None else {"row": guess["row"]}


def _part(name: str, blocks: list[View], *, square: bool = False) -> View:
    return {"name": name, "blocks": _blank(blocks), "square": square, "sum": False}


def _also(section: View) -> View:
    heads = [
        {"number": part["number"], "weights": _blank(part["weights"]), "output": _blank(part["output"])}
        for part in section["heads"]
    ]
    return {name: section[name] for name in ("number", "changed", "off", "causal", "option", "scale")} | {
        "heads": heads
    }


def key_view(view: View) -> View:
    """The page's view with the answers of a worksheet in a list."""
    heads = [
        head | {"answers": [{"name": name, "blocks": head[source]} for name, source in _ANSWERS if head[source]]}
        for head in view["heads"]
    ]
    questions = [question for question in view["questions"] if question["kind"] in _HARMLESS]
    return view | {"heads": heads, "questions": questions}


_ANSWERS: Final = (
    ("scores", "scores"),
    ("scaled", "scaled"),
    ("logits", "masked"),
    ("weights", "weights"),
    ("output", "output_grid"),
)
