"""Notebooks: their code cells are run as a kernel would run them, with answers put into the cells for answers."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from fractions import Fraction
from typing import Any

from tests.formats.readers import Blank, Read

CODE = re.compile(r"([a-z0-9]{10})-(\d+)-(answer|check)")


def cells(content: bytes) -> dict[str, str]:
    """The code cells by their ids, in order."""
    found = json.loads(content)
    return {cell["id"]: "".join(cell["source"]) for cell in found["cells"] if cell["cell_type"] == "code"}


def run(source: str, space: dict[str, Any]) -> tuple[Any, str, str]:
    """What a cell gives, prints, and says when it stops."""
    tree, out = ast.parse(source), io.StringIO()
    *lines, last = tree.body
    result: Any = None
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(ast.Module(lines, []), "cell", "exec"), space)  # noqa: S102 - the notebook's own code
            if isinstance(last, ast.Expr):
                result = eval(compile(ast.Expression(last.value), "cell", "eval"), space)  # noqa: S307
            else:
                exec(compile(ast.Module([last], []), "cell", "exec"), space)  # noqa: S102
        except AssertionError as error:
            return None, out.getvalue(), str(error)
    return result, out.getvalue(), ""


def read(content: bytes) -> Read:
    found: Read = {}
    sources = cells(content)
    space: dict[str, Any] = {}
    run(sources["check"], space)
    for id, source in sources.items():
        named = CODE.fullmatch(id)
        if named and named[3] == "check":
            call = ast.parse(source).body[0].value
            told = {keyword.arg: keyword.value.value for keyword in call.keywords if keyword.arg != "mistakes"}
            for place in range(told["blanks"]):
                found.setdefault(named[1], []).append(_blank(source, f"answer_{named[2]}", told, place, space))
    return found


def _blank(source: str, name: str, told: dict[str, Any], place: int, space: dict[str, Any]) -> Blank:
    def mark(answer: str) -> tuple[Fraction, str]:
        """One entry of the answer, the others left empty: what the check says of this one."""
        given: list[Any] = [None] * told["blanks"]
        given[place] = answer if told["places"] == 0 else _number(answer)
        _, said, _ = run(source, space | {name: given})
        mine = [line for line in said.splitlines() if re.match(rf"(entry {place + 1}|the answer)\b", line)]
        return Fraction(not mine), mine[0] if mine else ""

    return Blank(told["points"], mark)


def _number(answer: str) -> Any:
    return answer or None
