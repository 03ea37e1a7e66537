"""Page text to printed numbers with their places, and to the statements that hold them."""
