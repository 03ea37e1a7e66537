"""Whether the arrays and options of several layers go together, layer by layer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from symattn.errors import SpecError, SymattnError, Where
from symattn.parse.fits import options_fit
from symattn.parse.messages import child
from symattn.parse.shapes import together
from symattn.problem import MATRICES, VECTORS, Layer, Problem, layer_problem


def in_layers(problem: Problem) -> None:
    """Refuse arrays of layers that do not go together, or that stand in the wrong place.

    Raises:
        SpecError: Arrays are missing, or something beside the layers that belongs in one, or in none.
        ShapeError: The sizes of two arrays do not fit; the message names both, and the layer.
    """
    _alone(problem)
    width = len((problem.X or ((),))[0])
    for index in range(len(problem.layers)):
        with _named(problem.layers[index], index):
            width = together(_sized(problem, index, width), _source(index))


def layers_fit(problem: Problem) -> None:
    """Refuse options that do not go with the arrays of their layer; errors as for ``options_fit``."""
    width = len((problem.X or ((),))[0])
    for index in range(len(problem.layers)):
        found = _sized(problem, index, width)
        with _named(problem.layers[index], index):
            width = together(found, _source(index))
            options_fit(found)


def _sized(problem: Problem, index: int, width: int) -> Problem:
    """One layer as a problem whose X has the size of what the layer reads, and no numbers yet."""
    return layer_problem(problem, index, ((Fraction(0),) * width,) * problem.n_q)


def _source(index: int) -> str:
    """What a layer reads, as messages call it."""
    return "X" if index == 0 else f"the output of {child('layers', index - 1)}"


@contextmanager
def _named(layer: Layer, index: int) -> Iterator[None]:
    """Errors have the place in the layer, or in [attention] where the option stands there."""
    try:
        yield
    except SymattnError as error:
        outer, _, name = error.where.path.partition(".")
        if outer != "attention":
            raise error.within(child("layers", index)) from None
        if name and name.partition("[")[0].partition(".")[0] not in layer.changed:
            raise
        bare = type(error)(error.what, mend=error.mend, where=replace(error.where, path=name))
        raise bare.within(child("layers", index)) from None


def _alone(problem: Problem) -> None:
    """Nothing stands beside layers that belongs in each of them, or to a single one."""
    if problem.X is None:
        raise SpecError("layers need X", mend="give X, which the first layer reads", where=Where("layers"))
    for name in (*MATRICES, *VECTORS):
        if name in ("X", "context") or getattr(problem, name) is None:
            continue
        mend = "write it under [[layers]]" if name.startswith(("W_", "b_")) else "leave it out, or the layers"
        raise SpecError(f"{name} cannot stand beside layers", mend=mend, where=Where(name))
    if problem.also:
        raise SpecError("also cannot stand beside layers", mend="leave one of the two out", where=Where("also"))
    if problem.symbols:
        raise SpecError(
            "layers need numbers, but symbols are declared",
            mend="put numbers in for the symbols: only a first layer has closed forms",
            where=Where("symbols"),
        )
