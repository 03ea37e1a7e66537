"""Problem: what is asked, as frozen data.

Each option is one row: a field of ``Attention`` or ``Page`` with its kind, default and bounds. The parser, the JSON
Schema, the command line's flags and Python's keyword arguments are read off these rows, and an option's words stand
under its name in ``templates/words``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, field, fields
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Expression:
    """An entry that is not a plain rational, as it was written: an operator and its operands.

    ``add`` and ``mul`` take two or more operands, ``div`` and ``pow`` two, ``neg sqrt log exp`` one, ``pi`` and ``e``
    none; ``symbol`` has its name in ``name``, and ``positive`` says that it was declared so. ``given`` is no entry of a
    file: it stands for the exact number in ``number``, which an earlier layer gives.
    """

    operator: Literal["add", "mul", "div", "pow", "neg", "sqrt", "log", "exp", "pi", "e", "symbol", "given"]
    operands: tuple[Entry, ...] = ()
    name: str = ""
    positive: bool = False
    number: Any = None


Entry: TypeAlias = Fraction | Expression
Matrix: TypeAlias = tuple[tuple[Entry, ...], ...]
Table: TypeAlias = Matrix | Literal["identity"]
"""A learned table: a matrix, or the word ``identity`` for a plain copy."""

Mask: TypeAlias = tuple[tuple[bool, ...], ...]
"""mask[i][j]: query i MAY attend to key j."""
Bias: TypeAlias = tuple[tuple[Entry | None, ...], ...]
"""What is added to each logit; None stands for -oo, which hides the key."""

Kind = Literal["choice", "integer", "entry", "notation", "masks", "biases", "window", "entries", "rope"]


@dataclass(frozen=True, slots=True)
class Option:
    """What a row says of one option beyond its name: kind, the allowed words, and the bounds of an integer."""

    kind: Kind
    choices: tuple[bool | str, ...] = ()
    least: int = 0
    most: int = 0


def _row(kind: Kind, default: Any, *choices: bool | str, least: int = 0, most: int = 0) -> Any:
    return field(default=default, metadata={"option": Option(kind, choices, least, most)})


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary positions: pair f of the first ``dimensions`` entries turns by position * base^(-2f/dimensions).

    A pair is (2f, 2f + 1) if ``interleaved``, else (f, f + dimensions/2). Positions count from 0, a cache's rows first.
    """

    base: Entry = Fraction(10000)
    dimensions: int | None = None
    interleaved: bool = False


@dataclass(frozen=True, slots=True)
class Attention:
    """The options that change the result. Table ``[attention]``, and each ``[[also]]``.

    ``mask``, ``bias`` and ``sink`` hold one item for all heads, or one a head; none where the option is not used.
    """

    causal: bool | str = _row("choice", False, False, True, "top-left", "bottom-right")
    mask: tuple[Mask, ...] = _row("masks", ())
    key_lengths: int | None = _row("integer", None, least=1, most=512)
    window: tuple[int, int] | None = _row("window", None)
    scale: Entry | None = _row("entry", None)
    softcap: Entry | None = _row("entry", None)
    bias: tuple[Bias, ...] = _row("biases", ())
    alibi: bool = _row("choice", False, False, True)
    temperature: Entry | None = _row("entry", None)
    sink: tuple[Entry, ...] = _row("entries", ())
    rope: Rope | None = _row("rope", None)
    on_masked_row: str | None = _row("choice", None, "error", "zero", "uniform", "nan")
    convention: str | None = _row("choice", None, "torch", "jax", "onnx", "flash", "keras", "torch-mha")
    lse: bool = _row("choice", False, False, True)
    num_heads: int = _row("integer", 1, least=1, most=64)
    num_kv_heads: int | None = _row("integer", None, least=1, most=64)
    residual: bool = _row("choice", False, False, True)

    def entries(self) -> Iterator[Entry]:
        """Every entry that the options hold."""
        yield from (entry for entry in (self.scale, self.softcap, self.temperature) if entry is not None)
        yield from self.sink
        yield from (entry for bias in self.bias for row in bias for entry in row if entry is not None)
        if self.rope is not None:
            yield self.rope.base

    @property
    def masked_row(self) -> str:
        """What becomes of a row with nothing allowed: as given, else by the convention, else an error."""
        return self.on_masked_row or (CONVENTIONS[self.convention].masked_row if self.convention else "error")

    @property
    def kv_heads(self) -> int:
        """Number of key heads; as many as heads unless ``num_kv_heads`` says fewer."""
        return self.num_kv_heads or self.num_heads


