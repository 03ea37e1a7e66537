"""The page says what the data say: each cell of its tables is the text of a Step, and of the reference evaluator."""

from __future__ import annotations

import re
from typing import Any

import pytest

from symattn.derive.worked import head_derivation
from tests.render.sample import Case
from tests.render.sample import cases as every_case
from tests.render.tables import Grid, grids, joined, number, vector

Texts = list[list[str]]
SQUARE = ("scores", "scaled", "logits", "exponentials", "weights")
CORNERS = {
    "scores": "scores",
    "scaled scores": "scaled",
    "masked scores": "logits",
    "weights": "weights",
    "output": "output",
}
STEPS = {
    "Step 1. Compare": "scores",
    "Step 2. Scale": "scaled",
    "Hide what may not be seen": "logits",
    "Step 3. Normalize": "exponentials",
    "The weights": "weights",
    "Step 4. Combine": "output",
    "The queries": "query",
    "The keys": "key",
    "The values": "value",
}


def cases() -> tuple[Case, ...]:
    """Those with a row a token; ``pages/test_switches`` holds tables with a column a token to these."""
    return tuple(case for case in every_case() if case.worked.problem.page.vectors == "rows")


def tables(case: Case, text: str) -> list[Grid]:
    """The page's tables, those that were too wide put together again."""
    found: list[Grid] = []
    pending: list[Grid] = []
    for grid in grids(text):
        if pending and (pending[0].headings, pending[0].corner) != (grid.headings, grid.corner):
            found += joined(pending, widest(case, pending[0]))
            pending = []
        pending.append(grid)
    return found + (joined(pending, widest(case, pending[0])) if pending else [])


def widest(case: Case, grid: Grid) -> int:
    """How many columns the whole of a table has: the numbered ones by their array, the others as many as keys."""
    head = case.worked.sections[0].result.heads[0]
    if grid.header[-1].isdigit() and grid.header[1:2] != case.worked.problem.tokens[:1]:
        last = grid.headings[-1]
        if grid.corner.startswith("final"):
            return case.worked.sections[0].result.output.shape[1]
        return (head.query if last in ("The queries", "The keys") else head.output).shape[1]
    return head.scores.shape[1]


def by_step(case: Case, head: int) -> dict[str, Texts]:
    """What the Steps of a head have printed."""
    main = case.worked.sections[0]
    derivation = head_derivation(case.worked.problem, main.result, case.worked.shown(main), head)
    return {step.name: [[entry.text for entry in row if entry] for row in step.printed] for step in derivation.steps}


def expected(case: Case) -> list[dict[str, Texts]]:
    """For each head what the reference prints; its Steps must have printed the same."""
    found: list[dict[str, Texts]] = []
    for index, head in enumerate(next(case.sections())["heads"]):
        steps = by_step(case, index)
        assert {name: steps[name] for name in head} == head, case.problem
        found.append(head | {"exponentials": steps["exponentials"]})
    return found


def head_of(grid: Grid) -> int:
    """Which head a table belongs to, counted from 0."""
    told = re.search(r"[Hh]ead (\d+)", " ".join((*grid.headings, grid.corner)))
    return int(told[1]) - 1 if told else 0


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_key_holds_every_number(case):
    wanted = expected(case)
    masked = case.worked.sections[0].result.allowed is not None
    names = [name for name in CORNERS.values() if masked or name != "logits"]
    found = [
        (head_of(grid), CORNERS[corner(grid)], grid.numbers)
        for grid in tables(case, case.page(detail="key"))
        if len(grid.headings) == 1 and corner(grid) in CORNERS
    ]
    assert found == [(index, name, head[name]) for index, head in enumerate(wanted) for name in names]


