"""The public edge for arrays: array-likes in, correctly rounded NumPy arrays out."""

from symattn.arrays.reference import reference

__all__ = ["reference"]
