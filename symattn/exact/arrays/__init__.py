"""Attention on arrays of binary floats: exact scores, balls, and the exact test that settles what balls cannot."""
