"""Jupyter notebooks: one for students, whose cells check an answer against hashes, and one with the solutions.

Source: nbformat's JSON schema 4.5; nbgrader's cell metadata, schema version 3 (``determine_grade`` in
nbgrader/utils.py says when a check earns a part of its points).
"""

from __future__ import annotations

from typing import Final

from symattn.export.formats import Writer
from symattn.export.notebook.notebook import foot, head, solution, student

WRITERS: Final = (
    Writer("students/{name}.ipynb", student, head, foot, between=",\n", alone=True),
    Writer("teacher/{name}-solutions.ipynb", solution, head, foot, between=",\n"),
)

LACKS: Final = {"closed": "by_hand"}
"""Kinds of question that it cannot put or mark, each with the words that say why."""
