"""What a page's templates see: strings, integers, lists and dictionaries, made from the worked problem.

Text of the user's is escaped for the format; LaTeX of our own is marked as such. No sentence is written here.
"""

from __future__ import annotations

from fractions import Fraction

from markupsafe import Markup

from symattn.derive.differences import Differences, differences
from symattn.derive.questions import Asked, Question, questions
from symattn.derive.sections import Worked
from symattn.derive.story import changed_rows, story
from symattn.exact import numbers
from symattn.exact.attention import table as table_of
from symattn.exact.matrix import matrix, multiple_of_identity
from symattn.exact.numbers import Exact
from symattn.policies import Grid, grid
from symattn.render import closed_view, latex
from symattn.render.full_view import working
from symattn.render.grids import PAGE_WIDTH, TABLE_WIDTH, width
from symattn.render.head_view import head_view, reordered
from symattn.render.sheet import Escape, Sheet, View, numbered, sheet, tex
from symattn.render.worksheet_view import key_view, worksheet_view
from symattn.steps import Printed, Table

_MOST_DIFFERENCES = 6
_PROJECTIONS = (("query", "W_Q"), ("key", "W_K"), ("value", "W_V"))


def page_view(worked: Worked, escape: Escape, slug: str, detail: str) -> View:
    """Everything that a page of this detail shows."""
    paper = sheet(worked, escape)
    view = _brief(paper, slug)
    match detail:
        case "full":
            heads = [head | {"working": working(paper, index)} for index, head in enumerate(view["heads"])]
            return view | {"heads": heads}
        case "worksheet":
            return worksheet_view(paper, view)
        case "key":
            return key_view(view)
        case _:
            return view


def _brief(paper: Sheet, slug: str) -> View:
    worked = paper.worked
    main, text = worked.sections[0].result, paper.shown[0]
    stories = [story(head, shown, paper.problem.page) for head, shown in zip(main.heads, text.heads, strict=True)]
    asked = tuple(
        Asked(index or None, section.result, shown)
        for index, (section, shown) in enumerate(zip(worked.sections, paper.shown, strict=True))
    )
    return {
        **_frame(paper, slug),
        **_start(paper),
        "heads": [head_view(paper, index, told) for index, told in enumerate(stories)],
        "definition": closed_view.definition(paper.forms[0]),
        "final": _final(paper),
        "also": [_also(paper, index) for index in range(1, len(worked.sections))],
        "differences": _differences(paper),
        "questions": [_question(paper, question) for question in questions(stories[0], asked, paper.problem.page)],
    }


def _frame(paper: Sheet, slug: str) -> View:
    problem, result = paper.problem, paper.worked.sections[0].result
    verb, number = latex.scaled_by(result.scale)
    divisor = paper.worked.divisor()
    begins = "" if divisor is None or divisor.exact else paper.number(divisor.text)
    return {
        "title": tex(paper.escape(problem.title)),
        "slug": slug,
        "tokens": list(paper.tokens),
        "key_tokens": list(paper.key_tokens),
        "self_attention": problem.X is not None or paper.tokens == paper.key_tokens,
        "decimals": problem.page.decimals,
        "significant": problem.page.digits == "significant",
        "carried": problem.page.rounding == "carried",
        "to_one": problem.page.row_sums == "one",
        "symbolic": result.symbolic,
        "letters": {name: tex(letter) for name, letter in paper.notation.letters.items()},
        "letter": tex(paper.notation.letter),
        "d_k": result.d_k,
        "scale": {
            "given": problem.attention.scale is not None,
            "verb": verb,
            "tex": tex(number),
            "begins": begins,
            "root": "sqrt" in number,
        },
        "causal": result.allowed is not None,
        "offset": problem.attention.causal == "bottom-right" and problem.n_q != problem.n_k,
        "num_heads": len(result.heads),
    }


