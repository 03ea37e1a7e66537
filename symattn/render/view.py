"""What a page's templates see: strings, integers, lists and dictionaries, made from the worked problem.

Text of the user's is escaped for the format; LaTeX of our own is marked as such. No sentence is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from flint import fmpq
from markupsafe import Markup

from symattn.derive.differences import Differences, differences
from symattn.derive.questions import Asked, Question, questions
from symattn.derive.sections import Worked
from symattn.derive.story import Story, changed_rows, story
from symattn.exact import numbers
from symattn.exact.attention import Head, Result
from symattn.exact.attention import table as table_of
from symattn.exact.matrix import matrix, multiple_of_identity
from symattn.exact.numbers import Exact
from symattn.exact.positions import pair_of, slopes
from symattn.policies import Grid, PrintedHead, grid
from symattn.problem import Attention, Entry, Rope, causal_offset
from symattn.render import closed_view, latex
from symattn.render.full_view import final_teller, final_working, residual_working, working
from symattn.render.grids import PAGE_WIDTH, TABLE_WIDTH, width
from symattn.render.head_view import head_view, reordered
from symattn.render.safe import tex
from symattn.render.sheet import Escape, Sheet, View, sheet
from symattn.render.style import Style
from symattn.render.worksheet_view import key_heads, key_view, worksheet_layer, worksheet_view
from symattn.steps import Printed, Table

_MOST_DIFFERENCES = 6
_MOST_SUMS = 4
_PROJECTIONS = (("query", "W_Q"), ("key", "W_K"), ("value", "W_V"))


def page_view(worked: Worked, escape: Escape, slug: str, detail: str) -> View:
    """Everything that a page of this detail shows."""
    papers = [sheet(layer, escape) for layer in worked.layers]
    paper = papers[0]
    told = [_stories(one) for one in papers]
    view = _brief(paper, told[0][0], slug) | {"layered": worked.asked is not None, "captioned": _captioned(worked)}
    layers = [layer_view(*pair, detail) for pair in zip(papers, told, strict=True)]
    match detail:
        case "worksheet":
            view = worksheet_view(paper, view)
        case "chapter":
            from symattn.render.chapter_view import chapter_view

            view = chapter_view(paper, view)
        case "key":
            view = key_view(view)
    return view | layers[0] | {"layers": layers}


def _stories(paper: Sheet) -> list[Story]:
    """What is told of each head."""
    heads = zip(paper.worked.sections[0].result.heads, paper.shown[0].heads, strict=True)
    return [story(*head, guessed=paper.worked.index == 0) for head in heads]


def layer_view(paper: Sheet, stories: Sequence[Story], detail: str) -> View:
    """What a page of this detail shows of one layer."""
    result, later = paper.worked.sections[0].result, paper.worked.index > 0
    heads = [head_view(paper, index, told) for index, told in enumerate(stories)]
    level = 2 if paper.worked.asked is None else 3
    found = {
        **_layer_frame(paper),
        "number": paper.worked.index + 1,
        "letters": {name: tex(letter) for name, letter in paper.notation.letters.items()},
        "at": f"layer-{paper.worked.index + 1}-" if later else "",
        "head_level": level,
        "open": any(len(closed_view.rows_with_forms(paper, head)) < len(head.rows) for head in result.heads),
        "level": level if len(heads) == 1 else level + 1,
        "heads": heads,
        "final": _final(paper),
        "residual": _residual(paper),
        "differences": _differences(paper),
    }
    if later:
        found |= {"inputs": _inputs(paper), "learned": _all_learned(paper)}
        found["learned_groups"] = _groups(found["learned"])
    match detail:
        case "full":
            found["inputs"] = found.get("inputs", [])[:1]
            found["heads"] = [head | {"working": working(paper, index)} for index, head in enumerate(heads)]
            if found["final"] is not None:
                found["final"] |= {"working": final_working(paper)}
            if found["residual"] is not None:
                found["residual"] |= {"working": residual_working(paper)}
        case "worksheet":
            found = worksheet_layer(paper, found)
        case "key":
            found["heads"] = key_heads(paper, heads)
    return found


def _captioned(worked: Worked) -> bool:
    """Whether one line says what every layer does: their options are the same but for the number of heads."""
    alike = [
        replace(layer.problem.attention, num_heads=1, num_kv_heads=None, residual=False) for layer in worked.layers
    ]
    return all(options == alike[0] for options in alike)


def _residual(paper: Sheet) -> View | None:
    """The tokens plus the output; None where they are not added."""
    exact, shown, teller = paper.worked.sections[0].result.residual, paper.shown[0].residual, final_teller(paper)
    if exact is None or shown is None or teller is None:
        return None
    row, line = next(((row, line) for row in range(exact.shape[0]) if (line := teller.added(row))), (0, None))
    grid = paper.numbered_grid(exact, shown, paper.tokens)
    return {"output": grid, "row": row, "line": None if line is None else tex(line)}


def _inputs(paper: Sheet) -> list[View]:
    """What a later layer starts from, and what its tables make of it; of several heads each works with a part."""
    result, shown = paper.worked.sections[0].result, paper.shown[0]
    derivation = paper.teller(0, 0).derivation
    tables = [("X", derivation.step("X").exact, derivation.step("X").printed)]
    if len(result.heads) == 1:
        head, text = result.heads[0], shown.heads[0]
        made = [table["array"] for table in _all_learned(paper) if table["kind"] != "copy" or table["bias"]]
        tables += [(name, getattr(head, name), getattr(text, name)) for name in made]
    return [
        {"name": name, "blocks": paper.numbered_grid(exact, printed, _labels(paper, name))}
        for name, exact, printed in tables
    ]


def _all_learned(paper: Sheet) -> list[View]:
    return [] if paper.problem.X is None else [_learned(paper, *names) for names in _PROJECTIONS]


def _brief(paper: Sheet, first: Story, slug: str) -> View:
    worked = paper.worked
    asked = tuple(
        Asked(index or None, section.result, shown)
        for index, (section, shown) in enumerate(zip(worked.sections, paper.shown, strict=True))
    )
    return {
        **_frame(paper, slug),
        **_start(paper),
        "definition": closed_view.definition(paper, paper.forms[0]),
        "also": [_also(paper, index) for index in range(1, len(worked.sections))],
        "questions": [_question(paper, question) for question in questions(first, asked, paper.problem.page)],
        "first_value": _first_value(paper),
    }


def _frame(paper: Sheet, slug: str) -> View:
    problem, result = paper.problem, paper.worked.sections[0].result
    return {
        "title": tex(paper.escape(problem.title)),
        "slug": slug,
        "tokens": list(paper.tokens),
        "key_tokens": list(paper.key_tokens),
        "self_attention": _is_self_attention(paper),
        "selves": _selves(paper),
        "decimals": problem.page.decimals,
        "significant": problem.page.digits == "significant",
        "carried": problem.page.rounding == "carried",
        "to_one": problem.page.row_sums == "one" and result.rows_add_to_one,
        "symbolic": result.symbolic,
        "letters": {name: tex(letter) for name, letter in paper.notation.letters.items()},
        "letter": tex(paper.notation.letter),
        "vectors": problem.page.vectors,
        "separator": tex(paper.style.comma),
        "powers": {
            name: tex(paper.style.power(exponent))
            for name, exponent in (("score", "s"), ("hidden", latex.INFINITY), ("five", "5"))
        },
        "caption": tex(_caption(paper)),
        "past": problem.past,
        "context": problem.context is not None,
    }


def _layer_frame(paper: Sheet) -> View:
    """What hangs on the options and sizes of one layer."""
    problem, result = paper.problem, paper.worked.sections[0].result
    verb, number = latex.scaled_by(result.scale, paper.style)
    divisor = paper.worked.divisor()
    rounds = verb == "divide" and divisor is not None and not divisor.exact and not result.symbolic
    begins = "" if not rounds or divisor is None else paper.number(divisor.text)
    return {
        "d_k": result.d_k,
        "scale": {
            "given": problem.attention.scale is not None,
            "verb": verb,
            "tex": tex(number),
            "begins": begins,
            "root": "sqrt" in number,
        },
        "causal": problem.attention.causal is not False,
        "averaging": result.rows_add_to_one,
        "masked": any(head.allowed is not None for head in result.heads),
        "num_heads": len(result.heads),
        "option": _options(paper, problem.attention),
    }


def _caption(paper: Sheet) -> str:
    """The whole in one line: softmax of the scores, scaled, capped, biased, masked, over the temperature; times V."""
    problem, result = paper.problem, paper.worked.sections[0].result
    letters = paper.notation.letters
    turned = "rotated_" if result.rope is not None else ""
    query, key = letters[f"{turned}query"], letters[f"{turned}key"]
    raised = rf"{key if len(key) == 1 else f'{{{key}}}'}^{{\top}}"
    product = f"{raised} {query}" if paper.style.columns else f"{query} {raised}"
    inner = _scaled_product(product, result, paper.style, given=problem.attention.scale is not None)
    if result.softcap is not None:
        cap = latex.exact(result.softcap, paper.style)
        inner = rf"{cap} \tanh\!\left(\frac{{1}}{{{cap}}}\,{inner}\right)"
    head = result.heads[0]
    parts = ((letters["bias"], head.bias), (letters["mask"], head.allowed))
    added = [letter for letter, used in parts if used is not None]
    inner = " + ".join([inner, *added])
    if result.temperature is not None:
        inner = rf"{latex.exact(numbers.inverse(result.temperature), paper.style)}\left({inner}\right)"
    arguments = ", ".join(letters[name] for name in ("query", "key", "value"))
    weights = rf"\mathrm{{softmax}}\!\left({inner}\right)"
    value = letters["value"]
    mixed = rf"{value}\, {weights}" if paper.style.columns else f"{weights} {value}"
    return rf"\mathrm{{Attention}}({arguments}) = {mixed}"


def _scaled_product(product: str, result: Result, style: Style, *, given: bool) -> str:
    if not given:
        return rf"\frac{{{product}}}{{\sqrt{{d_k}}}}"
    verb, number = latex.scaled_by(result.scale, style)
    if number == "1":
        return product
    return rf"\frac{{{product}}}{{{number}}}" if verb == "divide" else rf"{number}\, {product}"


def _options(paper: Sheet, options: Attention) -> View:
    """The options in force, as a page names them."""
    problem = paper.problem
    offset = causal_offset(options, problem.n_q, problem.n_k, problem.past)

    def entry(value: Entry | None) -> Markup | None:
        return None if value is None else tex(latex.exact(numbers.number(value), paper.style))

    return {
        "causal": options.causal is not False,
        "offset": offset not in (None, 0),
        "mask": bool(options.mask),
        "key_lengths": options.key_lengths,
        "window": None if options.window is None else _window(*options.window),
        "cap": entry(options.softcap),
        "bias": bool(options.bias),
        "bias_hides": any(entry is None for table in options.bias for row in table for entry in row),
        "alibi": [tex(latex.exact(slope)) for slope in slopes(options.num_heads)] if options.alibi else [],
        "temperature": entry(options.temperature),
        "sink": bool(options.sink),
        "rope": None if options.rope is None else _rope(paper, options.rope),
        "masked_row": options.masked_row,
        "convention": options.convention,
        "kv_heads": options.kv_heads,
    }


def _window(left: int, right: int) -> View:
    """How many tokens are seen on each side; None for all."""
    return {"before": None if left < 0 else left, "after": None if right < 0 else right}


def _rope(paper: Sheet, rope: Rope) -> View:
    width = rope.dimensions or paper.worked.sections[0].result.d_k
    speeds = [numbers.power(numbers.number(rope.base), fmpq(-2 * pair, width)) for pair in range(width // 2)]
    pairs = [pair_of(pair, width // 2, rope) for pair in range(width // 2)]
    return {
        "speeds": [tex(latex.exact(speed)) for speed in speeds],
        "pairs": [[one + 1, other + 1] for one, other in pairs],
    }


def _start(paper: Sheet) -> View:
    """Where queries, keys and values come from, and every token's row of each."""
    problem, result, shown = paper.problem, paper.worked.sections[0].result, paper.shown[0]
    derivation = paper.teller(0, 0).derivation
    sources = [] if problem.X is None else ["X"] if problem.context is None else ["X", "context"]
    columns = [(name, derivation.step(name).exact, derivation.step(name).printed) for name in sources]
    if len(result.heads) == 1:
        head, text = result.heads[0], shown.heads[0]
        columns += [(name, getattr(head, name), getattr(text, name)) for name, _ in _PROJECTIONS]
    learned = _all_learned(paper)
    same_rows = _is_self_attention(paper)
    given = (
        ("X", "context") if problem.X is not None or problem.page.rounding == "carried" else ("query", "key", "value")
    )
    cells = {
        name: _given_cells(paper, exact, printed) if name in given else paper.cells(exact, printed)
        for name, exact, printed in columns
    }
    vectors = {name: [tex(paper.style.vector(row)) for row in rows] for name, rows in cells.items()}
    size = sum(max(map(width, rows)) + 3 for rows in vectors.values()) + 10
    fits = same_rows and not paper.style.columns and size <= TABLE_WIDTH
    return {
        "from_tokens": problem.X is not None,
        "start": {
            "fits": fits,
            "width": len(columns) + 1,
            "columns": [{"name": name, "vectors": rows} for name, rows in vectors.items()],
            "grids": [
                {"name": name, "blocks": paper.numbered(rows, _labels(paper, name))}
                for name, rows in cells.items()
                if not fits
            ],
        },
        "learned": learned,
        "learned_groups": _groups(learned),
        "projected": _projected_entry(paper, learned),
    }


