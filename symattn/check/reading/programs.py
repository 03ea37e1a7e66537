"""A program's source to readable text of the same length: marks of comments, types and sizes are white."""

from __future__ import annotations

import re
from typing import Final

from symattn.check.reading.white import blanked

_HASH: Final = re.compile(r"^([ \t]*)(#+|//+|\*+(?!/)|--|;+|%+)(?=\s|$)", re.MULTILINE)
_LINE_COMMENT: Final = re.compile(r"(?<=[\s;,)\]}])(#|//)(?=\s)")
_BLOCK: Final = re.compile(r"/\*+|(?<!\*)\*++/|\"\"\"|'''")
_SUFFIX: Final = re.compile(
    r"(?<![\w.])((?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)(?:[fF](?:32|64|16)?|_?f(?:32|64))(?!\w)"
)
"""A number of C or Rust that says its type."""
_DECLARED: Final = re.compile(
    r"(?<=\w)(?:\[[ \t\w]{0,40}\]){1,4}(?=\s{0,3}=\s{0,3}\{)"
    r"|\bnew[ \t]{1,3}\w{1,40}[ \t]{0,3}(?:\[[ \t]{0,3}\]){1,4}(?=\s{0,3}\{)"
    r"|(?:\[\d{0,6}\]){1,4}(?:float|double|int)\d{0,2}(?=\{)"
    r"|:[ \t]{0,3}\[{1,4}f\d\d;[^=\n]{0,60}(?==)|\b(?:vec|arr(?:ay)?\d?)!(?=[ \t]{0,3}\[)"
)
"""What a program says of an array's type and sizes: ``Q[2][2] = {``, ``[][]float64{``, ``vec![``."""
_ASIDE: Final = re.compile(
    r"^((?:[ \t\d.,+\-eEfF\[\]{}()\x1f]{0,300}[\d.,\[\]{}()]|[^\n#/]{0,120}(?:[\[{(]|[\]})\d],))[ \t]{0,40})"
    r"((?:#|//)(?=[ \t\w])[^\n\x1f]*)",
    re.MULTILINE,
)
"""A comment beside a row of an array, or beside the bracket that opens it."""


def readable(text: str) -> str:
    """The text to read, of the same length."""
    text = blanked(text, _BLOCK, _DECLARED)
    text = _HASH.sub(lambda found: found[1] + " " * len(found[2]), text)
    text = _SUFFIX.sub(lambda found: found[1] + " " * (len(found.group()) - len(found[1])), without_asides(text))
    return _LINE_COMMENT.sub(lambda found: " " * len(found.group()), text)


def without_asides(text: str) -> str:
    """An array's rows without the comments beside them: ``[[1, 0],  # the first token``."""
    return _ASIDE.sub(lambda found: found[1] + " " * len(found[2]), text)
