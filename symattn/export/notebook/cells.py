"""Cells of a notebook as JSON, with what nbgrader wants to know of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. ``points`` where it is graded; ``is_answer`` where the student writes in it."""

    kind: str
    id: str
    source: str
    points: int | None = None
    is_answer: bool = False


def written(cell: Cell, nbgrader: bool) -> str:
    """The cell as JSON."""
    found: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": cell.id,
        "metadata": {"nbgrader": _graded(cell)} if nbgrader else {},
        "source": cell.source.strip("\n").splitlines(keepends=True),
    }
    if cell.kind == "code":
        found |= {"execution_count": None, "outputs": []}
    return json.dumps(found, ensure_ascii=False, sort_keys=True)


def _graded(cell: Cell) -> dict[str, Any]:
    found: dict[str, Any] = {
        "grade": cell.points is not None,
        "grade_id": cell.id,
        "locked": not cell.is_answer,
        "schema_version": 3,
        "solution": cell.is_answer,
        "task": False,
    }
    return found if cell.points is None else found | {"points": cell.points}