def _start(paper: Sheet) -> View:
    """Where queries, keys and values come from, and every token's row of each."""
    problem, result, shown = paper.problem, paper.worked.sections[0].result, paper.shown[0]
    derivation = paper.teller(0, 0).derivation
    columns = [] if problem.X is None else [("X", derivation.step("X").exact, derivation.step("X").printed)]
    if len(result.heads) == 1:
        head, text = result.heads[0], shown.heads[0]
        columns += [(name, getattr(head, name), getattr(text, name)) for name, _ in _PROJECTIONS]
    learned = [] if problem.X is None else [_learned(paper, *names) for names in _PROJECTIONS]
    same_rows = problem.X is not None or problem.n_q == problem.n_k
    given = ("X",) if problem.X is not None or problem.page.rounding == "carried" else ("query", "key", "value")
    cells = {
        name: _given_cells(paper, exact, printed) if name in given else paper.cells(exact, printed)
        for name, exact, printed in columns
    }
    vectors = {name: [tex(latex.vector(row)) for row in rows] for name, rows in cells.items()}
    fits = same_rows and sum(max(map(width, rows)) + 3 for rows in vectors.values()) + 10 <= TABLE_WIDTH
    return {
        "from_tokens": problem.X is not None,
        "start": {
            "fits": fits,
            "width": len(columns) + 1,
            "columns": [{"name": name, "vectors": rows} for name, rows in vectors.items()],
            "grids": [
                {"name": name, "blocks": numbered(rows, paper.key_tokens if name in ("key", "value") else paper.tokens)}
                for name, rows in cells.items()
                if not fits
            ],
        },
        "learned": learned,
        "learned_groups": _groups(learned),
        "projected": _projected_entry(paper),
    }


def _learned(paper: Sheet, array: str, table: str) -> View:
    """A learned table: a plain copy, a multiple of one, or a matrix of its own."""
    weight = getattr(paper.problem, table)
    found: View = {"array": array, "table": table, "letter": tex(paper.notation.letters[table]), "kind": "copy"}
    if weight == "identity":
        return found
    rows = matrix(weight)
    factor = multiple_of_identity(rows)
    if factor is not None:
        return found | {"kind": "copy" if factor == 1 else "multiple", "factor": tex(latex.exact(factor))}
    printed = grid(table_of(rows), paper.problem.page, symbolic=True)
    entries = [[_given(paper, *pair) for pair in zip(*both, strict=True)] for both in zip(rows, printed, strict=True)]
    full = latex.matrix(entries)
    return found | {
        "kind": "matrix",
        "tex": tex(full),
        "fits": sum(max(map(width, column)) + 2 for column in zip(*entries, strict=True)) <= PAGE_WIDTH,
    }


def _given_cells(paper: Sheet, exact: Table, printed: Grid) -> list[list[Markup]]:
    return [
        [tex(_given(paper, value.number, shown)) for value, shown in zip(*rows, strict=True)]
        for rows in zip(exact.rows, printed, strict=True)
    ]


def _given(paper: Sheet, entry: Exact, shown: Printed | None) -> str:
    """A given number: its decimal where that says all, else in exact form."""
    says_all = shown is not None and (
        shown.exact or (shown.text == shown.nearest and numbers.rational(entry) == Fraction(shown.text))
    )
    return paper.number(shown.text) if shown is not None and says_all else latex.exact(entry)


def _groups(learned: list[View]) -> list[View]:
    """Tables that do the same, said in one breath."""
    groups: list[View] = []
    for table in learned:
        same = (
            groups
            and table["kind"] != "matrix"
            and (groups[-1]["kind"], groups[-1].get("factor")) == (table["kind"], table.get("factor"))
        )
        if same:
            groups[-1]["arrays"].append(table["array"])
        else:
            groups.append(table | {"arrays": [table["array"]]})
    return groups


def _projected_entry(paper: Sheet) -> View | None:
    """One entry of the first array that a matrix makes, in full."""
    if paper.problem.X is None or len(paper.worked.sections[0].result.heads) > 1:
        return None
    for array, table in _PROJECTIONS:
        if _learned(paper, array, table)["kind"] == "matrix":
            line = paper.teller(0, 0).dot_product(array, 0, 0)
            return None if line is None else {"array": array, "line": tex(line)}
    return None


def _final(paper: Sheet) -> View | None:
    """The heads side by side and, through W_O, the final output; None for a single plain head."""
    problem, result, shown = paper.problem, paper.worked.sections[0].result, paper.shown[0]
    if problem.W_O is None and len(result.heads) == 1:
        return None
    learned = None if problem.W_O is None else _learned(paper, "final", "W_O")
    return {"learned": learned, "output": paper.numbered_grid(result.output, shown.output, paper.tokens)}


