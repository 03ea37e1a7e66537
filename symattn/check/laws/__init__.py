"""Replay of general statements: does each line follow by its own law, and each number from its own term?"""
