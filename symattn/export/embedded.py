"""Pictures inside a file of Moodle's XML: each beside the text that shows it, which names it by its place."""

from __future__ import annotations

from base64 import b64encode
from typing import Final, TypeAlias

from markupsafe import Markup

from symattn.exercises.offer import Offer
from symattn.exercises.view import Sheet, View
from symattn.export.text import attribute
from symattn.render.drawing.labels import Writing
from symattn.render.pictures import alternative, svg

_PLACE: Final = "@@PLUGINFILE@@"

Pictures: TypeAlias = "tuple[list[View], str]"
"""What templates print of each picture, and the files."""


def pictures(offer: Offer, sheet: Sheet) -> Pictures:
    """The pictures of a variant's solution; none where the run has none."""
    if not offer.run.pictures:
        return [], ""
    writing, overrides = Writing(decimal_mark=offer.run.recipe.rounding.decimal_mark), offer.run.overrides
    shown, files = list[View](), list[str]()
    for key, picture in sheet.pictures().items():
        drawn = b64encode(svg(picture, key, writing, overrides).encode()).decode()
        alt = attribute(alternative(picture, writing, overrides))
        shown.append({"file": Markup(f"{_PLACE}/{key}.svg"), "alt": Markup(alt)})  # noqa: S704 - ours, and escaped
        files.append(f'<file name="{key}.svg" path="/" encoding="base64">{drawn}</file>')
    return shown, "".join(files)
