"""The bounds of what is read: what lies beyond them is refused with a clear error before any work is done on it."""

from __future__ import annotations

from typing import Final

CHARACTERS: Final = 2000
"""Of the text of one entry."""
TOKENS: Final = 400
"""Of the text of one entry."""
DIGITS: Final = 200
"""Of one number as it is written."""
EXPONENT: Final = 200
"""Of ten, in either direction."""
DEPTH: Final = 32
"""Of brackets, signs and powers within one another."""
HEIGHT: Final = DEPTH - 2
"""Of an entry's tree. A tree written out is nested at most two levels deeper than it is high: it can be read back."""
POWER: Final = 64
"""The largest power, and the largest root."""
TERMS: Final = 500
"""Of an entry when it is multiplied out."""
BITS: Final = 4096
"""Of a numerator or denominator on the way to an entry's value."""

SIDE: Final = 512
"""Rows, or columns, of an array."""
ENTRIES: Final = 65_536
"""Of one array."""
MASKED: Final = SIDE * SIDE
"""Booleans of the masks of all heads."""
WINDOW: Final = 1_000_000
"""Keys that a window looks back, or ahead."""
HEADS: Final = 64
"""Heads; as the row of ``num_heads`` says."""
TITLE: Final = 200
"""Characters of a title."""
TOKEN: Final = 100
"""Characters of a token."""
LETTER: Final = 12
"""Characters of a notation."""
SYMBOLS: Final = 64
"""Declared symbols, and the characters of one's name."""
SECTIONS: Final = 16
"""Tables ``[[also]]``."""
LAYERS: Final = 16
"""Tables ``[[layers]]``."""
BYTES: Final = 10_000_000
"""Of a problem file."""
SCANNED: Final = 2_000_000
"""Characters of a file in which the line of an error is still looked for."""
