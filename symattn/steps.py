"""What was found, as frozen data: derivations, their steps, formulas and tables.

A ``Derivation`` is a sequence of ``Step`` in reading order. A step carries everything a page can show of it: the
formula before numbers, the same with numbers put in, its exact value, the printed text by the policy, and the reason
why it is allowed. No sentence stands here, and nothing in ``exact`` is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeAlias

from symattn.problem import Rope


class Value(Protocol):
    """An exact real number (or -oo) whose equality with another is decided."""

    def equals(self, other: Any, /) -> bool:
        """Whether both are the same number, decided exactly."""

    def to_sympy(self) -> Any:
        """The number as a SymPy expression."""


@dataclass(frozen=True, slots=True)
class Table:
    """A frozen matrix of exact values."""

    rows: tuple[tuple[Any, ...], ...]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, place: tuple[int, int]) -> Any:
        row, column = place
        return self.rows[row][column]

    def places(self) -> Iterator[tuple[int, int]]:
        """Every (row, column) in reading order."""
        height, width = self.shape
        return ((i, j) for i in range(height) for j in range(width))

    def map(self, function: Callable[[Any], Any]) -> tuple[tuple[Any, ...], ...]:
        """The function of every entry."""
        return tuple(tuple(map(function, row)) for row in self.rows)

    def equals(self, other: Table) -> bool:
        """Whether the shapes and all entries are equal, decided exactly."""
        return self.shape == other.shape and all(self[place].equals(other[place]) for place in self.places())

    def to_sympy(self) -> Any:
        """A SymPy ``ImmutableMatrix`` of the closed forms."""
        from sympy import ImmutableMatrix

        return ImmutableMatrix(self.map(lambda entry: entry.to_sympy()))


class Reason(StrEnum):
    """Why a step is allowed."""

    GIVEN = "given"
    PROJECTION = "projection"
    DOT_PRODUCT = "dot_product"
    ROTATION = "rotation"
    SCALING = "scaling"
    CAPPING = "capping"
    BIASING = "biasing"
    MASKING = "masking"
    TEMPERATURE = "temperature"
    EXPONENTIAL = "exponential"
    SOFTMAX = "softmax"
    WEIGHTED_MEAN = "weighted_mean"
    CONCATENATION = "concatenation"
    OUTPUT_PROJECTION = "output_projection"
    RESIDUAL = "residual"


@dataclass(frozen=True, slots=True)
class Num:
    """A number: exact for replay, with the text it is printed as where it was put in for an entry."""

    value: Any
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of an array; an index is a name bound around it, or a number counted from 0."""

    array: str
    row: str | int
    column: str | int


@dataclass(frozen=True, slots=True)
class Add:
    """The sum of its terms."""

    terms: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Mul:
    """The product of its factors."""

    factors: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Div:
    """A quotient."""

    numerator: Formula
    denominator: Formula


@dataclass(frozen=True, slots=True)
class Exp:
    """e to a power."""

    exponent: Formula


@dataclass(frozen=True, slots=True)
class Tanh:
    """The hyperbolic tangent."""

    argument: Formula


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of ``body`` over ``index`` = 0 .. size - 1, ``size`` by its name in the derivation; masked terms are left
    out.
    """

    index: str
    size: str
    body: Formula


@dataclass(frozen=True, slots=True)
class Where:
    """``then`` where query i may attend to key j, else -oo."""

    row: str | int
    column: str | int
    then: Formula


@dataclass(frozen=True, slots=True)
class Name:
    """A number with a name of its own, such as the scale."""

    name: str


Formula: TypeAlias = Num | Entry | Add | Mul | Div | Exp | Tanh | Sum | Where | Name


class Printed(NamedTuple):
    """One number as the policy prints it."""

    text: str
    nearest: str
    tie: bool = False
    vanishes: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a derivation.

    ``lhs`` is the array that the step defines and ``place`` the entry (row, column) if it is a step of one entry, else
    None; ``printed`` has the shape of ``exact`` and is None where a declared symbol is left.
    """

    name: str
    lhs: str
    formula: Formula | None
    substituted: Formula | None
    exact: Table
    printed: tuple[tuple[Printed | None, ...], ...]
    reason: Reason
    uses: tuple[str, ...] = ()
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Derivation:
    """Steps in reading order, with the named sizes and numbers that their formulas use.

    ``allowed[i][j]`` is true where query i may attend to key j, None where every one may; ``masked_row`` is what
    becomes of a row with nothing allowed; ``rope`` and ``past`` say how positions turn.
    """

    steps: tuple[Step, ...]
    sizes: tuple[tuple[str, int], ...] = ()
    numbers: tuple[tuple[str, Any], ...] = ()
    allowed: tuple[tuple[bool, ...], ...] | None = None
    masked_row: str = "error"
    rope: Rope | None = None
    past: int = 0

    def step(self, name: str) -> Step:
        """The step of this name."""
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)
