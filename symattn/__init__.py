"""Exact attention, worked and checked."""
