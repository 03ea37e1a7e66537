"""Pictures laid out once, in units of length, for every format that draws them."""

from __future__ import annotations

from symattn.pictures import Grid, Hull, Mask, Picture
from symattn.render.drawing.grid import grid_drawing, mask_drawing
from symattn.render.drawing.hull import hull_drawing
from symattn.render.drawing.labels import PLAIN, Words, Writing
from symattn.render.drawing.marks import Drawing
from symattn.render.drawing.plot import plot_drawing


def drawing(picture: Picture, words: Words, writing: Writing = PLAIN) -> Drawing:
    """The picture as marks on a page; ``words`` are those of its kind."""
    match picture:
        case Grid():
            return grid_drawing(picture, words, writing)
        case Mask():
            return mask_drawing(picture, words)
        case Hull():
            return hull_drawing(picture, words, writing)
        case _:
            return plot_drawing(picture, words, writing)
