"""Attention itself, exact."""