@dataclass(frozen=True, slots=True)
class Convention:
    """What a system's name settles: the alignment of ``causal = true`` for n_q != n_k (None: none), and masked rows.

    Source: PyTorch 2.13 ``scaled_dot_product_attention`` and ``MultiheadAttention``, JAX 0.10
    ``dot_product_attention``, ONNX Attention-23, FlashAttention 2.1, Keras 3.15 ``MultiHeadAttention``.
    """

    alignment: str | None
    masked_row: str


CONVENTIONS: Final = {
    "torch": Convention("top-left", "zero"),
    "jax": Convention("top-left", "uniform"),
    "onnx": Convention("top-left", "zero"),
    "flash": Convention("bottom-right", "zero"),
    "keras": Convention("top-left", "uniform"),
    "torch-mha": Convention(None, "nan"),
}


@dataclass(frozen=True, slots=True)
class Page:
    """The options that change how the result is printed. Table ``[page]``."""

    decimals: int = _row("integer", 3, least=1, most=60)
    rounding: str = _row("choice", "nearest", "nearest", "carried")
    row_sums: str = _row("choice", "as-is", "as-is", "one")
    ties: str = _row("choice", "half-up", "half-up", "half-even")
    digits: str = _row("choice", "places", "places", "significant")
    decimal_mark: str = _row("choice", ".", ".", ",")
    vectors: str = _row("choice", "rows", "rows", "columns")
    brackets: str = _row("choice", "square", "square", "round")
    exponential: str = _row("choice", "e", "e", "exp")
    notation: tuple[tuple[str, str], ...] = field(default=(), metadata={"option": Option("notation")})


@dataclass(frozen=True, slots=True)
class Also:
    """A further section on the same page: the whole options that hold in it, and the names of those that it set."""

    attention: Attention
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """One of several layers: its arrays, the whole options that hold in it, and the names of those that it set."""

    W_Q: Table
    W_K: Table
    W_V: Table
    W_O: Table | None = None
    b_Q: tuple[Entry, ...] | None = None
    b_K: tuple[Entry, ...] | None = None
    b_V: tuple[Entry, ...] | None = None
    b_O: tuple[Entry, ...] | None = None
    attention: Attention = Attention()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """What is asked: ``X`` with ``W_Q W_K W_V``, or ``Q K V`` directly, and the options.

    Shapes: ``X`` (n, d_model); ``W_Q W_K`` (d_model, num_heads * d_k); ``W_V`` (d_model, num_heads * d_v); ``W_O``
    (num_heads * d_v, d_model); ``Q`` (n_q, num_heads * d_k); ``K`` (n_k, num_heads * d_k); ``V`` (n_k, num_heads *
    d_v). ``context`` (n, d_model) gives keys and values where these come from another sequence. ``b_Q b_K b_V b_O`` are
    added to each row. ``past_key`` and ``past_value`` are rows of a cache that come before the keys and values. With
    ``num_kv_heads`` the columns of keys and values count that many heads.

    With ``layers`` the tables stand in these; the first reads X, and each further one what the one before it gives.

    ``tokens`` name the rows of X (or Q); ``context_tokens`` name all keys, those of a cache first. A Problem is made by
    ``parse``, which has checked that the shapes go together and that each row may attend to a key or says what then.
    """

    title: str = ""
    tokens: tuple[str, ...] = ()
    context_tokens: tuple[str, ...] = ()
    X: Matrix | None = None
    W_Q: Table | None = None
    W_K: Table | None = None
    W_V: Table | None = None
    W_O: Table | None = None
    Q: Matrix | None = None
    K: Matrix | None = None
    V: Matrix | None = None
    context: Matrix | None = None
    past_key: Matrix | None = None
    past_value: Matrix | None = None
    b_Q: tuple[Entry, ...] | None = None
    b_K: tuple[Entry, ...] | None = None
    b_V: tuple[Entry, ...] | None = None
    b_O: tuple[Entry, ...] | None = None
    symbols: tuple[tuple[str, str], ...] = ()
    attention: Attention = Attention()
    also: tuple[Also, ...] = ()
    layers: tuple[Layer, ...] = ()
    page: Page = Page()

    @property
    def n_q(self) -> int:
        """Number of queries."""
        rows = self.X if self.X is not None else self.Q
        return len(rows or ())

    @property
    def past(self) -> int:
        """Number of keys in the cache."""
        return len(self.past_key or ())

    @property
    def n_k(self) -> int:
        """Number of keys, those of the cache included."""
        rows = self.K if self.X is None else self.context if self.context is not None else self.X
        return self.past + len(rows or ())


