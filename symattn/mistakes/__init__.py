"""The catalogue of mistakes: attention with one thing wrong, or several.

``catalogue`` is data: what each mistake does otherwise. ``spoiled`` works a problem that way, exactly; ``where`` says
of which problems it can be made; ``rows`` has single rows for the questions of a page.
"""
