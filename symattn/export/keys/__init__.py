"""Keys for programs."""