def layer_problem(problem: Problem, index: int, X: Matrix, page: Page | None = None) -> Problem:
    """One of a problem's layers as a problem of its own, reading ``X``; under another ``page`` where one is named."""
    layer = problem.layers[index]
    whole = {row.name: getattr(problem, row.name) for row in fields(Problem)}
    arrays = {name: getattr(layer, name) for name in (*TABLES, *VECTORS)}
    own = {"X": X, "attention": layer.attention, "layers": (), "page": page or problem.page}
    return Problem(**{**whole, **arrays, **own})


MATRICES: Final = ("X", "context", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V", "past_key", "past_value")
TABLES: Final = ("W_Q", "W_K", "W_V", "W_O")
VECTORS: Final = ("b_Q", "b_K", "b_V", "b_O")
ASSUMPTIONS: Final = ("real", "positive")


def options(table: type[Attention] | type[Page]) -> Iterator[tuple[Field[Any], Option]]:
    """The rows of a table of options: each field with what its row says."""
    for row in fields(table):
        yield row, row.metadata["option"]


def causal_offset(options: Attention, n_q: int, n_k: int, past: int = 0) -> int | None:
    """o in j <= i + o; None where no causal mask holds.

    ``True`` counts from the end of the cache, or is aligned as the convention says; ``"top-left"`` is o = 0, and
    ``"bottom-right"`` o = n_k - n_q.
    """
    kind = options.causal
    if kind is True and n_q != n_k and not past and options.convention:
        kind = CONVENTIONS[options.convention].alignment or True
    if kind is False:
        return None
    return n_k - n_q if kind == "bottom-right" else past if kind is True else 0


def allowed(options: Attention, n_q: int, n_k: int, past: int = 0, head: int = 0) -> Mask | None:
    """mask[i][j] = query i MAY attend to key j in this head; None where every query may attend to every key.

    The conjunction of ``causal``, ``mask``, ``key_lengths``, ``window`` (i + o - left <= j <= i + o + right, with the
    offset o of ``causal``, else that of the cache) and a bias of -oo.
    """
    offset = causal_offset(options, n_q, n_k, past)
    found = allowed_from(options, n_q, n_k, past, head, offset)
    return None if all(map(all, found)) and offset is None else found


def allowed_from(options: Attention, n_q: int, n_k: int, past: int, head: int, offset: int | None) -> Mask:
    """The same with the causal mask j <= i + ``offset``; None for no causal mask."""
    rules: list[Callable[[int, int], bool]] = []
    if offset is not None:
        rules.append(lambda i, j: j <= i + offset)
    if options.mask:
        mask = options.mask[head % len(options.mask)]
        rules.append(lambda i, j: mask[i][j])
    if options.key_lengths is not None:
        length = options.key_lengths
        rules.append(lambda _, j: j < length)
    if options.window is not None:
        left, right = options.window
        aligned = options.convention is not None and CONVENTIONS[options.convention].alignment == "bottom-right"
        middle = offset if offset is not None else n_k - n_q if aligned else past
        rules.append(lambda i, j: (left < 0 or i + middle - left <= j) and (right < 0 or j <= i + middle + right))
    if options.bias:
        bias = options.bias[head % len(options.bias)]
        rules.append(lambda i, j: bias[i][j] is not None)
    return tuple(tuple(all(rule(i, j) for rule in rules) for j in range(n_k)) for i in range(n_q))