def _also(paper: Sheet, index: int) -> View:
    """What changes in a further section: only the rows that do, of each head."""
    section, shown = paper.worked.sections[index], paper.shown[index]
    way = paper.forms[index]
    heads = [_changed_head(paper, index, number) for number in range(len(section.result.heads))]
    changed = {line["row"] for part in heads for line in part["rows"]}
    verb, number_tex = latex.scaled_by(section.result.scale)
    return {
        "number": index,
        "changed": list(section.changed),
        "causal": section.result.allowed is not None,
        "offset": section.options.causal == "bottom-right" and paper.problem.n_q != paper.problem.n_k,
        "scale": {"verb": verb, "tex": tex(number_tex)},
        "heads": heads,
        "any": bool(changed),
        "kept": [row for row in range(len(paper.tokens)) if row not in changed],
        "definition": closed_view.definition(way)
        if way.letter != paper.forms[0].letter or (way.by is None) != (paper.forms[0].by is None)
        else None,
        "final": paper.numbered_grid(section.result.output, shown.output, paper.tokens, index)
        if paper.problem.W_O is not None
        else [],
    }


def _changed_head(paper: Sheet, index: int, number: int) -> View:
    """The rows of one head that differ from the main section's."""
    section = paper.worked.sections[index]
    head, text = section.result.heads[number], paper.shown[index].heads[number]
    rows = list(changed_rows(paper.worked.sections[0].result, section.result, number))
    weights, output = paper.cells(head.weights, text.weights, index), paper.vectors(head.output, text.output, index)
    closed = closed_view.closed_rows(paper, index, number, rows)
    lines = [{"row": row, "weights": weights[row], "output": output[row]} for row in rows]
    sizes = [width(", ".join(weights[row])) for row in rows]
    return {
        "number": number + 1,
        "rows": lines,
        "closed": closed,
        "fits": closed["fits"] and max(sizes, default=0) + closed["size"] <= TABLE_WIDTH,
        "weights": paper.grid(head.weights, text.weights, index, rows),
        "output": paper.numbered_grid(head.output, text.output, paper.tokens, index, rows),
    }


def _differences(paper: Sheet) -> View | None:
    found: Differences = differences(
        paper.worked.starts, paper.worked.sections[0].result, paper.shown[0], paper.problem.page
    )
    if not found:
        return None
    rows = [
        {
            "array": row.array,
            "row": row.row,
            "column": row.column,
            "number": row.column + 1,
            "begins": paper.number(row.begins) + ("" if row.exact else tex(r"\ldots")),
            **{way: paper.number(getattr(row, way)) for way in ("printed", "nearest", "carried", "to_one")},
        }
        for row in found.rows
    ]
    return {
        "sums": [{"row": item.row, "head": item.head + 1, "total": paper.number(item.total)} for item in found.sums],
        "rows": rows[:_MOST_DIFFERENCES],
        "more": max(0, len(rows) - _MOST_DIFFERENCES),
        "ties": [_special(paper, item) for item in found.specials if item.kind == "tie"][:_MOST_DIFFERENCES],
        "zeros": [_special(paper, item) for item in found.specials if item.kind == "zero"][:_MOST_DIFFERENCES],
    }


def _special(paper: Sheet, item) -> View:  # type: ignore[no-untyped-def]
    return {
        "array": item.array,
        "row": item.row,
        "column": item.column,
        "number": item.column + 1,
        "printed": paper.number(item.printed),
    }


def _question(paper: Sheet, question: Question) -> View:
    return {
        "kind": question.kind,
        "row": question.row,
        "reordered": question.kind == "same_scores"
        and reordered(paper.worked.sections[0].result.heads[0], question.row, question.other),
        "other": question.other,
        "numbers": [paper.number(text) for text in question.numbers],
        "total": paper.number(question.total) if question.total else "",
        "masked": question.section is not None,
        "value": paper.vectors(paper.worked.sections[0].result.heads[0].value, paper.shown[0].heads[0].value)[0],
    }
