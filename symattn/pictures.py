"""Pictures as frozen data: what each one shows, with exact values and the texts they are printed as.

No coordinate, colour or sentence stands here: ``render`` lays a picture out, draws it as SVG and as TikZ, and finds the
words for it. A new kind of picture is a class here, a layout in ``render/drawing`` and its words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a grid: a value from 0 to 1, which its shade shows; its text; and whether the key may be seen."""

    value: Any
    text: str
    seen: bool = True


@dataclass(frozen=True, slots=True)
class Grid:
    """Weights as a grid: ``cells[i][j]`` is what query i takes from key j. ``rows`` and ``columns`` are names.

    Where it is ``turned``, the rows are the keys and the columns the queries.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Mask:
    """Who may look at whom: ``seen[i][j]`` is true where query i may attend to key j; ``turned`` as in a ``Grid``."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    seen: tuple[tuple[bool, ...], ...]
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of the plane with the names of all that lie on it, and its two numbers as they are printed."""

    names: tuple[str, ...]
    x: Any
    y: Any
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Hull:
    """Values of two numbers each, and the outputs, which are averages of them.

    ``corners`` are the places in ``values`` of the corners of their convex hull, in order around it: one corner where
    all values are the same, two where all lie on a line.
    """

    values: tuple[Spot, ...]
    corners: tuple[int, ...]
    outputs: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a plot: exact values, and the texts they are printed as."""

    x: Any
    y: Any
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Series:
    """Points that one line joins, in order; ``name`` is the key of its words."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A line plot of at most four series.

    Its words stand under ``[plot.NAME]`` in ``templates/words/en.toml``: ``title``, ``x`` and ``y`` for the axes, and
    one key for each series. Between dollars they may hold letters with a subscript, such as ``$d_k$``.

    Args:
        name: The key of its words.
        series: Each with its points; every x and y is an ``exact`` value, such as ``Plain(numbers.root(2))``.
        x_scale: ``"linear"``, or ``"log"`` for positive x: rational, or any number whose logarithm ``exact`` has.
        y_scale: The same for y.
    Example:
        Plot("spread", (Series("undivided", points), Series("divided", others)), x_scale="log")
    """

    name: str
    series: tuple[Series, ...]
    x_scale: str = "linear"
    y_scale: str = "linear"


Picture: TypeAlias = Grid | Mask | Hull | Plot
