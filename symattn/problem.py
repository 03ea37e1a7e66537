"""Problem: what is asked, as frozen data.

Each option is one row: a field of ``Attention`` or ``Page`` with its kind, default and bounds. The parser, the JSON
Schema, the command line's flags and Python's keyword arguments are read off these rows, and an option's words stand
under its name in ``templates/words``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Expression:
    """An entry that is not a plain rational, as it was written: an operator and its operands.

    ``add`` and ``mul`` take two or more operands, ``div`` and ``pow`` two, ``neg sqrt log exp`` one, ``pi`` and ``e``
    none; ``symbol`` has its name in ``name``, and ``positive`` says that it was declared so.
    """

    operator: Literal["add", "mul", "div", "pow", "neg", "sqrt", "log", "exp", "pi", "e", "symbol"]
    operands: tuple[Entry, ...] = ()
    name: str = ""
    positive: bool = False


Entry: TypeAlias = Fraction | Expression
Matrix: TypeAlias = tuple[tuple[Entry, ...], ...]
Table: TypeAlias = Matrix | Literal["identity"]
"""A learned table: a matrix, or the word ``identity`` for a plain copy."""

Kind = Literal["choice", "integer", "entry", "notation"]


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
class Attention:
    """The options that change the result. Table ``[attention]``, and each ``[[also]]``."""

    causal: bool | str = _row("choice", False, False, True, "top-left", "bottom-right")
    scale: Entry | None = _row("entry", None)
    num_heads: int = _row("integer", 1, least=1, most=64)


@dataclass(frozen=True, slots=True)
class Page:
    """The options that change how the result is printed. Table ``[page]``."""

    decimals: int = _row("integer", 3, least=1, most=60)
    rounding: str = _row("choice", "nearest", "nearest", "carried")
    row_sums: str = _row("choice", "as-is", "as-is", "one")
    ties: str = _row("choice", "half-up", "half-up", "half-even")
    digits: str = _row("choice", "places", "places", "significant")
    decimal_mark: str = _row("choice", ".", ".", ",")
    notation: tuple[tuple[str, str], ...] = field(default=(), metadata={"option": Option("notation")})


@dataclass(frozen=True, slots=True)
class Also:
    """A further section on the same page: the whole options that hold in it, and the names of those that it set."""

    attention: Attention
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is asked: ``X`` with ``W_Q W_K W_V``, or ``Q K V`` directly, and the options.

    Shapes: ``X`` (n, d_model); ``W_Q W_K`` (d_model, num_heads * d_k); ``W_V`` (d_model, num_heads * d_v); ``W_O``
    (num_heads * d_v, d_model); ``Q`` (n_q, num_heads * d_k); ``K`` (n_k, num_heads * d_k); ``V`` (n_k, num_heads *
    d_v). ``tokens`` name the rows of X (or Q); ``context_tokens`` name the keys where these are other rows (K with Q
    directly). A Problem is made by ``parse``, which has checked that the shapes go together and that no row masks every
    key.
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
    symbols: tuple[tuple[str, str], ...] = ()
    attention: Attention = Attention()
    also: tuple[Also, ...] = ()
    page: Page = Page()

    @property
    def n_q(self) -> int:
        """Number of queries."""
        rows = self.X if self.X is not None else self.Q
        return len(rows or ())

    @property
    def n_k(self) -> int:
        """Number of keys."""
        rows = self.X if self.X is not None else self.K
        return len(rows or ())


MATRICES: Final = ("X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V")
TABLES: Final = ("W_Q", "W_K", "W_V", "W_O")
ASSUMPTIONS: Final = ("real", "positive")


def options(table: type[Attention] | type[Page]) -> Iterator[tuple[Field[Any], Option]]:
    """The rows of a table of options: each field with what its row says."""
    for row in fields(table):
        yield row, row.metadata["option"]


def allowed(causal: bool | str, n_q: int, n_k: int) -> tuple[tuple[bool, ...], ...] | None:
    """mask[i][j] = query i MAY attend to key j; None where every query may attend to every key.

    ``True`` and ``"top-left"``: j <= i; ``"bottom-right"``: j <= i + n_k - n_q.
    """
    if causal is False:
        return None
    offset = n_k - n_q if causal == "bottom-right" else 0
    return tuple(tuple(j <= i + offset for j in range(n_k)) for i in range(n_q))
