"""Replay: what a derivation claims, computed again from its own formulas."""
