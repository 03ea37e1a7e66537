"""What a page says is given: the problem that its numbers belong to, or what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final

from flint import fmpq

from symattn.check import options
from symattn.check.agreement import reach
from symattn.check.blocks import Block
from symattn.check.quantities import UPSTREAM, Array, Known, solved
from symattn.check.reading import labels
from symattn.check.reading.page import PageText
from symattn.check.reading.tree import Call, Name, Negative, Node, Num, Operation, Statement, numbers_in
from symattn.errors import SymattnError
from symattn.exact.values import MASKED
from symattn.parse.problem import problem as problem_of
from symattn.problem import Problem

_DIRECT: Final = ("query", "key", "value")
_TABLES: Final = ("W_Q", "W_K", "W_V", "W_O")
_STARTS: Final = ("scores", "scaled", "logits")
INPUTS: Final = ("X", *_TABLES, *_DIRECT, *_STARTS, "bias")
_BY_HEAD: Final = ("query", "key", "W_Q", "W_K", *_STARTS)
"""What is given head by head, where anything is."""
_FILE: Final = {"query": "Q", "key": "K", "value": "V"}
_MOST_ROWS: Final = 512

Text = list[list[str | None]]


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One problem that a page works, and the part of the page that it rules.

    Attributes:
        known: Its quantities.
        data: The problem as data, for a file.
        start, end: Where on the page it rules.
        taken: What was taken as given, each with its line and what it is: ``("Q", 12)``; line 0 for what no line says.
        start_at: The quantity that the page starts from, where it gives no queries and keys.
        rounded: What the page starts from is said or shown to be rounded.
        given: The blocks that were taken as given.
        declared: The page, or a problem file, says what its policy is.
    """

    known: Known
    data: Mapping[str, Any]
    start: int
    end: int
    taken: tuple[tuple[str, int], ...] = ()
    start_at: str = ""
    rounded: bool = False
    given: frozenset[int] = frozenset()
    declared: bool = False


@dataclass(slots=True)
class _Group:
    """Definitions that go together. ``copies`` are the names of what words call plain copies of X."""

    start: int
    copies: frozenset[str] = frozenset()
    arrays: dict[tuple[str, int | None], Text] = field(default_factory=dict)
    blocks: dict[tuple[str, int | None], list[Block]] = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        found = {name for name, _ in self.arrays}
        return all(name in found or (name in self.copies and "X" in found) for name in names)

    def is_complete(self) -> bool:
        return (
            (self.has("query", "key") or self.has("X", "W_Q", "W_K"))
            or (self.has("X", "W_Q", "key") or self.has("X", "query", "W_K"))
            or any(self.has(name) for name in _STARTS)
        )

    def is_attention(self) -> bool:
        return (self.has("query") or self.has("X", "W_Q")) and (self.has("key") or self.has("X", "W_K"))


@dataclass(frozen=True, slots=True)
class Refusal:
    """An option that a page speaks of and that its words do not settle: without it its numbers are not judged."""

    option: str
    data: Mapping[str, Any]


def examples(page: PageText, found: list[Block]) -> tuple[list[Example], tuple[str, ...], dict[str, Any]]:
    """The problems that a page itself says; where it says too little, the names of what is missing, and what it does
    say.
    """
    groups = _groups(found, _aliases(page), by_column=options.are_columns(page.text))
    whole = [group for group in groups if group.is_complete()]
    if not whole:
        return [], _missing(groups), _partial(groups)
    made: list[Example] = []
    for index, group in enumerate(whole):
        end = whole[index + 1].start if index + 1 < len(whole) else len(page.text)
        example = _example(page, group, found, end)
        if isinstance(example, Refusal):
            return [], (example.option,), dict(example.data)
        if example is not None:
            made.append(example)
    return (made, (), {}) if made else ([], _missing(groups), _partial(groups))


def _partial(groups: list[_Group]) -> dict[str, Any]:
    """What is known of a problem of which something is missing."""
    group = max(groups, key=lambda one: len(one.arrays))
    return {_FILE.get(name, name): value for (name, _), value in group.arrays.items() if name not in _STARTS}


