"""Rendered text as files."""
