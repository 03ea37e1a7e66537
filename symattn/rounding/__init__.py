"""The only place that rounds: exact values to decimals (``decimal``)."""

from symattn.rounding.decimal import (
    Real,
    Rounded,
    adding_to_one,
    floor,
    nearest,
    positional,
    sign_of_difference,
    significant,
    truncated,
)

__all__ = [
    "Real",
    "Rounded",
    "adding_to_one",
    "floor",
    "nearest",
    "positional",
    "sign_of_difference",
    "significant",
    "truncated",
]