def _missing(groups: list[_Group]) -> tuple[str, ...]:
    group = max(groups, key=lambda one: len(one.arrays))
    wanted = []
    for name, table in (("query", "W_Q"), ("key", "W_K"), ("value", "W_V")):
        if not group.has(name) and not group.has("X", table):
            wanted.append(table if group.has("X") else _FILE[name])
    return tuple(wanted)


def _aliases(page: PageText) -> list[tuple[str, ...]]:
    """Names that a page says stand for one array, ``Q = K = X``, where it is not written out there."""
    found: list[tuple[str, ...]] = []
    for item in page.items:
        if isinstance(item, Statement) and all(member.relation in ("", "=") for member in item.members):
            names = [labels.of_node(member.node) for member in item.members if isinstance(member.node, Name)]
            kept = tuple(label.quantity for label in names if label is not None and label.quantity in INPUTS)
            if len(kept) == len(item.members) > 1:
                found.append(kept)
    copies = (_PLURALS.findall(said["names"]) for said in _COPIES.finditer(page.text))
    return found + [(*(_PLURAL[name.lower()] for name in names), "X") for names in copies]


_PLURAL: Final = {"queries": "query", "keys": "key", "values": "value"}
_PLURALS: Final = re.compile("|".join(_PLURAL), re.IGNORECASE)
_COPIES: Final = re.compile(
    r"\b(?P<names>(?:queries|keys|values)(?:(?:,| and|, and) (?:queries|keys|values)){0,2}) are "
    r"(?:all )?(?:plain |exact |just )?(?:copies of|the same as|equal to)\s+\$?\s*X\b",
    re.IGNORECASE,
)


def _groups(found: list[Block], aliases: list[tuple[str, ...]], *, by_column: bool) -> list[_Group]:
    copies = frozenset(name for names in aliases if "X" in names for name in names)
    groups = [_Group(0, copies)]
    for block in found:
        texts = entry_texts(block)
        if texts is None or _is_bare(block) or _is_made(block.said.words):
            continue
        if by_column and not block.by_token:
            texts = [list(column) for column in zip(*texts, strict=True)]
        for name, row in _names_of(block):
            group = groups[-1]
            key = (name, block.said.head if name not in ("X", "W_O") else None)
            value: Text | None = texts
            if row is not None:
                value = _with_row(group.arrays.get(key, []), row, texts[0])
                if value is None:
                    continue
            elif key in group.arrays and group.arrays[key] != texts:
                if (len(texts) == 1 and len(group.arrays[key]) > 1) or name in _STARTS:
                    continue
                if not _starts_anew(group, name):
                    continue
                group = _Group(block.start, copies)
                groups.append(group)
            elif name in _STARTS and (group.is_attention() or key in group.arrays):
                continue
            assert value is not None  # noqa: S101 - a row that does not fit was left out
            group.arrays[key] = value
            group.blocks.setdefault(key, []).append(block)
    for group in groups:
        _alias(group, aliases)
    return _merged(groups)


_MADE: Final = re.compile(r"\b(?:turned|rotated)\b", re.IGNORECASE)
"""What is said of an array that was made from what is given."""
_NO_WORDS: Final = re.compile(r"\\[A-Za-z@]+\*?|[^A-Za-z.:,]+")
_CLOSE: Final = 40


def _is_made(words: str) -> bool:
    """Whether the words right before an array say that it was made from what is given."""
    return bool(_MADE.search(_NO_WORDS.sub(" ", words[-5 * _CLOSE :]).strip()[-_CLOSE:]))


def _is_result(block: Block) -> bool:
    """Whether a block is what a computation before it gives."""
    members = block.statement.members if block.statement is not None else ()
    return any(member.start < block.start and any(True for _ in numbers_in(member.node)) for member in members)


def _is_bare(block: Block) -> bool:
    """A single number without brackets is no array."""
    if block.shape != (1, 1) or block.row_names:
        return False
    members = block.statement.members if block.statement is not None else ()
    return any(isinstance(member.node, Num) and member.start == block.start for member in members) or not members