def corner(grid: Grid) -> str:
    """The name of the array in a corner, without its letter and its head."""
    return re.sub(r"^head \d+, | [A-Z]'?$", "", grid.corner)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_page_in_full_holds_every_number(case):
    wanted = expected(case)
    held: list[set[str]] = [set() for _ in wanted]
    for grid in tables(case, case.page(detail="full")):
        name = STEPS.get(grid.headings[-1])
        if name is None:
            continue
        index = head_of(grid)
        assert grid.numbers == wanted[index][name], (case.problem, name)
        held[index].add(name)
    masked = {"logits"} if case.worked.sections[0].result.allowed is not None else set()
    for seen in held:
        assert seen >= {*SQUARE, "output"} - {"logits"} | masked


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_brief_page_holds_the_scores_weights_and_outputs(case):
    wanted = expected(case)
    seen: list[dict[str, Any]] = [{} for _ in wanted]
    for grid in tables(case, case.page()):
        last = grid.headings[-1]
        name = "weights" if grid.corner.startswith("weights") else STEPS.get(last)
        if grid.corner == "token" and last == "Step 4. Combine":
            seen[head_of(grid)]["output"] = [vector(row[-1]) for row in grid.rows]
            if "value before" in grid.header:
                assert [vector(row[1]) for row in grid.rows] == wanted[head_of(grid)]["value"]
        elif last == "Step 3. Normalize" and name == "exponentials":
            check_row(grid, wanted[head_of(grid)], case)
        elif last.startswith("Step ") and name:
            numbers = grid.numbers
            if name == "scaled" and any("-oo" in row for row in numbers):
                name = "logits"
            seen[head_of(grid)][name] = numbers
    for head, found in zip(wanted, seen, strict=True):
        assert {name: head[name] for name in found} == found, case.problem
        assert found.keys() >= {"scores", "weights", "output"}


def check_row(grid: Grid, head: dict[str, Texts], case: Case) -> None:
    """Step 3's tables: the row that is worked in full, or the exponentials of the other rows."""
    tokens = list(case.worked.problem.tokens)
    if grid.labels[0].startswith("scaled score"):  # keys side by side
        rows = [[number(cell) for cell in row[1:-1]] for row in grid.rows]
        assert rows in [written(head, row) for row in range(len(tokens))], case.problem
    elif grid.header[1].startswith("scaled score"):  # keys one below the other
        columns = zip(*(row[1:] for row in grid.rows[:-1]), strict=True)
        rows = [[number(cell) for cell in column] for column in columns]
        assert rows in [written(head, row) for row in range(len(tokens))], case.problem
    else:
        for label, numbers in zip(grid.labels, grid.numbers, strict=True):
            assert numbers == head["exponentials"][tokens.index(label)], case.problem


def written(head: dict[str, Texts], row: int) -> Texts:
    """A row's scaled scores, exponentials and weights, of the keys that it sees."""
    seen = [key for key, text in enumerate(head["logits"][row]) if text != "-oo"]
    return [[head[name][row][key] for key in seen] for name in ("logits", "exponentials", "weights")]


FINAL = [case for case in cases() if "W_O" in case.problem or len(case.worked.sections[0].result.heads) > 1]
ALSO = [case for case in cases() if case.problem.get("also")]
assert len(FINAL) > 10
assert len(ALSO) > 5


@pytest.mark.parametrize("case", FINAL, ids=lambda case: case.name)
@pytest.mark.parametrize("detail", ["brief", "full", "key"])
def test_the_final_output_is_the_references(case, detail):
    found = [grid for grid in tables(case, case.page(detail=detail)) if grid.corner == "final output"]
    wanted = [section["output"] for section in case.sections()]
    assert found[0].numbers == wanted[0], case.problem
    assert all(grid.numbers in wanted for grid in found[1:])


@pytest.mark.parametrize("case", ALSO, ids=lambda case: case.name)
def test_a_further_section_holds_the_rows_that_change(case):
    """Weights and outputs of the rows that change; the others stay, and the page says so."""
    main, further = case.sections()
    tokens = list(case.worked.problem.tokens)
    text = case.page(detail="key")
    for index, (before, after) in enumerate(zip(main["heads"], further["heads"], strict=True)):
        changed = [row for row in range(len(tokens)) if before["weights"][row] != after["weights"][row]]
        also = [grid for grid in tables(case, text) if grid.headings[-1] == "No looking ahead"]
        for name in ("weights", "output"):
            grid = [grid for grid in also if grid.corner.startswith(name)][index]
            rows = [tokens.index(label) for label in grid.labels]
            assert grid.numbers == [after[name][row] for row in rows], case.problem
            assert set(rows) >= set(changed)


def test_a_changed_cell_is_found():
    case = next(case for case in cases() if case.name == "napkin")
    texts = expected(case)[0]["weights"]
    (grid,) = (grid for grid in tables(case, case.page()) if grid.corner.startswith("weights"))
    (changed,) = (
        grid
        for grid in tables(case, case.page().replace("| 0.503 |", "| 0.504 |"))
        if grid.corner.startswith("weights")
    )
    assert grid.numbers == texts
    assert changed.numbers != texts