def _is_self_attention(paper: Sheet) -> bool:
    """Whether every token is both a query and a key, row by row."""
    return paper.problem.context is None and not paper.problem.past and paper.tokens == paper.key_tokens


def _labels(paper: Sheet, array: str) -> tuple[Markup, ...]:
    """The names of an array's rows."""
    return paper.key_tokens if array in ("key", "value", "context") else paper.tokens


def _selves(paper: Sheet) -> list[int]:
    """For each query the column of its own key; -1 where it has none."""
    own = paper.problem.context is None and paper.problem.n_q + paper.problem.past == paper.problem.n_k
    same = own and paper.tokens == paper.key_tokens[paper.problem.past :]
    return [row + paper.problem.past if same else -1 for row in range(paper.problem.n_q)]


def _learned(paper: Sheet, array: str, table: str) -> View:
    """A learned table: a plain copy, a multiple of one, or a matrix of its own."""
    weight = getattr(paper.problem, table)
    bias = getattr(paper.problem, f"b_{table[-1]}")
    source = "context" if paper.problem.context is not None and array in ("key", "value") else "X"
    letters = paper.notation.letters
    factors = (letters[table], letters[source]) if paper.style.columns else (letters[source], letters[table])
    found: View = {
        "array": array,
        "table": table,
        "letter": tex(letters[table]),
        "product": tex("".join(factors)),
        "kind": "copy",
        "source": source,
        "bias": None if bias is None else tex(paper.style.vector(_exact_entries(paper, bias))),
        "bias_letter": tex(letters[f"b_{table[-1]}"]),
    }
    if weight == "identity":
        return found
    rows = matrix(weight)
    factor = multiple_of_identity(rows)
    if factor is not None:
        return found | {"kind": "copy" if factor == 1 else "multiple", "factor": tex(latex.exact(factor, paper.style))}
    printed = grid(table_of(rows), paper.problem.page, symbolic=True)
    entries = [[_given(paper, *pair) for pair in zip(*both, strict=True)] for both in zip(rows, printed, strict=True)]
    full = paper.style.matrix(entries)
    columns = entries if paper.style.columns else zip(*entries, strict=True)
    return found | {
        "kind": "matrix",
        "tex": tex(full),
        "fits": sum(max(map(width, column)) + 2 for column in columns) <= PAGE_WIDTH,
    }