def _alias(group: _Group, aliases: list[tuple[str, ...]]) -> None:
    """Give every name of one array what any of them has."""
    for names in aliases:
        key = next((key for key in group.arrays if key[0] in names), None)
        if key is None:
            continue
        for name in names:
            other = (name, key[1] if name != "X" else None)
            if other not in group.arrays:
                group.arrays[other] = group.arrays[key]
                group.blocks[other] = group.blocks.get(key, [])


def _starts_anew(group: _Group, name: str) -> bool:
    """Whether a second, different definition begins another example: only once the one before is whole."""
    return group.is_complete() and name in ("X", "query", "key")


def _merged(groups: list[_Group]) -> list[_Group]:
    """Groups without those that never became whole: what they define is judged as a print of what is given before."""
    return [groups[0], *(group for group in groups[1:] if group.is_complete())]


def _with_row(before: Text, row: int, line: list[str | None]) -> Text | None:
    """A matrix with one more row, where rows are given one by one."""
    if row == len(before) and row < _MOST_ROWS:
        return [*before, line]
    return before if row < len(before) and before[row] == line else None


def _names_of(block: Block) -> Iterator[tuple[str, int | None]]:
    """The inputs that a block defines, with the row where it is one row of them."""
    if not block.told and not block.own:
        if block.said.near[:1] and block.said.near[0] in INPUTS and block.row is not None and block.shape[1] > 1:
            yield block.said.near[0], block.row
        return
    seen = set()
    for label in block.own:
        if label.quantity in INPUTS and label.quantity not in seen:
            seen.add(label.quantity)
            yield label.quantity, label.row if len(block.rows) == 1 else None
        elif label.quantity not in INPUTS:
            return
        if block.statement is None:
            return
    near = () if _is_result(block) else block.said.near[:1]
    if not seen and near and near[0] in INPUTS and near[0] not in _STARTS and block.shape[1] > 1 and block.told:
        yield near[0], None


def entry_texts(block: Block) -> Text | None:
    """A block's entries as a problem file writes them; None if some are no plain numbers."""
    rows = block.rows
    if not rows or len({len(row) for row in rows}) != 1 or block.elided:
        return None
    texts = [[entry_text(node) for node in row] for row in rows]
    if any(text == "" for row in texts for text in row):
        return None
    return [[None if text == "-oo" else text for text in row] for row in texts]


def entry_text(node: Node | None) -> str:
    """A number or a small closed form as a problem file writes it; empty for anything else."""
    match node:
        case Num(printed):
            if printed.special:
                return "-oo" if printed.special == "-oo" else ""
            return _decimal(printed.value)
        case Negative(operand):
            inner = entry_text(operand)
            return f"-({inner})" if inner else ""
        case Operation(sign, left, right) if sign in "+-*/^":
            first, second = entry_text(left), entry_text(right)
            return f"({first}){sign}({second})" if first and second else ""
        case Call(function, (argument,)) if function in ("sqrt", "log", "exp"):
            inner = entry_text(argument)
            return f"{function}({inner})" if inner else ""
        case Name("pi" | "e" as text):
            return text
    return ""


