"""The catalogue of mistakes: attention with one thing wrong, or several.

``CATALOGUE`` is data: what each mistake does otherwise. ``spoiled`` works a problem that way, exactly.
"""

from symattn.mistakes.catalogue import CATALOGUE, RIGHT, Deviation, Mistake, deviations
from symattn.mistakes.spoiled import spoiled
from symattn.mistakes.where import applicable

__all__ = ["CATALOGUE", "RIGHT", "Deviation", "Mistake", "applicable", "deviations", "spoiled"]