def _exact_entries(paper: Sheet, entries: tuple[Entry, ...]) -> Iterator[str]:
    return (latex.exact(numbers.number(entry), paper.style) for entry in entries)


def _given_cells(paper: Sheet, exact: Table, printed: Grid) -> list[list[Markup]]:
    return [
        [tex(_given(paper, value.number, shown)) for value, shown in zip(*rows, strict=True)]
        for rows in zip(exact.rows, printed, strict=True)
    ]


def _given(paper: Sheet, entry: Exact, shown: Printed | None) -> str:
    """A given number: its decimal where that says all, else in exact form."""
    says_all = shown is not None and (
        shown.exact or (shown.text == shown.nearest and bool(entry == numbers.from_decimal(shown.text)))
    )
    return paper.number(shown.text) if shown is not None and says_all else latex.exact(entry, paper.style)


def _groups(learned: list[View]) -> list[View]:
    """Tables that do the same, said in one breath."""
    groups: list[View] = []
    for table in learned:
        traits = ("kind", "factor", "source", "bias")
        alike = groups and all(groups[-1].get(trait) == table.get(trait) for trait in traits)
        same = alike and table["kind"] != "matrix"
        if same:
            groups[-1]["arrays"].append(table["array"])
        else:
            groups.append(table | {"arrays": [table["array"]]})
    return groups


