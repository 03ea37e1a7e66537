"""Derivations and what a page tells of them: steps, lines, choices, questions, last digits."""