def _decimal(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"{value.numerator}/{value.denominator}"


_ROOTS: Final = re.compile(r"(?:\\sqrt\s*\{?|√\s*\(?|sqrt\s*\(?\s*)\s*(\d{1,4})(?!\d*\.)")
_NO_SCALE: Final = re.compile(
    r"\b(?:no|without|not|skip\w*|omit\w*|ignor\w*|un)[- ]?(?:any |the |apply(?:ing)? (?:any |the )?|using (?:the )?)?"
    r"(?:scal\w+|divi\w+|\$?\\?(?:sqrt|√))",
    re.IGNORECASE,
)
_SCALES: Final = re.compile(r"sqrt|√|scal\w+|divid\w+|d_k|d_\{k\}", re.IGNORECASE)
_TEMPERATURE: Final = re.compile(r"divid\w+ by\s+\$?(\d+(?:\.\d+)?)\b", re.IGNORECASE)


_OPTIONS: Final = (
    ("temperature", re.compile(r"\btemperature\b", re.I)),
    ("softcap", re.compile(r"soft-?cap\w*|\bcap(?:s|ped|ping)? (?:them|the)\b|\btanh\b", re.I)),
    ("bias", re.compile(r"\bbias\b|\balibi\b", re.I)),
    ("sink", re.compile(r"\bsinks?\b", re.I)),
    ("window", re.compile(r"\bwindow\b|sees itself|tokens? before it", re.I)),
    ("key_lengths", re.compile(r"\bpadding\b|\bpadded\b", re.I)),
    ("rope", re.compile(r"\brotary\b|\brope\b|turned by", re.I)),
    ("past_key", re.compile(r"\bcache[sd]?\b", re.I)),
    ("num_kv_heads", re.compile(r"reads? (?:the same|key head)|grouped[- ]query|multi-?query", re.I)),
    ("context", re.compile(r"another row of tokens|cross[- ]attention|\bencoder\b", re.I)),
    ("mask", re.compile(r"\bmask\b|may not (?:look|see)|cross(?:ed)? out", re.I)),
)
_FEWEST: Final = Fraction(9, 10)


def _unsaid(words: str, best: _Attempt) -> str | None:
    """The option that would explain why the numbers of a page do not agree with what it says."""
    if best.good >= best.count * _FEWEST:
        return None
    taken = {name.split()[0] for name, _ in best.taken}
    if "alibi" in taken:
        taken.add("bias")
    rows, keys = _shape(best.data)
    if rows != keys:
        taken |= {"past_key", "context"}
    if "mask as shown" in {name for name, _ in best.taken}:
        taken |= {"window", "key_lengths"}
    found = next((name for name, pattern in _OPTIONS if name not in taken and pattern.search(words)), None)
    return None if found == "mask" and _LATER.search(words) else found


_LATER: Final = re.compile(
    r"causal|no[- ]peek|looking ahead|look[- ]ahead|autoregressive|triang|future|later tokens?", re.I
)


def _example(page: PageText, group: _Group, found: list[Block], end: int) -> Example | Refusal | None:
    words = page.text[group.start : end]
    heads = _heads(group, page, words)
    inferred = _inferred_width(group)
    data, has_values = _data(group, _said_width(group, words) or inferred, heads)
    if data is None:
        return None
    data = {**data, **_named(group), **({"page": {"vectors": "columns"}} if options.are_columns(words) else {})}
    blocks = [block for block in found if group.start <= block.start < end]
    masked = labels.is_masked_anywhere(words) or _looks_masked(blocks)
    options_said = options.options(words, group.start)
    best: _Attempt | None = None
    for scale, said in _scales(group, words, data, inferred):
        for attempt, told in _attempts(group, data, scale, masked, words, blocks, options_said):
            made = _known(attempt, has_values, data.get("start", ""))
            if made is not None:
                one = _Attempt(*_agreement(made, blocks), made, attempt, ((said, 0), *told))
                if best is None or one.rank > best.rank:
                    best = one
    if best is None:
        return None
    option = _unsaid(words, best)
    if option is not None:
        return Refusal(option, best.data)
    used = _used(data, group) | {name for name, _ in best.taken}
    kept = {key: prints for key, prints in group.blocks.items() if key[0] in used}
    taken = [
        (
            _FILE.get(name, name) if head is None else f"{_FILE.get(name, name)} of head {head + 1}",
            page.place(prints[0].start)[0],
        )
        for (name, head), prints in sorted(kept.items(), key=lambda item: item[1][0].start if item[1] else 0)
        if prints
    ]
    taken += [(name, page.place(start)[0] if start else 0) for name, start in best.taken if name != "bias"]
    given = frozenset(id(block) for prints in kept.values() for block in prints)
    return Example(
        best.known, best.data, group.start, end, tuple(taken), data.get("start", ""), _is_rounded(kept), given
    )


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A problem that a page may be about: how many of how many printed numbers agree, and what was taken for it.

    ``plain`` is how many agree under its main options and under no further ones.
    """

    good: int
    count: int
    plain: int
    known: Known
    data: Mapping[str, Any]
    taken: tuple[tuple[str, int], ...]

    @property
    def rank(self) -> tuple[int, bool]:
        """How well it fits; of two that fit as well, main options that nothing on the page needs speak against one."""
        return self.good, self.plain > 0


def _attempts(
    group: _Group,
    data: Mapping[str, Any],
    scale: str | None,
    masked: bool,
    words: str,
    blocks: list[Block],
    found: list[options.Option],
) -> Iterator[tuple[dict[str, Any], tuple[tuple[str, int], ...]]]:
    """What the page may be about under one scale: as it stands, with what it says, with the masks that it shows."""
    causal = (("mask", 0),) if masked else ()
    for attempt in _with_options(data, scale, masked):
        yield attempt, causal if "also" in attempt else ()
    bias = group.arrays.get(("bias", None))
    said = [*found]
    if bias is not None and not any(one.name == "alibi" for one in said):
        said.append(options.Option("bias", group.blocks["bias", None][0].start, bias))
    vectors = options.added(words, data)
    more: Mapping[str, Any] = {
        **data,
        **vectors,
        "attention": {**data.get("attention", {}), **options.as_data(said)},
    }
    taken = tuple((one.name, one.start) for one in said)
    if said or vectors:
        for attempt in _with_options(more, scale, masked):
            yield attempt, (*taken, *(causal if "also" in attempt else ()))
    for mask, start in options.shown_masks(blocks, _shape(data)):
        for attempt in options.with_mask(more, mask):
            for made in _with_options(attempt, scale, False):
                yield made, (*taken, ("mask as shown", start))


def _shape(data: Mapping[str, Any]) -> tuple[int, int]:
    """(queries, keys) of a problem."""
    return len(data["Q" if "Q" in data else "X"]), len(data["K" if "K" in data else "X"])


def _named(group: _Group) -> dict[str, list[str]]:
    """The names of tokens, and those of keys where these are others."""
    names, others = _row_names(group, ("X", "query", *_STARTS)), _row_names(group, ("key", "value"))
    return {
        **({"tokens": names} if names else {}),
        **({"context_tokens": others} if others and others != names else {}),
    }


_ROUNDED: Final = re.compile(r"\brounded\b|\bapprox\w*|≈|\babout\b", re.I)


def _is_rounded(given: Mapping[tuple[str, int | None], list[Block]]) -> bool:
    """Whether what a page starts from stands behind a sign or a word for rounded."""
    for (name, _), kept in given.items():
        if name in _STARTS:
            for block in kept:
                members = block.statement.members if block.statement is not None else ()
                if any(member.relation == "~" for member in members) or _ROUNDED.search(block.said.words):
                    return True
    return False


def _row_names(group: _Group, wanted: tuple[str, ...]) -> list[str]:
    """The names of tokens, where a table names the rows of what is given, or the columns that hold one token each."""
    for key in wanted:
        for (name, _), kept in group.blocks.items():
            for block in kept:
                count = len(group.arrays[key, None]) if (key, None) in group.arrays else len(block.rows)
                for found in (block.row_names, block.column_names):
                    names = [text for text in found if text]
                    if (
                        name == key
                        and len(names) == count
                        and len(set(names)) == len(names)
                        and not _are_numbers(names)
                    ):
                        return names
    return []


def _are_numbers(names: list[str]) -> bool:
    return all(name.isdigit() for name in names)


_NUMBERS: Final = {"two": 2, "three": 3, "four": 4, "six": 6, "eight": 8, "twelve": 12, "sixteen": 16}
_HEADS: Final = re.compile(
    r"\b(?:num_heads|n_heads?|heads)\s*=\s*(\d{1,2})|\b(\d{1,2}|" + "|".join(_NUMBERS) + r")\s+heads\b", re.IGNORECASE
)


def _heads(group: _Group, page: PageText, words: str) -> int:
    """How many heads a page has whose tables are given for all of them together."""
    if any(head is not None and name in _BY_HEAD for name, head in group.arrays):
        return 1
    spoken = {head for heading in page.headings if (head := labels.head_of(heading.text)) is not None}
    if len(spoken) > 1:
        return len(spoken)
    found = _HEADS.search(words)
    if found is None or not spoken:
        return 1
    return int(found[1] or 0) or _NUMBERS.get((found[2] or "").lower(), 0) or int(found[2] or 1)


def _known(data: Mapping[str, Any], has_values: bool, start_at: str) -> Known | None:
    try:
        found = solved(problem_of(data), has_values=has_values)
    except SymattnError:
        return None
    if not start_at:
        return found
    unknown = ["query", "key", "d_k", *(["scores", "sqrt_dk", "scale"] if start_at != "scores" else [])]
    said = found.worked.sections[0].result
    kept = [
        array
        for array in found.arrays
        if array.quantity not in unknown
        or (array.quantity == "d_k" and start_at == "scores" and array.near(0, 0) != said.d_k)
    ]
    return Known(found.worked, tuple(kept), has_values)


def _with_options(data: Mapping[str, Any], scale: str | None, masked: bool) -> Iterator[dict[str, Any]]:
    options = dict(data.get("attention", {}))
    if scale is not None:
        options["scale"] = scale
    made = {name: value for name, value in {**data, "attention": options}.items() if name != "start"}
    if masked:
        yield {**made, "also": [{"causal": True}]}
        yield {**made, "also": [{"causal": "top-left"}]}
    yield made


def _scales(
    group: _Group, words: str, data: Mapping[str, Any], inferred: int | None
) -> Iterator[tuple[str | None, str]]:
    """The factors that a page may have used, what it says first."""
    if not group.is_attention() and data.get("start") != "scores":
        yield "1", "scale none"
        return
    width = _width(data)
    if inferred is not None and data.get("start") == "scores":
        yield f"1/sqrt({inferred})", f"scale 1/sqrt({inferred})"
    if _NO_SCALE.search(words):
        yield "1", "scale 1"
    said = _said_width(group, words)
    if said is not None and (said != width or not group.is_attention()):
        yield f"1/sqrt({said})", f"scale 1/sqrt({said})"
    if group.is_attention():
        yield None, f"scale 1/sqrt({width})"
        for root in dict.fromkeys(_ROOTS.findall(words)):
            if int(root) not in (width, said, 0):
                yield f"1/sqrt({root})", f"scale 1/sqrt({root})"
    if not _SCALES.search(words) or (not group.is_attention() and said is None):
        yield "1", "scale 1"


def _width(data: Mapping[str, Any]) -> int:
    heads = data.get("attention", {}).get("num_heads", 1)
    return len(data["Q" if "Q" in data else "W_Q"][0]) // int(heads)


_WIDTH: Final = re.compile(r"d_\{?k\}?\s*\$?\s*=\s*\$?\s*(\d{1,5})|\bdk\s*=\s*(\d{1,5})|\bhead_dim\s*=\s*(\d{1,5})")


def _said_width(group: _Group, words: str) -> int | None:
    found = _WIDTH.search(words)
    if found is not None:
        return int(found[1] or found[2] or found[3]) or None
    if not group.is_attention():
        root = _ROOTS.search(words)
        return int(root[1]) or None if root else None
    return None


_WIDEST: Final = 1024


def _inferred_width(group: _Group) -> int | None:
    """d_k, where a page prints both scores and scaled scores: the least whose root leads from one to the other."""
    scores = next((value for (name, _), value in group.arrays.items() if name == "scores"), None)
    blocks = next((kept for (name, _), kept in group.blocks.items() if name == "scaled"), None)
    if scores is None or not blocks or blocks[0].shape != (len(scores), len(scores[0])):
        return None
    pairs = [
        (Fraction(score), node.printed)
        for row, line in zip(scores, blocks[0].rows, strict=True)
        for score, node in zip(row, line, strict=True)
        if score is not None and isinstance(node, Num) and not node.printed.special and Fraction(score)
    ]
    for width in range(1, _WIDEST if pairs else 1):
        if all(_over_root(score, printed, width) for score, printed in pairs):
            return width
    return None


def _over_root(score: Fraction, printed: Any, width: int) -> bool:
    """Whether a printed number is within half a unit of score / sqrt(width), by squares."""
    half = printed.unit / 2
    low, high = sorted((abs(printed.value - half), abs(printed.value + half)))
    return bool((printed.value >= 0) == (score >= 0) and low * low * width <= score * score <= high * high * width)


_TELLING: Final = {"scaled", "weights", "output", "final", "exponentials"}


def _agreement(made: Known, blocks: list[Block]) -> tuple[int, int, int]:
    """How many printed scaled scores, exponentials, weights and outputs agree, how many there are, and how many agree
    under the main options alone.
    """
    good = count = plain = 0
    for block in blocks:
        wanted = {label.quantity for label in block.own} or {*block.said.near[:2]}
        if not wanted and block.told:
            wanted = {*block.said.heading[:1]}
        if not wanted & _TELLING or labels.is_quoted(block.said.words):
            continue
        reaches = _reaches(block)
        fits = [0, 0]
        counted = either = False
        for array in made.arrays:
            if array.quantity not in _TELLING or array.quantity not in wanted:
                continue
            if block.shape == array.shape:
                rows: range | list[int] = [0]
            elif len(block.rows) == 1 and block.shape[1] == array.shape[1]:
                rows = range(min(array.shape[0], 16))
            else:
                continue
            further = min(array.section, 1)
            fits[further] = max(fits[further], *(_good(reaches, array, first) for first in rows))
            counted, either = True, either or array.quantity not in UPSTREAM
        good += max(fits)
        count += len(reaches) if counted else 0
        plain += max(0, fits[0] - fits[1]) if either else 0
    return good, count, plain


Reaches = list[tuple[int, int, tuple[fmpq, fmpq] | None]]


def _reaches(block: Block) -> Reaches:
    """The numbers of a block: row, column, and between which values each may lie; None for what is masked."""
    return [
        (i, j, reach(node.printed, 2))
        for i, row in enumerate(block.rows)
        for j, node in enumerate(row)
        if isinstance(node, Num)
    ]


def _good(reaches: Reaches, array: Array, first: int) -> int:
    """How many numbers of a block may be those of an array from a row on."""
    found = 0
    for i, j, within in reaches:
        if first + i < array.shape[0] and j < array.shape[1]:
            near = array.near(first + i, j)
            if within is None or near is None:
                found += within is None and array.rows[first + i][j] is MASKED
            else:
                found += within[0] <= near <= within[1]
    return found


def _looks_masked(blocks: list[Block]) -> bool:
    """Whether some square of weights is 0 above its diagonal and not below."""
    for block in blocks:
        height, width = block.shape
        if height != width or height < 2 or not any(label.quantity == "weights" for label in block.own):
            continue
        entries = {
            (i, j): node.printed.value
            for i, row in enumerate(block.rows)
            for j, node in enumerate(row)
            if isinstance(node, Num)
        }
        above = [value for (i, j), value in entries.items() if j > i]
        below = [value for (i, j), value in entries.items() if j <= i]
        if above and not any(above) and sum(map(bool, below)) == len(below):
            return True
    return False


def _used(data: Mapping[str, Any], group: _Group) -> set[str]:
    """The names that a problem was made from."""
    if "X" in data:
        return {"X", *_TABLES}
    if not group.is_attention():
        return {data["start"], "value"}
    found = {"W_O"}
    for name, table in (("query", "W_Q"), ("key", "W_K"), ("value", "W_V")):
        found |= {"X", table} if group.has("X", table) else {name}
    return found


def _data(group: _Group, width: int | None, several: int) -> tuple[dict[str, Any] | None, bool]:
    """The problem of a group as data, and whether its values are known."""
    heads = sorted({head for name, head in group.arrays if head is not None and name in _BY_HEAD})
    if len(heads) > 1:
        return _several(group, heads)
    arrays = {
        name: value for (name, head), value in group.arrays.items() if (name, None) not in group.arrays or head is None
    }
    data, has_values = _single(arrays, "W_O" in arrays, width is not None)
    if data is not None and several > 1 and "start" not in data:
        data = {**data, "attention": {**data.get("attention", {}), "num_heads": several}}
    return data, has_values


def _several(group: _Group, heads: list[int]) -> tuple[dict[str, Any] | None, bool]:
    """Heads given one by one: their columns side by side."""
    arrays: dict[str, Text] = {}
    for name in {name for name, _ in group.arrays}:
        shared = group.arrays.get((name, None))
        parts = [group.arrays.get((name, head), shared) for head in heads]
        if name in ("X", "W_O"):
            arrays[name] = next((part for part in (shared, *parts) if part is not None), [])
        elif all(part is not None for part in parts):
            kept = [part for part in parts if part is not None]
            if len({len(part) for part in kept}) != 1:
                continue
            arrays[name] = [[entry for part in kept for entry in part[row]] for row in range(len(kept[0]))]
    data, has_values = _single(arrays, "W_O" in arrays, False)
    if data is None:
        return None, False
    return {**data, "attention": {**data.get("attention", {}), "num_heads": len(heads)}}, has_values


def _single(arrays: Mapping[str, Text], has_mixing: bool, knows_width: bool) -> tuple[dict[str, Any] | None, bool]:
    data: dict[str, Any] = {}
    if all(name in arrays for name in ("X", "W_Q", "W_K", "W_V")):
        data = {name: arrays[name] for name in ("X", "W_Q", "W_K", "W_V")}
        return (_mixed(data, arrays) if has_mixing else data), True
    found = {name: _direct(arrays, name) for name in _DIRECT}
    query, key, value = found["query"], found["key"], found["value"]
    if query is not None and key is not None:
        if None in (entry for row in (*query, *key) for entry in row):
            return None, False
        data = {"Q": query, "K": key, "V": value if value is not None else [["0"]] * len(key)}
        return (_mixed(data, arrays) if has_mixing and value is not None else data), value is not None
    order = ("scores", "scaled", "logits") if knows_width else ("scaled", "logits", "scores")
    name = next((name for name in order if name in arrays), None)
    if name is None:
        return None, False
    scores = arrays[name]
    width = len(scores[0])
    identity = [[str(int(i == j)) for j in range(width)] for i in range(width)]
    data = {
        "Q": [["0" if entry is None else entry for entry in row] for row in scores],
        "K": identity,
        "V": value if value is not None else [["0"]] * width,
        "start": name,
    }
    if any(entry is None for row in scores for entry in row):
        data["attention"] = {"mask": [[entry is not None for entry in row] for row in scores]}
    return data, value is not None


def _mixed(data: dict[str, Any], arrays: Mapping[str, Text]) -> dict[str, Any]:
    return {**data, "W_O": arrays["W_O"]}


def _direct(arrays: Mapping[str, Text], name: str) -> Text | None:
    """Q, K or V: X times its table where both are given, else as it is given."""
    table = {"query": "W_Q", "key": "W_K", "value": "W_V"}[name]
    if "X" in arrays and table in arrays:
        product = _product(arrays["X"], arrays[table])
        if product is not None and len(product) >= len(arrays.get(name, product)):
            return product
    return arrays.get(name)


def _product(left: Text, right: Text) -> Text | None:
    try:
        a = [[Fraction(entry or "x") for entry in row] for row in left]
        b = [[Fraction(entry or "x") for entry in row] for row in right]
    except ValueError:
        return None
    if len(a[0]) != len(b):
        return None
    return [
        [
            _decimal(sum((x * y for x, y in zip(row, column, strict=True)), Fraction(0)))
            for column in zip(*b, strict=True)
        ]
        for row in a
    ]


def declared_example(problem: Problem, data: Mapping[str, Any], length: int, *, declared: bool, name: str) -> Example:
    """The example of a problem file, or of a page's own declaration: it rules the whole page."""
    return Example(solved(problem), data, 0, length, ((name, 0),), declared=declared)


__all__ = ["Example", "Statement", "declared_example", "entry_text", "examples", "replace"]