def _projected_entry(paper: Sheet, learned: list[View]) -> View | None:
    """One entry of the first array that a matrix makes, in full."""
    if len(paper.worked.sections[0].result.heads) > 1:
        return None
    for table in learned:
        array = table["array"]
        is_stored = array != "query" and bool(paper.problem.past)
        if table["kind"] == "matrix" and not is_stored:
            line = paper.teller(0, 0).dot_product(array, 0, 0)
            tokens = paper.tokens if array == "query" or paper.problem.context is None else paper.key_tokens
            return None if line is None else {"array": array, "line": tex(line), "token": tokens[0]}
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
    verb, number_tex = latex.scaled_by(section.result.scale, paper.style)
    return {
        "number": index,
        "changed": list(section.changed),
        "off": getattr(section.options, section.changed[0]) is False,
        "causal": section.options.causal is not False,
        "option": _options(paper, section.options),
        "scale": {"verb": verb, "tex": tex(number_tex)},
        "heads": heads,
        "any": bool(changed),
        "kept": [row for row in range(len(paper.tokens)) if row not in changed],
        "definition": closed_view.definition(paper, way)
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
        "fits": closed["fits"] and not paper.style.columns and max(sizes, default=0) + closed["size"] <= TABLE_WIDTH,
        "lse": _lse(paper, head, text, index),
        "weights": paper.grid(head.weights, text.weights, index, rows),
        "output": paper.numbered_grid(head.output, text.output, paper.tokens, index, rows),
    }


