"""The public edge for arrays: array-likes in, correctly rounded NumPy arrays and comparisons out."""

from symattn.arrays.compare import compare
from symattn.arrays.comparison import ArrayComparison, Comparison
from symattn.arrays.reference import reference

__all__ = ["ArrayComparison", "Comparison", "compare", "reference"]
