"""The machine's view of a worked problem, of stable shape: exact values in SymPy syntax, decimals by the policy."""

from __future__ import annotations

from typing import Any

from symattn.derive.named import named
from symattn.derive.sections import Section, Worked
from symattn.exact.text_forms import Writer
from symattn.parse.plain import plain
from symattn.policies import Grid, PrintedResult
from symattn.steps import Printed, Table


def json_view(worked: Worked, version: str) -> dict[str, Any]:
    """``{"symattn", "problem", "heads", "output", "also"}``; see ``array`` for what stands in each place.

    Of several layers ``layers`` stands in place of ``heads``, with ``heads`` and ``output`` for each; ``output`` is
    that of the last. ``final`` stands beside an ``output`` to which the tokens were added: what they were added to.
    """
    if worked.asked is not None:
        layers = [_section(layer, layer.sections[0]) for layer in worked.layers]
        view = {"symattn": version, "problem": plain(worked.whole), "layers": layers}
        return {**view, "output": layers[-1]["output"], "also": []}
    main, *further = (_section(worked, section) for section in worked.sections)
    also = [
        {"attention": given, **section}
        for given, section in zip(plain(worked.problem).get("also", []), further, strict=True)
    ]
    return {"symattn": version, "problem": plain(worked.problem), **main, "also": also}


def _section(worked: Worked, section: Section) -> dict[str, Any]:
    shown: PrintedResult = worked.shown(section, exponentials=False)
    writer = Writer(section.generator(), later=worked.index > 0)
    heads = [
        {name: array(*pair, writer) for name, pair in named(head, text).items()}
        for head, text in zip(section.result.heads, shown.heads, strict=True)
    ]
    alone = section.result.output is section.result.heads[0].output
    output = heads[0]["output"] if alone else array(section.result.output, shown.output, writer)
    if section.result.residual is None or shown.residual is None:
        return {"heads": heads, "output": output}
    return {"heads": heads, "final": output, "output": array(section.result.residual, shown.residual, writer)}


def array(exact: Table, shown: Grid, writer: Writer) -> dict[str, Any]:
    """``exact`` strings (null where a later layer's number has no closed form), ``decimal`` strings (null where a
    symbol is left), and ``notes`` on ties, zeros and other roundings.
    """
    return {
        "exact": [list(row) for row in exact.map(writer.closed)],
        "decimal": [[None if entry is None else entry.text for entry in row] for row in shown],
        "notes": [
            {"row": i, "col": j, "kind": kind, "nearest": entry.nearest}
            for i, row in enumerate(shown)
            for j, entry in enumerate(row)
            if entry is not None
            for kind in _kinds(entry)
        ],
    }


def _kinds(entry: Printed) -> list[str]:
    told = (("tie", entry.tie), ("zero", entry.vanishes), ("differs", entry.text != entry.nearest))
    return [kind for kind, holds in told if holds]