def _lse(paper: Sheet, head: Head, text: PrintedHead, index: int = 0) -> list[View]:
    """The log-sum-exp of every row, where it is asked for."""
    return [] if head.lse is None or text.lse is None else paper.numbered_grid(head.lse, text.lse, paper.tokens, index)


def _differences(paper: Sheet) -> View | None:
    found: Differences = differences(paper.worked, paper.shown[0])
    if not found:
        return None
    rows = [
        {
            "array": row.array,
            "head": row.head + 1,
            "row": row.row,
            "column": row.column,
            "number": row.column + 1,
            "begins": paper.number(row.begins) + ("" if row.exact else tex(r"\ldots")),
            **{way: paper.number(getattr(row, way)) for way in ("printed", "nearest", "carried", "to_one")},
        }
        for row in found.rows
    ]
    return {
        "sums": [
            {"row": item.row, "head": item.head + 1, "total": paper.number(item.total)}
            for item in found.sums[:_MOST_SUMS]
        ],
        "more_sums": max(0, len(found.sums) - _MOST_SUMS),
        "rows": rows[:_MOST_DIFFERENCES],
        "more": max(0, len(rows) - _MOST_DIFFERENCES),
        **_specials(paper, found, "tie", "ties"),
        **_specials(paper, found, "zero", "zeros"),
    }


def _specials(paper: Sheet, found: Differences, kind: str, name: str) -> View:
    """The first ties, or vanishing values, and how many more there are."""
    items = [item for item in found.specials if item.kind == kind]
    return {
        name: [_special(paper, item) for item in items[:_MOST_DIFFERENCES]],
        f"more_{name}": max(0, len(items) - _MOST_DIFFERENCES),
    }


def _special(paper: Sheet, item) -> View:  # type: ignore[no-untyped-def]
    return {
        "array": item.array,
        "head": item.head + 1,
        "row": item.row,
        "column": item.column,
        "number": item.column + 1,
        "printed": paper.number(item.printed),
    }


def _first_value(paper: Sheet) -> Markup:
    """The first token's value, which the first output is where nothing else is seen."""
    value, shown = paper.worked.sections[0].result.heads[0].value, paper.shown[0].heads[0].value
    return paper.vectors(Table(value.rows[:1]), shown[:1])[0]


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
    }
