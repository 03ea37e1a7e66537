"""What a label means: names, formulas and words to the quantity they stand for, with its head, row and mask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from symattn.check.reading.tree import UNSAID, Call, Name, Negative, Node, Num, Operation


@dataclass(frozen=True, slots=True)
class Label:
    """A quantity, and what is said of it: head and row counted from 0, whether it is the masked one, and whether its
    row is an index in square brackets, which programs count from 0 and people from 1.
    """

    quantity: str
    head: int | None = None
    row: int | None = None
    masked: bool = False
    column: int | None = None
    is_index: bool = False


_NAMES: Final = {
    "query": "Q q query queries",
    "key": "K k key keys",
    "value": "V v value values",
    "residual": "X' residual",
    "X": "X x input inputs embedding embeddings tokens x_emb",
    "W_Q": "W_Q W_q WQ Wq W_query Wquery w_q W_qs wq W_queries weights_query query_weights query_weight q_weights",
    "W_K": "W_K W_k WK Wk W_key Wkey w_k wk W_keys weights_key key_weights key_weight k_weights",
    "W_V": "W_V W_v WV Wv W_value Wvalue w_v wv W_values weights_value value_weights value_weight v_weights",
    "W_O": "W_O W_o WO Wo W_out Wout w_o wo W_output",
    "scores": "S s score scores raw_scores attn_scores attention_scores attn_score attention_score qk QK dots raw",
    "scaled": "S' scaled scaled_scores S_scaled scaled_attention_scores attn_scaled scores_scaled s' scaled_score",
    "logits": "L logits masked_scores S_masked masked scaled_masked",
    "exponentials": "E exp exps exponentials exp_scores exp_scaled numerator exponentiated",
    "sums": "sum sums total denominator Z_i expsum exp_sum row_sum row_sums sum_exp norm",
    "weights": (
        "A a P p alpha w weight weights attn attention attn_weights attention_weights probs probabilities softmax "
        "attn_probs attention_matrix A_causal A_masked attn_weight attention_weight attention_probs softmax_scores "
        "attn_scores_softmax attention_scores_softmax attention_pattern"
    ),
    "output": (
        "Z z O o out output outputs context context_vec context_vector context_vectors result "
        "attn_output attention_output attn_out weighted_sum weighted_values Y y c head heads"
    ),
    "concat": "H concat concatenated cat MultiHead_concat Concat",
    "final": "final final_output Y_final MultiHead multihead",
    "d_k": "d_k dk D_k head_dim d_head d",
    "sqrt_dk": "sqrt_dk sqrt_d_k root_dk",
    "scale": "scale scale_factor factor scaling scaling_factor",
    "xxt": "XXT gram G",
}
_BY_NAME: Final = {name: quantity for quantity, names in _NAMES.items() for name in names.split()}
_BY_SMALL: Final = {name.lower(): quantity for name, quantity in _BY_NAME.items() if len(name) > 1}
_ROLE: Final = re.compile(
    r"(?:expected|reference|ref|true|target|wanted|want|gold(?:en)?|correct|actual|desired|manual|naive|my|our|the|np|torch)_"
    r"|_(?:expected|reference|ref|true|target|wanted|want|gold(?:en)?|manual|np|torch|by_hand|hand|rounded|matrix|vals?|vectors?)"
)
"""What a name says of who made an array, not of what it is."""
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_NUMBERED: Final = re.compile(r"(?P<base>[A-Za-z]+(?:_[A-Za-z]+)?'?)_?\(?(?P<number>\d{1,3})\)?")
_ENTRY: Final = re.compile(r"(?P<base>(?!heads?)[A-Za-z]+'?)_?\(?(?P<row>[1-9]),?(?P<column>[1-9])\)?")
_INDEXED: Final = re.compile(r"(?P<base>[A-Za-z_']+)\[(?P<row>\d{1,4})(?:,(?P<column>\d{1,4})|,:)?\]")
_MASKED: Final = re.compile(r"causal|mask|no_?peek|(?:^|_)tri[lu]?(?:$|_)", re.IGNORECASE)


def of_name(text: str) -> Label | None:
    """What a name stands for: ``Q``, ``attn_weights``, ``A_{causal}``, ``q_2``, ``head_1``."""
    if text in _BY_NAME:
        return Label(_BY_NAME[text], masked=bool(_MASKED.search(text)))
    lowered = _HUMP.sub("_", text).lower()
    if lowered in _BY_SMALL:
        return Label(_BY_SMALL[lowered])
    role = _ROLE.sub("", lowered, count=1) if len(text) > 3 else lowered
    if role != lowered and (found := of_name(role)) is not None:
        return found
    indexed = _INDEXED.fullmatch(text)
    if indexed is not None:
        base = of_name(indexed["base"])
        column = int(indexed["column"]) if indexed["column"] else None
        row = int(indexed["row"])
        return base and replace(base, row=row, column=column, is_index=True)
    entry = _ENTRY.fullmatch(text)
    if entry is not None and (base := of_name(entry["base"])) is not None and _has_entries(base, text):
        return replace(base, row=max(0, int(entry["row"]) - 1), column=max(0, int(entry["column"]) - 1))
    numbered = _NUMBERED.fullmatch(text)
    if numbered is not None and (base := of_name(numbered["base"])) is not None:
        number = int(numbered["number"])
        small = (
            numbered["base"][0].islower() and len(numbered["base"]) <= 5 and numbered["base"] not in ("head", "heads")
        )
        if small or base.quantity in ("X",):
            return replace(base, row=max(0, number - 1))
        return replace(base, head=max(0, number - 1))
    head, _, tail = text.partition("_")
    if tail and _MASKED.search(tail) and (base := of_name(head)) is not None:
        return replace(base, masked=True)
    if tail and len(head) > 1 and head in _BY_NAME:
        return Label(_BY_NAME[head])
    return None


def _has_entries(label: Label, text: str) -> bool:
    """Whether two digits below a letter are a row and a column, and not one number of two digits."""
    return "_" in text or label.quantity in ("scores", "scaled", "logits", "exponentials", "weights")


def of_node(node: Node) -> Label | None:
    """What a formula stands for: ``Q K^T / sqrt(d_k)`` are the scaled scores."""
    match node:
        case Name(text):
            return of_name(text)
        case Negative(operand):
            return of_node(operand)
        case Operation("/", left, right):
            return _quotient(left, right)
        case Operation("*", _, _):
            if isinstance(node, Operation) and node.left == UNSAID:
                inner = of_node(node.right)
                return None if inner is None else _TIMES.get(inner.quantity)
            return _product([found for factor in _factors(node) if (found := of_node(factor)) is not None])
        case Operation("^", base, Num(printed)) if printed.is_integer:
            found = of_node(base)
            return None if found is None else replace(found, head=int(printed.value) - 1 if printed.value > 0 else 0)
        case Operation("+", left, _):
            inner = of_node(left)
            return Label("sums") if inner is not None and inner.quantity == "exponentials" else None
        case Call(function, arguments):
            return _call(function, arguments)
    return None


def _call(function: str, arguments: tuple[Node, ...]) -> Label | None:
    inner = of_node(arguments[0]) if arguments else None
    match function:
        case "softmax":
            return Label("weights") if inner is None else replace(inner, quantity="weights", column=None)
        case "attention":
            return Label("output")
        case "transpose":
            return inner
        case "exp":
            return Label("exponentials", row=inner.row if inner else None)
        case "sqrt":
            return Label("sqrt_dk") if inner is not None and inner.quantity == "d_k" else None
        case "sum":
            return Label("sums")
    return None


def _factors(node: Node) -> Iterator[Node]:
    while isinstance(node, Operation) and node.sign == "*":
        yield node.right
        node = node.left
    yield node


_PRODUCTS: Final = (
    ({"query", "key", "scale"}, "scaled"),
    ({"query", "key"}, "scores"),
    ({"X", "W_Q"}, "query"),
    ({"X", "W_K"}, "key"),
    ({"X", "W_V"}, "value"),
    ({"weights", "value"}, "output"),
    ({"concat", "W_O"}, "final"),
    ({"output", "W_O"}, "final"),
    ({"scores", "scale"}, "scaled"),
)
_TIMES: Final = {"value": Label("output"), "W_O": Label("final"), "scale": Label("scaled")}
"""What a line makes that multiplies by one of these what stands before it."""


def _product(found: list[Label]) -> Label | None:
    names = {label.quantity for label in found}
    for factors, made in _PRODUCTS:
        if factors <= names:
            row = next((label.row for label in found if label.quantity in ("query", "weights", "X")), None)
            head = next((label.head for label in found if label.head is not None), None)
            key = next((label.row for label in found if label.quantity == "key"), None)
            return Label(made, head, row, column=key if made in ("scores", "scaled") else None)
    if names == {"X"} and len(found) == 2:
        return Label("xxt")
    return None


def _quotient(left: Node, right: Node) -> Label | None:
    above, below = of_node(left), of_node(right)
    if left == UNSAID and isinstance(right, Call) and right.function == "sqrt":
        return Label("scaled")
    if above is None:
        if isinstance(left, Num) and left.printed.value == 1 and below is not None and below.quantity == "sqrt_dk":
            return Label("scale")
        return None
    match above.quantity:
        case "scores":
            return replace(above, quantity="scaled")
        case "exponentials":
            return replace(above, quantity="weights")
    return None


_WORDS: Final = tuple(
    (quantity, re.compile(pattern, re.IGNORECASE))
    for quantity, pattern in (
        ("weights", r"attention (?:weights?|matrix|pattern|distributions?)|\bweights?\b|softmax|probabilit\w+"
                    r"|normali[sz]\w*|chances"),
        ("scaled", r"\bscaled?\b(?:[- ](?:attention )?(?:scores?|dot[- ]products?|logits?))?|\bscaling\b"
                   r"|after scaling|divid\w+|scores? (?:after|divided)\w*"),
        ("scores", r"(?:raw |attention |unscaled )?\bscores?\b|dot[- ]products?|similarit\w+|\bcompare\b"
                   r"|compatibilit\w+"),
        ("logits", r"\blogits?\b|masked scores"),
        ("exponentials", r"exponential\w*|exponentiat\w+|\bexps?\b|\be\s?\^"),
        ("sums", r"\bsums?\b|\badds? (?:up )?to\b|\btotals?\b|denominators?"),
        ("output", r"\boutputs?\b|context vectors?|\bcombine\w*|\bmix(?:es|ed|ture)?\b"
                   r"|attention results?|new vectors?"),
        ("query", r"\bquer(?:y|ies)\b"),
        ("key", r"\bkeys?\b"),
        ("value", r"\bvalues?\b(?! matrix)|payloads?"),
        ("X", r"embeddings?|\binputs?\b|token vectors?"),
        ("W_Q", r"quer(?:y|ies)[- ](?:weights?|matrix|table|projection)(?: matrix)?"
                r"|weights? (?:for|of) (?:the )?quer(?:y|ies)"),
        ("W_K", r"keys?[- ](?:weights?|matrix|table|projection)(?: matrix)?|weights? (?:for|of) (?:the )?keys?"),
        ("W_V", r"values?[- ](?:weights?|matrix|table|projection)(?: matrix)?|weights? (?:for|of) (?:the )?values?"),
        ("W_O", r"output[- ](?:weights?|matrix|table|projection)(?: matrix)?"),
        ("residual", r"tokens? plus (?:the )?outputs?|after (?:the )?(?:residual|skip)"
                     r"|outputs? (?:of each token )?(?:is|are) added to (?:the|its|their) tokens?"),
        ("concat", r"concat\w*|side by side|heads together"),
        ("final", r"\bfinal(?: output)?s?\b|after (?:the last table|W_?O)|multi-?head outputs?"),
        ("bias", r"\bbias(?:es)?\b"),
        ("lse", r"log[-\s]*sum[-\s]*exps?|\blse\b"),
    )
)  # fmt: skip
_LETTER: Final = re.compile("[A-Za-z]")
_LETTERED: Final = re.compile(r"(?<![A-Za-z\\])(W[\s_{^]{0,3}[QKVOqkvo]\}?|[QKVXAPZ])(?![A-Za-z'’])")


@lru_cache(maxsize=4096)
def of_words(text: str) -> tuple[str, ...]:
    """The quantities that words name, the nearest to the end first."""
    if not _LETTER.search(text):
        return ()
    found: list[tuple[int, int, str]] = []
    for quantity, pattern in _WORDS:
        found += [(match.end(), match.end() - match.start(), quantity) for match in pattern.finditer(text)]
    for match in _LETTERED.finditer(text):
        label = of_name(_joined(match[1]))
        if label is not None:
            found.append((match.end(), match.end() - match.start(), label.quantity))
    found.sort(reverse=True)
    return tuple(dict.fromkeys(quantity for _, _, quantity in found))


def _joined(text: str) -> str:
    return f"W_{text.rstrip('}')[-1]}" if text[0] == "W" else text


_TYPE: Final = re.compile(r"\\[A-Za-z]+|[${}*`\\^\s]")
_RUNNING: Final = re.compile(r"_?[ijtn]$")


def of_title(text: str) -> tuple[str, ...]:
    """The quantities that the title of a column names, also as a letter alone: ``$\\mathbf{q}_i$``."""
    found = of_words(text)
    label = None if found else of_name(_RUNNING.sub("", _TYPE.sub("", text)))
    return found if label is None else (label.quantity,)


_COLUMN: Final = re.compile(
    r"\b(?:entry|column|number|component|dimension|key)\s*\#?\s*(?P<number>\d{1,3})\b", re.IGNORECASE
)


def column_of(text: str) -> int | None:
    """The column that words speak of last, counted from 0."""
    found = None
    for match in _COLUMN.finditer(text):
        found = max(0, int(match["number"]) - 1)
    return found


_ORDINALS: Final = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5}
_ROW: Final = re.compile(
    r"(?:\b(?:row|token|query|position)\s*\#?\s*(?P<number>\d{1,3})\b(?!\s*[×x]|\.\d))"
    r"|\b(?P<ordinal>first|second|third|fourth|fifth|sixth)\s+(?:row|token|query|word|position)"
    r"|\b(?P<nth>\d{1,3})(?:st|nd|rd|th)\s+(?:row|token|query|word|position)",
    re.IGNORECASE,
)


def cell_of(text: str, names: tuple[str, ...], keys: tuple[str, ...]) -> tuple[int, int] | None:
    """The entry that words speak of: ``weight of it on was``, ``output of it, number 2``; counted from 0."""
    rows = _mentions(text, names)
    if not rows:
        return None
    column = column_of(text)
    if column is None:
        columns = [(at, index) for at, index in _mentions(text, keys) if at > rows[0][0]]
        column = columns[-1][1] if columns else None
    return None if column is None else (rows[0][1], column)


def named_row(text: str, names: tuple[str, ...]) -> int | None:
    """The row that was opened last by its name and a colon: ``Row it:``; counted from 0."""
    found = [
        (match.end(), index)
        for index, name in enumerate(names)
        for match in re.finditer(rf"\b(?:row|column) (?:of )?[*_`]*{re.escape(name)}[*_`]*\s*:", text, re.IGNORECASE)
    ]
    return max(found)[1] if found else None


def name_before(text: str, names: tuple[str, ...]) -> int | None:
    """The token whose name stands right before: ``new it [1.604, 1.198]``; counted from 0."""
    for index, name in enumerate(names):
        if re.search(rf"(?<!\w){re.escape(name)}[*_`}}]*\s*[:=]?\s*\$?\\?[\[(]?\s*$", text):
            return index
    return None


def name_of(text: str, names: tuple[str, ...]) -> int | None:
    """The token that the words right before an array are about: ``the output of *it* exactly``; counted from 0."""
    for index, name in enumerate(names):
        if re.search(
            rf"\bof\s+[*_`]*(?:\\\w+\{{)?{re.escape(name)}[*_`}}]*\s+(?:in head \d{{1,2}}\s+)?"
            r"(?:is|are|exactly|equals)?\s*\$?\\?[\[(]?\s*$",
            text,
        ):
            return index
    return None


def follows(text: str, name: str) -> bool:
    """Whether a text goes on with ``for`` and a name."""
    return bool(re.match(rf"\s*\$?\s*(?:for|on|to)\s+[*_`]*(?:\\\w+\{{)?{re.escape(name)}(?!\w)", text))


def pair_of(text: str, names: tuple[str, ...], keys: tuple[str, ...]) -> tuple[int, int] | None:
    """The query and the key that words speak of last, both set apart: ``*it* looking at *was*``, or ``at itself``."""
    rows = [(at, index) for index, name in enumerate(names) for at in _set_apart(text, name)]
    columns = [(at, index) for index, name in enumerate(keys) for at in _set_apart(text, name)]
    if names == keys:
        columns += [(found.end(), -1) for found in re.finditer(r"\bitself\b", text)]
    at, column = max(columns, default=(-1, -1))
    before = [found for found in rows if found[0] < at]
    if not before:
        return None
    row = max(before)[1]
    return row, row if column < 0 else column


def _mentions(text: str, names: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where names stand, longer ones first where one holds another."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for index in sorted(range(len(names)), key=lambda one: -len(names[one])):
        for match in re.finditer(rf"(?<!\w){re.escape(names[index])}(?!\w)", text):
            if not taken & set(range(*match.span())):
                found[match.start()] = index
                taken |= set(range(*match.span()))
    return sorted(found.items())


_AFTER: Final = re.compile(
    r"[\])$\s]*(?:for|in|of|as) (?:the )?(?:(?:row|word|token|query|position) \#?(?P<number>\d{1,3})\b(?!\.\d)"
    r"|(?P<ordinal>first|second|third|fourth|fifth|sixth) (?:row|word|token|query|position))",
    re.IGNORECASE,
)


def row_after(text: str) -> int | None:
    """The row that the words right after an array give it: ``(0.4, 0.6) for word 2``; counted from 0."""
    found = _AFTER.match(text)
    if found is None:
        return None
    return max(0, int(found["number"]) - 1) if found["number"] else _ORDINALS[found["ordinal"].lower()]


def without_row_after(text: str) -> str:
    """Words between two arrays in a line, without those that give the first its row."""
    found = None if text.startswith("\n") else _AFTER.match(text)
    return text if found is None else text[found.end() :]


_HEAD: Final = re.compile(r"\bheads?[\s_]*\#?\s*(?P<number>\d{1,2})\b(?!\s*(?:×|x|\.))", re.IGNORECASE)
_MASK_WORDS: Final = re.compile(
    r"causal|\bmask\w*|no[- ]peek\w*|no looking ahead|look[- ]ahead|autoregressive|lower[- ]triang\w+|upper triang\w+",
    re.I,
)
_PLAIN_WORDS: Final = re.compile(r"without (?:the |a )?(?:causal )?mask|unmasked|no mask|before masking", re.I)


@lru_cache(maxsize=4096)
def row_of(text: str, names: tuple[str, ...]) -> int | None:
    """The row that words speak of last, by number, ordinal or the name of a token; counted from 0.

    A name that is an everyday word counts only where it is set apart, or follows a word such as ``row of``.
    """
    best, found = -1, None
    for match in _ROW.finditer(text):
        if match.end() > best:
            best = match.end()
            number = match["number"] or match["nth"]
            found = max(0, int(number) - 1) if number else _ORDINALS[match["ordinal"].lower()]
    apart = [(at, index) for index, name in enumerate(names) for at in _set_apart(text, name)]
    if apart and max(apart)[0] > best:
        return max(apart)[1]
    for index, name in enumerate(names):
        at = max(_plainly(text, name), default=-1)
        if at > best and len(name) > 1:
            best, found = at, index
    return found


def _set_apart(text: str, name: str) -> Iterator[int]:
    """Where a name stands in emphasis or in quotes."""
    pattern = rf"(?:[*_`]{{1,2}}|\\(?:emph|text\w*)\{{|[\"'“‘])(?:{re.escape(name)})(?:[*_`]{{1,2}}|\}}|[\"'”’])"
    return (match.end() for match in re.finditer(pattern, text))


_EVERYDAY: Final = """
    the it a an is was in on of to and i we he she they you this that one be are as by for with my his her
"""
_COMMON: Final = frozenset(_EVERYDAY.split())


def _plainly(text: str, name: str) -> Iterator[int]:
    """Where a name stands as a plain word."""
    led = r"(?:\b(?:row|token|query|word|for|of)\s+(?:of\s+|for\s+)?)" if name.lower() in _COMMON else ""
    return (match.end() for match in re.finditer(rf"{led}(?<!\w){re.escape(name)}(?!\w)", text))


def head_of(text: str) -> int | None:
    """The head that words speak of last, counted from 0."""
    found = None
    for match in _HEAD.finditer(text):
        found = max(0, int(match["number"]) - 1)
    return found


def is_masked(text: str) -> bool:
    """Whether words speak of a mask that hides later tokens."""
    last = max((match.end() for match in _MASK_WORDS.finditer(text)), default=-1)
    plain = max((match.end() for match in _PLAIN_WORDS.finditer(text)), default=-1)
    return last > plain


def is_masked_anywhere(text: str) -> bool:
    """Whether a page speaks of a causal mask at all."""
    return bool(_CAUSAL.search(text))


_CAUSAL: Final = re.compile(
    r"causal|no[- ]peek\w*|no looking ahead|look[- ]ahead|autoregressive|(?:lower|upper)[- ]triang\w+"
    r"|mask(?:ed|ing)?\b",
    re.I,
)


_QUOTED: Final = re.compile(
    r"\b(?:friend|another|someone|student|classmate|colleague|neighbou?r|he|she|they)\s+(?:has|have|had|gets?|got|finds?|found)\b",
    re.IGNORECASE,
)


def is_quoted(text: str) -> bool:
    """Whether words tell what someone else got, by a mistake maybe."""
    return bool(_QUOTED.search(text))
